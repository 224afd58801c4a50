"""What every prover does: it holds a loaded key, makes a proof of a witness, and doubts it before anyone sees it."""

from __future__ import annotations

from collections.abc import Mapping
from time import perf_counter
from typing import Any, Self

from equiproof.circuits import field
from equiproof.circuits.statement import Stated
from equiproof.prover.features import plain_features
from equiproof.prover.keys import StoredKey, doubting, load_verifying, prove_with
from equiproof.prover.opening import Opening
from equiproof.verifier.certificate import KeyedFile, KeyReference
from equiproof.verifier.documents import QUERY, QueryDocument, check_context


class Clock:
    """Wall time by named laps."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}
        self._last = perf_counter()

    def lap(self, name: str) -> None:
        """Record the time since the last lap."""
        now = perf_counter()
        self.seconds[name], self._last = now - self._last, now


class Proving:
    """One committed model under one key, whose proving key is loaded. Close it, or use it as a context manager."""

    def __init__(self, opening: Opening, key: StoredKey) -> None:
        self.opening = opening
        self.key = key
        self._loaded = key.load()
        self._native = self._loaded.__enter__()

    def close(self) -> None:
        """Free the proving key."""
        self._loaded.__exit__(None, None, None)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def _reference(self) -> KeyReference:
        """The key as a certificate names it."""
        return KeyReference(self.key.document.fingerprint, self.key.document.setup)

    def _prove(self, witness: bytes) -> bytes:
        """Prove a witness."""
        return prove_with(self.key.folder, self._native, witness)

    def _doubt(self, read: KeyedFile, statement: Stated) -> None:
        """Verify a finished certificate that was read from its own bytes; raises KeyStoreError where it fails."""
        made = read.to_statement()
        if made != statement:
            raise AssertionError("a certificate reads back as another statement")
        # The library alone: the steps before the proof follow from the statement, which was just compared.
        key = self.key
        with load_verifying(key.folder, key.verifying, read.proof_system) as verifier, doubting(key.folder):
            verifier.verify(field.to_bytes(made.digest(key.document.shape)), read.proof_bytes)


def bound_context(context: Mapping[str, str] | None) -> dict[str, str]:
    """Return what a certificate is made for; raises CertificateFormatError for what no policy would demand."""
    return {} if context is None else check_context(dict(context), "context")


def query_of(opening: Opening, row: Mapping[str, Any], blinding: int) -> QueryDocument:
    """Return the query file of an applicant's raw row."""
    return QueryDocument(QUERY[0], QUERY[1], plain_features(opening.spec, row), field.to_hex(blinding))
