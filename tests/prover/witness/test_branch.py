"""The circuit of scheme `branch` accepts exactly the evidence that the plaintext checker accepts."""

from __future__ import annotations

import random
from collections import defaultdict
from dataclasses import replace

import pytest

from equiproof.certify.branch import BranchSearch, check
from equiproof.circuits import branch_layout
from equiproof.circuits.layout import WitnessError
from equiproof.circuits.shape import FORMAT, VERSION, Architecture, Shape
from equiproof.circuits.statement import Statement
from equiproof.prover.witness.branch import padded
from equiproof.prover.witness.relation import Secrets, fill
from tests.certify.branch.cases import edited, parameters_of, places, run, verdict, wide
from tests.certify.tiny import boxed, larger, tiny
from tests.circuits.tiny_cases import circuit_accepts, digest_of, free_checkers
from tests.soundness.cheating_owner import CONTEXT_DIGEST, SPEC_DIGEST

MAX_CAPACITY = 16
DEEP = ((2, 2, 2, 2), (2, 1, 2, 2), (3, 2, 2))


def capacity_of(evidence, slices):
    """Return the least power of two with room for the leaves and one split."""
    return 1 << (max(len(evidence.leaves), slices + 1) - 1).bit_length()


def shape_of_case(case, capacity):
    """Return the shape of scheme `branch` that the parameters of the tests are those of."""
    sizes = parameters_of(case).sizes
    architecture = Architecture(
        plain=sizes.plain,
        sensitive=sizes.sensitive,
        hidden=sizes.hidden,
        logits=sizes.logits,
        weight_bits=sizes.weight_bits,
        bias_bits=sizes.bias_bits,
    )
    return Shape(
        format=FORMAT,
        version=VERSION,
        scheme="branch" if case.box is None else "branch-ranges",
        architecture=architecture,
        slices=len(case.table),
        input_bits=sizes.input_bits,
        input_fraction_bits=10,
        radius_bits=sizes.radius_bits,
        capacity=capacity,
    )


def wires_of(shape, case, evidence):
    """Return the wires that evidence is filled into, statement and all."""
    secrets = Secrets(case.network, 7, case.query, 9, case.table, case.box)
    blank = Statement(0, SPEC_DIGEST, 0, 0, evidence.label, evidence.radius_squared, CONTEXT_DIGEST)
    return fill(shape, blank, secrets, evidence)


def accepted(shape, case, evidence):
    """Tell whether the circuit is satisfied by the wires that evidence is filled into."""
    wires = wires_of(shape, case, evidence)
    return circuit_accepts(shape, digest_of(shape, wires), wires)


def editable(path):
    """Tell whether a place of the evidence is a wire of its own."""
    unrounded = path[-1] == "radius" and path[0] == "leaves"
    return path != ("label",) and path[-1] != "remainder_radius" and not unrounded


def cases_of(name, case, rng, edits):
    """Return the honest witness of a case and some of edited evidence, each with the checker's verdict."""
    parameters = parameters_of(case)
    found = run(case, parameters)
    if not isinstance(found, BranchSearch) or found.evidence is None:
        return []
    slices = len(case.table)
    capacity = capacity_of(found.evidence, slices)
    if capacity > MAX_CAPACITY:
        return []
    honest = padded(found.evidence, capacity, slices)
    check(honest, parameters, case.network, case.query, case.table, case.box)
    changed = [("honest", honest)]
    by_kind = defaultdict(list)
    for path in filter(editable, places(honest)):
        by_kind[tuple(step for step in path if isinstance(step, str))].append(path)
    for group in by_kind.values():
        for path in rng.sample(group, min(edits, len(group))):
            step = rng.choice((1, -1, 1, -1, 3, -7, 1 << 20))
            changed.append((f"{path} {step:+}", edited(honest, path, lambda v, step=step: v + step)))
    shape = shape_of_case(case, capacity)
    return [(f"{name}, {what}", shape, case, evidence) for what, evidence in changed]


def judged(cases):
    """Hold circuit and checker to the same verdict on every case; return the verdicts."""
    verdicts = []
    for name, shape, case, evidence in cases:
        passed = verdict(check, evidence, parameters_of(case), case) is None
        assert accepted(shape, case, evidence) == passed, name
        verdicts.append(passed)
    free_checkers()
    return verdicts


def collected(seeds, edits):
    """Return the cases of tiny, wide and deep nets."""
    rng, found = random.Random(11 + seeds[0]), []
    for seed in seeds:
        found += cases_of(f"tiny {seed}", tiny(seed), rng, edits)
        found += cases_of(f"wide {seed}", wide(seed), rng, edits)
        found += cases_of(f"deep {seed}", wide(seed, shapes=DEEP, logits=(1, 2)), rng, edits)
    return found


@pytest.mark.sampled(1)
@pytest.mark.parametrize("first", [0, 2])
def test_the_circuit_accepts_what_the_checker_accepts(first):
    """Honest evidence of tiny, wide and deep nets has a witness; edited evidence has one iff the checker passes it."""
    verdicts = judged(collected(range(first, first + 2), edits=1))
    assert sum(verdicts) > 10
    assert verdicts.count(False) > 30


@pytest.mark.slow
def test_the_circuit_accepts_what_the_checker_accepts_inside_ranges():
    """The same where neighbors are kept to ranges."""
    rng, cases = random.Random(7), []
    for seed in range(4):
        cases += cases_of(f"tiny {seed}", boxed(seed, tiny(seed)), rng, 1)
        cases += cases_of(f"wide {seed}", boxed(seed, wide(seed)), rng, 1)
        cases += cases_of(f"deep {seed}", boxed(seed, wide(seed, shapes=DEEP, logits=(1, 2))), rng, 1)
    assert any(any(any(margin.cut) for leaf in case[3].leaves for margin in leaf.margins) for case in cases)
    verdicts = judged(cases)
    assert sum(verdicts) > 20
    assert verdicts.count(False) > 60


def many_slices(seed):
    """Return a case of eight slices, whose lines leaves look up."""
    return larger(seed, 5, (2, 1), sensitive=3)


def test_the_circuit_accepts_what_the_checker_accepts_on_many_slices():
    """The same where slices are too many to choose among their lines by products."""
    rng = random.Random(5)
    cases = [case for seed in range(3) for case in cases_of(f"slices {seed}", many_slices(seed), rng, 1)]
    assert {branch_layout.looks_up_slices(shape) for _, shape, _, _ in cases} == {True}
    verdicts = judged(cases)
    assert verdicts.count(True) > 1
    assert verdicts.count(False) > 10


CLAIMS = (
    "negative_weight",
    "negative_cut",
    "range_low",
    "range_high",
    "chosen_slice",
    "key",
    "digit",
    "of_slice",
    "kappa",
    "coefficients",
    "floor",
    "constant",
    "rest",
    "coarse",
)
"""What the prover claims and the evidence does not have: all of it follows."""


def test_no_claim_can_be_changed_alone():
    """A cheating owner who changes one number that follows from the evidence is refused, in every segment of them."""
    rng, tried = random.Random(3), set()
    for case in [
        tiny(0),
        wide(1),
        wide(3, shapes=DEEP, logits=(1, 2)),
        wide(2, shapes=((2,) * 6,)),
        many_slices(1),
        boxed(1, tiny(1)),
    ]:
        found = cases_of("", case, rng, 0)
        for _, shape, _, evidence in found:
            wires = wires_of(shape, case, evidence)
            digest = digest_of(shape, wires)
            for name in [name for name in wires if name.partition(".")[0] in CLAIMS and wires[name]]:
                at, step = rng.randrange(len(wires[name])), rng.choice((1, -1, 1 << 20))
                changed = [value + step * (i == at) for i, value in enumerate(wires[name])]
                assert not circuit_accepts(shape, digest, wires | {name: changed}), f"{name}, {at}: {step:+}"
                tried.add(name.partition(".")[0])
    free_checkers()
    assert tried == set(CLAIMS) - {"coarse"}


@pytest.mark.slow
@pytest.mark.sampled(2)
@pytest.mark.parametrize("first", range(4, 60, 8))
def test_the_circuit_accepts_what_the_checker_accepts_of_many_nets(first):
    """The same of more nets and more edits."""
    verdicts = judged(collected(range(first, first + 8), edits=2))
    assert sum(verdicts) > 40
    assert verdicts.count(False) > 200


def test_the_parameters_of_a_shape_are_those_of_its_sizes():
    """Roundings and widths follow from the shape alone."""
    for seed in range(5):
        case = wide(seed, shapes=DEEP)
        assert branch_layout.shape_parameters(shape_of_case(case, 8)) == parameters_of(case)


def test_evidence_that_does_not_fit_is_refused():
    """Rows beyond the capacity, and a tree without a split row to repeat, are no witness."""
    found = next(f for f in map(run, map(tiny, range(20))) if isinstance(f, BranchSearch) and f.evidence.splits)
    with pytest.raises(WitnessError, match="do not fit capacity 1"):
        padded(found.evidence, 1, 2)
    with pytest.raises(WitnessError, match="0 splits"):
        padded(replace(found.evidence, splits=()), 8, 2)
