"""Kept models under real keys: a link and certificates beside it, by the library and in plain Python."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from equiproof.circuits.field import ORDER, to_bytes
from equiproof.circuits.kept import key_element, link_statement
from equiproof.circuits.layout import encode, layout
from equiproof.ffi import backend
from equiproof.ffi.errors import BackendError, MalformedInputError, RefusedError, UnsatisfiedError
from equiproof.verifier import pairing
from equiproof.verifier.kept import KeptKey, Link, LinkedKey
from tests.circuits.tiny_cases import altered
from tests.soundness.additive_column_lies import plain_alone
from tests.soundness.branch_case import lie_of, proven
from tests.soundness.cheating_owner import SPEC_DIGEST, Wires, implied
from tests.soundness.composed_lies import net
from tests.soundness.kept_case import kept_wires, link_wires
from tests.soundness.kept_owner import FINGERPRINT, KeptKeys, challenge_of, kept_keys_of
from tests.soundness.trees_set_lies import homeless_ensemble

MASK = 41


@dataclass(frozen=True)
class Published:
    """A kept model's keys, its link, and two certificates: by statement digest and proof."""

    keys: KeptKeys
    commitment: int
    wires: Wires
    linking: Wires
    link: Link
    certificates: tuple[tuple[int, bytes], ...]

    def opened(self, point=None, shown=None, proof=None, parts=None):
        """Open the link with the library, with something else in the place of what is given."""
        with (
            backend.VerifyingKey(self.keys.links.verifying) as links,
            backend.KeptVerifyingKey(self.keys.certificates.verifying) as kept,
        ):
            return kept.open(
                links,
                self.link.point if point is None else point,
                self.link.shown if shown is None else shown,
                self.link.proof if proof is None else proof,
                self.keys.parts(self.commitment, SPEC_DIGEST) if parts is None else parts,
            )

    def plain(self, link=None, commitment=None) -> LinkedKey:
        """Open the link in plain Python."""
        stated = (self.commitment if commitment is None else commitment, SPEC_DIGEST, key_element(FINGERPRINT))
        return KeptKey(self.keys.certificates.verifying).open(
            pairing.VerifyingKey(self.keys.links.verifying),
            link or self.link,
            lambda r, shown: link_statement(self.keys.link_shape, *stated, r, shown),
        )


@pytest.fixture(scope="module")
def published():
    """Return what the owner of 60 - relu(x) + .. publishes, a network of two layers, and certificates of two radii."""
    case = net((0, 1), (((1, 5), (1, 0)), (-10, 100)), (((1, -1), (0, 1)), (3, -100)), (((-1, 1),), (60,)))
    told = [lie_of(case, proven(case, reach=reach)) for reach in (9, 5)]
    with kept_keys_of(told[0].shape) as keys:
        wires = [kept_wires(one.shape, one.wires) for one in told]
        point = keys.point(wires[0], MASK)
        r = challenge_of(point)
        linking = {**link_wires(told[0].shape, told[0].wires), "at": [r], "key": [key_element(FINGERPRINT)]}
        stated = implied(keys.shape, wires[0], r)
        assert stated.shown is not None
        link = Link(point, to_bytes(stated.shown), keys.link(linking))
        certificates = tuple(keys.certify(one, MASK, r) for one in wires)
        yield Published(keys, stated.model_commitment, wires[0], linking, link, certificates)


def test_certificates_hold_beside_the_link(published):
    """One by one and many at once, by the library and in plain Python; each shows the one point."""
    plain = published.plain()
    with published.opened() as opened:
        for digest, proof in published.certificates:
            opened.verify(to_bytes(digest), proof)
            plain.verify(to_bytes(digest), proof)
            assert len(proof) == 228
            assert proof[132:164] == published.link.point
        digests, proofs = zip(*published.certificates, strict=True)
        assert opened.verify_many([*map(to_bytes, digests)], proofs) == [None, None]
        others = [to_bytes(digests[1]), to_bytes(digests[0])]
        assert [type(one) for one in opened.verify_many(others, proofs)] == [RefusedError] * 2


def test_two_proofs_share_the_point_alone(published):
    """mask-of-D2-fixed: two proofs of one witness agree in the first commitment, and in nothing else."""
    digest, proof = published.keys.certify(published.wires, MASK, challenge_of(published.link.point))
    (first, other), *_ = published.certificates
    assert digest == first
    parts = {"A": slice(0, 32), "B": slice(32, 96), "C": slice(96, 128), "D2": slice(164, 196), "pok": slice(196, 228)}
    assert [name for name, part in parts.items() if proof[part] == other[part]] == []
    assert proof[128:164] == other[128:164]


@pytest.mark.parametrize("lie", ["shown", "point", "proof", "commitment", "spec", "key", "shape"])
def test_another_link_is_refused(published, lie):
    """Nothing of a link can be exchanged, whatever the certificates are."""
    keys, link = published.keys, published.link
    parts = keys.parts(published.commitment, SPEC_DIGEST)
    other = {
        "shown": lambda: published.opened(shown=to_bytes(int.from_bytes(link.shown, "big") + 1)),
        "point": lambda: published.opened(point=keys.point(published.wires, MASK + 1)),
        "proof": lambda: published.opened(proof=keys.link({**published.linking, "link_blinding": [99]})),
        "commitment": lambda: published.opened(parts=keys.parts(published.commitment + 1, SPEC_DIGEST)),
        "spec": lambda: published.opened(parts=keys.parts(published.commitment, SPEC_DIGEST + 1)),
        "key": lambda: published.opened(parts=keys.parts(published.commitment, SPEC_DIGEST, "f" * 64)),
        "shape": lambda: published.opened(parts=to_bytes(1) + parts[32:]),
    }
    with pytest.raises(RefusedError):
        other[lie]()


def test_another_first_commitment_is_refused(published):
    """link-of-another-point: a certificate of the same words under another mask is not the link's."""
    keys = published.keys
    point = keys.point(published.wires, MASK + 1)
    digest, proof = keys.certify(published.wires, MASK + 1, challenge_of(point))
    with published.opened() as opened, pytest.raises(RefusedError, match="first commitment"):
        opened.verify(to_bytes(digest), proof)
    with pytest.raises(RefusedError, match="first commitment"):
        published.plain().verify(to_bytes(digest), proof)


@pytest.mark.parametrize("name", ["weights.1", "biases.3", "negative_part.2"])
def test_another_word_is_refused(published, name):
    """another-word: no link goes with it, neither one of the committed words at its point nor the honest one."""
    keys = published.keys
    told = altered(published.wires, name, 0, published.wires[name][0] + 1)
    point = keys.point(told, MASK)
    assert point != published.link.point
    r = challenge_of(point)
    shown = implied(keys.shape, told, r).shown
    assert shown is not None
    with pytest.raises(RefusedError):
        published.opened(point=point, shown=to_bytes(shown), proof=keys.link({**published.linking, "at": [r]}))
    if name == "biases.3":  # of which the evidence holds all the same
        digest, proof = keys.certify(told, MASK, r)
        with published.opened() as opened, pytest.raises(RefusedError, match="first commitment"):
            opened.verify(to_bytes(digest), proof)


def test_the_challenge_is_that_of_the_point(published):
    """A witness whose statement was computed at another challenge is none: D1 decides it."""
    with pytest.raises(UnsatisfiedError):
        published.keys.certify(published.wires, MASK, 5)


def test_a_proof_needs_the_mask(published):
    """The first commitment has a mask that the prover is given; without it no proof is made."""
    keys = published.keys
    digest = published.certificates[0][0]
    witness = encode(keys.shape, digest, [published.wires[name] for name, _ in layout(keys.shape)])
    with pytest.raises(BackendError, match="mask"):
        keys.certifier.prove(witness)
    with pytest.raises(BackendError):
        keys.certifier.prove_kept(witness, ORDER.to_bytes(32, "big"))


def test_kept_and_other_keys_are_not_exchanged(published):
    """A kept key is no verifying key without a link, and no other key is a kept one; both are refused by length."""
    keys = published.keys
    with pytest.raises(MalformedInputError):
        backend.VerifyingKey(keys.certificates.verifying)
    with pytest.raises(MalformedInputError):
        backend.KeptVerifyingKey(keys.links.verifying)
    assert len(keys.certificates.verifying) == 700
    words = b"".join(to_bytes(number) for number in range(3))
    with pytest.raises(BackendError):
        keys.certifier.point(words, to_bytes(MASK))
    with pytest.raises(BackendError):
        keys.linker.point(words, to_bytes(MASK))


@pytest.mark.parametrize("part", ["point", "shown", "proof", "parts"])
def test_malformed_links_are_malformed(published, part):
    """Bytes that are no link raise MalformedInputError, and nothing crashes."""
    for data in (b"", b"\xff" * 32, b"\xff" * 31):
        with pytest.raises(MalformedInputError):
            published.opened(**{part: data})


@pytest.mark.parametrize("truth", [plain_alone, homeless_ensemble])
def test_scores_are_kept_under_real_keys(truth):
    """An additive model, and an ensemble with sets and missing values: the certificate holds beside the link."""
    told = truth()
    with kept_keys_of(told.shape) as keys:
        wires = kept_wires(told.shape, told.wires)
        point = keys.point(wires, MASK)
        r = challenge_of(point)
        linking = {**link_wires(told.shape, told.wires), "at": [r], "key": [key_element(FINGERPRINT)]}
        digest, proof = keys.certify(wires, MASK, r)
        stated = implied(keys.shape, wires, r)
        assert stated.shown is not None
        link = Link(point, to_bytes(stated.shown), keys.link(linking))
        published = Published(keys, stated.model_commitment, wires, linking, link, ())
        with published.opened() as opened:
            opened.verify(to_bytes(digest), proof)
        with pytest.raises(RefusedError):
            published.opened(parts=keys.parts(published.commitment + 1, SPEC_DIGEST))
        for name, run in wires.items():
            if name == "model_commitment":
                break
            told_word = altered(wires, name, len(run) - 1, run[-1] + 1)
            assert keys.point(told_word, MASK) != point, name
