"""Policies about keys of a ceremony or of given powers: by the transcript that you checked, or by signers who did."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from equiproof.verifier.documents import SIGNATURES_FILE
from equiproof.verifier.errors import PolicyError
from equiproof.verifier.facts import ABOUT_KEY, ABOUT_SETUP, ABOUT_TRANSCRIPT, Facts

if TYPE_CHECKING:
    from equiproof.verifier.notes import VerifierKey


@dataclass(frozen=True)
class TranscriptIs:
    """Require the key that a transcript makes, by the transcript digest that `equiproof keys check` printed.

    The digest covers the ceremony, or the powers of a universal set-up, and both keys. It is computed anew from the
    trusted key's metadata.
    """

    digest: str
    covers: ClassVar[frozenset[str]] = frozenset({ABOUT_KEY, ABOUT_SETUP, ABOUT_TRANSCRIPT})
    reason: ClassVar[str] = "other-transcript"

    def check(self, facts: Facts) -> tuple[str, ...]:
        """Compare digests; a key of a single party has none."""
        transcript = facts.key.transcript
        # A key without a transcript has an empty digest, which an empty requirement would equal.
        if transcript != self.digest or not transcript:
            shown = f"transcript is {transcript[:16]}..." if transcript else "set-up has no transcript"
            raise PolicyError(f"the key's {shown}, the policy requires {self.digest[:16]}...", self.reason)
        return (f"the key is the one that the {facts.key.maker} {transcript[:16]}... made",)


@dataclass(frozen=True)
class SignedBy:
    """Require that at least `least` of these signers state that they checked the transcript of the key's set-up.

    `keys` are verifier keys as text. Raises ValueError for other text, for a signer that stands there twice, and for a
    number that is not from 1 to that of the keys.
    """

    keys: tuple[str, ...]
    least: int
    covers: ClassVar[frozenset[str]] = frozenset({ABOUT_KEY, ABOUT_SETUP, ABOUT_TRANSCRIPT})
    reason: ClassVar[str] = "too-few-signers"

    def __post_init__(self) -> None:
        """Refuse what could never be met, or is met by nobody."""
        known = self._known()
        if not 1 <= self.least <= len(known):
            raise ValueError(f"{self.least} signers of {len(known)}: want at least 1, and no more than there are")

    def check(self, facts: Facts) -> tuple[str, ...]:
        """Verify the signatures in the key's folder; each must be of the text about this very key."""
        from equiproof.verifier.notes import NoteError, parse_note, who_signed

        if not facts.key.transcript:
            raise PolicyError("the key's set-up has no transcript that anybody could have checked", self.reason)
        try:
            note = parse_note(facts.signatures) if facts.signatures else None
            if note is not None and note.text != facts.key.attestation:
                raise NoteError("it is about another key")
            signed = frozenset() if note is None else who_signed(note, self._known())
        except NoteError as error:
            raise PolicyError(f"{SIGNATURES_FILE} of the key: {error}", self.reason) from None
        if len(signed) < self.least:
            raise PolicyError(
                f"{len(signed)} of the {len(self.keys)} accepted signers state that they checked the key's transcript, "
                f"the policy requires {self.least}",
                self.reason,
            )
        names = ", ".join(sorted(key.name for key in signed))
        return (f"the transcript of the key's {facts.key.maker} was checked, as signed by {names}",)

    def _known(self) -> tuple[VerifierKey, ...]:
        from equiproof.verifier.notes import VerifierKey, distinct

        return distinct([VerifierKey.parse(text) for text in self.keys])
