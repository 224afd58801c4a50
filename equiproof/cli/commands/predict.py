"""`equiproof predict`: decisions and logits of the float model and of the quantised one."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from equiproof.cli.commands.common import Json, refuse_missing, tell
from equiproof.cli.commands.own_decisions import (
    AcceptLabels,
    AllowDiffering,
    Cut,
    Decisions,
    OwnOptions,
    Standing,
    compared_with,
    from_folder,
)
from equiproof.cli.console import stages

if TYPE_CHECKING:
    from equiproof.certify.data.dataset import Row
    from equiproof.certify.models.decisions_compared import Decided
    from equiproof.certify.models.own_decisions import OwnDecisions
    from equiproof.circuits.spec import Spec


def predict(
    model: Annotated[Path, typer.Argument(help="The model folder that `train` or `import` wrote.")],
    rows: Annotated[Path, typer.Argument(help="Raw rows with their sensitive features: JSON or CSV.")],
    decisions: Decisions = None,
    cut: Cut = None,
    allow_differing: AllowDiffering = None,
    accept_labels: AcceptLabels = False,
    as_json: Json = False,
) -> None:
    """Run the float model and the quantised model on raw rows.

    Certificates are about the quantised model. With --decisions, both are compared with the decisions of your own
    system.
    """
    from equiproof.certify.models.own_decisions import read_decided_rows
    from equiproof.certify.models.predict import documents

    options = OwnOptions(decisions, cut, allow_differing, accept_labels, known=decisions is None)
    options.refuse_misfits(rows)
    refuse_missing(model, rows)
    with stages("reading the model", quiet=as_json) as begin:
        begin("reading the model", 0, 4)
        spec, fraction_bits, decide = _decider(model)
        begin("reading the rows", 1, 4)
        raw, own = read_decided_rows(rows, spec, decisions, cut)
        begin("deciding them", 2, 4)
        with _naming(rows, raw, spec):
            made = decide(raw)
        begin("comparing decisions", 3, 4)
        decided = documents(spec, made, fraction_bits)
        now = compared_with(options, own, made, spec)
    standing = replace(from_folder(model), counts=now.counts, compared=now.compared)
    tell(as_json=as_json, document={"rows": decided} | standing.document(), text=_text(decided, own, standing))


@contextmanager
def _naming(path: Path, rows: Sequence[Row], spec: Spec) -> Iterator[None]:
    """Name the file and the row where one of the rows does not fit the spec; rows that fit cost nothing."""
    from equiproof.certify.data.dataset import DataError
    from equiproof.certify.data.rows import naming_row

    try:
        yield
    except DataError:
        for number, row in enumerate(rows, start=1):
            with naming_row(path, number, dict(row), spec):
                spec.encode(row)
                spec.encode_sensitive(row)
        raise


def _decider(folder: Path) -> tuple[Spec, int, Callable[[Sequence[Row]], Decided]]:
    """Return the spec of a model folder, the fraction bits of its committed logits, and what decides rows."""
    from equiproof.certify.models.decisions_compared import network_decided
    from equiproof.certify.models.ensembles.decided import score_decided
    from equiproof.prover.ensemble_folder import holds_ensemble, load_ensemble
    from equiproof.prover.model_folder import load_model

    if holds_ensemble(folder):
        model = load_ensemble(folder)
        decide = partial(score_decided, model.score, model.quantised, model.spec)
        return model.spec, model.quantised.logit_fraction_bits, decide
    owned = load_model(folder)
    decide = partial(network_decided, owned.network, owned.quantised, owned.spec)
    return owned.spec, owned.quantised.logit_fraction_bits, decide


def _text(decided: list[dict[str, Any]], own: OwnDecisions | None, standing: Standing) -> str:
    """Write one line a row, and with decisions of the owner's own how they compare."""
    heads = ["float", "quantised", *(["yours"] if own is not None else [])]
    lines = [f"{'row':>5}  {''.join(f'{head:<24}' for head in heads)}".rstrip()]
    signed = "{:+.4f}".format
    for number, row in enumerate(decided, start=1):
        cells = [
            f"{made['label'] or 'tie'} ({', '.join(map(signed, made['logits']))})"
            for made in (row["float"], row["quantised"])
        ]
        cells += [] if own is None else [own.written[number - 1]]
        lines.append(f"{number:>5}  {''.join([f'{cell:<24}' for cell in cells])}".rstrip())
    return "\n".join([*standing.missing("--decisions COLUMN"), *lines, *standing.lines()])
