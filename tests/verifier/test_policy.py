"""Each policy makes one requirement: it reports what is met, refuses what is not, and covers the checks it makes."""

from copy import deepcopy
from dataclasses import replace

import pytest

from equiproof.circuits.field import to_hex
from equiproof.circuits.spec import SpecError
from equiproof.circuits.statement import context_digest
from equiproof.prover import Opening, Prover
from equiproof.verifier import (
    AllOf,
    AnyOf,
    CertificateFormatError,
    CoversFeatures,
    ForContext,
    ForQuery,
    KeyIs,
    MinRadius,
    ModelIs,
    PolicyError,
    ProofError,
    ProofSystemIs,
    SetupIs,
    UnsafeNoPolicy,
    VerificationError,
    Verifier,
    parse_commitment,
)
from equiproof.verifier.combined import each
from equiproof.verifier.facts import (
    ABOUT_CONTEXT,
    ABOUT_LOSS,
    ABOUT_QUERY,
    ABOUT_RADIUS,
    ABOUT_SETUP,
    ALWAYS_LEFT_TO_YOU,
    Facts,
)
from tests.conftest import CONTEXT
from tests.support import LOANS, changed, no_policy, trusting


@pytest.fixture
def facts(loans, proven):
    """What a policy judges about the honest certificate."""
    return Facts(proven.certificate.to_statement(), LOANS, loans.key.document)


def with_radius(facts, radius_squared):
    """Return facts of another squared radius."""
    return replace(facts, statement=replace(facts.statement, radius_squared=radius_squared))


def test_a_proof_system_is_that_of_the_trusted_key(facts):
    """The certificate's own word for it counts nothing."""
    assert facts.key.proof_system == "groth16-bn254"
    assert ProofSystemIs("groth16-bn254").check(facts)
    with pytest.raises(PolicyError, match=r"groth16-bn254.*plonk-bn254") as caught:
        ProofSystemIs("plonk-bn254").check(facts)
    assert caught.value.reason == "other-proof-system"


def test_radius_is_compared_exactly(facts):
    """A minimum is compared with the radius for real values, here two grid steps less; nothing is rounded."""
    assert MinRadius("0.5").check(with_radius(facts, (512 + 2) ** 2)) == ("the radius is at least 0.5",)
    with pytest.raises(PolicyError, match=r"^the radius is 0\.499023, the policy requires 0\.5$"):
        MinRadius("0.5").check(with_radius(facts, (512 + 2) ** 2 - 1))
    with pytest.raises(PolicyError):
        MinRadius("0.5000000000000000000000000000001").check(with_radius(facts, (512 + 2) ** 2))
    MinRadius("0").check(with_radius(facts, 0))
    with pytest.raises(PolicyError):
        MinRadius("16").check(with_radius(facts, LOANS.max_radius_squared))


def test_features_are_sensitive_under_the_spec(facts):
    """Every feature named must be one that the spec lists as sensitive; a feature that may move freely is none."""
    assert CoversFeatures(["sex"]).check(facts) == ("its sensitive features include sex",)
    for features, missing in (
        (["sex", "race"], "race"),
        (["income"], "income"),
        (["Sex"], "Sex"),
        (["a\nb"], r"a\\nb"),
    ):
        message = f"^the certificate covers no values of '{missing}': its sensitive features are sex$"
        with pytest.raises(PolicyError, match=message) as refused:
            CoversFeatures(features).check(facts)
        assert refused.value.reason == "features-not-covered"
    with pytest.raises(ValueError, match="names no feature"):
        CoversFeatures([])


@pytest.mark.parametrize("text", ["", "a", "1e3", ".5", "nan", "1,5"])
def test_a_radius_that_is_no_number_is_refused_at_once(text):
    """A minimum that is no decimal is refused when the policy is made, not when it is used."""
    with pytest.raises(SpecError, match="minimum radius"):
        MinRadius(text)


def test_a_negative_radius_demands_nothing_and_is_refused(facts):
    """A negative minimum is refused instead of passing everything."""
    with pytest.raises(PolicyError):
        MinRadius("-1").check(facts)


def test_queries_are_distinguished(facts, proven):
    """The demanded data are held to the commitment, with their blinding."""
    assert ForQuery(proven.query).check(facts) == ("it is about the data in the query file",)
    for other in (
        changed(proven.query, blinding=to_hex(3)),
        changed(proven.query, features=proven.query.features | {"housing": "rent"}),
        changed(proven.query, features=proven.query.features | {"income": 12345}),
    ):
        if other != proven.query:
            with pytest.raises(PolicyError, match=r"about other data than q\.json"):
                ForQuery(other, "q.json").check(facts)


def test_contexts_are_distinguished(facts):
    """The demanded context is held to the digest, in whatever order its names stand."""
    shown = ", ".join(f"{name} {CONTEXT[name]}" for name in CONTEXT)
    assert ForContext(CONTEXT).check(facts) == (f"it was made for this context: {shown}",)
    assert ForContext(dict(reversed(CONTEXT.items()))).check(facts)
    for other in (CONTEXT | {"nonce": "4f1c6a08e2b97d36"}, {"nonce": CONTEXT["nonce"]}, CONTEXT | {"more": ""}):
        with pytest.raises(PolicyError, match="another context"):
            ForContext(other).check(facts)


def test_long_contexts_are_shown_in_part(facts):
    """Forty signs of a name and sixty of a text, which may be as long as its owner likes."""
    for more in (0, 1, 1000):
        context = CONTEXT | {"n" * (40 + more): "t" * (60 + more)}
        about = replace(facts, statement=replace(facts.statement, context_digest=context_digest(context)))
        (line,) = ForContext(context).check(about)
        assert line.endswith(", " + "n" * 40 + " " + "t" * 60)


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


def test_set_ups_are_distinguished(facts):
    """A demanded kind of set-up is the trusted key's own, not the certificate's word."""
    assert SetupIs("single-party").check(facts) == ("the key's set-up is single-party",)
    for setup in ("ceremony", "universal"):
        with pytest.raises(PolicyError, match=f"single-party, the policy requires {setup}"):
            SetupIs(setup).check(facts)


def test_keys_are_distinguished(facts, loans, foreign):
    """A demanded key is known by its fingerprint."""
    assert KeyIs(loans.key.document.fingerprint).check(facts)
    with pytest.raises(PolicyError, match="the policy requires"):
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


def test_requiring_nothing_must_be_said():
    """An empty list of policies is refused where it is made, whether all or any of them are required."""
    with pytest.raises(ValueError, match=r"requires nothing: name a policy, or say UnsafeNoPolicy\(\)"):
        AllOf()
    with pytest.raises(ValueError, match=r"can never be met: name a policy"):
        AnyOf()


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
        policy = no_policy() if demand is None else demand
        expected = tuple(check for check in OPTIONAL if check != line) + ALWAYS_LEFT_TO_YOU
        assert sceptic.verify(proven.certificate, policy).not_made == expected


def test_a_spec_that_allows_loss_says_so_to_every_relying_party(loans, sceptic, proven):
    """Under allow_loss every report of a verification has the owner's admission, and under no other spec."""
    lossy = Opening.of(loans.opening.network, changed(LOANS, allow_loss=True), blinding=5)
    with Prover(lossy, loans.key) as prover:
        certificate = prover.prove(proven.query.features).certificate
    commitment = parse_commitment(lossy.public(), "commitment.json")
    for policy in (no_policy(), AllOf(MinRadius("0.001"), SetupIs("single-party"))):
        verified = Verifier(commitment, trusting(loans.key)).verify(certificate, policy)
        assert verified.not_made[-3:] == (ABOUT_LOSS, *ALWAYS_LEFT_TO_YOU)
        assert ABOUT_LOSS in verified.document()["checks_not_made"]
        assert ABOUT_LOSS not in sceptic.verify(proven.certificate, policy).not_made
    # Without the admission it is another spec, and so another commitment.
    with pytest.raises(ProofError):
        sceptic.verify(certificate, no_policy())


def test_a_spec_that_states_directions_says_so_to_every_relying_party(loans, proven):
    """Under monotone every report of a verification has the owner's word, by direction, and under no other spec."""
    features = tuple(
        changed(feature, monotone="decreasing") if feature.name == "income" else feature for feature in LOANS.features
    )
    moving = Opening.of(loans.opening.network, changed(LOANS, features=features), blinding=5)
    with Prover(moving, loans.key) as prover:
        certificate = prover.prove(proven.query.features).certificate
    verified = Verifier(parse_commitment(moving.public(), "c"), trusting(loans.key)).verify(certificate, no_policy())
    line = (
        f"that the score for {LOANS.labels[1]} never rises as income grows: the owner states it (monotone in the spec)"
    )
    assert verified.not_made[-3:] == (line, *ALWAYS_LEFT_TO_YOU)
    assert line in verified.document()["checks_not_made"]
    assert not any("monotone" in one for one in loans_not_made(loans, proven))


def loans_not_made(loans, proven):
    """Return the checks not made under the spec that states no direction."""
    return Verifier(loans.commitment, trusting(loans.key)).verify(proven.certificate, no_policy()).not_made


def test_disclosed_data_do_not_count_as_your_own(loans, owner, proven):
    """A certificate that shows data does not spare you the check that they are yours."""
    shown = owner.prove(proven.query.features, disclose=True).certificate
    verified = Verifier(loans.commitment, trusting(loans.key)).verify(shown, no_policy())
    assert "it is about the data in the certificate itself" in verified.made
    assert ABOUT_QUERY in verified.not_made


def test_policies_nest(sceptic, proven):
    """A policy made of policies can be part of another: its checks are made in order, and it covers the same."""
    query, context = ForQuery(proven.query), ForContext(CONTEXT)
    nested = AllOf(AllOf(query), AnyOf(AllOf(context, MinRadius("0"))))
    verified = sceptic.verify(proven.certificate, nested)
    assert verified.made[3].startswith("it is about the data")
    assert verified.made[4].startswith("one of 1 accepted policies is met: it was made for this context")
    assert verified.made[4].endswith("; the radius is at least 0")
    assert verified.not_made == (ABOUT_RADIUS, ABOUT_SETUP, *ALWAYS_LEFT_TO_YOU)
    for unmet in (AllOf(query, AllOf(MinRadius("15"))), AllOf(AnyOf(MinRadius("15")), query)):
        with pytest.raises(PolicyError, match="the policy requires 15"):
            sceptic.verify(proven.certificate, unmet)
    alternative = AnyOf(context, MinRadius("0"))
    assert list(each(AllOf(AllOf(query, AllOf(context)), alternative))) == [query, context, alternative]


def test_any_of_needs_one(facts, proven):
    """One policy that is met is enough, wherever it stands."""
    unmet, met = MinRadius("15"), ForContext(CONTEXT)
    for policy in (AnyOf(met), AnyOf(met, unmet), AnyOf(unmet, met), AnyOf(unmet, AnyOf(unmet, met))):
        assert "it was made for this context" in policy.check(facts)[0]
    assert AnyOf(MinRadius("0"), met).check(facts) == ("one of 2 accepted policies is met: the radius is at least 0",)
    with pytest.raises(PolicyError):
        AnyOf(unmet, SetupIs("ceremony")).check(facts)


def test_any_of_lists_what_each_branch_lacked(facts):
    """A refusal names the requirement of each branch that was not met, in one line, nested ones included."""
    policy = AnyOf(SetupIs("ceremony"), AllOf(MinRadius("0"), AnyOf(ModelIs("0"))))
    with pytest.raises(PolicyError) as caught:
        policy.check(facts)
    assert str(caught.value) == (
        "none of 2 accepted policies is met: (1) the key's set-up is single-party, the policy requires ceremony; "
        "(2) none of 1 accepted policies is met: (1) the certificate is about another model"
    )


def test_a_malformed_branch_is_not_an_unmet_one(facts, proven):
    """A query file that does not fit the spec is an error of the caller's, and no other branch hides it."""
    stray = ForQuery(changed(proven.query, features=proven.query.features | {"sex": "f"}))
    with pytest.raises(CertificateFormatError, match="non-sensitive"):
        AnyOf(stray, MinRadius("0")).check(facts)


def test_covers_follows_the_logic(proven):
    """All of several policies cover what any of them covers, any of them what all of them cover."""
    query, context, radius = ForQuery(proven.query), ForContext(CONTEXT), MinRadius("1")
    assert AllOf(query, context).covers == {ABOUT_QUERY, ABOUT_CONTEXT}
    assert AnyOf(query, context).covers == set()
    assert AnyOf(AllOf(query, radius), AllOf(radius, context)).covers == {ABOUT_RADIUS}
    assert AnyOf(query).covers == {ABOUT_QUERY}
    assert AnyOf(radius, no_policy()).covers == AnyOf(radius, MinRadius("0")).covers == set()
    assert AllOf(AnyOf(query, context), no_policy()).covers == set()


def test_a_branch_that_was_met_by_chance_is_not_counted(sceptic, proven):
    """What only one branch checks stays among the checks not made, whichever branch was met."""
    for policy in (AnyOf(ForQuery(proven.query), MinRadius("0.001")), AnyOf(MinRadius("0.001"), no_policy())):
        verified = sceptic.verify(proven.certificate, policy)
        assert {ABOUT_QUERY, ABOUT_RADIUS} <= set(verified.not_made)
