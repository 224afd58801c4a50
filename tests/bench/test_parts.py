"""Suites in parts: what is measured, what stays, and what is refused."""

import dataclasses
import json
from dataclasses import dataclass

import pytest

from bench import __main__ as command
from bench import headlines, kept, pages, parts
from bench.harness import BenchError, nothing
from bench.parts import BaseQuestion, Options, Plan, measure, side_by_side
from bench.suites import PRODUCT, SUITES

PARTED = [name for name, suite in SUITES.items() if suite.plan]


@dataclass(frozen=True)
class Seeded(BaseQuestion):
    """A question with a list of seeds."""

    seconds: float = 1.0
    seeds: tuple[int, ...] = (0, 1)


class Run:
    """A plan of two parts whose measurements are counted, and what is kept of it."""

    def __init__(self):
        self.calls, self.kept = [], []
        self.plan = Plan({"points": 3, "sizes": (1, 2)}, {name: self.part(name) for name in ("one", "two")})

    def part(self, name):
        def call():
            self.calls.append(name)
            return {"times": len(self.calls)}

        return call

    def measure(self, options=None, kept=None, progress=nothing):
        def keep(results):
            self.kept.append(json.loads(json.dumps(results)))

        return measure("some", self.plan, options or Options(), kept, keep, progress)


def test_every_part_is_kept_as_it_ends():
    """Finished parts survive an interruption: all of them are kept after each part, and progress is reported."""
    run, reported = Run(), []
    found = run.measure(progress=lambda done, total: reported.append((done, total)))
    assert [list(kept["parts"]) for kept in run.kept] == [["one"], ["one", "two"]]
    assert json.loads(json.dumps(found)) == run.kept[-1]
    assert found["question"] == {"points": 3, "sizes": [1, 2]}
    assert found["machine"]["gnark"]
    assert reported == [(1, 2), (2, 2)]


def test_kept_parts_stay_where_that_is_asked_for():
    """A run measures all parts anew; with `resume` those that are missing; with names those, beside the kept ones."""
    run = Run()
    first = run.measure(Options(parts=("two",)))
    assert run.measure(Options(resume=True), first)["parts"] == {"one": {"times": 2}, "two": {"times": 1}}
    assert run.measure(Options(parts=("one",)), first)["parts"] == {"one": {"times": 3}, "two": {"times": 1}}
    assert run.measure(None, first)["parts"] == {"one": {"times": 4}, "two": {"times": 5}}
    assert list(run.kept[-1]["parts"]) == ["one", "two"]
    assert run.calls == ["two", "one", "one", "one", "two"]


def test_parts_measured_otherwise_do_not_mix():
    """Parts of another question or machine stay apart from new ones: that is refused before anything is measured."""
    run = Run()
    first = run.measure()
    for other in ({**first, "question": {"points": 4}}, {**first, "machine": {"cores": 64}}):
        for options in (Options(resume=True), Options(parts=("one",))):
            with pytest.raises(BenchError, match="some: the kept parts have another"):
                run.measure(options, other)
    assert run.calls == ["one", "two"]


def test_no_part_begins_after_the_time(monkeypatch):
    """A limit of minutes ends a run between two parts; `resume` goes on later."""
    run, clock = Run(), iter([0.0, 0.0, 61.0])
    monkeypatch.setattr(parts.time, "monotonic", lambda: next(clock))
    found = run.measure(Options(minutes=1))
    assert run.calls == ["one"]
    monkeypatch.undo()
    assert list(run.measure(Options(minutes=1, resume=True), found)["parts"]) == ["one", "two"]


def test_an_unknown_part_is_named():
    """An unknown part is reported, with the names of the parts."""
    with pytest.raises(BenchError, match="some has no part three; its parts are one, two"):
        Run().measure(Options(parts=("one", "three")))


def test_options_change_a_question():
    """What was given replaces what a suite asks by itself; nothing is refused but numbers that ask for nothing."""
    asked = BaseQuestion(points=100, seconds=20.0)
    assert Options().of(asked) == asked
    assert Options(points=3, jobs=1).of(asked) == dataclasses.replace(asked, points=3, jobs=1)
    for options, name in ((Options(points=0), "points 0"), (Options(seconds=-1.0), "seconds -1.0")):
        with pytest.raises(BenchError, match=f"--{name}: want more than 0"):
            options.of(asked)


def test_seeds_are_for_questions_that_have_a_list():
    """They replace the list; a repeated one, and seeds of a suite without any, are refused."""
    asked = Seeded(points=1)
    assert Options(seeds=(4, 5)).of(asked).seeds == (4, 5)
    assert Options().of(asked) == asked
    with pytest.raises(BenchError, match="--seeds 4,4: want each once"):
        Options(seeds=(4, 4)).of(asked)
    with pytest.raises(BenchError, match="no list of seeds"):
        Options(seeds=(1,)).of(BaseQuestion(points=1, seconds=1.0))


def test_seeds_are_whole_numbers(capsys):
    """Anything else is one line, before anything is measured."""
    assert command.main(["plonk", "--seeds", "0,x"]) == 2
    assert "want whole numbers" in capsys.readouterr().err


def test_tasks_run_side_by_side_in_order():
    """Every task is done once, by processes of their own, and results stand in the order of the tasks."""
    assert side_by_side(abs, [-3, 2, -1], 2) == [3, 2, 1]
    assert side_by_side(abs, [], 2) == []


@pytest.mark.parametrize("name", PARTED)
def test_the_command_measures_parts(name, tmp_path, monkeypatch, capsys):
    """`python -m bench SUITE` keeps a suite's parts, with its options; a suite without parts refuses them."""
    run, given = Run(), []
    monkeypatch.setattr(pages, "write", lambda _: None)
    suite = dataclasses.replace(SUITES[name], plan=lambda data, options: given.append((data, options)) or run.plan)
    collection = dataclasses.replace(PRODUCT, suites={**SUITES, name: suite}, results=tmp_path)
    monkeypatch.setattr(command, "PRODUCT", collection)
    words = ["--points", "2", "--seconds", "0.5", "--jobs", "1", "--parts", "two", "--minutes", "3", "--resume"]
    assert command.main([name, "--data-dir", str(tmp_path), *words]) == 0
    assert given == [(tmp_path, Options(2, 0.5, 1, ("two",), resume=True, minutes=3.0))]
    assert kept.load(name, tmp_path)["parts"] == {"two": {"times": 1}}
    assert command.main(["verify", "--points", "2"]) == 2
    assert "bench: verify is measured as a whole, without options\n" in capsys.readouterr().err


def test_a_suite_without_results_says_how_to_measure():
    """The pages have every block of a suite that was never measured, and so do headlines that need it."""
    results = {**kept.load_all(SUITES), "branch": None}
    found = pages.blocks(PRODUCT, results)[PRODUCT.pages / "branch.md"]
    assert set(found) == {"branch-reach", "branch-costs", "branch-machine"}
    assert set(found.values()) == {"No results are kept: `python -m bench branch` measures."}
    shown = headlines.blocks(PRODUCT.headlines(results))
    assert shown["headline-certificates"] == "No results are kept: `python -m bench paper branch` measures."
    assert shown["headline-verification"].startswith("| checker |")
