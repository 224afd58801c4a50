"""Of a test's many cases, the mark `sampled` leaves a few to every run, others on another day, and all to releases."""

import json
import os
import re
import subprocess
import sys
from types import SimpleNamespace

import pytest

from tests import sampling
from tests.support import ROOT

# Other plugins have no say in samples, and cost seconds to load.
BARE = os.environ | {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}

CASES = """
import pytest

@pytest.mark.sampled({size})
@pytest.mark.parametrize("case", range(12))
def test_many(case):
    assert case != {broken}

def test_one():
    pass
"""


def run(folder, *words, day="2026-03-01", size="3", broken="None", cases=CASES):
    """Return the exit status, the cases that passed, and the lines that a run says."""
    (folder / "test_it.py").write_text(cases.format(size=size, broken=broken))
    environment = BARE | {sampling.VARIABLE: day, "PYTHONPATH": str(ROOT)}
    marks = ["-o", "markers=release\nsampled(N)", "--strict-markers", "-p", "tests.sampling", "-p", "no:cacheprovider"]
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-v", *marks, "--rootdir", ".", *words],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    return (
        done.returncode,
        re.findall(r"test_it\.py::(\S+) PASSED", done.stdout),
        (done.stdout + done.stderr).splitlines(),
    )


def test_a_run_has_the_sample_and_a_release_has_all(tmp_path):
    """`-m "not release"` runs three of twelve cases; without it all twelve run, and a test without the mark always."""
    _, few, said = run(tmp_path, "-m", "not release")
    _, again, _ = run(tmp_path, "-m", "not release")
    _, every, _ = run(tmp_path)
    assert len(few) == 3 + 1
    assert few == again
    assert len(every) == 12 + 1
    assert "samples: EQUIPROOF_SAMPLE=2026-03-01" in said


def test_workers_agree_on_the_sample(tmp_path):
    """Where several processes collect, the sample is the same in each."""
    code, _, said = run(tmp_path, "-m", "not release", "-n", "2", "-p", "xdist.plugin")
    assert (code, "4 passed" in said[-1]) == (0, True)


def test_a_failure_says_how_to_draw_the_sample_again(tmp_path):
    """The line stands below the failure; a run without one has no such line."""
    line = f"The samples of this run are those of {sampling.VARIABLE}=2026-03-02"
    code, _, said = run(tmp_path, day="2026-03-02", broken="5")
    assert (code, line in said) == (1, True)
    assert line not in run(tmp_path, day="2026-03-02")[2]


SIZES = [pytest.mark.sampled(), pytest.mark.sampled(0), pytest.mark.sampled("all"), pytest.mark.sampled(3, 4)]


@pytest.mark.parametrize(
    "mark",
    [*SIZES, pytest.mark.sampled(size=3), pytest.mark.sampled(3, every="kind")],
    ids=lambda m: f"{m.args} {m.kwargs}",
)
def test_a_sample_without_a_size_is_refused(mark):
    """A mark without a number from 1 on would leave out all cases, or none; one argument has a name."""
    with pytest.raises(pytest.UsageError, match=r"Write sampled\(N\), N a number from 1 on: test_it.py::test_many has"):
        sampling.size_of("test_it.py::test_many", mark.mark)
    assert sampling.size_of("test_it.py::test_many", pytest.mark.sampled(3, each="kind").mark) == 3


def test_a_run_with_such_a_sample_ends_before_it_begins(tmp_path):
    """Nothing passes, and the refusal names the test."""
    code, passed, said = run(tmp_path, size="0")
    assert (code, passed) == (pytest.ExitCode.USAGE_ERROR, [])
    assert any("Write sampled(N), N a number from 1 on: test_it.py::test_many" in line for line in said)


def test_days_bring_other_cases_until_all_have_run():
    """The drawn numbers are as many as asked for, and within some weeks of days every case had its turn."""
    days = [sampling.drawn("test_it.py::test_many", 12, 3, f"2026-03-{day:02}") for day in range(1, 29)]
    assert {len(numbers) for numbers in days} == {3}
    assert set().union(*days) == set(range(12))
    assert sampling.drawn("test_it.py::test_many", 2, 3, "2026-03-01") == {0, 1}


def test_every_kind_has_a_case_on_every_day():
    """Cases of two arguments: each value of both is drawn daily, as many cases as asked for, and all pairs in time."""
    pairs = [(f"kind {kind}", f"method {method}") for kind in range(4) for method in range(3)]
    drawn = [sampling.drawn_of_each("test_it.py::test_many", pairs, 6, f"day {day}") for day in range(60)]
    for numbers in drawn:
        assert {value for number in numbers for value in pairs[number]} == {value for pair in pairs for value in pair}
        assert len(numbers) >= 6
    assert set().union(*drawn) == set(range(len(pairs)))


PAIRS = """
@pytest.mark.sampled(1, each="kind method")
@pytest.mark.parametrize("method", [0.5, 1.5, 2.5])
@pytest.mark.parametrize("kind", "abcde")
def test_pairs(kind, method):
    pass
"""


def test_the_mark_names_the_arguments_that_tell_kinds_apart(tmp_path):
    """Of fifteen pairs at least five run, with each kind and each method, and never all."""
    _, passed, _ = run(tmp_path, "-m", "not release", cases=CASES + PAIRS)
    pairs = [one.partition("[")[2].strip("]").split("-") for one in passed if one.startswith("test_pairs")]
    assert 5 <= len(pairs) < 15
    assert {kind for kind, _ in pairs} == set("abcde")
    assert {method for _, method in pairs} == {"0.5", "1.5", "2.5"}


def test_the_day_is_that_of_the_last_commit(tmp_path, monkeypatch):
    """In UTC, whatever the day of the run; a folder without commits has a fixed one, and the variable goes first."""
    monkeypatch.delenv(sampling.VARIABLE, raising=False)
    assert sampling.day(tmp_path) == sampling.FIRST_DAY
    subprocess.run(["git", "init", "-q", tmp_path], check=True)
    assert sampling.day(tmp_path) == sampling.FIRST_DAY
    stamp = "2026-05-06T23:30:00-02:00"
    monkeypatch.setenv("GIT_COMMITTER_DATE", stamp)
    names = ["-c", "user.name=one", "-c", "user.email=one@example.org"]
    subprocess.run(["git", *names, "commit", "-q", "--allow-empty", "-m", "one"], cwd=tmp_path, check=True)
    assert sampling.day(tmp_path) == "2026-05-07"
    monkeypatch.setenv(sampling.VARIABLE, "2026-01-09")
    assert sampling.day(tmp_path) == "2026-01-09"


def item(name, *fixtures):
    """Return a test as pytest collects it, which keeps its marks in a list."""
    marks = []
    return SimpleNamespace(nodeid=name, fixturenames=fixtures, marks=marks, add_marker=marks.append)


def test_tests_of_a_costly_set_up_have_one_turn(tmp_path, monkeypatch):
    """All that ask for it run on the same day, and on most days none; a set-up of many files gives nobody turns."""
    table = tmp_path / "durations.json"
    made = {"test_it.py::trip": [2, 3.0], "test_it.py::small": [9, 3.0], "tests::world": [1, 9.0]}
    table.write_text(json.dumps({"test_it.py": {"tests": {"test_long": [2, 1.0]}, "set-ups": made}}))
    monkeypatch.setattr(sampling, "DATA", table)
    costly = sampling.costly([])
    assert costly == {("test_it.py", "test_it.py::trip"), ("test_it.py", "test_long")}

    def run(day):
        asked = [("a", ("world", "trip")), ("b", ("trip",)), ("long[1]", ("trip",)), ("c", ("world", "small"))]
        items = [item(f"test_it.py::test_{name}", *fixtures) for name, fixtures in asked]
        items.append(item("test_other.py::test_a", "trip"))
        sampling.without_turn(items, costly, 4, day)
        return [one.nodeid.rpartition("_")[2] for one in items if not one.marks]

    days = [run(f"2026-03-{day:02}") for day in range(1, 29)]
    assert {tuple(day) for day in days} == {("a", "b", "long[1]", "c", "a"), ("c", "a")}
    assert 3 <= sum(len(day) > 2 for day in days) <= 14


def test_costly_tests_have_turns(tmp_path, monkeypatch):
    """Some cases of a costly test run on a day, all of them in some weeks; the others are slow, and other tests run."""
    table = tmp_path / "durations.json"
    entry = {"test_many": [12, 9.0], "others": [1, 0.1]}
    file = {"tests": entry, "set-ups": {"others": [9, 9.0]}}
    table.write_text(json.dumps({"test_it.py": file, "test_other.py": file}))
    monkeypatch.setattr(sampling, "DATA", table)
    assert sampling.costly(["test_other.py"]) == {("test_it.py", "test_many")}

    def without(day):
        items = [item(f"test_it.py::test_many[{case}]") for case in range(12)] + [item("test_it.py::test_one")]
        sampling.without_turn(items, sampling.costly([]), 4, day)
        assert {mark for item in items for mark in item.marks} == {"slow"}
        return {item.nodeid for item in items if not item.marks}

    days = [without(f"2026-03-{day:02}") for day in range(1, 29)]
    assert set().union(*days) == {"test_it.py::test_one", *(f"test_it.py::test_many[{case}]" for case in range(12))}
    assert all("test_it.py::test_one" in day for day in days)
    assert 2 <= sum(len(day) - 1 for day in days) / len(days) <= 4


def test_turns_are_those_of_go():
    """go-gnark/internal/turns/turns_test.go has the same."""
    days = {"a.py::test_it[1]": 2, "relation/a_test.go::TestIt/two": 4}
    assert {name: sampling.turn(name, 12, "2026-03-01") for name in days} == days


def test_a_run_has_turns_where_it_asks_for_them():
    """Of a file of this checkout: costly tests that have no turn are slow, unless the file is named as changed."""
    file = min(file for file, _ in sampling.costly([]) if file.startswith("tests/"))

    def collected(*words):
        asked = [sys.executable, "-m", "pytest", "--collect-only", "-q", "-p", "no:cacheprovider", "-m", "slow"]
        done = subprocess.run([*asked, *words, file], cwd=ROOT, env=BARE, capture_output=True, text=True, check=False)
        return {line for line in done.stdout.splitlines() if "::" in line}

    assert collected("--turns", "10000") > collected()
    assert collected("--turns", "10000", "--whole", file) == collected()


def test_blocks_are_all_of_a_range():
    """Each number is in one block, and blocks differ by one number at most."""
    blocks = sampling.blocks(23, 4)
    assert [number for block in blocks for number in block] == list(range(23))
    assert {len(block) for block in blocks} == {5, 6}
