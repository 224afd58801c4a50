"""Policies about keys of a ceremony or of given powers: by the transcript that you checked, or by signers who did."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from equiproof.circuits.tables import say
from equiproof.verifier.documents import SIGNATURES_FILE, KeyDocument, LinkKeyDocument
from equiproof.verifier.errors import PolicyError
from equiproof.verifier.facts import (
    ABOUT_KEY,
    ABOUT_LINK_KEY,
    ABOUT_LINK_TRANSCRIPT,
    ABOUT_SETUP,
    ABOUT_TRANSCRIPT,
    Facts,
)

if TYPE_CHECKING:
    from equiproof.verifier.notes import VerifierKey

__all__ = [
    "LinkTranscriptIs",
    "SignedBy",
    "TranscriptIs",
]


@dataclass(frozen=True)
class TranscriptIs:
    """Require the key that a transcript makes, by the transcript digest that `equiproof keys check` printed.

    The digest covers the ceremony, or the powers of a universal set-up, and both keys. It is computed anew from the
    trusted key's metadata. A certificate that comes with a link rests on two keys, and is refused unless the policy
    also names the transcript of the link's key (:class:`LinkTranscriptIs`), or signers who checked it.
    """

    digest: str
    covers: ClassVar[frozenset[str]] = frozenset({ABOUT_KEY, ABOUT_LINK_KEY, ABOUT_SETUP, ABOUT_TRANSCRIPT})
    reason: ClassVar[str] = "other-transcript"

    def check(self, facts: Facts) -> tuple[str, ...]:
        """Compare digests; a key of a single party has none."""
        if not _is(facts.key.transcript, self.digest):
            raise PolicyError(
                say("policy.transcript_differs", stated=_stated(facts.key), required=self.digest[:16]), self.reason
            )
        if facts.link_key is not None:
            if not facts.link_key.document.transcript:
                raise PolicyError(say("policy.link_without_transcript"), self.reason)
            _require_both(facts, ABOUT_LINK_TRANSCRIPT)
        return (say("checked.transcript", maker=facts.key.maker, transcript=self.digest[:16]),)


@dataclass(frozen=True)
class LinkTranscriptIs:
    """Require the key of a link that a transcript makes, by its digest; goes with :class:`TranscriptIs`.

    Refuses a certificate without a link, and one whose own key the policy does not name by its transcript or by
    signers: a ceremony's link key beside a single party's key is a single party's proof.
    """

    digest: str
    covers: ClassVar[frozenset[str]] = frozenset({ABOUT_LINK_KEY, ABOUT_LINK_TRANSCRIPT})
    reason: ClassVar[str] = TranscriptIs.reason

    def check(self, facts: Facts) -> tuple[str, ...]:
        """Compare digests; a key of a single party has none."""
        if facts.link_key is None:
            raise PolicyError(say("policy.link_absent"), self.reason)
        key = facts.link_key.document
        if not _is(key.transcript, self.digest):
            raise PolicyError(
                say("policy.link_transcript_differs", stated=_stated(key), required=self.digest[:16]), self.reason
            )
        _require_both(facts, ABOUT_TRANSCRIPT)
        return (say("checked.link_transcript", maker=key.maker, transcript=self.digest[:16]),)


def _is(transcript: str, digest: str) -> bool:
    """Compare digests. A key without a transcript has an empty one, which an empty requirement would equal."""
    return transcript == digest and bool(transcript)


def _stated(key: KeyDocument | LinkKeyDocument) -> str:
    """Say which transcript a key has."""
    if not key.transcript:
        return say("key.without_transcript")
    return say("key.transcript_is", transcript=key.transcript[:16])


def _require_both(facts: Facts, other: str) -> None:
    """Raise PolicyError unless the policy makes the check of the other key's transcript, too."""
    if other not in facts.covered:
        raise PolicyError(say("policy.transcripts_of_both"), TranscriptIs.reason)


@dataclass(frozen=True)
class SignedBy:
    """Require that at least `least` of these signers state that they checked the transcript of the key's set-up.

    `keys` are verifier keys as text. Raises ValueError for other text, for a signer that stands there twice, and for a
    number that is not from 1 to that of the keys.
    """

    keys: tuple[str, ...]
    least: int
    covers: ClassVar[frozenset[str]] = frozenset(
        {ABOUT_KEY, ABOUT_LINK_KEY, ABOUT_LINK_TRANSCRIPT, ABOUT_SETUP, ABOUT_TRANSCRIPT}
    )
    reason: ClassVar[str] = "too-few-signers"

    def __post_init__(self) -> None:
        """Refuse what could never be met, or is met by nobody."""
        known = self._known()
        if not 1 <= self.least <= len(known):
            raise ValueError(say("policy.least_signers_out_of_bounds", least=self.least, keys=len(known)))

    def check(self, facts: Facts) -> tuple[str, ...]:
        """Verify the signatures in the folder of each key; each must be of the text about this very key."""
        return tuple(self._signed(key, signatures) for key, signatures in facts.keys)

    def _signed(self, key: KeyDocument | LinkKeyDocument, signatures: bytes) -> str:
        """Say who signed that they checked a key; raises PolicyError for too few."""
        from equiproof.verifier.notes import NoteError, parse_note, who_signed

        if not key.transcript:
            raise PolicyError(say("policy.setup_without_transcript"), self.reason)
        try:
            note = parse_note(signatures) if signatures else None
            if note is not None and note.text != key.attestation:
                raise NoteError(say("present.of_another_key"))
            signed = frozenset() if note is None else who_signed(note, self._known())
        except NoteError as error:
            raise PolicyError(f"{SIGNATURES_FILE} of the key: {error}", self.reason) from None
        if len(signed) < self.least:
            raise PolicyError(
                say("policy.signers_too_few", signed=len(signed), accepted=len(self.keys), required=self.least),
                self.reason,
            )
        names = ", ".join(sorted(signer.name for signer in signed))
        return say("checked.signatures", maker=key.maker, signers=names)

    def _known(self) -> tuple[VerifierKey, ...]:
        from equiproof.verifier.notes import VerifierKey, distinct

        return distinct([VerifierKey.parse(text) for text in self.keys])
