"""Entries of a register: eight kinds, one spelling each, and nothing else."""

import hashlib

import pytest

from equiproof.circuits.canonical import canonical_bytes
from equiproof.verifier.documents import load_commitment
from equiproof.verifier.entries import (
    ENTRY,
    MAX_ENTRY_BYTES,
    BoxEntry,
    CertificateEntry,
    CommitmentEntry,
    DecisionEntry,
    KeyEntry,
    LinkEntry,
    RetireEntry,
    TrailEntry,
    box_entry,
    certificate_entry,
    commitment_digest,
    parse_entry,
)
from equiproof.verifier.errors import CertificateFormatError
from tests.support import ROOT

A, B = "a1" * 32, "b2" * 32
ENTRIES = [
    CommitmentEntry(*ENTRY, "commitment", "Example Bank", A, "2026-03-01"),
    KeyEntry(*ENTRY, "key", "Example Bank", A, None),
    KeyEntry(*ENTRY, "key", "Bank-1", A, B),
    RetireEntry(*ENTRY, "retire", "Example Bank", "commitment", A, "a better model", B),
    RetireEntry(*ENTRY, "retire", "Example Bank", "key", A, "", None),
    DecisionEntry(*ENTRY, "decision", A),
    CertificateEntry(*ENTRY, "certificate", A),
    TrailEntry(*ENTRY, "trail", "Example Bank", A),
    BoxEntry(*ENTRY, "box", A),
    LinkEntry(*ENTRY, "link", "Example Bank", A, B, A),
]


@pytest.mark.parametrize("entry", ENTRIES)
def test_an_entry_is_read_as_it_is_written(entry):
    """Each kind has its own class; its name is the SHA-256 of its bytes."""
    read = parse_entry(entry.data, "entry")
    assert type(read) is type(entry)
    assert read == entry
    assert read.name == hashlib.sha256(entry.data).hexdigest()


@pytest.mark.parametrize(
    ("entry", "name", "value"),
    [
        (0, "kind", "note"), (0, "kind", "retire"), (0, "kind", None), (0, "version", 2),
        (0, "format", "equiproof-key"), (0, "owner", ""), (0, "owner", "B\u0430nk"), (0, "owner", "Bank "),
        (0, "commitment", A.upper()),
        (0, "commitment", A[1:]),
        (0, "valid_from", "2026-02-30"), (0, "valid_from", "2026-3-1"), (0, "valid_from", "20260301"),
        (0, "valid_from", "2026-03-01T00:00:00"), (0, "more", 1), (1, "transcript", "none"), (1, "key", None),
        (3, "what", "decision"), (3, "why", "x" * 201), (3, "why", "two\nlines"), (3, "why", "\u2028"),
        (3, "successor", "later"), (3, "digest", ""), (5, "receipt", "0" * 63), (5, "owner", "Example Bank"),
        (6, "certificate", A.upper()), (6, "certificate", None), (6, "owner", "Example Bank"), (6, "kind", "decision"),
        (7, "head", A.upper()), (7, "head", None), (7, "owner", "Bank "), (7, "kind", "certificate"),
        (8, "box", A.upper()), (8, "box", None), (8, "owner", "Example Bank"), (8, "kind", "certificate"),
        (8, "certificate", A),
        (9, "link", A.upper()), (9, "link", None), (9, "commitment", A[1:]), (9, "key", "x" * 64), (9, "owner", ""),
        (9, "kind", "key"), (9, "transcript", None),
    ],
)  # fmt: skip
def test_nothing_else_is_an_entry(entry, name, value):
    """Unknown kinds and fields, names that could be mistaken, digests and dates in other spellings are refused."""
    fields = ENTRIES[entry].__class__
    changed = {key: getattr(ENTRIES[entry], key) for key in fields.__struct_fields__} | {name: value}
    with pytest.raises(CertificateFormatError):
        parse_entry(canonical_bytes(changed), "entry")


def test_one_file_has_entries_of_different_bytes_by_kind():
    """The entry of a box certificate is none of a certificate, also where both are of the same file."""
    box, certificate = box_entry(b"file"), certificate_entry(b"file")
    assert box.box == certificate.certificate == hashlib.sha256(b"file").hexdigest()
    assert box.data != certificate.data
    for entry, other in ((box, b'"kind":"certificate"'), (certificate, b'"kind":"box"')):
        with pytest.raises(CertificateFormatError):
            parse_entry(entry.data.replace(f'"kind":"{entry.kind}"'.encode(), other), "entry")


def test_an_entry_has_one_spelling():
    """Blanks, another order of fields, a missing or a doubled field and other bytes are refused."""
    data = ENTRIES[0].data
    for other in (data + b"\n", b" " + data, data.replace(b'","format"', b'", "format"'), data[:-1] + b',"version":1}'):
        with pytest.raises(CertificateFormatError):
            parse_entry(other, "entry")
    for other in (b"", b"[]", b"{}", b"\xff", b"null", bytes(MAX_ENTRY_BYTES + 1)):
        with pytest.raises(CertificateFormatError):
            parse_entry(other, "entry")


def test_what_a_log_cannot_hold_is_not_read():
    """A log states the length of an entry in two bytes."""
    for length, reason in ((65_535, "not-json"), (65_536, "too-long")):
        with pytest.raises(CertificateFormatError) as caught:
            parse_entry(bytes(length), "entry")
        assert caught.value.reason == reason


def test_characters_of_a_reason_are_counted():
    """Two hundred characters are accepted, of any script."""
    entry = RetireEntry(*ENTRY, "retire", "Bank", "key", A, "\U0001f600" * 200, None)
    assert parse_entry(entry.data, "entry") == entry


def test_a_commitment_is_known_by_the_digest_of_its_file():
    """The digest in an entry is what `sha256sum` prints for the published file."""
    path = ROOT / "tests" / "golden" / "loans" / "commitment.json"
    assert commitment_digest(load_commitment(path)) == hashlib.sha256(path.read_bytes()).hexdigest()
