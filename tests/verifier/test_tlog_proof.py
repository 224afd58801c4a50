"""A log proof has one spelling: every byte follows from its parts."""

import base64
from dataclasses import replace

import pytest

from equiproof.verifier.merkle import MAX_PROOF_BYTES, check_inclusion, leaf_hash, root_of
from equiproof.verifier.tlog_proof import TlogProof, TlogProofError, parse_tlog_proof

CHECKPOINT = b"log\n5\nroot\n\n\xe2\x80\x94 log AAAA\n"
PROOF = TlogProof(3, (bytes(32), bytes(range(32))), CHECKPOINT, b'{"a":1}')
LINE = base64.b64encode(bytes(32)).decode()


@pytest.mark.parametrize(
    "proof", [PROOF, TlogProof(0, (), CHECKPOINT), TlogProof(2**63 - 1, (bytes(32),) * 63, b"x", b"\0")]
)
def test_what_is_written_is_read(proof):
    """With or without an entry, with no hash and with the most."""
    assert parse_tlog_proof(proof.data) == proof


def test_the_published_form_is_read():
    """The lines stand where c2sp.org/tlog-proof has them."""
    lines = PROOF.data.split(b"\n")
    assert lines[:3] == [b"c2sp.org/tlog-proof@v1", b"extra eyJhIjoxfQ==", b"index 3"]
    assert PROOF.data.endswith(b"\n\n" + CHECKPOINT)


@pytest.mark.parametrize(
    "head",
    [
        "", "c2sp.org/tlog-proof@v2\nindex 3", "\nc2sp.org/tlog-proof@v1\nindex 3", "c2sp.org/tlog-proof@v1",
        "c2sp.org/tlog-proof@v1\nextra \nindex 3", "c2sp.org/tlog-proof@v1\nextra eyJ\nindex 3",
        "c2sp.org/tlog-proof@v1\nextra AAAA", "c2sp.org/tlog-proof@v1\nindex 03", "c2sp.org/tlog-proof@v1\nindex +3",
        "c2sp.org/tlog-proof@v1\nindex", "c2sp.org/tlog-proof@v1\nindex 9223372036854775808",
        "c2sp.org/tlog-proof@v1\nindex 3\nAAAA", f"c2sp.org/tlog-proof@v1\nindex 3\n{LINE} ",
        f"c2sp.org/tlog-proof@v1\nindex 3\n{LINE}\r", f"c2sp.org/tlog-proof@v1\nindex 3\nextra AAAA\n{LINE}",
        "c2sp.org/tlog-proof@v1\nextra AAAA\nextra AAAA\nindex 3", "c2sp.org/tlog-proof@v1\nindex 3\nindex 3",
        "c2sp.org/tlog-proof@v1\nindex 3\n" + "\n".join([LINE] * 64), f"c2sp.org/tlog-proof@v1\nindex 3\n{LINE[:-2]}9=",
        "c2sp.org/tlog-proof@v1\nindex \u00b3", f"c2sp.org/tlog-proof@v1\nindex 3\n\u00e9{LINE[1:]}",
    ],
)  # fmt: skip
def test_there_is_one_spelling(head):
    """Lines in another form, order or number are refused."""
    with pytest.raises(TlogProofError):
        parse_tlog_proof(head.encode() + b"\n\n" + CHECKPOINT)


def test_it_needs_a_checkpoint_and_is_short():
    """Nothing below the empty line, no empty line, and more bytes than are read."""
    for data in (
        b"c2sp.org/tlog-proof@v1\nindex 3\n\n",
        b"c2sp.org/tlog-proof@v1\nindex 3\n",
        PROOF.data + bytes(MAX_PROOF_BYTES),
    ):
        with pytest.raises(TlogProofError):
            parse_tlog_proof(data)


def test_without_an_entry_it_has_no_line_for_one():
    """Nothing stands between the first line and the index, and what is read has no entry."""
    data = TlogProof(3, (), CHECKPOINT).data
    assert data == b"c2sp.org/tlog-proof@v1\nindex 3\n\n" + CHECKPOINT
    assert parse_tlog_proof(data).extra == b""


def test_the_longest_that_is_read():
    """A proof of exactly so many bytes is read, and one of a byte more is not."""
    longest = TlogProof(3, (), CHECKPOINT + bytes(MAX_PROOF_BYTES - len(TlogProof(3, (), CHECKPOINT).data)))
    assert len(longest.data) == MAX_PROOF_BYTES
    assert parse_tlog_proof(longest.data) == longest
    with pytest.raises(TlogProofError, match=f"want at most {MAX_PROOF_BYTES} bytes"):
        parse_tlog_proof(longest.data + b"\0")


def test_a_file_has_64_kib_at_most():
    """As the page of the log says: every program has the same end. A proof as long as that holds in its tree."""
    assert MAX_PROOF_BYTES == 65536
    entry, short = b"x" * 30_000, TlogProof(0, (), CHECKPOINT, b"x" * 30_000)
    whole = replace(short, checkpoint=CHECKPOINT + bytes(65536 - len(short.data)))
    read = parse_tlog_proof(whole.data)
    check_inclusion(leaf_hash(read.extra), read.index, 1, read.path, root_of([leaf_hash(entry)]))
    with pytest.raises(TlogProofError):
        parse_tlog_proof(whole.data + b"\n")
