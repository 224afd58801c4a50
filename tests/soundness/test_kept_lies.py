"""Certificates of kept models lie about their words, and no link goes with them."""

from __future__ import annotations

import random
from dataclasses import replace
from itertools import pairwise

import pytest

from equiproof.circuits.field import ORDER
from equiproof.circuits.layout import layout, word_segments
from equiproof.circuits.link_shape import link_shape
from tests.circuits.score_cases import ADDITIVE, ENSEMBLES
from tests.circuits.tiny_cases import altered, broken_rule, circuit_accepts, digest_of, free_checkers, verdict
from tests.soundness import additive_lies, additive_told, trees_lies, trees_missing_lies, trees_set_lies, trees_told
from tests.soundness.branch_case import tell
from tests.soundness.cheating_owner import FIRST, implied, shown_by
from tests.soundness.composed import BROKEN, FALSE, OTHER_TRUTHS, TRUTHS, of_many_columns, two_layers
from tests.soundness.kept_case import KEY, kept_form, linked, linked_digest
from tests.soundness.kept_lies import FALSE as FALSE_OF_THE_MODEL
from tests.soundness.kept_lies import UNTRUE, Pair, digest_of_link

LIES = FALSE_OF_THE_MODEL | UNTRUE

OF_WIDTHS = {f"{what}_of_{where}" for what in ("weight", "bias") for where in ("layer_1", "layer_2", "the_logit")}
"""Lies about widths of the model's numbers, which kept forms do not check."""

SCORE_LIES = dict.fromkeys(additive_told.LIES, additive_told.told) | dict.fromkeys(trees_lies.LIES, trees_lies.told)
OF_SCORES = {
    "sensitive-predicates-that-descend": "R-T-ORDER",
    "a-threshold-too-wide": "R-L-RANGE",
    "a-plain-predicate-of-a-sensitive-column": "R-T-ORDER",
    "a-sensitive-predicate-of-a-plain-column": "R-T-ORDER",
    "a-column-that-stands-apart": "R-T-ORDER",
    "a-threshold-twice": "R-T-ORDER",
    "a-value-too-wide": "R-L-RANGE",
    "a-child-that-is-a-node-behind-the-last-one": "R-T-NODE",
    "a-node-below-itself": "R-T-NODE",
    "a-threshold-of-an-ensemble-twice": "R-T-ORDER",
    "a-plain-predicate-of-an-ensemble-of-a-sensitive-column": "R-T-ORDER",
    "a-sensitive-predicate-of-an-ensemble-of-a-plain-column": "R-T-ORDER",
    "sensitive-predicates-of-an-ensemble-that-descend": "R-T-ORDER",
    "a-fraction-of-a-side-of-missing-values": "R-L-RANGE",
    "a-member-twice": "R-L-RANGE",
    "half-a-member": "R-L-RANGE",
}
"""Those about widths, order and forest of scores, with the rule of the link that refuses them."""


@pytest.fixture(scope="module", autouse=True)
def compiled():
    """Free the circuits that were compiled."""
    yield
    free_checkers()


# -- the certificate, and its link


@pytest.mark.parametrize("lie", LIES, ids=lambda lie: lie.__name__)
def test_a_certificate_alone_says_nothing_of_the_committed_model(lie):
    """Without a link each of these would be accepted, by the circuit and by the reference."""
    pair = lie()
    assert lie in UNTRUE or pair.is_false
    kept = pair.certificate
    assert verdict(kept.shape, kept.public, kept.wires) is None


@pytest.mark.parametrize("lie", LIES, ids=lambda lie: lie.__name__)
def test_no_link_goes_with_a_lie(lie):
    """Neither the committed words nor the certified ones are a link of what the certificate shows."""
    pair = lie()
    rules = {name: verdict(pair.link_shape, pair.link_digest, wires) for name, wires in pair.links.items()}
    assert rules["told"] == LIES[lie]
    assert rules["committed"] is not None


@pytest.mark.parametrize(
    "truth",
    [
        two_layers,
        lambda: of_many_columns(ranges=False, hidden=(3, 2, 2)),
        additive_lies.honest,
        trees_told.honest,
        trees_missing_lies.lacking_ensemble,
        trees_set_lies.homeless_ensemble,
    ],
)
def test_each_word_is_linked(truth):
    """Another number in the place of a word, derived ones too, is another model: no link goes with its certificate."""
    told = truth()
    words = [segment.name for segment in word_segments(told.shape)]
    honest = Pair(told)
    assert verdict(honest.link_shape, honest.link_digest, honest.links["told"]) is None
    rng, tried = random.Random(7), 0
    for name in words:
        values = honest.certificate.wires[name]
        for place in rng.sample(range(len(values)), min(4, len(values))):
            changed = {name: [value + (number == place) for number, value in enumerate(values)]}
            # Where a run is one of the opened model, too, it is the commitment that is of another number.
            pair = Pair(told, changed) if name in told.wires else Pair(told, parts=changed)
            for wires in pair.links.values():
                assert not circuit_accepts(pair.link_shape, pair.link_digest, wires), (name, place)
            tried += 1
    assert tried >= len(words)


def test_words_change_places_in_no_link():
    """Two words of any two runs, exchanged in the certificate, are other words, although their sum is the same."""
    told = two_layers()
    honest = Pair(told).certificate.wires
    names = [segment.name for segment in word_segments(told.shape)]
    for one, other in pairwise(names):
        if honest[one][0] == honest[other][0]:
            continue
        swapped = {one: [honest[other][0], *honest[one][1:]], other: [honest[one][0], *honest[other][1:]]}
        pair = Pair(told, parts=swapped)
        for wires in pair.links.values():
            assert not circuit_accepts(pair.link_shape, pair.link_digest, wires), (one, other)


# -- the link


def test_what_a_link_states_is_what_it_opens():
    """another-C, another-spec, another-E, another-r, another-key, Y-of-another-model: each is another public input."""
    told = two_layers()
    shape, wires = linked(told)
    digest = linked_digest(shape, wires)
    assert verdict(shape, digest, wires) is None
    for name in ("model_blinding", "spec_digest", "link_blinding", "at", "key", "weights.1", "biases.3"):
        lied = altered(wires, name, 0, wires[name][0] + 1)
        assert verdict(shape, digest, lied) == "R-L-SHOWN", name
        if not name.startswith(("weights", "biases")):
            # By itself it is a link, of something else: the verifier asks for its own commitment, spec, key and point.
            assert verdict(shape, linked_digest(shape, lied), lied) is None
    commitment, spec = implied(told.shape, told.wires).model_commitment, wires["spec_digest"][0]
    kept = kept_form(told)
    shown = shown_by(kept.shape, kept.wires)
    assert digest_of_link(shape, commitment, spec, shown) == digest
    for other in (
        digest_of_link(shape, commitment + 1, spec, shown),
        digest_of_link(shape, commitment, spec + 1, shown),
        digest_of_link(shape, commitment, spec, shown + 1),
        digest_of_link(shape, commitment, spec, shown, key=KEY + 1),
        digest_of_link(shape, commitment, spec, shown, r=FIRST + 1),
        digest_of_link(link_shape(of_many_columns(ranges=False).shape), commitment, spec, shown),
    ):
        assert verdict(shape, other, wires) == "R-L-SHOWN"


def test_a_link_holds_the_width_of_each_word():
    """word-of-no-width: a number one beyond either end of its width, under the digest that goes with it."""
    shape, wires = linked(two_layers())
    for segment in word_segments(shape):
        if segment.name.startswith("negative_part"):
            continue
        interval = segment.intervals[0]
        assert interval is not None
        for number in (0, len(segment.intervals) - 1):
            for value in (interval.low - 1, interval.high + 1, interval.low - (1 << 200)):
                lied = altered(wires, segment.name, number, value % ORDER)
                assert verdict(shape, linked_digest(shape, lied), lied) == "R-L-RANGE", segment.name


def test_a_link_takes_the_numbers_at_the_ends_of_their_widths():
    """The least and the largest are numbers as good as any, with their own signs."""
    shape, wires = linked(two_layers())
    for segment in word_segments(shape):
        interval = segment.intervals[0]
        assert interval is not None
        if segment.name.startswith("negative_part"):
            continue
        for value in (interval.low, interval.high):
            ends = {**wires, segment.name: [value] * len(segment.intervals)}
            if segment.name == "weights.2":
                ends["negative_weight.2"] = [int(value < 0)] * len(segment.intervals)
            assert verdict(shape, linked_digest(shape, ends), ends) is None


def test_a_link_derives_the_parts():
    """parts-of-another-weight: a sign that is not its weight's, for weights below 0, above 0 and 0; nor one that is no
    bit."""
    shape, wires = linked(two_layers())
    weights = wires["weights.2"] = [-3, 0, 4, 1, -1, -(1 << 15)]
    bits = wires["negative_weight.2"] = [int(weight < 0) for weight in weights]
    assert verdict(shape, linked_digest(shape, wires), wires) is None
    for number, bit in enumerate(bits):
        lied = altered(wires, "negative_weight.2", number, 1 - bit)
        assert verdict(shape, linked_digest(shape, lied), lied) == "R-L-DERIVED"
        for value in (2, -1):
            lied = altered(wires, "negative_weight.2", number, value % ORDER)
            assert verdict(shape, linked_digest(shape, lied), lied) == "R-L-RANGE"


def test_a_link_alone_is_of_whole_numbers():
    """Halves of two words, and a fraction whose width is that of a residue, are no numbers."""
    shape, wires = linked(two_layers())
    half = pow(2, -1, ORDER)
    for name in ("weights.1", "weights.3", "biases.2"):
        lied = altered(wires, name, 0, half)
        assert verdict(shape, linked_digest(shape, lied), lied) == "R-L-RANGE"


def test_a_link_of_an_ensemble_holds_order_and_forest():
    """Predicates ascend, plain ones first; every node is a child of one before it, and of as many as there are."""
    shape, wires = linked(trees_told.honest())
    broken = {
        "R-T-ORDER": {"thresholds": [*wires["thresholds"][1::-1], *wires["thresholds"][2:]]},
        "R-T-NODE": {"node_low": [1 - wires["node_low"][0], *wires["node_low"][1:]]},
        "R-L-RANGE": {"node_low": [2, *wires["node_low"][1:]]},
    }
    for rule, changed in broken.items():
        lied = {**wires, **changed}
        assert verdict(shape, linked_digest(shape, lied), lied) == rule
    for number, value in enumerate(wires["node_before"]):
        lied = altered(wires, "node_before", number, value + 1)
        assert verdict(shape, linked_digest(shape, lied), lied) in ("R-T-NODE", "R-L-RANGE")


# -- the kept form of what relations prove


@pytest.mark.parametrize("truth", [*TRUTHS.values(), *OTHER_TRUTHS, *ADDITIVE, *ENSEMBLES])
def test_truths_are_accepted_in_their_kept_form(truth):
    """What is proven with the model opened is proven with it kept, and its link holds."""
    told = truth()
    kept = kept_form(told)
    assert verdict(kept.shape, kept.public, kept.wires) is None
    shape, wires = linked(told)
    assert circuit_accepts(shape, linked_digest(shape, wires), wires)


@pytest.mark.parametrize("lie", [*FALSE, *BROKEN], ids=lambda lie: lie.__name__)
def test_lies_are_refused_in_their_kept_form(lie):
    """Nothing else depends on who opens the model: a lie breaks the rule that it breaks with the model opened.

    Those about a width of the model are the link's to refuse.
    """
    told = tell(lie)
    kept = kept_form(told)
    rule = verdict(kept.shape, digest_of(kept.shape, kept.wires) if told.digest is None else told.digest, kept.wires)
    if lie.__name__ not in OF_WIDTHS:
        assert rule == broken_rule(told.shape, told.public, told.wires)
        return
    assert rule is None
    shape, wires = linked(told)
    assert verdict(shape, linked_digest(shape, wires), wires) == "R-L-RANGE"


@pytest.mark.parametrize("name", SCORE_LIES)
def test_lies_about_scores_are_refused_in_their_kept_form(name):
    """The same of additive models and ensembles; those about widths, order and forest are the link's to refuse."""
    told = SCORE_LIES[name](name)
    if name not in OF_SCORES:
        kept = kept_form(told)
        assert verdict(kept.shape, kept.public, kept.wires) == told.rule
        return
    shape, wires = linked(told)
    assert told.rule in ("R-RANGE", "R-T-ORDER", "R-T-NODE")
    assert verdict(shape, linked_digest(shape, wires), wires) == OF_SCORES[name]


def test_what_is_shown_is_in_the_digest():
    """Another blinding, commitment or word is another public input of a certificate; none goes with the honest one."""
    kept = kept_form(two_layers())
    digest = digest_of(kept.shape, kept.wires)
    for name, length in layout(kept.shape):
        lied = altered(kept.wires, name, length - 1, kept.wires[name][length - 1] + 1)
        if name == "spec_digest":
            break
        assert not circuit_accepts(kept.shape, digest, lied), name
    stated = implied(kept.shape, kept.wires)
    assert stated.shown is not None
    for other in (
        replace(stated, shown=stated.shown + 1),
        replace(stated, model_commitment=stated.model_commitment + 1),
    ):
        assert verdict(kept.shape, other.digest(kept.shape), kept.wires) == "R-STATEMENT"
