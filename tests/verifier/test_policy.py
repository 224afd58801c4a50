"""Policies are demands, one each: what is met is said, what is not is refused, what nobody asked is listed."""

from copy import deepcopy
from dataclasses import replace

import pytest

from circuits.field import to_hex
from circuits.spec import SpecError
from tests.conftest import CONTEXT
from tests.support import LOANS, changed, trusting
from verifier import (
    AllOf,
    CertificateFormatError,
    ForContext,
    ForQuery,
    KeyIs,
    MinRadius,
    ModelIs,
    PolicyError,
    SetupIs,
    UnsafeNoPolicy,
    VerificationError,
    Verifier,
)
from verifier.policy import ABOUT_CONTEXT, ABOUT_QUERY, ABOUT_RADIUS, ABOUT_SETUP, Facts, asked
from verifier.verify import ALWAYS_LEFT_TO_YOU


@pytest.fixture
def facts(loans, proven):
    """What a policy judges about the honest certificate."""
    return Facts(proven.certificate.to_statement(), LOANS, loans.key.document)


def with_radius(facts, radius_squared):
    """Return facts of another squared radius."""
    return replace(facts, statement=replace(facts.statement, radius_squared=radius_squared))


def test_radius_is_compared_exactly(facts):
    """A minimum is compared with the radius for real values, here two grid steps less; nothing is rounded."""
    assert MinRadius("0.5").check(with_radius(facts, (512 + 2) ** 2)) == "the radius is at least 0.5"
    with pytest.raises(PolicyError, match=r"^the radius is 0\.499023, the policy demands 0\.5$"):
        MinRadius("0.5").check(with_radius(facts, (512 + 2) ** 2 - 1))
    with pytest.raises(PolicyError):
        MinRadius("0.5000000000000000000000000000001").check(with_radius(facts, (512 + 2) ** 2))
    MinRadius("0").check(with_radius(facts, 0))
    with pytest.raises(PolicyError):
        MinRadius("16").check(with_radius(facts, LOANS.max_radius_squared))


@pytest.mark.parametrize("text", ["", "a", "1e3", ".5", "nan", "1,5"])
def test_a_radius_that_is_no_number_is_refused_at_once(text):
    """A minimum that is no decimal is refused when the policy is made, not when it is used."""
    with pytest.raises(SpecError, match="minimum radius"):
        MinRadius(text)


def test_a_negative_radius_demands_nothing_and_is_refused(facts):
    """A negative minimum is refused instead of passing everything."""
    with pytest.raises(PolicyError):
        MinRadius("-1").check(facts)


def test_queries_are_told_apart(facts, proven):
    """The demanded data are held to the commitment, with their blinding."""
    assert ForQuery(proven.query).check(facts) == "it is about the data in the query file"
    for other in (
        changed(proven.query, blinding=to_hex(3)),
        changed(proven.query, features=proven.query.features | {"housing": "rent"}),
        changed(proven.query, features=proven.query.features | {"income": 12345}),
    ):
        if other != proven.query:
            with pytest.raises(PolicyError, match=r"about other data than q\.json"):
                ForQuery(other, "q.json").check(facts)


def test_contexts_are_told_apart(facts):
    """The demanded context is held to the digest, in whatever order its names stand."""
    assert (
        ForContext(CONTEXT).check(facts)
        == f"it was made for this context: {', '.join(f'{name} {CONTEXT[name]}' for name in CONTEXT)}"
    )
    assert ForContext(dict(reversed(CONTEXT.items()))).check(facts)
    for other in (CONTEXT | {"nonce": "4f1c6a08e2b97d36"}, {"nonce": CONTEXT["nonce"]}, CONTEXT | {"more": ""}):
        with pytest.raises(PolicyError, match="another context"):
            ForContext(other).check(facts)


@pytest.mark.parametrize("context", [{}, {"date": "2026-01-31"}, {"nonce": "0" * 15}, {"nonce": " " * 16}])
def test_a_context_without_a_nonce_is_no_demand(context):
    """A context that anybody can guess, the empty one above all, is refused when the policy is made."""
    with pytest.raises(CertificateFormatError, match=r"^context: field nonce: want at least 16 characters"):
        ForContext(context)


def test_a_demanded_context_stays_what_it_was(facts):
    """A dictionary that is changed later changes no demand, and the demand's own cannot be changed."""
    given = dict(CONTEXT)
    demand = ForContext(given)
    given["nonce"] = "4f1c6a08e2b97d36"
    assert demand.check(facts)
    with pytest.raises(TypeError):
        demand.context["nonce"] = "4f1c6a08e2b97d36"
    assert deepcopy(demand) == demand == ForContext(CONTEXT) != ForContext(given)


def test_a_context_is_of_texts():
    """Numbers and other names are refused where the policy is made: no file could hold them."""
    for context in (CONTEXT | {"nonce": 10**20}, CONTEXT | {"amount": 5}, CONTEXT | {5: "a"}, CONTEXT | {"date": None}):
        with pytest.raises(CertificateFormatError, match="want names and values that are text"):
            ForContext(context)


def test_set_ups_are_told_apart(facts):
    """A demanded kind of set-up is the trusted key's own, not the certificate's word."""
    assert SetupIs("single-party").check(facts) == "the key's set-up is single-party"
    for setup in ("ceremony", "universal"):
        with pytest.raises(PolicyError, match=f"single-party, the policy demands {setup}"):
            SetupIs(setup).check(facts)


def test_keys_are_told_apart(facts, loans, foreign):
    """A demanded key is known by its fingerprint."""
    assert KeyIs(loans.key.document.fingerprint).check(facts)
    with pytest.raises(PolicyError, match="the policy demands"):
        KeyIs(foreign.key.document.fingerprint).check(facts)


def test_models_are_told_apart(facts, loans):
    """A demanded model is known by its commitment."""
    assert ModelIs(to_hex(loans.opening.commitment)).check(facts)
    for other in (to_hex(loans.opening.commitment ^ 1), to_hex(loans.opening.commitment).upper(), ""):
        with pytest.raises(PolicyError, match="another model"):
            ModelIs(other).check(facts)


def test_all_of_needs_all(sceptic, proven):
    """Several demands are met only together, in any order."""
    good = (ForQuery(proven.query), ForContext(CONTEXT), MinRadius("0.001"))
    assert sceptic.verify(proven.certificate, AllOf(*good))
    for bad in (MinRadius("15"), ForContext(CONTEXT | {"more": ""}), SetupIs("ceremony")):
        for demands in ((*good, bad), (bad, *good)):
            with pytest.raises(PolicyError):
                sceptic.verify(proven.certificate, AllOf(*demands))


def test_demanding_nothing_must_be_said():
    """A list of demands that came out empty is refused where it is made; the unsafe policy may stand in one."""
    with pytest.raises(ValueError, match=r"demands nothing: name a policy, or say UnsafeNoPolicy\(\)"):
        AllOf()
    with pytest.warns(UserWarning, match="no policy"):
        assert AllOf(UnsafeNoPolicy()).policies == ()


def test_no_policy_warns(sceptic, proven):
    """The policy that demands nothing warns each time it is made."""
    for _ in range(2):
        with pytest.warns(UserWarning, match="any true certificate passes"):
            UnsafeNoPolicy()
    with pytest.warns(UserWarning, match="no policy"):
        assert sceptic.verify(proven.certificate, UnsafeNoPolicy())


def test_a_met_policy_does_not_replace_the_proof(sceptic, proven):
    """Where every demand is met and the proof does not hold, the certificate is refused."""
    edited = changed(proven.certificate, statement=changed(proven.certificate.statement, query_commitment=to_hex(1)))
    with pytest.raises(VerificationError):
        sceptic.verify(edited, AllOf(ForContext(CONTEXT), MinRadius("0")))


ALWAYS_MADE = (
    "the proof holds under the trusted key",
    "it is about the committed model and its public spec",
    "it covers all 2 joint values of sex (f / m), and no others",
)


def test_checks_are_listed_as_made(sceptic, proven):
    """What was checked is listed: proof, model, table, then each demand in its order."""
    made = sceptic.verify(proven.certificate, AllOf(MinRadius("0.001"), ForQuery(proven.query))).made
    assert [line.startswith(start) for line, start in zip(made, ALWAYS_MADE, strict=False)] == [True] * 3
    assert made[3:] == ("the radius is at least 0.001", "it is about the data in the query file")
    assert "single-party" in made[0]


OPTIONAL = (ABOUT_QUERY, ABOUT_CONTEXT, ABOUT_RADIUS, ABOUT_SETUP)


def test_checks_that_nobody_made_are_listed(sceptic, proven):
    """What was not checked is listed, and each demand takes exactly its own line away."""
    for demand, line in (
        (None, None),
        (ForQuery(proven.query), ABOUT_QUERY),
        (ForContext(CONTEXT), ABOUT_CONTEXT),
        (MinRadius("0.001"), ABOUT_RADIUS),
        (MinRadius("0"), None),
        (MinRadius("0.000"), None),
        (SetupIs("single-party"), None),
        (KeyIs(proven.certificate.key.fingerprint), None),
        (ModelIs(proven.certificate.statement.model_commitment), None),
    ):
        policy = asked([]) if demand is None else demand
        expected = tuple(check for check in OPTIONAL if check != line) + ALWAYS_LEFT_TO_YOU
        assert sceptic.verify(proven.certificate, policy).not_made == expected


def test_disclosed_data_do_not_count_as_your_own(loans, owner, proven):
    """A certificate that shows data does not spare you the check that they are yours."""
    shown = owner.prove(proven.query.features, disclose=True).certificate
    verified = Verifier(loans.commitment, trusting(loans.key)).verify(shown, asked([]))
    assert "it is about the data in the certificate itself" in verified.made
    assert ABOUT_QUERY in verified.not_made


def test_policies_nest(sceptic, proven):
    """A policy made of policies can be part of another."""
    nested = AllOf(AllOf(ForQuery(proven.query)), ForContext(CONTEXT))
    assert sceptic.verify(proven.certificate, nested)
