"""`.ci/run` adds up what its parts with tests report, and distinguishes a failure from a timeout."""

import os
import subprocess

import pytest

from tests.support import ROOT

TEST = "===== 40 passed, 2 skipped in 12.34s ====="
SLOW = "===== 7 passed in 70.00s (0:01:10) ====="
RESEARCH = "===== 3 passed in 5.00s ====="


def judged(folder, test="", slow="", research="", seconds=60):
    """Run it where make is a stand-in that does `test`, `slow` and `research` for three targets, else nothing."""
    path = folder / "bin"
    path.mkdir()
    make = path / "make"
    make.write_text(
        f'#!/bin/sh\necho "make $*"\ncase $1 in\ntest) {test or ":"} ;;\ntest-slow) {slow or ":"} ;;\n'
        f"research-test) {research or ':'} ;;\nesac\n"
    )
    make.chmod(0o755)
    environment = os.environ | {
        "PATH": f"{path}{os.pathsep}{os.environ['PATH']}",
        "EQUIPROOF_DATA": str(folder),
        "CI_SECONDS": str(seconds),
    }
    done = subprocess.run(
        [ROOT / ".ci" / "run"], env=environment, capture_output=True, text=True, timeout=120, check=False
    )
    return done.returncode, done.stdout.splitlines()


def test_all_parts_are_counted(tmp_path):
    """The last line adds the closing lines of pytest, and the slow part is the part that the others leave out."""
    code, said = judged(tmp_path, f"echo '{TEST}'", f"echo '{SLOW}'", f"echo '{RESEARCH}'")
    assert (code, said[-1]) == (0, "50 passed, 0 failed")
    targets = [line.split()[1] for line in said if line.startswith("make ")]
    assert targets == [
        "lint",
        "audit",
        "demo",
        "demo",
        "fuzz",
        "mutations-sample",
        "test",
        "research-test",
        "test-slow",
    ]


@pytest.mark.parametrize(
    ("test", "slow", "closing"),
    [
        ("echo '== 1 failed, 39 passed in 9.00s =='; exit 2", f"echo '{SLOW}'", "46 passed, 1 failed"),
        (f"echo '{TEST}'", "echo '== 2 failed, 4 passed, 1 error in 9.00s =='; exit 2", "44 passed, 3 failed"),
        ("echo 'FAIL a Go package'; exit 2", f"echo '{SLOW}'", "7 passed, 1 failed"),
    ],
)
def test_a_failure_in_either_part_fails(tmp_path, test, slow, closing):
    """A failing test of either part, or a part that fails without one, ends with 1; both parts are run all the same."""
    code, said = judged(tmp_path, test, slow)
    assert (code, said[-1]) == (1, closing)


def test_a_failure_of_the_research_fails(tmp_path):
    """Its tests are judged as the others are, and the slow tests are run all the same."""
    code, said = judged(
        tmp_path, f"echo '{TEST}'", f"echo '{SLOW}'", "echo '== 1 failed, 2 passed in 5.00s =='; exit 2"
    )
    assert (code, said[-1]) == (1, "49 passed, 1 failed")


RUNNING = "echo '[gw0] [ 20%] PASSED tests/a.py::one'; echo '[gw1] [ 40%] {} tests/b.py::two '; sleep 30"


@pytest.mark.parametrize(
    ("second", "expected"), [("PASSED", (0, "42 passed, 0 failed")), ("FAILED", (1, "41 passed, 1 failed"))]
)
def test_the_end_of_the_time_is_no_failure(tmp_path, second, expected):
    """Slow tests that are stopped count as far as they came: what had failed by then fails, and nothing else."""
    code, said = judged(tmp_path, f"echo '{TEST}'", RUNNING.format(second), seconds=3)
    assert (code, said[-1]) == expected
    assert said[-2] == "The slow tests were stopped before their end: the time is over."


@pytest.mark.slow
def test_an_interrupted_pytest_is_believed(tmp_path):
    """Where pytest closes after the interruption, its line counts and not the lines above it."""
    slow = "trap \"echo '== 1 passed in 2.00s =='; exit 2\" INT; " + RUNNING.format("FAILED") + " & wait"
    code, said = judged(tmp_path, f"echo '{TEST}'", slow, seconds=3)
    assert (code, said[-1]) == (0, "41 passed, 0 failed")


def test_without_time_the_slow_tests_are_left_out(tmp_path):
    """Where `make test` has used up the time, the judgement is its own."""
    code, said = judged(tmp_path, f"sleep 2; echo '{TEST}'", "echo no; exit 2", seconds=1)
    assert (code, said[-2:]) == (0, ["No time is left for the slow tests.", "40 passed, 0 failed"])
