"""Sub-circuits: one gadget of a shape, proven alone. Document, private wires and instance digest.

A sub-circuit's one public input is the digest of its name, its shape and its instance wires behind a blinding. A proof
shows that the values behind this digest satisfy the gadget's rule. It is neither a statement about a model nor a
certificate.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from types import MappingProxyType
from typing import ClassVar, Literal, NamedTuple

import msgspec

from equiproof.circuits import schemes
from equiproof.circuits.box_gadgets import ends, falls_layout, gains_layout, levels_layout, people_layout, sides_layout
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

Subject = Literal["ball", "box"]
"""What statements are about: whoever is in a ball around somebody, or in a box."""


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
    if shape.kept:
        raise SubCircuitError(
            f"use a self-contained key: shape {shape.name} has no circuits of single gadgets, its model is a link's"
        )
    if gadget not in gadgets_of(shape):
        raise SubCircuitError(f"shape {shape.name} has no circuit {gadget}; it has {', '.join(gadgets_of(shape))}")
    return SubCircuit(FORMAT, VERSION, gadget, shape)


def gadget_scheme(gadget: str) -> Scheme | None:
    """Return the scheme of a gadget; None for a gadget of every scheme, and for an unknown name."""
    return _GADGETS[gadget].scheme if gadget in _GADGETS else None


def gadget_subjects(gadget: str) -> tuple[Subject, ...]:
    """Return whether statements that have a gadget are about balls, about boxes, or about either."""
    return _GADGETS[gadget].subjects


def gadgets_of(shape: Shape) -> tuple[str, ...]:
    """Return the names of a shape's sub-circuits: those of its scheme, and of balls or boxes.

    `bounds` needs deeper layers, `nodes` and `rows` an ensemble, `gains` categories. An additive model on a box has no
    slots, and an ensemble there no levels. Relation `gain` has none: its rules are about two networks, and its
    statement has parts that no sub-circuit knows. Nor has a kept model, whose numbers have no widths of their own.
    """
    if shape.gains or shape.kept:
        return ()
    lacking = set[str]() if len(shape.architecture.hidden) > 1 else {"bounds"}
    if not shape.has_nodes:
        lacking |= {"nodes", "rows"}
    if shape.has_nodes or not shape.choices:
        lacking |= {"gains"}
    if shape.boxes:
        lacking |= {"levels"} if shape.has_nodes else {"centre", "slots", "chain", "cover"}
    about: Subject = "box" if shape.boxes else "ball"
    schemes_of = (None, schemes.scheme_of(shape.scheme))
    return tuple(
        name
        for name, kind in _GADGETS.items()
        if kind.scheme in schemes_of and about in kind.subjects and name not in lacking
    )


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
    own = "box" if shape.boxes else "query"
    columns = ("box_low", "box_high") if shape.boxes else ("query",)
    instance = _elements("blinding", "spec_digest", "model_commitment", f"{own}_commitment", "domain_digest")
    opening = (
        *_elements("model_blinding", f"{own}_blinding"),
        *opened_model(shape),
        *(Segment.of(name, a.plain, entry) for name in columns),
        Segment.of("table", shape.slices * a.sensitive, entry),
        *range_segments(shape),
    )
    return instance, opening


def _digest(shape: Shape) -> Layout:
    own = "box" if shape.boxes else "query"
    parts = ("model_commitment", "spec_digest", "domain_digest", f"{own}_commitment", "context_digest")
    label = Segment.of("label", shape.architecture.logits, BIT)
    radius = () if shape.boxes else (_radius(shape),)
    return (*_elements("blinding", *parts, "statement_digest"), label, *radius), ()


def _ball(shape: Shape, layers: int) -> tuple[Segment, ...]:
    """Return the wires of the lowest layers on one slice's ball: weights and biases, the centre's two parts, R2.

    On a box its ends, in place of the plain part and R2.
    """
    a = shape.architecture
    entry = signed(shape.input_bits)
    lowest = network_segments(shape)[: 2 * layers]
    row = Segment.of("row", a.sensitive, entry)
    if shape.boxes:
        return (BLINDING, *lowest, *ends(shape), row)
    return (BLINDING, *lowest, Segment.of("query", a.plain, entry), row, _radius(shape))


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
    # Of layer 1, which relations of boxes split as well, `falls` holds the signs.
    splits = shares(shape, 1, {f"negative_weight.{layer}" for layer in range(2, last + 1)}.__contains__)
    # A wire of a pass is named after its quantity, its top layer and a layer below.
    passes = shares(shape, shape.slices, lambda name: name.count(".") == 2 and f".{last + 1}." not in name)
    return instance, (*splits, *passes)


def _tree(shape: Shape) -> Layout:
    leaves = shares(shape, 1, {"chosen_slice", "signs"}.__contains__)
    return (BLINDING, *leaves), shares(shape, 1, {"key", "digit"}.__contains__)


def _leaf(shape: Shape) -> Layout:
    a = shape.architecture
    entry = signed(shape.input_bits)
    label = Segment.of("label", a.logits, BIT)
    if shape.boxes:
        around: tuple[Segment, ...] = (*ends(shape), label)
    else:
        around = (Segment.of("query", a.plain, entry), label, _radius(shape), *range_segments(shape))
    instance = (
        BLINDING,
        *network_segments(shape),
        Segment.of("table", shape.slices * a.sensitive, entry),
        *around,
        *shares(shape, 1, lambda name: name.startswith(("upper.", "offset."))),
        *shares(shape, shape.capacity, {"chosen_slice", "signs"}.__contains__),
    )
    names = [segment.name for segment in segments(shape)]
    return instance, shares(shape, shape.capacity, set(names[names.index("digit") + 1 :]).__contains__)


class _Kind(NamedTuple):
    """A sub-circuit: its scheme (None for every scheme), what its statements are about, and its wires."""

    scheme: Scheme | None
    subjects: tuple[Subject, ...]
    layout: Callable[[Shape], Layout]


_BALLS: tuple[Subject, ...] = ("ball",)
_BOXES: tuple[Subject, ...] = ("box",)
_BOTH: tuple[Subject, ...] = ("ball", "box")

_GADGETS: MappingProxyType[str, _Kind] = MappingProxyType(
    {
        "inference": _Kind("traversal", _BALLS, _inference),
        "polytope": _Kind("traversal", _BALLS, _polytope),
        "distance": _Kind("traversal", _BALLS, _distance),
        "neighbor": _Kind("traversal", _BALLS, _neighbor),
        "boundary": _Kind("traversal", _BALLS, _boundary),
        "order": _Kind("traversal", _BALLS, _order),
        "first_bounds": _Kind("branch", _BALLS, _first_bounds),
        "relaxation": _Kind("branch", _BOTH, _relaxation),
        "bounds": _Kind("branch", _BOTH, _bounds),
        "tree": _Kind("branch", _BOTH, _tree),
        "leaf": _Kind("branch", _BOTH, _leaf),
        "predicates": _Kind("trees", _BALLS, predicates_layout),
        "centre": _Kind("trees", _BOTH, centre_layout),
        "slots": _Kind("trees", _BOTH, slots_layout),
        "chain": _Kind("trees", _BOTH, chain_layout),
        "cover": _Kind("trees", _BOTH, cover_layout),
        "nodes": _Kind("trees", _BOTH, nodes_layout),
        "rows": _Kind("trees", _BOTH, rows_layout),
        "people": _Kind(None, _BOXES, people_layout),
        "sides": _Kind("trees", _BOXES, sides_layout),
        "levels": _Kind("trees", _BOXES, levels_layout),
        "gains": _Kind("trees", _BOXES, gains_layout),
        "falls": _Kind("branch", _BOXES, falls_layout),
        "minimum": _Kind(None, _BALLS, _minimum),
        "commitment": _Kind(None, _BOTH, _commitment),
        "digest": _Kind(None, _BOTH, _digest),
    }
)
"""Name -> what it is."""

GADGETS = tuple(_GADGETS)
"""The names of all sub-circuits, in the order of docs/sub-circuits.md."""


@lru_cache(maxsize=32)
def _layout(gadget: str, shape: Shape) -> Layout:
    """Return a gadget's wires; kept, since a witness asks for them several times."""
    return _GADGETS[gadget].layout(shape)
