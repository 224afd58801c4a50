"""The suite `unfair`: its parts, the course of bounds, the check against random applicants, and its table."""

import pytest

from bench.harness import BenchError
from bench.parts import Options
from equiproof.audits.unfair.networks import NetworkOnBoxes
from equiproof.audits.unfair.search import Share
from equiproof.audits.unfair.weights import uniform
from research.suites import unfair
from tests.audits.hyfair.small import SPEC, judge_of, network
from tests.audits.unfair.made import counted

TABLE_V = "protected,model,sat,unsat,unknown\nsex,GC4,2,199,0\nage,GC4,3,198,0\n"


def test_bounds_are_kept_after_four_times_as_many_boxes():
    """And at the end, whatever the number is; seconds are measured where they limit the search."""
    shares = [Share(0, boxes, 0, 1000, boxes, 1) for boxes in (0, 1, 3, 7, 15, 31, 60)]
    found = list(unfair.course(iter(shares), 0))
    assert [step["boxes"] for step in found] == [7, 31, 60]
    assert found[1] == {"boxes": 31, "lower": 0, "upper": pytest.approx(0.969)}
    timed = list(unfair.course(iter(shares), 1e-9))
    assert [step["boxes"] for step in timed] == [0]
    assert timed[0]["seconds"] >= 0


def test_random_applicants_are_counted():
    """Their interval holds the share that enumeration finds."""
    made = network(6)
    judge = judge_of(made)
    model = NetworkOnBoxes([judge], uniform(judge.forward.grid))
    low, high = unfair.share_of(model, judge, unfair.Question(drawn=5000))
    truth = counted(made, SPEC)
    assert 0 < low < truth[0] / sum(truth) < high < low + 0.1


def test_partitions_are_those_of_the_row(tmp_path):
    """By network and feature; a missing table or row is refused."""
    with pytest.raises(BenchError, match="want table V"):
        unfair.partitions(tmp_path, "GC-4", "sex")
    (tmp_path / unfair.TABLE).write_text(TABLE_V)
    assert unfair.partitions(tmp_path, "GC-4", "sex") == {"cases": 2, "none": 199, "open": 0}
    with pytest.raises(BenchError, match="has no row of GC-4 by race"):
        unfair.partitions(tmp_path, "GC-4", "race")


def test_bounds_that_contradict_random_applicants_end_it(monkeypatch, tmp_path):
    """A wrong bound is an error, no result."""
    (tmp_path / unfair.TABLE).write_text(TABLE_V)
    monkeypatch.setattr(unfair, "committed", lambda *_: judge_of(network(6)))
    question = unfair.Question(points=4000, drawn=2000)
    part = unfair.measured(tmp_path, "GC-4", "sex", question)
    assert part["hidden"] == [4, 3]
    assert part["steps"][-1]["lower"] > 0
    wrong = Share(0, 1, 0, 1, 1, 0)
    monkeypatch.setattr(unfair, "narrowing", lambda *_: iter([wrong]))
    with pytest.raises(BenchError, match=r"GC-4: bounds of 0\.0 to 0\.0 contradict"):
        unfair.measured(tmp_path, "GC-4", "sex", question)


def test_the_table_says_when_the_target_is_met():
    """A width of less than a point, in boxes, and in seconds where they were measured."""
    steps = [{"boxes": 7, "lower": 0.0, "upper": 0.5}, {"boxes": 31, "lower": 0.1, "upper": 0.105, "seconds": 2.25}]
    part = {
        "hidden": [6, 4],
        "applicants": 10**14,
        "fairify": {"cases": 2, "none": 199, "open": 0},
        "drawn": [0.1, 0.11],
        "steps": steps,
    }
    row = unfair.table({"parts": {"GC-4-sex": part}}).splitlines()[2]
    assert row == (
        "| GC-4 by sex | 6, 4 | 1.0e+14 | 2, 199 | 10.000 % to 10.500 % | 0.5 | 31 | 31 boxes, 2.2 s "
        "| 10.000 % to 11.000 % |"
    )
    far = unfair.table({"parts": {"GC-4-sex": part | {"steps": steps[:1]}}}).splitlines()[2]
    assert "| 50 | 7 |  |" in far


def test_several_processes_are_refused(tmp_path):
    """Boxes are timed one by one, and networks must be there."""
    with pytest.raises(BenchError, match="want --jobs 1"):
        unfair.plan(tmp_path, Options(jobs=2))
    with pytest.raises(BenchError, match="want the networks of Fairify"):
        unfair.plan(tmp_path, Options())
