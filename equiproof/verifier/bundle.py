"""A bundle: a certificate with everything that it is verified with, as one file NAME.equiproof.

It is an archive of one spelling (:mod:`.archive`): first a manifest with the role, the name and the digest of each
file, then the files in the order of `PARTS`. Nothing in it is anybody's word: who made the file chose all of it. That
is why the README for whoever unpacks one is a fixed text: it says the same in each, and nobody chose it.

A refused applicant's own bundle may hold their recourse as well: box certificates of ways, or of a none, with the
opened boxes, and what both are verified with.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from equiproof.circuits.canonical import MAX_DOCUMENT_BYTES, canonical_bytes
from equiproof.circuits.kinds import BUNDLE, mistaken
from equiproof.circuits.tables import say
from equiproof.circuits.text import plain
from equiproof.verifier.archive import MAX_ARCHIVE_BYTES, File, archived, entries
from equiproof.verifier.documents import MAX_KEY_BYTES, Document, parse_document
from equiproof.verifier.errors import CertificateFormatError, Reason
from equiproof.verifier.listed import Part, Reference, check_files, check_listed, digest
from equiproof.verifier.merkle import MAX_PROOF_BYTES
from equiproof.verifier.trust import MAX_SIGNATURE_BYTES, TrustedKey

MANIFEST = (BUNDLE, 2)
MANIFEST_FILE = "manifest.json"
MAX_BUNDLE_BYTES = MAX_ARCHIVE_BYTES
SUFFIX = ".equiproof"

Role = Literal[
    "certificate",
    "commitment",
    "key",
    "verifying-key",
    "signatures",
    "query",
    "context",
    "log-proof",
    "receipt",
    "receipt-proof",
    "readme",
    "link",
    "link-key",
    "link-verifying-key",
    "link-signatures",
    "box-key",
    "box-verifying-key",
    "box-signatures",
    "wishes",
    "none",
    "none-box",
    "way-1",
    "way-1-box",
    "way-2",
    "way-2-box",
    "way-3",
    "way-3-box",
    "way-4",
    "way-4-box",
]

Answer = Literal["none", "way-1", "way-2", "way-3", "way-4"]

ANSWERS: tuple[Answer, ...] = ("none", "way-1", "way-2", "way-3", "way-4")
"""What a recourse may hold: that no change helps, or up to four ways."""


README = Path(__file__).with_name("bundle_readme.txt").read_bytes()
"""What a bundle is and where to check it, in English and German. Where a bundle has a README, it is this text."""


class FileReference(Reference, frozen=True, forbid_unknown_fields=True):
    """One file of a bundle."""

    role: Role


class Manifest(Document, frozen=True, forbid_unknown_fields=True):
    """The first file of a bundle: every other one, in their order."""

    files: tuple[FileReference, ...]


PARTS: tuple[Part[Role], ...] = (
    Part("certificate", "certificate.json", MAX_DOCUMENT_BYTES, required=True),
    Part("commitment", "commitment.json", MAX_DOCUMENT_BYTES, required=True),
    Part("key", "key/metadata.json", MAX_DOCUMENT_BYTES, required=True),
    Part("verifying-key", "key/verifying.key", MAX_KEY_BYTES, required=True),
    Part("signatures", "key/signatures.note", MAX_SIGNATURE_BYTES),
    Part("query", "query.json", MAX_DOCUMENT_BYTES),
    Part("context", "context.json", MAX_DOCUMENT_BYTES),
    Part("log-proof", "certificate.tlog-proof", MAX_PROOF_BYTES),
    Part("receipt", "receipt.json", MAX_DOCUMENT_BYTES),
    Part("receipt-proof", "receipt.tlog-proof", MAX_PROOF_BYTES),
    Part("readme", "README-LIESMICH.txt", len(README)),
    Part("link", "link.json", MAX_DOCUMENT_BYTES),
    Part("link-key", "link/metadata.json", MAX_DOCUMENT_BYTES),
    Part("link-verifying-key", "link/verifying.key", MAX_KEY_BYTES),
    Part("link-signatures", "link/signatures.note", MAX_SIGNATURE_BYTES),
    Part("box-key", "recourse/key/metadata.json", MAX_DOCUMENT_BYTES),
    Part("box-verifying-key", "recourse/key/verifying.key", MAX_KEY_BYTES),
    Part("box-signatures", "recourse/key/signatures.note", MAX_SIGNATURE_BYTES),
    Part("wishes", "recourse/wishes.json", MAX_DOCUMENT_BYTES),
    Part("none", "recourse/none/certificate.json", MAX_DOCUMENT_BYTES),
    Part("none-box", "recourse/none/opened.json", MAX_DOCUMENT_BYTES),
    Part("way-1", "recourse/way-1/certificate.json", MAX_DOCUMENT_BYTES),
    Part("way-1-box", "recourse/way-1/opened.json", MAX_DOCUMENT_BYTES),
    Part("way-2", "recourse/way-2/certificate.json", MAX_DOCUMENT_BYTES),
    Part("way-2-box", "recourse/way-2/opened.json", MAX_DOCUMENT_BYTES),
    Part("way-3", "recourse/way-3/certificate.json", MAX_DOCUMENT_BYTES),
    Part("way-3-box", "recourse/way-3/opened.json", MAX_DOCUMENT_BYTES),
    Part("way-4", "recourse/way-4/certificate.json", MAX_DOCUMENT_BYTES),
    Part("way-4-box", "recourse/way-4/opened.json", MAX_DOCUMENT_BYTES),
)
"""Every file that a bundle may hold, in their order; those of a recourse come last."""

_BY_NAME = {part.name: part for part in PARTS}
_OF_RECOURSE = tuple(part for part in PARTS if part.name.startswith("recourse/"))
_OF_LINK = frozenset[Role]({"link", "link-key", "link-verifying-key", "link-signatures"})


def recourse_fields(
    key: TrustedKey, wishes: bytes | None, boxes: Iterable[tuple[Answer, bytes, bytes]]
) -> dict[str, Any]:
    """Return the files of a recourse by their fields of a :class:`Bundle`.

    `key` is that of all `boxes`, which are box certificates by their names with their opened boxes; `wishes` are the
    applicant's, if there are any.
    """
    found: dict[str, Any] = {
        "box_key": canonical_bytes(key.document),
        "box_verifying_key": key.verifying,
        "box_signatures": key.signatures or None,
        "wishes": wishes,
    }
    for name, certificate, opened in boxes:
        field = name.replace("-", "_")
        found |= {field: certificate, f"{field}_box": opened}
    return found


@dataclass(frozen=True)
class Bundle:
    """The files of a bundle, unread: their own parsers judge them.

    `link` is that of a kept key, with the key for links that it names. `query` is there in an applicant's own bundle
    only: it holds the applicant's data and their blinding. So are `receipt`, with the salt of the receipt,
    `receipt_proof`, and `box_key` and everything behind it, which is of their recourse: box certificates by their
    names, each with its opened box, the key of both, and the applicant's wishes.
    """

    certificate: bytes
    commitment: bytes
    key: bytes
    verifying_key: bytes
    signatures: bytes | None = None
    query: bytes | None = None
    context: bytes | None = None
    log_proof: bytes | None = None
    receipt: bytes | None = None
    receipt_proof: bytes | None = None
    readme: bytes | None = None
    link: bytes | None = None
    link_key: bytes | None = None
    link_verifying_key: bytes | None = None
    link_signatures: bytes | None = None
    box_key: bytes | None = None
    box_verifying_key: bytes | None = None
    box_signatures: bytes | None = None
    wishes: bytes | None = None
    none: bytes | None = None
    none_box: bytes | None = None
    way_1: bytes | None = None
    way_1_box: bytes | None = None
    way_2: bytes | None = None
    way_2_box: bytes | None = None
    way_3: bytes | None = None
    way_3_box: bytes | None = None
    way_4: bytes | None = None
    way_4_box: bytes | None = None

    def __repr__(self) -> str:
        """Show the files' names; an applicant's data stay out of logs and tracebacks."""
        return f"Bundle({', '.join(name for name, _ in self.files())})"

    def files(self) -> list[File]:
        """Return the files that are there, by name, in the order of a bundle."""
        contents = ((part.name, getattr(self, part.field)) for part in PARTS)
        return [(name, content) for name, content in contents if content is not None]

    def answers(self) -> Iterator[tuple[Answer, bytes, bytes]]:
        """Yield the box certificates of the recourse by their names, each with its opened box."""
        for name in ANSWERS:
            field = name.replace("-", "_")
            certificate, opened = getattr(self, field), getattr(self, f"{field}_box")
            if certificate is not None and opened is not None:
                yield name, certificate, opened

    def to_bytes(self) -> bytes:
        """Return the bundle's one byte string; raises CertificateFormatError for files that are too long for one."""
        files = self.files()
        listed = [FileReference(_BY_NAME[name].role, name, digest(content)) for name, content in files]
        data = archived([(MANIFEST_FILE, canonical_bytes(Manifest(*MANIFEST, tuple(listed)))), *files])
        # Read back, so that nothing is written that every reader refuses.
        parse_bundle(data, "bundle")
        return data


def parse_bundle(data: bytes, where: str) -> Bundle:
    """Read a bundle; raises CertificateFormatError for any bytes but those that `to_bytes` makes of its files.

    An error names `where` and the file inside.
    """
    if other := mistaken(data, BUNDLE):
        raise CertificateFormatError(f"{where}: {other}", Reason.NOT_A_BUNDLE)
    (first, listed), *files = entries(data, where)
    if first != MANIFEST_FILE:
        raise CertificateFormatError(
            say("listed.begins_wrong", where=where, first=repr(plain(first)[:40]), required=MANIFEST_FILE),
            Reason.WRONG_FILES,
        )
    manifest = parse_document(listed, Manifest, MANIFEST, f"{where}: {MANIFEST_FILE}", only_canonical=True)
    check_files(PARTS, files, where, say("word.bundle"))
    check_listed(PARTS, manifest.files, files, f"{where}: {MANIFEST_FILE}", say("word.bundle"))
    if any(content != README for name, content in files if _BY_NAME[name].role == "readme"):
        message = say("listed.text_differs", where=where, file="README-LIESMICH.txt")
        raise CertificateFormatError(message, Reason.FILE_DIFFERS)
    roles = {_BY_NAME[name].role for name, _ in files}
    if roles & _OF_LINK:
        _require({"link", "link-key", "link-verifying-key"} - roles, where)
    _check_recourse(roles, where)
    return Bundle(**{_BY_NAME[name].field: content for name, content in files})


def _check_recourse(roles: set[Role], where: str) -> None:
    """Refuse a recourse without what it is verified with: a query, a key, and an opened box for each certificate."""
    if not any(part.role in roles for part in _OF_RECOURSE):
        return
    named = {name for name in ANSWERS if {name, f"{name}-box"} & roles} or {"none"}
    needed = {"query", "box-key", "box-verifying-key", *named, *(f"{name}-box" for name in named)}
    _require(needed - roles, where)


def _require(missing: Collection[str], where: str) -> None:
    """Raise CertificateFormatError naming the first file that is missing."""
    for part in PARTS:
        if part.role in missing:
            raise CertificateFormatError(say("listed.file_missing", where=where, file=part.name), Reason.WRONG_FILES)
