"""`equiproof data`: which data sets there are, what their columns mean, and fetching them from their sources."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from equiproof.commands.columns import aligned, features_json, features_text
from equiproof.commands.common import DataDir, Force, Json, OneHot, Sensitive, load_data, tell
from equiproof.console import spinner

if TYPE_CHECKING:
    from certify.data.dataset import Dataset
    from certify.data.table import Table

app = typer.Typer(no_args_is_help=True, help="List, describe and fetch data sets.")

Name = Annotated[str, typer.Argument(help="A data set that `equiproof data list` names.")]


@app.command("list")
def list_data(data_dir: DataDir = None, as_json: Json = False) -> None:
    """List the data sets, and which of them the data folder holds."""
    from certify.data.catalogue import NAMES, TABLES

    entries = [_entry(TABLES[name], data_dir) if name in TABLES else _generated(name) for name in NAMES]
    rows = [
        (
            entry["name"],
            f"{entry['rows']:,}",
            str(entry["columns"]),
            f"{entry['label']}: {' / '.join(entry['labels'])}",
            ", ".join(entry["sensitive"]),
            _state(entry),
        )
        for entry in entries
    ]
    text = aligned([("name", "rows", "features", "label", "sensitive", "files"), *rows])
    tell(as_json=as_json, document={"datasets": entries}, text=text)


@app.command()
def describe(
    name: Name,
    data_dir: DataDir = None,
    sensitive: Sensitive = None,
    one_hot: OneHot = False,
    as_json: Json = False,
) -> None:
    """Say what the columns of a data set mean and how its labels are spread; no row is shown."""
    data = load_data(name, data_dir, sensitive, one_hot=one_hot)
    document = _description(data)
    tell(as_json=as_json, document=document, text=_text(document))


@app.command()
def fetch(
    name: Name,
    to: Annotated[Path, typer.Option("--to", help="The data folder; each data set has a folder of its own in it.")],
    base_url: Annotated[
        str | None,
        typer.Option("--base-url", envvar="EQUIPROOF_DATA_URL", help="A mirror with the paths of the public sources."),
    ] = None,
    force: Force = False,
    as_json: Json = False,
) -> None:
    """Fetch the raw files of a data set from their public source and hold them to the known edition."""
    from certify.data.catalogue import find_table
    from equiproof.fetch import fetch as fetch_table

    table = find_table(name)
    with spinner(f"fetching {name}", quiet=as_json):
        fetched = fetch_table(table, to, base_url=base_url, force=force)
    files = [{"path": str(one.path), "url": one.url, "bytes": one.size, "fresh": one.fresh} for one in fetched]
    lines = [f"{'FETCHED' if one.fresh else 'THERE'} {one.path} ({one.size:,} bytes)" for one in fetched]
    lines.append(f"  use it with --data-dir {to} or EQUIPROOF_DATA={to}")
    tell(as_json=as_json, document={"name": name, "data_dir": str(to), "files": files}, text="\n".join(lines))


def _entry(table: Table, data_dir: Path | None) -> dict[str, Any]:
    """Return what is known of a data set without reading it."""
    from certify.data.dataset import DataError
    from certify.data.loading import locate

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


def _generated(name: str) -> dict[str, Any]:
    """Return the entry of the generated data set; nothing is drawn for it."""
    from certify.data import lending

    return {
        "name": name,
        "title": "generated lending applications",
        "rows": lending.DEFAULT_ROWS,
        "columns": len(lending.DEFAULT_FEATURES),
        "label": "decision",
        "labels": list(lending.LABELS),
        "sensitive": list(lending.SENSITIVE),
        "found": True,
        "missing": [],
    }


def _state(entry: dict[str, Any]) -> str:
    """Say whether the files of a data set were found."""
    return "found" if entry["found"] else f"missing: {', '.join(entry['missing'])}"


def _description(data: Dataset) -> dict[str, Any]:
    """Return the columns and the spread of the labels."""
    from certify.data.catalogue import TABLES
    from circuits import field

    spec = data.spec
    table = TABLES.get(data.name)
    notes = {column.name: column.note for column in table.columns} if table is not None else {}
    counts = [data.labels.count(label) for label in range(len(spec.labels))]
    return {
        "name": data.name,
        "title": table.title if table is not None else "generated lending applications",
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
        "spec_digest": field.to_hex(spec.digest),
        "features": features_json(spec, notes),
    }


def _text(document: dict[str, Any]) -> str:
    """Return a description as text."""
    shares = ", ".join(f"{one['label']} {one['share']:.1%}" for one in document["labels"])
    columns = f"{document['plain_columns']} + {document['sensitive_columns']} columns"
    lines = [
        f"{document['name']}: {document['title']}",
        f"  {document['rows']:,} rows, {document['training_rows']:,} to train, {document['test_rows']:,} to test",
        f"  labels: {shares}",
        f"  {columns} of {document['input_bits']} bits, {document['slices']} slices",
    ]
    return "\n".join([*lines, features_text(document["features"])])
