"""`equiproof predict`: decisions and logits of the float model and of the quantised one."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from equiproof.commands.common import Json, tell
from equiproof.models import load_model
from equiproof.rows import Row, RowsError, read_rows, unknown

if TYPE_CHECKING:
    from certify.model import Network
    from certify.network import QuantisedNetwork
    from circuits.spec import Spec


def predict(
    model: Annotated[Path, typer.Argument(help="The model folder that `train` or `import` wrote.")],
    rows: Annotated[Path, typer.Argument(help="Raw rows with their sensitive features: JSON or CSV.")],
    as_json: Json = False,
) -> None:
    """Decide about raw rows with both models: the float one, and the quantised one that certificates speak about."""
    from circuits.spec import SpecError

    spec, network, quantised = load_model(model)
    decided = []
    for number, row in enumerate(read_rows(rows), start=1):
        try:
            decided.append(_decide(spec, network, quantised, row))
        except SpecError as error:
            raise RowsError(f"{rows}: row {number}: {error}{unknown(row, spec)}") from None
    tell(as_json=as_json, document={"rows": decided}, text=_text(decided))


def _decide(spec: Spec, network: Network, quantised: QuantisedNetwork, row: Row) -> dict[str, Any]:
    """Run both models on one row; quantised logits are shown in the float model's scale, threshold included."""
    import numpy as np

    from certify.network import decide

    integers = (*spec.encode(row), *spec.encode_sensitive(row))
    columns = np.array([integers], dtype=float) / spec.scale_unit
    logits = network.logits(columns)[0] - (float(spec.threshold) if spec.logits == 1 else 0.0)
    exact = quantised.logits(integers)
    label, quantised_label = int(network.decide(columns, float(spec.threshold))[0]), decide(exact)
    return {
        "float": {"label": spec.labels[label], "logits": [round(float(logit), 6) for logit in logits]},
        "quantised": {
            "label": None if quantised_label is None else spec.labels[quantised_label],
            "logits": [round(logit / (1 << quantised.logit_fraction_bits), 6) for logit in exact],
            "integer_logits": [str(logit) for logit in exact],
        },
    }


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
