"""Every vector of a Groth16 proof through the contract of its key: the verdict of the other verifiers.

Keys are judged where contracts are made, and compressed points where call data are: both name the vector's reason. The
contract itself says only whether it is malformed or refused.
"""

import pytest

from equiproof.ffi.errors import MalformedInputError
from equiproof.verifier import CertificateFormatError, parse_certificate
from equiproof.verifier.calldata import call_data, points_of
from equiproof.verifier.trust import TrustedKey
from tests.chain.chain import GOLDEN, call_of, key_of
from tests.vectors.vector import ProofVector, paths, read

VECTORS = {f"{path.parent.name}/{path.stem}": read(path) for path in paths()}
PROOFS = {
    name: vector
    for name, vector in VECTORS.items()
    if isinstance(vector, ProofVector) and vector.proof_system == "groth16-bn254"
}
OWN_KEYS = ("accept/groth16-gamma-and-g-are-the-generator", "reject/groth16-key-delta")
"""Of the vectors with a key of their own, those whose contract is compiled in every run."""

MORE = (pytest.mark.slow, pytest.mark.sampled(15))

SAYS = {"accept": "accepted", "reject": "refused", "malformed": "malformed"}


def judged(chain, vector):
    """Return verdict and reason of a vector: by the making of the contract or of the call, or by the contract."""
    key, digest, proof = vector.parts()
    try:
        contract, points = chain.contract(key_of(key)), points_of(proof)
    except (CertificateFormatError, MalformedInputError) as error:
        return "malformed", error.reason
    verdict = contract.verdict(call_of(points, digest))
    return verdict, None if verdict == "accepted" else vector.reason


def in_every_run(name):
    """Return whether every run tries a vector: slow tests try other keys, and bytes that never reach a contract."""
    vector = PROOFS[name]
    return name in OWN_KEYS or (vector.verdict != "malformed" and vector.key is None)


@pytest.mark.parametrize("name", [pytest.param(name, marks=() if in_every_run(name) else MORE) for name in PROOFS])
def test_the_contract_agrees(chain, name):
    """A proof is accepted, refused or called malformed as the file says."""
    vector = PROOFS[name]
    assert judged(chain, vector) == (SAYS[vector.verdict], vector.reason)


@pytest.mark.parametrize(
    "name", ["loans", *(pytest.param(name, marks=pytest.mark.slow) for name in ("loans-branch", "rates", "wide"))]
)
def test_published_certificates_are_accepted(chain, name):
    """The call that is exported of a published certificate is accepted by the contract of its key, by its name only."""
    certificate = parse_certificate((GOLDEN / name / "certificate.json").read_bytes(), name)
    contract = chain.contract(TrustedKey.read(GOLDEN / name / "keys" / "key"))
    call = bytes.fromhex(call_data(certificate).call[2:])
    assert contract.verdict(call) == "accepted"
    for number in range(1, 8):
        assert contract.verdict(call[: -32 * number] + bytes(32) + call[len(call) - 32 * (number - 1) :]) == "refused"


def test_a_certificate_of_another_key_is_refused(chain):
    """Certificates of one key are nothing to the contract of another, nor are those of PLONK."""
    certificate = parse_certificate((GOLDEN / "rates" / "certificate.json").read_bytes(), "rates")
    contract = chain.contract(TrustedKey.read(GOLDEN / "loans" / "keys" / "key"))
    assert contract.verdict(bytes.fromhex(call_data(certificate).call[2:])) == "refused"


def test_the_contract_knows_its_key(chain):
    """Anybody can ask the contract which key it is of."""
    key = TrustedKey.read(GOLDEN / "loans" / "keys" / "key")
    made = chain.contract(key)
    assert made.call(bytes.fromhex("2dc387b3"))["output"] == key.document.fingerprint
