"""The engine of a Dask cluster: the same manifest, from workers that may die, and nothing secret on the way."""

import os
import pickle
import signal
from contextlib import contextmanager
from dataclasses import replace

import pytest

pytest.importorskip("distributed", reason="the extra dask is not installed")

from distributed import KilledWorker, LocalCluster
from distributed.utils import CancelledError

from equiproof.certify.errors import CapacityError, RunError
from equiproof.circuits.files import write_file
from equiproof.prover import Prover
from equiproof.prover.errors import KeyStoreError
from equiproof.prover.many import cluster as clusters
from equiproof.prover.many.cluster import Cluster
from equiproof.prover.many.decided import Behind, decide_all, read_decided
from equiproof.prover.many.engines import crew
from tests.prover.many.test_run import comparable
from tests.prover.many.world import VERDICTS, go, lines, told


@contextmanager
def workers(count):
    """Start a scheduler and worker processes of one thread each, reachable from this machine only."""
    with LocalCluster(
        n_workers=count, threads_per_worker=1, processes=True, host="127.0.0.1", dashboard_address=None, silence_logs=50
    ) as cluster:
        yield cluster


def address(cluster):
    """Return what stands behind dask:// for a cluster."""
    return cluster.scheduler_address.removeprefix("tcp://")


@pytest.mark.slow
def test_a_worker_that_is_killed_costs_only_its_own_rows(many, made, tmp_path):
    """Killed with -9 in the middle, one of three workers is replaced; the manifest is that of a run without Dask."""
    with workers(3) as cluster:
        pids = [worker.pid for worker in cluster.workers.values()]
        with crew(f"dask://{address(cluster)}", many.setting(), 1) as ready:
            assert ready.jobs == 3

            def dying(tasks):
                for number, one in enumerate(ready.engine(tasks)):
                    if number == 1:
                        os.kill(pids[0], signal.SIGKILL)
                    yield one

            go(many.run(tmp_path / "dask"), dying)
    go(many.run(tmp_path / "local"), told(made))
    assert len(lines(tmp_path / "dask")) == 6
    assert comparable(tmp_path / "dask") == comparable(tmp_path / "local")


@pytest.mark.slow
def test_certificates_from_a_cluster_are_about_the_receipts(many, tmp_path):
    """The blinding that a receipt fixed reaches the worker, and the coordinator takes nothing else."""
    opening = many.owned.opening
    decide_all(Behind(opening), many.applicants(), tmp_path / "march", lambda done, total: None)
    applicants = read_decided(tmp_path / "march", opening)
    run = replace(many.run(tmp_path / "out"), header=many.header(applicants), applicants=applicants)
    with workers(1) as cluster, crew(f"dask://{address(cluster)}", many.setting(), 1) as ready:
        entries = go(run, ready.engine)
    assert [entries[one.row].receipt for one in applicants] == [one.fixed.receipt.digest for one in applicants]
    assert tuple(entries[one.row].verdict for one in applicants) == VERDICTS


@pytest.mark.slow
def test_a_row_without_room_in_the_key_is_undecided_and_the_others_are_proven(many, made, tmp_path, monkeypatch):
    """What one applicant needs beyond the key is that row's, with its number, on a cluster as on this machine."""
    prove, names = Prover.prove, [one.context["nonce"] for one in many.applicants()]

    def narrow(prover, features, context, **how):
        if context["nonce"] == names[0]:
            raise CapacityError(38, 37, None, "rows")
        return prove(prover, features, context, **how)

    monkeypatch.setattr(Prover, "prove", narrow)
    with (
        LocalCluster(
            n_workers=1, processes=False, protocol="tcp://", host="127.0.0.1", dashboard_address=None, silence_logs=50
        ) as cluster,
        crew(f"dask://{address(cluster)}", many.setting(), 1) as ready,
    ):
        entries = go(many.run(tmp_path), ready.engine)
    first, *others = (entries[one.row] for one in many.applicants())
    assert (first.verdict, first.reason, first.size, first.files) == ("undecided", "rows", 38, {})
    assert tuple(one.verdict for one in others) == VERDICTS[1:]


@pytest.mark.slow
def test_a_worker_that_may_not_prove_ends_the_run_before_it_begins(many, made, tmp_path, monkeypatch):
    """A key without the owner's mark there, another opening, and an error of a row: each is named as it is locally."""
    other = tmp_path / "owner.secret"
    write_file(other, b"ab" * 32 + b"\n", secret=True)
    with workers(1) as cluster:
        at = address(cluster)
        for wrong, error, said in (
            ({"owner_secret": other}, KeyStoreError, "was not made with the owner's secret"),
            ({"opening_digest": "00" * 32}, RunError, "another opening"),
            ({"key": tmp_path / "nowhere"}, RunError, "engine: a worker cannot begin: FileNotFoundError"),
        ):
            with pytest.raises(error, match=said), Cluster(at, replace(many.setting(), **wrong)):
                pass
        with Cluster(at, many.setting()) as ready:
            run = many.run(tmp_path / "out")
            bad = replace(run.applicants[1], features={"income": "x", "housing": "own"})
            with pytest.raises(ValueError, match="income"):
                go(replace(run, applicants=[run.applicants[0], bad]), ready.run)
        assert len(lines(tmp_path / "out")) <= 2
    monkeypatch.setattr(clusters, "_PATIENCE", "1s")
    with pytest.raises(RunError, match="no scheduler of Dask at"):
        Cluster(at, many.setting())


@pytest.mark.parametrize("host", ["10.1.2.3:8786", "example.org:8786", "[2001:db8::1]:8786", "0.0.0.0:8786"])
def test_applicants_data_reach_no_other_machine_unencrypted(many, host):
    """Without TLS certificates, only a scheduler of this machine is asked at all."""
    with pytest.raises(RunError, match="would travel there unencrypted"):
        Cluster(host, many.setting())


def test_only_loopback_addresses_are_this_machine():
    """A name that merely begins like one is another machine's."""
    here = ("127.0.0.1:1", "127.9.9.9:1", "[::1]:1", "localhost:1")
    there = ("127.0.0.1.example.org:1", "localhost.example.org:1", "10.0.0.1:1", "[::2]:1", "", ":1")
    assert [clusters._is_here(one) for one in (*here, *there)] == [True] * 4 + [False] * 6


def test_a_worker_on_another_machine_needs_tls_too(many):
    """The scheduler may be here and its workers elsewhere: their connections carry the same data."""

    class Client:
        def nthreads(self):
            return {"tcp://127.0.0.1:5": 1, "tcp://10.0.0.2:5": 2}

    found = object.__new__(Cluster)
    found._client = Client()
    with pytest.raises(
        RunError, match=r"start tcp://10\.0\.0\.2:5 with --tls-\*: it is a worker on another machine without TLS"
    ):
        found._refuse_workers()
    Client.nthreads = lambda self: {}
    with pytest.raises(RunError, match="no worker"):
        found._refuse_workers()


def test_what_a_worker_is_told_has_no_secret(many):
    """The plugin that loads opening and key has their places only."""
    assert len(pickle.dumps(clusters.Loaded(many.setting()))) < 2000


def test_a_scheduler_that_is_gone_is_said_so(many):
    """Noticed when tasks are sent, or while a result is waited for; an error of a task stays what it is."""

    class Future:
        def __init__(self, error, status):
            self.error, self.status = error, status

        def result(self):
            raise self.error

    class Client:
        def nthreads(self):
            raise TimeoutError("Timed out trying to connect")

    found = object.__new__(Cluster)
    found._client = Client()
    with pytest.raises(RunError, match="the scheduler is gone"):
        found._sent(iter(()), 0)
    for gone in (Future(CancelledError(), "cancelled"), Future(OSError("connection closed"), "lost")):
        with pytest.raises(RunError, match="the scheduler is gone"):
            clusters._result(gone)
    with pytest.raises(FileNotFoundError):
        clusters._result(Future(FileNotFoundError("opening.json"), "error"))
    assert clusters._result(Future(KilledWorker("row", None, 4), "error")) is None
