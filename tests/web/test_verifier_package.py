"""Every vector through the TypeScript verifier: the verdict, the reason and the words of the other verifiers.

Left out by kind: those of sub-circuits, whose relations it does not know, and those of ceremonies, whose files are for
the owner and for those who check a key's transcript, with the native library. It is given the digest that they print.
"""

import msgspec
import pytest

from tests.vectors.vector import CertificateVector, ProofVector, paths, place, read
from tests.web.web import spoken

VECTORS = {f"{path.parent.name}/{path.stem}": read(path) for path in paths()}
PROOFS = {name: vector for name, vector in VECTORS.items() if isinstance(vector, ProofVector)}
FILES = {name: vector for name, vector in VECTORS.items() if isinstance(vector, CertificateVector)}
RAISES = {"accept": None, "reject": "RefusedError", "malformed": "MalformedInputError"}


def running(vector):
    """Return the fixture that a vector needs: the one file for pages knows no signers."""
    return "package" if vector.policy.signed_by is None else "signing"


def judged(package, vector, **policy):
    """Return the answer about the files of a vector."""
    files = {file: data.hex() for file, data in vector.files().items()}
    return package.ask("certificate", files=files, policy=policy)


@pytest.mark.parametrize("name", PROOFS)
def test_proofs(package, name):
    """A proof is accepted, refused or called malformed as the file says, for the reason that it says."""
    vector = PROOFS[name]
    key, digest, proof = (part.hex() for part in vector.parts())
    answer = package.ask("proof", key=key, digest=digest, proof=proof, system=vector.proof_system)
    assert (answer.get("exception"), answer.get("reason")) == (RAISES[vector.verdict], vector.reason), answer


@pytest.mark.parametrize(
    ("name", "language"),
    [(name, "en") for name in FILES] + [pytest.param(name, "de", marks=pytest.mark.sampled(90)) for name in FILES],
)
def test_certificates(request, name, language):
    """A certificate is verified, or refused with the exception, the reason and the field that the file names.

    No verdict depends on the language of the sentences.
    """
    vector = FILES[name]
    package = request.getfixturevalue(running(vector))
    with spoken(package, language):
        answer = judged(package, vector, **msgspec.to_builtins(vector.policy))
    if vector.verdict == "accept":
        begins = {"en": "the proof holds under ", "de": "der Beweis stimmt unter diesem Schlüssel: "}[language]
        assert answer["value"]["made"][0].startswith(begins)
    assert (answer.get("exception"), answer.get("reason")) == (vector.exception, vector.reason), answer
    wanted = (vector.field or "") if language == "en" else place(vector)
    assert wanted in answer.get("message", wanted)


@pytest.mark.parametrize("system", ["groth16-bn254", "plonk-bn254"])
def test_proofs_of_the_other_proof_system(package, system):
    """Keys and proofs of one proof system are never taken for the other's."""
    own = next(vector for vector in PROOFS.values() if vector.proof_system == system and vector.verdict == "accept")
    key, digest, proof = (part.hex() for part in own.parts())
    for other in (one for one in PROOFS.values() if one.proof_system != system and one.verdict == "accept"):
        wrong_key, _, wrong_proof = (part.hex() for part in other.parts())
        for parts in ({"key": wrong_key, "proof": proof}, {"key": key, "proof": wrong_proof}):
            answer = package.ask("proof", digest=digest, system=system, **parts)
            assert (answer.get("exception"), answer.get("reason")) == ("MalformedInputError", "wrong-length")


@pytest.mark.parametrize("name", [name for name, vector in FILES.items() if vector.policy.signed_by is not None])
def test_signers_are_not_assumed(package, name):
    """Without a policy about signers a ceremony's key is refused, whoever signed its note."""
    answer = judged(package, FILES[name])
    assert (answer.get("exception"), answer.get("reason")) == ("UntrustedKeyError", "no-transcript")
