"""Every vector through the TypeScript verifier: the verdict, the reason and the words of the other verifiers."""

import msgspec
import pytest

from tests.vectors.vector import CircuitVector, ProofVector, paths, read

ALL = {f"{path.parent.name}/{path.stem}": read(path) for path in paths()}
VECTORS = {name: vector for name, vector in ALL.items() if not isinstance(vector, CircuitVector)}
PROOFS = [name for name, vector in VECTORS.items() if isinstance(vector, ProofVector)]
CERTIFICATES = [name for name in VECTORS if name not in PROOFS]
RAISES = {"accept": None, "reject": "RefusedError", "malformed": "MalformedInputError"}


@pytest.mark.parametrize("name", PROOFS)
def test_proofs(package, name):
    """A proof is accepted, refused or called malformed as the file says, for the reason that it says."""
    vector = VECTORS[name]
    key, digest, proof = (part.hex() for part in vector.parts())
    answer = package.ask("proof", key=key, digest=digest, proof=proof)
    assert (answer.get("exception"), answer.get("reason")) == (RAISES[vector.verdict], vector.reason), answer


@pytest.mark.parametrize("name", CERTIFICATES)
def test_certificates(package, name):
    """A certificate is verified, or refused with the exception, the reason and the field that the file names."""
    vector = VECTORS[name]
    files = {file: data.hex() for file, data in vector.files().items()}
    answer = package.ask("certificate", files=files, policy=msgspec.to_builtins(vector.policy))
    assert (answer.get("exception"), answer.get("reason")) == (vector.exception, vector.reason), answer
    assert (vector.field or "") in answer.get("message", vector.field or "")
