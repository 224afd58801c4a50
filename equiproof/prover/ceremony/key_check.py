"""The check of a finished key: its transcripts are verified, and the key is computed again from them, byte for byte.

A key that is equal to the recomputed one is made of the circuit and of one set of secrets, whoever contributed. So its
proofs hide the witness, and its owner may prove under it.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import msgspec

from equiproof.circuits.canonical import DocumentError, read_regular
from equiproof.circuits.files import write_file
from equiproof.prover.ceremony.chain import Report, check_folder, silent
from equiproof.prover.ceremony.conduct import made_key
from equiproof.prover.ceremony.errors import CeremonyError, Refusal, TranscriptError
from equiproof.prover.ceremony.folder import CeremonyFolder
from equiproof.prover.ceremony.origin import Origin, contributors, followed, to_look_up, universal_power
from equiproof.prover.ceremony.powers import sha256
from equiproof.prover.keys import most_bytes, set_up
from equiproof.prover.owner import MARK_FILE, mark, ready_secret
from equiproof.verifier.documents import (
    KEY,
    KEY_FILE,
    LINK_KEY_FILE,
    PROVING_FILE,
    SIGNATURES_FILE,
    VERIFYING_FILE,
    KeyDocument,
    LinkKeyDocument,
    PowersReference,
    parse_key,
    parse_link_key,
)
from equiproof.verifier.errors import CertificateFormatError, Reason
from equiproof.verifier.notes import MAX_NOTE_BYTES, Note, NoteError, Signer, parse_note

_FORGOT = "that {} forgot their secrets: one who did is enough against forgery, and none is needed for your privacy"
_PEOPLE = "that the keys of the signers are those of the people whose names they have"


@dataclass(frozen=True)
class KeyCheck:
    """A key that its transcript makes, with what was checked and what could not be, in words.

    `whole` says that the powers of tau were followed to their origin as well.
    """

    folder: Path
    document: KeyDocument | LinkKeyDocument
    made: tuple[str, ...]
    not_made: tuple[str, ...]
    whole: bool

    def accept(self, owner_secret: Path | None) -> Path:
        """Leave the owner's mark, so that the key is proven under; raises as :func:`refuse_unusable`."""
        self._require_whole()
        refuse_unusable(self.folder, owner_secret)
        path = self.folder / MARK_FILE
        write_file(path, mark(self.document.fingerprint, ready_secret(owner_secret)), secret=True, force=True)
        return path

    def sign(self, signer: Signer) -> Path:
        """Add a signature to the key's note of who checked it; raises CeremonyError for one that is there already."""
        self._require_whole()
        path = self.folder / SIGNATURES_FILE
        text = self.document.attestation
        lines = signer.sign(text)
        if (old := _note_at(path)) is not None:
            if old.text != text:
                raise CeremonyError(f"{path}: remove it: it is about another key")
            if any(line.name == signer.name for line in old.signatures):
                raise CeremonyError(f"{path}: nothing is left to sign: it has a signature of {signer.name} already")
            lines = read_regular(path, MAX_NOTE_BYTES).decode() + lines.removeprefix(text + "\n")
        write_file(path, lines.encode(), force=True)
        return path

    def _require_whole(self) -> None:
        if not self.whole:
            raise CeremonyError(
                f"{self.folder}: give --powers, the folder of their ceremony or the .ptau file: the origin of the "
                "powers of tau was not checked"
            )


def refuse_unusable(folder: Path, owner_secret: Path | None) -> None:
    """Raise CeremonyError or KeyStoreError where a key could not be accepted in the end, before it is checked."""
    if metadata_of(folder).exists() and not (folder / PROVING_FILE).exists():
        raise CeremonyError(
            f"{folder}: get {PROVING_FILE} from who made the key: without it, nothing can be proven under it"
        )
    ready_secret(owner_secret)


def metadata_of(folder: Path) -> Path:
    """Return the file of a key's metadata: that of one for links if it is there, else of one for certificates."""
    links = folder / LINK_KEY_FILE
    return links if links.exists() else folder / KEY_FILE


def check_key(folder: Path, ceremony: Path | None, powers: Path | None = None, report: Report = silent) -> KeyCheck:
    """Check a key against the ceremony that made it, and `powers`: the ceremony of its powers of tau, or a .ptau file.

    A key of a universal set-up is made of powers alone. Raises TranscriptError for a transcript that is refused or
    another key, CertificateFormatError for files that are none of ours, CeremonyError for a key of another kind, for
    what is missing to check it, and for a ceremony that is still open.
    """
    where = metadata_of(folder)
    parsed = parse_link_key if where.name == LINK_KEY_FILE else parse_key
    document: KeyDocument | LinkKeyDocument = parsed(_read(where), str(where))
    if document.setup == "single-party":
        raise CeremonyError(
            f"{where}: name a key of a ceremony: its set-up is {document.setup}, so no ceremony made it"
        )
    if document.setup == "universal" and isinstance(document, KeyDocument):
        if ceremony is not None or powers is None:
            raise CeremonyError(f"{where}: give --powers, and no --transcript: powers of tau alone made this key")
        outcome = _check_universal(folder, document, powers, report)
    elif ceremony is None:
        raise CeremonyError(f"{where}: give --transcript, the folder of its phase 2: a ceremony made this key")
    else:
        outcome = _check_phase_2(folder, document, ceremony, powers, report)
    # Last, since only metadata that the transcript makes say which bytes are right.
    _check_files(folder, document)
    return outcome


def _check_phase_2(
    folder: Path, document: KeyDocument | LinkKeyDocument, ceremony: Path, powers: Path | None, report: Report
) -> KeyCheck:
    """Compute the key from the transcript of its ceremony."""
    transcript = check_folder(CeremonyFolder.open(ceremony), (), report)
    report("computing the key from the transcript")
    made, _ = made_key(transcript)
    _require_same(folder, document, made, ceremony)
    checked = [
        f"phase 2 has {contributors(transcript)}, each step follows from the one before, and its beacon closes it",
        f"the circuit is that of the shape {document.shape.name}",
        "the key, computed again from the transcript, is the same byte for byte",
        "the powers of tau that it is made from are consistent",
    ]
    unchecked = [to_look_up(transcript)]
    whole = False
    if powers is None:
        unchecked.append("where the powers of tau come from (give --powers)")
    else:
        power = transcript.ceremony.power
        reference = transcript.ceremony.target.powers
        origin = followed(powers, power, report)
        _require_powers(origin, power, reference)
        whole = origin.whole
        who = "the contributors of each phase" if origin.kind == "ceremony" else "the contributors of phase 2"
        checked += origin.made
        unchecked += [*origin.not_made, _FORGOT.format(who)]
    return KeyCheck(folder, document, tuple(checked), (*unchecked, _PEOPLE), whole)


def _check_universal(folder: Path, document: KeyDocument, powers: Path, report: Report) -> KeyCheck:
    """Compute the key from its powers of tau."""
    report("compiling the circuit")
    power = universal_power(document.shape)
    origin = followed(powers, power, report)
    if not isinstance(document.powers, msgspec.UnsetType):
        _require_powers(origin, power, document.powers)
    report("computing the key from the powers of tau")
    metadata, _ = set_up(document.shape.document, document.proof_system, origin.given(power))
    made = KeyDocument(format=KEY[0], version=KEY[1], shape=document.shape, **metadata)
    _require_same(folder, document, made, powers)
    checked = (
        *origin.made,
        f"the circuit is that of the shape {document.shape.name}",
        "the key, computed again from the powers of tau, is the same byte for byte",
        "these powers of tau are consistent",
    )
    people = (_PEOPLE,) if origin.kind == "ceremony" else ()
    forgot = _FORGOT.format("the contributors to the powers of tau")
    return KeyCheck(folder, document, checked, (*origin.not_made, forgot, *people), origin.whole)


def _require_same(
    folder: Path, document: KeyDocument | LinkKeyDocument, made: KeyDocument | LinkKeyDocument, transcript: Path
) -> None:
    """Refuse a key unless it is the recomputed one; versions of tools may differ."""
    if msgspec.structs.replace(made, tools=document.tools) != document:
        raise TranscriptError(
            f"{metadata_of(folder)}: make it again with `equiproof ceremony finish`: not the key that {transcript} "
            "makes",
            Refusal.OTHER_KEY,
        )


def _require_powers(origin: Origin, power: int, reference: PowersReference) -> None:
    """Refuse other powers than a key is made from; those for too small a domain are other ones."""
    if power > origin.power or origin.reference(power) != reference:
        raise TranscriptError(
            f"{origin.path}: give the powers of tau that the key is made from: these are others", Refusal.OTHER_POWERS
        )


def _check_files(folder: Path, document: KeyDocument | LinkKeyDocument) -> None:
    """Compare the key's files with the digests; a relying party has no proving key."""
    for name, digest in ((VERIFYING_FILE, document.verifying_key), (PROVING_FILE, document.proving_key)):
        with suppress(FileNotFoundError):
            if sha256(_read(folder / name, most_bytes(document.constraints))) != digest:
                raise CertificateFormatError(
                    f"{folder / name}: get the folder again: not the key that {metadata_of(folder).name} names",
                    Reason.KEY_BYTES_DIFFER,
                )


def _note_at(path: Path) -> Note | None:
    """Return the note in a file, None where there is no file; raises CeremonyError for anything else in it."""
    try:
        return parse_note(_read(path, MAX_NOTE_BYTES))
    except FileNotFoundError:
        return None
    except NoteError as error:
        raise CeremonyError(f"{path}: {error}") from None


def _read(path: Path, most: int = 1 << 20) -> bytes:
    try:
        return read_regular(path, most)
    except DocumentError as error:
        raise CertificateFormatError(str(error), Reason.UNREADABLE) from None
