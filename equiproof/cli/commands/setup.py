"""`equiproof setup`: the keys of a model's shape at one capacity."""

from __future__ import annotations

from typing import Annotated

import typer

from equiproof.circuits.proof_systems import DEFAULT_PROOF_SYSTEM, ProofSystem
from equiproof.circuits.schemes import DEFAULT_SCHEME, Scheme
from equiproof.cli.commands.common import (
    CommitmentFile,
    Force,
    Json,
    KeysFolder,
    OwnerSecret,
    SchemeName,
    sizes,
    tell,
)
from equiproof.cli.console import spinner


def setup(
    commitment: CommitmentFile,
    keys: KeysFolder,
    hidden: Annotated[str, typer.Option(help="Sizes of the model's hidden layers, such as 4,2; `commit` prints them.")],
    scheme: SchemeName = DEFAULT_SCHEME,
    capacity: Annotated[
        int | None,
        typer.Option(
            help="How many leaves or regions a proof can hold, a power of two. Default: 32, or the least that fits.",
            min=2,
        ),
    ] = None,
    proof_system: Annotated[
        ProofSystem,
        typer.Option(help="How to prove: groth16-bn254 is faster and smaller, plonk-bn254 takes universal powers."),
    ] = DEFAULT_PROOF_SYSTEM,
    owner_secret: OwnerSecret = None,
    force: Force = False,
    as_json: Json = False,
) -> None:
    """Make the proving and verifying keys for a model's shape.

    Needs no opening. Whoever runs it could forge proofs under these keys. `prove` accepts keys only with the mark that
    this command leaves under your owner's secret, since whoever makes a proving key could also read the model.
    """
    from equiproof.circuits.shape import shape_of
    from equiproof.prover import KeyStore
    from equiproof.prover.owner import default_secret
    from equiproof.verifier.documents import load_commitment

    spec = load_commitment(commitment).spec
    shape = shape_of(scheme, spec, sizes(hidden), capacity_for(scheme, len(spec.domain_table), capacity))
    with spinner(f"making keys for {shape.name}", quiet=as_json):
        key = KeyStore(keys, owner_secret).setup(shape, proof_system=proof_system, force=force)
    text = (
        f"KEYS {key.folder}\n  {key.document.constraints} constraints, fingerprint {key.document.fingerprint}\n"
        f"  proof system: {proof_system}\n"
        f"  marked as yours under {owner_secret or default_secret()}: `prove` accepts no other keys\n"
        "  set-up: single-party. Whoever ran it could forge proofs under these keys; verification says so."
    )
    tell(as_json=as_json, document=key.summary(), text=text)


def capacity_for(scheme: Scheme, slices: int, requested: int | None) -> int:
    """Return the requested capacity, or the default one; raises typer's own error for one that has no circuit."""
    from equiproof.circuits.shape import default_capacity, least_capacity

    if requested is None:
        return default_capacity(scheme, slices)
    if requested & (requested - 1):
        power = 1 << (requested.bit_length() - 1)
        raise typer.BadParameter(f"--capacity {requested} is not a power of two: use {power} or {2 * power}")
    if requested < (least := least_capacity(scheme, slices)):
        raise typer.BadParameter(f"{slices} values of the sensitive features need --capacity {least} or more")
    return requested
