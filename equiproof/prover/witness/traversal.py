"""Filling of scheme `traversal`: the wires beyond the statement's.

No distance is computed here: whether a facet is crossed follows from the set of regions alone, and a wrong set has no
witness that the circuit accepts.
"""

from __future__ import annotations

from equiproof.certify.traversal.evidence import Evidence, Region
from equiproof.circuits.layout import WitnessError
from equiproof.circuits.shape import Shape


def fill(shape: Shape, evidence: Evidence) -> dict[str, list[int]]:
    """Return the wires by name: the rows of the set and, for each facet, whether it is crossed and its neighbor's row.

    Rows are the evidence's regions, the S centres first; rows past them repeat the last one. Raises WitnessError where
    the regions do not fit the shape.
    """
    regions = list(evidence.regions)
    if not shape.slices <= len(regions) <= shape.capacity:
        raise WitnessError(f"pattern: {len(regions)} regions do not fit shape {shape.name}")
    if any(not 0 <= region.slice < shape.slices for region in regions):
        raise WitnessError(f"slice: a region is on none of the {shape.slices} slices of shape {shape.name}")
    if any(not 0 <= region.pattern < 1 << shape.architecture.neurons for region in regions):
        raise WitnessError(f"pattern: a region's pattern is none of {shape.architecture.neurons} neurons")
    if [region.slice for region in regions[: shape.slices]] != list(range(shape.slices)):
        raise WitnessError("slice: the first regions are not those of the slices' centres")
    row_of = {region: row for row, region in reversed(list(enumerate(regions)))}
    regions += [regions[-1]] * (shape.capacity - len(regions))
    neurons = shape.architecture.neurons
    first = shape.architecture.hidden[0]
    crossed_first = [
        [all(_across(region, i) in row_of for region in row_of if region.slice == s) for i in range(first)]
        for s in range(shape.slices)
    ]
    deeper: list[int] = []
    neighbors: list[int] = []
    for row, region in enumerate(regions):
        crossed = list(crossed_first[region.slice])
        crossed += [_across(region, i) in row_of for i in range(first, neurons)]
        deeper += [int(bit) for bit in crossed[first:]]
        neighbors += [row_of[_across(region, i)] if bit else row for i, bit in enumerate(crossed)]
    return {
        "slice": [region.slice for region in regions[shape.slices :]],
        "pattern": [region.pattern >> i & 1 for region in regions for i in range(neurons)],
        "crossed_first": [int(bit) for row in crossed_first for bit in row],
        "crossed_deeper": deeper,
        "neighbor": neighbors,
    }


def _across(region: Region, neuron: int) -> Region:
    """Return the region across the facet of a hidden neuron."""
    return Region(region.slice, region.pattern ^ (1 << neuron))
