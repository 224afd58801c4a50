"""The features of a spec as data and as lines in columns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from circuits.spec import Spec


def features_json(spec: Spec, notes: Mapping[str, str]) -> list[dict[str, Any]]:
    """Return what each feature means, with a note by its name where there is one."""
    return [
        {
            "name": feature.name,
            "kind": feature.kind,
            "encoding": feature.encoding,
            "sensitive": feature.sensitive,
            "unit": feature.unit,
            "mean": feature.mean,
            "scale": feature.scale,
            "values": len(feature.domain) or None,
            "range": None if feature.range is None else list(feature.range),
            "columns": feature.width,
            "note": notes.get(feature.name, ""),
        }
        for feature in spec.features
    ]


def features_text(features: Sequence[Mapping[str, Any]]) -> str:
    """Return features as lines in columns; what is said of none has no column."""
    head = ("feature", "kind", "encoding", "values", "mean", "scale", "unit", "range", "sensitive", "note")
    rows = [
        (
            feature["name"],
            feature["kind"],
            feature["encoding"],
            str(feature["values"] or ""),
            "" if feature["encoding"] == "one-hot" else feature["mean"],
            "" if feature["encoding"] == "one-hot" else feature["scale"],
            feature["unit"],
            " to ".join(feature["range"] or ()),
            "yes" if feature["sensitive"] else "",
            feature["note"],
        )
        for feature in features
    ]
    told = [number for number, cells in enumerate(zip(*rows, strict=True)) if any(cells)]
    return aligned([tuple(row[number] for number in told) for row in (head, *rows)])


def aligned(rows: Sequence[tuple[str, ...]]) -> str:
    """Return rows of cells as lines in columns."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows
    )
