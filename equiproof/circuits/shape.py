"""Shapes: the sizes and widths that select a constraint system. A key belongs to one shape; so does a verification."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from typing import Literal

import msgspec

from equiproof.circuits.branch_parameters import Sizes
from equiproof.circuits.canonical import canonical_bytes, document_digest
from equiproof.circuits.categories import Category, Choice, choices_of, counts_of, with_sets
from equiproof.circuits.schemes import BOXES, DEFAULT_CAPACITY, Relation, Scheme, least_room, scheme_of
from equiproof.circuits.spec import JUMP_BITS, SCORE_BIAS_BITS, Spec, SpecError, refuse_missing, refuse_ranges

FORMAT = "equiproof-shape"
VERSION = 2

MAX_PREDICATES = 4096
"""The most predicates of an additive model that has a circuit."""


class Architecture(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a model commitment binds besides the spec: layer sizes and the widths by which weights are packed.

    `plain` is n_x, `sensitive` n_s; `weight_bits` and `bias_bits` have one width per layer, the logits' last. An
    additive model has no layers, one width of jumps and one of the bias, and `predicates`: how many are of plain and of
    sensitive columns. Networks have no such field. An ensemble has `nodes` as well: how many trees, and nodes in all.
    With `missing`, which is true or absent, values of the query can be missing; networks have no such field either.
    `categories` are those of whose values an ensemble's nodes ask sets (:mod:`.categories`); other models have none.
    """

    plain: int
    sensitive: int
    hidden: tuple[int, ...]
    logits: int
    weight_bits: tuple[int, ...]
    bias_bits: tuple[int, ...]
    predicates: tuple[int, int] | msgspec.UnsetType = msgspec.UNSET
    nodes: tuple[int, int] | msgspec.UnsetType = msgspec.UNSET
    missing: bool | msgspec.UnsetType = msgspec.UNSET
    categories: tuple[Category, ...] | msgspec.UnsetType = msgspec.UNSET

    @property
    def asked(self) -> tuple[Category, ...]:
        """The categories of whose values nodes ask sets."""
        return self.categories or ()

    @property
    def columns(self) -> int:
        """The number of columns that predicates which are not sensitive read: n_x, and one for each set."""
        return self.plain + sum(one.sets for one in self.asked)

    @property
    def members(self) -> int:
        """How many bits say what is in the sets."""
        return sum(one.sets * one.members(missing=self.has_missing) for one in self.asked)

    @property
    def has_missing(self) -> bool:
        """Whether values of the query can be missing."""
        return self.missing is True

    @property
    def node_counts(self) -> tuple[int, int]:
        """(T, N), the numbers of trees and of their nodes; both 0 where there are no trees."""
        return (0, 0) if isinstance(self.nodes, msgspec.UnsetType) else self.nodes

    @property
    def predicate_counts(self) -> tuple[int, int]:
        """(P_x, P_s), the predicates over plain and over sensitive columns; both 0 for a network."""
        return (0, 0) if isinstance(self.predicates, msgspec.UnsetType) else self.predicates

    @property
    def layers(self) -> tuple[tuple[int, int], ...]:
        """(outputs, inputs) of every layer, the logits' last."""
        sizes = (self.plain + self.sensitive, *self.hidden, self.logits)
        return tuple((outputs, inputs) for inputs, outputs in pairwise(sizes))

    @property
    def neurons(self) -> int:
        """N, the number of hidden neurons."""
        return sum(self.hidden)

    @property
    def sized(self) -> str:
        """Its sizes, as names of shapes have them."""
        if isinstance(self.predicates, msgspec.UnsetType):
            return "x".join(str(size) for size in self.hidden) + f"-{self.logits}"
        nodes = "" if isinstance(self.nodes, msgspec.UnsetType) else "-n{}x{}".format(*self.nodes)
        missing = ("-m" if self.has_missing else "") + (f"-c{self.columns - self.plain}" if self.asked else "")
        return "p{}+{}".format(*self.predicates) + nodes + missing

    @property
    def digest(self) -> int:
        """The digest that enters the model commitment, a field element."""
        return document_digest("equiproof.architecture.v2", self)


class Shape(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The constants that determine a constraint system.

    `scheme` is the relation: that of a scheme, or one with `-ranges`, which proves the same for neighbors inside the
    spec's ranges only. `capacity` is K, a power of two: regions of scheme `traversal`, leaves of the others, over all
    slices. `slots` is V, the live predicates that a proof of scheme `trees` has room for, `rows` is A, the live nodes;
    shapes of networks have neither field, those of additive models no `rows`. `one_hot` are the categories whose values
    a box can leave open; shapes of other statements do not have it. `model` is `kept` where a link opens the model
    commitment, once, and certificates do not (docs/relation-kept.md); otherwise it is absent. `passed` is how many dead
    nodes on the way a proof about a kept ensemble has room for, which then resolves the nodes alone that a ball
    reaches; shapes whose certificates resolve every node do not have it.
    """

    format: str
    version: int
    scheme: Relation
    architecture: Architecture
    slices: int
    input_bits: int
    input_fraction_bits: int
    radius_bits: int
    capacity: int
    slots: int | msgspec.UnsetType = msgspec.UNSET
    rows: int | msgspec.UnsetType = msgspec.UNSET
    one_hot: tuple[Choice, ...] | msgspec.UnsetType = msgspec.UNSET
    model: Literal["kept"] | msgspec.UnsetType = msgspec.UNSET
    passed: int | msgspec.UnsetType = msgspec.UNSET

    @property
    def visits(self) -> bool:
        """Whether certificates resolve the nodes alone that a ball reaches, each of which is one word of the model."""
        return self.passed is not msgspec.UNSET

    @property
    def passed_count(self) -> int:
        """How many dead nodes on the way there is room for; 0 where every node is resolved."""
        return 0 if isinstance(self.passed, msgspec.UnsetType) else self.passed

    @property
    def kept(self) -> bool:
        """Whether certificates leave it to a link that their model is the committed one."""
        return self.model == "kept"

    @property
    def self_contained(self) -> Shape:
        """The shape of the same statements whose certificates open the model commitment themselves."""
        return msgspec.structs.replace(self, model=msgspec.UNSET, passed=msgspec.UNSET)

    @property
    def choices(self) -> tuple[Choice, ...]:
        """The categories whose values a box can leave open."""
        return self.one_hot or ()

    @property
    def boxes(self) -> bool:
        """Whether the statement is about everybody in a box, and not about a ball."""
        return self.scheme in BOXES

    @property
    def numbers(self) -> tuple[int, ...]:
        """The plain columns that are of no category whose values a box can leave open."""
        tied = {column for choice in self.choices for column in choice.columns}
        return tuple(column for column in range(self.architecture.plain) if column not in tied)

    @property
    def absent(self) -> int:
        """The integer of a missing value, the largest of its width, where values can be missing."""
        return (1 << (self.input_bits - 1)) - 1

    @property
    def has_nodes(self) -> bool:
        """Whether the model is an ensemble of trees with nodes, and no additive model alone."""
        return self.scheme in ("trees", "trees-ranges", "trees-box")

    @property
    def row_count(self) -> int:
        """A, the rows of a shape of an ensemble; 0 for any other."""
        return 0 if isinstance(self.rows, msgspec.UnsetType) else self.rows

    @property
    def slot_count(self) -> int:
        """V, the slots of a shape of scheme `trees`; 0 for a network."""
        return 0 if isinstance(self.slots, msgspec.UnsetType) else self.slots

    @property
    def branches(self) -> bool:
        """Whether the statement is about decisions, and the scheme is `branch`."""
        return self.scheme in ("branch", "branch-ranges", "branch-box")

    @property
    def gains(self) -> bool:
        """Whether the statement is how much a sensitive value gains at least, and not about a decision."""
        return self.scheme == "gain"

    @property
    def sizes(self) -> Sizes:
        """What scheme `branch` takes of a network's shape."""
        a = self.architecture
        return Sizes(
            plain=a.plain,
            sensitive=a.sensitive,
            hidden=a.hidden,
            logits=a.logits,
            weight_bits=a.weight_bits,
            input_bits=self.input_bits,
            bias_bits=a.bias_bits,
            radius_bits=self.radius_bits,
            ranges=self.ranges,
            boxes=self.boxes,
        )

    @property
    def pair(self) -> Shape:
        """The shape of the network of two copies that relation `gain` is about: that of its tree and its leaves."""
        sizes = self.sizes.pair
        both = msgspec.structs.replace(
            self.architecture, sensitive=sizes.sensitive, hidden=sizes.hidden, bias_bits=sizes.bias_bits
        )
        return msgspec.structs.replace(self, scheme="branch", architecture=both, slices=1, model=msgspec.UNSET)

    @property
    def additive(self) -> bool:
        """Whether the model is additive or an ensemble over one, so that the scheme is `trees`."""
        return scheme_of(self.scheme) == "trees"

    @property
    def ranges(self) -> bool:
        """Whether the statement is about neighbors inside the spec's ranges only."""
        return self.scheme in ("branch-ranges", "additive-ranges", "trees-ranges")

    @property
    def digest(self) -> int:
        """The digest that enters the statement, a field element."""
        return document_digest("equiproof.shape.v2", self)

    @property
    def document(self) -> bytes:
        """The canonical JSON that the proving library reads."""
        return canonical_bytes(self)

    @property
    def name(self) -> str:
        """A readable name for people and folders, unique through the digest."""
        a = self.architecture
        sizes = a.sized
        if self.additive and self.scheme != "additive-box":
            sizes += f"-v{self.slot_count}" + (f"-a{self.row_count}" if self.has_nodes else "")
        # Eight of the digest's 62 digits tell shapes of equal sizes apart; keys are found by their metadata anyway.
        form = "-kept" * self.kept + f"-d{self.passed_count}" * self.visits
        return (
            f"{self.scheme}{form}-{a.plain}+{a.sensitive}-{sizes}-s{self.slices}-k{self.capacity}-{self.digest:062x}"[
                :-54
            ]
        )


def kept_shape(shape: Shape) -> Shape:
    """Return the shape of the same statements whose certificates leave the model to a link.

    Raises SpecError for statements about boxes, whose certificates open the model themselves.
    """
    if shape.boxes:
        raise SpecError(f"use a self-contained key: certificates of relation {shape.scheme} have no kept form")
    return msgspec.structs.replace(shape, model="kept")


def visiting_shape(shape: Shape, passed: int) -> Shape:
    """Return the shape of the same statements about a kept ensemble, with room for so many passed nodes.

    Raises SpecError for any model but an ensemble, for statements about boxes, and unless `passed` is from 1 to N.
    """
    nodes = shape.architecture.node_counts[1]
    if not shape.has_nodes:
        raise SpecError(f"leave out passed nodes: models of relation {shape.scheme} have no nodes")
    if not 1 <= passed <= nodes:
        raise SpecError(f"choose room for 1 to {nodes} passed nodes, the nodes of the model, not {passed}")
    return msgspec.structs.replace(kept_shape(shape), passed=passed)


def architecture_of(spec: Spec, hidden: tuple[int, ...]) -> Architecture:
    """Return the architecture of a network with these hidden sizes under a spec; refuses missing values."""
    refuse_missing(spec)
    return Architecture(
        plain=spec.plain_columns,
        sensitive=spec.sensitive_columns,
        hidden=hidden,
        logits=spec.logits,
        weight_bits=spec.weight_widths(hidden),
        bias_bits=spec.bias_widths(hidden),
    )


def additive_architecture(
    spec: Spec,
    predicates: tuple[int, int],
    nodes: tuple[int, int] | msgspec.UnsetType = msgspec.UNSET,
    sets: Mapping[int, int] | None = None,
) -> Architecture:
    """Return the architecture of an additive model with these numbers of predicates under a spec.

    `nodes`, the numbers of trees and nodes, make it that of an ensemble; `sets` has how many sets of values its nodes
    ask, by the first column of their category.
    """
    return Architecture(
        plain=spec.plain_columns,
        sensitive=spec.sensitive_columns,
        hidden=(),
        logits=spec.logits,
        weight_bits=(JUMP_BITS,),
        bias_bits=(SCORE_BIAS_BITS,),
        predicates=predicates,
        nodes=nodes,
        missing=True if spec.has_absent else msgspec.UNSET,
        categories=with_sets(spec, sets or {}) or msgspec.UNSET,
    )


def ensemble_shape(
    spec: Spec,
    predicates: tuple[int, int],
    nodes: tuple[int, int],
    slots: int,
    rows: int,
    capacity: int,
    sets: Mapping[int, int] | None = None,
) -> Shape:
    """Return the shape of an ensemble of T trees with N nodes over P_x and P_s predicates.

    A proof has room for V = `slots` live predicates, A = `rows` live nodes and K = `capacity` leaves. `sets` are as of
    :func:`additive_architecture`. The relation follows from the spec.
    """
    relation: Relation = "trees-ranges" if spec.use_ranges else "trees"
    return _shape(relation, spec, additive_architecture(spec, predicates, nodes, sets), capacity, slots, rows)


def additive_shape(spec: Spec, predicates: tuple[int, int], slots: int, capacity: int) -> Shape:
    """Return the shape of an additive model with V = `slots` live predicates at most and K = `capacity` leaves.

    The relation follows from the spec.
    """
    relation: Relation = "additive-ranges" if spec.use_ranges else "additive"
    return _shape(relation, spec, additive_architecture(spec, predicates), capacity, slots)


def box_shape(spec: Spec, predicates: tuple[int, int]) -> Shape:
    """Return the shape of a box statement about an additive model with these numbers of predicates.

    The room is that of all predicates. A spec's ranges play no part: the statement is about the whole box.
    """
    return _choosing(_shape("additive-box", spec, additive_architecture(spec, predicates), 1), spec)


def _choosing(shape: Shape, spec: Spec) -> Shape:
    """Return a shape of boxes with the categories of a spec that leave values open: all of which no sets are asked."""
    asked = {one.first for one in shape.architecture.asked}
    choices = tuple(choice for choice in choices_of(spec) if choice.first not in asked)
    return msgspec.structs.replace(shape, one_hot=choices or msgspec.UNSET)


def of_boxes(shape: Shape, spec: Spec) -> Shape:
    """Return the shape of box statements about the model of a shape of scheme `trees`, with the same room."""
    if shape.has_nodes:
        return _choosing(msgspec.structs.replace(shape.self_contained, scheme="trees-box"), spec)
    return box_shape(spec, shape.architecture.predicate_counts)


def ensemble_box_shape(
    spec: Spec,
    predicates: tuple[int, int],
    nodes: tuple[int, int],
    slots: int,
    rows: int,
    capacity: int,
    sets: Mapping[int, int] | None = None,
) -> Shape:
    """Return the shape of a box statement about an ensemble; sizes and room are those of :func:`ensemble_shape`."""
    architecture = additive_architecture(spec, predicates, nodes, sets)
    return _choosing(_shape("trees-box", spec, architecture, capacity, slots, rows), spec)


def traversal_shape(spec: Spec, hidden: tuple[int, ...], capacity: int) -> Shape:
    """Return the shape of scheme `traversal` for a network with these hidden sizes and K = `capacity` regions."""
    return shape_of("traversal", spec, hidden, capacity)


def branch_shape(spec: Spec, hidden: tuple[int, ...], capacity: int) -> Shape:
    """Return the shape of scheme `branch` for a network with these hidden sizes and K = `capacity` leaves."""
    return shape_of("branch", spec, hidden, capacity)


def network_box_shape(spec: Spec, hidden: tuple[int, ...], capacity: int) -> Shape:
    """Return the shape of a box statement about a network with these hidden sizes and K = `capacity` leaves.

    A spec's ranges play no part: the statement is about the whole box.
    """
    return _choosing(_shape("branch-box", spec, architecture_of(spec, hidden), capacity), spec)


def gain_shape(spec: Spec, hidden: tuple[int, ...], capacity: int) -> Shape:
    """Return the shape of relation `gain` for a network with these hidden sizes and K = `capacity` leaves.

    Its slices are two rows of the spec's table, whichever a statement names. A spec's ranges play no part: the
    statement is about the whole ball.
    """
    shape = _shape("gain", spec, architecture_of(spec, hidden), capacity)
    return msgspec.structs.replace(shape, slices=2)


def shape_of(scheme: Scheme, spec: Spec, hidden: tuple[int, ...], capacity: int) -> Shape:
    """Return the shape of a scheme for a network with these hidden sizes under a spec.

    Raises SpecError for scheme `trees`, and for scheme `traversal` and a spec that restricts neighbors to ranges.
    """
    return _shape(_relation(scheme, spec), spec, architecture_of(spec, hidden), capacity)


def _shape(
    relation: Relation,
    spec: Spec,
    architecture: Architecture,
    capacity: int,
    slots: int | msgspec.UnsetType = msgspec.UNSET,
    rows: int | msgspec.UnsetType = msgspec.UNSET,
) -> Shape:
    """Return the shape of a relation for an architecture under a spec."""
    return Shape(
        format=FORMAT,
        version=VERSION,
        scheme=relation,
        architecture=architecture,
        slices=len(spec.domain_table),
        input_bits=spec.input_bits,
        input_fraction_bits=spec.input_fraction_bits,
        radius_bits=spec.max_radius_squared.bit_length(),
        capacity=capacity,
        slots=slots,
        rows=rows,
    )


def fits(shape: Shape, spec: Spec, hidden: tuple[int, ...]) -> bool:
    """Return whether a shape belongs to a network with these hidden sizes under a spec."""
    if shape.additive or spec.has_absent:
        return False
    own = shape.self_contained
    return shape.ranges == spec.use_ranges and own == shape_of(scheme_of(shape.scheme), spec, hidden, shape.capacity)


def fits_gain(shape: Shape, spec: Spec, hidden: tuple[int, ...]) -> bool:
    """Return whether a shape proves gains of a network with these hidden sizes under a spec."""
    own = shape.self_contained
    return shape.gains and not spec.has_absent and own == gain_shape(spec, hidden, shape.capacity)


def fits_network_box(shape: Shape, spec: Spec, hidden: tuple[int, ...]) -> bool:
    """Return whether a shape proves boxes of a network with these hidden sizes under a spec."""
    if shape.scheme != "branch-box" or spec.has_absent:
        return False
    return shape == network_box_shape(spec, hidden, shape.capacity)


def fits_box(
    shape: Shape,
    spec: Spec,
    predicates: tuple[int, int],
    nodes: tuple[int, int] | None = None,
    sets: Mapping[int, int] | None = None,
) -> bool:
    """Return whether a shape proves boxes of an additive model with these numbers of predicates under a spec.

    With `nodes`, the numbers of trees and nodes: of such an ensemble, with as many `sets`.
    """
    if not shape.boxes or not shape.additive or spec.logits != 1 or shape.has_nodes != (nodes is not None):
        return False
    if nodes is None:
        return shape == box_shape(spec, predicates)
    room = shape.slot_count, shape.row_count, shape.capacity
    return shape == ensemble_box_shape(spec, predicates, nodes, *room, sets)


def follows_box(shape: Shape, spec: Spec) -> bool:
    """Return whether a shape of boxes follows from a spec, in everything but the model's sizes and the room."""
    a = shape.architecture
    if not shape.additive:
        return fits_network_box(shape, spec, a.hidden)
    nodes = a.node_counts if shape.has_nodes else None
    return fits_box(shape, spec, a.predicate_counts, nodes, counts_of(a.asked))


def holds_gain(shape: Shape, least_gain: int) -> bool:
    """Return whether a least gain is an integer of the width that it has under a shape (R-RANGE).

    A verifier asks this of every stated gain: one beyond the field's order has the digest of another one.
    """
    half = 1 << (shape.sizes.gain_bits - 1)
    return -half <= least_gain < half


def fits_additive(
    shape: Shape,
    spec: Spec,
    predicates: tuple[int, int],
    nodes: tuple[int, int] | None = None,
    sets: Mapping[int, int] | None = None,
) -> bool:
    """Return whether a shape belongs to an additive model with these numbers of predicates under a spec.

    With `nodes`, the numbers of trees and nodes: to such an ensemble, with as many `sets`.
    """
    slots = shape.slots
    rows = shape.rows
    if not shape.additive or spec.logits != 1 or slots is msgspec.UNSET:
        return False
    if nodes is None:
        return shape.self_contained == additive_shape(spec, predicates, slots, shape.capacity)
    if rows is msgspec.UNSET:
        return False
    return shape.self_contained == ensemble_shape(spec, predicates, nodes, slots, rows, shape.capacity, sets)


def follows(shape: Shape, spec: Spec) -> bool:
    """Return whether a shape follows from a spec, in everything but the scheme, the model's sizes and the room."""
    predicates = shape.architecture.predicates
    nodes = shape.architecture.nodes
    if predicates is msgspec.UNSET:
        return nodes is msgspec.UNSET and fits(shape, spec, shape.architecture.hidden)
    # Built again from the spec and compared as a whole, so that no field of a key's shape is taken on its word.
    own = counts_of(shape.architecture.categories or ())
    return fits_additive(shape, spec, predicates, None if nodes is msgspec.UNSET else nodes, own)


def _relation(scheme: Scheme, spec: Spec) -> Relation:
    """Return the relation that proves the statements of a spec by a scheme of networks."""
    if scheme == "trees":
        raise SpecError("scheme trees has no shape of a network: its models are additive")
    if not spec.use_ranges:
        return scheme
    refuse_ranges(scheme, spec)
    return "branch-ranges"


def least_capacity(scheme: Scheme, slices: int) -> int:
    """Return the least K of a scheme: the first power of two with room for the least evidence."""
    return 1 << (least_room(scheme, slices) - 1).bit_length()


def default_capacity(scheme: Scheme, slices: int) -> int:
    """Return the capacity of keys that are made without an explicit one: DEFAULT_CAPACITY, or more for the slices."""
    return max(DEFAULT_CAPACITY, least_capacity(scheme, slices))
