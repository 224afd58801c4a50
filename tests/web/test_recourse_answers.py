"""What page and element say of recourse: sentences and bars of every kind of feature, as in Python's letter."""

import json

import pytest

from equiproof.circuits.canonical import canonical_bytes
from equiproof.circuits.tables import LANGUAGES
from equiproof.verifier.recourse import Told, in_words
from equiproof.verifier.wishes import WISHES, parse_wishes
from tests.browser.boxes import ENDS, SPEC
from tests.support import changed, spec_of
from tests.vectors.generate.words import BORN, MET, MOVED, REGION
from tests.web.box_files import opened_box
from tests.web.test_agreement import written

OWN = {
    "income": 2000, "debt": 4900, "rate": "0.0712", "opened": 8500, "education": "none", "purpose": "renovation",
    "age": 40, "guarantor": "none",
}  # fmt: skip
WAYS = (
    {"income": ("2410.5", 12000)},
    {"debt": (0, 1500), "rate": ("0.01", "0.07")},
    {"opened": (5187, 8400), "purpose": ("car", "education")},
    {"income": (9000, 9000), "education": ("bachelor", "bachelor"), "purpose": ("car",)},
    {"opened": (8600, 8600)},
)
WANTED = {
    "purpose": {"values": ["car", "education"]}, "income": {"to": "2400.5"}, "debt": {"from": "1500", "to": "4900"},
    "rate": {"by": "0.01"}, "opened": {"to": "8600"}, "guarantor": {"fixed": True},
}  # fmt: skip
"""Not in the order of the spec."""

MANY = spec_of(MOVED, MET, REGION, BORN, name="many values", labels=("refused", "granted"))
"""A sensitive feature of more values than are written out, beside one of few; ranges with negative ends and of days."""


def said(package, spec, own, ways, language, wishes=None, refused=0):
    """Return what both programs say, Python first."""
    file = json.dumps({"format": WISHES[0], "version": WISHES[1], "wishes": wishes or {}})
    wanted = spec.labels[1 - refused]
    boxes = [{**{name: () if value is None else (value, value) for name, value in own.items()}, **way} for way in ways]
    changes = [(list(way), box) for way, box in zip(ways, boxes, strict=True)]
    found = Told("way" if ways else "none", own, wanted, changes, parse_wishes(file.encode(), "wishes").wishes)
    python = in_words(spec, found, language)
    given = [[canonical_bytes(opened_box(box)).decode(), list(way)] for way, box in zip(ways, boxes, strict=True)]
    typescript = package.call("recourse_answer", written(spec), own, given, refused, file, language)
    return {name: python[name] for name in ("title", "ways", "sentences")}, typescript


@pytest.mark.parametrize("language", LANGUAGES)
def test_ways_and_their_bars(package, language):
    """At least, at most, one value, a category, an order and days; on the listed range, or without one."""
    assert set(OWN) <= set(ENDS)
    python, typescript = said(package, SPEC, OWN, WAYS, language)
    assert typescript == python
    kinds = [bar["kind"] for way in python["ways"] for bar in way["bars"]]
    assert {kinds.count(kind) > 1 for kind in ("number", "category")} == {True}


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("wishes", [{}, WANTED])
def test_that_nothing_helps(package, language, wishes):
    """With wishes of every kind and without; the label is the other one, whichever was the refusal's."""
    for refused in (0, 1):
        python, typescript = said(package, SPEC, OWN, (), language, wishes, refused)
        assert typescript == python
        assert len(python["sentences"]) == 2 + bool(wishes)


def test_ends_beyond_a_range_and_many_values(package):
    """A way outside of what the lender lists widens the line; of many sensitive values the name alone is said."""
    own = {"change": "-3.25", "first_met": 100}
    for way in ({"change": ("-20", "-12.5")}, {"change": ("7", "8.5"), "first_met": (200, 6000)}):
        python, typescript = said(package, MANY, own, (way,), "en")
        assert typescript == python
    assert "zone" not in str(python)


def test_a_bar_whose_values_lie_together(package):
    """Without a range the line reaches a little beyond both."""
    free = changed(
        SPEC, features=tuple(changed(one, range=None) if one.name == "income" else one for one in SPEC.features)
    )
    python, typescript = said(package, free, OWN, WAYS[:1], "en")
    assert typescript == python
    (bar,) = python["ways"][0]["bars"]
    assert 0 < bar["you"] < bar["low"] < bar["high"] < 10_000
