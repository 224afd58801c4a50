"""Certificates of trees that ask sets of values: accepted by every verifier, and refused once changed."""

import json
from dataclasses import replace

import pytest

from equiproof.circuits.canonical import canonical_bytes
from equiproof.verifier import parse_bundle, verify_bundle
from equiproof.verifier.bundle import Bundle
from equiproof.verifier.documents import parse_key
from equiproof.verifier.errors import VerificationError
from tests.prover.test_sets import imported, opening, proven_of, prover, stored  # noqa: F401 -- fixtures
from tests.static.build import binary, said
from tests.support import no_policy
from tests.web.test_padded_scores import changed

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def certified(opening, stored, prover):  # noqa: F811 -- fixtures
    """A public bundle about somebody who states everything."""
    return Bundle(
        certificate=proven_of(prover, lambda row: None not in row.values()).certificate.to_bytes(),
        commitment=opening.public(),
        key=(stored.folder / "key.json").read_bytes(),
        verifying_key=(stored.folder / "verifying.key").read_bytes(),
    ).to_bytes()


@pytest.fixture(scope="module")
def program(tmp_path_factory):
    """The static binary."""
    return binary(tmp_path_factory.mktemp("static") / "equiproof-verify")


def with_categories(whole, change):
    """Return a bundle under a key whose shape has other categories; certificate and key name each other."""
    files = parse_bundle(whole, "bundle")
    metadata, certificate = json.loads(files.key), json.loads(files.certificate)
    (category,) = metadata["shape"]["architecture"]["categories"]
    metadata["shape"]["architecture"]["categories"] = change(category)
    data = canonical_bytes(metadata)
    certificate["key"]["fingerprint"] = parse_key(data, "key.json").fingerprint
    return replace(files, key=data, certificate=canonical_bytes(certificate)).to_bytes()


LIES = {
    "another-context": (changed, "pairings-differ"),
    "more-sets": (
        lambda whole: with_categories(whole, lambda of: [of | {"sets": of["sets"] + 1}]),
        "pairings-differ",
    ),
    "fewer-values": (
        lambda whole: with_categories(whole, lambda of: [of | {"values": of["values"] - 1}]),
        "shape-differs",
    ),
    "values-farther-apart": (
        lambda whole: with_categories(whole, lambda of: [of | {"high": 2 * of["high"]}]),
        "shape-differs",
    ),
}
"""Name -> what becomes of the bundle, and the reason of every verifier."""


def test_every_verifier_accepts_it(certified, package, program, tmp_path):
    """Python natively and in plain Python, the static binary, and TypeScript say the same sentence."""
    (tmp_path / "it.equiproof").write_bytes(certified)
    verified = [verify_bundle(certified, no_policy(), checker=checker) for checker in ("native", "python")]
    found = package.ask("bundle", data=certified.hex(), own={}, policy={})["value"]
    code, out, _ = said(program, tmp_path / "it.equiproof", "--json")
    assert (code, found["identity"]) == (0, verified[0].identity)
    assert verified[0].identity == verified[1].identity
    assert json.loads(out)["statement"] == verified[0].reading.sentence()


@pytest.mark.parametrize("lie", LIES)
def test_every_verifier_refuses_what_is_changed(certified, package, program, tmp_path, lie):
    """For one reason: the proof is of another statement, or the shape does not follow from the spec."""
    change, reason = LIES[lie]
    (tmp_path / "it.equiproof").write_bytes(other := change(certified))
    for checker in ("native", "python"):
        with pytest.raises(VerificationError) as refused:
            verify_bundle(other, no_policy(), checker=checker)
        assert refused.value.reason == reason
    assert package.ask("bundle", data=other.hex(), own={}, policy={})["reason"] == reason
    assert said(program, tmp_path / "it.equiproof")[0] == 1
