"""The proof systems by name. All prove the same circuits from the same witnesses, for the same statement digests.

A further one is a name here, its method in go-gnark/system and its plain-Python check in :mod:`equiproof.verifier`. No
module of a room is imported here: options of commands are defined before any room is loaded.
"""

from __future__ import annotations

from typing import Literal, get_args

ProofSystem = Literal["groth16-bn254", "plonk-bn254"]
"""`groth16-bn254` needs a set-up for each circuit, `plonk-bn254` one for all circuits up to a size."""

PROOF_SYSTEMS: tuple[ProofSystem, ...] = get_args(ProofSystem)

DEFAULT_PROOF_SYSTEM: ProofSystem = "groth16-bn254"
"""The proof system of set-up where none is named: the smallest proofs, the fastest to make and to check."""

PROOF_BYTES: dict[ProofSystem, int] = {"groth16-bn254": 196, "plonk-bn254": 584}
"""The length of every proof."""

KEPT_PROOF_BYTES = 228
"""The length of every proof of `groth16-bn254` about a kept model, which has two commitments."""
