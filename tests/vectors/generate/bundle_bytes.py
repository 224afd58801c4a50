"""Bytes that are no bundle: archives of another spelling, other files than a bundle's, and manifests that lie."""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from equiproof.circuits.canonical import canonical_bytes
from equiproof.verifier.bundle import README
from equiproof.verifier.errors import Reason
from tests.vectors.generate import bundle_cases as bundles
from tests.vectors.generate.archives import Archive, Entry, Headers
from tests.vectors.vector import CERTIFICATE, COMMITMENT, QUERY

MEGABYTE = 1 << 20


def vectors() -> bundles.Named:
    """Yield every family."""
    for family in (no_archives, around, headers, records, ends, names, other_files, manifests, contents):
        for name, what, why, reason, field, archive in family():
            yield name, bundles.case("malformed", what, why, reason, field, archive=archive)


Case = Iterator[tuple[str, str, str, str, str | None, Archive]]


def honest() -> Archive:
    """Return the archive of the applicant's own bundle."""
    return bundles.archive_of(bundles.base_files(bundles.OWN))


def entry(change: Any, at: int = 1) -> Archive:
    """Return the archive with one entry changed, by default the certificate's."""
    entries = list(honest().entries)
    entries[at] = change(entries[at])
    return replace(honest(), entries=tuple(entries))


def no_archives() -> Case:
    """Files of another kind."""
    reason, why = Reason.NOT_A_BUNDLE, "a bundle is a zip archive that begins with its first file"
    files = bundles.base_files(bundles.OWN)
    empty = Archive(())
    for name, data in (("certificate", files[CERTIFICATE]), ("nothing", b""), ("text", b"PK, but no archive")):
        yield f"not-an-archive-{name}", name, why, reason, None, Only(data)
    yield "archive-of-nothing", "an archive without files", why, reason, None, empty


class Only(Archive):
    """Bytes that are no archive."""

    def __init__(self, data: bytes) -> None:
        super().__init__(())
        object.__setattr__(self, "before", data)

    def segments(self) -> list[bytes]:
        """Return the bytes."""
        return [self.before]


def around() -> Case:
    """Bytes before, between and behind what belongs to an archive, where an unpacking program looks past them."""
    why = "a program that finds the directory from behind, and one that reads from the front, must see the same files"
    reason = Reason.NOT_CANONICAL
    yield (
        "bytes-before",
        "a script before the archive",
        why,
        Reason.NOT_A_BUNDLE,
        None,
        replace(honest(), before=b"#!/bin/sh\n"),
    )
    second = b"".join(bundles.archive_of(bundles.base_files(bundles.PUBLIC)).segments())
    for name, archive in (
        ("bytes-behind", replace(honest(), after=b"\0")),
        ("archive-behind", replace(honest(), after=second)),
        ("bytes-before-the-directory", replace(honest(), between=b"hidden")),
        ("comment", replace(honest(), comment=b"checked by the court")),
        ("cut-off", replace(honest(), comment=b"", records=())),
    ):
        yield name, name.replace("-", " "), why, reason, None, archive
    parts = honest().segments()
    for name, data in (
        ("cut-in-a-header", b"".join(parts)[: len(b"".join(parts[:3])) + 20]),
        ("cut-in-a-content", b"".join(parts)[: len(b"".join(parts[:4])) + 20]),
        ("cut-before-the-directory", b"".join(parts[: -len(honest().entries) - 2])),
    ):
        yield name, name.replace("-", " "), why, reason, None, Only(data)


def headers() -> Case:
    """Entries whose header is another one, also in the directory."""
    reason, why = Reason.NOT_CANONICAL, "an entry has one spelling, so that a bundle has one byte string"
    content = honest().entries[1].content
    packed = zlib.compress(content, 9)[2:-4]
    for name, fields in (
        ("time", {"time": 1}),
        ("date", {"date": 34}),
        ("version", {"version": 10}),
        ("flag-of-encryption", {"flags": 1}),
        ("flag-of-lengths-behind", {"flags": 8}),
        ("flag-of-utf-8", {"flags": 0x800}),
        ("checksum", {"checksum": 1}),
        ("extra-field", {"extra": b"UT\x05\x00\x01\x00\x00\x00\x00"}),
        ("length-of-a-bomb", {"length": 0xFFFFFFFF}),
        ("stored-length-too-long", {"stored": 0xFFFFFFF0, "length": 0xFFFFFFF0}),
        ("stored-length-too-short", {"stored": 10, "length": 10}),
        ("stored-length-of-two-entries", {"stored": len(content) + 100, "length": len(content) + 100}),
        ("stored-length-zero", {"stored": 0, "length": 0}),
    ):
        what = f"an entry's {name.replace('-', ' ')}"
        yield f"header-{name}", what, why, reason, None, entry(lambda one, fields=fields: one.both(**fields))
    why = "a bundle is not compressed: what a reader sets aside is what the file is long"
    yield (
        "compressed",
        "a compressed entry",
        why,
        reason,
        "certificate.json",
        entry(
            lambda one: replace(one, content=packed).both(method=8, checksum=zlib.crc32(content), length=len(content))
        ),
    )
    bomb = zlib.compress(bytes(2 * MEGABYTE), 9)[2:-4]
    yield (
        "bomb",
        "an entry that unpacks to 2 MiB",
        why,
        reason,
        "certificate.json",
        entry(lambda one: replace(one, content=bomb).both(method=8, checksum=1, length=2 * MEGABYTE)),
    )


def records() -> Case:
    """Directories that say something else than the entries."""
    reason, why = Reason.NOT_CANONICAL, "programs that read the directory must see what others see in the entries"
    for name, change in (
        ("name", lambda one: replace(one, record=Headers(name=b"certificatf.json"))),
        ("date", lambda one: replace(one, record=Headers(date=34))),
        ("length", lambda one: replace(one, record=Headers(length=1))),
        ("checksum", lambda one: replace(one, record=Headers(checksum=1))),
        ("extra-field", lambda one: replace(one, record=Headers(extra=b"UT\x05\x00\x01\x00\x00\x00\x00"))),
        ("comment", lambda one: replace(one, comment=b"checked by the court")),
        ("attributes", lambda one: replace(one, attributes=0o120777 << 16)),
        ("maker", lambda one: replace(one, made_by=20)),
        ("place", lambda one: replace(one, place=0)),
    ):
        yield f"directory-other-{name}", f"a directory with another {name}", why, reason, None, entry(change)
    count = len(honest().entries)
    for name, listed in (
        ("without-the-last", tuple(range(count - 1))),
        ("with-one-twice", (*range(count), 1)),
        ("in-another-order", (0, 2, 1, *range(3, count))),
    ):
        yield f"directory-{name}", f"a directory {name}", why, reason, None, replace(honest(), records=listed)


def ends() -> Case:
    """Ends of the directory that count or point elsewhere."""
    reason, why = Reason.NOT_CANONICAL, "the end names the directory that is there"
    for name, end in (
        ("count", {"all": 3}),
        ("count-here", {"here": 3}),
        ("size", {"size": 1}),
        ("place", {"place": 0}),
        ("count-of-larger-archives", {"here": 0xFFFF, "all": 0xFFFF}),
    ):
        yield f"end-{name}", f"another {name} at the end", why, reason, None, replace(honest(), end=end)


def names() -> Case:
    """Files with names that no bundle has; the manifest lists them as they are."""
    reason, why = Reason.WRONG_FILES, "the names are fixed: nothing is ever written to a path of somebody else's"
    for name, text in (
        ("path-above", "../certificate.json"),
        ("path-absolute", "/certificate.json"),
        ("path-backslash", "..\\certificate.json"),
        ("path-here", "./certificate.json"),
        ("upper-case", "CERTIFICATE.JSON"),
        ("zero-byte", "certificate.json\0.txt"),
        ("empty", ""),
        ("folder", "key/"),
        ("escape-sequence", "\x1b[2Jcertificate.json"),
    ):
        yield f"name-{name}", f"a name: {name}", why, reason, None, renamed(text.encode())
    what = "a name that is not ASCII"
    yield "name-not-ascii", what, why, Reason.NOT_CANONICAL, None, renamed("certificate\u200b.json".encode())
    yield "name-long", "a name of 300 bytes", why, reason, None, renamed(b"c" * 300)


def renamed(name: bytes) -> Archive:
    """Return the archive whose certificate has another name, with a manifest that lists it so."""
    files = bundles.base_files(bundles.OWN)
    manifest = bundles.manifest_of(files)
    manifest["files"][0]["name"] = name.decode()
    entries = bundles.archive_of(files, canonical_bytes(manifest)).entries
    return Archive((entries[0], replace(entries[1], name=name), *entries[2:]))


def other_files() -> Case:
    """Files that are missing, doubled, in another order, or too many."""
    reason, why = Reason.WRONG_FILES, "a bundle has each file at most once, in one order, and no other"
    files = bundles.base_files(bundles.OWN)
    for role in ("certificate", "commitment", "key", "verifying_key"):
        name = {role.replace("-", "_"): name for name, role in bundles.ROLES.items()}[role]
        archive = bundles.with_files(bundles.OWN, **{role: None})
        yield f"without-{role.replace('_', '-')}", f"no {role}", why, reason, name, archive
    swapped = {name: files[name] for name in (COMMITMENT, CERTIFICATE, *list(files)[2:])}
    yield "other-order", "the commitment before the certificate", why, reason, None, bundles.archive_of(swapped)
    more = bundles.archive_of(files | {"README.txt": b"open the program beside it\n"})
    yield "one-more", "a file that no bundle has", why, reason, "README.txt", more
    entries = honest().entries
    for name, found in (
        ("certificate-twice", (*entries[:2], entries[1], *entries[2:])),
        ("second-certificate-behind", (*entries, replace(entries[1], content=entries[1].content[:-1]))),
        ("manifest-twice", (entries[0], *entries)),
        ("manifest-missing", entries[1:]),
        ("manifest-last", (*entries[1:], entries[0])),
        ("manifest-alone", entries[:1]),
        ("thirty-three", (*entries, *(Entry(f"{number}".encode(), b"") for number in range(33 - len(entries))))),
    ):
        yield name, name.replace("-", " "), why, reason, None, Archive(tuple(found))


def manifests() -> Case:
    """Manifests that lie, or are none."""
    files = bundles.base_files(bundles.OWN)
    lied = "a manifest lists the files that are there, by role, name and digest"
    for name, at, change, reason in (
        ("digest", 0, {"sha256": "0" * 64}, Reason.FILE_DIFFERS),
        ("digest-upper-case", 0, {"sha256": bundles.manifest_of(files)["files"][0]["sha256"].upper()},
         Reason.FILE_DIFFERS),
        ("role", 0, {"role": "commitment"}, Reason.WRONG_FILES),
        ("unknown-role", 0, {"role": "letter"}, Reason.WRONG_FIELDS),
        ("name", 0, {"name": "commitment.json"}, Reason.WRONG_FILES),
        ("more", 0, {"size": 1}, Reason.WRONG_FIELDS),
    ):  # fmt: skip
        manifest = bundles.manifest_of(files)
        manifest["files"][at] |= change
        yield f"manifest-{name}", f"another {name}", lied, reason, bundles.MANIFEST, listed(canonical_bytes(manifest))
    true = bundles.manifest_of(files)
    for name, lie, reason in (
        ("without-one", true | {"files": true["files"][:-1]}, Reason.WRONG_FILES),
        ("with-one-more", true | {"files": [*true["files"], true["files"][0]]}, Reason.WRONG_FILES),
        ("in-another-order", true | {"files": true["files"][::-1]}, Reason.WRONG_FILES),
        ("empty", true | {"files": []}, Reason.WRONG_FILES),
        ("version-1", true | {"version": 1}, Reason.OTHER_FORMAT),
        ("version-3", true | {"version": 3}, Reason.OTHER_FORMAT),
        ("format", true | {"format": "equiproof-certificate"}, Reason.OTHER_FORMAT),
        ("unknown-field", true | {"owner": "the lender"}, Reason.WRONG_FIELDS),
    ):
        yield f"manifest-{name}", f"a manifest {name}", lied, reason, bundles.MANIFEST, listed(canonical_bytes(lie))
    text = canonical_bytes(true)
    for name, data, reason in (
        ("spaced", json.dumps(true).encode(), Reason.NOT_CANONICAL),
        ("not-json", b"files:", Reason.NOT_JSON),
        ("field-twice", text.replace(b'"version":2', b'"version":2,"version":2'), Reason.NOT_CANONICAL),
    ):
        yield f"manifest-{name}", f"a manifest: {name}", lied, reason, bundles.MANIFEST, listed(data)


def listed(manifest: bytes) -> Archive:
    """Return the archive with another manifest."""
    return bundles.archive_of(bundles.base_files(bundles.OWN), manifest)


def contents() -> Case:
    """Files that are what the manifest names, and no files of ours: each one's own parser refuses them."""
    files = bundles.base_files(bundles.OWN)
    why = "a sender's own README could send readers to a page of the sender's"
    for name, data, reason in (
        ("another", README.replace(b"from the sender", b"by the sender!!"), Reason.FILE_DIFFERS),
        ("empty", b"", Reason.FILE_DIFFERS),
        ("longer", README + b"\n", Reason.TOO_LONG),
    ):
        archive = bundles.with_files(bundles.OWN, readme=data)
        yield f"content-readme-{name}", f"README: {name}", why, reason, "README-LIESMICH.txt", archive
    whole = bundles.base_files(bundles.OWN)
    first = bundles.archive_of({"README-LIESMICH.txt": README} | whole)
    yield "readme-before-the-certificate", "README before the certificate", why, Reason.WRONG_FILES, None, first
    why = "what is inside is read as strictly as a file beside it"
    key = files[bundles.METADATA]
    query = files[QUERY].replace(b'"version":2', b'"version":1')
    for role, name, data, reason in (
        ("certificate", "spaced", files[CERTIFICATE] + b" ", Reason.NOT_CANONICAL),
        ("certificate", "a-commitment", files[COMMITMENT], Reason.WRONG_FIELDS),
        ("commitment", "not-json", b"", Reason.NOT_JSON),
        ("key", "version-1", key.replace(b'"version":2', b'"version":1'), Reason.OTHER_FORMAT),
        ("verifying_key", "cut-off", files[bundles.VERIFYING_KEY][:-1], Reason.KEY_BYTES_DIFFER),
        ("verifying_key", "too-long", files[bundles.VERIFYING_KEY] + bytes(4096), Reason.TOO_LONG),
        ("query", "version-1", query, Reason.OTHER_FORMAT),
        ("context", "without-a-nonce", b'{"date":"2026-01-31"}', Reason.WEAK_NONCE),
    ):
        file = {role.replace("-", "_"): name for name, role in bundles.ROLES.items()}[role]
        archive = bundles.with_files(bundles.OWN, **{role: data})
        yield f"content-{role.replace('_', '-')}-{name}", f"{file}: {name}", why, reason, file, archive
