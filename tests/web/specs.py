"""Specs, queries and radii drawn at random, so that two programs can be asked what follows from them."""

from __future__ import annotations

import random
from decimal import Decimal

from msgspec import UNSET

from equiproof.circuits.spec import Feature, Spec, SpecError, checked
from tests.support import spec_of

UNITS = ("", "EUR", "EUR/month", "years", "per cent of income", "\u20ac", "\u05e9\u05e0\u05d4")


def drawn(rng: random.Random) -> Spec:
    """Return a spec that has one meaning."""
    while True:
        fraction = rng.randint(1, 22)
        bits = (fraction, rng.randint(fraction + 1, 40))
        features = [_feature(rng, f"feature {number}", sensitive=number < 2) for number in range(rng.randint(2, 6))]
        fields = {"use_ranges": rng.random() < 0.4, "weight_bits": (rng.randint(8, 32), rng.randint(8, 32))}
        if rng.random() < 0.5:
            own = sum(feature.width for feature in features if not feature.sensitive)
            fields["pad_to"] = own + rng.choice((1, 2, 40))
        fields |= _levels(fraction, bits[1])
        try:
            return checked(spec_of(*features, bits=bits, **fields))
        except SpecError:
            continue


def _levels(fraction: int, bits: int) -> dict[str, tuple[str, ...]]:
    """Return levels of radii for half of the widths, for half of these with levels of gains."""
    rng = random.Random(f"{fraction} {bits}")  # draws of its own, so that all else stays
    lists = ("levels", "gain_levels")[: rng.choice((0, 0, 1, 2))]
    largest = 16 << fraction
    return {
        name: tuple(
            f"{Decimal(step) / (1 << fraction):f}" for step in sorted(rng.sample(range(1, largest), rng.randint(1, 16)))
        )
        for name in lists
    }


def _feature(rng: random.Random, name: str, *, sensitive: bool) -> Feature:
    """Return a feature of any encoding; a few do not fit their spec."""
    encoding = rng.choice(("scaled", "rank", "one-hot"))
    mean, scale = _decimal(rng), _decimal(rng, positive=True)
    if encoding == "scaled":
        domain = tuple(dict.fromkeys(_decimal(rng) for _ in range(rng.randint(2, 4)))) if sensitive else ()
        ends = sorted((_decimal(rng), _decimal(rng)), key=float)
        between = tuple(ends) if not sensitive and rng.random() < 0.6 else None
        whole = True if not sensitive and rng.random() < 0.3 else UNSET
        way = (
            UNSET if sensitive else (UNSET, "increasing", "decreasing")[len(mean) % 3]
        )  # no draw, so that all else stays
        return Feature(
            name, "numeric", encoding, sensitive, mean, scale, rng.choice(UNITS), domain, between, whole, way
        )
    values = tuple(f"value {number}" for number in range(rng.randint(2, 5)))
    return Feature(name, "categorical", encoding, sensitive, mean, scale, "", values)


def _decimal(rng: random.Random, *, positive: bool = False) -> str:
    """Return a decimal number of some digits."""
    whole = rng.choice((0, rng.randint(0, 9), rng.randint(0, 99999), rng.randint(0, 10**12)))
    digits = "".join(rng.choice("0123456789") for _ in range(rng.choice((0, 0, 1, 3, 12, 40))))
    text = f"{whole}.{digits}" if digits else str(whole)
    if positive:
        return text if float(text) > 0 else "1"
    return f"-{text}" if rng.random() < 0.3 else text


def raw_values(spec: Spec, rng: random.Random) -> dict[str, str | float]:
    """Return a row of non-sensitive features; a few do not fit the spec."""
    row: dict[str, str | float] = {}
    for feature in spec.plain_features:
        if feature.kind == "categorical":
            row[feature.name] = rng.choice(feature.domain)
        elif feature.range is not None and rng.random() < 0.7:
            row[feature.name] = rng.choice(feature.range)
        else:
            row[feature.name] = rng.choice((_decimal(rng), float(_decimal(rng)), rng.randint(-5, 500), feature.mean))
    return row
