"""The recourse of a refused applicant in their own bundle: what would have been enough, or that nothing would.

It is box certificates with their opened boxes, and is verified with the refusal beside which it lies: each box must be
one that the spec's rules of change and the applicant's wishes say for whom the refusal is about (:mod:`.pair`).
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from equiproof.circuits.canonical import canonical_bytes
from equiproof.circuits.tables import say
from equiproof.verifier.box import BoxCertificate
from equiproof.verifier.bundle import PARTS, Answer, recourse_fields
from equiproof.verifier.certificate import Certificate
from equiproof.verifier.documents import CommitmentDocument, QueryDocument
from equiproof.verifier.errors import (
    CertificateFormatError,
    PolicyError,
    ProofError,
    Reason,
    UntrustedKeyError,
)
from equiproof.verifier.facts import Pins
from equiproof.verifier.opened_box import OpenedBox
from equiproof.verifier.pair import Refusal
from equiproof.verifier.programs import Choice
from equiproof.verifier.requirements import policy_of
from equiproof.verifier.trust import TrustedKey, TrustStore
from equiproof.verifier.verify_box import BoxVerifier, VerifiedBox
from equiproof.verifier.wishes import WishesDocument

_NAMES: Mapping[str, str] = {part.role: part.name for part in PARTS}


@dataclass(frozen=True)
class Enclosed:
    """A recourse beside its refusal, read and not verified; the repr shows nothing of the applicant's.

    `boxes` are box certificates by their names in a bundle, with the opened boxes; `key` is that of all of them.
    """

    query: QueryDocument = field(repr=False)
    key: TrustedKey
    boxes: tuple[tuple[Answer, BoxCertificate, OpenedBox], ...] = field(repr=False)
    wishes: WishesDocument | None = None

    def files(self) -> dict[str, Any]:
        """Return its files by their fields of a :class:`.bundle.Bundle`, but for the query."""
        wishes = None if self.wishes is None else canonical_bytes(self.wishes)
        boxes = ((name, certificate.to_bytes(), canonical_bytes(opened)) for name, certificate, opened in self.boxes)
        return recourse_fields(self.key, wishes, boxes)

    def verify(
        self,
        refusal: Certificate,
        commitment: CommitmentDocument,
        pins: Pins,
        keys: TrustStore | None,
        checker: Choice = "auto",
    ) -> tuple[tuple[str, VerifiedBox], ...]:
        """Return what was verified by its names, or raise; `refusal` was verified, under `commitment` and with `pins`.

        Of `keys`, which are the reader's own, a key made by one party alone is pinned. Any other came with the bundle,
        also where it is one of theirs: which transcript they accept for it they say to `box verify`. Raises as
        :meth:`.verify_box.BoxVerifier.verify`, with the file's name in the message.
        """
        own = self._own(keys)
        store, is_own = (own, True) if own is not None else (TrustStore([self.key]), False)
        verifier = BoxVerifier(commitment, store, checker, Pins(pins.commitment, is_own))
        pair = Refusal(refusal, self.query, self.wishes, holds=True)
        return tuple(
            (name, _verified(verifier, name, certificate, opened, pair)) for name, certificate, opened in self.boxes
        )

    def _own(self, keys: TrustStore | None) -> TrustStore | None:
        """Return the reader's keys, if they have this one and it needs no transcript."""
        if keys is not None and self.key.document.setup == "single-party":
            with suppress(UntrustedKeyError):
                keys.find(self.key.document.fingerprint)
                return keys
        return None


def _verified(
    verifier: BoxVerifier,
    name: Answer,
    certificate: BoxCertificate,
    opened: OpenedBox,
    refusal: Refusal,
) -> VerifiedBox:
    """Verify one box; its name says what it must say."""
    try:
        verified = verifier.verify(certificate, policy_of(), opened=opened, refusal=refusal)
        if verified.pair is None or (verified.pair.side == "none") != (name == "none"):
            raise ProofError(say("bundle.other_answer"), Reason.OTHER_BOX)
    except (CertificateFormatError, PolicyError, ProofError, UntrustedKeyError) as error:
        raise type(error)(f"{_NAMES[name]}: {error}", error.reason) from None
    return verified
