"""`equiproof predict`: decisions and logits of the float model and of the quantised one."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from equiproof.cli.commands.common import Json, tell


def predict(
    model: Annotated[Path, typer.Argument(help="The model folder that `train` or `import` wrote.")],
    rows: Annotated[Path, typer.Argument(help="Raw rows with their sensitive features: JSON or CSV.")],
    as_json: Json = False,
) -> None:
    """Run the float model and the quantised model on raw rows.

    Certificates are about the quantised model.
    """
    from equiproof.certify.data.rows import naming_row, read_rows
    from equiproof.certify.models.predict import predict as predict_row
    from equiproof.prover.model_folder import load_model

    owned = load_model(model)
    decided = []
    for number, row in enumerate(read_rows(rows, spec=owned.spec), start=1):
        with naming_row(rows, number, row, owned.spec):
            decided.append(predict_row(owned.spec, owned.network, owned.quantised, row))
    tell(as_json=as_json, document={"rows": decided}, text=_text(decided))


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
