"""The owner's side: commitments and openings, the key store, witnesses, proofs and certificates.

The names below are imported when they are first used, so that importing one needs no package of the others.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from equiproof.lazy import lazily

if TYPE_CHECKING:
    from equiproof.prover.errors import KeyStoreError
    from equiproof.prover.keys import KeyStore, StoredKey
    from equiproof.prover.opening import Opening, OpeningError, commit, parse_opening
    from equiproof.prover.prove import Proven, Prover

__all__ = [
    "KeyStore",
    "KeyStoreError",
    "Opening",
    "OpeningError",
    "Proven",
    "Prover",
    "StoredKey",
    "commit",
    "parse_opening",
]

_MODULES = {
    "KeyStore": "keys",
    "KeyStoreError": "errors",
    "Opening": "opening",
    "OpeningError": "opening",
    "Proven": "prove",
    "Prover": "prove",
    "StoredKey": "keys",
    "commit": "opening",
    "parse_opening": "opening",
}

if not TYPE_CHECKING:  # a type checker would otherwise accept any name
    __getattr__, __dir__ = lazily(__name__, _MODULES)
