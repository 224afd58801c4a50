"""Evidence by the signs of neurons that no score of a box lies in buckets above or below some, and its exact check.

Notation: under chosen signs of the first neurons, in the order of the layers, the next pre-activation z is an affine
function of the columns x, and so is the margin m under all signs. A neuron that is taken to be active has
c(x) = z >= 0, an inactive one c(x) = -z >= 0. A leaf has a multiplier u_i >= 0 for each neuron on its path:

    sum of u_i c_i(x) < 0 in the whole box      no applicant has these signs,
    2^SCALE m(x) + sum of u_i c_i(x) <= B       a margin under these signs is at most B / 2^SCALE.

Both are affine in x, so that the ends of the box decide, in integers. Nothing else in the evidence is trusted.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import msgspec

from equiproof.audits.hyfair.margin import Layers

SCALE = 20
"""How many fractional bits multipliers have."""

Ends = tuple[tuple[int, ...], tuple[int, ...]]
"""The least and the largest value of each column."""


class SignsError(ValueError):
    """Invalid evidence; one line naming the leaf."""


class Signs(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A tree over signs in preorder: None is a neuron, whose active side comes first; else a leaf's multipliers."""

    nodes: tuple[tuple[int, ...] | None, ...]

    @property
    def leaves(self) -> int:
        """The number of leaves."""
        return sum(node is not None for node in self.nodes)


@dataclass(frozen=True)
class Affine:
    """An affine function of the columns, in integers."""

    weights: tuple[int, ...]
    constant: int

    def most(self, ends: Ends) -> int:
        """Return its largest value in a box."""
        return self.constant + sum(max(w * a, w * b) for w, a, b in zip(self.weights, *ends, strict=True))

    def times(self, factor: int) -> Affine:
        """Return a multiple."""
        return Affine(tuple(factor * weight for weight in self.weights), factor * self.constant)


@dataclass(frozen=True)
class Path:
    """What is known once some neurons have signs: inputs of layer `layer`, its neurons so far, and all c(x) >= 0."""

    layers: Layers
    layer: int
    inputs: tuple[Affine, ...]
    neurons: tuple[Affine, ...] = ()
    conditions: tuple[Affine, ...] = ()

    @classmethod
    def start(cls, layers: Layers) -> Path:
        """Return the path on which no neuron has a sign."""
        count = len(layers[0][0][0])
        columns = (tuple(int(row == column) for column in range(count)) for row in range(count))
        return cls(layers, 0, tuple(Affine(column, 0) for column in columns))

    @property
    def whole(self) -> bool:
        """Whether all neurons have signs: `next` is then the margin."""
        return self.layer == len(self.layers) - 1

    def next(self) -> Affine:
        """Return the pre-activation of the next neuron, or the margin."""
        weights, biases = self.layers[self.layer]
        place = len(self.neurons)
        return total(
            [one.times(weight) for one, weight in zip(self.inputs, weights[place], strict=True)], biases[place]
        )

    def taken(self, *, active: bool) -> Path:
        """Return the path on which the next neuron has a sign."""
        z = self.next()
        neurons = (*self.neurons, z if active else z.times(0))
        conditions = (*self.conditions, z if active else z.times(-1))
        if len(neurons) < len(self.layers[self.layer][1]):
            return replace(self, neurons=neurons, conditions=conditions)
        return Path(self.layers, self.layer + 1, neurons, (), conditions)


def total(parts: Sequence[Affine], constant: int = 0) -> Affine:
    """Return a sum of affine functions, of which there is at least one."""
    weights = tuple(sum(column) for column in zip(*(part.weights for part in parts), strict=True))
    return Affine(weights, constant + sum(part.constant for part in parts))


def bound(path: Path, multipliers: Sequence[int], ends: Ends) -> int | None:
    """Return the margin that a leaf shows to be the most in a box; None where it shows that no one has its signs.

    Raises SignsError for multipliers that show neither.
    """
    if len(multipliers) != len(path.conditions) or any(type(u) is not int or u < 0 for u in multipliers):
        raise SignsError(f"want {len(path.conditions)} multipliers of at least 0")
    scaled = [one.times(u) for one, u in zip(path.conditions, multipliers, strict=True)]
    if scaled and total(scaled).most(ends) < 0:
        return None
    if not path.whole:
        raise SignsError("somebody may have these signs, and some neurons have none")
    # Margins are integers, so rounding the bound down keeps it.
    return total([path.next().times(1 << SCALE), *scaled]).most(ends) >> SCALE


def check(layers: Layers, ends: Ends, signs: Signs, allowed: Callable[[int], bool]) -> None:
    """Check that all margins of a box are allowed; raises SignsError naming the leaf unless that is shown.

    Margins are integers of the network's unit; `allowed` must hold below whatever it holds for.
    """
    pending = [Path.start(layers)]
    leaf = 0
    for node in signs.nodes:
        if not pending:
            raise SignsError("the tree has ended before its nodes")
        path = pending.pop()
        if node is None:
            if path.whole:
                raise SignsError("the margin has no sign to choose")
            pending += [path.taken(active=False), path.taken(active=True)]
            continue
        leaf += 1
        try:
            most = bound(path, node, ends)
        except SignsError as error:
            raise SignsError(f"leaf {leaf}: {error}") from None
        if most is not None and not allowed(most):
            raise SignsError(f"leaf {leaf}: a margin may be larger than allowed")
    if pending:
        raise SignsError(f"{len(pending)} branches of the tree have no leaf")
