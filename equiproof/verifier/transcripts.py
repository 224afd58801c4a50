"""Policies about keys of a ceremony or of given powers: by the transcript that you checked, or by signers who did."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from equiproof.circuits.tables import say
from equiproof.verifier.documents import SIGNATURES_FILE, KeyDocument, LinkKeyDocument
from equiproof.verifier.errors import PolicyError
from equiproof.verifier.facts import ABOUT_KEY, ABOUT_LINK_KEY, ABOUT_SETUP, ABOUT_TRANSCRIPT, Facts

if TYPE_CHECKING:
    from equiproof.verifier.notes import VerifierKey

__all__ = [
    "SignedBy",
    "TranscriptIs",
]


@dataclass(frozen=True)
class TranscriptIs:
    """Require the key that a transcript makes, by the transcript digest that `equiproof keys check` printed.

    The digest covers the ceremony, or the powers of a universal set-up, and both keys. It is computed anew from the
    trusted key's metadata. A certificate that comes with a link is refused, since one digest names one of two keys.
    """

    digest: str
    covers: ClassVar[frozenset[str]] = frozenset({ABOUT_KEY, ABOUT_LINK_KEY, ABOUT_SETUP, ABOUT_TRANSCRIPT})
    reason: ClassVar[str] = "other-transcript"

    def check(self, facts: Facts) -> tuple[str, ...]:
        """Compare digests; a key of a single party has none."""
        for key, _ in facts.keys:
            transcript = key.transcript
            # A key without a transcript has an empty digest, which an empty requirement would equal.
            if transcript != self.digest or not transcript:
                stated = say("key.transcript_is", transcript=transcript[:16])
                shown = stated if transcript else say("key.without_transcript")
                raise PolicyError(
                    say("policy.transcript_differs", stated=shown, required=self.digest[:16]), self.reason
                )
        return (say("checked.transcript", maker=facts.key.maker, transcript=self.digest[:16]),)


@dataclass(frozen=True)
class SignedBy:
    """Require that at least `least` of these signers state that they checked the transcript of the key's set-up.

    `keys` are verifier keys as text. Raises ValueError for other text, for a signer that stands there twice, and for a
    number that is not from 1 to that of the keys.
    """

    keys: tuple[str, ...]
    least: int
    covers: ClassVar[frozenset[str]] = frozenset({ABOUT_KEY, ABOUT_LINK_KEY, ABOUT_SETUP, ABOUT_TRANSCRIPT})
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
