"""A box that is compared with a refusal: against a slow definition, in words, and what is asked of whom."""

import random

import pytest

from equiproof.circuits.tables import speaking
from equiproof.verifier import BoxVerifier, Refusal, TrustStore, parse_box, parse_certificate, parse_commitment
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
    return Refusal(parse_certificate(case.files[REFUSAL], REFUSAL), parse_query(case.files[QUERY], QUERY))


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
    for name, side in (("pair-none", "none"), ("pair-way-up", "way")):
        case = dict(fitting_pairs())[name]
        certificate = parse_box(case.files[BOX], BOX)
        spec = parse_commitment(case.files[COMMITMENT], COMMITMENT).spec
        opened = case.opened_box()
        assert paired(spec, certificate.to_statement(), opened, refusal_of(case)).side == side


def test_wishes_hide_what_is_wished():
    """Their repr shows names only."""
    shown = repr(parse_wishes(in_wishes(WANTED), WISHES))
    assert "45000" not in shown
    assert "income" in shown
