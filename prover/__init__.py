"""The owner's side: key store, commitments, proofs and the certificates made from them.

A name is imported when it is first asked for: writing files whole (:mod:`prover.files`) needs no package of the search.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from prover.keys import KeyStore, KeyStoreError, StoredKey
    from prover.model_folder import write_model
    from prover.opening import Opening, OpeningError, commit, parse_opening
    from prover.prove import Proven, Prover

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
    "write_model",
]

_PLACES = {
    "KeyStore": "keys",
    "KeyStoreError": "keys",
    "Opening": "opening",
    "OpeningError": "opening",
    "Proven": "prove",
    "Prover": "prove",
    "StoredKey": "keys",
    "commit": "opening",
    "parse_opening": "opening",
    "write_model": "model_folder",
}

if not TYPE_CHECKING:  # or no misspelled name would be noticed

    def __getattr__(name: str) -> object:
        """Return a public name from the module that defines it."""
        if name not in _PLACES:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        return getattr(import_module(f"{__name__}.{_PLACES[name]}"), name)
