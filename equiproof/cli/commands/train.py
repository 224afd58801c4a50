"""`equiproof train`: a model on a data set, with figures on how it treats the sensitive features."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from equiproof.cli.commands.common import (
    DEFAULT_DATASET,
    DataDir,
    Force,
    Json,
    Logarithms,
    OneHot,
    Ranges,
    Sensitive,
    UseRanges,
    load_data,
    read_logarithms,
    read_ranges,
    sizes,
    tell,
)
from equiproof.cli.commands.train_ensemble import Boosting, OwnTable, read_monotone, train_ensemble
from equiproof.cli.console import bar

if TYPE_CHECKING:
    from equiproof.certify.data.dataset import Dataset
    from equiproof.certify.models.network import Network, TrainingReport
    from equiproof.certify.models.objectives import Objective
    from equiproof.certify.models.training import Settings

    Wanted = tuple[Objective, str | None, float | None]


_OF_SET = ("--dataset", "--sensitive", "--one-hot", "--ranges", "--use-ranges", "--logarithms")
"""The options of a data set by name."""

ModelKind = Annotated[
    Literal["network", "boosting", "forest", "scorecard"],
    typer.Option(help="A ReLU network, boosted trees, a random forest, or boosted trees of depth 1 as points."),
]
Hidden = Annotated[str | None, typer.Option(help="Sizes of the hidden layers. Default: 4,2.")]
Variant = Annotated[
    Literal["unfair", "fair"],
    typer.Option(
        help="unfair: no weight decay; fair: as much as accuracy allows, with FairProof's values for comparison."
    ),
]
Decay = Annotated[float | None, typer.Option(help="Use this weight decay instead of the variant's.", min=0.0)]
ObjectiveName = Annotated[
    Literal["agnostic", "unaware", "certifair", "fair-n"] | None,
    typer.Option(
        "--objective",
        help="Train with Adam instead: agnostic: accuracy alone; unaware: without the sensitive columns; certifair: "
        "alike under both values; fair-n: groups decided with equal margins.",
    ),
]
ObjectiveFeature = Annotated[
    str | None, typer.Option("--objective-feature", help="The feature of two values that the objective is about.")
]
ObjectiveWeight = Annotated[
    float | None,
    typer.Option("--objective-weight", help="The weight of fairness in certifair, 0 to 1, or fair-n.", min=0.0),
]
Rounds = Annotated[int | None, typer.Option(help="How many trees are trained. Default: 100.", min=1, max=10_000)]
Depth = Annotated[
    int | None, typer.Option(help="Splits on the way to a leaf. Default: 1 for boosting, 4 for forest.", min=1, max=16)
]
Monotone = Annotated[
    list[str] | None,
    typer.Option(
        help="FEATURE=+ or FEATURE=-: may only raise, or lower, the score of the second label. For trees.",
        metavar="FEATURE=+|-",
    ),
]
Native = Annotated[
    bool,
    typer.Option(
        "--native-categories",
        help="Boosted trees split one-hot categories of three values or more by sets of their values.",
    ),
]
SetName = Annotated[
    str | None,
    typer.Option(
        "--dataset", help="A name from `equiproof data list`. Default: lending, which is generated, without files."
    ),
]
SpecFile = Annotated[
    Path | None,
    typer.Option("--spec", help="Or: the spec of a table of your own, as `equiproof spec` drafts it. For trees."),
]
OwnRows = Annotated[Path | None, typer.Option("--rows", help="With --spec: the rows of the table, with their labels.")]
Label = Annotated[str | None, typer.Option("--label", help="With --spec: the column with the labels.")]


def train(
    out: Annotated[Path, typer.Option("--out", help="Where to write the model folder.")],
    dataset: SetName = None,
    spec: SpecFile = None,
    rows: OwnRows = None,
    label: Label = None,
    sensitive: Sensitive = None,
    one_hot: OneHot = False,
    model: ModelKind = "network",
    hidden: Hidden = None,
    variant: Variant = "unfair",
    ranges: Ranges = None,
    use_ranges: UseRanges = False,
    log: Logarithms = None,
    decay: Decay = None,
    objective: ObjectiveName = None,
    objective_feature: ObjectiveFeature = None,
    objective_weight: ObjectiveWeight = None,
    rounds: Rounds = None,
    depth: Depth = None,
    monotone: Monotone = None,
    native_categories: Native = False,
    seed: Annotated[int, typer.Option(help="The seed of the starting weights.", min=0, max=(1 << 53) - 1)] = 0,
    data_dir: DataDir = None,
    force: Force = False,
    as_json: Json = False,
) -> None:
    """Train a network or an ensemble of trees on a data set.

    Reports the accuracy, and how often a change of sensitive values alone changes the decision.
    """
    from equiproof.certify.models.training import Settings
    from equiproof.prover.model_folder import TrainedOn, refuse_trained, stated, write_trained

    given_ranges = read_ranges(ranges)
    logs = read_logarithms(log)
    of_set = (dataset, sensitive, one_hot or None, ranges, use_ranges or None, log)
    table = _own_table(spec, rows, label, dict(zip(_OF_SET, of_set, strict=True)))
    name = dataset or DEFAULT_DATASET
    load = partial(
        load_data, name, data_dir, sensitive, one_hot=one_hot, ranges=given_ranges, use_ranges=use_ranges, logs=logs
    )
    on = TrainedOn(name, (), one_hot, given_ranges, use_ranges, stated(logs))
    if model != "network":
        _refuse_network_options(hidden, variant, decay, objective)
        options = Boosting(model, rounds or 100, seed, read_monotone(monotone), _depth(model, depth), native_categories)
        own = (on, load) if table is None else (table.stated(), table.load)
        train_ensemble(out, *own, options, force=force, as_json=as_json)
        return
    if rounds is not None or depth is not None or monotone or native_categories:
        raise typer.BadParameter(
            "--rounds, --depth, --monotone and --native-categories are for --model boosting, forest and scorecard"
        )
    if table is not None:
        raise typer.BadParameter(
            "--spec: choose --model boosting, forest or scorecard, or import a network that was trained elsewhere: "
            "networks are trained here on data sets by name"
        )
    _refuse_objective_options(variant, decay, objective, objective_feature, objective_weight)
    refuse_trained(out, force=force)
    settings = Settings(seed=seed)
    layers = sizes("4,2" if hidden is None else hidden)
    data = load()
    aim = None if objective is None else (objective, objective_feature, objective_weight)
    network, report, notes = _trained(data, layers, variant, decay, aim, settings, quiet=as_json)
    papers = _paper_reports(data, layers, settings, quiet=as_json) if variant == "fair" else []
    compared = [dataclasses.asdict(one) for one in papers]
    figures = {"report": dataclasses.asdict(report), "notes": notes, "paper": compared}
    document = write_trained(out, network, data.spec, on.of(data.spec), figures, force=force)
    tell(as_json=as_json, document=document | {"model": str(out)}, text=_text(report, notes, papers, out))


def _own_table(
    spec: Path | None, rows: Path | None, label: str | None, of_set: Mapping[str, object]
) -> OwnTable | None:
    """Return a table of the owner's own, None for a data set by name; raises typer's own error for some of each."""
    if spec is None and rows is None and label is None:
        return None
    if spec is None or rows is None or label is None:
        raise typer.BadParameter("--spec, --rows and --label go together: they are a table of your own")
    for option, value in of_set.items():
        if value is not None:
            raise typer.BadParameter(f"{option} is for data sets by name: with --spec, the spec says it")
    return OwnTable(spec, rows, label)


def _depth(model: str, depth: int | None) -> int:
    """Return the depth of trees; raises typer's own error for a scorecard of deeper trees."""
    if model == "scorecard" and depth not in (None, 1):
        raise typer.BadParameter("--depth: a scorecard has trees of depth 1")
    return depth or (4 if model == "forest" else 1)


def _refuse_objective_options(
    variant: str, decay: float | None, objective: str | None, feature: str | None, weight: float | None
) -> None:
    """Raise typer's own error for options of the other kind of training."""
    own = (("--objective-feature", feature), ("--objective-weight", weight))
    others = (("--variant fair", variant if variant == "fair" else None), ("--decay", decay))
    refused, how = (own, "with") if objective is None else (others, "without")
    for option, value in refused:
        if value is not None:
            raise typer.BadParameter(f"{option} is for training {how} --objective")


def _refuse_network_options(hidden: str | None, variant: str, decay: float | None, objective: str | None) -> None:
    """Raise typer's own error for options that only a network has."""
    for option, value in (
        ("--hidden", hidden),
        ("--objective", objective),
        ("--decay", decay),
        ("--variant", variant if variant == "fair" else None),
    ):
        if value is not None:
            raise typer.BadParameter(f"{option} is for --model network")


def _text(report: TrainingReport, notes: list[str], papers: list[TrainingReport], out: Path) -> str:
    """Return what is printed: the search, the networks for comparison, and last the network that was written."""
    above = list(notes)
    for one in papers:
        above += ["for comparison, trained and not written:", *(f"  {line}" for line in one.summary().splitlines())]
    # The last lines of a terminal are read as the result, so nothing about another network may follow.
    head = ["the network that was written:"] if above else []
    return "\n".join([*above, *head, report.summary(), f"  model {out}"])


def _trained(
    data: Dataset,
    hidden: tuple[int, ...],
    variant: str,
    decay: float | None,
    aim: Wanted | None,
    settings: Settings,
    *,
    quiet: bool,
) -> tuple[Network, TrainingReport, list[str]]:
    """Train for the wanted objective, or else the requested variant."""
    if aim is not None:
        return _trained_for(data, hidden, aim, settings.seed, quiet=quiet)
    from equiproof.certify.models.training import train as train_network
    from equiproof.certify.models.training import train_fair

    with bar(f"training {data.name}", quiet=quiet) as progress:
        if variant == "fair" and decay is None:
            network, report, fairness = train_fair(data, hidden, settings=settings, progress=progress)
            return network, report, [fairness.summary()]
        network, report = train_network(data, hidden, decay=decay or 0.0, settings=settings, progress=progress)
        return network, report, []


def _trained_for(
    data: Dataset,
    hidden: tuple[int, ...],
    objective: Wanted,
    seed: int,
    *,
    quiet: bool,
) -> tuple[Network, TrainingReport, list[str]]:
    """Train for an objective, its feature and its weight."""
    from equiproof.certify.models.objectives import AdamSettings, aim_at, train_for

    aim = aim_at(data.spec, data.name, *objective)
    with bar(f"training {data.name}", quiet=quiet) as progress:
        network, report = train_for(data, hidden, aim, settings=AdamSettings(seed=seed), progress=progress)
    return network, report, [aim.summary()]


def _paper_reports(data: Dataset, hidden: tuple[int, ...], settings: Settings, *, quiet: bool) -> list[TrainingReport]:
    """Train with FairProof's weight decays too: those of this data set or, if there are none, all of them."""
    from equiproof.certify.models.training import PAPER_DECAYS
    from equiproof.certify.models.training import train as train_network

    reports = []
    own = PAPER_DECAYS.get(data.name)
    for decay in sorted({decay for by_size in ([own] if own else PAPER_DECAYS.values()) for decay in by_size.values()}):
        with bar(f"weight decay {decay:g}", quiet=quiet) as progress:
            reports.append(train_network(data, hidden, decay=decay, settings=settings, progress=progress)[1])
    return reports
