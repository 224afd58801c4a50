"""What every prover does: it holds a loaded key, makes a proof of a witness, and doubts it before anyone sees it."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter
from typing import Any, Self

from equiproof.circuits import field
from equiproof.circuits.statement import Stated
from equiproof.ffi.backend import VerifyingKey
from equiproof.prover.errors import KeyStoreError
from equiproof.prover.features import plain_features
from equiproof.prover.keys import StoredKey, doubting, load_verifying, prove_with
from equiproof.prover.linking import KeptModel, OwnLink
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


@dataclass(frozen=True)
class _Kept:
    """A kept model under a loaded key, its link, and what verifies certificates beside it."""

    model: KeptModel
    link: OwnLink
    verifier: VerifyingKey


class Proving:
    """One committed model under one key, whose proving key is loaded. Close it, or use it as a context manager.

    `links` is the folder where the owner publishes the links of kept keys, that of the commitment: the link of this key
    is made and written there the first time. Raises KeyStoreError for a kept key without such a folder.
    """

    def __init__(self, opening: Opening, key: StoredKey, links: Path | None = None) -> None:
        self.opening = opening
        self.key = key
        if key.document.shape.kept and links is None:
            raise KeyStoreError(
                f"{key.folder}: name the folder where the owner publishes links, or make a key by `setup "
                "--self-contained`: certificates under a kept key need a link"
            )
        self._open = ExitStack()
        try:
            self._native = self._open.enter_context(key.load())
            self._kept = None if links is None or not key.document.shape.kept else self._beside(links)
        except BaseException:
            self.close()
            raise

    def _beside(self, links: Path) -> _Kept:
        """Return the model as certificates under the kept key show it, and its link, which the folder then holds."""
        model = KeptModel.of(self.opening, self.key, self._native)
        link = model.link(links)
        return _Kept(model, link, self._open.enter_context(link.opened()))

    def close(self) -> None:
        """Free the proving key."""
        self._open.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def _reference(self) -> KeyReference:
        """The key as a certificate names it."""
        return KeyReference(self.key.document.fingerprint, self.key.document.setup)

    @property
    def link(self) -> OwnLink | None:
        """The link that certificates under this key need; None under a key that needs none."""
        return None if self._kept is None else self._kept.link

    @property
    def _shown(self) -> int | None:
        """What every certificate shows of a kept model."""
        return None if self._kept is None else self._kept.link.document.shown_element

    @property
    def _link_blinding(self) -> int | None:
        """What hides what is shown of a kept model."""
        return None if self._kept is None else self._kept.model.blinding

    def _prove(self, witness: bytes) -> bytes:
        """Prove a witness."""
        mask = None if self._kept is None else self._kept.model.mask
        return prove_with(self.key.folder, self._native, witness, mask)

    def _doubt(self, read: KeyedFile, statement: Stated) -> None:
        """Verify a finished certificate that was read from its own bytes; raises KeyStoreError where it fails."""
        made = read.to_statement()
        if made != statement:
            raise AssertionError("a certificate reads back as another statement")
        # The library alone: the steps before the proof follow from the statement, which was just compared.
        key = self.key
        digest = field.to_bytes(made.digest(key.document.shape))
        if self._kept is not None:
            with doubting(key.folder):
                self._kept.verifier.verify(digest, read.proof_bytes)
            return
        with load_verifying(key.folder, key.verifying, read.proof_system) as verifier, doubting(key.folder):
            verifier.verify(digest, read.proof_bytes)


def bound_context(context: Mapping[str, str] | None) -> dict[str, str]:
    """Return what a certificate is made for; raises CertificateFormatError for what no policy would demand."""
    return {} if context is None else check_context(dict(context), "context")


def query_of(opening: Opening, row: Mapping[str, Any], blinding: int) -> QueryDocument:
    """Return the query file of an applicant's raw row."""
    return QueryDocument(QUERY[0], QUERY[1], plain_features(opening.spec, row), field.to_hex(blinding))
