"""Searches on several threads: a small measurement, and the table."""

import os

import pytest

pytest.importorskip("sklearn")
from bench.harness import BenchError
from bench.parts import Options
from research.suites import threads
from research.suites.threads import Question, measured, plan, runtime_of, table


def test_a_small_model_has_the_same_result_on_every_number_of_threads(monkeypatch):
    """The runs of a part are those of 1, 2 and all threads, and found the same."""
    monkeypatch.setattr(threads, "machine", lambda: {"cores": 3})
    part = measured("lending", (6, 3), Question(points=2, rounds=1), None)
    assert part["points"] == 2
    assert part["same"]
    assert set(part["seconds"]) == {"1", "2", "3"}
    assert "| lending-6x3 | 2 |" in table({"parts": {"lending-6x3": part}})


def test_the_table_divides_the_seconds():
    """A line has the seconds of each number of threads and how much faster more than one are."""
    lines = table(
        {
            "parts": {
                "a": {"points": 5, "same": True, "seconds": {"1": 4.0, "2": 2.0}},
                "b": {"points": 5, "same": False, "seconds": {"1": 3.0, "2": 2.0}},
            }
        }
    ).splitlines()
    assert lines[0] == "| model | applicants | 1 threads, s | 2 threads, s | faster on 2 | same result |"
    assert lines[2:] == ["| a | 5 | 4 | 2 | 2.00 | yes |", "| b | 5 | 3 | 2 | 1.50 | no |"]


def test_the_environment_is_as_before(monkeypatch):
    """The number of threads is for processes that begin meanwhile only."""
    monkeypatch.setenv("GOMAXPROCS", "5")
    with runtime_of(2):
        assert os.environ["GOMAXPROCS"] == "2"
    assert os.environ["GOMAXPROCS"] == "5"
    monkeypatch.delenv("GOMAXPROCS")
    with runtime_of(2):
        assert os.environ["GOMAXPROCS"] == "2"
    assert "GOMAXPROCS" not in os.environ


def test_several_processes_are_refused():
    """Searches are timed one by one, and their data sets are those that were asked for."""
    with pytest.raises(BenchError, match="--jobs 1"):
        plan(None, Options(jobs=2))
    assert "german-100x3" in plan(None, Options()).parts
