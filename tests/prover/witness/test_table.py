"""Counts over tables: the prover's wires, the circuit and the reference agree on them and on all around."""

from __future__ import annotations

import random

import pytest

from equiproof.circuits.field import ORDER, to_bytes
from equiproof.circuits.layout import WitnessError, encode, layout
from equiproof.circuits.reference import RuleError
from equiproof.circuits.reference.table import table as reference
from equiproof.circuits.table import Table, TableStatement, packed_counts
from equiproof.ffi import backend
from equiproof.ffi.errors import UnsatisfiedError
from equiproof.prover.tables import counted_parts
from equiproof.prover.witness.table import TableSecrets, fill
from tests.prover.table_case import ARCHITECTURE, CONTEXT, NETWORK, OF_PAIR, PAIR, SPEC, shape_of, table_of

FIRST = 4242
SECRETS = TableSecrets(NETWORK, 9, 8, FIRST)


def case(network, architecture, cells):
    """Return the shape, the digest of what is stated, and the wires of the second of two parts, which is not full."""
    shape, table = shape_of(4, cells, architecture), table_of(7, cells, network)
    own = TableSecrets(network, 9, 8, FIRST)
    _, (part, before, after) = counted_parts(shape, own, table)
    statement = TableStatement(9, SPEC, CONTEXT, table.digest, 1, before.digest, after.digest, own.shown(shape))
    wires = fill(shape, statement, own, part, before, after)
    return shape, statement.digest(shape), {name: list(run) for name, run in wires.items()}


def refused(checker, shape, digest, wires):
    """Return whether circuit and reference refuse wires; fail unless they agree."""
    try:
        checker.check_kept(encode(shape, digest, [wires[name] for name, _ in layout(shape)]), to_bytes(FIRST))
        circuit = False
    except UnsatisfiedError:
        circuit = True
    rule = None
    try:
        reference(shape, digest, wires, FIRST)
    except RuleError as error:
        rule = error.rule
    assert circuit == (rule is not None), rule
    return rule


@pytest.mark.parametrize(
    ("network", "architecture", "cells"), [(NETWORK, ARCHITECTURE, 2), (NETWORK, ARCHITECTURE, 9), (PAIR, OF_PAIR, 3)]
)
def test_circuit_and_reference_agree(network, architecture, cells):
    """Both accept the prover's wires, and refuse each other number in any run, but for units of rows that count not."""
    shape, digest, wires = case(network, architecture, cells)
    drawn = random.Random(cells)
    broken = set()
    with backend.Checker(shape.document) as checker:
        assert refused(checker, shape, digest, wires) is None
        for name, length in layout(shape):
            for _ in range(4):
                place = drawn.randrange(length)
                changed = {**wires, name: [*wires[name]]}
                changed[name][place] += drawn.choice((-1, 1, 1 << 40, ORDER // 2))
                rule = refused(checker, shape, digest, changed)
                assert rule or _idle(shape, wires, name, place), (name, place)
                broken.add(rule)
    assert broken >= {"R-V-ACTIVATION", "R-V-DECISION", "R-V-LAYER", "R-V-STATEMENT"}


def _idle(shape, wires, name, place):
    """Return whether a number of the table changes nothing but the polynomial, which the last challenge checks.

    So does what a refused row counts, and a column for which no neuron of layer 1 has a weight.
    """
    if name == "columns":
        return not any(wires["weights.1"][place % 3 :: 3])
    return name == "units" and wires["sign"][place // shape.elements] == -1


def test_networks_of_another_shape_are_refused():
    """More neurons than the shape has have no wires."""
    shape = shape_of(4, 2)
    bare = shape.architecture.__class__(2, 1, (2, 2), 1, (8, 8, 8), (16, 24, 32))
    other = shape_of(4, 2, bare)
    table = Table([(1, 2, 3)], [0])
    ((part, before, after),) = counted_parts(other, SECRETS, table)
    blank = TableStatement(9, SPEC, CONTEXT, table.digest, 0, before.digest, after.digest, 0)
    with pytest.raises(WitnessError, match=r"weights\.1"):
        fill(other, blank, SECRETS, part, before, after)


def test_counts_are_packed_by_seven():
    """By hand: the second count begins at bit 32, the eighth is in an element of its own."""
    assert packed_counts([3, 1, 0, 0, 0, 0, 0, 2]) == [3 + (1 << 32), 2]
