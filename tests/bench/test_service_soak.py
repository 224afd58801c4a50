"""The soak of the service: what it looks at, and the arithmetic of its tables."""

import os
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

pytest.importorskip("fastapi", reason="the extra `service` is not installed")

from bench import service_soak, service_tables
from bench.harness import BenchError
from bench.parts import Options

FOUND = {
    "question": {"points": 1, "seconds": 120.0},
    "parts": {
        "steady": {
            "decisions": 120,
            "per_s": 1.0,
            "again": 3,
            "certified": 110,
            "memory_mb": {"web": [90.0, 95.0, 95.0, 96.0], "worker": [80.0] * 4, "worker: below it": [200.0] * 4},
            "decide_ms": {"p50": 5.04, "p95": 8.0, "p99": 11.16, "max": 20.0},
            "certified_s": {"p50": 1.0, "p95": 1.5, "p99": 1.9, "max": 2.0},
            "proof_s": 0.864,
            "database_bytes": 10_000,
            "log_bytes": 200,
        }
    },
}


def test_the_tables_say_what_was_found():
    """The two halves of the memory, and the times with their units."""
    assert "| web | 95 | 96 |" in service_tables.memory(FOUND)
    assert "| web | 95 | 96 | +166.67 |" in service_tables.growing(FOUND)
    said = service_tables.times(FOUND)
    assert "| one request for a decision, ms: median, p99 | 5.0, 11.2 |" in said
    assert "| database, bytes a decision | 10,000 |" in said


def test_growth_leaves_the_start_out():
    """Of 20 looks the first five are left out; then one MB a look, of 500 decisions each, is 20 MB for 10,000."""
    held = [7.0, 30.0, 12.0, 50.0, 0.0, *(100.0 + look for look in range(15))]
    part = {"decisions": 10_000, "memory_mb": {"web": held, "log": [50.0] * 20}}
    assert service_tables.growth(part, "web") == pytest.approx(20.0)
    assert service_tables.growth(part, "log") == 0


def test_a_busy_soak_says_what_it_came_to():
    """The rate that was reached, what was asked for again, and the certificates."""
    rows = service_tables.busy(FOUND).splitlines()[2:]
    assert rows == [
        "| decisions, in all | 120 in 120 s |",
        "| decisions asked for, and made, a second | 1, 1.0 |",
        "| decisions that were asked for more than once | 3 |",
        "| decisions in the database, and in the log | 120, 120 |",
        "| certificates meanwhile | 110 |",
        "| one request for a decision, ms: median, p99 | 5.0, 11.2 |",
    ]


def test_a_soak_that_lost_or_doubled_a_decision_is_none():
    """Acknowledged decisions are those of the database, and their receipts those of the log, each once."""
    rows = {one: SimpleNamespace(state="certified", receipt=f"receipt of {one}") for one in ("a", "b")}
    logged = ["receipt of b", "receipt of a"]
    service_soak.judge(["a", "b"], rows, logged)
    for made in (["a"], ["a", "a"], ["a", "b", "b"], ["a", "b", "c"]):
        with pytest.raises(BenchError, match="were acknowledged"):
            service_soak.judge(made, rows, logged)
    for entries in (logged[:1], [*logged, logged[0]], ["receipt of a", "another"]):
        with pytest.raises(BenchError, match="receipts are not those"):
            service_soak.judge(["a", "b"], rows, entries)
    rows["b"].state = "failed"
    with pytest.raises(BenchError, match="ended as failed"):
        service_soak.judge(["a", "b"], rows, logged)


def test_sizing_is_arithmetic():
    """Provers that are busy half of the day at most; what each holds is added for each; a year has 365 days."""
    rows = service_tables.sizing(FOUND).splitlines()[2:]
    assert rows == [
        "| 1,000 | 1 | 0.4 | 3.6 | 0.1 |",
        "| 10,000 | 1 | 0.4 | 36.5 | 0.7 |",
        "| 100,000 | 2 | 0.6 | 365.0 | 7.3 |",
    ]


def test_percentiles_are_of_the_values():
    """The largest is the last one, and of one value all are that value."""
    found = service_soak._percentiles([float(value) for value in range(100, 0, -1)], 1)
    assert found == {"p50": 51.0, "p95": 96.0, "p99": 100.0, "max": 100.0}
    assert set(service_soak._percentiles([2.0], 1).values()) == {2.0}


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="looks at processes in /proc")
def test_memory_is_that_of_a_process_and_of_what_it_started():
    """A child's memory stands beside its parent's."""
    code = "import subprocess, sys; subprocess.run([sys.executable, '-c', 'print(1, flush=True); input()'])"
    with subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout.readline() == b"1\n"
        one = SimpleNamespace(process=process, program=SimpleNamespace(name="worker"))
        found = service_soak.memory(SimpleNamespace(running=[one]))
        process.communicate(b"\n", timeout=30)
    assert set(found) == {"worker", "worker: below it"}
    assert all(1 < megabytes < 1000 for megabytes in found.values())


def test_a_soak_needs_the_writer_of_logs(monkeypatch, tmp_path):
    """Without it one line names the command; several processes are refused."""
    monkeypatch.setattr(service_soak, "PROGRAM", tmp_path / "none")
    with pytest.raises(BenchError, match="make log"):
        service_soak.plan(None, Options())
    with pytest.raises(BenchError, match="--jobs 1"):
        service_soak.plan(None, Options(jobs=2))


def test_the_owners_secret_is_put_back(monkeypatch, tmp_path):
    """The variable is what it was before."""
    monkeypatch.delenv("EQUIPROOF_OWNER_SECRET", raising=False)
    with service_soak._owner(tmp_path):
        assert os.environ["EQUIPROOF_OWNER_SECRET"].startswith(str(tmp_path))
    assert "EQUIPROOF_OWNER_SECRET" not in os.environ
