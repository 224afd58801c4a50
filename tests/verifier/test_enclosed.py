"""The recourse in a refused applicant's bundle: verified with the refusal, under whose keys, and what is left open."""

from dataclasses import replace

import pytest

from equiproof.verifier import TrustStore, VerificationError, parse_bundle, verify_bundle
from equiproof.verifier.presented import of_bundle
from tests.support import changed, no_policy
from tests.vectors.generate.transcripts import ceremonys_key
from tests.vectors.vector import bundle_base

WHOLE = bundle_base("recourse")


def presented(**changed):
    """Return the bundle, some of its files changed."""
    return of_bundle(replace(parse_bundle(WHOLE, "r"), **changed), "r")


@pytest.mark.parametrize("checker", ["native", "python"])
def test_each_box_is_verified_with_the_refusal(checker):
    """By both programs: what it says, for whom, and nothing of what the refusal shows is left to the reader again."""
    verified = verify_bundle(WHOLE, no_policy(), checker=checker)
    (first, one), (second, other) = verified.recourse
    assert (first, second) == ("way-1", "way-2")
    assert one.pair.sentence.startswith("It is enough that income is 39000 to 50000 EUR, with everything else as it")
    assert "housing is own and debt is 0 to 750" in other.pair.sentence
    assert one.checker == checker
    document = verified.document()["recourse"]
    names = [(box["name"], box["certificate"]) for box in document]
    assert names == [("way-1", one.identity), ("way-2", other.identity)]
    assert not set(one.not_made) - set(verified.not_made)


def test_the_key_of_boxes_came_with_them():
    """It is pinned where the reader's own keys have it, and what it says of its set-up is nobody's word before."""
    ours = presented()
    one, box = ours.key, ours.recourse.key
    for keys, pinned in (
        (None, (False, False)),
        (TrustStore([one]), (True, False)),
        (TrustStore([one, box]), (True, True)),
    ):
        verified = ours.verify(no_policy(), keys=keys)
        (_, found), *_ = verified.recourse
        assert (verified.pins.key, found.pins.key) == pinned
        assert found.document()["setup"] == ("single-party" if pinned[1] else None)
        assert ("this key came with the certificate itself" in str(found.not_made)) == (pinned != (True, True))


def test_a_ceremonys_key_of_boxes_is_not_pinned_by_a_folder():
    """Its transcript would have to be named, which no option of a bundle does: so it came with the boxes."""
    ours = presented()
    ((name, box, opened),) = ours.recourse.boxes[:1]
    whole = ours.recourse.key
    document = changed(ceremonys_key(), shape=whole.document.shape, verifying_key=whole.document.verifying_key)
    key = replace(whole, document=document)
    made = changed(box, key=changed(box.key, fingerprint=document.fingerprint, setup="ceremony"))
    recourse = replace(ours.recourse, key=key, boxes=((name, made, opened),))
    verified = replace(ours, recourse=recourse).verify(no_policy(), keys=TrustStore([ours.key, key]))
    ((_, found),) = verified.recourse
    assert (verified.pins.key, found.pins.key) == (True, False)


def test_an_own_query_and_commitment_change_nothing_of_it():
    """Given beside the bundle, they take the place of what came along; the recourse is of whom it came with."""
    ours = presented()
    verified = replace(ours, query=None, commitment=None).verify(no_policy(), ours.commitment)
    assert [name for name, _ in verified.recourse] == ["way-1", "way-2"]
    assert all(box.pins.commitment for _, box in verified.recourse)


def test_before_the_proof_it_is_left_open():
    """Who checks many proofs at once is told that the boxes were not looked at."""
    (line,) = set(presented().before_proof(no_policy()).not_made) - set(presented().verify(no_policy()).not_made)
    assert line == "that the box certificates that came with it hold (verify the bundle alone)"


def test_a_refusal_names_the_file():
    """A box of somebody else is refused with its name in the bundle."""
    whole = parse_bundle(WHOLE, "r")
    with pytest.raises(VerificationError, match=r"^recourse/way-1/certificate\.json: ") as caught:
        presented(way_1_box=whole.way_2_box).verify(no_policy())
    assert caught.value.reason == "other-box"
