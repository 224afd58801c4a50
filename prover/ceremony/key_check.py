"""The check of a finished key: both transcripts are verified, and the key is computed again from them, byte for byte.

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
from equiproof.prover.ceremony.chain import Report, Transcript, check_folder, silent
from equiproof.prover.ceremony.conduct import made_key, sealed
from equiproof.prover.ceremony.errors import CeremonyError, Refusal, TranscriptError
from equiproof.prover.ceremony.folder import CeremonyFolder
from equiproof.prover.ceremony.powers import cut, points, sha256
from equiproof.prover.keys import most_bytes
from equiproof.prover.owner import MARK_FILE, mark, ready_secret
from equiproof.verifier.documents import (
    KEY_FILE,
    PROVING_FILE,
    SIGNATURES_FILE,
    VERIFYING_FILE,
    KeyDocument,
    parse_key,
)
from equiproof.verifier.errors import CertificateFormatError, Reason
from equiproof.verifier.notes import MAX_NOTE_BYTES, Note, NoteError, Signer, parse_note

_FORGOT = "that {} forgot their secrets: one who did is enough against forgery, and none is needed for your privacy"


@dataclass(frozen=True)
class KeyCheck:
    """A key that its transcript makes, with what was checked and what could not be, in words.

    `whole` says that the powers of tau were followed to their origin as well.
    """

    folder: Path
    document: KeyDocument
    made: tuple[str, ...]
    not_made: tuple[str, ...]
    whole: bool

    def accept(self, owner_secret: Path | None) -> Path:
        """Leave the owner's mark, so that the key is proven under; raises CeremonyError without a proving key."""
        self._require_whole()
        if not (self.folder / PROVING_FILE).exists():
            raise CeremonyError(f"{self.folder}: has no {PROVING_FILE}, so nothing can be proven under it")
        path = self.folder / MARK_FILE
        write_file(path, mark(self.document.fingerprint, ready_secret(owner_secret)), secret=True, force=True)
        return path

    def sign(self, signer: Signer) -> Path:
        """Add a signature to the key's note of who checked it; raises CeremonyError for one that is there already."""
        self._require_whole()
        path, text = self.folder / SIGNATURES_FILE, self.document.attestation
        lines = signer.sign(text)
        if (old := _note_at(path)) is not None:
            if old.text != text:
                raise CeremonyError(f"{path}: is about another key; remove it")
            if any(line.name == signer.name for line in old.signatures):
                raise CeremonyError(f"{path}: has a signature of {signer.name} already")
            lines = read_regular(path, MAX_NOTE_BYTES).decode() + lines.removeprefix(text + "\n")
        write_file(path, lines.encode(), force=True)
        return path

    def _require_whole(self) -> None:
        if not self.whole:
            raise CeremonyError(
                f"{self.folder}: where the powers of tau come from was not checked: give --powers, the folder of their "
                "ceremony or the .ptau file"
            )


def check_key(folder: Path, ceremony: Path, powers: Path | None = None, report: Report = silent) -> KeyCheck:
    """Check a key against the ceremony that made it, and `powers`: the ceremony of its powers of tau, or a .ptau file.

    Raises TranscriptError for a transcript that is refused or another key, CertificateFormatError for files that are
    none of ours, CeremonyError for a key of another kind or a ceremony that is still open.
    """
    where = folder / KEY_FILE
    document = parse_key(_read(where), str(where))
    if isinstance(document.ceremony, msgspec.UnsetType):
        raise CeremonyError(f"{where}: its set-up is {document.setup}: no ceremony made this key")
    transcript = check_folder(CeremonyFolder.open(ceremony), (), report)
    report("computing the key from the transcript")
    made, _ = made_key(transcript)
    if msgspec.structs.replace(made, tools=document.tools) != document:
        raise TranscriptError(f"{where}: not the key that {ceremony} makes", Refusal.OTHER_KEY)
    _check_files(folder, document)
    checked = [
        f"phase 2 has {_contributors(transcript)}, each step follows from the one before, and its beacon closes it",
        f"the circuit is that of the shape {document.shape.name}",
        "the key, computed again from the transcript, is the same byte for byte",
        "the powers of tau that it is made from are consistent",
    ]
    named = transcript.ceremony.beacon
    unchecked = [f"that {transcript.closing.value} is round {named.round} of {named.source}: look it up"]
    if powers is None:
        unchecked.append("where the powers of tau come from (give --powers)")
    elif powers.is_dir():
        _check_phase_1(powers, transcript, checked, unchecked, report)
    else:
        _check_import(powers, transcript, checked, unchecked, report)
    unchecked.append("that the keys of the signers are those of the people whose names they have")
    return KeyCheck(folder, document, tuple(checked), tuple(unchecked), powers is not None)


def _check_phase_1(
    folder: Path, transcript: Transcript, checked: list[str], unchecked: list[str], report: Report
) -> None:
    """Check the ceremony of the powers, and that it made those which phase 2 begins with."""
    first = check_folder(CeremonyFolder.open(folder), (), report)
    wanted = transcript.ceremony.target.powers
    report("computing the powers of tau from their transcript")
    data = sealed(first)
    few = first.ceremony.power < transcript.ceremony.power
    used = b"" if few else cut(first.ceremony.power, data, transcript.ceremony.power)
    if (wanted.origin, wanted.source, wanted.digest) != ("ceremony", first.digest, sha256(used)):
        raise TranscriptError(f"{folder}: made other powers of tau than phase 2 begins with", Refusal.OTHER_POWERS)
    checked.append(f"phase 1 has {_contributors(first)}, its beacon closes it, and it made these powers of tau")
    named = first.ceremony.beacon
    unchecked.append(f"that {first.closing.value} is round {named.round} of {named.source}: look it up")
    unchecked.append(_FORGOT.format("the contributors of each phase"))


def _check_import(path: Path, transcript: Transcript, checked: list[str], unchecked: list[str], report: Report) -> None:
    """Check that a file of powers holds those which phase 2 begins with."""
    wanted = transcript.ceremony.target.powers
    report("reading the powers of tau")
    _, data, source = points(path, transcript.ceremony.power)
    if (wanted.origin, wanted.source, wanted.digest) != ("imported", source, sha256(data)):
        raise TranscriptError(f"{path}: other powers of tau than phase 2 begins with", Refusal.OTHER_POWERS)
    checked.append(f"the powers of tau are those of the file with SHA-256 {source}")
    unchecked.append(
        "that anybody contributed to the imported powers of tau: compare the file's digest with what its publisher says"
    )
    unchecked.append(_FORGOT.format("the contributors of phase 2"))


def _contributors(transcript: Transcript) -> str:
    """Write who contributed."""
    names = [step.signer.name for step in transcript.steps]
    return f"{len(names)} contribution{'s' * (len(names) != 1)} ({', '.join(names)})"


def _check_files(folder: Path, document: KeyDocument) -> None:
    """Compare the key's files with the digests; a relying party has no proving key."""
    for name, digest in ((VERIFYING_FILE, document.verifying_key), (PROVING_FILE, document.proving_key)):
        with suppress(FileNotFoundError):
            if sha256(_read(folder / name, most_bytes(document.constraints))) != digest:
                raise CertificateFormatError(
                    f"{folder / name}: not the key that {KEY_FILE} names", Reason.KEY_BYTES_DIFFER
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
