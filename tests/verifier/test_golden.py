"""What was published stays: the folders of tests/golden with a certificate or a gain certificate must verify for ever.

They are never written anew. `tests/vectors/generate/publish.py` adds another one.
"""

import hashlib
import json

import pytest

from equiproof.verifier import (
    AllOf,
    ForContext,
    ForQuery,
    GainVerifier,
    MinRadius,
    ProofError,
    TrustStore,
    Verifier,
    parse_certificate,
    parse_commitment,
    parse_context,
    parse_gain,
    parse_query,
)
from equiproof.verifier.link import LINK_FILE, parse_link
from tests.pins import FOLDER, assert_pinned
from tests.support import changed, no_policy
from tests.vectors.generate.publish import publish
from tests.vectors.vector import CERTIFICATE, COMMITMENT, CONTEXT, GAIN, KEY, QUERY, VERIFYING

NAMES = sorted(path.parent.name for path in FOLDER.glob(f"*/{CERTIFICATE}"))


def read(name, file, parse):
    """Return a published file, parsed."""
    return parse((FOLDER / name / file).read_bytes(), file)


GAINS = sorted(path.parent.name for path in FOLDER.glob(f"*/{GAIN}"))


@pytest.fixture(params=NAMES)
def name(request):
    """Each published case."""
    return request.param


@pytest.fixture(params=["native", "python"])
def verifier(name, request):
    """The verifier of the published commitment under the published keys, with either program."""
    link = read(name, LINK_FILE, parse_link) if (FOLDER / name / LINK_FILE).exists() else None
    keys = TrustStore.open(FOLDER / name / "keys")
    return Verifier(read(name, COMMITMENT, parse_commitment), keys, request.param, link=link)


def test_published_certificates_verify(name, verifier):
    """A published certificate convinces its applicant, for its context, with a radius above 0."""
    policy = AllOf(
        ForQuery(read(name, QUERY, parse_query)), ForContext(read(name, CONTEXT, parse_context)), MinRadius("0.1")
    )
    assert verifier.verify((FOLDER / name / CERTIFICATE).read_bytes(), policy).statement.radius_squared > 0


def test_published_certificates_are_canonical(name):
    """The published file is the canonical form of what is read from it."""
    data = (FOLDER / name / CERTIFICATE).read_bytes()
    assert parse_certificate(data, CERTIFICATE).to_bytes() == data


def test_published_names_are_pinned():
    """Statement digests, commitments and digests of keys and circuits of what was published are these, for ever."""
    found = {}
    for name in NAMES:
        certificate = read(name, CERTIFICATE, parse_certificate)
        (key,) = TrustStore.open(FOLDER / name / "keys")._keys.values()
        verifying = hashlib.sha256((FOLDER / name / VERIFYING).read_bytes()).hexdigest()
        found[name] = {
            "identity": f"{certificate.to_statement().digest(key.document.shape):064x}",
            "model_commitment": read(name, COMMITMENT, parse_commitment).model_commitment,
            "fingerprint": key.document.fingerprint,
            "verifying_key": verifying,
            "system_digest": json.loads((FOLDER / name / KEY).read_bytes())["system_digest"],
            "constraints": key.document.constraints,
        }
    assert_pinned("published", found)


def gain_verifier(name, checker="native"):
    """Return the verifier of the published commitment under the published key."""
    return GainVerifier(read(name, COMMITMENT, parse_commitment), TrustStore.open(FOLDER / name / "keys"), checker)


@pytest.mark.parametrize("checker", ["native", "python"])
@pytest.mark.parametrize("name", GAINS)
def test_published_gains_verify(name, checker):
    """A published gain certificate convinces its applicant, for its context, and is in canonical form."""
    data = (FOLDER / name / GAIN).read_bytes()
    policy = AllOf(
        ForQuery(read(name, QUERY, parse_query)), ForContext(read(name, CONTEXT, parse_context)), MinRadius("0.1")
    )
    assert gain_verifier(name, checker).verify(data, policy).document() == loads(
        FOLDER / name / "verified.json", checker
    )
    assert parse_gain(data, GAIN).to_bytes() == data


def loads(path, checker):
    """Return what every program that verifies says of a published gain certificate."""
    return json.loads(path.read_bytes()) | {"checker": checker}


def test_what_was_published_is_never_written_anew():
    """Publishing under a name that is taken is refused, and changes nothing."""
    before = (FOLDER / "loans" / CERTIFICATE).read_bytes()
    with pytest.raises(SystemExit, match="is published already"):
        publish("loans")
    assert (FOLDER / "loans" / CERTIFICATE).read_bytes() == before


def test_a_published_proof_is_about_nothing_else(proven, loans):
    """The published proof does not carry over to a certificate of today."""
    old = read("loans", CERTIFICATE, parse_certificate)
    mixed = changed(old, statement=proven.certificate.statement, reading=proven.certificate.reading)
    verifier = Verifier(loans.commitment, TrustStore.open(FOLDER / "loans" / "keys"))
    assert proven.certificate.proof != old.proof
    with pytest.raises(ProofError, match="does not hold"):
        verifier.verify(mixed, no_policy())
