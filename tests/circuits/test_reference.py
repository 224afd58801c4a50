"""The circuits and the reference over the field accept and refuse the same witnesses, for random nets and lies."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from equiproof.circuits.field import ORDER
from equiproof.circuits.layout import segments
from equiproof.circuits.shape import Shape
from equiproof.circuits.subcircuit import GADGETS, gadgets_of, subcircuit
from tests.circuits.branch_cases import branched, having, kept, places
from tests.circuits.gain_cases import gained
from tests.circuits.tiny_cases import altered, digest_of, filled, free_checkers, verdict, with_radius

SEEDS = st.integers(0, 19)
HALF = pow(2, -1, ORDER)
FEW, ALONE, MANY = 60, 40, 3000

HONEST = (0, 6, 8, 12)
"""Seeds that every run tries: one to three layers and logits, two and three slices, padding."""

MORE = (pytest.mark.slow, pytest.mark.sampled(3))


@st.composite
def lies(draw, circuit, wires):
    """Change one to three wires: by one, to a bound and past it, to a bit, a negative, a fraction, another's value."""
    runs = segments(circuit) if isinstance(circuit, Shape) else circuit.segments
    runs = [run for run in runs if run.intervals]
    for _ in range(draw(st.sampled_from((1, 1, 2, 3)))):
        run = draw(st.sampled_from(runs))
        number = draw(st.integers(0, len(run.intervals) - 1))
        old, interval = wires[run.name][number], run.intervals[number]
        values = [
            old + 1,
            old - 1,
            -old,
            1 - old,
            0,
            2,
            old * HALF,
            old + ORDER,
            wires[run.name][0],
            wires[run.name][-1],
        ]
        if interval is not None:
            values += [interval.low, interval.low - 1, interval.high, interval.high + 1, old + (1 << interval.bits)]
        value = draw(st.one_of(st.sampled_from(values), st.integers(0, ORDER - 1)))
        wires = altered(wires, run.name, number, value % ORDER)
    return wires


def rows_swapped(draw, shape, wires):
    """Swap two rows of the set, or move one: patterns, and with them everything that is said of the rows."""
    neurons = shape.architecture.neurons
    one, other = (draw(st.integers(0, shape.capacity - 1)) for _ in range(2))
    patterns = list(wires["pattern"])
    for i in range(neurons):
        a, b = neurons * one + i, neurons * other + i
        patterns[a], patterns[b] = patterns[b], patterns[a]
    return {**wires, "pattern": patterns}


def differ_in_the_relation(data, case=filled):
    """Lie about a whole relation, under the digest that goes with the lie or the honest one."""
    of = case(data.draw(SEEDS))
    wires = of.wires
    if case is filled and data.draw(st.integers(0, 9)) == 0:
        wires = rows_swapped(data.draw, of.shape, wires)
    if data.draw(st.integers(0, 9)):
        wires = data.draw(lies(of.shape, wires))
    digest = digest_of(of.shape, wires if data.draw(st.integers(0, 4)) else of.wires)
    return verdict(of.shape, digest, wires)


def differ_alone(data, gadget):
    """Lie about one gadget at some row."""
    of = having(gadget, data.draw(SEEDS))
    circuit = subcircuit(gadget, of.shape)
    wires = of.alone(circuit, data.draw(st.integers(0, places(circuit) - 1)))
    lied = data.draw(lies(circuit, wires))
    digest = digest_of(circuit, lied if data.draw(st.integers(0, 4)) else wires)
    return verdict(circuit, digest, lied)


@pytest.mark.parametrize("seed", [pytest.param(seed, marks=() if seed in HONEST else MORE) for seed in range(20)])
def test_honest_witnesses_are_accepted_by_both(seed):
    """What either search finds satisfies its relation, and every gadget wherever its rule applies."""
    for of in (filled(seed), branched(seed), kept(seed), gained(seed)):
        assert verdict(of.shape, of.statement.digest(of.shape), of.wires) is None
        for gadget in gadgets_of(of.shape):
            circuit = subcircuit(gadget, of.shape)
            for number in range(places(circuit)):
                wires = of.alone(circuit, number)
                assert verdict(circuit, circuit.digest(wires), wires) is None


@pytest.mark.parametrize("seed", range(0, 20, 2))
def test_the_slices_own_radii_are_the_largest(seed):
    """The smallest of the slices' radii is proven by the same regions, and one more is not."""
    of = filled(seed)
    radii = of.searched.radii()
    assert min(radii) >= of.evidence.radius_squared
    largest = with_radius(of, min(radii))
    assert verdict(of.shape, largest.statement.digest(of.shape), largest.wires) is None
    if min(radii) < (1 << of.shape.radius_bits) - 1:
        more = with_radius(of, min(radii) + 1)
        assert verdict(of.shape, more.statement.digest(of.shape), more.wires) in ("R-ORDER", "R-BOUNDARY")


@pytest.mark.parametrize(
    ("case", "examples"),
    [(filled, FEW), *((case, 15) for case in (branched, kept, gained))]
    + [pytest.param(case, FEW, marks=(pytest.mark.slow, pytest.mark.sampled(1))) for case in (branched, kept, gained)],
)
def test_relation_and_reference_agree_on_lies(case, examples):
    """Circuit and reference agree on changed witnesses of the whole relation, of either scheme and of gains."""

    @settings(max_examples=examples)
    @given(data=st.data())
    def agree(data):
        differ_in_the_relation(data, case)

    agree()


@pytest.mark.parametrize("gadget", GADGETS)
def test_sub_circuit_and_reference_agree_on_lies(gadget):
    """Circuit and reference agree on changed witnesses of every gadget alone, and some of them are accepted."""
    verdicts = set()

    @settings(max_examples=ALONE)
    @given(data=st.data())
    def agree(data):
        verdicts.add(differ_alone(data, gadget))

    agree()
    assert verdicts - {None, "R-RANGE", "R-INSTANCE"}, "the gadget's own rule refused something"
    assert "R-RANGE" in verdicts


@pytest.mark.release
def test_relation_and_reference_agree_on_many_lies():
    """The law holds on many more witnesses, and every rule that a relation can break refuses some of them."""
    verdicts = set()

    @settings(max_examples=MANY)
    @given(data=st.data())
    def agree(data):
        verdicts.add(differ_in_the_relation(data))

    agree()
    assert verdicts == {None, "R-RANGE", "R-STATEMENT", "R-INFERENCE", "R-NEIGHBOR", "R-ORDER", "R-BOUNDARY"}


@pytest.mark.release
@pytest.mark.parametrize("case", [branched, gained])
def test_relation_of_branch_and_bound_and_reference_agree_on_many_lies(case):
    """The same of scheme `branch` and relation `gain`; signs and slices out of their widths are refused as such."""
    verdicts = set()

    @settings(max_examples=MANY)
    @given(data=st.data())
    def agree(data):
        verdicts.add(differ_in_the_relation(data, case))

    agree()
    rules = ["FIRST", "RELAXATION", "BACKWARD", "RADIUS", "BOUND", "ROOT", "KEY", "SPLIT", "LEAF"]
    assert verdicts == {None, "R-RANGE", "R-STATEMENT", *(f"R-B-{rule}" for rule in rules)}


@pytest.mark.slow
@pytest.mark.sampled(2)
@pytest.mark.parametrize("gadget", GADGETS)
def test_sub_circuit_and_reference_agree_on_many_lies(gadget):
    """The law holds on many more witnesses of every gadget."""

    @settings(max_examples=MANY // 3)
    @given(data=st.data())
    def agree(data):
        differ_alone(data, gadget)

    agree()


@pytest.fixture(scope="module", autouse=True)
def compiled():
    """Free the compiled circuits at the end."""
    yield
    free_checkers()
