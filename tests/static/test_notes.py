"""Signed notes in the Go verifier: the same signatures hold, and the same notes and keys are refused, as in Python."""

from base64 import b64encode

from equiproof.verifier.notes import NoteError, Signer, parse_keys, parse_note, who_signed
from tests.fuzz.mutator import mutated
from tests.verifier.signatures import edges
from tests.web.test_agreement import TIMES, generator

SIGNERS = [Signer("anna", bytes(32)), Signer("ben@example.org/2", bytes(range(32))), Signer("Carla", b"c" * 32)]
LINES = [signer.verifier.text for signer in SIGNERS]
WITNESS = f"anna+{SIGNERS[0].verifier.cosigner.hex()}+{b64encode(bytes([4]) + SIGNERS[0].verifier.public).decode()}"
"""A key for cosignatures alone, as a witness publishes it: of no signature of a note."""

TEXT = "equiproof-key-checked/v2\nfingerprint a\n\ntranscript b\n"
NOTE = TEXT + "\n" + "".join(signer.sign(TEXT).removeprefix(TEXT + "\n") for signer in SIGNERS[:2])
KEYS = [
    LINES, LINES[2:], [], ["# none", ""], ["# one", "", f"  {LINES[0]}\t"], [LINES[0], LINES[0]],
    [LINES[0], LINES[1].replace("ben", "bert")], [Signer("anna", b"x" * 32).verifier.text], [SIGNERS[0].text],
    [LINES[0].replace("+", "-")], [LINES[0][:-1]], [LINES[0] + "\x0b" + LINES[1]], ["anna+00000000+AA=="],
    [LINES[0].replace("anna", "an na")], [WITNESS],
]  # fmt: skip


def python(data, lines):
    """Return what Python finds in a note, in the form of an answer."""
    try:
        keys = parse_keys("\n".join(lines), "keys")
        signed = who_signed(parse_note(data), keys)
        return {"value": [key.name for key in keys if key in signed]}
    except NoteError as error:
        return {"exception": "error", "reason": None, "message": str(error)}


def cases(rng, count):
    """Return notes with lists of keys: whole, damaged in known ways, and some with changed bytes."""
    long = TEXT + "\n" + 65 * NOTE.splitlines(keepends=True)[-1]
    texts = (
        TEXT,
        "",
        "\n\n",
        " \n\n" + NOTE.splitlines()[-1] + "\n",
        NOTE[:-1],
        NOTE.replace("—", "-"),
        long,
        "x" * 70_000,
        *(f"{blank}\n\n" + NOTE.splitlines()[-1] + "\n" for blank in "\x85\xa0\u180e\u200b\u2028\u3000\ufeff"),
        "\ufeff" + NOTE,
    )
    found = [(NOTE.encode(), lines) for lines in KEYS] + [(text.encode(), LINES) for text in texts]
    found += [(NOTE.encode(), [f"{LINES[0]}{sign}{LINES[1]}"]) for sign in "\x1c\x1f\x85\u2028\ufeff\r"]
    return found + [(mutated(NOTE.encode(), long.encode(), rng), LINES) for _ in range(count)]


def test_notes_and_keys(packages):
    """Of notes with changed bytes and of lists of keys, both find the same signatures, or the same fault."""
    seen = set()
    for data, lines in cases(generator("notes"), 150 * (TIMES or 1)):
        wanted = python(data, lines)
        assert packages.ask("note", data=data.hex(), texts=lines) == wanted, (data, lines)
        seen.add(wanted.get("message"))
    assert len(seen) >= 10


def test_edges_of_signatures(packages):
    """Keys of small or mixed order, other encodings, numbers from the order up: Go's Ed25519 is Python's."""
    for one in edges(generator("signatures")):
        data, line = one.note
        assert packages.ask("note", data=data.hex(), texts=[line]) == python(data, [line]), one
        assert ("value" in python(data, [line])) is one.holds, one
