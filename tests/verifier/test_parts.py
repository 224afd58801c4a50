"""Each part of a key and of a proof is named where it stands: a file's first wrong part is the one that is said."""

import pytest

from equiproof.ffi.errors import MalformedInputError
from equiproof.verifier import pairing, plonk
from tests.trapdoor import KEY_COUNTS, PLONK_KEY_PLACES, PLONK_PROOF_COUNTS, PLONK_PROOF_PLACES, PROOF_COUNTS
from tests.vectors.vector import proof_base

COUNT = "wrong count at byte {}, want {}"
BAD_POINT, BAD_ELEMENT = " has a coordinate that is not below the field's modulus", ": not below the field's order"
CHECKS = {"known": pairing, "plonk": plonk}
GROTH_KEY = {
    0: "alpha", 32: "beta in G1", 64: "beta", 128: "gamma", 192: "delta in G1", 224: "delta", 292: "K_0",
    324: "K_1", 356: "K_2", 400: "the commitment's G", 464: "the commitment's sigma G",
}  # fmt: skip
GROTH_PROOF = {0: "A", 32: "B", 96: "C", 132: "D", 164: "its proof of knowledge"}
ELEMENTS = ("linear", "l", "r", "o", "s1", "s2", "qcp", "z")


def of_points(names):
    """Return what is said of points by where they begin."""
    return {at: name + BAD_POINT for at, name in names.items()}


def of_counts(counts):
    """Return what is said of counts by where they begin."""
    return {at: COUNT.format(at, want) for at, want in counts.items()}


SAID = {
    ("known", "key"): of_points(GROTH_KEY) | of_counts(KEY_COUNTS),
    ("known", "proof"): of_points(GROTH_PROOF) | of_counts(PROOF_COUNTS),
    ("plonk", "key"): of_points({at: name for name, (at, width) in PLONK_KEY_PLACES.items() if width > 8}),
    ("plonk", "proof"): {
        at: f"value {name}{BAD_ELEMENT}" if name in ELEMENTS else name + BAD_POINT
        for name, (at, _) in PLONK_PROOF_PLACES.items()
    }
    | of_counts(PLONK_PROOF_COUNTS),
}
"""What is said of a part whose first four bytes are 255, by where it begins, of a proof system's keys and proofs."""


@pytest.mark.parametrize(("name", "part"), SAID)
def test_a_part_is_named_where_it_stands(name, part):
    """No two parts have changed names or places, and no count is another one."""
    base = {one: bytes.fromhex(proof_base(name)[one]) for one in ("key", "digest", "proof")}
    what = "verifying key" if part == "key" else part
    for at, said in SAID[name, part].items():
        changed = base | {part: base[part][:at] + b"\xff" * 4 + base[part][at + 4 :]}
        with pytest.raises(MalformedInputError) as caught:
            CHECKS[name].VerifyingKey(changed["key"]).verify(changed["digest"], changed["proof"])
        assert str(caught.value) == f"{what}: {said}", at


@pytest.mark.parametrize(("name", "part"), SAID)
def test_files_of_other_lengths_are_refused(name, part):
    """A byte more and a byte less: both lengths are said."""
    base = {one: bytes.fromhex(proof_base(name)[one]) for one in ("key", "digest", "proof")}
    length = len(base[part])
    for other in (base[part][:-1], base[part] + b"\0", b""):
        changed = base | {part: other}
        with pytest.raises(MalformedInputError, match=rf"\b{len(other)}\b.*\b{length}\b") as caught:
            CHECKS[name].VerifyingKey(changed["key"]).verify(changed["digest"], changed["proof"])
        assert caught.value.reason == "wrong-length"
