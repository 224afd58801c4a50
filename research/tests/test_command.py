"""`python -m research` measures as `python -m bench` does, into its own folders."""

import dataclasses

import pytest

from bench import kept, pages
from bench.parts import Options, Plan
from research import __main__ as command
from research.catalogue import RESEARCH, SUITES

PARTED = [name for name, suite in SUITES.items() if suite.plan]


@pytest.mark.parametrize("name", PARTED)
def test_the_command_measures_parts(name, tmp_path, monkeypatch):
    """A suite's parts are kept in the collection's folder, measured with the options of the command line."""
    plan, given = Plan({"points": 3}, {"one": dict, "two": lambda: {"times": 1}}), []
    monkeypatch.setattr(pages, "write", lambda _: None)
    suite = dataclasses.replace(SUITES[name], plan=lambda data, options: given.append((data, options)) or plan)
    collection = dataclasses.replace(RESEARCH, suites={**SUITES, name: suite}, results=tmp_path)
    monkeypatch.setattr(command, "RESEARCH", collection)
    words = ["--points", "2", "--seconds", "0.5", "--jobs", "1", "--parts", "two", "--minutes", "3", "--resume"]
    assert command.main([name, "--data-dir", str(tmp_path), *words]) == 0
    assert given == [(tmp_path, Options(2, 0.5, 1, ("two",), resume=True, minutes=3.0))]
    assert kept.load(name, tmp_path)["parts"] == {"two": {"times": 1}}


def test_seeds_of_a_suite_are_at_least_two(capsys):
    """Anything else is one line, before anything is measured."""
    assert command.main(["pba-seeds", "--seeds", "7"]) == 2
    assert capsys.readouterr().err.splitlines()[-1].startswith("research: --seeds")


def test_a_suite_must_be_named(capsys):
    """Without a name nothing is measured: all suites together take days."""
    for words in ([], ["paper"]):
        with pytest.raises(SystemExit):
            command.main(words)
    assert "unknown suite paper" in capsys.readouterr().err
