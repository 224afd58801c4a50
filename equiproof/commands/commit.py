"""`equiproof commit`: quantise a model and commit to it under its spec."""

from __future__ import annotations

import dataclasses
import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from equiproof.commands.common import DataDir, Force, Json, tell
from equiproof.models import load_model, measured

if TYPE_CHECKING:
    from certify.quantise import QuantisationReport
    from prover.opening import Opening


def commit(
    model: Annotated[Path, typer.Argument(help="The model folder that `train` or `import` wrote.")],
    out: Annotated[Path, typer.Option("--out", help="Where commitment.json and opening.json (secret) go.")],
    rows: Annotated[
        Path | None, typer.Option("--rows", help="Measure on these raw rows (JSON or CSV) instead of the data set.")
    ] = None,
    data_dir: DataDir = None,
    force: Force = False,
    as_json: Json = False,
) -> None:
    """Quantise a model, report how far that departs from it, and commit to the integers."""
    from circuits import field
    from prover import commit as commit_to
    from prover.files import refuse_taken, write_files

    secret, public = out / "opening.json", out / "commitment.json"
    refuse_taken((secret, public), force=force)
    spec, network, quantised = load_model(model)
    report = measured(model, spec, network, quantised, rows, data_dir)
    opening = commit_to(quantised, spec)
    write_files({secret: opening.secret(), public: opening.public()}, secret=(secret,), force=force)
    document = {
        "model_commitment": field.to_hex(opening.commitment),
        "spec_digest": field.to_hex(spec.digest),
        "quantisation": None if report is None else dataclasses.asdict(report),
        "commitment": str(public),
        "opening": str(secret),
    }
    tell(as_json=as_json, document=document, text=_text(report, opening, out))


def _text(report: QuantisationReport | None, opening: Opening, out: Path) -> str:
    """Say what was committed."""
    from circuits import field

    sizes = ",".join(map(str, opening.network.hidden))
    setup = shlex.join(["equiproof", "setup", "--commitment", str(out / "commitment.json"), "--hidden", sizes])
    unmeasured = "not measured: how far the integers depart from the model is unknown; give raw rows with --rows"
    return "\n".join(
        [
            unmeasured if report is None else report.summary(),
            f"COMMITTED {field.to_hex(opening.commitment)}",
            f"  {out / 'commitment.json'}: publish it, the same for every customer",
            f"  {out / 'opening.json'}: keep it secret",
            f"  its keys: {setup} --keys FOLDER",
        ]
    )
