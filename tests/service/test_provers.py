"""Provers are processes: one that dies costs its own job alone, and none outlives its worker."""

import os
import resource
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import pytest

from equiproof.service.worker import provers as module
from equiproof.service.worker.child import AUTOGROUP, NICENESS
from equiproof.service.worker.provers import DiedError, EndedError, HungError, Provers
from tests.support import ROOT

pytestmark = pytest.mark.slow


@dataclass(frozen=True)
class Order:
    """What a test has a prover do, and what tells how long that may take."""

    what: str | float
    keys: Path = Path("none")
    max_seconds: float = 30.0
    decision: str = ""


def does(given):
    """Do in a prover's process what a test orders."""
    order = given.what
    if order == "die":
        os.kill(os.getpid(), signal.SIGKILL)
    if order == "grow":
        return len(bytearray(2 * 10**9))
    if order == "stop":
        os.kill(os.getpid(), signal.SIGSTOP)
    if isinstance(order, float):
        time.sleep(order)
    return os.getpid(), priority(), resource.getrlimit(resource.RLIMIT_DATA)[0]


def priority():
    """Return how far this process stands back: by itself, by its kind, and by its session."""
    # A session that began before the kernel grouped them is of none: an empty file.
    group = AUTOGROUP.read_text().split() if AUTOGROUP.exists() else []
    own_session = os.getsid(0) == os.getpid()
    return os.nice(0), os.sched_getscheduler(0), own_session, group[-1] if group else str(NICENESS)


def test_a_prover_that_dies_costs_its_own_job_alone(monkeypatch):
    """The other one's job ends; the next job finds a new process, niced and of limited memory like the first ones."""
    monkeypatch.setattr(module, "prove", does)
    with Provers(2, 1500) as provers, ThreadPoolExecutor(2) as pool:
        long = pool.submit(provers, Order(2.0))
        first = provers(Order(0.0))
        assert first[1:] == ((NICENESS, os.SCHED_IDLE, True, str(NICENESS)), 1500 * 10**6)
        with pytest.raises(DiedError):
            provers(Order("die"))
        assert long.result()[0] != first[0]
        with pytest.raises(MemoryError):
            provers(Order("grow"))
        assert {provers(Order(0.0))[0] for _ in range(2)}.isdisjoint({first[0]})


def test_a_prover_that_hangs_is_ended(monkeypatch):
    """Its job is told so, the slot is free again, and the next job is done; one that takes its time is left alone."""
    monkeypatch.setattr(module, "prove", does)
    monkeypatch.setattr(module, "LOOK_SECONDS", 0.1)
    monkeypatch.setattr(module, "allowed_seconds", lambda *_: 3.0)
    with Provers(1, 1500, stands_back=False) as provers:
        first = provers(Order(1.0))[0]
        with pytest.raises(HungError, match="did not end in 3 s, and was ended"):
            provers(Order("stop"))
        assert provers(Order(0.0))[0] != first
        assert not _runs(first)


def test_a_prover_is_ended_by_its_decision_and_no_other(monkeypatch):
    """The slot is free again; the other decision's proof ends, and a later attempt of the same one is left alone."""
    monkeypatch.setattr(module, "prove", does)
    monkeypatch.setattr(module, "LOOK_SECONDS", 0.1)
    with Provers(2, 1500, stands_back=False) as provers, ThreadPoolExecutor(2) as pool:
        provers.end("first")  # nobody has it yet
        unwanted = pool.submit(provers, Order(600.0, decision="first"))
        other = pool.submit(provers, Order(3.0, decision="second"))
        while provers.working < 2:
            time.sleep(0.01)
        provers.end("first")
        with pytest.raises(EndedError):
            unwanted.result(30)
        assert provers(Order(0.5, decision="first"))[0] != other.result(30)[0]


def test_provers_starve_where_all_that_work_do(monkeypatch):
    """One that gets on is enough; where none works, none starves."""
    monkeypatch.setattr(module, "prove", does)
    monkeypatch.setattr(module, "LOOK_SECONDS", 0.05)
    hungry, seen = {True, False}, []
    monkeypatch.setattr(module.Patience, "starves", property(lambda one: len(hungry) == 1))
    with Provers(1, 1500, stands_back=False) as provers:
        for _ in range(2):
            with ThreadPoolExecutor(1) as pool:
                job = pool.submit(provers, Order(1.0))
                while not job.done():
                    seen.append(provers.starve)
                    time.sleep(0.01)
            assert provers.starve is False
            hungry.discard(False)
    assert True in seen
    assert seen[0] is False


def test_provers_of_normal_priority_have_their_share(monkeypatch):
    """Where the settings want that: beside busy programs those of idle class would get nothing."""
    monkeypatch.setattr(module, "prove", does)
    with Provers(1, 1500, stands_back=False) as provers:
        niceness, kind, own_session, _ = provers(Order(0.0))[1]
        assert (niceness, kind, own_session) == (os.nice(0), os.SCHED_OTHER, False)


def test_a_prover_that_dies_while_it_starts_is_replaced(monkeypatch):
    """The pipe to it breaks: that job is tried again, and the next one finds a process that can start."""
    monkeypatch.setattr(module, "prove", does)
    submit = module.ProcessPoolExecutor.submit

    def broken(*_):
        monkeypatch.setattr(module.ProcessPoolExecutor, "submit", submit)
        raise BrokenPipeError

    with Provers(1, 1500, stands_back=False) as provers:
        monkeypatch.setattr(module.ProcessPoolExecutor, "submit", broken)
        with pytest.raises(DiedError):
            provers(Order(0.0))
        assert provers(Order(0.0))[0] != os.getpid()


WORKER = """
import sys, threading
from equiproof.service.worker import provers
from tests.service import test_provers
provers.prove = test_provers.does
if __name__ == "__main__":
    with provers.Provers(1, 1500, stands_back=False) as made:
        print(made(test_provers.Order(0.0))[0], flush=True)
        made(test_provers.Order(600.0))
"""


def test_no_prover_outlives_its_worker(tmp_path):
    """The worker is killed -9 while a proof runs, and the prover ends with it."""
    (tmp_path / "worker.py").write_text(WORKER)
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    with subprocess.Popen(
        [sys.executable, tmp_path / "worker.py"], env=environment, stdout=subprocess.PIPE, text=True
    ) as process:
        child = int(process.stdout.readline())
        process.kill()
        end = time.monotonic() + 30
        while _runs(child):
            assert time.monotonic() < end
            time.sleep(0.05)


def _runs(process):
    """Return whether a process is there and no zombie."""
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False
