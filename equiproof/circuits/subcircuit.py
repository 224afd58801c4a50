"""Sub-circuits: one gadget of a shape, proven alone. Document, private wires and instance digest.

A sub-circuit's one public input is the digest of its name, its shape and its instance wires behind a blinding. A proof
shows that the values behind this digest satisfy the gadget's rule. It is neither a statement about a model nor a
certificate.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from types import MappingProxyType
from typing import ClassVar

import msgspec

from equiproof.circuits import schemes
from equiproof.circuits.canonical import canonical_bytes
from equiproof.circuits.commitment import pack_within, tag
from equiproof.circuits.exit_codes import MISUSED
from equiproof.circuits.field import ORDER
from equiproof.circuits.layout import encode, network_segments, range_segments, segments, shares
from equiproof.circuits.poseidon2 import hash_elements
from equiproof.circuits.schemes import Scheme
from equiproof.circuits.score_gadgets import (
    BLINDING,
    Layout,
    centre_layout,
    chain_layout,
    cover_layout,
    nodes_layout,
    opened_model,
    predicates_layout,
    rows_layout,
    slots_layout,
)
from equiproof.circuits.segments import Segment
from equiproof.circuits.shape import Shape
from equiproof.circuits.widths import BIT, FormWidths, Interval, form_widths, signed, unsigned

FORMAT = "equiproof-circuit"
VERSION = 2

Wires = Mapping[str, Sequence[int]]
"""Private wires by name."""


class SubCircuitError(ValueError):
    """Unknown gadget, gadget not available for this shape, or mismatched wires."""

    exit_code: ClassVar[int] = MISUSED


class SubCircuit(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One gadget of a shape."""

    format: str
    version: int
    gadget: str
    shape: Shape

    @property
    def document(self) -> bytes:
        """The canonical JSON that the proving library reads."""
        return canonical_bytes(self)

    @property
    def segments(self) -> tuple[Segment, ...]:
        """The runs of private wires in order: those of the instance, then those that the proof only shows to exist."""
        instance, rest = _layout(self.gadget, self.shape)
        return (*instance, *rest)

    @property
    def instance(self) -> tuple[Segment, ...]:
        """The runs of private wires that the public digest binds; the first one is the blinding."""
        return _layout(self.gadget, self.shape)[0]

    def digest(self, wires: Wires) -> int:
        """Return the public input (R-INSTANCE); raises PackError for a value outside its interval, or the field."""
        values = [
            (value, interval)
            for segment in self.instance
            for value, interval in zip(wires[segment.name], segment.intervals, strict=True)
        ]
        packed = pack_within((value, interval) for value, interval in values if interval is not None)
        # These wires may hold any element, in its canonical form.
        elements = [value for value, interval in values if interval is None]
        pack_within((value, Interval(0, ORDER - 1)) for value in elements)
        head = [tag("equiproof.circuit"), VERSION, tag(self.gadget), self.shape.digest, len(packed)]
        return hash_elements([*head, *elements, *packed])

    def witness(self, wires: Wires, digest: int | None = None) -> bytes:
        """Write the wires as the proving library reads them; raises SubCircuitError where some are missing."""
        for segment in self.segments:
            if len(wires.get(segment.name, ())) != len(segment.intervals):
                raise SubCircuitError(f"{self.gadget}: want {len(segment.intervals)} values of {segment.name}")
        public_input = self.digest(wires) if digest is None else digest
        return encode(self, public_input, [wires[segment.name] for segment in self.segments])


def subcircuit(gadget: str, shape: Shape) -> SubCircuit:
    """Return the circuit of one gadget of a shape; raises SubCircuitError for a gadget that the shape lacks."""
    if gadget not in GADGETS:
        raise SubCircuitError(f"no circuit is called {gadget!r}; there are {', '.join(GADGETS)}")
    if shape.gains:
        raise SubCircuitError(
            f"shape {shape.name} has no circuits of single gadgets: relation gain is proven as a whole"
        )
    if shape.boxes:
        raise SubCircuitError(
            f"shape {shape.name} has no circuits of single gadgets: relations of boxes are proven as a whole"
        )
    if gadget not in gadgets_of(shape):
        raise SubCircuitError(f"shape {shape.name} has no circuit {gadget}; it has {', '.join(gadgets_of(shape))}")
    return SubCircuit(FORMAT, VERSION, gadget, shape)


def gadget_scheme(gadget: str) -> Scheme | None:
    """Return the scheme of a gadget; None for a gadget of every scheme, and for an unknown name."""
    return _GADGETS[gadget][0] if gadget in _GADGETS else None


def gadgets_of(shape: Shape) -> tuple[str, ...]:
    """Return the names of a shape's sub-circuits: those of its scheme.

    `bounds` needs deeper layers, `nodes` and `rows` an ensemble. Relation `gain` has none: its rules are about two
    networks, and its statement has parts that no sub-circuit knows. Neither have relations of boxes: what opens a
    commitment here opens a query, which their statements lack.
    """
    if shape.gains or shape.boxes:
        return ()
    lacking = set[str]() if len(shape.architecture.hidden) > 1 else {"bounds"}
    if not shape.has_nodes:
        lacking |= {"nodes", "rows"}
    schemes_of = (None, schemes.scheme_of(shape.scheme))
    return tuple(name for name, (scheme, _) in _GADGETS.items() if scheme in schemes_of and name not in lacking)


def _region(shape: Shape) -> tuple[Segment, ...]:
    """Return the wires of one region: the network, the centre's two parts, a pattern and the label."""
    a = shape.architecture
    entry = signed(shape.input_bits)
    return (
        BLINDING,
        *network_segments(shape),
        Segment.of("query", a.plain, entry),
        Segment.of("row", a.sensitive, entry),
        Segment.of("pattern", a.neurons, BIT),
        Segment.of("label", a.logits, BIT),
    )


def _forms(widths: Sequence[FormWidths]) -> tuple[Segment, ...]:
    """Return the wires of stated forms."""
    return (
        Segment("value", tuple(width.value for width in widths)),
        Segment("norm_squared", tuple(width.norm_squared for width in widths)),
    )


def _radius(shape: Shape) -> Segment:
    return Segment.of("radius_squared", 1, unsigned(shape.radius_bits))


def _inference(shape: Shape) -> Layout:
    return _region(shape), ()


def _polytope(shape: Shape) -> Layout:
    return (*_region(shape), *_forms(form_widths(shape))), ()


def _distance(shape: Shape) -> Layout:
    widths = form_widths(shape)
    excess = Segment("excess", tuple(width.excess(shape.radius_bits) for width in widths))
    return (BLINDING, *_forms(widths), _radius(shape), excess), ()


def _neighbor(shape: Shape) -> Layout:
    facets = shape.capacity * shape.architecture.neurons
    instance = (
        BLINDING,
        Segment.of("slice", shape.capacity, Interval(0, shape.slices - 1)),
        Segment.of("pattern", facets, BIT),
        Segment.of("crossed", facets, BIT),
    )
    return instance, (Segment.of("neighbor", facets, None),)


def _boundary(shape: Shape) -> Layout:
    return (BLINDING, *_forms(form_widths(shape)[shape.architecture.neurons :]), _radius(shape)), ()


def _order(shape: Shape) -> Layout:
    neurons = shape.architecture.neurons
    crossed = Segment.of("crossed", neurons, BIT)
    return (BLINDING, crossed, *_forms(form_widths(shape)[:neurons]), _radius(shape)), ()


def _minimum(shape: Shape) -> Layout:
    return (BLINDING, _radius(shape), Segment.of("radii", shape.slices, unsigned(shape.radius_bits))), ()


def _elements(*names: str) -> tuple[Segment, ...]:
    return tuple(Segment.of(name, 1, None) for name in names)


def _commitment(shape: Shape) -> Layout:
    a = shape.architecture
    entry = signed(shape.input_bits)
    instance = _elements("blinding", "spec_digest", "model_commitment", "query_commitment", "domain_digest")
    opening = (
        *_elements("model_blinding", "query_blinding"),
        *opened_model(shape),
        Segment.of("query", a.plain, entry),
        Segment.of("table", shape.slices * a.sensitive, entry),
        *range_segments(shape),
    )
    return instance, opening


def _digest(shape: Shape) -> Layout:
    parts = ("model_commitment", "spec_digest", "domain_digest", "query_commitment", "context_digest")
    label = Segment.of("label", shape.architecture.logits, BIT)
    return (*_elements("blinding", *parts, "statement_digest"), label, _radius(shape)), ()


def _ball(shape: Shape, layers: int) -> tuple[Segment, ...]:
    """Return the wires of the lowest layers on one slice's ball: weights and biases, the centre's two parts, R2."""
    a = shape.architecture
    entry = signed(shape.input_bits)
    return (
        BLINDING,
        *network_segments(shape)[: 2 * layers],
        Segment.of("query", a.plain, entry),
        Segment.of("row", a.sensitive, entry),
        _radius(shape),
    )


def _first_bounds(shape: Shape) -> Layout:
    bounds = shares(shape, shape.slices, {"low.1", "high.1"}.__contains__)
    return (*_ball(shape, 1), *bounds), shares(shape, 1, {"first_radii"}.__contains__)


def _relaxation(shape: Shape) -> Layout:
    lines = ("low.", "high.", "upper.", "offset.", "lower.")
    return (BLINDING, *shares(shape, shape.slices, lambda name: name.startswith(lines))), ()


def _bounds(shape: Shape) -> Layout:
    last = len(shape.architecture.hidden)
    deeper = ("low.", "high.")
    below = ("upper.", "offset.", "lower.")
    names = {f"{name}{layer}" for name in deeper for layer in range(2, last + 1)}
    names |= {f"{name}{layer}" for name in below for layer in range(1, last)}
    instance = (*_ball(shape, last), *shares(shape, shape.slices, names.__contains__))
    splits = shares(shape, 1, lambda name: name.startswith("negative_weight."))
    # A wire of a pass is named after its quantity, its top layer and a layer below.
    passes = shares(shape, shape.slices, lambda name: name.count(".") == 2 and f".{last + 1}." not in name)
    return instance, (*splits, *passes)


def _tree(shape: Shape) -> Layout:
    leaves = shares(shape, 1, {"chosen_slice", "signs"}.__contains__)
    return (BLINDING, *leaves), shares(shape, 1, {"key", "digit"}.__contains__)


def _leaf(shape: Shape) -> Layout:
    a = shape.architecture
    entry = signed(shape.input_bits)
    instance = (
        BLINDING,
        *network_segments(shape),
        Segment.of("table", shape.slices * a.sensitive, entry),
        Segment.of("query", a.plain, entry),
        Segment.of("label", a.logits, BIT),
        _radius(shape),
        *range_segments(shape),
        *shares(shape, 1, lambda name: name.startswith(("upper.", "offset."))),
        *shares(shape, shape.capacity, {"chosen_slice", "signs"}.__contains__),
    )
    names = [segment.name for segment in segments(shape)]
    return instance, shares(shape, shape.capacity, set(names[names.index("digit") + 1 :]).__contains__)


_GADGETS: MappingProxyType[str, tuple[Scheme | None, Callable[[Shape], Layout]]] = MappingProxyType(
    {
        "inference": ("traversal", _inference),
        "polytope": ("traversal", _polytope),
        "distance": ("traversal", _distance),
        "neighbor": ("traversal", _neighbor),
        "boundary": ("traversal", _boundary),
        "order": ("traversal", _order),
        "first_bounds": ("branch", _first_bounds),
        "relaxation": ("branch", _relaxation),
        "bounds": ("branch", _bounds),
        "tree": ("branch", _tree),
        "leaf": ("branch", _leaf),
        "predicates": ("trees", predicates_layout),
        "centre": ("trees", centre_layout),
        "slots": ("trees", slots_layout),
        "chain": ("trees", chain_layout),
        "cover": ("trees", cover_layout),
        "nodes": ("trees", nodes_layout),
        "rows": ("trees", rows_layout),
        "minimum": (None, _minimum),
        "commitment": (None, _commitment),
        "digest": (None, _digest),
    }
)
"""Name -> its scheme (None for every scheme) and its wires."""

GADGETS = tuple(_GADGETS)
"""The names of all sub-circuits, in the order of docs/relation.md."""


@lru_cache(maxsize=32)
def _layout(gadget: str, shape: Shape) -> Layout:
    """Return a gadget's wires; kept, since a witness asks for them several times."""
    return _GADGETS[gadget][1](shape)
