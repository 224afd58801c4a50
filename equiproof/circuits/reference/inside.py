"""R-B-RANGES: the query lies inside the ranges, column by column."""

from __future__ import annotations

from equiproof.circuits.reference.field import Wires, require_non_negative
from equiproof.circuits.shape import Shape


def inside(shape: Shape, wires: Wires) -> None:
    """Refuse a query below the least value of a column, or above the largest; no range is about a missing value."""
    for column in range(shape.architecture.plain):
        if shape.architecture.has_missing and wires["absent"][column] == 1:
            continue
        low, value, high = (wires[name][column] for name in ("range_low", "query", "range_high"))
        require_non_negative("R-B-RANGES", f"column {column}, from below", value - low)
        require_non_negative("R-B-RANGES", f"column {column}, from above", high - value)
