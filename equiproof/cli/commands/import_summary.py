"""What `import` prints: a model that was imported, how it was compared, and how to continue."""

from __future__ import annotations

import dataclasses
import shlex
from pathlib import Path
from typing import TYPE_CHECKING

from equiproof.cli.commands.common import tell
from equiproof.cli.commands.own_decisions import OwnOptions, Standing

if TYPE_CHECKING:
    from equiproof.prover.import_steps import Bound
    from equiproof.prover.imports import ImportedModel


def conclude(imported: ImportedModel, model: Path, out: Path, following: str, *, as_json: bool) -> None:
    """Print what was imported, from one path to the other, and the command that follows."""
    from equiproof.prover.model_folder import SPEC_FILE

    standing = Standing.of(imported.judged)
    document = imported.bound.document() | {
        "model": str(out),
        "notes": list(imported.notes),
        "fidelity": dataclasses.asdict(imported.fidelity),
        **standing.document(),
    }
    spec = imported.spec
    names = ", ".join(feature.name for feature in spec.sensitive_features)
    shape = _shape(imported.bound)
    lines = [
        f"sensitive: {names} ({len(spec.domain_table)} joint values); labels: {', '.join(spec.labels)}",
        *standing.lines(),
        *shape[1:],
        *(f"note: {note}" for note in imported.notes),
        *imported.fidelity.summary().splitlines(),
        f"model {out}, its meaning {out / SPEC_FILE}",
        following,
    ]
    head = [*standing.missing(), f"IMPORTED {model}: {imported.kind}, {shape[0]}"]
    tell(as_json=as_json, document=document, text="\n".join([*head, *(f"  {line}" for line in lines)]))


def next_command(out: Path, rows: Path | None, own: OwnOptions) -> str:
    """Return the next command, which measures on the same rows and takes labels as they are meant."""
    more = "" if rows is None else f" --rows {shlex.quote(str(rows))}"
    accept = " --accept-labels" if own.meant else ""
    return f"next: equiproof commit {out}{more}{accept} --out FOLDER"


def _shape(bound: Bound) -> list[str]:
    """Return what is said of a model's size, and in lines of their own what more there is to say of its layers."""
    from equiproof.certify.models.importing.imported import Imported

    if not isinstance(bound, Imported):
        plain, sensitive = bound.model.predicates
        return [f"{bound.trees} trees, predicates {plain}+{sensitive}"]
    hidden = ",".join(map(str, bound.network.hidden))
    shape = f"{len(bound.columns)} inputs, hidden layers {hidden}, {bound.network.logit_count} logit(s)"
    return [shape, *(f"folded into {line}" for line in bound.folded)]
