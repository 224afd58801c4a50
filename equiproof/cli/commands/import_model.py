"""`equiproof import`: a model that was made elsewhere, bound to a spec by the names of its inputs."""

from __future__ import annotations

import dataclasses
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from equiproof.cli.commands.binding import Binding, CardOptions
from equiproof.cli.commands.common import DataDir, Force, Json, OneHot, Sensitive, by_name, refuse_missing, split_names
from equiproof.cli.commands.import_summary import conclude, next_command
from equiproof.cli.commands.meaning import Meaning, Options, check_options, find_meaning
from equiproof.cli.commands.own_decisions import AcceptLabels, AllowDiffering, Cut, Decisions, OwnOptions, given
from equiproof.cli.console import spinner, stages

if TYPE_CHECKING:
    from equiproof.prover.ceremony.chain import Report
    from equiproof.prover.import_levels import Levels as AskedLevels
    from equiproof.prover.import_steps import GivenRows, Read, Way
    from equiproof.prover.imports import ImportedModel


def _readable(context: typer.Context, model: Path) -> Path:
    """Refuse a file by its name before anything that is missing: a pickle is never one to go on with."""
    from equiproof.certify.models.importing.unread import refuse_unread

    if not context.resilient_parsing:
        refuse_unread(model)
    return model


ModelFile = Annotated[
    Path,
    typer.Argument(
        help="The model: .onnx, .npz, a model file of LightGBM, XGBoost, CatBoost or interpret, a scorecard.",
        callback=_readable,
    ),
]
SpecFile = Annotated[Path | None, typer.Option("--spec", help="What the columns mean: a spec file.")]
SpecOf = Annotated[
    str | None, typer.Option("--dataset", help="Or: the spec of a data set, by its name in `equiproof data list`.")
]
DomainsFile = Annotated[
    Path | None, typer.Option("--domains", help="Or: a JSON file that declares inputs, ranges and codes.")
]
DomainName = Annotated[str | None, typer.Option("--domain", help="Which domain of the --domains file.")]
Labels = Annotated[str | None, typer.Option("--labels", help="With --domains: the decisions, such as refused,granted.")]
Columns = Annotated[
    str | None,
    typer.Option(
        "--columns", help="The names of the model's inputs, in order: a,b,c, or @FILE with one name per line."
    ),
]
Unused = Annotated[
    str | None,
    typer.Option("--unused", help="Features of the spec that the model does not take, such as sex,race."),
]
Units = Annotated[
    Literal["raw", "spec"] | None,
    typer.Option(help="The model's inputs: raw numbers (the default with --domains), or the spec's scaled columns."),
]
Dates = Annotated[
    str | None,
    typer.Option(
        "--dates",
        help="Inputs that are days from a date, such as opened=2000-01-01. Rows may then have the dates, and readers "
        "of a certificate see them.",
    ),
]
Classes = Annotated[
    str | None, typer.Option("--classes", help="The label of each logit, if not in the spec's order: a,b,c.")
]
Threshold = Annotated[
    str | None,
    typer.Option(
        "--threshold",
        help="The second label is decided above it: probability=0.7, share=0.6 of a forest, score=1.2. Default: that "
        "of the spec, or score=0.",
    ),
]
WeightBits = Annotated[
    str | None,
    typer.Option(
        "--weight-bits",
        help="The widths of committed weights, 8 to 32: of layer 1, and of all others. Default: those of the spec; "
        "with --domains, as wide as the model needs.",
        metavar="FIRST,OTHER",
    ),
]
Widen = Annotated[bool, typer.Option("--widen", help="Committed weights are as wide as the model needs.")]
FractionBits = Annotated[
    int | None,
    typer.Option(
        "--input-fraction-bits",
        help="Inputs are rounded to steps of 2^-BITS, and may take as many bits more. Default: those of the spec; for "
        "trees, more where thresholds or rows need them.",
        min=1,
        max=22,
        metavar="BITS",
    ),
]
Rows = Annotated[
    Path | None,
    typer.Option(
        "--rows", help="Raw rows (JSON or CSV) to compare and to measure rounding on, instead of the data set."
    ),
]
Trees = Annotated[
    Literal["best", "all"] | None,
    typer.Option(help="The trees of an XGBoost model that was stopped early: up to the best iteration, or all."),
]
Values = Annotated[
    list[str] | None,
    typer.Option(
        "--values",
        help="How an explainable boosting machine or a scorecard spells a value of the spec, once for each: "
        "'sex:\" male\"=male'; 'purpose:=boat' for one that it does not know.",
        metavar="FEATURE:THEIRS=OURS",
    ),
]
ScoreIsLogit = Annotated[
    bool,
    typer.Option(
        "--score-is-logit",
        help="Of trees that were trained with an objective function of your own: a score above 0 decides for the "
        "second class.",
    ),
]
Cutoff = Annotated[
    str | None,
    typer.Option(
        "--cutoff", help="Of a scorecard: the second label is decided from this total of points on.", metavar="POINTS"
    ),
]
BasePoints = Annotated[
    str | None,
    typer.Option("--base-points", help="Of a scorecard: what is added to every total.", metavar="POINTS"),
]
Unlisted = Annotated[
    str | None,
    typer.Option(
        "--unlisted",
        help="Of a scorecard: the points of values and numbers without a row, such as purpose=12,age=0.",
        metavar="FEATURE=POINTS,...",
    ),
]
Levels = Annotated[
    str | None,
    typer.Option(
        "--levels",
        help="The radii that certificates may show: 0.25,0.5; draft: those that the rows suggest, with what each gives "
        "away; exact: every radius, which copies the model soonest. Default: those of the spec, else a draft, or 0.25 "
        "where the rows do not do for one.",
        metavar="L1,L2|draft|exact",
    ),
]
GainLevels = Annotated[
    str | None,
    typer.Option(
        "--gain-levels",
        help="The gains that gain certificates may show beside 0, in log odds: 0.1,0.5; draft: one that the rows "
        "suggest. Default: those of the spec, else a draft where levels are drafted.",
        metavar="L1,L2|draft",
    ),
]
AllowLoss = Annotated[
    bool,
    typer.Option(
        "--allow-loss", help="Accept that rounding changes the model. The spec then says so to every relying party."
    ),
]


def import_model(
    model: ModelFile,
    out: Annotated[Path, typer.Option("--out", help="Where to write the model folder.")],
    spec: SpecFile = None,
    dataset: SpecOf = None,
    domains: DomainsFile = None,
    domain: DomainName = None,
    sensitive: Sensitive = None,
    one_hot: OneHot = False,
    labels: Labels = None,
    threshold: Threshold = None,
    columns: Columns = None,
    unused: Unused = None,
    dates: Dates = None,
    units: Units = None,
    classes: Classes = None,
    weight_bits: WeightBits = None,
    widen: Widen = False,
    input_fraction_bits: FractionBits = None,
    rows: Rows = None,
    decisions: Decisions = None,
    cut: Cut = None,
    allow_differing: AllowDiffering = None,
    accept_labels: AcceptLabels = False,
    trees: Trees = None,
    values: Values = None,
    score_is_logit: ScoreIsLogit = False,
    cutoff: Cutoff = None,
    base_points: BasePoints = None,
    unlisted: Unlisted = None,
    levels: Levels = None,
    gain_levels: GainLevels = None,
    allow_loss: AllowLoss = False,
    data_dir: DataDir = None,
    force: Force = False,
    as_json: Json = False,
) -> None:
    """Import a model that was made elsewhere.

    Binds its inputs to a spec by name, takes its numbers over as exact fractions, and rounds them to integers.
    Refuses a model that decides otherwise than your own system did (--decisions), and one that rounding changes: if a
    sensitive column loses more than 1 % of its weight, or if a row of data depends on the sensitive features only
    before rounding. Trees take raw numbers.
    """
    from equiproof.prover.import_steps import read_any, refuse_folder

    options = Options(
        spec,
        dataset,
        data_dir,
        one_hot,
        domains,
        domain,
        sensitive,
        labels,
        threshold,
        weight_bits,
        allow_loss,
        input_fraction_bits,
        by_name("--dates", dates, "opened=2000-01-01"),
        widen,
    )
    check_options(options)
    own = OwnOptions(decisions, cut, allow_differing, accept_labels, known=classes is not None)
    own.refuse_misfits(rows)
    refuse_missing(model, spec, domains, rows)
    binding = Binding(
        units,
        _names(columns),
        split_names(classes),
        trees,
        split_names(unused) or (),
        tuple(values or ()),
        CardOptions(cutoff, base_points, unlisted),
        score_is_logit,
    )
    with spinner("reading the model", quiet=as_json):
        read = read_any(model, trees, is_logit=score_is_logit)
    binding.refuse_misfits(read, options)
    refuse_folder(read, out, force=force)
    meaning = find_meaning(read, options)
    way = binding.way(read, model, meaning, compared=decisions is not None)
    with stages("reading the rows", quiet=as_json) as begin:
        begin("reading the rows", 0, 4)
        there = given(own, meaning.spec, rows, meaning.data)
        fixed = input_fraction_bits is not None
        imported = _imported(read, model, meaning, way, there, own, begin, is_fixed=fixed)
        begin("drafting levels from simulated certificates", 2, 4)
        imported = imported.with_levels(_asked(levels), "draft" if gain_levels == "draft" else split_names(gain_levels))
        begin("comparing it with its integers", 3, 4)
        _ = imported.fidelity
    imported.write(out, force=force)
    conclude(imported, model, out, next_command(out, rows, own), as_json=as_json)


def _imported(
    read: Read,
    model: Path,
    meaning: Meaning,
    way: Way,
    rows: GivenRows | None,
    own: OwnOptions,
    begin: Report,
    *,
    is_fixed: bool,
) -> ImportedModel:
    """Bind a model to its meaning, and compare it with its owner's decisions; `begin` shows that it goes on."""
    from equiproof.prover.import_steps import under
    from equiproof.prover.imports import imported_by

    begin("binding it, and deciding the rows", 1, 4)
    imported = imported_by(
        read,
        partial(under, spec=meaning.spec, way=way, rows=rows, asked=own.asked(), is_fixed=is_fixed),
        given=rows is not None and rows.own is not None,
        source=model.name,
        measured_on=meaning.measured_on,
    )
    return dataclasses.replace(imported, notes=(*meaning.notes, *imported.notes))


def _asked(text: str | None) -> AskedLevels | None:
    """Return what the option asks for, None where it is not given."""
    if text == "draft" or text == "exact":  # each as a type
        return text
    return None if text is None else split_names(text) or ()


def _names(text: str | None) -> tuple[str, ...] | None:
    """Read the names of the inputs, from a file where the text begins with @."""
    from equiproof.certify.data.rows import read_names

    return read_names(Path(text[1:])) if text is not None and text.startswith("@") else split_names(text)
