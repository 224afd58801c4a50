"""The whole relation of scheme `traversal`, composed of the gadgets' functions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from equiproof.circuits.layout import segments
from equiproof.circuits.reference.boundary import boundary
from equiproof.circuits.reference.field import GF, Elements, Wires, elements
from equiproof.circuits.reference.inference import inference
from equiproof.circuits.reference.minimum import minimum
from equiproof.circuits.reference.neighbor import neighbor
from equiproof.circuits.reference.order import order
from equiproof.circuits.reference.polytope import forms
from equiproof.circuits.reference.ranges import ranges
from equiproof.circuits.reference.statement import hold_statement
from equiproof.circuits.shape import Shape


def traversal(shape: Shape, digest: int, wires: Mapping[str, Sequence[int]], first: int | None = None) -> None:
    """Raise RuleError unless the wires satisfy the relation under a statement digest.

    `first` is the challenge of a kept model's words; other shapes have none.
    """
    field_wires = {segment.name: elements(wires[segment.name]) for segment in segments(shape)}
    # 1. Every number has its width: from here on elements stand for integers.
    ranges(segments(shape), field_wires)
    # 2. The public input is the digest of what the wires open.
    hold_statement(shape, digest, field_wires, first)
    # 3. One radius serves every slice.
    radius = field_wires["radius_squared"]
    minimum(shape, {"radius_squared": radius, "radii": GF(np.repeat(radius, shape.slices))})
    # 4. The set is closed under crossed facets.
    slices = _slices(shape, field_wires)
    crossed = _crossed(shape, field_wires)
    neighbor(shape, {**field_wires, "slice": slices, "crossed": crossed.ravel()})
    # 5. Around every region: hyperplanes are far, or crossed; decision hyperplanes are far.
    neurons = shape.architecture.neurons
    for row, region in enumerate(_regions(shape, field_wires, slices)):
        if row < shape.slices:
            inference(shape, region)
        all_forms = forms(shape, region)
        value = all_forms.value
        norm = all_forms.norm_squared
        facets = {"value": value[:neurons], "norm_squared": norm[:neurons], "radius_squared": radius}
        order(shape, {**facets, "crossed": crossed[row]})
        boundary(shape, {"value": value[neurons:], "norm_squared": norm[neurons:], "radius_squared": radius})


def _slices(shape: Shape, wires: Wires) -> Elements:
    """Return the slice of every row: row s < S is slice s's, by construction."""
    return GF(np.concatenate([elements(range(shape.slices)), wires["slice"]]))


def _crossed(shape: Shape, wires: Wires) -> Elements:
    """Return which facets of each row are crossed: the first layer's stand at its slice, the others at the row."""
    first = shape.architecture.hidden[0]
    neurons = shape.architecture.neurons
    by_slice = wires["crossed_first"].reshape(shape.slices, first)
    deeper = wires["crossed_deeper"].reshape(shape.capacity, neurons - first)
    here = [int(number) for number in _slices(shape, wires)]
    return GF(np.concatenate([by_slice[here], deeper], axis=1))


def _regions(shape: Shape, wires: Wires, slices: Elements) -> Iterator[Wires]:
    """Yield the wires of every row's region, the network's among them."""
    patterns = wires["pattern"].reshape(shape.capacity, shape.architecture.neurons)
    table = wires["table"].reshape(shape.slices, shape.architecture.sensitive)
    for number, pattern in zip(slices, patterns, strict=True):
        yield {**wires, "row": table[int(number)], "pattern": pattern}
