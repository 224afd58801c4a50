"""The choice of sensitive features of a data set, and of the encoding of its categories."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from fractions import Fraction
from typing import Literal

import msgspec

from equiproof.certify.data.dataset import DataError, Row
from equiproof.circuits.encodings import ENCODINGS
from equiproof.circuits.spec import Feature

CategoryEncoding = Literal["rank", "one-hot"]


def check_sensitive(name: str, sensitive: Sequence[str], names: Sequence[str]) -> None:
    """Raise DataError for an empty choice of sensitive features, a repeated name, and an unknown name."""
    if not sensitive:
        raise DataError(f"{name}: no sensitive feature is named; there are {', '.join(names)}")
    for feature in sensitive:
        if feature not in names:
            raise DataError(f"{name}: no feature is called {feature!r}; there are {', '.join(names)}")
    if len(set(sensitive)) != len(sensitive):
        raise DataError(f"{name}: a sensitive feature is named twice in {', '.join(sensitive)}")


def choose(
    features: Sequence[Feature], rows: Sequence[Row], sensitive: Collection[str], encoding: CategoryEncoding
) -> list[Feature]:
    """Return features with `sensitive` and no others sensitive, and with every other category in the encoding.

    A sensitive number gets the distinct values of the rows as its domain, smallest first. Sensitive categories keep
    their declared encoding, since every value of theirs is tried. With "rank", all others keep theirs too.
    """
    return [_chosen(feature, rows, feature.name in sensitive, encoding) for feature in features]


def _chosen(feature: Feature, rows: Sequence[Row], sensitive: bool, encoding: CategoryEncoding) -> Feature:
    """Return one feature as chosen."""
    replace = msgspec.structs.replace
    if feature.kind == "categorical":
        # An order is the data set's to declare: an encoding that has one replaces none.
        kept = sensitive or ENCODINGS[encoding].ordered
        return replace(feature, sensitive=sensitive, encoding=feature.encoding if kept else encoding)
    if not sensitive:
        return replace(feature, sensitive=False, domain=())
    values = sorted({row[feature.name] for row in rows}, key=Fraction)
    return replace(feature, sensitive=True, domain=tuple(map(str, values)), range=None, whole=msgspec.UNSET)
