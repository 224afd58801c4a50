"""`equiproof setup`: the keys of a model's shape and one capacity."""

from __future__ import annotations

from typing import Annotated

import typer

from circuits.schemes import DEFAULT_SCHEME, Scheme
from equiproof.commands.common import (
    CommitmentFile,
    Force,
    Json,
    KeysFolder,
    SchemeName,
    load,
    sizes,
    tell,
)
from equiproof.console import spinner

DEFAULT_CAPACITY = 32
"""The least capacity that is made where none is asked for; costs are shown up to it at least."""


def setup(
    commitment: CommitmentFile,
    keys: KeysFolder,
    hidden: Annotated[str, typer.Option(help="Sizes of the model's hidden layers, such as 4,2: `commit` says which.")],
    scheme: SchemeName = DEFAULT_SCHEME,
    capacity: Annotated[
        int | None,
        typer.Option(
            help="How many leaves or regions a proof holds, a power of two; by default the first from 32 that fits.",
            min=2,
        ),
    ] = None,
    force: Force = False,
    as_json: Json = False,
) -> None:
    """Make the proving and verifying keys of a shape; needs nothing secret. Whoever runs it could forge proofs."""
    from circuits.shape import shape_of
    from prover import KeyStore
    from verifier import parse_commitment

    spec = load(parse_commitment, commitment).spec
    shape = shape_of(scheme, spec, sizes(hidden), capacity_for(scheme, len(spec.domain_table), capacity))
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


def capacity_for(scheme: Scheme, slices: int, asked: int | None) -> int:
    """Return the capacity asked for, or by default the first from 32 that a scheme has a circuit of."""
    from circuits.shape import least_capacity

    least = least_capacity(scheme, slices)
    if asked is None:
        return max(DEFAULT_CAPACITY, least)
    if asked & (asked - 1):
        power = 1 << (asked.bit_length() - 1)
        raise typer.BadParameter(f"--capacity {asked} is no power of two: {power} or {2 * power}")
    if asked < least:
        raise typer.BadParameter(f"{slices} values of the sensitive features need --capacity {least} or more")
    return asked
