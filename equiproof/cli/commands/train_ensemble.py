"""The part of `equiproof train` for ensembles: boosted trees, forests and scorecards."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import typer

from equiproof.cli import steps
from equiproof.cli.commands.common import refuse_missing, tell
from equiproof.cli.commands.inspect import one_way

if TYPE_CHECKING:
    from equiproof.certify.data.dataset import Dataset
    from equiproof.circuits.spec import Feature, Spec
    from equiproof.prover.model_folder import TrainedOn


@dataclass(frozen=True)
class Boosting:
    """The options of a training of trees: the kind of model, trees, seed, direction of features, and depth.

    With `native`, boosted trees split one-hot categories by sets of their values.
    """

    model: str
    rounds: int
    seed: int
    monotone: Mapping[str, int]
    depth: int
    native: bool


@dataclass(frozen=True)
class OwnTable:
    """A table of the owner's own: its rows, their spec, and the column with the labels."""

    spec: Path
    rows: Path
    label: str

    def stated(self) -> TrainedOn:
        """Return what a report says of it."""
        from hashlib import sha256

        from equiproof.prover.model_folder import TrainedOn

        refuse_missing(self.spec, self.rows)
        return TrainedOn(self.rows.name, (), one_hot=False, own=sha256(self.rows.read_bytes()).hexdigest())

    def load(self) -> Dataset:
        """Read spec and rows; raises SpecError and RowsError naming the file, and DecisionsError for the column."""
        from equiproof.certify.models.own_table import read_own_table
        from equiproof.circuits.spec import load_spec

        return read_own_table(self.rows, load_spec(self.spec), self.label)


def train_ensemble(
    out: Path,
    on: TrainedOn,
    load: Callable[[], Dataset],
    options: Boosting,
    *,
    force: bool,
    as_json: bool,
) -> None:
    """Train an additive model and write its folder; a scorecard with the table of its points.

    `load` loads the data, of which `on` says where they come from.
    """
    from equiproof.certify.models.ensembles.scorecard import write_scorecard
    from equiproof.certify.models.ensembles.training import train_additive
    from equiproof.prover.ensemble_folder import SCORECARD_FILE, write_trained_ensemble

    _refuse_taken(out, force=force)
    data = load()
    with steps.step(f"training {data.name}"):
        score, card, report = train_additive(
            data,
            options.model,
            rounds=options.rounds,
            seed=options.seed,
            depth=options.depth,
            monotone=options.monotone,
            native=options.native,
        )
    table = None if card is None else write_scorecard(card)
    signs = {name: "+" if direction > 0 else "-" for name, direction in options.monotone.items()}
    figures = {"report": dataclasses.asdict(report), "monotone": signs}
    spec = _stating(data.spec, options.monotone)
    document = write_trained_ensemble(out, score, spec, on.of(data.spec), figures, scorecard=table, force=force)
    lines = [report.summary(), *(f"  {line}" for line in one_way(signs)), f"  model {out}"]
    if table is not None:
        lines.append(f"  its points: {out / SCORECARD_FILE}")
    tell(as_json=as_json, document=document | {"model": str(out)}, text="\n".join(lines))


def _stating(spec: Spec, monotone: Mapping[str, int]) -> Spec:
    """Return the spec with the directions of its non-sensitive numbers; other features state none."""
    import msgspec

    def stated(feature: Feature) -> Feature:
        """Return a feature with its direction."""
        if feature.name not in monotone or feature.sensitive or feature.kind != "numeric":
            return feature
        way: Literal["increasing", "decreasing"] = "increasing" if monotone[feature.name] > 0 else "decreasing"
        return msgspec.structs.replace(feature, monotone=way)

    return msgspec.structs.replace(spec, features=tuple(stated(feature) for feature in spec.features))


def _refuse_taken(out: Path, *, force: bool) -> None:
    """Refuse a folder that holds another kind of model, and one with a trained additive model unless `force`."""
    from equiproof.circuits.files import refuse_taken
    from equiproof.prover.ensemble_folder import refuse_other_model
    from equiproof.prover.model_folder import ENSEMBLE_FILE, IMPORT_FILE, SPEC_FILE, TRAINING_FILE

    refuse_other_model(out, IMPORT_FILE)
    refuse_taken((out / name for name in (ENSEMBLE_FILE, SPEC_FILE, TRAINING_FILE)), force=force)


def read_monotone(texts: Sequence[str] | None) -> dict[str, int]:
    """Read directions such as income=+; raises typer's own error for other text and for a feature named twice."""
    directions: dict[str, int] = {}
    for text in texts or ():
        name, _, sign = text.rpartition("=")
        if not name or sign not in ("+", "-") or name in directions:
            raise typer.BadParameter(f"--monotone: {text[:40]!r}: want FEATURE=+ or FEATURE=-, each feature once")
        directions[name] = 1 if sign == "+" else -1
    return directions
