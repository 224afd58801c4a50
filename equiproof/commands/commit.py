"""`equiproof commit`: quantise a model and commit to it under its spec."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from equiproof.commands.common import (
    REPORT_FILE,
    SPEC_FILE,
    DataDir,
    Force,
    Json,
    load_data,
    load_model,
    tell,
)

if TYPE_CHECKING:
    from certify.data.dataset import Dataset
    from certify.quantise import QuantisationReport
    from circuits.spec import Spec


def commit(
    model: Annotated[Path, typer.Argument(help="The model folder that `train` wrote.")],
    out: Annotated[Path, typer.Option("--out", help="Where commitment.json and opening.json (secret) go.")],
    data_dir: DataDir = None,
    force: Force = False,
    as_json: Json = False,
) -> None:
    """Quantise a model, report how far that departs from it, and commit to the integers."""
    from certify.quantise import measure
    from circuits import field
    from prover import commit as commit_to
    from prover.files import refuse_taken, write_files

    secret, public = out / "opening.json", out / "commitment.json"
    refuse_taken((secret, public), force=force)
    spec, network, quantised = load_model(model)
    report = measure(network, quantised, _trained_on(model, spec, data_dir))
    opening = commit_to(quantised, spec)
    write_files({secret: opening.secret(), public: opening.public()}, secret=(secret,), force=force)
    document = {
        "model_commitment": field.to_hex(opening.commitment),
        "spec_digest": field.to_hex(spec.digest),
        "quantisation": dataclasses.asdict(report),
        "commitment": str(public),
        "opening": str(secret),
    }
    tell(as_json=as_json, document=document, text=_text(report, opening.commitment, out))


def _trained_on(model: Path, spec: Spec, data_dir: Path | None) -> Dataset:
    """Load the data set that a model folder was trained on, which must have the folder's spec."""
    from certify.data.dataset import LOADERS
    from circuits.canonical import DocumentError

    path = model / REPORT_FILE
    try:
        name = json.loads(path.read_bytes())["dataset"]
    except (ValueError, KeyError, TypeError, RecursionError):
        name = None
    if not isinstance(name, str) or name not in LOADERS:
        raise DocumentError(f"{path}: not the report of a training of {spec.name!r}")
    data = load_data(name, data_dir)
    if data.spec != spec:
        raise DocumentError(f"{model / SPEC_FILE}: not the spec of {name!r}, the data set that {path.name} names")
    return data


def _text(report: QuantisationReport, commitment: int, out: Path) -> str:
    """Say what was committed."""
    from circuits import field

    return "\n".join(
        [
            report.summary(),
            f"COMMITTED {field.to_hex(commitment)}",
            f"  {out / 'commitment.json'}: publish it, the same for every customer",
            f"  {out / 'opening.json'}: keep it secret",
        ]
    )
