"""Kept models in plain Python: keys, links and certificates of the toy of go-gnark/system, and lies about them."""

import json
from functools import cache
from pathlib import Path

import pytest

from equiproof.circuits.commitment import tag
from equiproof.circuits.poseidon2 import hash_elements
from equiproof.ffi.errors import MalformedInputError, RefusedError
from equiproof.verifier.curve import read_g1
from equiproof.verifier.kept import KeptKey, Link
from equiproof.verifier.pairing import VerifyingKey, challenges, folding

VECTORS = json.loads((Path(__file__).parents[1] / "vectors" / "kept.json").read_text(encoding="utf-8"))
BASE = VECTORS["base"]


@cache
def links() -> VerifyingKey:
    """Return the key of links."""
    return VerifyingKey(bytes.fromhex(VECTORS["link_key"]))


def check(case: dict[str, str]) -> None:
    """Check the files of a case: the link, and the certificate beside it."""
    files = {name: bytes.fromhex(text) for name, text in (BASE | case).items() if name in BASE}
    model = int.from_bytes(files["model"], "big")
    link = Link(files["point"], files["shown"], files["link_proof"])
    linked = KeptKey(files["key"]).open(
        links(), link, lambda r, shown: hash_elements([tag("toy.link"), model, r, shown])
    )
    linked.verify(files["digest"], files["proof"])


def verdict(case: dict[str, str]) -> tuple[str, str]:
    """Return verdict and reason of a case."""
    try:
        check(case)
    except RefusedError as error:
        return "reject", str(error.reason)
    except MalformedInputError as error:
        return "malformed", str(error.reason)
    return "accept", ""


@pytest.mark.parametrize("name", [case["name"] for case in VECTORS["cases"]])
def test_verdict(name):
    """Each case has the verdict and the reason that the native check gives."""
    (case,) = (case for case in VECTORS["cases"] if case["name"] == name)
    assert verdict(case) == (case["verdict"], case.get("reason", ""))


@pytest.mark.parametrize("case", VECTORS["folding"])
def test_folding_is_gnarks(case):
    """Challenges of two commitments, and the factor of the second in the proof of knowledge, are those of gnark."""
    hashes = challenges([read_g1(bytes.fromhex(text), "D") for text in case["commitments"]])
    assert [f"{challenge:064x}" for challenge in hashes] == case["challenges"]
    assert f"{folding(hashes):064x}" == case["factor"]


def test_no_link():
    """A kept key is no ordinary one, which would check certificates by themselves, and the other way round."""
    with pytest.raises(MalformedInputError, match="700 bytes, want 528"):
        VerifyingKey(bytes.fromhex(BASE["key"]))
    with pytest.raises(MalformedInputError, match="528 bytes, want 700"):
        KeptKey(bytes.fromhex(VECTORS["link_key"]))
    with pytest.raises(MalformedInputError, match="228 bytes, want 196"):
        links().verify(bytes.fromhex(BASE["digest"]), bytes.fromhex(BASE["proof"]))
