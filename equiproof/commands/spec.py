"""`equiproof spec`: a draft of the spec for a table of one's own, to be read before it is used."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from equiproof.commands.columns import features_json, features_text
from equiproof.commands.common import Force, Json, Ranges, UseRanges, by_name, read_ranges, split_names, tell

if TYPE_CHECKING:
    from certify.spec_draft import Draft


_RESTRICTED = "only neighbors inside the ranges and values above count; scheme branch alone proves that"


def spec(
    table: Annotated[Path, typer.Argument(help="Raw rows with their decisions: CSV with a header, or JSON objects.")],
    label: Annotated[str, typer.Option("--label", help="The column of the decisions.")],
    sensitive: Annotated[str, typer.Option("--sensitive", help="The sensitive columns, such as sex,race.")],
    out: Annotated[Path, typer.Option("--out", help="Where the spec goes.")],
    labels: Annotated[
        str | None, typer.Option("--labels", help="The decisions in the order of the model's classes: refused,granted.")
    ] = None,
    units: Annotated[
        str | None, typer.Option("--units", help="Units of numbers, such as income=EUR/month,age=years.")
    ] = None,
    categories: Annotated[
        str | None, typer.Option("--categories", help="Columns of numbers that are codes, such as job,region.")
    ] = None,
    drop: Annotated[str | None, typer.Option("--drop", help="Columns that are no features, such as id.")] = None,
    one_hot: Annotated[
        bool, typer.Option("--one-hot", help="Give every category that is not sensitive one column per value.")
    ] = False,
    ranges: Ranges = None,
    use_ranges: UseRanges = False,
    force: Force = False,
    as_json: Json = False,
) -> None:
    """Draft the spec of a table of your own: types, scales and domains from its rows, for you to review."""
    from certify.data.dataset import DataError
    from certify.spec_draft import Wishes, draft_spec
    from circuits.canonical import canonical_bytes
    from circuits.spec import SpecError
    from equiproof.rows import RowsError, read_rows
    from prover.files import refuse_taken, write_file

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
    try:
        draft = draft_spec(table.stem, read_rows(table), wishes)
    except (DataError, SpecError) as error:
        raise RowsError(f"{table}: {error}") from None
    write_file(out, canonical_bytes(draft.spec), force=force)
    tell(as_json=as_json, document=_document(draft, out), text=_text(draft, out))


def _document(draft: Draft, out: Path) -> dict[str, Any]:
    """Return a draft as data."""
    from circuits import field

    return {
        "name": draft.spec.name,
        "rows": sum(draft.shares),
        "training_rows": draft.training,
        "labels": [{"label": name, "rows": rows} for name, rows in zip(draft.spec.labels, draft.shares, strict=True)],
        "plain_columns": draft.spec.plain_columns,
        "sensitive_columns": draft.spec.sensitive_columns,
        "slices": len(draft.spec.domain_values),
        "input_bits": draft.spec.input_bits,
        "use_ranges": draft.spec.use_ranges,
        "spec_digest": field.to_hex(draft.spec.digest),
        "features": features_json(draft.spec, {}),
        "notes": list(draft.notes),
        "spec": str(out),
    }


def _text(draft: Draft, out: Path) -> str:
    """Show everything that the spec says, and what its reader has to confirm."""
    document = _document(draft, out)
    labels = ", ".join(f"{one['label']} ({one['rows']:,} rows)" for one in document["labels"])
    columns = f"{document['plain_columns']} + {document['sensitive_columns']} columns"
    domains = [f"  {feature.name}: {', '.join(feature.domain)}" for feature in draft.spec.features if feature.domain]
    return "\n".join(
        [
            f"DRAFTED {out} from {document['rows']:,} rows; means and scales are those of {draft.training:,} of them",
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
