"""The plaintext checker of scheme `traversal`: one function per rule, in exact integers; the search is not trusted.

Evidence is a closed set of activation patterns (docs/relation.md). For every slice s, with V_s its patterns and R2 the
squared radius in grid units,

- the pattern of the slice's centre is in V_s, and the decision there is strictly the label y;
- for every v in V_s and hidden neuron i, with c.x + d the form of neuron i under v: (c.x + d)^2 >= R2 |c|^2, or v with
  bit i flipped is in V_s;
- for every v in V_s and every margin of y under v: the same inequality.

Then y is decided at every x' closer to x than sqrt R2, on every slice: the straight walk to x' leaves a region only
through hyperplanes that it may cross, and no margin vanishes on the way. The checker uses nothing of the search: it
evaluates the network at the centres and computes the forms of every region anew. (FairProof, algorithms 1 to 3, with
the set in place of the ordered trace of GeoCert.)
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from types import MappingProxyType
from typing import Any

from equiproof.certify.errors import EvidenceError
from equiproof.certify.network import QuantisedNetwork, decide
from equiproof.certify.polytope import LinearForm, SlicedNetwork, slices
from equiproof.certify.traversal.evidence import Evidence, Region


def check(evidence: Evidence, network: QuantisedNetwork, query: Sequence[int], table: Sequence[Sequence[int]]) -> None:
    """Raise EvidenceError, with the first rule that is broken, unless the evidence proves its label and radius.

    `query` holds the n_x non-sensitive integers, `table` the S rows of n_s sensitive ones. Whether the table is the
    full domain follows from the spec and is not checked here.
    """
    _refuse_inexact(evidence, network, query, table)
    # 1. One radius serves every slice.
    minimum(evidence.radius_squared, [evidence.radius_squared] * len(table))
    # 2. The centres are in the set, and decided.
    for index, row in enumerate(table):
        region = evidence.regions[index] if index < len(evidence.regions) else None
        inference(network, query, row, evidence.label, region, index)
    # 3. Around every region: hyperplanes are far, or lead into the set; decision hyperplanes are far.
    sliced = slices(network, table)
    members = frozenset(evidence.regions)
    for number, region in enumerate(evidence.regions):
        where = f"slice {region.slice}, region {number}"
        hidden, margins = polytope(sliced, region, evidence.label, where)
        for neuron, form in enumerate(hidden):
            crossed = region.across(neuron) in members
            neighbor(region, neuron, region.across(neuron), members, f"{where}, neuron {neuron}", crossed=crossed)
            order(form, query, evidence.radius_squared, f"{where}, neuron {neuron}", crossed=crossed)
        for margin in margins:
            boundary(margin, query, evidence.radius_squared, where)


def minimum(smallest: int, radii: Sequence[int]) -> None:
    """R-MIN: the stated squared radius is not negative and is the minimum of the slices' squared radii.

    In its own sub-circuit it joins radii found slice by slice; with one radius for every slice only the sign is
    checked.
    """
    if smallest < 0:
        raise EvidenceError("R-MIN", "radius", f"the squared radius {smallest} is negative")
    for index, radius in enumerate(radii):
        if smallest > radius:
            raise EvidenceError(
                "R-MIN", f"slice {index}", f"the squared radius {smallest} is above this slice's {radius}"
            )
    if smallest not in radii:
        raise EvidenceError("R-MIN", "radius", f"no slice has the squared radius {smallest}")


def inference(
    network: QuantisedNetwork, query: Sequence[int], row: Sequence[int], label: int, region: Region | None, index: int
) -> None:
    """R-INFERENCE: the region is that of the slice's centre, and the decision there is strictly the label.

    The network is run forward on (query, row). A neuron is active from 0 up; margins are at least 1, label 0 included.
    """
    where = f"slice {index}, centre"
    centre = (*query, *row)
    if region != Region(index, network.pattern(centre)):
        raise EvidenceError("R-INFERENCE", where, "the region in this row is not that of the slice's centre")
    decided = decide(network.logits(centre))
    if decided is None or decided != label:
        raise EvidenceError("R-INFERENCE", where, f"the decision is {_decision(decided)}, not strictly {label}")


def polytope(
    sliced: Sequence[SlicedNetwork], region: Region, label: int, where: str
) -> tuple[tuple[LinearForm, ...], tuple[LinearForm, ...]]:
    """R-POLYTOPE: the region's slice is one of the S, its pattern has N bits; returns its forms.

    The forms are those of the network with exactly the neurons of the pattern on: of every hidden neuron, and of every
    margin of the label.
    """
    if not 0 <= region.slice < len(sliced):
        raise EvidenceError("R-POLYTOPE", where, f"there are {len(sliced)} slices")
    here = sliced[region.slice]
    if not 0 <= region.pattern < 1 << here.network.neurons:
        raise EvidenceError("R-POLYTOPE", where, f"the pattern is not one of {here.network.neurons} neurons")
    return here.hidden_forms(region.pattern), here.margin_forms(region.pattern, label)


def distance(form: LinearForm, query: Sequence[int], radius_squared: int) -> int:
    """R-DISTANCE: return (c.x + d)^2 - R2 |c|^2, which is not negative where the hyperplane is no nearer than sqrt R2.

    For c = 0 there is no hyperplane and the result is never negative: harmless, since the centres are decided strictly.
    """
    return form.value(query) ** 2 - radius_squared * form.norm_squared


def neighbor(
    region: Region, neuron: int, other: Region, members: frozenset[Region], where: str, *, crossed: bool
) -> None:
    """R-NEIGHBOR: where the facet of a neuron is crossed, the region that differs in exactly that bit is in the set."""
    if not crossed:
        return
    if other.slice != region.slice or other.pattern ^ region.pattern != 1 << neuron:
        raise EvidenceError("R-NEIGHBOR", where, "the region across differs in more than this neuron, or not in it")
    if other not in members:
        raise EvidenceError("R-NEIGHBOR", where, "the region across is not in the set")


def order(form: LinearForm, query: Sequence[int], radius_squared: int, where: str, *, crossed: bool) -> None:
    """R-ORDER: a facet that is not crossed is no nearer than the radius, so that nothing nearer was left unexplored."""
    if not crossed and distance(form, query, radius_squared) < 0:
        raise EvidenceError("R-ORDER", where, "the hyperplane is nearer than the radius and was not crossed")


def boundary(form: LinearForm, query: Sequence[int], radius_squared: int, where: str) -> None:
    """R-BOUNDARY: a decision hyperplane of a region of the set is no nearer than the radius."""
    if distance(form, query, radius_squared) < 0:
        raise EvidenceError("R-BOUNDARY", where, "a decision hyperplane is nearer than the radius")


RULES: MappingProxyType[str, Callable[..., Any]] = MappingProxyType(
    {
        "R-INFERENCE": inference,
        "R-POLYTOPE": polytope,
        "R-DISTANCE": distance,
        "R-NEIGHBOR": neighbor,
        "R-BOUNDARY": boundary,
        "R-ORDER": order,
        "R-MIN": minimum,
    }
)
"""Permanent rule id -> the function that checks it."""


def _refuse_inexact(
    evidence: Evidence, network: QuantisedNetwork, query: Sequence[int], table: Sequence[Sequence[int]]
) -> None:
    """Refuse anything but plain integers in matching numbers: a float rounds, a fixed-width integer wraps around."""
    for what, numbers in _numbers(evidence, query, table):
        if any(type(number) is not int for number in numbers):
            raise EvidenceError("R-POLYTOPE", what, "a number is not a plain integer")
    if not table or not query or any(len(query) + len(row) != network.inputs for row in table):
        raise EvidenceError("R-POLYTOPE", "query", f"query and table do not fit a network of {network.inputs} inputs")
    if len({len(row) for row in table}) != 1:
        raise EvidenceError("R-POLYTOPE", "table", "rows of different lengths")
    if not 0 <= evidence.label < max(network.logit_count, 2):
        raise EvidenceError("R-INFERENCE", "label", f"label {evidence.label} does not exist")


def _numbers(
    evidence: Evidence, query: Sequence[int], table: Sequence[Sequence[int]]
) -> Iterator[tuple[str, Sequence[object]]]:
    """Yield every number that the check depends on, with the name of its place; networks check their own numbers."""
    yield "label and radius", (evidence.label, evidence.radius_squared)
    yield "query", query
    for index, row in enumerate(table):
        yield f"table row {index}", row
    for number, region in enumerate(evidence.regions):
        yield f"region {number}", (region.slice, region.pattern)


def _decision(label: int | None) -> str:
    """Name a decision for people."""
    return "a tie" if label is None else str(label)
