"""Data sets, specs and drafts of specs as JSON documents: what columns mean and how labels are spread; no row."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from msgspec import UNSET

from equiproof.certify.data import lending
from equiproof.certify.data.catalogue import NAMES, TABLES
from equiproof.certify.data.dataset import DataError, Dataset
from equiproof.certify.data.loading import locate
from equiproof.certify.data.table import Table
from equiproof.circuits.field import to_hex
from equiproof.circuits.spec import Spec

if TYPE_CHECKING:
    from equiproof.certify.data.spec_draft import Draft

Document = dict[str, Any]

_GENERATED_SOURCE = "generated lending applications"


def features(spec: Spec, notes: Mapping[str, str] | None = None) -> list[Document]:
    """Return what each feature of a spec means, with a note by its name where there is one."""
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
            "note": (notes or {}).get(feature.name, ""),
        }
        | ({} if feature.offset is UNSET else {"offset": feature.offset})
        | ({} if feature.start is UNSET else {"start": feature.start})
        | ({"may_be_missing": True} if feature.may_miss else {})
        for feature in spec.features
    ]


def listing(data_dir: Path | None) -> list[Document]:
    """Return every data set with the raw files that are missing in a folder; none of them is read."""
    return [_entry(TABLES[name], data_dir) if name in TABLES else _generated(name) for name in NAMES]


def describe(data: Dataset) -> Document:
    """Return the columns of a data set, its split and the spread of its labels."""
    spec = data.spec
    table = TABLES.get(data.name)
    counts = [data.labels.count(label) for label in range(len(spec.labels))]
    return {
        "name": data.name,
        "title": table.title if table is not None else _GENERATED_SOURCE,
        "rows": len(data.rows),
        "training_rows": len(data.train),
        "test_rows": len(data.test),
        "labels": [
            {"label": name, "rows": count, "share": round(count / len(data.rows), 4)}
            for name, count in zip(spec.labels, counts, strict=True)
        ],
        "plain_columns": spec.plain_columns,
        "sensitive_columns": spec.sensitive_columns,
        "slices": len(spec.domain_values),
        "input_bits": spec.input_bits,
        "spec_digest": to_hex(spec.digest),
        "features": features(spec, {column.name: column.note for column in table.columns} if table is not None else {}),
    }


def describe_draft(draft: Draft) -> Document:
    """Return the draft of a spec: its features, the spread of the labels, and the notes for its reader."""
    spec = draft.spec
    return {
        "name": spec.name,
        "rows": sum(draft.shares),
        "training_rows": draft.training,
        "labels": [{"label": name, "rows": rows} for name, rows in zip(spec.labels, draft.shares, strict=True)],
        "plain_columns": spec.plain_columns,
        "sensitive_columns": spec.sensitive_columns,
        "slices": len(spec.domain_values),
        "input_bits": spec.input_bits,
        "use_ranges": spec.use_ranges,
        "spec_digest": to_hex(spec.digest),
        "features": features(spec),
        "notes": list(draft.notes),
    }


def _entry(table: Table, data_dir: Path | None) -> Document:
    """Return what is known of a data set without reading it."""
    missing = []
    for file in table.files:
        try:
            locate(table, file, data_dir)
        except DataError:
            missing.append(file.name)
    return {
        "name": table.name,
        "title": table.title,
        "rows": table.rows,
        "columns": len(table.columns),
        "label": table.label.name,
        "labels": list(table.labels),
        "sensitive": list(table.sensitive),
        "found": not missing,
        "missing": missing,
    }


def _generated(name: str) -> Document:
    """Return the entry of the generated data set; nothing is drawn for it."""
    return {
        "name": name,
        "title": _GENERATED_SOURCE,
        "rows": lending.DEFAULT_ROWS,
        "columns": len(lending.DEFAULT_FEATURES),
        "label": "decision",
        "labels": list(lending.LABELS),
        "sensitive": list(lending.SENSITIVE),
        "found": True,
        "missing": [],
    }
