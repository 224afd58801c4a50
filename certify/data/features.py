"""Which features of a data set are sensitive, and how its categories become columns."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from fractions import Fraction
from typing import Literal

import msgspec

from certify.data.dataset import DataError, Row
from circuits.spec import Feature

Encoding = Literal["rank", "one-hot"]


def check_sensitive(name: str, sensitive: Sequence[str], known: Sequence[str]) -> None:
    """Refuse an empty choice of sensitive features, one named twice, and names that the data set does not have."""
    if not sensitive:
        raise DataError(f"{name}: no sensitive feature is named; there are {', '.join(known)}")
    for feature in sensitive:
        if feature not in known:
            raise DataError(f"{name}: no feature is called {feature!r}; there are {', '.join(known)}")
    if len(set(sensitive)) != len(sensitive):
        raise DataError(f"{name}: a sensitive feature is named twice in {', '.join(sensitive)}")


def choose(
    features: Sequence[Feature], rows: Sequence[Row], sensitive: Collection[str], encoding: Encoding
) -> list[Feature]:
    """Return features with `sensitive` and no others sensitive, and with every other category in the encoding.

    A sensitive number gets the distinct values of the rows as its domain, smallest first. Sensitive categories keep the
    encoding they were declared with: they are only ever swept over. With "rank", so do all others.
    """
    return [_chosen(feature, rows, feature.name in sensitive, encoding) for feature in features]


def _chosen(feature: Feature, rows: Sequence[Row], sensitive: bool, encoding: Encoding) -> Feature:
    """Return one feature as it was chosen."""
    replace = msgspec.structs.replace
    if feature.kind == "categorical":
        one_hot = encoding == "one-hot" and not sensitive
        return replace(feature, sensitive=sensitive, encoding="one-hot" if one_hot else feature.encoding)
    if not sensitive:
        return replace(feature, sensitive=False, domain=())
    values = sorted({row[feature.name] for row in rows}, key=Fraction)
    return replace(feature, sensitive=True, domain=tuple(map(str, values)), range=None)
