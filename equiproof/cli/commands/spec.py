"""`equiproof spec`: a draft of the spec for your own table, to be reviewed before it is used."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import msgspec
import typer

from equiproof.cli.commands.columns import features_text
from equiproof.cli.commands.common import (
    Force,
    Json,
    Logarithms,
    OneHot,
    Ranges,
    Separator,
    UseRanges,
    by_name,
    read_logarithms,
    read_ranges,
    separator,
    split_names,
    tell,
)
from equiproof.cli.console import stages

if TYPE_CHECKING:
    from equiproof.certify.data.spec_draft import Draft
    from equiproof.circuits.spec import Spec


_RANGES_NOTE = (
    "only neighbors inside the ranges and values above count; scheme traversal does not prove such statements"
)


Table = Annotated[
    Path, typer.Argument(help="Raw rows with their decisions: CSV with a header, JSON objects, .xlsx, .parquet.")
]
Decisions = Annotated[str, typer.Option("--label", help="The column with the decisions.")]
SensitiveColumns = Annotated[str, typer.Option("--sensitive", help="The sensitive columns, such as sex,race.")]
Out = Annotated[Path, typer.Option("--out", help="Where to write the spec.")]
Labels = Annotated[
    str | None,
    typer.Option("--labels", help="The decisions in the order of the model's classes, such as refused,granted."),
]
Units = Annotated[str | None, typer.Option("--units", help="Units of numbers, such as income=EUR/month,age=years.")]
Categories = Annotated[
    str | None, typer.Option("--categories", help="Numeric columns that are codes of a category, such as job,region.")
]
Order = Annotated[
    str | None,
    typer.Option("--order", help="Values of categories from the least on, such as risk=low<medium<high."),
]
Drop = Annotated[str | None, typer.Option("--drop", help="Columns that are not features, such as id.")]
Dates = Annotated[
    str | None,
    typer.Option(
        "--dates",
        help="The day to count a column of dates from, such as opened=2000-01-01. Default: 1970-01-01.",
    ),
]
Logits = Annotated[
    int | None, typer.Option("--logits", min=1, help="The model's logits: 1 or 2 for two decisions. Default: 1.")
]
Threshold = Annotated[
    str | None,
    typer.Option(
        "--threshold",
        help="The second label is decided above it: probability=0.7 of a logistic model, share=0.6 of a forest, "
        "score=1.2. Default: a score of 0.",
    ),
]
Levels = Annotated[
    str | None,
    typer.Option(
        "--levels",
        help="The radii that certificates may show: 0.25,0.5; exact: every radius, which copies a model soonest. "
        "Default, and draft: 0.25, a quarter of each number's spread, since without a model radii are not known.",
        metavar="L1,L2|draft|exact",
    ),
]
GainLevels = Annotated[
    str | None,
    typer.Option(
        "--gain-levels",
        help="The gains that gain certificates may show beside 0, in log odds: 0.1,0.5. Draft, and the default where "
        "levels are a draft: 0.5.",
        metavar="L1,L2|draft",
    ),
]
LeaveOut = Annotated[
    bool, typer.Option("--leave-out-missing", help="Leave out rows that lack a value; the output counts them.")
]
Missing = Annotated[
    str | None,
    typer.Option("--missing", help="Columns whose value may be missing, such as income,savings."),
]
MarkMissing = Annotated[
    bool,
    typer.Option("--mark-missing", help="Mark these in columns of their own, for a network. Not for models of trees."),
]
Changes = Annotated[
    bool,
    typer.Option("--changes", help="Draft what somebody can change of each feature too, for box certificates."),
]


def spec(
    table: Table,
    label: Decisions,
    sensitive: SensitiveColumns,
    out: Out,
    labels: Labels = None,
    units: Units = None,
    categories: Categories = None,
    order: Order = None,
    drop: Drop = None,
    dates: Dates = None,
    logits: Logits = None,
    threshold: Threshold = None,
    levels: Levels = None,
    gain_levels: GainLevels = None,
    log: Logarithms = None,
    leave_out_missing: LeaveOut = False,
    missing: Missing = None,
    mark_missing: MarkMissing = False,
    changes: Changes = False,
    sep: Separator = None,
    one_hot: OneHot = False,
    ranges: Ranges = None,
    use_ranges: UseRanges = False,
    force: Force = False,
    as_json: Json = False,
) -> None:
    """Draft a spec from your own table, for you to review.

    Types, scales and domains are derived from the rows. The output lists every guess.
    """
    from equiproof.certify.data.description import describe_draft
    from equiproof.certify.data.spec_draft import draft_file
    from equiproof.certify.data.wishes import Wishes
    from equiproof.circuits.canonical import indented
    from equiproof.circuits.files import refuse_taken, write_file

    refuse_taken((out,), force=force)
    if mark_missing and missing is None:
        raise typer.BadParameter("--mark-missing goes with --missing, which names the columns")
    wishes = Wishes(
        label=label,
        sensitive=split_names(sensitive) or (),
        labels=split_names(labels),
        units=by_name("--units", units, "income=EUR"),
        categories=split_names(categories) or (),
        order=by_name("--order", order, "risk=low<medium<high"),
        dropped=split_names(drop) or (),
        one_hot=one_hot,
        ranges=read_ranges(ranges),
        use_ranges=use_ranges,
        dates=by_name("--dates", dates, "opened=2000-01-01"),
        logits=logits,
        leave_out_missing=leave_out_missing,
        missing=split_names(missing) or (),
        mark_missing=mark_missing,
        logs=read_logarithms(log),
        changes=changes,
    )
    with stages("reading the table", quiet=as_json) as begin:
        draft = draft_file(table, wishes, separator(sep), begin=begin)
    if threshold is not None:
        draft = _with_threshold(draft, threshold)
    levels = "draft" if levels is None else levels
    draft = _with_levels(draft, levels)
    if gain_levels is not None or levels == "draft":
        draft = _with_gain_levels(draft, "draft" if gain_levels is None else gain_levels)
    write_file(out, indented(draft.spec), force=force)
    document = describe_draft(draft) | {"spec": str(out)}
    tell(as_json=as_json, document=document, text=_text(draft, document))


def _with_threshold(draft: Draft, text: str) -> Draft:
    """Return a draft whose second label is decided above a threshold, which its reader confirms."""
    from equiproof.certify.models.cuts import threshold_of

    spec = _under(draft.spec, threshold=threshold_of(text, None))
    note = f"threshold {text[:60]}: {spec.labels[-1]!r} is decided above a score of {spec.threshold[:12]}"
    return dataclasses.replace(draft, spec=spec, notes=(*draft.notes, note))


def _with_levels(draft: Draft, text: str) -> Draft:
    """Return a draft whose certificates show levels; that of the spread is a guess, which its reader confirms."""
    from equiproof.certify.leak.spread import spread_level, spread_note

    if text == "exact":
        return draft
    if text != "draft":
        return dataclasses.replace(draft, spec=_under(draft.spec, levels=split_names(text) or ()))
    level = spread_level(draft.spec)
    spec = _under(draft.spec, levels=(level,))
    why = "without a model nobody has one; `equiproof import --levels draft` measures what levels keep and give away"
    return dataclasses.replace(draft, spec=spec, notes=(*draft.notes, spread_note(spec, level, why)))


def _with_gain_levels(draft: Draft, text: str) -> Draft:
    """Return a draft whose gain certificates show levels; a guessed one its reader confirms."""
    from equiproof.certify.leak.gain_draft import guess_note, guessed_gain

    if text != "draft":
        return dataclasses.replace(draft, spec=_under(draft.spec, gain_levels=split_names(text) or ()))
    level = guessed_gain(draft.spec)
    spec = _under(draft.spec, gain_levels=(level,))
    why = "without a model nobody has one; `equiproof import --gain-levels draft` measures them"
    return dataclasses.replace(draft, spec=spec, notes=(*draft.notes, guess_note(level, why)))


def _under(spec: Spec, **changes: Any) -> Spec:
    """Return a spec with changes; raises SpecError for those that no spec has."""
    from equiproof.circuits.spec import checked

    return checked(msgspec.structs.replace(spec, **changes))


def _text(draft: Draft, document: dict[str, Any]) -> str:
    """Write everything that the spec says, and what its reader has to confirm."""
    from equiproof.circuits.names import quoted

    training = draft.training
    labels = ", ".join(f"{one['label']} ({one['rows']:,} rows)" for one in document["labels"])
    columns = f"{document['plain_columns']} + {document['sensitive_columns']} columns"
    domains = [f"  {one.name}: {', '.join(map(quoted, one.domain))}" for one in draft.spec.features if one.domain]
    return "\n".join(
        [
            f"DRAFTED {document['spec']} from {document['rows']:,} rows; means and scales are those of {training:,}",
            f"  labels: {labels}",
            f"  {columns} of {document['input_bits']} bits, {document['slices']} slices",
            features_text(document["features"]),
            "values",
            *domains,
            *([_RANGES_NOTE] if document["use_ranges"] else []),
            "to be reviewed",
            *(f"  {note}" for note in draft.notes),
        ]
    )
