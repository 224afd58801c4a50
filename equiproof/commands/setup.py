"""`equiproof setup`: the keys of a model's shape and one capacity."""

from __future__ import annotations

from typing import Annotated

import typer

from equiproof.commands.common import CommitmentFile, Force, Json, KeysFolder, load, sizes, tell
from equiproof.console import spinner


def setup(
    commitment: CommitmentFile,
    keys: KeysFolder,
    hidden: Annotated[str, typer.Option(help="Sizes of the model's hidden layers.")] = "4,2",
    capacity: Annotated[int, typer.Option(help="How many regions a proof holds, a power of two.", min=2)] = 32,
    force: Force = False,
    as_json: Json = False,
) -> None:
    """Make the proving and verifying keys of a shape; needs nothing secret. Whoever runs it could forge proofs."""
    from circuits.shape import traversal_shape
    from prover import KeyStore
    from verifier import parse_commitment

    spec = load(parse_commitment, commitment).spec
    shape = traversal_shape(spec, sizes(hidden), capacity)
    with spinner(f"making keys for {shape.name}", quiet=as_json):
        key = KeyStore(keys).setup(shape, force=force)
    document = {
        "key": str(key.folder),
        "fingerprint": key.document.fingerprint,
        "setup": key.document.setup,
        "constraints": key.document.constraints,
    }
    text = (
        f"KEYS {key.folder}\n  {key.document.constraints} constraints, fingerprint {key.document.fingerprint}\n"
        "  set-up: single-party. Whoever ran it could forge proofs under these keys; verification says so."
    )
    tell(as_json=as_json, document=document, text=text)
