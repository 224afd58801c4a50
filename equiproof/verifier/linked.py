"""The link of a kept certificate: whether it belongs to the certificate, and what checks proofs beside it.

A certificate under a kept key does not open the model commitment. A link does, once for all of them: both show one
value of one model. So such a certificate is refused without a link, and whatever is asked of its key is asked of the
link's key, too.
"""

from __future__ import annotations

import weakref
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from typing import cast

from equiproof.circuits import field
from equiproof.circuits.kept import key_element, link_statement
from equiproof.circuits.link_shape import LinkShape
from equiproof.circuits.proof_systems import DEFAULT_PROOF_SYSTEM
from equiproof.circuits.statement import Statement
from equiproof.circuits.tables import say
from equiproof.ffi import backend
from equiproof.ffi.errors import MalformedInputError, RefusedError
from equiproof.verifier.documents import CommitmentDocument
from equiproof.verifier.errors import CertificateFormatError, ProofError, Reason, UntrustedKeyError
from equiproof.verifier.link import LinkDocument
from equiproof.verifier.programs import Checker, VerifyingKey, in_words, load
from equiproof.verifier.trust import TrustedKey, TrustedLinkKey, TrustedTableKey, TrustStore

_KEPT_LINKS = 64
"""How many links that hold are kept for the process."""


@dataclass(frozen=True)
class LinkClaim:
    """What is presented as the proof of a link, and all that it is about.

    `keys` are the verifying keys for certificates and for links, `shape` is that of the latter; `key` is the element of
    the former's fingerprint. `point` is compressed, `shown` a field element.
    """

    keys: tuple[bytes, bytes]
    shape: LinkShape
    commitment: int
    spec_digest: int
    key: int
    point: bytes
    shown: int
    proof: bytes

    @property
    def parts(self) -> bytes:
        """What the statement digest of the link has beside r and what is shown, in 32 bytes each."""
        return b"".join(map(field.to_bytes, (self.shape.digest, self.commitment, self.spec_digest, self.key)))


@dataclass(frozen=True)
class Linked:
    """A link that belongs to a trusted key and a commitment, under a trusted key of its own; it is not proven yet."""

    document: LinkDocument
    key: TrustedLinkKey
    certificate_key: TrustedKey | TrustedTableKey

    @cached_property
    def claim(self) -> LinkClaim:
        """The link as a check of proofs takes it."""
        link = self.document
        return LinkClaim(
            keys=(self.certificate_key.verifying, self.key.verifying),
            shape=self.key.document.shape,
            commitment=field.from_hex(link.model_commitment),
            spec_digest=field.from_hex(link.spec_digest),
            key=key_element(self.certificate_key.document.fingerprint),
            point=link.point_bytes,
            shown=link.shown_element,
            proof=link.proof_bytes,
        )


def linked(
    statement: Statement, key: TrustedKey, link: LinkDocument | None, keys: TrustStore, commitment: CommitmentDocument
) -> Linked | None:
    """Return the link of a certificate that states this under a key; None under a key that needs none (6).

    Raises ProofError for a certificate of the other form than its key's, for a missing link, and for one of another
    certificate; UntrustedKeyError for one whose own key is not trusted.
    """
    if not key.document.shape.kept:
        if statement.shown is not None:
            raise ProofError(say("link.form_ordinary"), Reason.FORM_DIFFERS)
        return None
    if statement.shown is None:
        raise ProofError(say("link.form_kept"), Reason.FORM_DIFFERS)
    if link is None:
        raise ProofError(say("link.missing", fingerprint=key.document.fingerprint[:16]), Reason.NO_LINK)
    found = Linked(link, trusted_link_key(link, keys), key)
    check_link(found, commitment)
    if statement.shown != link.shown_element:
        raise ProofError(say("link.shown_differs"), Reason.SHOWN_DIFFERS)
    return found


def check_link(found: Linked, commitment: CommitmentDocument) -> None:
    """Raise ProofError unless a link is of its certificate key, this commitment and its spec, and both keys fit.

    Both are for models of one architecture, in the same words, and for inputs of one width.
    """
    link, required = found.document, found.certificate_key.document
    if link.key != required.fingerprint:
        raise ProofError(
            say("link.other_key", stated=link.key[:16], required=required.fingerprint[:16]), Reason.LINK_OF_ANOTHER_KEY
        )
    if link.model_commitment != commitment.model_commitment:
        raise ProofError(say("link.other_model"), Reason.LINK_OF_ANOTHER_MODEL)
    if field.from_hex(link.spec_digest) != commitment.spec.digest:
        raise ProofError(say("link.other_spec"), Reason.LINK_OF_ANOTHER_SPEC)
    shape, own = found.key.document.shape, required.links
    if (shape.architecture, shape.visits) != (own.architecture, own.visits):
        raise ProofError(say("link.other_architecture"), Reason.LINK_OF_ANOTHER_ARCHITECTURE)
    if shape.input_bits != own.input_bits:
        raise ProofError(
            say("link.other_input_bits", stated=shape.input_bits, required=own.input_bits),
            Reason.LINK_OF_OTHER_INPUT_BITS,
        )


def trusted_link_key(link: LinkDocument, keys: TrustStore) -> TrustedLinkKey:
    """Return the trusted key that a link names."""
    key = keys.find_link_key(link.link_key.fingerprint)
    if key.document.setup != link.link_key.setup:
        raise UntrustedKeyError(
            say("link.setup_differs", stated=link.link_key.setup, actual=key.document.setup), Reason.SETUP_DIFFERS
        )
    if key.document.proof_system != link.proof_system:
        raise UntrustedKeyError(
            say("link.proof_system_differs", stated=link.proof_system, actual=key.document.proof_system),
            Reason.PROOF_SYSTEM_DIFFERS,
        )
    return key


def with_link(statement: Statement, found: Linked | None) -> Statement:
    """Return a statement whose digest is taken with what the link shows, whatever the certificate states."""
    return statement if found is None else replace(statement, shown=found.claim.shown)


class Opened:
    """A verifying key for certificates beside a link that holds; its memory is freed with it."""

    def __init__(self, key: backend.VerifyingKey | VerifyingKey) -> None:
        self.key = key
        if isinstance(key, backend.VerifyingKey):
            weakref.finalize(self, key.close).atexit = False


@lru_cache(maxsize=_KEPT_LINKS)
def opened(checker: Checker, claim: LinkClaim) -> Opened:
    """Check the proof of a link, once for the process, and return what checks certificates beside it.

    Raises ProofError unless the link holds, CertificateFormatError for a malformed one, and UntrustedKeyError for a
    malformed or degenerate key. A link that is kept holds under these keys for all that it is about; what a policy asks
    of the keys is asked of every certificate.
    """
    try:
        return Opened(_native(claim) if checker == "native" else _plain(claim))
    except RefusedError as error:
        raise ProofError(say("link.proof_refused", problem=in_words(error)), Reason.LINK_FAILS) from None
    except MalformedInputError as error:
        raise CertificateFormatError(say("link.proof_wrong", problem=str(error)), error.reason) from None


def _native(claim: LinkClaim) -> VerifyingKey:
    """Check a link by the native library."""
    with _loaded("native", claim) as links:
        try:
            kept = backend.KeptVerifyingKey(claim.keys[0])
        except MalformedInputError as error:
            raise UntrustedKeyError(str(error), error.reason) from None
        with kept:
            shown = field.to_bytes(claim.shown)
            return kept.open(cast(backend.VerifyingKey, links), claim.point, shown, claim.proof, claim.parts)


def _plain(claim: LinkClaim) -> VerifyingKey:
    """Check a link in plain Python; py_ecc is loaded only here."""
    from equiproof.verifier.kept import KeptKey, Link
    from equiproof.verifier.plain import PlainKey

    def statement(r: int, shown: int) -> int:
        return link_statement(claim.shape, claim.commitment, claim.spec_digest, claim.key, r, shown)

    links = _loaded("python", claim)
    try:
        kept = KeptKey(claim.keys[0])
    except MalformedInputError as error:
        raise UntrustedKeyError(str(error), error.reason) from None
    link = Link(claim.point, field.to_bytes(claim.shown), claim.proof)
    return cast(VerifyingKey, kept.open(cast(PlainKey, links), link, statement))


def _loaded(checker: Checker, claim: LinkClaim) -> VerifyingKey:
    """Load the key for links."""
    try:
        return load(checker, DEFAULT_PROOF_SYSTEM, claim.keys[1])
    except MalformedInputError as error:
        raise UntrustedKeyError(str(error), error.reason) from None
