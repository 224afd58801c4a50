"""Certificates of kept models of tests/vectors/linked.json: each has the verdict that the file has, with its words."""

import json

import pytest

from tests.linked_cases import judged
from tests.vectors.generate.linked import FILE, cases, written
from tests.vectors.vector import FOLDER

WRITTEN = {case["name"]: case for case in json.loads((FOLDER / FILE).read_bytes())["cases"]}
PAIRED = {None, "pairings-differ", "link-fails", "commitment-not-opened"}
"""The reasons of verdicts that take a pairing, seconds in plain Python."""
QUICK = {"honest-published", "link-with-another-point", "first-commitment-of-another-model"}
"""Of those, what plain Python judges in every run."""


def test_every_case():
    """Each has the verdict, the reason and the words that are written; every verdict has many."""
    for name, case in cases().items():
        wanted, found = WRITTEN[name], judged(case)
        for part, said in (found.get("value") or found).items():
            assert wanted[part] == said, (name, part)
        assert ("value" in found) == (wanted["verdict"] == "accept") == (case.reason is None), name
    assert list(cases()) == list(WRITTEN)
    verdicts = [case["verdict"] for case in WRITTEN.values()]
    assert min(map(verdicts.count, ("accept", "reject", "malformed"))) > 15


def others():
    """Parametrise a test by the cases, those that take a pairing but a few as slow ones."""
    slow = (pytest.mark.slow, pytest.mark.sampled(5))
    return pytest.mark.parametrize(
        "name",
        [pytest.param(name, marks=slow if one.get("reason") in PAIRED and name not in QUICK else ())
         for name, one in WRITTEN.items()],
    )  # fmt: skip


@others()
def test_plain_python_agrees(name):
    """The check in plain Python comes to the same verdict for the same reason, with the same words of what was made."""
    wanted, found = WRITTEN[name], judged(cases()[name], "python")
    assert (found.get("exception"), found.get("reason")) == (wanted.get("exception"), wanted.get("reason"))
    for part, said in found.get("value", {}).items():
        assert wanted[part] == said


@pytest.mark.slow
def test_the_generator_makes_the_cases():
    """What the generator writes is what stands there, to the byte."""
    assert written() == (FOLDER / FILE).read_bytes()
