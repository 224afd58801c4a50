"""What standard shapes cost a model, before any key is made, as JSON documents."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import msgspec

from equiproof.circuits import standard, standard_scores
from equiproof.circuits.branch_parameters import WidthError
from equiproof.circuits.schemes import Scheme
from equiproof.circuits.shape import (
    Shape,
    additive_architecture,
    additive_shape,
    architecture_of,
    default_capacity,
    ensemble_shape,
    shape_of,
)
from equiproof.circuits.spec import Spec, SpecError
from equiproof.circuits.standard import StandardShape, agreed, smallest, unpadded
from equiproof.circuits.standard_scores import StandardScore
from equiproof.ffi.errors import MalformedInputError
from equiproof.prover.estimate import Estimate, TooLargeError, estimate

if TYPE_CHECKING:
    from equiproof.certify.documents import Document


def cost_document(cost: Estimate) -> Document:
    """Return the cost of a shape."""
    return {
        "capacity": cost.capacity,
        "constraints": cost.constraints,
        "parts": dict(cost.parts),
        "setup_seconds": round(cost.setup_seconds, 1),
        "prove_seconds": round(cost.prove_seconds, 2),
        "prove_megabytes": round(cost.prove_megabytes),
        "key_megabytes": round(cost.key_megabytes, 1),
    }


def catalogue(spec: Spec, scheme: Scheme, capacity: int) -> Document:
    """Return every standard shape with its cost for models under a spec, padded or not, or the reason against it.

    `agreed` is what another model must have alike to be proven under the same keys.
    """
    shapes = []
    alike = None
    for one in standard_scores.CATALOGUE if scheme == "trees" else standard.CATALOGUE:
        try:
            shape = keyed(one, scheme, spec, capacity)
        except SpecError as error:
            shapes.append({"name": one.name, "cost": None, "reason": str(error)})
            continue
        alike = agreed(shape)
        shapes.append({"name": one.name, **_cost(shape)})
    return {"scheme": scheme, "capacity": capacity, "agreed": alike, "shapes": shapes}


def keyed(one: StandardShape | StandardScore, scheme: Scheme, spec: Spec, capacity: int) -> Shape:
    """Return the shape of the keys of a standard shape for models under a spec, padded or not; raises SpecError."""
    return one.shape(spec, capacity) if isinstance(one, StandardScore) else one.shape(scheme, spec, capacity)


def standard_name(shape: Shape, spec: Spec) -> str | None:
    """Return the name of the standard shape that a shape's model has, None for none; `spec` is padded or not."""
    for one in standard_scores.CATALOGUE if shape.additive else standard.CATALOGUE:
        try:
            padded = one.spec(unpadded(spec))
        except SpecError:
            continue
        own = (
            architecture_of(padded, one.hidden)
            if isinstance(one, StandardShape)
            else additive_architecture(padded, one.predicates, msgspec.UNSET if one.nodes is None else one.nodes)
        )
        if (own, padded.input_bits) == (shape.architecture, shape.input_bits):
            return one.name
    return None


def offer(spec: Spec, hidden: tuple[int, ...], scheme: Scheme) -> Document:
    """Return the smallest standard shape that a model fits, at the default capacity, beside its exact shape.

    `name` is None where there is none, with the `reason`.
    """
    chosen = smallest(spec, hidden)
    capacity = default_capacity(scheme, len(spec.domain_table))
    if not isinstance(chosen, StandardShape):
        return {"name": None, "reason": chosen, "capacity": capacity, "cost": None, "exact": None}
    exact = _cost(shape_of(scheme, spec, hidden, capacity))["cost"]
    return {"name": chosen.name, "capacity": capacity, "exact": exact, **_cost(chosen.shape(scheme, spec, capacity))}


def offer_score(spec: Spec, sizes: Sequence[int]) -> Document:
    """Return as :func:`offer` the smallest standard shape that a score fits, beside its exact shape with as much room.

    `sizes` are P_x and P_s, and of an ensemble T and N.
    """
    chosen = standard_scores.smallest(spec, sizes)
    capacity = default_capacity("trees", len(spec.domain_table))
    if not isinstance(chosen, StandardScore):
        return {"name": None, "reason": chosen, "capacity": capacity, "cost": None, "exact": None}
    predicates = (sizes[0], sizes[1])
    slots = min(chosen.slots, sizes[0])
    exact = (
        additive_shape(spec, predicates, slots, capacity)
        if chosen.nodes is None
        else ensemble_shape(spec, predicates, (sizes[2], sizes[3]), slots, min(chosen.rows, sizes[3]), capacity)
    )
    return {
        "name": chosen.name,
        "capacity": capacity,
        "exact": _cost(exact)["cost"],
        **_cost(chosen.shape(spec, capacity)),
    }


def _cost(shape: Shape) -> Document:
    """Return the cost of a shape, None with the reason where it has no circuit."""
    try:
        return {"cost": cost_document(estimate(shape)), "reason": None}
    except (TooLargeError, MalformedInputError, WidthError) as error:
        return {"cost": None, "reason": str(error)}
