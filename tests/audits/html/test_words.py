"""Numbers and verdicts as words: nothing is shown as more than is known, and nothing is hidden in a text."""

import random
from decimal import Decimal

import pytest

from equiproof.audits.html import words
from equiproof.audits.intervals import share
from equiproof.audits.records import Finding
from tests.audits.html import sample
from tests.support import LOANS, changed


def read(text: str) -> Decimal:
    """Return the number that was written."""
    return Decimal(text.replace("−", "-").replace(",", ""))


def test_bounds_are_rounded_outward():
    """A lower end is never shown above what is known, an upper one never below, whatever their size and sign."""
    rng = random.Random(1)
    for _ in range(500):
        value = rng.choice((-1, 1)) * rng.random() * 10.0 ** rng.randint(-9, 14)
        assert read(words.number(value, "down")) <= Decimal(repr(value)) <= read(words.number(value, "up"))
        assert read(words.number(value, "up")) - read(words.number(value, "down")) <= abs(Decimal(value)) / 999


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0, "0"), (-0.0, "0"), (1234567, "1,234,567"), (12.0, "12"), (-0.25, "−0.25"), (1 / 3, "0.3333"),
        (123456.0, "123,500"), (2.5e-9, "2.5e−9"), (6e20, "6e20"), (10**15, "1000000000000000"),
        (float("inf"), "unlimited"), (float("nan"), "not a number"), (True, "yes"),
    ],
)  # fmt: skip
def test_numbers_are_short(value, text):
    """Four digits, thousands grouped, powers of ten only where the number is very small or large."""
    assert words.number(value) == text


def test_open_ends_are_said():
    """Where an end is unknown, the other one is shown as a limit; one number is shown once."""
    assert words.bounds(None, None) == "–"
    assert words.bounds(0.12345, None) == "at least 0.1234"
    assert words.bounds(None, 0.12341) == "at most 0.1235"
    assert words.bounds(0.5, 0.5) == "0.5"
    assert words.bounds(0.15, 0.35) == "0.15 to 0.35"
    assert words.bounds(-1.00001, 2.0) == "−1.001 to 2"


def test_a_share_is_rounded_to_neither_end():
    """One of many thousand is not shown as none, nor all but one as all."""
    assert words.share(1, 100_000) == "0.1%"
    assert words.share(99_999, 100_000) == "99.9%"
    assert (words.share(0, 7), words.share(7, 7), words.share(0, 0)) == ("0.0%", "100.0%", "–")


@pytest.mark.parametrize("hidden", ["\u202e", "\u200b", "\x1b", "\x00", "\u2066", "\ud800", "\ue000", "\u2028", "\x85"])
def test_what_is_invisible_is_shown(hidden):
    """Characters that reorder, hide or break become their number; the text around them stays."""
    assert words.harmless(f"a{hidden}b") == f"a[U+{ord(hidden):04X}]b"


def test_letters_of_every_language_stay():
    """Accents and other scripts are no invisible characters; a line break becomes a blank."""
    assert words.harmless("Größe, 年齢, العمر\nnext") == "Größe, 年齢, العمر next"


def test_every_verdict_is_written_in_words():
    """Fair, unfair, undecided and no verdict read differently, and undecided says why."""
    context = sample.context_of(LOANS, sample.rows_of(LOANS, 3))
    part = sample.parts(context)
    fair = changed(part, verdict="fair", reason=None, findings=(Finding(subject="all", verdict="fair"),))
    sentences = [
        words.said(changed(part, verdict="unfair", reason=None)), words.said(part), words.said(fair),
        words.said(changed(fair, verdict=None)),
    ]  # fmt: skip
    assert len(set(sentences)) == 4
    assert "differ only in sex" in sentences[0]
    assert "1 of 3 cases (33.3%) by an example that was recomputed exactly" in sentences[0]
    assert "one part was not searched to its end" in sentences[1]
    assert "Proven" in sentences[2]
    assert "does not judge" in sentences[3]


def test_an_interval_is_shown_or_a_dash():
    """An estimate over no rows has no interval."""
    assert words.ends(share("x", 0, 0)) == "–"
    assert words.ends(share("x", 5, 5)) == "0.5655 to 1"
