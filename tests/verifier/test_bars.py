"""Bars in words: dates where all that is shown of a number of days is one, else numbers."""

import random
import re
from datetime import date

import pytest

from equiproof.circuits.reach import reach
from equiproof.circuits.spec import Feature
from equiproof.circuits.tables import LANGUAGES
from equiproof.verifier.bars import bars, own_value
from equiproof.verifier.words import Words
from tests.support import SEX, changed, spec_of

OPENED = Feature("opened", "numeric", "scaled", False, "8800", "900", unit="days", whole=True, start="2000-01-01")
DAY = r"[0-9]{1,2}\.?\u00a0\w+ [0-9]{1,4}"
MONTHS = {language: Words(language).say("letter.months").split() for language in LANGUAGES}


def days_after(text, language):
    """Return how many days after the start a date in words is."""
    day, month, year = re.split(r"\.?\u00a0| ", text)
    return (date(int(year), MONTHS[language].index(month) + 1, int(day)) - date(2000, 1, 1)).days


@pytest.mark.parametrize("language", LANGUAGES)
def test_dates_are_the_numbers_of_the_reach(language):
    """Read back, the dates of every bar are the value, the ends of what is certified, and whole days of the range."""
    rng = random.Random(42)
    words = Words(language)
    for _ in range(200):
        own = rng.randint(-300000, 2500000)
        feature = changed(OPENED, mean=str(own), scale=str(rng.choice((3, 40, 900, 90000))))
        if rng.random() < 0.5:
            feature = changed(feature, range=(f"{own - rng.randint(0, 99)}.5", str(own + rng.randint(0, 9))))
        spec = spec_of(feature, SEX)
        squared = rng.choice((0, 41, 300, 3000)) ** 2
        one = reach(spec, feature, squared, own)
        (bar,) = bars(spec, squared, {"opened": own}, words)
        assert days_after(bar["own"], language) == one.own == own
        assert own_value(feature, own, words) == bar["own"]
        if one.moves:
            ends = re.findall(DAY, bar["span"])
            assert [days_after(end, language) for end in ends] == [one.low, one.high]
        if bar.get("limits"):
            low, high = (days_after(end, language) for end in bar["limits"])
            assert one.possible[0] <= low < one.possible[0] + 1
            assert one.possible[1] - 1 < high <= one.possible[1]


@pytest.mark.parametrize(
    ("change", "value"),
    [({}, "8839.5"), ({}, 10**8), ({}, "1e9"), ({"range": ("-800000", "9000")}, 8839), ({"start": "9999-12-01"}, 20)],
)
def test_a_bar_with_anything_else_is_in_numbers(change, value):
    """A part of a day, a far day, and an end of the certified days or of the range beyond all years."""
    feature = changed(OPENED, **change)
    (bar,) = bars(spec_of(feature, SEX), 66_000, {"opened": value}, Words("en"))
    for text in (bar["own"], *(bar["limits"] or ())):
        assert re.fullmatch("\u2212?[0-9,.]+", text), text
    assert bar["span"].endswith("\u00a0\u2068days\u2069")


def test_values_have_their_units():
    """A number of days that is no date has its unit, as any other number; a category is the owner's word."""
    words = Words("de")
    assert own_value(OPENED, "8839.5", words) == "8.839,5\u00a0\u2068days\u2069"
    assert own_value(OPENED, "8839", words) == "14.\u00a0M\u00e4rz 2024"
    assert own_value(SEX, "male", words) == "\u2068male\u2069"
