"""What is not pinned is nobody's word: no policy rests on it, no word of it is repeated, and it is named first."""

import pytest

from equiproof.verifier import (
    AllOf,
    AnyOf,
    KeyIs,
    MinRadius,
    ModelIs,
    Pins,
    PolicyError,
    SetupIs,
    TranscriptIs,
    UntrustedKeyError,
    parse_bundle,
    verify_bundle,
)
from equiproof.verifier.documents import parse_key
from equiproof.verifier.facts import ABOUT_COMMITMENT, ABOUT_KEY, ABOUT_SETUP
from tests.support import no_policy
from tests.vectors.vector import bundle_base

OWN, CEREMONY, FORGED = (bundle_base(name) for name in ("loans", "ceremony", "forged"))
KEY, OTHER = parse_key(parse_bundle(CEREMONY, "x").key, "key"), "0" * 64
SINGLE = parse_key(parse_bundle(OWN, "x").key, "key")


def pins(data, policy):
    """Return what is pinned of a bundle under a policy."""
    return verify_bundle(data, policy).pins


def test_what_is_not_pinned_comes_first():
    """Commitment and key are the first two open points of a bundle, the one that is pinned is none."""
    verified = verify_bundle(OWN, no_policy())
    assert verified.not_made[:2] == (ABOUT_COMMITMENT, ABOUT_KEY)
    assert ABOUT_SETUP in verified.not_made
    model = ModelIs(verified.document()["model_commitment"])
    assert verify_bundle(OWN, model).not_made[0] == ABOUT_KEY
    both = verify_bundle(OWN, AllOf(model, KeyIs(SINGLE.fingerprint)))
    assert not {ABOUT_COMMITMENT, ABOUT_KEY} & set(both.not_made)
    assert both.pins == Pins()


def test_a_forged_bundle_says_nothing_of_its_ceremony():
    """A forger's key may name honest people: none of its words stands among checks, and its kind is not told."""
    verified = verify_bundle(FORGED, no_policy())
    said = " ".join([*verified.made, *verified.not_made]).replace(ABOUT_KEY, "")
    for name in ("anna", "ben", "ceremony", "trusted", "committed model"):
        assert name not in said
    assert "which came with the certificate" in verified.made[0]
    document = verified.document()
    assert document["setup"] is None
    assert document["pinned"] == {"commitment": False, "key": False}


@pytest.mark.parametrize("data", [OWN, CEREMONY, FORGED], ids=["own", "ceremony", "forged"])
@pytest.mark.parametrize("kind", ["single-party", "ceremony", "universal"])
def test_no_kind_of_set_up_is_met_by_the_keys_own_word(data, kind):
    """A policy about the kind of set-up refuses a key that is not pinned, alone and within others."""
    unmet = AnyOf(SetupIs(kind), KeyIs(OTHER))
    for policy in (SetupIs(kind), AllOf(MinRadius("0"), SetupIs(kind)), unmet, AllOf(MinRadius("0"), unmet)):
        with pytest.raises(PolicyError, match="came with the certificate itself"):
            verify_bundle(data, policy)


def test_a_pin_of_one_branch_pins_no_other():
    """A key is pinned where every way to meet the policy pins it, and within the branch that does."""
    fingerprint = SINGLE.fingerprint
    within = AnyOf(AllOf(SetupIs("single-party"), KeyIs(fingerprint)), MinRadius("1000"))
    assert not pins(OWN, within).key
    assert pins(OWN, AnyOf(KeyIs(fingerprint), KeyIs(OTHER))).key
    assert pins(OWN, AllOf(AnyOf(KeyIs(fingerprint), KeyIs(OTHER)), MinRadius("0"))).key
    assert not pins(OWN, AnyOf(KeyIs(fingerprint), MinRadius("0"))).key
    with pytest.raises(PolicyError, match="none of 2 accepted policies"):
        verify_bundle(OWN, AnyOf(AllOf(SetupIs("single-party"), KeyIs(OTHER)), KeyIs(OTHER)))


def test_a_pinned_key_of_a_ceremony_needs_its_transcript():
    """Its fingerprint alone names a key whose set-up nobody vouches for; its transcript pins it and suffices."""
    with pytest.raises(UntrustedKeyError) as caught:
        verify_bundle(CEREMONY, KeyIs(KEY.fingerprint))
    assert caught.value.reason == "no-transcript"
    verified = verify_bundle(CEREMONY, AllOf(TranscriptIs(KEY.transcript), SetupIs("ceremony")))
    assert verified.pins.key
    assert any("anna" in line for line in verified.not_made)
    with pytest.raises(PolicyError):
        verify_bundle(FORGED, TranscriptIs(KEY.transcript))
