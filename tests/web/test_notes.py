"""Signed notes in TypeScript: the same signatures hold, and the same notes and keys are refused, as in Python."""

import pytest

from equiproof.verifier.notes import holds
from tests.static.test_notes import cases, python
from tests.verifier.signatures import decoded, edges, encoded
from tests.web.test_agreement import TIMES, generator

# RFC 8032, 7.1: the first, the second and the third test.
PUBLISHED = [
    (
        "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a",
        "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b",
        "",
    ),
    (
        "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c",
        "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00",
        "72",
    ),
    (
        "fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025",
        "6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac18ff9b538d16f290ae67f760984dc6594a7c15e9716ed28dc027beceea1ec40a",
        "af82",
    ),
]


@pytest.mark.parametrize("case", PUBLISHED)
def test_published_signatures(package, case):
    """The signatures of the standard hold; with any byte changed, none of them does."""
    public, signature, message = case
    assert package.call("signature_holds", public, signature, message) is True
    for changed in (message + "00", "00" + message):
        assert package.call("signature_holds", public, signature, changed) is False
    for at in range(0, 128, 16):
        digit = format(int(signature[at], 16) ^ 1, "x")
        assert package.call("signature_holds", public, signature[:at] + digit + signature[at + 1 :], message) is False


def test_edges(package):
    """Keys of small or mixed order, other encodings, numbers from the order up: the equation decides."""
    found = list(edges(generator("signatures")))
    for one in found:
        words = one.public.hex(), one.signature.hex(), one.text.encode().hex()
        answers = (package.call("signature_holds", *words), holds(one.public, one.signature, one.text.encode()))
        assert answers == (one.holds, one.holds), one
    # The cases tell programs apart: with the cofactor some would hold, and some hold under another encoding of a key.
    assert any(one.cofactored and not one.holds for one in found)
    assert any(one.holds and encoded(decoded(one.public) or (0, 1)) != one.public for one in found)


def test_lengths(package):
    """Bytes of another length are a mistake of the caller."""
    public, signature, message = PUBLISHED[0]
    for words in ((public[2:], signature, message), (public, signature + "00", message)):
        assert package.ask("call", name="signature_holds", words=words)["exception"] == "RangeError"


def test_notes_and_keys(package):
    """Of notes with changed bytes and of lists of keys, both find the same signatures, or the same fault."""
    seen = set()
    for data, lines in cases(generator("notes"), 150 * (TIMES or 1)):
        wanted = python(data, lines)
        wanted = {"fault": wanted["message"]} if "message" in wanted else wanted
        assert package.call("note", data.hex(), "\n".join(lines)) == wanted, (data, lines)
        seen.add(wanted.get("fault"))
    assert len(seen) >= 10
