"""Features and other rows of cells as lines in columns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from equiproof.circuits.encodings import ENCODINGS


def features_text(features: Sequence[Mapping[str, Any]]) -> str:
    """Return features (:func:`equiproof.certify.data.description.features`) in columns, without empty columns."""
    head = (
        *("feature", "kind", "encoding", "offset", "values", "mean", "scale", "unit", "start", "range"),
        *("sensitive", "missing", "note"),
    )
    rows = [
        (
            feature["name"],
            feature["kind"],
            feature["encoding"],
            feature.get("offset", ""),
            str(feature["values"] or ""),
            feature["mean"] if ENCODINGS[feature["encoding"]].standardised else "",
            feature["scale"] if ENCODINGS[feature["encoding"]].standardised else "",
            feature["unit"],
            feature.get("start", ""),
            " to ".join(feature["range"] or ()),
            "yes" if feature["sensitive"] else "",
            "may be" if feature.get("may_be_missing") else "",
            feature["note"],
        )
        for feature in features
    ]
    shown = [number for number, cells in enumerate(zip(*rows, strict=True)) if any(cells)]
    return aligned([tuple(row[number] for number in shown) for row in (head, *rows)])


def aligned(rows: Sequence[tuple[str, ...]]) -> str:
    """Return rows of cells as lines in columns."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows
    )
