"""`equiproof data`: listing data sets, describing their columns, and fetching them from their sources."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from equiproof.cli.commands.columns import aligned, features_text
from equiproof.cli.commands.common import DataDir, Force, Json, OneHot, Sensitive, load_data, tell
from equiproof.cli.console import spinner

app = typer.Typer(no_args_is_help=True, help="List, describe and fetch data sets.")

Name = Annotated[str, typer.Argument(help="A data set, by its name in `equiproof data list`.")]


@app.command("list")
def list_data(data_dir: DataDir = None, as_json: Json = False) -> None:
    """List the data sets and which of them the data folder holds."""
    from equiproof.certify.data.description import listing

    entries = listing(data_dir)
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
    """Describe the columns and labels of a data set. No row is shown."""
    from equiproof.certify.data.description import describe as describe_data

    document = describe_data(load_data(name, data_dir, sensitive, one_hot=one_hot))
    tell(as_json=as_json, document=document, text=_text(document))


@app.command()
def fetch(
    name: Name,
    to: Annotated[Path, typer.Option("--to", help="The data folder; each data set gets a subfolder.")],
    base_url: Annotated[
        str | None,
        typer.Option(
            "--base-url", envvar="EQUIPROOF_DATA_URL", help="A mirror that serves the paths of the public sources."
        ),
    ] = None,
    force: Force = False,
    as_json: Json = False,
) -> None:
    """Fetch the raw files of a data set from their public source.

    Only the known edition is accepted; digests are checked.
    """
    from equiproof.certify.data.catalogue import find_table
    from equiproof.certify.data.fetching import fetch as fetch_table

    table = find_table(name)
    with spinner(f"fetching {name}", quiet=as_json):
        fetched = fetch_table(table, to, base_url=base_url, force=force)
    files = [{"path": str(one.path), "url": one.url, "bytes": one.size, "fresh": one.fresh} for one in fetched]
    lines = [f"{'FETCHED' if one.fresh else 'EXISTS'} {one.path} ({one.size:,} bytes)" for one in fetched]
    lines.append(f"  use it with --data-dir {to} or EQUIPROOF_DATA={to}")
    tell(as_json=as_json, document={"name": name, "data_dir": str(to), "files": files}, text="\n".join(lines))


def _state(entry: dict[str, Any]) -> str:
    """Say whether the files of a data set were found."""
    return "found" if entry["found"] else f"missing: {', '.join(entry['missing'])}"


def _text(document: dict[str, Any]) -> str:
    """Return a description as text."""
    from equiproof.certify.digits import percent

    shares = ", ".join(f"{one['label']} {percent(one['share'])}" for one in document["labels"])
    columns = f"{document['plain_columns']} + {document['sensitive_columns']} columns"
    lines = [
        f"{document['name']}: {document['title']}",
        f"  {document['rows']:,} rows, {document['training_rows']:,} to train, {document['test_rows']:,} to test",
        f"  labels: {shares}",
        f"  {columns} of {document['input_bits']} bits, {document['slices']} slices",
    ]
    return "\n".join([*lines, features_text(document["features"])])
