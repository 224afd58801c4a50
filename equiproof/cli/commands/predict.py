"""`equiproof predict`: decisions and logits of the float model and of the quantised one."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from equiproof.cli.commands.common import Json, refuse_missing
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
from equiproof.cli.console import show, show_json, stages

if TYPE_CHECKING:
    from equiproof.certify.data.dataset import Row
    from equiproof.certify.models.decisions_compared import Decided
    from equiproof.certify.models.own_decisions import OwnDecisions
    from equiproof.certify.models.predict import Answers
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
    from equiproof.certify.models.predict import Answers

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
        answers = Answers.of(spec, made, fraction_bits)
        now = compared_with(options, own, made, spec)
    standing = replace(from_folder(model), counts=now.counts, compared=now.compared)
    if as_json:
        show_json({"rows": answers.documents()} | standing.document())
    else:
        show(_text(answers, own, standing))


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


def _text(answers: Answers, own: OwnDecisions | None, standing: Standing) -> str:
    """Write one line a row, and with decisions of the owner's own how they compare."""
    columns = {
        "row": range(1, len(answers.labels) + 1),
        "float": _cells(answers.labels, answers.logits),
        "quantised": _cells(answers.committed, answers.quantised),
        **({} if own is None else {"yours": own.written}),
    }
    form = "%5s  " + "%-24s" * (len(columns) - 1)
    lines = [(form % cells).rstrip() for cells in (tuple(columns), *zip(*columns.values(), strict=True))]
    return "\n".join([*standing.missing("--decisions COLUMN"), *lines, *standing.lines()])


def _cells(labels: Sequence[str | None], logits: Sequence[Sequence[float]]) -> list[str]:
    """Return the label and the logits of each row."""
    form = "%s (" + ", ".join(["%+.4f"] * len(logits[0])) + ")"
    return [form % (label or "tie", *some) for label, some in zip(labels, logits, strict=True)]
