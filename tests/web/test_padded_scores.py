"""Certificates of scores that are padded to a standard shape: accepted by every verifier, and refused once changed."""

import dataclasses
import json
import random

import pytest

from equiproof.certify.traversal.search import Counterexample
from equiproof.circuits.standard_scores import StandardScore
from equiproof.prover.opening import Opening
from equiproof.prover.padding import pad_score
from equiproof.prover.prove import Prover
from equiproof.verifier import ProofError, parse_bundle, verify_bundle
from equiproof.verifier.bundle import Bundle
from tests.additive_small import additive
from tests.certify.test_score_padding import ensemble
from tests.conftest import CONTEXT
from tests.kept import kept_keys
from tests.static.build import binary, said
from tests.support import LOANS, applicant, key_of, no_policy

pytestmark = pytest.mark.slow

KINDS = {
    "additive": (lambda: additive(sex=0), StandardScore(6, (24, 4), 10)),
    "ensemble": (lambda: ensemble(3), StandardScore(6, (20, 8), 12, (9, 60), 20)),
}


@pytest.fixture(scope="module", params=KINDS)
def padded(request, tmp_path_factory):
    """A public bundle, under a real key of the shape; the spec has columns that are no feature's."""
    model, shape = KINDS[request.param]
    own, spec = pad_score(model(), LOANS, shape)
    owned = Opening.of(own, spec, blinding=7)
    assert (spec.padding, owned.sizes) == (3, (*shape.predicates, *(shape.nodes or ())))
    stored = key_of(kept_keys(), shape.shape(LOANS, 4))
    rng = random.Random(1)
    with Prover(owned, stored) as prover:
        tried = (prover.prove(applicant(LOANS, rng), CONTEXT) for _ in range(50))
        proven = next(one for one in tried if not isinstance(one, Counterexample) and one.evidence.radius_squared > 0)
    return Bundle(
        certificate=proven.certificate.to_bytes(),
        commitment=owned.public(),
        key=(stored.folder / "key.json").read_bytes(),
        verifying_key=(stored.folder / "verifying.key").read_bytes(),
    ).to_bytes()


def changed(bundle):
    """Return the bundle of the same proof about another context, which only the proof itself refuses."""
    files = parse_bundle(bundle, "bundle")
    head, mark, rest = files.certificate.partition(b'"context_digest":"')
    digit = b"1" if rest[63:64] == b"0" else b"0"
    return dataclasses.replace(files, certificate=head + mark + rest[:63] + digit + rest[64:]).to_bytes()


def test_the_verifiers_say_the_same_of_the_bundle(padded, package, tmp_path):
    """Python natively and in plain Python, the static binary, and TypeScript."""
    program = binary(tmp_path / "equiproof-verify")
    (tmp_path / "it.equiproof").write_bytes(padded)
    verified = [verify_bundle(padded, no_policy(), checker=checker) for checker in ("native", "python")]
    found = package.ask("bundle", data=padded.hex(), own={}, policy={})["value"]
    code, out, _ = said(program, tmp_path / "it.equiproof", "--json")
    assert (code, found["identity"]) == (0, verified[0].identity)
    assert verified[0].identity == verified[1].identity
    assert json.loads(out)["statement"] == verified[0].reading.sentence()
    (tmp_path / "it.equiproof").write_bytes(other := changed(padded))
    for checker in ("native", "python"):
        with pytest.raises(ProofError):
            verify_bundle(other, no_policy(), checker=checker)
    refused = package.ask("bundle", data=other.hex(), own={}, policy={})
    assert (refused["exception"], said(program, tmp_path / "it.equiproof")[0]) == ("ProofError", 1)
