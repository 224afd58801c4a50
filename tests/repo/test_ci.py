"""`.ci/run` adds up what its parts with tests report, says what each step took, and passes over nothing."""

import os
import re
import subprocess

import pytest

from tests.support import ROOT

PYTHON = "===== 40 passed, 2 skipped in 712.34s (0:11:52) ====="
TARGETS = ["build", "lint", "audit", "docs", "demo", "demo", "fuzz", "mutations-sample"]
TARGETS += ["test-go", "test-python"]
STEPS = [
    "installation",
    "lint",
    "audit",
    "documentation",
    "demo, lending",
    "demo, german",
    "fuzz",
    "mutants",
    "tests of Go",
    "tests of Python",
]


def judged(folder, seconds=60, **targets):
    """Run it where make is a stand-in that runs the commands given for some targets, and nothing for the others."""
    path = folder / "bin"
    path.mkdir()
    make = path / "make"
    cases = "".join(f"{target.replace('_', '-')}) {commands} ;;\n" for target, commands in targets.items())
    make.write_text(f'#!/bin/sh\necho "make $*"\ncase $1 in\n{cases}esac\n')
    make.chmod(0o755)
    environment = os.environ | {
        "PATH": f"{path}{os.pathsep}{os.environ['PATH']}",
        "EQUIPROOF_DATA": str(folder),
        "CI_SECONDS": str(seconds),
    }
    done = subprocess.run(
        [ROOT / ".ci" / "run"], env=environment, capture_output=True, text=True, timeout=120, check=False
    )
    said = done.stdout.splitlines()
    return done.returncode, said, [line.split()[1] for line in said if line.startswith("make ")]


def steps(said):
    """Return the steps that the output gives seconds for."""
    return [match[1] for line in said if (match := re.fullmatch(r" *\d+ seconds: (.+)", line))]


def test_all_tests_are_run_and_counted(tmp_path):
    """One line a step closes the output, and the last line counts the tests."""
    code, said, targets = judged(tmp_path, test_python=f"echo '{PYTHON}'")
    assert (code, said[-1], targets) == (0, "40 passed, 0 failed", TARGETS)
    assert steps(said[-1 - len(STEPS) : -1]) == STEPS


@pytest.mark.parametrize(
    ("targets", "closing"),
    [
        ({"test_python": "echo '== 1 failed, 39 passed in 9.00s =='; exit 2"}, "39 passed, 1 failed"),
        ({"test_python": "echo '== 2 failed, 4 passed, 1 error in 9.00s =='; exit 2"}, "4 passed, 3 failed"),
        ({"test_go": "echo 'a set-up that failed'; exit 2"}, "0 passed, 1 failed"),
        ({"test_go": "exit 2", "test_python": f"echo '{PYTHON}'"}, "40 passed, 1 failed"),
    ],
)
def test_a_failing_test_fails(tmp_path, targets, closing):
    """A failing test of either language, or a part that fails without one, ends with 1; all tests are run anyway."""
    code, said, called = judged(tmp_path, **targets)
    assert (code, said[-1], called) == (1, closing, TARGETS)


@pytest.mark.parametrize("target", ["build", "lint", "demo", "fuzz", "mutations_sample"])
def test_another_step_that_fails_ends_it(tmp_path, target):
    """What comes before the tests fails at once, with the seconds of the steps so far and no count of tests."""
    code, said, targets = judged(tmp_path, **{target: "exit 3"})
    last = target.replace("_", "-")
    assert (code, targets) == (3, TARGETS[: TARGETS.index(last) + 1])
    assert steps(said[-len(targets) :]) == STEPS[: len(targets)]


def test_tests_that_do_not_end_fail(tmp_path):
    """At the end of all the time they are ended, which counts as a failing test: nothing is passed over."""
    code, said, _ = judged(tmp_path, test_python="echo a test that hangs; sleep 30", seconds=2)
    line = "Ended 2 seconds after the start, before its tests were over, which is a failure: make test-python"
    assert (code, said[-1], line in said) == (1, "0 passed, 1 failed", True)


def test_time_that_is_over_before_the_tests_fails(tmp_path):
    """They are begun and ended: a slow machine does not turn them into tests that passed."""
    code, said, targets = judged(tmp_path, lint="sleep 2", test_python=f"sleep 5; echo '{PYTHON}'", seconds=1)
    assert (code, targets) == (1, TARGETS)
    assert re.fullmatch(r"0 passed, [12] failed", said[-1])
