"""How long a prover may take, and that waiting for a processor is no hanging."""

import os
import subprocess
import sys
import time
from contextlib import ExitStack

import pytest

from equiproof.service.jobs import heartbeat
from equiproof.service.states import State
from equiproof.service.web import readiness
from equiproof.service.worker import patience, provers
from equiproof.service.worker.alarm import Alarm
from equiproof.service.worker.patience import FACTOR, LEAST_SECONDS, Patience, allowed_seconds
from tests.service import made

TICK = os.sysconf("SC_CLK_TCK")
MINUTE = 60_000_000


@pytest.fixture
def threads(tmp_path, monkeypatch):
    """A function that writes what the system says of the threads of process 7: states, and processor seconds."""
    monkeypatch.setattr(patience, "_PROCESSES", tmp_path)

    def write(*found):
        for number, (state, seconds) in enumerate(found):
            folder = tmp_path / "7" / "task" / str(number)
            folder.mkdir(parents=True, exist_ok=True)
            rest = ["0"] * 40
            rest[10] = str(round(seconds * TICK))
            (folder / "stat").write_text(f"{number} (a) b) {state} {' '.join(rest)}")

    return write


def test_only_time_counts_in_which_a_process_could_work(threads):
    """Waiting for a processor does not; sleeping, being stopped and computing do."""
    one = Patience(7)
    threads(("R", 5.0), ("S", 0.0))
    assert one.look(1.0) == 1.0  # nothing is known of before
    threads(("R", 5.0), ("S", 0.0))
    assert one.look(1.0) == 1.0
    threads(("R", 5.25), ("S", 0.0))
    assert one.look(1.0) == 1.25
    threads(("R", 7.25), ("R", 2.0))
    assert one.look(1.0) == 2.25
    threads(("S", 7.25), ("T", 2.0))
    assert [one.look(1.0) for _ in range(3)] == [3.25, 4.25, 5.25]


def test_a_process_that_wants_a_processor_and_gets_none_starves(threads):
    """For a few seconds, until it gets on again; one that sleeps does not want one."""
    one = Patience(7)
    seen = []
    for state, used in (*[("R", 5.0)] * 4, ("R", 5.01), ("R", 5.5), *[("S", 5.5)] * 4):
        threads((state, used))
        one.look(1.0)
        seen.append(one.starves)
    assert seen == [False, False, False, True, True, *[False] * 5]


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "SCHED_IDLE"), reason="the system has no idle class")
def test_a_prover_beside_a_busy_program_starves():
    """On one real processor, in the class that provers have; `/readyz` says so within ten seconds of looks."""
    busy = "import os, sys; os.sched_setaffinity(0, {int(sys.argv[1])}); exec(sys.argv[2])"
    idle = "import equiproof.service.worker.child as child; child._stand_back(); print(flush=True)"
    core = str(min(os.sched_getaffinity(0)))
    loop = "\nwhile True: pass"
    with ExitStack() as stack:

        def begun(program):
            words = [sys.executable, "-c", busy, core, program + loop]
            process = stack.enter_context(subprocess.Popen(words, stdout=subprocess.PIPE))
            stack.callback(process.kill)
            process.stdout.readline()
            return process

        prover = begun(idle)
        for _ in range(2):
            begun("import os; os.setsid(); print(flush=True)")
        one = Patience(prover.pid)
        looks = 0
        # What a look finds is written with the next beat, and an earlier answer of `/readyz` holds for a while.
        while not one.starves:
            looks += 1
            assert looks * provers.LOOK_SECONDS + heartbeat.BEAT_SECONDS + readiness.LOOK_SECONDS <= 10
            time.sleep(provers.LOOK_SECONDS)
            one.look(provers.LOOK_SECONDS)


def test_without_such_files_all_time_counts(tmp_path, monkeypatch):
    """As on another system, or of a process that has ended."""
    monkeypatch.setattr(patience, "_PROCESSES", tmp_path)
    assert [Patience(7).look(2.0) for _ in range(2)] == [2.0, 2.0]


def test_a_large_key_may_take_longer(tmp_path, monkeypatch):
    """By the forecast of its proof; a folder without a key gives the search its time."""
    assert allowed_seconds(tmp_path / "none", 30.0) == LEAST_SECONDS + FACTOR * 30.0
    for constraints in (1_000, 1_000_000):
        document = made.KEY_DOCUMENT.__class__(**{**_fields(), "constraints": constraints})
        monkeypatch.setattr(made, "KEY_DOCUMENT", document)
        made.key(tmp_path / str(constraints) / "key")
    small, large = (allowed_seconds(tmp_path / str(one), 30.0) for one in (1_000, 1_000_000))
    assert LEAST_SECONDS + FACTOR * 30.0 < small < large - FACTOR * 10


def _fields():
    return {name: getattr(made.KEY_DOCUMENT, name) for name in made.KEY_DOCUMENT.__struct_fields__}


@pytest.mark.parametrize("address", ["sqlite"], indirect=True)
def test_no_certificate_for_a_while_is_said_once(service, rows):
    """Only while some wait, and again that they come; the metric has the seconds."""
    said = []
    alarm = Alarm(service.shared.database, service.shared.settings, service.clock, said.append)
    service.clock.now += 100 * MINUTE
    alarm()
    first, second = (service.post(rows[0]).json()["id"] for _ in range(2))
    service.clock.now += 14 * MINUTE
    alarm()
    assert said == []
    service.clock.now += 2 * MINUTE
    alarm()
    alarm()
    assert [line.partition(":")[0] for line in said] == ["certificates"]
    assert "none for 15 minutes while some wait" in said[0]
    made.end(service, first, State.CERTIFIED)
    alarm()
    assert said[1:] == ["certificates: they come again, or none waits"]
    service.clock.now += 20 * MINUTE
    alarm()
    assert len(said) == 3
    made.end(service, second, State.FAILED, "no key")
    alarm()
    assert len(said) == 4
