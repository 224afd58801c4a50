"""What a contract takes of a certificate: points with both coordinates, numbers, and one call of all of them."""

import base64

import msgspec
import pytest

from equiproof.circuits.canonical import canonical_bytes
from equiproof.verifier import CertificateFormatError, parse_certificate
from equiproof.verifier.calldata import (
    VERIFY_KEPT_PROOF,
    CallDataDocument,
    call_data,
    link_call_data,
    points_of,
)
from equiproof.verifier.curve import read_g1, read_g2, uncompressed, uncompressed_g2
from equiproof.verifier.documents import parse_document
from equiproof.verifier.link import LINK_FILE, parse_link
from scripts.poseidon2_parameters import keccak_256
from tests.support import ROOT, changed
from tests.trapdoor import INFINITY_G1, PROOF_PLACES, off_curve, outside_subgroup, placed, spell_g1, spell_g2

PROOF_TYPE = "(uint256[2],uint256[4],uint256[2],uint256[2],uint256[2])"
STATEMENT_TYPE = f"({','.join(['uint256'] * 7)})"
MARK = ("equiproof-calldata", 2)


def published(name="loans"):
    """Return a published certificate."""
    return parse_certificate((ROOT / "tests" / "golden" / name / "certificate.json").read_bytes(), "certificate.json")


@pytest.mark.parametrize("name", ["loans", "loans-branch", "rates", "wide"])
def test_the_call_is_made_of_its_parts(name):
    """Selector, twelve coordinates and seven numbers stand in the call, in the order of the contract's types."""
    certificate = published(name)
    document = call_data(certificate)
    parts = msgspec.to_builtins(document)
    selector = keccak_256(f"verifyStatement({PROOF_TYPE},{STATEMENT_TYPE})".encode())[:4]
    words = [word for point in parts["proof"].values() for word in point] + list(parts["statement"].values())
    assert document.call == f"0x{selector.hex()}{''.join(word[2:] for word in words)}"
    assert [int(word, 16) for word in parts["statement"].values()] == certificate.to_statement().elements()
    assert parts["statement"]["radiusSquared"] == f"0x{certificate.statement.radius_squared:064x}"
    assert document.key == certificate.key.fingerprint


def test_the_call_of_a_kept_certificate():
    """Both commitments stand in it, that to the model first, and what is shown of the model is the last number."""
    certificate = published("loans-kept")
    document = call_data(certificate)
    parts = msgspec.to_builtins(document)
    numbers = [word for point in parts["proof"].values() for word in point] + list(parts["statement"].values())
    kept = "(uint256[2],uint256[4],uint256[2],uint256[4],uint256[2])"
    selector = keccak_256(f"verifyStatement({kept},({','.join(['uint256'] * 8)}))".encode())[:4]
    assert document.call == f"0x{selector.hex()}{''.join(word[2:] for word in numbers)}"
    assert [int(word, 16) for word in parts["statement"].values()] == certificate.to_statement().elements()
    assert (list(parts["statement"])[-1], len(numbers)) == ("shown", 22)
    points = uncompressed(read_g1(bytes.fromhex(published_link().point), "D1")).hex()
    assert "".join(word[2:] for word in parts["proof"]["commitment"][:2]) == points
    assert keccak_256(f"verifyProof({kept},uint256,uint256,uint256,uint256)".encode())[:4] == VERIFY_KEPT_PROOF
    assert "link" not in parts


def published_link():
    """Return the published link."""
    path = ROOT / "tests" / "golden" / "loans-kept" / LINK_FILE
    return parse_link(path.read_bytes(), LINK_FILE)


def test_the_call_of_a_link():
    """Its proof, its point with both coordinates, and its three numbers stand in the call, for the link's key."""
    link = published_link()
    document = link_call_data(link)
    parts = msgspec.to_builtins(document)
    numbers = [word for point in parts["proof"].values() for word in point] + [*parts["link"]["point"]]
    numbers += [parts["link"][name] for name in ("modelCommitment", "specDigest", "shown")]
    selector = keccak_256(f"register({PROOF_TYPE},(uint256[2],uint256,uint256,uint256))".encode())[:4]
    assert document.call == f"0x{selector.hex()}{''.join(word[2:] for word in numbers)}"
    assert numbers[-3:] == [f"0x{text}" for text in (link.model_commitment, link.spec_digest, link.shown)]
    assert (document.key, len(numbers), "statement" in parts) == (link.key, 17, False)
    data = canonical_bytes(document)
    assert parse_document(data, CallDataDocument, MARK, "call.json", only_canonical=True) == document


def test_malformed_links_are_no_call_data():
    """A point that is none, and a proof that is none, are refused for the reason that every verifier gives."""
    off = changed(published_link(), point=off_curve().hex())
    proof = placed(published_link().proof_bytes, PROOF_PLACES["A"], off_curve())
    bad = changed(published_link(), proof=base64.b64encode(proof).decode())
    for link, field in ((off, "field point"), (bad, "field proof: ")):
        with pytest.raises(CertificateFormatError, match=f"^{field}") as caught:
            link_call_data(link)
        assert caught.value.reason == "off-curve"


def test_the_points_are_those_of_the_proof():
    """Compressed again, the coordinates are the proof's bytes; infinity is nothing but zeros."""
    proof = published().proof_bytes
    a, b, c, commitment, knowledge = points_of(proof)
    for name, data in (("A", a), ("C", c), ("D", commitment), ("pok", knowledge)):
        at, width = PROOF_PLACES[name]
        point = read_g1(proof[at : at + width], name)
        assert (uncompressed(point), spell_g1(point)) == (data, proof[at : at + width])
    at, width = PROOF_PLACES["B"]
    pair = read_g2(proof[at : at + width], "B")
    assert (uncompressed_g2(pair), spell_g2(pair)) == (b, proof[at : at + width])
    assert points_of(placed(proof, PROOF_PLACES["A"], INFINITY_G1))[0] == bytes(64)
    assert points_of(placed(proof, PROOF_PLACES["B"], INFINITY_G1 + bytes(32)))[1] == bytes(128)


@pytest.mark.parametrize(
    ("place", "point", "reason"),
    [
        ("A", off_curve(), "off-curve"),
        ("B", spell_g2(outside_subgroup()), "outside-subgroup"),
        ("pok", bytes(32), "point-not-canonical"),
        ("C", b"\xbf" + b"\xff" * 31, "coordinate-too-large"),
    ],
)
def test_malformed_points_are_no_call_data(place, point, reason):
    """A certificate whose proof is malformed is refused for the reason that every verifier gives."""
    certificate = published()
    proof = base64.b64encode(placed(certificate.proof_bytes, PROOF_PLACES[place], point)).decode()
    with pytest.raises(CertificateFormatError, match=r"^field proof: ") as caught:
        call_data(changed(certificate, proof=proof))
    assert caught.value.reason == reason


def test_certificates_of_plonk_have_no_call_data():
    """One line says which certificates a contract takes."""
    with pytest.raises(CertificateFormatError, match="field proof_system: plonk-bn254, and contracts accept") as caught:
        call_data(published("loans-plonk"))
    assert caught.value.reason == "wrong-fields"


def test_the_document_is_canonical():
    """What is written is read back as strictly as other documents."""
    data = canonical_bytes(call_data(published()))
    assert parse_document(data, CallDataDocument, MARK, "call.json", only_canonical=True) == call_data(published())
