"""Numbers and verdicts as words: nothing is shown as more than is known, and nothing is hidden in a text."""

import random
from decimal import Decimal

import pytest

from equiproof.audits.html import words
from equiproof.audits.intervals import share


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


@pytest.mark.parametrize("hidden", ["\u202e", "\u200b", "\x1b", "\x00", "\u2066", "\ud800", "\ue000", "\u2028", "\x85"])
def test_what_is_invisible_is_shown(hidden):
    """Characters that reorder, hide or break become their number; the text around them stays."""
    assert words.harmless(f"a{hidden}b") == f"a[U+{ord(hidden):04X}]b"


def test_letters_of_every_language_stay():
    """Accents and other scripts are no invisible characters; a line break becomes a blank."""
    assert words.harmless("Größe, 年齢, العمر\nnext") == "Größe, 年齢, العمر next"


def test_an_interval_is_shown_or_a_dash():
    """An estimate over no rows has no interval."""
    assert words.ends(share("x", 0, 0)) == "–"
    assert words.ends(share("x", 5, 5)) == "56.5 to 100 %"
    assert words.value(share("x", 0, 0)) == "– (no such row)"


def test_a_percent_sign_stays_with_its_number():
    """On the page the blank between them is one where no line is broken."""
    assert words.harmless("5 to 16 % of all") == "5 to 16\u00a0% of all"


@pytest.mark.parametrize(
    ("seconds", "text"), [(0.0, "0 s"), (0.0002, "under 1 ms"), (0.0632, "63 ms"), (12.987, "13.0 s"), (150, "2.5 min")]
)
def test_times_are_shown_to_the_millisecond(seconds, text):
    """No clock of an audit means more than that."""
    assert words.seconds(seconds) == text
