"""Policies of the TypeScript verifier: what is met, what is refused and why, and what is left to the reader."""

import json

import pytest

from equiproof.circuits.names import quoted
from equiproof.verifier import TrustStore, Verifier, parse_certificate, parse_commitment, parse_query
from equiproof.verifier.verify import ALWAYS_LEFT_TO_YOU
from tests.support import KEPT, ROOT, no_policy
from tests.vectors.vector import CERTIFICATE, COMMITMENT, QUERY, certificate_base

GOLDEN = ROOT / "tests" / "golden"
NAMES = sorted(path.parent.name for path in GOLDEN.glob(f"*/{CERTIFICATE}"))
PLONK = [name for name in NAMES if name.endswith("-plonk")]
PINNED = json.loads((GOLDEN / "published.json").read_text())
KEY, MODEL = PINNED["loans"]["fingerprint"], PINNED["loans"]["model_commitment"]


def asked(package, name="loans", policy=None, **changed):
    """Return the answer about a published certificate."""
    files = certificate_base(name) | changed
    return package.ask("certificate", files={file: data.hex() for file, data in files.items()}, policy=policy or {})


@pytest.mark.parametrize("name", [name for name in NAMES if name not in PLONK])
def test_published_certificates(package, name):
    """A published certificate is verified with the name, the words and the intervals of the other verifiers."""
    found = asked(package, name, {"query": True, "context": True, "min_radius": "0.1"})["value"]
    read = {file: (GOLDEN / name / file).read_bytes() for file in (CERTIFICATE, COMMITMENT, QUERY)}
    verifier = Verifier(parse_commitment(read[COMMITMENT], COMMITMENT), TrustStore.open(GOLDEN / name / "keys"))
    verified = verifier.verify(parse_certificate(read[CERTIFICATE], CERTIFICATE), no_policy())
    assert found["identity"] == verified.identity == PINNED[name]["identity"]
    assert found["sentence"] == verified.reading.sentence()
    assert found["intervals"] == verified.intervals(parse_query(read[QUERY], QUERY))
    assert found["made"][: len(verified.made)] == list(verified.made)


@pytest.mark.parametrize("name", PLONK)
def test_published_certificates_of_plonk(package, name):
    """Everything but the proof is checked, for the reasons of the other verifiers, and nothing is accepted."""
    for policy in ({}, {"query": True, "context": True, "min_radius": "0.1"}, {"proof_system": "plonk-bn254"}):
        answer = asked(package, name, policy)
        assert (answer["exception"], answer["reason"]) == ("UnsupportedError", "proof-system-unsupported")
    assert asked(package, name, {"min_radius": "17"})["reason"] == "radius-too-small"
    assert asked(package, name, {"proof_system": "groth16-bn254"})["reason"] == "other-proof-system"
    other = {COMMITMENT: certificate_base("rates")[COMMITMENT]}
    assert asked(package, name, **other)["reason"] == "model-differs"


@pytest.mark.parametrize(
    ("policy", "reason"),
    [
        ({"min_radius": "1.3984375"}, None),
        ({"min_radius": "1.39843750000000000000000000000000000001"}, "radius-too-small"),
        ({"min_radius": "-1"}, "radius-too-small"),
        ({"key": KEY}, None),
        ({"key": "0" * 64}, "other-key"),
        ({"model": MODEL}, None),
        ({"model": MODEL.upper()}, "other-model"),
        ({"setup": "single-party"}, None),
        ({"setup": "ceremony"}, "other-setup"),
        ({"transcript": KEY}, "other-transcript"),
        ({"transcript": ""}, "other-transcript"),
        ({"proof_system": "groth16-bn254"}, None),
        ({"proof_system": "plonk-bn254"}, "other-proof-system"),
        ({"no_ranges": True}, None),
        ({"all_of": [{"key": KEY}, {"setup": "universal"}, {"key": "0" * 64}]}, "other-setup"),
        ({"any_of": [{"setup": "universal"}, {"key": KEY}]}, None),
        ({"any_of": [{"setup": "universal"}, {"key": "0" * 64}]}, "no-policy-met"),
    ],
)
def test_policies(package, policy, reason):
    """Each policy accepts the published certificate, or refuses it for its own reason."""
    answer = asked(package, policy=policy)
    assert (answer.get("exception"), answer.get("reason")) == (reason and "PolicyError", reason)


@pytest.mark.parametrize(
    ("policy", "exception"),
    [
        ({"min_radius": "1e3"}, "SpecError"),
        ({"min_radius": "0x1"}, "SpecError"),
        ({"all_of": []}, "RangeError"),
        ({"any_of": []}, "RangeError"),
    ],
)
def test_policies_that_mean_nothing(package, policy, exception):
    """A radius that is no decimal, and a policy of nothing, are refused when the policy is made."""
    assert asked(package, policy=policy)["exception"] == exception


def test_ranges_are_refused_where_none_are_accepted(package):
    """A spec that restricts neighbors to ranges does not meet NoRanges; one that does not, meets it."""
    from tests.web.test_agreement import written

    assert package.call("no_ranges", written(KEPT)) == "ranges-not-accepted"


def test_what_is_left_open(package):
    """Without a policy every check is left to the reader; each policy takes its own off the list."""
    left = asked(package)["value"]["notMade"]
    assert len(left) == 4 + len(ALWAYS_LEFT_TO_YOU)
    assert left[-2:] == list(ALWAYS_LEFT_TO_YOU)
    for number, policy in enumerate(({"query": True}, {"context": True}, {"min_radius": "1"})):
        assert asked(package, policy=policy)["value"]["notMade"] == [*left[:number], *left[number + 1 :]]
        alternatives = {"any_of": [policy, {"key": KEY}]}
        assert asked(package, policy=alternatives)["value"]["notMade"] == left
        assert asked(package, policy={"all_of": [policy, {"key": KEY}]})["value"]["notMade"] != left
    assert asked(package, policy={"min_radius": "0"})["value"]["notMade"] == left


def test_what_was_checked_names_every_value(package):
    """The words name each sensitive feature with all of its values."""
    made = asked(package, "rates")["value"]["made"]
    spec = parse_commitment((GOLDEN / "rates" / COMMITMENT).read_bytes(), COMMITMENT).spec
    for feature in spec.sensitive_features:
        assert f"{quoted(feature.name)} ({' / '.join(map(quoted, feature.domain))})" in made[2]
