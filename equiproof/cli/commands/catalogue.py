"""`equiproof setup --catalogue`: what the keys of every standard shape cost; it makes those that are missing."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from equiproof.circuits.proof_systems import DEFAULT_PROOF_SYSTEM
from equiproof.cli.commands.common import standard_shape, tell
from equiproof.cli.commands.inspect import COST_HEADER, MEASURED, cost_cells
from equiproof.cli.console import show, spinner

if TYPE_CHECKING:
    from equiproof.circuits.schemes import Scheme
    from equiproof.circuits.spec import Spec
    from equiproof.prover import KeyStore


def set_up_catalogue(
    spec: Spec, store: KeyStore, scheme: Scheme, capacity: int, *, yes: bool, force: bool, as_json: bool
) -> None:
    """Print the costs for models like that of a spec; with `yes`, then make the keys of every shape with a circuit.

    Keys that are there already are left as they are, unless `force`.
    """
    from equiproof.prover.catalogue import catalogue

    document = catalogue(spec, scheme, capacity)
    if not as_json:
        show("\n".join(_text(document)))
    document["keys"] = _made(document, spec, store, force=force, quiet=as_json) if yes else []
    last = [f"KEYS {key['key']}" for key in document["keys"]] or ["no key was missing"]
    if not yes:
        last = ["made none: --pad-to SHAPE makes the keys of one, --catalogue --yes those of all"]
    tell(as_json=as_json, document=document, text="\n".join(last))


def _made(document: dict[str, Any], spec: Spec, store: KeyStore, *, force: bool, quiet: bool) -> list[dict[str, Any]]:
    """Make the keys of the shapes that have a cost; return their summaries."""
    from equiproof.prover.catalogue import keyed

    stored_keys = () if force else store.all()
    stored_shapes = {key.document.shape for key in stored_keys if key.document.proof_system == DEFAULT_PROOF_SYSTEM}
    made = []
    for entry in document["shapes"]:
        named = standard_shape(entry["name"])
        shape = entry["cost"] and keyed(named, document["scheme"], spec, document["capacity"])
        if shape and shape not in stored_shapes:
            with spinner(f"making keys for {entry['name']}", quiet=quiet):
                made.append(store.setup(shape, force=force).summary())
    return made


def _text(document: dict[str, Any]) -> list[str]:
    """Write the costs, and what other models must have alike."""
    lines = [f"{'K = ' + str(document['capacity']):<15}{COST_HEADER}"]
    for entry in document["shapes"]:
        cells = entry["reason"] if entry["cost"] is None else cost_cells(entry["cost"])
        lines.append(f"{entry['name']:<14} {cells}")
    if alike := document["agreed"]:
        lines.append("one key serves every padded model with " + ", ".join(f"{k} {v}" for k, v in _spoken(alike)))
    return [*lines, MEASURED]


def _spoken(alike: dict[str, Any]) -> list[tuple[str, Any]]:
    """Return what must be alike with its names as people read them."""
    return [(name.replace("_", " "), value) for name, value in alike.items()]
