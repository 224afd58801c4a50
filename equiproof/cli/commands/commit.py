"""`equiproof commit`: quantise a model and commit to it under its spec."""

from __future__ import annotations

import dataclasses
import shlex
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from equiproof.cli.commands.common import DataDir, Force, Json, PadTo, refuse_missing, standard_shape, tell
from equiproof.cli.commands.own_decisions import (
    AcceptLabels,
    AllowDiffering,
    Cut,
    Decisions,
    OwnOptions,
    from_folder,
    given,
    stand,
)
from equiproof.cli.console import stages

if TYPE_CHECKING:
    from equiproof.certify.data.dataset import Dataset, Row
    from equiproof.certify.ensemble import ScoredModel
    from equiproof.certify.models.comparison import Comparison
    from equiproof.certify.models.decisions_compared import Decided
    from equiproof.certify.models.fidelity import Fidelity
    from equiproof.certify.network import QuantisedNetwork
    from equiproof.circuits.spec import Spec
    from equiproof.circuits.standard import StandardShape
    from equiproof.circuits.standard_scores import StandardScore
    from equiproof.prover.ceremony.chain import Report
    from equiproof.prover.ensemble_folder import AdditiveFolder
    from equiproof.prover.model_folder import Model
    from equiproof.prover.opening import Opening


def commit(
    model: Annotated[Path, typer.Argument(help="The model folder that `train` or `import` wrote.")],
    out: Annotated[Path, typer.Option("--out", help="The folder for commitment.json and opening.json (secret).")],
    rows: Annotated[
        Path | None,
        typer.Option("--rows", help="Raw rows (JSON or CSV) to measure the rounding on, instead of the data set."),
    ] = None,
    decisions: Decisions = None,
    cut: Cut = None,
    allow_differing: AllowDiffering = None,
    accept_labels: AcceptLabels = False,
    data_dir: DataDir = None,
    pad_to: PadTo = None,
    force: Force = False,
    as_json: Json = False,
) -> None:
    """Quantise a model to integers and commit to them.

    Reports how much the rounding changes. Refuses a model that decides otherwise than your own system did
    (--decisions), one whose sensitive columns lose more than 1 % of their weight, unless its spec allows loss, and one
    that does not move as its spec states (monotone). The commitment is public; the opening is secret. With --pad-to,
    columns and neurons of weight zero, or thresholds and splits that change no score, are added up to a standard shape:
    nothing is decided otherwise, and the model shares its keys.
    """
    from equiproof.certify.models.fidelity import refuse_loss
    from equiproof.circuits.files import refuse_taken, write_files
    from equiproof.prover.model_folder import how_to_round_finer

    shape = None if pad_to is None else standard_shape(pad_to)
    secret = out / "opening.json"
    public = out / "commitment.json"
    refuse_taken((secret, public), force=force)
    own = OwnOptions(decisions, cut, allow_differing, accept_labels)
    own.refuse_misfits(rows)
    refuse_missing(model, rows)
    with stages("reading the model", quiet=as_json) as begin:
        begin("reading the model", 0, 4)
        owned = _read(model, shape, rows, data_dir, begin)
        begin("deciding the rows", 2, 4)
        # One label for everybody is no news of a model that was trained here, or compared when it was imported.
        kept = from_folder(model)
        known = decisions is None and not kept.missing()
        there = given(own, owned.spec, rows, owned.data)
        now = stand(replace(own, known=known), owned.spec, there, owned.decide)
        standing = replace(kept, counts=now.counts, compared=now.compared)
        refuse_loss(owned.spec, owned.report, how_to_round_finer(model), flips=False)
        begin("committing", 3, 4)
        opening = owned.committed(standing.kept)
    write_files({secret: opening.secret(), public: opening.public()}, secret=(secret,), force=force)
    document = {
        **opening.digests(),
        "fidelity": dataclasses.asdict(owned.report),
        **standing.document(),
        "commitment": str(public),
        "opening": str(secret),
        "padded_to": pad_to,
    }
    text = [*standing.missing(), *standing.lines(), _text(owned.report, opening, out, pad_to)]
    tell(as_json=as_json, document=document, text="\n".join(text))


@dataclass(frozen=True)
class _Owned:
    """A model folder as it is committed: its spec, what rounding changes, its data set if that is what is measured on.

    `decide` decides raw rows; `committed` commits to the integers, with a comparison to keep.
    """

    spec: Spec
    report: Fidelity
    data: Dataset | None
    decide: Callable[[Sequence[Row]], Decided]
    committed: Callable[[Comparison | None], Opening]


def _read(
    folder: Path, shape: StandardShape | StandardScore | None, rows: Path | None, data_dir: Path | None, begin: Report
) -> _Owned:
    """Read a model folder, and measure what rounding changes; `begin` shows which of both goes on."""
    from equiproof.circuits.standard_scores import StandardScore
    from equiproof.prover.ensemble_folder import holds_ensemble

    if holds_ensemble(folder):
        if shape is not None and not isinstance(shape, StandardScore):
            raise typer.BadParameter(f"--pad-to {shape.name} is for networks, and {folder} holds no network")
        return _read_score(folder, shape, rows, data_dir, begin)
    if isinstance(shape, StandardScore):
        raise typer.BadParameter(f"--pad-to {shape.name} is for additive models and trees, and {folder} holds none")
    return _read_network(folder, shape, rows, data_dir, begin)


def _read_network(
    folder: Path, shape: StandardShape | None, rows: Path | None, data_dir: Path | None, begin: Report
) -> _Owned:
    """Read the folder of a network."""
    from equiproof.certify.models.decisions_compared import network_decided
    from equiproof.prover import commit as commit_to
    from equiproof.prover.model_folder import load_model, load_model_data, measured

    owned = load_model(folder)
    begin("comparing it with its integers", 1, 4)
    data = load_model_data(folder, owned.spec, data_dir) if rows is None else None
    report = measured(owned, rows=rows, data=data)
    decide = partial(network_decided, owned.network, owned.quantised, owned.spec)
    return _Owned(
        owned.spec, report, data, decide, lambda compared: commit_to(*_padded(owned, shape), compared=compared)
    )


def _read_score(
    folder: Path, shape: StandardScore | None, rows: Path | None, data_dir: Path | None, begin: Report
) -> _Owned:
    """Read the folder of an additive model or of trees."""
    from equiproof.certify.models.ensembles.decided import score_decided
    from equiproof.certify.models.ensembles.gaps import gaps
    from equiproof.prover import commit as commit_to
    from equiproof.prover.ensemble_folder import load_ensemble, measured_ensemble
    from equiproof.prover.model_folder import load_model_data

    owned = load_ensemble(folder)
    committed = _padded_score(owned, shape)
    begin("comparing it with its integers", 1, 4)
    data = load_model_data(folder, owned.spec, data_dir) if rows is None else None
    report = measured_ensemble(owned.score, owned.quantised, owned.spec, rows=rows, data=data)
    between = gaps(owned.score, owned.quantised, owned.spec)
    decide = partial(score_decided, owned.score, owned.quantised, owned.spec)
    return _Owned(owned.spec, report, data, decide, lambda compared: commit_to(*committed, between, compared))


def _padded(owned: Model, shape: StandardShape | None) -> tuple[QuantisedNetwork, Spec]:
    """Return what is committed: the model's own integers and spec, or both padded."""
    from equiproof.prover.padding import pad

    return (owned.quantised, owned.spec) if shape is None else pad(owned.quantised, owned.spec, shape)


def _padded_score(owned: AdditiveFolder, shape: StandardScore | None) -> tuple[ScoredModel, Spec]:
    """Return what is committed of a score: its own integers and spec, or both padded."""
    from equiproof.prover.padding import pad_score

    return (owned.quantised, owned.spec) if shape is None else pad_score(owned.quantised, owned.spec, shape)


def _text(report: Fidelity, opening: Opening, out: Path, pad_to: str | None) -> str:
    """Write what was committed, and how to set up its keys."""
    from equiproof.circuits import field

    setup = shlex.join(["equiproof", "setup", "--opening", str(out / "opening.json")])
    return "\n".join(
        [
            report.summary(),
            *_warning(report),
            f"COMMITTED {field.to_hex(opening.commitment)}",
            *([] if pad_to is None else [f"  padded to standard shape {pad_to}: its keys may be there already"]),
            f"  {out / 'commitment.json'}: publish it, the same for every customer",
            f"  {out / 'opening.json'}: keep it secret",
            f"  its keys: {setup} --keys FOLDER",
        ]
    )


def _warning(report: Fidelity) -> list[str]:
    """Warn of rows whose decision depends on the sensitive features in the float model only."""
    if report.rows is None or not report.rows.flips_lost:
        return []
    row = f"row {report.rows.first_lost} of {report.rows.name}"
    return [f"WARNING: {row} flips in the float model, not after rounding; certificates are about the integers"]
