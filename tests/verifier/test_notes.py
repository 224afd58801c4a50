"""Signed notes are those of C2SP, strictly read: one spelling of each, and no signature that means anything else."""

import base64
import re

import pytest

from equiproof.circuits.tables import say
from equiproof.verifier.notes import (
    MAX_NOTE_BYTES,
    MAX_SIGNATURES,
    NoteError,
    Signer,
    VerifierKey,
    distinct,
    parse_keys,
    parse_note,
    read_base64,
    who_signed,
)

# The example that Go's package golang.org/x/mod/sumdb/note documents.
PUBLIC = "PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW"
SECRET = "PRIVATE+KEY+PeterNeumann+c74f20a3+AYEKFALVFGyNhPJEMzD1QIDr+Y7hfZx09iUvxdXHKDFz"
TEXT = "If you think cryptography is the answer to your problem,\nthen you don't know what your problem is.\n"
LINE = "x08go/ZJkuBS9UG/SffcvIAQxVBtiFupLLr8pAcElZInNIuGUgYN1FFYC2pZSNXgKvqfqdngotpRZb6KE6RyyBwJnAM="
SIGNED = f"{TEXT}\n— PeterNeumann {LINE}\n"

ANNA, BEN = Signer("anna", bytes(range(32))), Signer("ben", bytes(32))


def test_keys_and_notes_are_those_of_another_program():
    """Key, signature and note are read and made as the published example has them."""
    signer, key = Signer.parse(SECRET), VerifierKey.parse(PUBLIC)
    assert (signer.verifier, signer.text, key.text) == (key, SECRET, PUBLIC)
    assert signer.sign(TEXT) == SIGNED
    assert who_signed(parse_note(SIGNED.encode()), [key]) == {key}


def test_a_new_key_is_another_one_each_time():
    """Keys are drawn; what is written is read again."""
    first, second = Signer.new("anna"), Signer.new("anna")
    assert first.verifier != second.verifier
    assert Signer.parse(first.text) == first
    assert first.text not in repr(first)


def test_several_sign_one_note():
    """Signatures under known keys count, others are passed over, whatever name they use."""
    note = parse_note((ANNA.sign("a\n") + BEN.sign("a\n").removeprefix("a\n\n")).encode())
    assert who_signed(note, [ANNA.verifier, BEN.verifier]) == {ANNA.verifier, BEN.verifier}
    assert who_signed(note, [Signer.new("anna").verifier]) == frozenset()


def test_a_false_signature_of_a_known_key_spoils_the_note():
    """A line that names a key and does not hold for the text is an attack, or a damaged file."""
    for lie in (
        ANNA.sign("a\n").replace("a\n", "b\n", 1),
        f"a\n\n— anna {base64.b64encode(ANNA.verifier.identifier + bytes(64)).decode()}\n",
    ):
        with pytest.raises(NoteError, match="the signature of anna does not hold"):
            who_signed(parse_note(lie.encode()), [ANNA.verifier])


def test_a_name_alone_is_no_signer():
    """Somebody else's key under the same name signs nothing for the first."""
    other = Signer("anna", bytes(32))
    assert who_signed(parse_note(other.sign("a\n").encode()), [ANNA.verifier]) == frozenset()


@pytest.mark.parametrize(
    "data",
    [
        b"", b"a\n", b"a\n\n", b"a\n\n\xff\n", SIGNED.encode()[:-1], SIGNED.encode() + b"\n", SIGNED.encode() + b"x\n",
        SIGNED.replace("—", "-").encode(), SIGNED.replace("x08g", "x08h=").encode(),
        SIGNED.replace("AM=", "AN=").encode(),
        SIGNED.replace("PeterNeumann", "Peter Neumann").encode(), SIGNED.replace("PeterNeumann", "").encode(),
        SIGNED.replace("PeterNeumann", "Pеter").encode(), SIGNED.replace("If", "I\x00f").encode(),
        SIGNED.replace("If", "I\rf").encode(), b"\n" + SIGNED.encode().partition(b"\n\n")[2],
        b"a\n\n" + SIGNED.partition("\n\n")[2].encode() * (MAX_SIGNATURES + 1), b"a" * (MAX_NOTE_BYTES + 1),
    ],
)  # fmt: skip
def test_anything_else_is_no_note(data):
    """Each has one thing wrong; one line says what, and nothing of the text is repeated."""
    with pytest.raises(NoteError) as refused:
        parse_note(data)
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize("text", ["", "\n", "a", "a\x00\n", "a\r\n"])
def test_texts_that_no_note_can_hold_are_not_signed(text):
    """What could be read in two ways is not signed."""
    with pytest.raises(NoteError, match="ends with a line break"):
        ANNA.sign(text)


@pytest.mark.parametrize(
    "text",
    [
        "", "anna", "anna+00000000", PUBLIC.replace("c74f20a3", "c74f20a4"), PUBLIC.replace("Peter", "Petra"),
        PUBLIC[:-4], PUBLIC + "=", PUBLIC.replace("ARpc", "Ahpc"), PUBLIC.replace("PeterNeumann", "Peter+Neumann"),
        PUBLIC.replace("PeterNeumann", ".peter"), PUBLIC.replace("PeterNeumann", "p" * 65),
    ],
)  # fmt: skip
def test_damaged_verifier_keys_are_refused(text):
    """Name, hash and key belong together, and each is in its one spelling."""
    with pytest.raises(NoteError):
        VerifierKey.parse(text)


def test_secret_and_public_keys_are_told_apart():
    """A secret key where a public one is wanted is named as such and not repeated; the reverse too."""
    with pytest.raises(NoteError, match="keep this one: it is a secret signing key") as refused:
        VerifierKey.parse(SECRET)
    assert SECRET[-8:] not in str(refused.value)
    with pytest.raises(NoteError, match="not a signing key"):
        Signer.parse(PUBLIC)
    with pytest.raises(NoteError, match="damaged signing key"):
        Signer.parse(SECRET.replace("c74f20a3", "c74f20a4"))


def test_a_list_of_signers_counts_each_once():
    """Empty lines and remarks are passed over; a name or a key that stands there twice is refused, and none at all."""
    lines = f"# signers\n\n{ANNA.verifier.text}\n {BEN.verifier.text} \n"
    assert parse_keys(lines, "signers.txt") == (ANNA.verifier, BEN.verifier)
    for lie in (
        f"{ANNA.verifier.text}\n{ANNA.verifier.text}\n",
        f"{ANNA.verifier.text}\n{Signer('anna', bytes(32)).verifier.text}\n",
        f"{ANNA.verifier.text}\n{Signer('anna2', bytes(range(32))).verifier.text}\n",
    ):
        with pytest.raises(NoteError, match=r"^s\.txt: the same signer stands there twice"):
            parse_keys(lie, "s.txt")
    with pytest.raises(NoteError, match=r"^s\.txt: no verifier key"):
        parse_keys("# nobody\n", "s.txt")
    with pytest.raises(NoteError, match=r"^s\.txt: line 2: not the line of an Ed25519 key"):
        parse_keys("# one\nanna\n", "s.txt")
    with pytest.raises(NoteError):
        distinct([])


def test_a_text_may_have_empty_lines():
    """Signatures are below the last one."""
    text = "one\n\ntwo\n\n\nthree\n"
    note = parse_note(ANNA.sign(text).encode())
    assert note.text == text
    assert who_signed(note, [ANNA.verifier]) == {ANNA.verifier}


def test_a_note_has_64_kib_at_most():
    """One byte more is too long."""
    room = (1 << 16) - len(ANNA.sign("a\n").encode())
    data = ANNA.sign("a" * (room + 1) + "\n").encode()
    assert len(data) == 1 << 16
    assert who_signed(parse_note(data), [ANNA.verifier]) == {ANNA.verifier}
    with pytest.raises(NoteError, match="65536"):
        parse_note(b"a" + data)


@pytest.mark.parametrize("text", ["é", "A", "AA", "AA=", "AB==", "AAAA\n", " AAAA", "AA-_", "\ud800"])
def test_another_spelling_of_base64_is_nothing(text):
    """No key and no signature is empty, so a caller that compares needs no second case."""
    assert read_base64(text) == b""
    assert read_base64("AA+/") == bytes([0, 15, 191])


def test_a_signature_of_another_kind_has_a_key_and_more():
    """Where other kinds are let through, what is no longer than the key's hash signs nothing."""
    for size in (1, 4):
        line = f"— anna {base64.b64encode(bytes(size)).decode()}"
        with pytest.raises(NoteError, match=re.escape(say("note.line_not_signature"))):
            parse_note(f"text\n\n{line}\n".encode(), any_kind=True)
    line = f"— anna {base64.b64encode(bytes(5)).decode()}"
    assert len(parse_note(f"text\n\n{line}\n".encode(), any_kind=True).signatures) == 1
