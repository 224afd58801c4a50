"""The owner's side: key store, commitments, proofs and the certificates made from them."""

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
