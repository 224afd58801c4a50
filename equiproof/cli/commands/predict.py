"""`equiproof predict`: decisions and logits of the float model and of the quantised one."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from equiproof.cli.commands.common import Json, tell

if TYPE_CHECKING:
    from equiproof.certify.data.dataset import Row
    from equiproof.circuits.spec import Spec


def predict(
    model: Annotated[Path, typer.Argument(help="The model folder that `train` or `import` wrote.")],
    rows: Annotated[Path, typer.Argument(help="Raw rows with their sensitive features: JSON or CSV.")],
    as_json: Json = False,
) -> None:
    """Run the float model and the quantised model on raw rows.

    Certificates are about the quantised model.
    """
    from equiproof.certify.data.rows import read_rows

    spec, predicted = _predictor(model)
    raw = read_rows(rows, spec=spec)
    with _naming(rows, raw, spec):
        decided = predicted(raw)
    tell(as_json=as_json, document={"rows": decided}, text=_text(decided))


@contextmanager
def _naming(path: Path, rows: Sequence[Row], spec: Spec) -> Iterator[None]:
    """Name the file and the row where one of the rows does not fit the spec; rows that fit cost nothing."""
    from equiproof.certify.data.dataset import DataError
    from equiproof.certify.data.rows import naming_row

    try:
        yield
    except DataError:
        for number, row in enumerate(rows, start=1):
            with naming_row(path, number, row, spec):
                spec.encode(row)
                spec.encode_sensitive(row)
        raise


def _predictor(folder: Path) -> tuple[Spec, Callable[[Sequence[Row]], list[dict[str, Any]]]]:
    """Return the spec of a model folder, and what both of its models make of rows."""
    from equiproof.certify.models.predict import predict as predict_rows
    from equiproof.certify.models.predict import predict_scores
    from equiproof.prover.ensemble_folder import holds_ensemble, load_ensemble
    from equiproof.prover.model_folder import load_model

    if holds_ensemble(folder):
        additive = load_ensemble(folder)
        return additive.spec, partial(predict_scores, additive.spec, additive.score, additive.quantised)
    owned = load_model(folder)
    return owned.spec, partial(predict_rows, owned.spec, owned.network, owned.quantised)


def _text(decided: list[dict[str, Any]]) -> str:
    """Write one line a row."""
    lines = [f"{'row':>5}  {'float':<24}{'quantised':<24}"]
    for number, row in enumerate(decided, start=1):
        cells = [
            f"{row[kind]['label'] or 'tie'} ({', '.join(f'{logit:+.4f}' for logit in row[kind]['logits'])})"
            for kind in ("float", "quantised")
        ]
        lines.append(f"{number:>5}  {cells[0]:<24}{cells[1]:<24}".rstrip())
    return "\n".join(lines)
