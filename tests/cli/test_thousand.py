"""A thousand applicants through both engines, with kills in each: nothing is lost, and nothing is proven twice.

`pytest tests/cli/test_thousand.py -s` prints what was killed when, what was kept, and how long it took.
"""

import csv
import json
import os
import random
import signal
import subprocess
import time
from pathlib import Path

import pytest

pytest.importorskip("distributed", reason="the extra dask is not installed")

from distributed import LocalCluster

from equiproof.circuits.exit_codes import OK, UNFAIR
from tests.cli.world import SCRIPT
from tests.prover.many.test_run import comparable
from tests.support import applicant

pytestmark = pytest.mark.release

ROWS = int(os.environ.get("EQUIPROOF_THOUSAND", "1000"))
"""How many applicants; fewer where the test itself is tried."""


@pytest.fixture(scope="module")
def asked(loans_tree, tmp_path_factory):
    """Return the words of a run without its folder: a table with nonces, a model and its key of scheme `branch`."""
    folder = tmp_path_factory.mktemp("thousand")
    (folder / "opening.json").write_bytes(loans_tree.opening.secret())
    (folder / "commitment.json").write_bytes(loans_tree.opening.public())
    rng = random.Random(22)
    with (folder / "rows.csv").open("w", newline="") as file:
        write = csv.writer(file)
        write.writerow(("application", "nonce", "income", "housing"))
        for number in range(1, ROWS + 1):
            row = applicant(loans_tree.spec, rng)
            write.writerow((f"2026/{number}", f"nonce-of-applicant-{number}", row["income"], row["housing"]))
    keys = loans_tree.key.folder.parent
    named = ["--opening", folder / "opening.json", "--keys", keys, "--id", "application", "--nonce", "nonce"]
    return [str(word) for word in ("prove", folder / "rows.csv", *named)]


class Stopped:
    """A run of the command line that is looked at, and hurt, from outside."""

    def __init__(self, words, folder):
        self.manifest = folder / "manifest.jsonl"
        self.begun = time.perf_counter()
        self.process = subprocess.Popen(
            [SCRIPT, *words, "--out-dir", folder], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )

    def kept(self):
        """Return how many rows count."""
        return self.manifest.read_bytes().count(b"\n") - 1 if self.manifest.exists() else 0

    def wait_for(self, count):
        """Wait until so many rows count."""
        while self.kept() < count:
            assert self.process.poll() is None, self.process.communicate()
            time.sleep(0.05)

    def workers(self):
        """Return the processes of the run's own workers."""
        children = Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children").read_text().split()
        return [int(child) for child in children]

    def ended(self):
        """Wait for the end; return exit code, standard output, standard error and the seconds that it took."""
        out, err = self.process.communicate()
        return self.process.returncode, out, err, time.perf_counter() - self.begun


def told(*words):
    """Show a line of the record."""
    print(" ".join(map(str, words)), flush=True)


def whole(folder, out):
    """Every row has one line, and the summary counts those that have a certificate."""
    lines = [json.loads(line) for line in (folder / "manifest.jsonl").read_bytes().splitlines()[1:]]
    assert sorted(line["row"] for line in lines) == list(range(1, ROWS + 1))
    fair = sum(line["verdict"] == "fair" for line in lines)
    assert out.splitlines()[0] == f"PROVEN {fair:,} of {ROWS:,} rows"
    assert len(list((folder / "applicants").iterdir())) == fair
    return fair


def verified(asked, folder, fair):
    """All certificates of a folder are verified by the command that relying parties use."""
    commitment, keys = Path(asked[3]).with_name("commitment.json"), asked[5]
    words = ["verify-many", folder / "applicants", "--commitment", commitment, "--keys", keys]
    begun = time.perf_counter()
    done = subprocess.run([SCRIPT, *words], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout.splitlines()[0]) == (OK, f"VERIFIED {fair} of {fair} certificates")
    told("  ", done.stdout.splitlines()[0], f"in {time.perf_counter() - begun:.1f} s")


def test_a_thousand_applicants_through_both_engines_with_kills(asked, tmp_path):
    """The manifests of the two are equal but for times, blindings, proofs and their digests; all certificates hold."""
    local, dask = tmp_path / "local", tmp_path / "dask"
    first = Stopped([*asked, "--jobs", "2"], local)
    first.wait_for(ROWS // 3)
    os.kill(first.workers()[0], signal.SIGKILL)
    told("local: a worker was killed when", first.kept(), "rows counted")
    first.wait_for(2 * ROWS // 3)
    os.kill(first.process.pid, signal.SIGKILL)
    code, _, said, seconds = first.ended()
    kept = first.kept()
    told(
        "local: the coordinator was killed when",
        kept,
        f"rows counted, after {seconds:.1f} s;",
        " | ".join(said.splitlines()),
    )
    assert code == -signal.SIGKILL
    second = Stopped([*asked, "--jobs", "2", "--resume"], local)
    code, out, said, seconds = second.ended()
    told("local: --resume:", " | ".join(said.splitlines()), f"; {seconds:.1f} s")
    assert (code, said.splitlines()[0]) == (UNFAIR, f"{kept:,} of {ROWS:,} rows are kept")
    fair = whole(local, out)
    verified(asked, local, fair)
    options = {"threads_per_worker": 1, "host": "127.0.0.1", "dashboard_address": None, "silence_logs": 50}
    with LocalCluster(n_workers=3, processes=True, **options) as cluster:
        at = cluster.scheduler_address.removeprefix("tcp://")
        third = Stopped([*asked, "--engine", f"dask://{at}"], dask)
        third.wait_for(ROWS // 2)
        os.kill(next(iter(cluster.workers.values())).pid, signal.SIGKILL)
        told("dask: one of three workers was killed when", third.kept(), "rows counted")
        code, out, said, seconds = third.ended()
    told("dask:", " | ".join(said.splitlines()), f"; {seconds:.1f} s")
    assert (code, whole(dask, out)) == (UNFAIR, fair)
    verified(asked, dask, fair)
    assert comparable(local) == comparable(dask)
    told("the manifests are equal:", fair, "fair,", ROWS - fair, "unfair or undecided")
