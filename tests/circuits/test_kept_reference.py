"""Circuits of kept models and of links accept and refuse what the reference does, for random networks and lies."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from equiproof.circuits.field import ORDER
from equiproof.circuits.layout import link_segments, segments, word_segments
from equiproof.circuits.link_shape import LinkShape, link_shape
from equiproof.circuits.segments import Segment
from equiproof.circuits.shape import Shape, kept_shape
from equiproof.circuits.widths import Interval
from tests.certify.tiny import Case
from tests.circuits.branch_cases import branched
from tests.circuits.branch_cases import kept as inside
from tests.circuits.gain_cases import gained
from tests.circuits.score_cases import ADDITIVE, ENSEMBLES
from tests.circuits.test_perturbation import changes, is_true, stated
from tests.circuits.test_reference import HONEST, SEEDS, lies
from tests.circuits.tiny_cases import digest_of, filled, free_checkers, verdict
from tests.soundness.additive_told import Told
from tests.soundness.cheating_owner import Wires
from tests.soundness.kept_case import centred, kept_wires, link_wires


def scores(seed: int) -> Told:
    """Return a seed's witness about an additive model or an ensemble."""
    truths = (*ADDITIVE, *ENSEMBLES)
    return truths[seed % len(truths)]()


CASES = (filled, branched, inside, gained, scores)
FEW, MANY = 15, 600


@dataclass(frozen=True)
class Kept:
    """The kept form of a case; its link has the shape and the wires of the same model. Scores have no case."""

    case: Case | None
    shape: Shape
    wires: Wires
    link: LinkShape
    link_wires: Wires


@cache
def kept_of(make, seed) -> Kept:
    """Return the kept form of a seed's case."""
    of = make(seed)
    link = link_wires(of.shape, of.wires)
    return Kept(
        getattr(of, "case", None), kept_shape(of.shape), kept_wires(of.shape, of.wires), link_shape(of.shape), link
    )


def typed(shape: Shape) -> list[Segment]:
    """Return the wires of a kept relation with the widths that its words have by the link."""
    words = {segment.name: segment for segment in word_segments(shape)}
    return [words.get(segment.name, segment) for segment in segments(shape)]


def has_widths(shape: Shape, wires: Wires) -> bool:
    """Tell whether words have the widths, and predicates the order, without which a kept circuit promises nothing."""
    for segment in word_segments(shape):
        for word, interval in zip(wires[segment.name], segment.intervals, strict=True):
            assert interval is not None
            if not interval.low <= centred(word) <= interval.high:
                return False
    if shape.additive:
        pairs = list(zip(*[map(centred, wires["predicates"])] * 2, strict=True))
        plain = [column < shape.architecture.columns for column, _ in pairs]
        kinds = shape.architecture.predicate_counts
        return pairs == sorted(set(pairs)) and plain == [True] * kinds[0] + [False] * kinds[1]
    for layer, bits in enumerate(shape.architecture.weight_bits[1:-1], start=2):
        positive = Interval(0, (1 << (bits - 1)) - 1)
        pairs = zip(wires[f"weights.{layer}"], wires[f"negative_part.{layer}"], strict=True)
        if not all(positive.low <= centred(sum(pair)) <= positive.high for pair in pairs):
            return False
    return True


@pytest.mark.parametrize("make", CASES)
@pytest.mark.parametrize("seed", [*HONEST, *(pytest.param(seed, marks=pytest.mark.slow) for seed in (1, 2, 3, 4, 9))])
def test_honest_witnesses_are_accepted_by_both(make, seed):
    """What a search finds satisfies the kept relation, and its network has a link."""
    of = kept_of(make, seed)
    assert verdict(of.shape, digest_of(of.shape, of.wires), of.wires) is None
    assert verdict(of.link, digest_of(of.link, of.link_wires), of.link_wires) is None


@dataclass(frozen=True)
class _Runs:
    """Runs of wires by which :func:`lies` chooses what to change."""

    segments: list[Segment]


def lie_about_a_certificate(data, make):
    """Change wires; words within the widths that their link proves."""
    of = kept_of(make, data.draw(SEEDS))
    lied = data.draw(lies(_Runs(typed(of.shape)), of.wires))
    if not has_widths(of.shape, lied):
        lied = {**lied, **{segment.name: of.wires[segment.name] for segment in word_segments(of.shape)}}
    return verdict(of.shape, digest_of(of.shape, lied if data.draw(st.integers(0, 4)) else of.wires), lied)


def lie_about_a_link(data, make):
    """Change wires of a link, whatever comes out."""
    of = kept_of(make, data.draw(SEEDS))
    lied = data.draw(lies(_Runs(list(link_segments(of.link))), of.link_wires))
    return verdict(of.link, digest_of(of.link, lied if data.draw(st.integers(0, 4)) else of.link_wires), lied)


@pytest.mark.parametrize(
    ("make", "examples"),
    [(make, FEW) for make in CASES]
    + [pytest.param(make, MANY, marks=(pytest.mark.slow, pytest.mark.sampled(1))) for make in CASES],
)
def test_certificates_and_reference_agree_on_lies(make, examples):
    """Circuit and reference agree on changed witnesses of kept models."""

    @settings(max_examples=examples)
    @given(data=st.data())
    def agree(data):
        lie_about_a_certificate(data, make)

    agree()


@pytest.mark.parametrize("make", [branched, scores])
@pytest.mark.parametrize("examples", [200, pytest.param(1000, marks=pytest.mark.slow)])
def test_links_and_reference_agree_on_lies(make, examples):
    """So they do on those of links, and each of its rules refuses some."""
    verdicts = set()

    @settings(max_examples=examples)
    @given(data=st.data())
    def agree(data):
        verdicts.add(lie_about_a_link(data, make))

    agree()
    assert verdicts == {
        None,
        "R-L-RANGE",
        "R-L-SHOWN",
        *(("R-T-ORDER", "R-T-NODE") if make is scores else ("R-L-DERIVED",)),
    }


@pytest.mark.parametrize("seed", [2, pytest.param(4, marks=pytest.mark.slow)])
def test_changed_wires_of_kept_models_never_prove_a_false_statement(seed):
    """A changed wire, of words too, proves what the exact oracle finds true of the words, where these have widths."""
    of, accepted = kept_of(branched, seed), set()
    for name, number, lied in changes(of.shape, of.wires):
        if not has_widths(of.shape, lied):
            continue
        if verdict(of.shape, digest_of(of.shape, lied), lied) is None:
            assert is_true(*stated(of, lied)), (seed, name, number)
            accepted.add(name)
    assert {"model_commitment", "link_blinding", "query_blinding", "spec_digest", "context_digest"} <= accepted


@pytest.mark.parametrize("make", [branched, gained, scores])
def test_every_wire_of_the_model_is_shown(make):
    """Under the honest digest no word, commitment or blinding can be another one."""
    of = kept_of(make, 20 if make is scores else 2)
    digest = digest_of(of.shape, of.wires)
    shown = [segment.name for segment in word_segments(of.shape)] + ["model_commitment", "link_blinding", "spec_digest"]
    for name in shown:
        for number, value in enumerate(of.wires[name]):
            lied = {**of.wires, name: [*of.wires[name][:number], (value + 1) % ORDER, *of.wires[name][number + 1 :]]}
            if has_widths(of.shape, lied):
                assert verdict(of.shape, digest, lied) == "R-STATEMENT"


@pytest.mark.parametrize("make", [branched, scores])
def test_a_link_alone_determines_its_wires(make):
    """Under the honest digest of a link no wire can be another one."""
    of = kept_of(make, 20 if make is scores else 2)
    digest = digest_of(of.link, of.link_wires)
    for segment in link_segments(of.link):
        for number, value in enumerate(of.link_wires[segment.name]):
            values = [*of.link_wires[segment.name]]
            values[number] = (value + 1) % ORDER
            assert verdict(of.link, digest, {**of.link_wires, segment.name: values}) is not None, segment.name


@pytest.fixture(scope="module", autouse=True)
def compiled():
    """Free the compiled circuits at the end."""
    yield
    free_checkers()
