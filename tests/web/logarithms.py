"""Specs with the encoding log, values and radii drawn at random: ordinary ones, and the ends of what specs may have."""

from __future__ import annotations

import random
from collections.abc import Callable
from fractions import Fraction

from msgspec import UNSET

from equiproof.circuits.spec import Feature, Spec
from tests.support import HOUSING, SEX

UNITS = ("", "EUR", "per cent of income")

_LONGEST = 40
"""How many decimals the text of a spec may have."""


def drawn_logarithms(rng: random.Random) -> tuple[Spec, dict[str, str | float]]:
    """Return a spec that is not checked, and a row of its non-sensitive features; some of both are refused."""
    fraction = rng.randint(1, 22)
    numbers = [_feature(rng, f"feature {at}", sensitive=False) for at in range(rng.randint(1, 3))]
    listed = _feature(rng, "listed", sensitive=True) if rng.random() < 0.3 else SEX
    spec = Spec(
        "equiproof-spec", 2, "logarithms", fraction, rng.randint(fraction + 1, 40), rng.random() < 0.4,
        (*numbers, HOUSING, listed), ("declined", "granted"), 1,
    )  # fmt: skip
    return spec, {feature.name: _value(rng, feature) for feature in numbers} | {"housing": "rent"}


def _feature(rng: random.Random, name: str, *, sensitive: bool) -> Feature:
    """Return a feature; a few have no offset, or an offset that leaves their values without a logarithm."""
    offset = rng.choice(
        (
            "0", "0", "0", "1", "1", "-5", "0.001", "-0.5", "-0.000", "12.50", "1" + "0" * 17, "9" * 18,
            "0." + "0" * 39 + "1", "-" + "9" * 18 + "." + "9" * 40, _decimal(rng, 3),
            UNSET if rng.random() < 0.1 else "2",
        )
    )  # fmt: skip
    kept = "0" if offset is UNSET else offset
    numbers = [_number(rng, kept, digits=rng.choice((2, 4, 9, 18))) for _ in range(rng.randint(2, 4))]
    texts = sorted((text for text in map(_spelled, numbers) if text is not None), key=Fraction)
    between = (texts[0], texts[-1]) if len(texts) > 1 and not sensitive and rng.random() < 0.4 else None
    return Feature(
        name, "numeric", "log", sensitive, _mean(rng), _scale(rng), rng.choice(UNITS),
        tuple(dict.fromkeys(texts)) if sensitive else (), between,
        True if not sensitive and rng.random() < 0.25 else UNSET, UNSET, offset,
    )  # fmt: skip


def _mean(rng: random.Random) -> str:
    """Return the decimal text of a level, or of something far from all levels."""
    if rng.random() < 0.05:
        return rng.choice(("9" * 18, "-64", "64", "-1" + "0" * 17, "0." + "9" * 40))
    return f"{rng.uniform(-20, 40):.{rng.choice((0, 1, 4, 12))}f}".replace("-0", "0", 1)


def _scale(rng: random.Random) -> str:
    """Return the decimal text of a scale: mostly some levels, else anything above 0."""
    if rng.random() < 0.2:
        return rng.choice(("0." + "0" * 39 + "1", "9" * 18, "0.000000000001", "64", f"0.{'0' * rng.randint(0, 12)}37"))
    return f"{rng.choice((0.05, 0.5, 2, 9)) * rng.uniform(0.5, 1.5):.{rng.choice((2, 5, 15))}f}"


def _decimal(rng: random.Random, most: int) -> str:
    """Return decimal text below ten to a power."""
    text = f"{rng.uniform(-(10**most), 10**most):.{rng.randint(0, 4)}f}"
    return text.replace("-0", "0", 1) if text.startswith("-0") else text


def _number(rng: random.Random, offset: str, digits: int) -> Fraction:
    """Return a number whose sum with the offset has, or may have, a logarithm; of so many digits."""
    if rng.random() < 0.1:
        end = Fraction(2) ** rng.choice((-64, 64, 0, 1, -1, 40, 63))
        return end - Fraction(offset) + rng.choice((0, 0, Fraction(1, 10**40), Fraction(-1, 10**40)))
    level = rng.choice((rng.uniform(-65, 65), rng.uniform(-3, 20), rng.uniform(-1, 1)))
    number = Fraction(2.0**level)
    place = 0
    while number * 10**place < 10**digits and place < _LONGEST:
        place += 1
    return Fraction(round(number * 10**place), 10**place) - Fraction(offset)


def _spelled(number: Fraction) -> str | None:
    """Return the decimal text of a number as specs have it; None for one that they cannot have."""
    scaled = number * 10**_LONGEST
    if scaled.denominator != 1 or abs(number) >= 10**18:
        return None
    whole, part = divmod(abs(int(scaled)), 10**_LONGEST)
    decimals = f"{part:0{_LONGEST}}".rstrip("0")
    return ("-" if number < 0 else "") + str(whole) + ("." + decimals if decimals else "")


def _value(rng: random.Random, feature: Feature) -> str | float:
    """Return a raw value, as text or as a number; a few have no logarithm, or too many digits."""
    offset = "0" if feature.offset is UNSET else str(feature.offset)
    number = _number(rng, offset, digits=rng.choice((1, 2, 3, 6, 12, 17)))
    if feature.range is not None and rng.random() < 0.8:
        low, high = map(Fraction, feature.range)
        number = low + (high - low) * Fraction(rng.choice((0, rng.randrange(1001), 1000)), 1000)
    ways: tuple[Callable[[], str | float], ...] = (
        lambda: _spelled(number) or "1e19",
        lambda: float(number),
        lambda: f"{float(number):.{rng.randint(0, 12)}e}",
        lambda: round(number),
        lambda: rng.choice(
            ("0", "-3", "5.421010862427522170037264004349708557128906250e-20", "18446744073709551616", "1e-20", "x")
        ),
    )
    value = ways[0 if rng.random() < 0.5 else rng.randrange(len(ways))]()
    # Beyond 2^53 an integer has no canonical form, and the errors of each program write exponents in its own way.
    return str(value) if (isinstance(value, int) and abs(value) >= 1 << 53) or "e" in str(value) else value
