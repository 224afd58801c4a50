"""Every vector through the TypeScript verifier: the verdict, the reason and the words of the other verifiers.

Left out by kind: those of sub-circuits, whose relations it does not know, and those of ceremonies, whose files are for
the owner and for those who check a key's transcript, with the native library. It is given the digest that they print.
"""

import msgspec
import pytest

from equiproof.verifier import parse_certificate
from tests.vectors.vector import CERTIFICATE, CertificateVector, ProofVector, paths, read

VECTORS = {f"{path.parent.name}/{path.stem}": read(path) for path in paths()}
PROOFS = {name: vector for name, vector in VECTORS.items() if isinstance(vector, ProofVector)}
GROTH16 = [name for name, vector in PROOFS.items() if vector.proof_system == "groth16-bn254"]
FILES = {name: vector for name, vector in VECTORS.items() if isinstance(vector, CertificateVector)}
SIGNED = [name for name, vector in FILES.items() if vector.policy.signed_by is not None]
CERTIFICATES = [name for name in FILES if name not in SIGNED]
RAISES = {"accept": None, "reject": "RefusedError", "malformed": "MalformedInputError"}
UNSUPPORTED = "UnsupportedError", "proof-system-unsupported"


def judged(package, vector, **policy):
    """Return the answer about the files of a vector."""
    files = {file: data.hex() for file, data in vector.files().items()}
    return package.ask("certificate", files=files, policy=policy)


def wanted(vector):
    """Return the exception and the reason of a vector: no proof of PLONK is accepted here."""
    if vector.verdict == "accept":
        certificate = parse_certificate(vector.files()[CERTIFICATE], CERTIFICATE)
        return UNSUPPORTED if certificate.proof_system == "plonk-bn254" else (None, None)
    return vector.exception, vector.reason


@pytest.mark.parametrize("name", GROTH16)
def test_proofs(package, name):
    """A proof is accepted, refused or called malformed as the file says, for the reason that it says."""
    vector = PROOFS[name]
    key, digest, proof = (part.hex() for part in vector.parts())
    answer = package.ask("proof", key=key, digest=digest, proof=proof)
    assert (answer.get("exception"), answer.get("reason")) == (RAISES[vector.verdict], vector.reason), answer


@pytest.mark.parametrize("name", CERTIFICATES)
def test_certificates(package, name):
    """A certificate is verified, or refused with the exception, the reason and the field that the file names."""
    vector = FILES[name]
    answer = judged(package, vector, **msgspec.to_builtins(vector.policy))
    assert (answer.get("exception"), answer.get("reason")) == wanted(vector), answer
    assert (vector.field or "") in answer.get("message", vector.field or "")


def test_proofs_of_plonk(package):
    """Bytes of PLONK are never taken for Groth16's, nor a proof of the one checked under a key of the other."""
    names = [name for name in PROOFS if name not in GROTH16]
    assert len(names) > 50
    for name in names:
        key, digest, proof = (part.hex() for part in PROOFS[name].parts())
        answer = package.ask("proof", key=key, digest=digest, proof=proof)
        assert (answer.get("exception"), answer.get("reason")) == ("MalformedInputError", "wrong-length"), name
    (key, _, _), (_, digest, proof) = (PROOFS[name].parts() for name in (GROTH16[0], names[0]))
    answer = package.ask("proof", key=key.hex(), digest=digest.hex(), proof=proof.hex())
    assert answer.get("exception") == "MalformedInputError"


@pytest.mark.parametrize("name", SIGNED)
def test_signers_are_not_known(package, name):
    """Policies about signers are unknown here; without one a ceremony's key is refused, whoever signed its note."""
    answer = judged(package, FILES[name])
    assert (answer.get("exception"), answer.get("reason")) == ("UntrustedKeyError", "no-transcript")
    assert judged(package, FILES[name], **msgspec.to_builtins(FILES[name].policy))["exception"] == "TypeError"
