"""The programme against enumeration, the paper's examples, and the laws of its bounds."""

import random
from fractions import Fraction

import pytest

from equiproof.audits.fvgm.enumeration import enumerated
from equiproof.audits.fvgm.linear import Linear
from equiproof.audits.fvgm.network import BOOLEAN, Choice, Network, boolean
from equiproof.audits.fvgm.programme import ProgrammeSizeError, acceptance, extreme
from tests.audits.fvgm.drawn import drawn_case

CLASSIFIER = Linear.boolean({"P": 1, "Q": 1, "R": 1, "S": -1}, 2)
R, S = boolean("R", true=["0.5"]), boolean("S", true=["0.3"])
EXAMPLE_3_1 = Network((Choice("P", BOOLEAN),), (boolean("Q", true=["0.4"]), R, S))
EXAMPLE_3_2 = Network((Choice("P", BOOLEAN),), (boolean("Q", ["P"], true=["0.3", "0.6"]), R, S))


@pytest.mark.parametrize(("network", "most", "least"), [(EXAMPLE_3_1, "0.55", "0.14"), (EXAMPLE_3_2, "0.65", "0.105")])
def test_examples_of_the_paper(network, most, least):
    """Examples 3.1 and 3.2: the extremes, exactly (the paper prints 0.11 for 0.105), and by enumeration."""
    group, found = extreme(CLASSIFIER, network, "exists", arithmetic="exact")
    assert (group, found.low, found.high) == ({"P": "1"}, Fraction(most), Fraction(most))
    group, found = extreme(CLASSIFIER, network, "forall", arithmetic="exact")
    assert (group, found.low, found.high) == ({"P": "0"}, Fraction(least), Fraction(least))
    accepts = lambda values: CLASSIFIER.accepts(values, network)  # noqa: E731
    assert [enumerated(accepts, network, {"P": p}) for p in "01"] == [Fraction(least), Fraction(most)]


def compare(seed):
    """Compare the programme with enumeration on one random case, in both arithmetics."""
    linear, network, options = drawn_case(random.Random(seed))
    for group in network.groups():
        truth = enumerated(lambda values: linear.accepts(values, network), network, group, **options)
        exact = acceptance(linear, network, group, arithmetic="exact", **options)
        assert exact.low == exact.high == truth
        near = acceptance(linear, network, group, **options)
        assert near.low <= truth <= near.high
        assert near.high - near.low < Fraction(1, 10**12)


@pytest.mark.sampled(1)
@pytest.mark.parametrize("block", range(4))
def test_agrees_with_enumeration(block):
    """Random classifiers and networks: the exact programme equals enumeration, floats enclose it within 1e-12."""
    for seed in range(75 * block, 75 * block + 75):
        compare(seed)


@pytest.mark.slow
@pytest.mark.sampled(4)
@pytest.mark.parametrize("block", range(20))
def test_agrees_with_enumeration_on_thousands(block):
    """The same law on 5,000 more cases."""
    for seed in range(10_000 + 250 * block, 10_000 + 250 * (block + 1)):
        compare(seed)


def test_extremes_are_those_of_all_groups():
    """Choices set by weights alone, or enumerated, give the largest and the smallest share of any group."""
    for seed in range(150):
        linear, network, _ = drawn_case(random.Random(seed))
        shares = [acceptance(linear, network, group, arithmetic="exact").low for group in network.groups()]
        assert extreme(linear, network, "exists", arithmetic="exact")[1].low == max(shares)
        assert extreme(linear, network, "forall", arithmetic="exact")[1].low == min(shares)


def test_without_edges_order_and_structure_do_not_matter():
    """A network without edges is independence: the share is the tail of the convolution of the marginals."""
    for seed in range(100):
        rng = random.Random(seed)
        weights = [rng.randint(-6, 6) for _ in range(rng.randint(1, 8))]
        marginals = [Fraction(rng.randint(0, 9), 9) for _ in weights]
        threshold = rng.randint(-8, 8)
        sums = {0: Fraction(1)}
        for weight, p in zip(weights, marginals, strict=True):
            spread = {}
            for total, share in sums.items():
                spread[total] = spread.get(total, 0) + share * (1 - p)
                spread[total + weight] = spread.get(total + weight, 0) + share * p
            sums = spread
        network = Network((), tuple(boolean(f"x{i}", true=[p]) for i, p in enumerate(marginals)))
        linear = Linear.boolean({f"x{i}": weight for i, weight in enumerate(weights)}, threshold)
        tail = sum(share for total, share in sums.items() if total >= threshold)
        assert acceptance(linear, network, {}, arithmetic="exact").low == tail


def test_hundred_features_are_no_obstacle():
    """The cost is that of the sums, not of the 2^100 assignments: a fair coin's hundred throws, exactly."""
    network = Network((), tuple(boolean(f"x{i}", true=["1/2"]) for i in range(100)))
    linear = Linear.boolean({f"x{i}": 1 for i in range(100)}, 51)
    tail = acceptance(linear, network, {}, arithmetic="exact").low
    assert tail == (1 - Fraction(100891344545564193334812497256, 2**100)) / 2


def test_too_many_numbers_are_refused():
    """A step past the allowed size raises, naming the feature; it is no verdict."""
    chances = [boolean("root", true=["1/2"]), *(boolean(f"x{i}", ["root"], true=["1/3", "2/3"]) for i in range(5))]
    linear = Linear.boolean({chance.name: 3 for chance in chances}, 9)
    with pytest.raises(ProgrammeSizeError, match="numbers to keep, at most 2 are allowed"):
        acceptance(linear, Network((), tuple(chances)), {}, max_cells=2)
