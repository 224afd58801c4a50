"""`equiproof spec`: a draft of the spec for your own table, to be reviewed before it is used."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from equiproof.cli.commands.columns import features_text
from equiproof.cli.commands.common import Force, Json, Ranges, UseRanges, by_name, read_ranges, split_names, tell

if TYPE_CHECKING:
    from equiproof.certify.data.spec_draft import Draft


_RESTRICTED = "only neighbors inside the ranges and values above count; only scheme branch proves such statements"


def spec(
    table: Annotated[Path, typer.Argument(help="Raw rows with their decisions: a CSV with a header, or JSON objects.")],
    label: Annotated[str, typer.Option("--label", help="The column with the decisions.")],
    sensitive: Annotated[str, typer.Option("--sensitive", help="The sensitive columns, such as sex,race.")],
    out: Annotated[Path, typer.Option("--out", help="Where to write the spec.")],
    labels: Annotated[
        str | None,
        typer.Option("--labels", help="The decisions in the order of the model's classes, such as refused,granted."),
    ] = None,
    units: Annotated[
        str | None, typer.Option("--units", help="Units of numbers, such as income=EUR/month,age=years.")
    ] = None,
    categories: Annotated[
        str | None,
        typer.Option("--categories", help="Numeric columns that are codes of a category, such as job,region."),
    ] = None,
    drop: Annotated[str | None, typer.Option("--drop", help="Columns that are not features, such as id.")] = None,
    one_hot: Annotated[
        bool, typer.Option("--one-hot", help="Encode non-sensitive categories with one column per value.")
    ] = False,
    ranges: Ranges = None,
    use_ranges: UseRanges = False,
    force: Force = False,
    as_json: Json = False,
) -> None:
    """Draft a spec from your own table, for you to review.

    Types, scales and domains are derived from the rows. The output lists every guess.
    """
    from equiproof.certify.data.description import describe_draft
    from equiproof.certify.data.spec_draft import Wishes, draft_file
    from equiproof.circuits.canonical import canonical_bytes
    from equiproof.circuits.files import refuse_taken, write_file

    refuse_taken((out,), force=force)
    wishes = Wishes(
        label=label,
        sensitive=split_names(sensitive) or (),
        labels=split_names(labels),
        units=by_name("--units", units, "income=EUR"),
        categories=split_names(categories) or (),
        dropped=split_names(drop) or (),
        one_hot=one_hot,
        ranges=read_ranges(ranges),
        use_ranges=use_ranges,
    )
    draft = draft_file(table, wishes)
    write_file(out, canonical_bytes(draft.spec), force=force)
    document = describe_draft(draft) | {"spec": str(out)}
    tell(as_json=as_json, document=document, text=_text(draft, document))


def _text(draft: Draft, document: dict[str, Any]) -> str:
    """Write everything that the spec says, and what its reader has to confirm."""
    training = draft.training
    labels = ", ".join(f"{one['label']} ({one['rows']:,} rows)" for one in document["labels"])
    columns = f"{document['plain_columns']} + {document['sensitive_columns']} columns"
    domains = [f"  {feature.name}: {', '.join(feature.domain)}" for feature in draft.spec.features if feature.domain]
    return "\n".join(
        [
            f"DRAFTED {document['spec']} from {document['rows']:,} rows; means and scales are those of {training:,}",
            f"  labels: {labels}",
            f"  {columns} of {document['input_bits']} bits, {document['slices']} slices",
            features_text(document["features"]),
            "values",
            *domains,
            *([_RESTRICTED] if document["use_ranges"] else []),
            "to be reviewed",
            *(f"  {note}" for note in draft.notes),
        ]
    )
