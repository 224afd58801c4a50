"""Keys that a ceremony made: the TypeScript verifier reads them as Python does, and takes them by their transcript."""

import json

import pytest

from equiproof.circuits.canonical import canonical_bytes
from equiproof.verifier import CertificateFormatError, TrustStore, Verifier, parse_commitment
from equiproof.verifier.documents import parse_key
from equiproof.verifier.transcripts import TranscriptIs
from tests.vectors.vector import KEY, VERIFYING, certificate_base, read
from tests.web.test_agreement import CEREMONY, ceremony_key

DOCUMENT = json.loads(ceremony_key())
WITHOUT = {name: value for name, value in DOCUMENT.items() if name != "ceremony"}
PARTS = DOCUMENT["ceremony"]


def changed(*place, to):
    """Return the ceremony with another value in one place."""
    name, *inner = place
    return PARTS | {name: PARTS[name] | {inner[0]: to} if inner else to}


CEREMONIES = [
    PARTS, None, {}, [], "x", PARTS | {"more": 1}, {name: value for name, value in PARTS.items() if name != "beacon"},
    changed("powers", "origin", to="imported"), changed("powers", "origin", to="universal"),
    changed("powers", "source", to=""), changed("powers", "digest", to=1), changed("powers", "more", to=""),
    changed("powers", to=None), changed("start", to=""), changed("start", to=None), changed("steps", to=[]),
    changed("steps", to=["a", "a"]), changed("steps", to=[1]), changed("steps", to="a"), changed("beacon", to=None),
    changed("beacon", "round", to=-1), changed("beacon", "round", to=1.5), changed("beacon", "round", to="1"),
    changed("beacon", "value", to=""), changed("beacon", "source", to="\u05d0"), changed("signers", to=[]),
    changed("signers", to=["x"]), changed("signers", to=None),
]  # fmt: skip
KEYS = [
    *(DOCUMENT | {"ceremony": ceremony} for ceremony in CEREMONIES),
    *(document | {"setup": kind} for document in (DOCUMENT, WITHOUT) for kind in ("single-party", "universal")),
    *(
        WITHOUT | {"setup": kind, "proof_system": name, "powers": powers}
        for kind in ("universal", "ceremony", "single-party")
        for name in ("plonk-bn254", "groth16-bn254")
        for powers in (PARTS["powers"], PARTS["powers"] | {"origin": "imported"}, PARTS["powers"] | {"more": 1}, None)
    ),
    DOCUMENT | {"powers": PARTS["powers"]},
    WITHOUT,
    *(DOCUMENT | {"proof_system": name} for name in ("plonk-bn254", "plonk", "")),
    *(DOCUMENT | {name: "other"} for name in ("proving_key", "verifying_key", "system_digest")),
    DOCUMENT | {"shape": DOCUMENT["shape"] | {"capacity": 16}},
    DOCUMENT | {"constraints": 1},
]


@pytest.mark.parametrize("document", KEYS, ids=range(len(KEYS)))
def test_keys_of_ceremonies(package, document):
    """A key is read, with the same transcript digest, or refused for the same reason, by both verifiers."""
    data = canonical_bytes(document)
    try:
        wanted = {"value": parse_key(data, "key").transcript or None}
    except CertificateFormatError as error:
        wanted = {"exception": "CertificateFormatError", "reason": str(error.reason)}
    answer = package.ask("call", name="transcript", words=[data.decode()])
    answer.pop("message", None)
    assert answer == wanted


def asked(package, policy, **changes):
    """Return the answer about the certificate under a ceremony's key."""
    files = read(CEREMONY).files() | changes
    return package.ask("certificate", files={name: data.hex() for name, data in files.items()}, policy=policy)


def test_a_key_of_a_ceremony_is_accepted_by_its_transcript_alone(package):
    """Neither the kind of set-up nor the fingerprint makes up for it; of alternatives, each must name it."""
    key = parse_key(ceremony_key(), "key")
    ours, other = {"transcript": key.transcript}, {"transcript": "0" * 64}
    by_name = {"setup": "ceremony", "key": key.fingerprint}
    verified = asked(package, {"all_of": [by_name, ours]})["value"]
    assert f"the key is the one that the ceremony {key.transcript[:16]}... made" in verified["made"]
    assert asked(package, {"any_of": [other, ours]})["value"]
    assert asked(package, {"any_of": [other, other]})["reason"] == "no-policy-met"
    assert asked(package, other)["reason"] == "other-transcript"
    for policy in ({}, by_name, {"any_of": [ours, by_name]}):
        answer = asked(package, policy)
        assert (answer["exception"], answer["reason"]) == ("UntrustedKeyError", "no-transcript")


SIGNERS = [[f"s{number}+x+y" for number in range(count)] for count in (0, 1, 8, 9, 30)]
OTHERS = [
    *({"signers": signers} for signers in SIGNERS),
    {"signers": ["", "+", "no key", "a" * 65, "\U0001f600" * 65]},
    {"powers": PARTS["powers"] | {"origin": "imported", "source": "a" * 70}},
]


@pytest.mark.parametrize("changes", OTHERS, ids=range(len(OTHERS)))
def test_words_about_a_ceremony(package, tmp_path, changes):
    """What was checked, and what no transcript shows of those who made a key, are told as in Python."""
    key = canonical_bytes(DOCUMENT | {"ceremony": PARTS | changes})
    document = parse_key(key, "key")
    policy = TranscriptIs(document.transcript)
    files = read(CEREMONY).files()
    certificate = json.loads(files["certificate.json"])
    certificate["key"]["fingerprint"] = document.fingerprint
    files |= {KEY: key, "certificate.json": canonical_bytes(certificate)}
    (tmp_path / "key.json").write_bytes(key)
    (tmp_path / "verifying.key").write_bytes(files[VERIFYING])
    verifier = Verifier(parse_commitment(files["commitment.json"], "commitment"), TrustStore.open(tmp_path))
    verified = verifier.verify(files["certificate.json"], policy)
    found = asked(package, {"transcript": document.transcript}, **files)["value"]
    assert found["made"] == list(verified.made)
    contributors = [line for line in verified.not_made if "contribut" in line]
    assert [line for line in found["notMade"] if "contribut" in line] == contributors != []
    assert len(found["notMade"]) == len(verified.not_made)


def test_the_transcript_is_of_this_very_key(package):
    """A ceremony beside a key that it did not make has another transcript; its digest is not believed, but computed."""
    ours = {"transcript": parse_key(ceremony_key(), "key").transcript}
    certificate = json.loads(read(CEREMONY).files()["certificate.json"])
    other = canonical_bytes(DOCUMENT | {"proving_key": "0" * 64})
    certificate["key"]["fingerprint"] = parse_key(other, "key").fingerprint
    files = {KEY: other, "certificate.json": canonical_bytes(certificate)}
    assert asked(package, ours, **files)["reason"] == "other-transcript"


@pytest.mark.parametrize("kind", ["ceremony", "universal"])
def test_a_key_without_a_transcript_is_not_read(package, kind):
    """A key of another kind than single-party, and no ceremony in its metadata: nothing could show how it was made."""
    document = json.loads(certificate_base("loans")[KEY]) | {"setup": kind}
    answer = asked(package, {"transcript": "0" * 64}, **{KEY: canonical_bytes(document)})
    assert (answer["exception"], answer["reason"]) == ("CertificateFormatError", "no-transcript")
