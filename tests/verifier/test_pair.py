"""A box that is compared with a refusal: against a slow definition, in words, and what is asked of whom."""

import random
from dataclasses import replace

import pytest

from equiproof.circuits.allowed import Wish, allowed
from equiproof.circuits.tables import say, speaking
from equiproof.verifier import (
    BoxVerifier,
    CertificateFormatError,
    Refusal,
    TrustStore,
    parse_box,
    parse_certificate,
    parse_commitment,
)
from equiproof.verifier.documents import parse_key, parse_query
from equiproof.verifier.pair import paired
from equiproof.verifier.trust import TrustedKey
from equiproof.verifier.wishes import parse_wishes
from tests.box_cases import BOX, COMMITMENT, KEY, QUERY, REFUSAL, VERIFYING, WISHES, judged
from tests.pair_cases import ALL_PAIRED, WANTED, drawn_pair, fitting_pairs, in_wishes
from tests.support import no_policy

UNPROVEN = "pairings-differ"
"""Why a drawn pair that fits is refused: its proof is of another statement, which is seen last."""


def refusal_of(case):
    """Return what the box of a case is compared with."""
    refusal, query = parse_certificate(case.files[REFUSAL], REFUSAL), parse_query(case.files[QUERY], QUERY)
    return Refusal(refusal, query, within=case.within)


def verifier_of(case):
    """Return a verifier of a case's commitment and key."""
    key = TrustedKey.of(parse_key(case.files[KEY], KEY), case.files[VERIFYING], b"", VERIFYING, KEY)
    return BoxVerifier(parse_commitment(case.files[COMMITMENT], COMMITMENT), TrustStore([key]))


@pytest.mark.parametrize("seed", range(8))
def test_a_pair_fits_where_a_slow_definition_says_so(seed):
    """Of drawn rules, wishes and boxes, those fit of which each value is allowed, or that have all values that are."""
    rng, fitting = random.Random(seed), 0
    for _ in range(40):
        case, fits = drawn_pair(rng)
        assert (judged(case)["reason"] == UNPROVEN) == fits, case.files
        fitting += fits
    assert 0 < fitting < 40


def test_without_the_opened_box_nothing_is_compared():
    """It alone shows what the certificate is about: a refusal without it is a mistake of the program."""
    with pytest.raises(TypeError, match="give the opened box, too"):
        verifier_of(ALL_PAIRED).verify(ALL_PAIRED.files[BOX], no_policy(), refusal=refusal_of(ALL_PAIRED))


def test_what_it_says_names_the_changes_and_no_more():
    """In German too; what is left to the reader is the refusal's own certificate."""
    case = dict(fitting_pairs())["pair-way-together"]
    said = judged(case)["value"]
    assert said["answer"].startswith("It is enough that school is ba and years is 16, with everything else as it is")
    assert "that the refusal's certificate holds (verify it, too)" in said["notMade"]
    with speaking("de"):
        assert "alles andere bleibt, wie es ist: school ist ba und years ist 16" in judged(case)["value"]["answer"]


def test_without_a_refusal_nothing_of_it_is_said():
    """The same certificate alone has no answer, and leaves no refusal to anybody."""
    found = verifier_of(ALL_PAIRED).verify(ALL_PAIRED.files[BOX], no_policy())
    assert found.pair is None
    assert found.document()["answer"] is None
    assert not any("refusal" in line for line in (*found.made, *found.not_made))


def test_both_sides_are_named():
    """Programs read which side a pair is, beside the sentence."""
    for name, side in (("pair-none", "none"), ("pair-none-within-25", "part"), ("pair-way-up", "way")):
        case = dict(fitting_pairs())[name]
        certificate = parse_box(case.files[BOX], BOX)
        spec = parse_commitment(case.files[COMMITMENT], COMMITMENT).spec
        opened = case.opened_box()
        assert paired(spec, certificate.to_statement(), opened, refusal_of(case)).side == side


def test_a_none_of_a_part_says_so_with_its_ends():
    """The sentence begins with the part and its numbers; without the percent the same box is refused."""
    case = dict(fitting_pairs())["pair-none-within-25"]
    said = judged(case)["value"]
    assert said["answer"].startswith(
        "As long as each number goes at most 25 % of the way to its end (income is 30000.25 to 35000.25 EUR and debt "
        "is 825 to 1100 and months is 21 to 27 and years is 12 to 13.5), no change that the rules allow helps"
    )
    assert said["answer"].endswith("Of larger changes nothing is said.")
    assert any("of each number 25 % of the way" in line for line in said["made"])
    assert judged(replace(case, within=None))["reason"] == "box-too-small"


@pytest.mark.parametrize("percent", [0, 100, -1])
def test_a_part_is_a_whole_percent(percent):
    """All of it is asked for without a part, and nothing is none of it."""
    refusal, query = parse_certificate(ALL_PAIRED.files[REFUSAL], REFUSAL), parse_query(ALL_PAIRED.files[QUERY], QUERY)
    with pytest.raises(ValueError, match="a whole percent from 1 to 99"):
        Refusal(refusal, query, within=percent)


@pytest.mark.parametrize("seed", range(4))
def test_a_smaller_part_lies_in_a_larger_one(seed):
    """Of drawn rules each number of a part has its share of the way, today's value, and no more than a larger part."""
    rng = random.Random(seed)
    for _ in range(40):
        case, _ = drawn_pair(rng)
        spec = parse_commitment(case.files[COMMITMENT], COMMITMENT).spec
        whole = allowed(spec, parse_query(case.files[QUERY], QUERY).row(spec), {})
        for name in whole.numbers:
            own, low, high = (getattr(whole.features[name], end) for end in ("own", "low", "high"))
            for percent in rng.sample(range(1, 100), 5):
                part = whole.within(percent).features[name]
                assert 100 * (own - part.low) == percent * (own - low)
                assert 100 * (part.high - own) == percent * (high - own)


BESIDE_WISHES = ("format", "version", "wishes")


@pytest.mark.parametrize(
    ("text", "bare"), [('{"income":{}}', True), ("{}", False), *((f'{{"{name}":2}}', False) for name in BESIDE_WISHES)]
)
def test_wishes_alone_are_told_from_half_a_file(text, bare):
    """What has nothing of the file around wishes lacks all of it; what has one field lacks the others."""
    with pytest.raises(CertificateFormatError) as caught:
        parse_wishes(text.encode(), WISHES)
    assert (str(caught.value) == say("wishes.bare", where=WISHES)) is bare


def test_wishes_hide_what_is_wished():
    """Their repr shows names only."""
    shown = repr(parse_wishes(in_wishes(WANTED), WISHES))
    assert "45000" not in shown
    assert "income" in shown


@pytest.mark.parametrize(
    ("wishes", "reason", "named"),
    [
        ({"age": Wish(fixed=True)}, "bad-wishes", "age"),
        ({"savings": Wish(to="5")}, "bad-wishes", "savings"),
        ({"savings": Wish(values=("much",))}, "bad-wishes", "savings"),
        ({"income": Wish(to="60001")}, "wish-widens", "income"),
    ],
)
def test_wishes_that_do_not_fit_are_named(wishes, reason, named):
    """The message is the one that says what is wrong with the wish."""
    certificate = parse_box(ALL_PAIRED.files[BOX], BOX)
    spec = parse_commitment(ALL_PAIRED.files[COMMITMENT], COMMITMENT).spec
    refusal = replace(refusal_of(ALL_PAIRED), wishes=parse_wishes(in_wishes(wishes), WISHES))
    with pytest.raises(CertificateFormatError, match=named) as caught:
        paired(spec, certificate.to_statement(), ALL_PAIRED.opened_box(), refusal)
    assert caught.value.reason == reason
