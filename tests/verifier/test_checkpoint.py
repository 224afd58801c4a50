"""Checkpoints and cosignatures are those of C2SP, in one spelling, signed by the keys that are pinned."""

import base64

import pytest

from equiproof.verifier.checkpoint import (
    MAX_TIME,
    Checkpoint,
    CheckpointError,
    UnsignedError,
    cosign,
    cosigned,
    open_checkpoint,
    parse_checkpoint,
)
from equiproof.verifier.merkle import EMPTY_ROOT, MAX_SIZE
from equiproof.verifier.notes import NoteError, Signer, VerifierKey, parse_keys, parse_note

LOG, ANNA, BEN = Signer("example.org/log", bytes(32)), Signer("anna", bytes(range(32))), Signer("ben", b"b" * 32)
AT = Checkpoint(LOG.name, 5, bytes(range(32)))
SIGNED = LOG.sign(AT.text)
ROOT = base64.b64encode(AT.root).decode()

# The example of c2sp.org/tlog-cosignature, with its two signatures, of which no key is published.
PUBLISHED = """example.com/behind-the-sofa
20852163
CsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=

\u2014 example.com/behind-the-sofa Az3grlgtzPICa5OS8npVmf1Myq/5IZniMp+ZJurmRDeOoRDe4URYN7u5/Zhcyv2q1gGzGku9nTo+zyWE+xeMcTOAYQ8=
\u2014 witness.example.com/w1 jWbPPwAAAABkGFDLEZMHwSRaJNiIDoe9DYn/zXcrtPHeolMI5OWXEhZCB9dlrDJsX3b2oyin1nPZqhf5nNo0xUe+mbIUBkBIfZ+qnA==
"""  # noqa: E501


def opened(text=SIGNED):
    """Open a checkpoint of the log."""
    return open_checkpoint(text.encode(), LOG.verifier)


def test_the_published_example_is_read():
    """Its text, and both lines below it, are in the forms that are read here; a note alone takes no cosignature."""
    note = parse_note(PUBLISHED.encode(), any_kind=True)
    assert parse_checkpoint(note.text).size == 20852163
    assert int.from_bytes(note.signatures[1].signature[:8], "big") == 1679315147
    with pytest.raises(NoteError, match="not an Ed25519 signature"):
        parse_note(PUBLISHED.encode())


def test_text_is_read_as_it_is_written():
    """What is written is read again, the empty log and the largest one too."""
    for one in (AT, Checkpoint("a", 0, EMPTY_ROOT), Checkpoint("a", MAX_SIZE, AT.root)):
        assert parse_checkpoint(one.text) == one


@pytest.mark.parametrize(
    "text",
    [
        "", "a\n5\n", f"a\n5\n{ROOT}", f"a\n5\n{ROOT}\n\n", f"a\n5\n{ROOT}\nmore\n",
        f"\n5\n{ROOT}\n", f"a b\n5\n{ROOT}\n", f"a+b\n5\n{ROOT}\n", f"a\n05\n{ROOT}\n",
        f"a\n+5\n{ROOT}\n", f"a\n5 \n{ROOT}\n", f"a\n-1\n{ROOT}\n",
        f"a\n\u0665\n{ROOT}\n", f"a\n{MAX_SIZE + 1}\n{ROOT}\n", f"a\n5\n{ROOT[:-1]}\n",
        f"a\n5\n{ROOT} \n", f"a\n5\n{ROOT[:40]}\n",
        f"a\n0\n{ROOT}\n", f"a\n5\n{ROOT[:-2]}9=\n",
    ],
)  # fmt: skip
def test_there_is_one_spelling(text):
    """Numbers, base64 and lines in any other form are refused, and a root that the empty log cannot have."""
    with pytest.raises(CheckpointError):
        parse_checkpoint(text)


def test_the_log_must_have_signed():
    """Another key of the same name, another log, and a changed text are refused, each with its own line."""
    assert opened().checkpoint == AT
    other = Signer(LOG.name, b"o" * 32)
    for text, said in (
        (other.sign(AT.text), "has no signature of this log's key"),
        (ANNA.sign(AT.text), "has no signature of this log's key"),
        (
            Signer("example.org/other", bytes(32)).sign(AT.text.replace("log", "other")),
            "is of the log example.org/other",
        ),
        (SIGNED.replace("\n5\n", "\n6\n"), "does not hold for this text"),
    ):
        with pytest.raises(UnsignedError, match=said):
            opened(text)
    with pytest.raises(CheckpointError):
        opened(LOG.sign("a\n"))


def test_witnesses_state_times():
    """Each witness counts once, with its last time; lines of others, of whatever length, mean nothing."""
    text = SIGNED + cosign(ANNA, AT, 1000) + cosign(BEN, AT, 7) + cosign(ANNA, AT, 2000) + cosign(ANNA, AT, 0)
    text += f"\u2014 other {base64.b64encode(b'x' * 2428).decode()}\n"
    keys = [ANNA.verifier, BEN.verifier, Signer("carl", b"c" * 32).verifier]
    assert cosigned(opened(text), keys) == {ANNA.verifier: 2000, BEN.verifier: 7}
    assert cosigned(opened(text), [Signer("anna", b"z" * 32).verifier]) == {}


def lines_that_do_not_hold():
    """Make lines that name a witness's key: of another checkpoint, time, key or length."""
    whole = base64.b64decode(cosign(ANNA, AT, 1000).split()[2])
    for data in (whole[:4] + (1001).to_bytes(8, "big") + whole[12:], whole[:-1], whole + b"\0", whole[:4] + whole[12:]):
        yield f"\u2014 anna {base64.b64encode(data).decode()}\n"
    yield cosign(ANNA, Checkpoint(LOG.name, 6, AT.root), 1000)
    late = (MAX_TIME + 1).to_bytes(8, "big") + ANNA.signature(
        f"cosignature/v1\ntime {MAX_TIME + 1}\n{AT.text}".encode()
    )
    yield f"\u2014 anna {base64.b64encode(ANNA.verifier.cosigner + late).decode()}\n"


@pytest.mark.parametrize("line", list(lines_that_do_not_hold()))
def test_a_cosignature_holds_for_one_checkpoint_and_time(line):
    """One that names a pinned witness and does not hold spoils the checkpoint."""
    with pytest.raises(UnsignedError, match="the cosignature of anna does not hold"):
        cosigned(opened(SIGNED + line), [ANNA.verifier])


def test_a_plain_signature_is_no_cosignature():
    """A witness that signed the note states no time."""
    text = SIGNED + ANNA.sign(AT.text).rpartition("\n\n")[2]
    assert cosigned(opened(text), [ANNA.verifier]) == {}


def test_witnesses_may_give_keys_for_cosignatures_alone():
    """Both kinds of lines name one key; elsewhere than for witnesses the other kind is refused."""
    key = ANNA.verifier
    line = f"anna+{key.cosigner.hex()}+{base64.b64encode(bytes([4]) + key.public).decode()}"
    assert VerifierKey.parse(line, witness=True) == VerifierKey.parse(key.text, witness=True) == key
    assert parse_keys(line, "here", witnesses=True) == (key,)
    with pytest.raises(NoteError, match="not the line of an Ed25519 key"):
        VerifierKey.parse(line)
    with pytest.raises(NoteError, match="its parts do not belong together"):
        VerifierKey.parse(line.replace(key.cosigner.hex(), key.identifier.hex()), witness=True)
    with pytest.raises(NoteError, match="twice"):
        parse_keys(f"{line}\n{key.text}\n", "here", witnesses=True)


def test_the_last_of_several_times_counts():
    """From the first second on."""
    for times in ((0,), (0, 5), (5, 0)):
        text = SIGNED + "".join(cosign(ANNA, AT, time) for time in times)
        assert cosigned(opened(text), [ANNA.verifier, BEN.verifier]) == {ANNA.verifier: max(times)}
