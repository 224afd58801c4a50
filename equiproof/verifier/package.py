"""An evidence package: what an owner keeps of one decision, so that somebody can judge it years later, offline.

It is an archive of one spelling (:mod:`.archive`): a manifest, the applicant's own bundle, the policy that the
certificate had to meet, what two programs said of it then, and a log proof of the certificate's file. The letter and
the model card are there by their digests. Nothing in it is anybody's word: :mod:`.package_check` judges it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import msgspec

from equiproof.circuits.canonical import MAX_DOCUMENT_BYTES, canonical_bytes
from equiproof.circuits.kinds import BUNDLE, called, kind_of, mistaken
from equiproof.circuits.tables import say
from equiproof.circuits.text import plain
from equiproof.verifier.archive import MAX_ARCHIVE_BYTES, File, archived, entries
from equiproof.verifier.documents import Document, parse_document
from equiproof.verifier.entries import is_date, is_digits
from equiproof.verifier.errors import CertificateFormatError, Reason
from equiproof.verifier.listed import Part, Reference, check_files, check_listed, digest
from equiproof.verifier.merkle import MAX_PROOF_BYTES
from equiproof.verifier.receipt import is_time

PACKAGE = ("equiproof-package", 1)
MANIFEST_FILE = "package.json"
MAX_PACKAGE_BYTES = MAX_ARCHIVE_BYTES
MOST_NAME = 128
"""The most characters of a decision's name."""

Role = Literal["bundle", "policy", "native-report", "python-report", "certificate-proof", "link-proof"]


class PackagedFile(Reference, frozen=True, forbid_unknown_fields=True):
    """One file of a package."""

    role: Role


class PackagedCorrection(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """That one of two decisions was made with details of the other one put right, in the owner's words.

    `place` is that of this package's decision, `other` what the other is called, and `other_receipt` its receipt's
    digest. The applicant asked on the day `asked` for what `request` says; `changed` are the names of the features
    that differ. `name` is who recorded it, at the time `recorded`.
    """

    place: Literal["first", "second"]
    other: str
    other_receipt: str
    asked: str
    request: str
    changed: tuple[str, ...]
    name: str
    recorded: str


class PackageManifest(Document, frozen=True, forbid_unknown_fields=True):
    """The first file of a package, the owner's own words: what the decision is called, when the package was made.

    `keep_until` is the day until which the owner keeps it. `letters` are digests by language, `model_card` is one or
    None. `corrections` are those that led to the decision and followed it.
    """

    decision: str
    made: str
    keep_until: str
    letters: dict[str, str]
    model_card: str | None
    corrections: tuple[PackagedCorrection, ...]
    files: tuple[PackagedFile, ...]


PARTS: tuple[Part[Role], ...] = (
    Part("bundle", "certificate.equiproof", MAX_PACKAGE_BYTES, required=True),
    Part("policy", "policy.json", MAX_DOCUMENT_BYTES, required=True),
    Part("native-report", "native.report.json", MAX_DOCUMENT_BYTES),
    Part("python-report", "python.report.json", MAX_DOCUMENT_BYTES),
    Part("certificate-proof", "certificate.tlog-proof", MAX_PROOF_BYTES),
    Part("link-proof", "link.tlog-proof", MAX_PROOF_BYTES),
)
"""Every file that a package may hold, in their order."""

_BY_NAME = {part.name: part for part in PARTS}


@dataclass(frozen=True)
class Package:
    """The files of a package, unread, and what the owner says of them; the repr shows nothing of the applicant's."""

    decision: str
    made: str
    keep_until: str
    bundle: bytes
    policy: bytes
    letters: tuple[tuple[str, str], ...] = ()
    model_card: str | None = None
    native_report: bytes | None = None
    python_report: bytes | None = None
    certificate_proof: bytes | None = None
    link_proof: bytes | None = None
    corrections: tuple[PackagedCorrection, ...] = ()

    def __repr__(self) -> str:
        """Show the files' names."""
        return f"Package({', '.join(name for name, _ in self.files())})"

    def files(self) -> list[File]:
        """Return the files that are there, by name, in the order of a package."""
        contents = ((part.name, getattr(self, part.field)) for part in PARTS)
        return [(name, content) for name, content in contents if content is not None]

    def to_bytes(self) -> bytes:
        """Return the package's one byte string; raises CertificateFormatError for what no package can hold."""
        files = self.files()
        listed = [PackagedFile(_BY_NAME[name].role, name, digest(content)) for name, content in files]
        manifest = PackageManifest(
            *PACKAGE,
            self.decision,
            self.made,
            self.keep_until,
            dict(self.letters),
            self.model_card,
            self.corrections,
            tuple(listed),
        )
        data = archived([(MANIFEST_FILE, canonical_bytes(manifest)), *files])
        # Read back, so that nothing is written that every reader refuses.
        parse_package(data, "package")
        return data


def parse_package(data: bytes, where: str) -> Package:
    """Read a package; raises CertificateFormatError for any bytes but those that `to_bytes` makes of its files.

    An error names `where` and the file inside. Those of the bundle are not read.
    """
    if other := mistaken(data, PACKAGE[0]):
        reason = Reason.WRONG_FILES if kind_of(data) == BUNDLE else Reason.NOT_A_BUNDLE
        raise CertificateFormatError(f"{where}: {other}", reason)
    (first_name, listed), *files = entries(data, where, called(PACKAGE[0]))
    at = f"{where}: {MANIFEST_FILE}"
    if first_name != MANIFEST_FILE:
        raise CertificateFormatError(
            say("listed.begins_wrong", where=where, first=repr(plain(first_name)[:40]), required=MANIFEST_FILE),
            Reason.WRONG_FILES,
        )
    manifest = parse_document(listed, PackageManifest, PACKAGE, at, only_canonical=True)
    check_files(PARTS, files, where, say("word.package"))
    check_listed(PARTS, manifest.files, files, at, say("word.package"))
    _check(manifest, at)
    parts: dict[str, Any] = {_BY_NAME[name].field: content for name, content in files}
    head = (manifest.decision, manifest.made, manifest.keep_until)
    letters = tuple(sorted(manifest.letters.items()))
    return Package(*head, letters=letters, model_card=manifest.model_card, corrections=manifest.corrections, **parts)


def _check(manifest: PackageManifest, where: str) -> None:
    """Refuse what the form alone lets through."""
    faults = {
        "decision": not 0 < len(manifest.decision) <= MOST_NAME or not manifest.decision.isprintable(),
        "made": not is_time(manifest.made),
        "keep_until": not is_date(manifest.keep_until),
        "letters": not all(map(is_digits, manifest.letters.values())),
        "model_card": manifest.model_card is not None and not is_digits(manifest.model_card),
        "corrections": not _are_corrections(manifest.corrections),
    }
    for name in (name for name, is_wrong in faults.items() if is_wrong):
        wrong = say("format.field_wrong", where=where, field=name, problem=say("package.field_wrong"))
        raise CertificateFormatError(wrong, Reason.WRONG_FIELDS)


def _are_corrections(all_of_them: tuple[PackagedCorrection, ...]) -> bool:
    """Return whether each is well formed, and none stands in the place of another."""
    return len({one.place for one in all_of_them}) == len(all_of_them) and all(
        0 < len(one.other) <= MOST_NAME
        and one.other.isprintable()
        and is_digits(one.other_receipt)
        and is_date(one.asked)
        and is_time(one.recorded)
        and one.changed
        for one in all_of_them
    )
