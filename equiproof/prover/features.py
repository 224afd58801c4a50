"""An applicant's features as files keep them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from equiproof.circuits.spec import Spec


def plain_features(spec: Spec, row: Mapping[str, Any]) -> dict[str, Any]:
    """Return the non-sensitive features of a row, as an applicant's query file holds them: they encode alike.

    What is missing, where the spec lets it be, is left out.
    """
    stated = (feature for feature in spec.plain_features if not (feature.may_miss and row[feature.name] is None))
    return {feature.name: _as_written(row[feature.name]) for feature in stated}


def _as_written(value: Any) -> str | int:
    """Return a raw value as JSON keeps it: numbers that JSON readers may round become text."""
    if isinstance(value, float):
        return repr(float(value))
    return value if isinstance(value, int) and abs(value) < 1 << 53 else str(value)
