"""Gain certificates: words, policies, and every case of tests/vectors/gain.json with both checkers of proofs."""

import base64
import hashlib
import json
import pickle
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from equiproof.circuits.canonical import canonical_bytes
from equiproof.circuits.shape import gain_shape
from equiproof.circuits.spec import SpecError
from equiproof.verifier import (
    AllOf,
    AnyOf,
    CertificateFormatError,
    ForContext,
    ForQuery,
    GainOf,
    GainVerifier,
    KeyIs,
    MinGain,
    MinRadius,
    NoRanges,
    ProofError,
    RangesWithin,
    TrustStore,
    VerificationError,
    Verifier,
    parse_certificate,
    parse_commitment,
    parse_context,
    parse_gain,
    parse_query,
)
from equiproof.verifier.documents import parse_key
from equiproof.verifier.errors import Reason
from equiproof.verifier.facts import ABOUT_GAIN, ABOUT_GAIN_OF, ABOUT_RADIUS, ABOUT_UNIT
from equiproof.verifier.gain import GainReading, gain_text
from equiproof.verifier.trust import TrustedKey
from tests.support import LOANS, RATES, changed, no_policy
from tests.vectors.generate import additive_keys, gain
from tests.vectors.generate.gain_cases import GainVector
from tests.vectors.vector import CERTIFICATE, COMMITMENT, CONTEXT, FOLDER, GAIN, GOLDEN, KEY, QUERY, VERIFYING

TEXT = (FOLDER / gain.FILE).read_bytes()
CASES = {case.name: case for case in map(GainVector.of, json.loads(TEXT)["cases"])}
QUICK = {"gain-minus-1", "statement-gain-one-larger"}
"""Of those whose verdict takes a pairing, the ones that Python checks in every run, about a second each."""

PAIRED = {None, Reason.PAIRINGS_DIFFER}
MALE, FEMALE = {"sex": "m"}, {"sex": "f"}


def both():
    """Parametrise a test by case and program; the native one checks all of them in every run."""
    slow = [name for name, case in CASES.items() if case.reason in PAIRED and name not in QUICK]
    more = (pytest.mark.slow, pytest.mark.sampled(5))
    return pytest.mark.parametrize(
        ("name", "checker"),
        [
            pytest.param(name, checker, marks=more if checker == "python" and name in slow else ())
            for checker in ("native", "python")
            for name in CASES
        ],
    )


def verifier(case, checker="native"):
    """Return the verifier of the files of a case."""
    key = parse_key(case.file(KEY), KEY)
    store = TrustStore([TrustedKey.of(key, case.file(VERIFYING), b"", VERIFYING, KEY)])
    return GainVerifier(parse_commitment(case.file(COMMITMENT), COMMITMENT), store, checker)


def policy_of(case):
    """Return the policy of a case."""
    said = case.policy
    demands = [
        *([ForQuery(parse_query(case.file(QUERY), QUERY))] if said.query else []),
        *([ForContext(parse_context(case.file(CONTEXT), CONTEXT))] if said.context else []),
        *([MinRadius(said.min_radius)] if said.min_radius else []),
        *([MinGain(said.min_gain)] if said.min_gain else []),
        *([GainOf(*said.gain_of)] if said.gain_of else []),
    ]
    return AllOf(*demands) if demands else no_policy()


@both()
def test_both_verifiers_agree(name, checker):
    """A case is verified, or refused or malformed for its reason, with either program."""
    case = CASES[name]
    if case.verdict == "accept":
        verified = verifier(case, checker).verify(case.file(GAIN), policy_of(case))
        assert verified.checker == checker
        assert case.sentence == verified.document()["statement"]
        return
    with pytest.raises((VerificationError, CertificateFormatError)) as caught:
        verifier(case, checker).verify(parse_gain(case.file(GAIN), GAIN), policy_of(case))
    assert (type(caught.value).__name__, caught.value.reason) == (case.exception, case.reason)


def test_cases_say_why():
    """Each has a sentence on what decides, and a reason unless it is accepted; every kind of verdict has many."""
    for case in CASES.values():
        assert len(case.why) > 15, case.name
        assert (case.reason is None) == (case.exception is None) == (case.verdict == "accept"), case.name
        assert (case.sentence is not None) == (case.verdict == "accept"), case.name
    verdicts = [case.verdict for case in CASES.values()]
    assert min(map(verdicts.count, ("accept", "reject", "malformed"))) >= 15


@pytest.mark.slow
def test_the_generator_makes_the_cases():
    """What the generator writes is what stands there, to the byte."""
    assert gain.written() == TEXT


@given(st.integers(-(10**40), 10**40), st.integers(0, 140))
def test_gains_are_rounded_down(number, unit):
    """The text is the largest multiple of a millionth that is not above the gain, and 0 has no sign."""
    text, exact = gain_text(number, unit), Fraction(number, 1 << unit)
    assert 0 <= exact - Fraction(text) < Fraction(1, 10**6)
    assert text != "-0.000000"


def reading(least_gain, radius_squared=1 << 20, spec=LOANS, rows=(1, 0)):
    """Return the reading of a gain of so many halves, and its sentence."""
    fields = changed(
        parse_gain((GOLDEN / "gain" / GAIN).read_bytes(), GAIN).statement,
        first=rows[0], second=rows[1], least_gain=str(least_gain), logit_fraction_bits=30,
        radius_squared=radius_squared,
    )  # fmt: skip
    return GainReading.of(spec, fields).sentence(least_gain)


@pytest.mark.parametrize(
    ("least_gain", "words"),
    [
        (1 << 29, "are higher by at least 0.500000 with"),
        (1, "are higher with"),
        (0, "are not lower with"),
        (-1, "are lower by at most 0.000001 with"),
        (-(3 << 29), "are lower by at most 1.500000 with"),
    ],
)
def test_sentences_follow_the_sign(least_gain, words):
    """A gain above 0 is one at least, below 0 a loss at most; a tiny one keeps its sign."""
    said = reading(least_gain)
    start = "For this applicant, and for everybody closer than 0.998046 in the spec's units, this model's log odds of"
    assert said == f"{start} declined {words} sex m than with sex f."


def test_sentences_say_how_far_they_reach():
    """A radius too small to state is about the applicant alone; the largest one is a bound; all values are named."""
    alone = "For this applicant, the other features staying as they are, this model's"
    assert reading(0, 1).startswith(alone)
    assert "everybody closer than at least 15.998046 in the spec's units" in reading(0, LOANS.max_radius_squared)
    assert "with gender f and age 40 than with gender m and age 60." in reading(0, 1 << 16, RATES, (1, 5))


def test_names_are_quoted_as_in_certificates():
    """Names of several words stand in quotation marks, so that none can go on with the sentence."""
    sex = changed(LOANS.features[-1], name="legal sex", domain=("not stated", "f"))
    spec = changed(LOANS, features=(*LOANS.features[:-1], sex), labels=("refused for now", "granted"))
    said = reading(0, spec=spec)
    assert 'log odds of "refused for now" are not lower with "legal sex" f than with "legal sex" "not stated".' in said


def published(name="gain"):
    """Return a published case."""
    return CASES[f"published-{name}"]


def test_what_is_left_open():
    """Each policy removes its line; no policy removes that of the unit, in which the sentence has its number."""
    case = published()
    left = verifier(case).verify(case.file(GAIN), no_policy()).not_made
    assert {ABOUT_GAIN, ABOUT_GAIN_OF, ABOUT_RADIUS, ABOUT_UNIT} <= set(left)
    assert len(left) == 9
    for policy, lines in (
        (MinGain("0.1"), {ABOUT_GAIN}),
        (MinGain("0"), {ABOUT_GAIN}),
        (AllOf(MinGain("0"), MinGain("0.6")), {ABOUT_GAIN}),
        (MinRadius("0.1"), {ABOUT_RADIUS}),
        (GainOf("declined", MALE, FEMALE), {ABOUT_GAIN_OF}),
    ):
        assert verifier(case).verify(case.file(GAIN), policy).not_made == tuple(one for one in left if one not in lines)


@pytest.mark.parametrize("name", ["gain-0", "gain-1", "gain-minus-1"])
def test_the_unit_is_open_unless_the_gain_is_0(name):
    """A gain of 0 has no number, and is 0 in every unit; of any other the owner chose how many log odds it is."""
    case = CASES[name]
    left = verifier(case).verify(case.file(GAIN), no_policy()).not_made
    assert (ABOUT_UNIT in left) == (name != "gain-0")


@pytest.mark.parametrize("policy", [NoRanges(), RangesWithin({"income": ("0", "1")})])
def test_policies_about_decisions_are_no_policies_about_gains(policy):
    """They are refused wherever they stand, and never count as met."""
    case = published()
    for one in (policy, AllOf(KeyIs("0" * 64), policy), AnyOf(MinGain("0"), policy)):
        with pytest.raises(TypeError, match="is about certificates of decisions"):
            verifier(case).verify(case.file(GAIN), one)


@pytest.mark.parametrize("policy", [MinGain("0"), GainOf("granted", MALE, FEMALE)])
def test_policies_about_gains_are_no_policies_about_decisions(policy):
    """A certificate of a decision meets no demand of a gain."""
    folder = GOLDEN / "loans"
    commitment = parse_commitment((folder / COMMITMENT).read_bytes(), COMMITMENT)
    with pytest.raises(TypeError, match="is for gain certificates"):
        Verifier(commitment, TrustStore.open(folder / "keys")).verify((folder / CERTIFICATE).read_bytes(), policy)


def test_policies_are_values():
    """They can be sent to another process, and nobody changes them; a minimum is decimal text."""
    for policy in (MinGain("-0.5"), GainOf("declined", MALE, FEMALE)):
        assert pickle.loads(pickle.dumps(policy)) == policy  # noqa: S301  # our own bytes
    with pytest.raises(SpecError, match="'1e3' is not a decimal number"):
        MinGain("1e3")
    first, second = dict(MALE), dict(FEMALE)
    policy = GainOf("declined", first, second)
    first["sex"] = second["sex"] = "other"
    assert policy == GainOf("declined", MALE, FEMALE)
    for values in (policy.first, policy.second):
        with pytest.raises(TypeError):
            values["sex"] = "other"


def test_a_key_of_gains_verifies_no_certificate():
    """A certificate whose proof holds under a key of gains is refused for the key's shape."""
    shape = gain_shape(LOANS, (2, 2), 8)
    metadata = additive_keys.document(KEY) | {
        "shape": json.loads(shape.document),
        "verifying_key": hashlib.sha256(additive_keys.KNOWN.key()).hexdigest(),
    }
    files = additive_keys.store(metadata)
    key = parse_key(json.dumps(files[KEY], sort_keys=True, separators=(",", ":")).encode(), KEY)
    store = TrustStore([TrustedKey.of(key, files[VERIFYING], b"", VERIFYING, KEY)])
    commitment = parse_commitment((GOLDEN / "loans" / COMMITMENT).read_bytes(), COMMITMENT)
    data = json.dumps(files[CERTIFICATE], sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()
    with pytest.raises(ProofError, match="does not fit this spec") as caught:
        Verifier(commitment, store).verify(data, no_policy())
    assert caught.value.reason == Reason.SHAPE_DIFFERS


def test_neither_kind_of_file_is_taken_for_the_other():
    """Each parser names the kind that it got, and the command for it."""
    data, certificate = published().file(GAIN), (GOLDEN / "loans" / CERTIFICATE).read_bytes()
    with pytest.raises(CertificateFormatError, match="this is a gain certificate, want a certificate: verify it with"):
        parse_certificate(data, "file")
    with pytest.raises(CertificateFormatError, match="this is a certificate, want a gain certificate: verify it with"):
        parse_gain(certificate, "file")
    with pytest.raises(TypeError, match="want a gain certificate's bytes"):
        verifier(published()).verify(parse_certificate(certificate, "file"), no_policy())


def test_a_parsed_certificate_that_was_changed_is_refused():
    """Changing a parsed one changes what is recomputed: no number and no word passes unproven."""
    case = published()
    true = parse_gain(case.file(GAIN), GAIN)
    for fields in ({"least_gain": "x"}, {"least_gain": "9" * 90}, {"least_gain": "1"}, {"first": -1}, {"second": 7}):
        with pytest.raises((CertificateFormatError, ProofError)):
            verifier(case).verify(replace_in(true, **fields), no_policy())


@pytest.mark.parametrize("proof", ["", base64.b64encode(bytes(195)).decode(), base64.b64encode(bytes(197)).decode()])
def test_parts_of_the_wrong_length_are_refused_as_they_are_read(proof):
    """As those of a certificate are, before anything is verified."""
    data = canonical_bytes(json.loads(published().file(GAIN)) | {"proof": proof})
    with pytest.raises(CertificateFormatError, match=r"^here: .*want 196") as caught:
        parse_gain(data, "here")
    assert caught.value.reason == Reason.WRONG_LENGTH


def replace_in(certificate, **fields):
    """Return a parsed certificate with other statement fields."""
    return changed(certificate, statement=changed(certificate.statement, **fields))
