"""A policy file gives the policies that it names, for what the verifier has; anything else is refused by its field."""

import json
import warnings
from datetime import date

import pytest

from equiproof.verifier import (
    AllOf,
    AnyOf,
    CertificateFormatError,
    ContextHas,
    CoversFeatures,
    ForContext,
    ForQuery,
    KeyIs,
    LinkKeyIs,
    LinkTranscriptIs,
    MinRadius,
    ModelIs,
    NoRanges,
    NotOlderThan,
    Own,
    PolicyError,
    ProofSystemIs,
    RangesWithin,
    SetupIs,
    SignedBy,
    TranscriptIs,
    UnsafeNoPolicy,
    parse_policy,
)
from equiproof.verifier.logged import LogTerms
from equiproof.verifier.policy_file import MAX_DEPTH, ContextRequirement, Requirements
from tests.conftest import CONTEXT
from tests.verifier import logs

DIGITS = "0" * 63 + "7"
SIGNER = "PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW"
LOG = logs.LOG.verifier.text
TODAY = date(2026, 2, 10)


def written(**requires):
    """Return the bytes of a policy file."""
    return json.dumps({"format": "equiproof-policy", "version": 2, "requires": requires}).encode()


@pytest.fixture
def own(proven):
    """What a verifier with every file has."""
    return Own(proven.query, CONTEXT, TODAY, b"proof", 7)


SINGLE = {
    "min_radius": ("0.5", MinRadius("0.5")),
    "model_commitment": (DIGITS, ModelIs(DIGITS)),
    "key_fingerprint": (DIGITS, KeyIs(DIGITS)),
    "link_key_fingerprint": (DIGITS, LinkKeyIs(DIGITS)),
    "setup": ("ceremony", SetupIs("ceremony")),
    "transcript": (DIGITS, TranscriptIs(DIGITS)),
    "link_transcript": (DIGITS, LinkTranscriptIs(DIGITS)),
    "log": (
        {"key": LOG, "witnesses": [SIGNER], "least": 1, "smallest_tree": 4, "max_days": 2, "owner": "Bank"},
        LogTerms(LOG, (SIGNER,), 1, 4, 2, "Bank").policy(b"proof", 7),
    ),
    "signed_by": ({"keys": [SIGNER], "least": 1}, SignedBy((SIGNER,), 1)),
    "proof_system": ("groth16-bn254", ProofSystemIs("groth16-bn254")),
    "covers": (["sex"], CoversFeatures(["sex"])),
    "no_ranges": (True, NoRanges()),
    "ranges_within": ({"income": ["0", "90000"]}, RangesWithin({"income": ("0", "90000")})),
}


@pytest.mark.parametrize("name", SINGLE)
def test_each_field_is_one_policy(name, own):
    """A file with one field requires the one policy that it stands for."""
    value, policy = SINGLE[name]
    assert parse_policy(written(**{name: value}), "p.json", own) == AllOf(policy)


def test_every_field_is_tried_here():
    """A new field gets a test."""
    assert {*SINGLE, "query", "context", "any_of"} == set(Requirements.__struct_fields__)
    assert set(ContextRequirement.__struct_fields__) == {"has", "max_days"}


def test_own_files_are_required_by_a_word(own):
    """Query and context are the verifier's own; without them the policy cannot be met, and says which one to give."""
    assert parse_policy(written(query=True), "p.json", own) == AllOf(ForQuery(own.query))
    wanted = {"has": {"nonce": CONTEXT["nonce"]}, "max_days": 30}
    assert parse_policy(written(context=wanted), "p.json", own) == AllOf(
        ForContext(CONTEXT), ContextHas(CONTEXT, {"nonce": CONTEXT["nonce"]}), NotOlderThan(CONTEXT, 30, TODAY)
    )
    assert parse_policy(written(context={}), "p.json", own) == AllOf(ForContext(CONTEXT))
    for requires, option in (
        ({"query": True}, "--query"),
        ({"context": {}}, "--context"),
        ({"log": {"key": LOG}}, "--log-proof"),
    ):
        with pytest.raises(CertificateFormatError, match=rf"^p\.json: field requires: it requires .*{option}"):
            parse_policy(written(**requires), "p.json", Own())


def test_alternatives(own):
    """Of any_of one is enough, beside everything else."""
    found = parse_policy(
        written(min_radius="0.1", any_of=[{"setup": "ceremony"}, {"key_fingerprint": DIGITS}]), "p", own
    )
    assert found == AllOf(MinRadius("0.1"), AnyOf(AllOf(SetupIs("ceremony")), AllOf(KeyIs(DIGITS))))


def test_the_empty_policy_is_unsafe(own):
    """A file that requires nothing is the policy that says so, with its warning."""
    with pytest.warns(UserWarning, match="any true certificate passes"):
        assert isinstance(parse_policy(written(), "p.json", own), UnsafeNoPolicy)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        parse_policy(written(no_ranges=True), "p.json", own)


def nested(depth):
    """Return alternatives in alternatives."""
    return {"no_ranges": True} if depth == 0 else {"any_of": [nested(depth - 1)]}


@pytest.mark.parametrize(
    ("requires", "why"),
    [
        ({"min_radius": "-0.1"}, r"requires\.min_radius: -0\.1 is below 0"),
        ({"min_radius": "much"}, r"requires\.min_radius: 'much' is not a decimal number"),
        ({"min_radius": 0.1}, r"min_radius"),
        ({"model_commitment": "7"}, r"requires\.model_commitment: "),
        ({"key_fingerprint": "G" * 64}, r"requires\.key_fingerprint: want 64"),
        ({"setup": "trust-me"}, "setup"),
        ({"proof_system": "plonk"}, "proof_system"),
        ({"ranges_within": {}}, r"requires\.ranges_within: names no range"),
        ({"ranges_within": {"income": ["9", "1"]}}, r"requires\.ranges_within: .* 9 is above 1"),
        ({"context": {"max_days": -1}}, r"requires\.context\.max_days: -1 is below 0"),
        ({"any_of": [{}]}, r"requires\.any_of\[0\]: requires nothing"),
        ({"any_of": [{"no_ranges": True}, {"setup": "x"}]}, r"any_of"),
        ({"max_radius": "1"}, "max_radius"),
        (nested(MAX_DEPTH), f"nested more than {MAX_DEPTH} deep"),
    ],
)
def test_bad_fields_are_named(requires, why, own):
    """A value that is no requirement is refused by file and field."""
    with pytest.raises(CertificateFormatError, match=rf"^p\.json: .*{why}") as caught:
        parse_policy(written(**requires), "p.json", own)
    assert "\n" not in str(caught.value)


def test_nesting_ends(own):
    """The deepest file that is accepted, and one that nests beyond any parser."""
    parse_policy(written(**nested(MAX_DEPTH - 1)), "p.json", own)
    deep = written(no_ranges=True).replace(b'"no_ranges": true', b'"any_of": [{' * 100_000)
    with pytest.raises(CertificateFormatError):
        parse_policy(deep, "p.json", own)


@pytest.mark.parametrize(
    "data", [b"", b"{}", b"[]", written().replace(b": 2", b": 1"), written().replace(b"policy", b"key")]
)
def test_other_files_are_no_policy(data, own):
    """Another format or version, or no JSON at all, is refused."""
    with pytest.raises(CertificateFormatError, match=r"^p\.json"):
        parse_policy(data, "p.json", own)


@pytest.mark.parametrize(
    ("made", "days", "ok"),
    [
        ("2026-02-10", 0, True), ("2026-02-11", 0, True), ("2026-02-12", 9, False), ("2026-02-09", 0, False),
        ("2026-01-11", 30, True), ("2026-01-10", 30, False), ("2026-2-10", 30, False), ("10.02.2026", 30, False),
        ("2026-02-10T00:00", 30, False), ("20260210", 30, False), ("", 30, False), ("2026-02-30", 30, False),
    ],
)  # fmt: skip
def test_ages_are_counted_in_days(made, days, ok):
    """A date is exact and ISO; tomorrow is accepted, since dates are local."""
    policy = NotOlderThan({"date": made}, days, TODAY)
    if ok:
        assert policy.check(None) == (f"its context is of {made}, at most {days} days old",)
    else:
        with pytest.raises(PolicyError) as caught:
            policy.check(None)
        assert caught.value.reason == "too-old"


def test_texts_of_the_context_are_compared():
    """A context without the text, or with another one, is refused by name."""
    context = {"policy": "2026-A", "nonce": "n" * 16}
    assert ContextHas(context, {"policy": "2026-A"}).check(None) == ("the context's policy is 2026-A",)
    with pytest.raises(PolicyError, match="'2026-A'"):
        ContextHas(context, {"policy": "2026-B"}).check(None)
    for texts in ({"policy": "2026-B"}, {"branch": "north"}, {"policy": "2026-A", "nonce": "m"}):
        with pytest.raises(PolicyError, match="the policy requires") as caught:
            ContextHas(context, texts).check(None)
        assert caught.value.reason == "context-lacks"


def test_a_certificate_meets_its_policy_file(loans, sceptic, proven, own):
    """A published certificate passes a policy of everything that holds for it, and fails each that does not."""
    certificate = proven.certificate.to_bytes()
    verifier = sceptic
    held = {
        "model_commitment": proven.certificate.statement.model_commitment, "min_radius": "0.0", "setup": "single-party",
        "key_fingerprint": loans.key.document.fingerprint, "proof_system": "groth16-bn254", "query": True,
        "context": {"max_days": 30}, "no_ranges": True,
    }  # fmt: skip
    verified = verifier.verify(certificate, parse_policy(written(**held), "p.json", own))
    assert "its context is of 2026-01-31, at most 30 days old" in verified.made
    for name, value in {"model_commitment": DIGITS, "key_fingerprint": DIGITS, "setup": "ceremony", "min_radius": "99",
                        "context": {"max_days": 3}}.items():  # fmt: skip
        with pytest.raises(PolicyError):
            verifier.verify(certificate, parse_policy(written(**(held | {name: value})), "p.json", own))
