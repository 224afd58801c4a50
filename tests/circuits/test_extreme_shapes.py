"""Shapes of ensembles at the ends of what is accepted: widths fit the field in Python, and the circuit compiles."""

import pytest

from equiproof.circuits.layout import layout
from equiproof.circuits.shape import FORMAT, VERSION, Architecture, Shape
from equiproof.circuits.trees_parameters import TreesParameters
from equiproof.ffi import backend

LEAST = {"predicates": (1, 0), "nodes": (1, 1), "slots": 1, "rows": 1}
WIDE = {"input_bits": 64, "input_fraction_bits": 24, "radius_bits": 64}
SHAPES = {
    "least of everything": LEAST,
    "widest inputs": LEAST | WIDE,
    "least radius": LEAST | WIDE | {"radius_bits": 4},
    "53 slices": {"predicates": (44, 5), "nodes": (9, 30), "slots": 41, "rows": 30, "slices": 53, "capacity": 2},
    "every slice": {"predicates": (3, 2), "nodes": (2, 5), "slots": 3, "rows": 4, "slices": 4096},
    "every tree": WIDE | {"predicates": (60, 3), "nodes": (4096, 4096), "slots": 60, "rows": 50},
}
LONG = ("every slice", "every tree")


def shaped(name):
    """Return a shape of two plain and one sensitive column."""
    fields = {"slices": 2, "input_bits": 18, "input_fraction_bits": 10, "radius_bits": 29, "capacity": 1} | SHAPES[name]
    sizes = fields.pop("predicates"), fields.pop("nodes")
    architecture = Architecture(2, 1, (), 1, (16,), (24,), *sizes)
    return Shape(format=FORMAT, version=VERSION, scheme="trees", architecture=architecture, **fields)


@pytest.mark.parametrize("name", [pytest.param(name, marks=[pytest.mark.slow] * (name in LONG)) for name in SHAPES])
def test_the_circuit_compiles(name):
    """No value of the circuit could outgrow the field, and both sides have the same wires."""
    shape = shaped(name)
    assert TreesParameters.of(shape).multiplier_bits > shape.radius_bits
    assert backend.describe(shape.document).layout == layout(shape)
