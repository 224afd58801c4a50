"""For every rule a witness that breaks this rule and no other: circuit and reference refuse it, by that rule.

That no other rule is broken is shown by leaving the rule out of the reference, which then accepts.
"""

from importlib import import_module

import pytest

from equiproof.circuits import reference
from equiproof.circuits.field import ORDER
from equiproof.circuits.reference.field import GF, centered
from equiproof.circuits.rules import EVERY_RULE, RULES
from equiproof.circuits.subcircuit import GADGETS, gadgets_of, subcircuit
from tests.circuits.branch_cases import having, kept
from tests.circuits.tiny_cases import (
    altered,
    broken_rule,
    circuit_accepts,
    digest_of,
    filled,
    free_checkers,
    with_radius,
)
from tests.vectors.vector import paths, read

# Modules by name: the package shows functions of the same names.
CHECK = import_module("equiproof.circuits.reference.check")
TRAVERSAL = import_module("equiproof.circuits.reference.traversal")
COMMITMENT = import_module("equiproof.circuits.reference.commitment")

LEAF = import_module("equiproof.circuits.reference.leaf")
CUT = LEAF.cut

INSIDE = {
    "R-B-RANGES": lambda wires, column: ("range_low", wires["query"][column] + 1),
    "R-B-CUT": lambda wires, column: ("negative_cut", 1),
}
"""Rule -> the wire that is changed at a column that is not cut, and its value there."""

HALF = pow(2, -1, ORDER)
SEED = 4
"""Two neurons, three logits, four rows: facets of both slices are crossed, decision hyperplanes bound the radius."""

DEEP = 7
"""Two hidden layers: facets of the second one are crossed."""


ONE_LOGIT = 8
"""One logit: the other label has the same decision hyperplanes."""


def alone(gadget):
    """Return a sub-circuit with its honest wires at the first row, slice or leaf."""
    of = having(gadget, SEED)
    circuit = subcircuit(gadget, of.shape)
    return circuit, of.alone(circuit, 0)


def set_to(name, number, value):
    """Return the change that sets a wire."""
    return lambda wires: altered(wires, name, number, value)


def more(name, number, by=1):
    """Return the change that adds to a wire."""
    return lambda wires: altered(wires, name, number, wires[name][number] + by)


def bits_flipped(name, number):
    """Return the change that turns a bit."""
    return lambda wires: altered(wires, name, number, 1 - wires[name][number])


def another_label(wires):
    """Choose the next class instead of the label."""
    return {**wires, "label": wires["label"][-1:] + wires["label"][:-1]}


def nearer(number):
    """Return the change that moves a hyperplane to the centre."""
    return lambda wires: altered(altered(wires, "norm_squared", number, 9), "value", number, 1)


ALONE = [
    ("R-INFERENCE", "inference", "a bit of the pattern", bits_flipped("pattern", 0)),
    ("R-INFERENCE", "inference", "another label", another_label),
    ("R-POLYTOPE", "polytope", "a value one more", more("value", 1)),
    ("R-POLYTOPE", "polytope", "a smaller norm", more("norm_squared", 0, -1)),
    ("R-POLYTOPE", "polytope", "the norm of a margin", more("norm_squared", -1)),
    ("R-DISTANCE", "distance", "an excess one more", more("excess", 0)),
    ("R-DISTANCE", "distance", "an excess of the other sign", lambda w: altered(w, "excess", 1, -w["excess"][1])),
    ("R-NEIGHBOR", "neighbor", "the row itself across a crossed facet", None),
    ("R-NEIGHBOR", "neighbor", "no row at all", set_to("neighbor", 0, 1 << 20)),
    ("R-NEIGHBOR", "neighbor", "half a row", set_to("neighbor", 0, HALF)),
    ("R-BOUNDARY", "boundary", "a decision hyperplane that is near", nearer(1)),
    ("R-ORDER", "order", "a near facet that is not crossed", lambda w: nearer(0)(altered(w, "crossed", 0, 0))),
    ("R-MIN", "minimum", "less than every slice's", more("radius_squared", 0, -1)),
    ("R-MIN", "minimum", "more than one slice's", lambda w: altered(w, "radii", 0, w["radius_squared"][0] - 1)),
    ("R-COMMITMENT", "commitment", "another commitment", more("model_commitment", 0)),
    ("R-COMMITMENT", "commitment", "another weight", more("weights.1", 0)),
    ("R-COMMITMENT", "commitment", "another spec", more("spec_digest", 0)),
    ("R-QUERY", "commitment", "another query", more("query", 0)),
    ("R-QUERY", "commitment", "another blinding", more("query_blinding", 0)),
    ("R-DOMAIN", "commitment", "another table", more("table", 0)),
    ("R-STATEMENT", "digest", "a larger radius", more("radius_squared", 0)),
    ("R-STATEMENT", "digest", "another context", more("context_digest", 0)),
    ("R-STATEMENT", "digest", "another label", another_label),
]


def self_named(wires, neurons):
    """Let the first crossed facet name the row itself."""
    facet = wires["crossed"].index(1)
    return altered(wires, "neighbor", facet, facet // neurons)


@pytest.mark.parametrize(("rule", "gadget", "name", "change"), ALONE, ids=[f"{row[1]}: {row[2]}" for row in ALONE])
def test_sub_circuit_refuses_what_breaks_its_rule_only(monkeypatch, rule, gadget, name, change):
    """A sub-circuit and its reference refuse a witness that breaks the gadget's rule only, under its own digest."""
    circuit, wires = alone(gadget)
    lied = self_named(wires, circuit.shape.architecture.neurons) if change is None else change(wires)
    digest = digest_of(circuit, lied)
    assert gadget in RULES[rule].circuits
    assert broken_rule(circuit, digest, lied) == rule
    assert not circuit_accepts(circuit, digest, lied)
    monkeypatch.setattr(CHECK, "GADGETS", {**CHECK.GADGETS, gadget: lambda *_: None})
    assert broken_rule(circuit, digest, lied) is None


@pytest.mark.parametrize("gadget", GADGETS)
def test_sub_circuit_refuses_another_public_input(monkeypatch, gadget):
    """R-INSTANCE: honest wires under any other public input than their digest are refused, by that rule only."""
    circuit, wires = alone(gadget)
    digest = circuit.digest(wires)
    of, names = having(gadget, SEED), gadgets_of(circuit.shape)
    other = subcircuit(names[(names.index(gadget) + 1) % len(names)], circuit.shape)
    for lied in (
        (digest + 1) % ORDER,
        0,
        digest_of(other, of.alone(other, 0)),
        of.statement.digest(circuit.shape),
    ):
        assert broken_rule(circuit, lied, wires) == "R-INSTANCE"
        assert not circuit_accepts(circuit, lied, wires)
    monkeypatch.setattr(CHECK, "instance", lambda *_: None)
    assert broken_rule(circuit, lied, wires) is None


@pytest.mark.parametrize("gadget", GADGETS)
def test_sub_circuit_refuses_every_value_outside_its_width(gadget):
    """R-RANGE: in every sub-circuit each checked wire is refused just past both ends of its interval, and as a
    fraction, by that rule."""
    circuit, wires = alone(gadget)
    for segment in circuit.segments:
        for number in {0, len(segment.intervals) - 1}:
            interval = segment.intervals[number]
            if interval is None:
                continue
            for value in (interval.low - 1, interval.high + 1, HALF):
                lied = altered(wires, segment.name, number, value % ORDER)
                digest = digest_of(circuit, lied)
                assert broken_rule(circuit, digest, lied) == "R-RANGE"
                assert not circuit_accepts(circuit, digest, lied)


def test_a_sign_of_two_is_no_sign(monkeypatch):
    """R-B-KEY: a sign that is none is refused by its width, and by this rule where widths are left out."""
    circuit, wires = alone("tree")
    lied = altered(wires, "signs", 0, 2)
    digest = digest_of(circuit, lied)
    assert broken_rule(circuit, digest, lied) == "R-RANGE"
    assert not circuit_accepts(circuit, digest, lied)
    monkeypatch.setattr(CHECK, "ranges", lambda *_: None)
    assert broken_rule(circuit, digest, lied) == "R-B-KEY"


def test_widths_alone_stop_a_negative_radius(monkeypatch):
    """R-RANGE: a radius that is negative modulo the order breaks no other rule, so that any facet would be far."""
    of = filled(DEEP)
    lied = altered(of.wires, "radius_squared", 0, ORDER - 1)
    digest = digest_of(of.shape, lied)
    assert broken_rule(of.shape, digest, lied) == "R-RANGE"
    assert not circuit_accepts(of.shape, digest, lied)
    monkeypatch.setattr(TRAVERSAL, "ranges", lambda *_: None)
    assert broken_rule(of.shape, digest, lied) is None


def uncrossed(wires, shape):
    """Leave the last crossed facet of a deeper layer uncrossed: its pointer names the row itself."""
    neurons, first = shape.architecture.neurons, shape.architecture.hidden[0]
    deeper = neurons - first
    facet = len(wires["crossed_deeper"]) - 1 - wires["crossed_deeper"][::-1].index(1)
    row, i = divmod(facet, deeper)
    return altered(altered(wires, "crossed_deeper", facet, 0), "neighbor", neurons * row + first + i, row)


def misnamed(wires, shape):
    """Let the last crossed facet of a deeper layer name the row itself."""
    neurons, first = shape.architecture.neurons, shape.architecture.hidden[0]
    facet = len(wires["crossed_deeper"]) - 1 - wires["crossed_deeper"][::-1].index(1)
    row, i = divmod(facet, neurons - first)
    return altered(wires, "neighbor", neurons * row + first + i, row)


RELATION = [
    ("R-INFERENCE", "inference", ONE_LOGIT, lambda of: bits_flipped("label", 0)(of.wires)),
    ("R-ORDER", "order", DEEP, lambda of: uncrossed(of.wires, of.shape)),
    ("R-NEIGHBOR", "neighbor", DEEP, lambda of: misnamed(of.wires, of.shape)),
    ("R-BOUNDARY", "boundary", DEEP, lambda of: with_radius(of, of.evidence.radius_squared + 1).wires),
]


@pytest.mark.parametrize(("rule", "name", "seed", "lie"), RELATION, ids=[row[0] for row in RELATION])
def test_relation_refuses_what_breaks_one_rule_only(monkeypatch, rule, name, seed, lie):
    """The whole relation refuses a witness that breaks one rule of its set only, under the lie's own digest."""
    of = filled(seed)
    wires = lie(of)
    digest = digest_of(of.shape, wires)
    assert broken_rule(of.shape, digest, wires) == rule
    assert not circuit_accepts(of.shape, digest, wires)
    monkeypatch.setattr(TRAVERSAL, name, lambda *_: None)
    assert broken_rule(of.shape, digest, wires) is None


def test_relation_refuses_another_statement(monkeypatch):
    """R-STATEMENT: honest wires under another public input are refused, by that rule only."""
    of = filled(DEEP)
    lied = with_radius(of, of.evidence.radius_squared + 1).statement.digest(of.shape)
    assert broken_rule(of.shape, lied, of.wires) == "R-STATEMENT"
    assert not circuit_accepts(of.shape, lied, of.wires)
    monkeypatch.setattr(TRAVERSAL, "hold_statement", lambda *_: None)
    assert broken_rule(of.shape, lied, of.wires) is None


@pytest.mark.parametrize("rule", INSIDE)
def test_leaf_inside_ranges_refuses_what_breaks_one_rule_only(monkeypatch, rule):
    """A query outside its range, and a cut with the sign of another, are refused by their rules, alone and at once."""
    of = next(of for of in map(kept, range(20)) if 0 in of.wires["cut"][: len(of.wires["query"])])
    circuit = subcircuit("leaf", of.shape)
    honest = of.alone(circuit, 0)
    column = honest["cut"].index(0)
    name, value = INSIDE[rule](honest, column)
    for system, wires in ((circuit, honest), (of.shape, of.wires)):
        lied = altered(wires, name, column, value)
        digest = digest_of(system, lied)
        assert broken_rule(system, digest, lied) == rule
        assert not circuit_accepts(system, digest, lied)
        assert broken_rule(system, digest_of(system, wires), wires) is None
        assert circuit_accepts(system, digest_of(system, wires), wires)
        with monkeypatch.context() as without:
            without.setattr(LEAF, "inside", lambda *_: None)
            without.setattr(LEAF, "cut", _unsigned)
            assert broken_rule(system, digest, lied) is None


def _unsigned(shape, wires, take, coefficients, centre, where):
    """Cut a form whatever the signs say."""
    signs = GF([int(centered(value) < 0) for value in take("cut")])
    return CUT(shape, wires, lambda name: signs if name == "negative_cut" else take(name), coefficients, centre, where)


def test_every_rule_is_broken_somewhere():
    """No rule of the tables is missing above, or among the vectors of schemes `branch` and `trees`."""
    broken = {row[0] for row in (*ALONE, *RELATION)} | set(INSIDE) | {"R-RANGE", "R-INSTANCE", "R-STATEMENT"}
    vectors = [read(path) for path in paths() if path.stem.startswith("circuit-")]
    assert broken | {vector.rule for vector in vectors} - {None} == set(EVERY_RULE)
    assert {row[1] for row in ALONE} | {vector.circuit.gadget for vector in vectors} == set(GADGETS)


def test_refusals_name_the_rule_and_the_place():
    """A refusal is one line with the rule, the wire and what is wrong there."""
    circuit, wires = alone("distance")
    lied = more("excess", 0)(wires)
    with pytest.raises(reference.RuleError, match=r"^R-DISTANCE: excess 0: -?\d+ is stated, it is -?\d+$"):
        reference.check(circuit, digest_of(circuit, lied), lied)


@pytest.fixture(scope="module", autouse=True)
def compiled():
    """Free the compiled circuits at the end."""
    yield
    free_checkers()
