"""Plain values become the policies that they stand for, and a value that is none is refused by its name."""

import copy
import inspect
import warnings

import pytest

from equiproof.verifier import (
    AllOf,
    CertificateFormatError,
    CoversFeatures,
    ForContext,
    ForQuery,
    GainOf,
    KeyIs,
    LinkKeyIs,
    LinkTranscriptIs,
    MinGain,
    MinRadius,
    ModelIs,
    NoRanges,
    ProofSystemIs,
    RangesWithin,
    RequirementError,
    SetupIs,
    SignedBy,
    TranscriptIs,
    UnsafeNoPolicy,
    policy_of,
)
from equiproof.verifier.logged import LogTerms
from tests.conftest import CONTEXT
from tests.verifier.logs import LOG

DIGITS = "0" * 63 + "7"
SIGNER = "PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW"

LOGGED = LogTerms(LOG.verifier.text, (SIGNER,), 1, 4, 2, "Bank")

VALUES = {
    "context": (CONTEXT, ForContext(CONTEXT)),
    "min_radius": ("0.5", MinRadius("0.5")),
    "covers": (["sex"], CoversFeatures(["sex"])),
    "no_ranges": (True, NoRanges()),
    "ranges_within": ({"income": ("0", "90000")}, RangesWithin({"income": ("0", "90000")})),
    "setup": ("ceremony", SetupIs("ceremony")),
    "proof_system": ("groth16-bn254", ProofSystemIs("groth16-bn254")),
    "model_commitment": (DIGITS, ModelIs(DIGITS)),
    "key_fingerprint": (DIGITS, KeyIs(DIGITS)),
    "link_key_fingerprint": (DIGITS, LinkKeyIs(DIGITS)),
    "transcript": (DIGITS, TranscriptIs(DIGITS)),
    "link_transcript": (DIGITS, LinkTranscriptIs(DIGITS)),
    "signed_by": (([SIGNER], 1), SignedBy((SIGNER,), 1)),
    "min_gain": ("-0.5", MinGain("-0.5")),
    "gain_of": (("yes", {"sex": "m"}, {"sex": "f"}), GainOf("yes", {"sex": "m"}, {"sex": "f"})),
    "log": ((LOGGED, b"proof", 7), LOGGED.policy(b"proof", 7)),
}


def test_every_argument_has_a_value_here():
    """A new argument is tried alone and together with the others."""
    assert {*VALUES, "query"} == set(inspect.signature(policy_of).parameters)


@pytest.mark.parametrize("name", VALUES)
def test_each_value_is_one_policy(name):
    """Each argument alone gives the policy of its class with this value."""
    value, policy = VALUES[name]
    (made,) = policy_of(**{name: value}).policies
    assert made == policy


def test_all_values_are_required_together(proven):
    """Everything that is given is required, the applicant's own query too."""
    made = policy_of(query=proven.query, **{name: value for name, (value, _) in VALUES.items()})
    assert isinstance(made, AllOf)
    assert made.policies == (ForQuery(proven.query), *(policy for _, policy in VALUES.values()))


def test_no_value_is_no_policy_and_no_warning():
    """Without values nothing is required; the caller lists the checks that were not made, so nothing is warned of."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for values in ({}, {"no_ranges": False}, {"ranges_within": {}}, dict.fromkeys(("min_radius", "setup"))):
            assert isinstance(policy_of(**values), UnsafeNoPolicy)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("min_radius", "-0.1"), ("min_radius", "1e3"), ("min_radius", "nan"), ("min_radius", ""),
        ("ranges_within", {"income": ("2", "1")}), ("ranges_within", {"income": ("0", "x")}),
        ("setup", "trusted"), ("setup", ""),
        ("model_commitment", "f" * 64), ("model_commitment", DIGITS[1:]), ("model_commitment", "A" + DIGITS[1:]),
        ("key_fingerprint", DIGITS + "0"), ("key_fingerprint", DIGITS.replace("7", "A")),
        ("transcript", DIGITS[1:]), ("transcript", "x" * 64),
        ("signed_by", ([], 1)), ("signed_by", ([SIGNER], 2)), ("signed_by", ([SIGNER], 0)), ("signed_by", (["x"], 1)),
        ("signed_by", ([SIGNER, SIGNER], 1)),
        ("log", (LogTerms("x"), b"", 7)), ("log", (LogTerms(SIGNER, (SIGNER,)), b"", 7)),
        ("log", (LogTerms(SIGNER, max_days=1), b"", 7)), ("log", (LogTerms(SIGNER, least=1), b"", 7)),
    ],
)  # fmt: skip
def test_a_value_without_a_meaning_is_refused_by_its_name(name, value):
    """The error names the argument, so that a front end can name its own option or field."""
    with pytest.raises(RequirementError) as refused:
        policy_of(**{name: value})
    assert refused.value.name == name
    assert str(refused.value) == f"{name}: {refused.value.reason}"
    assert "\n" not in str(refused.value)
    again = copy.copy(refused.value)
    assert (again.name, again.reason) == (refused.value.name, refused.value.reason)


def test_a_context_that_can_be_guessed_is_refused():
    """A context without a nonce is malformed here as well."""
    with pytest.raises(CertificateFormatError, match="nonce"):
        policy_of(context={"policy": "loans"})


@pytest.mark.parametrize(
    ("name", "value", "reason"),
    [
        ("setup", "trusted", "'trusted' is not single-party, ceremony or universal"),
        ("setup", "t" * 41, f"'{'t' * 40}' is not single-party, ceremony or universal"),
    ],
)
def test_what_a_value_may_be_is_listed(name, value, reason):
    """All that it could have been, and of a long value the beginning."""
    with pytest.raises(RequirementError) as refused:
        policy_of(**{name: value})
    assert refused.value.reason == reason
