"""What is to be known of a model before anything long is started, as data: model, spec, bit widths, costs, sample."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from equiproof.commands.common import radius_text
from equiproof.commands.setup import DEFAULT_CAPACITY

if TYPE_CHECKING:
    from certify.capacity import Sample
    from certify.network import QuantisedNetwork
    from circuits.schemes import Scheme
    from circuits.shape import Shape
    from circuits.spec import Spec
    from prover.estimate import Estimate

Document = dict[str, Any]


def describe_model(network: QuantisedNetwork) -> Document:
    """Return the committed network's sizes and scales; no weight."""
    return {
        "inputs": network.inputs,
        "hidden": network.hidden,
        "neurons": network.neurons,
        "logits": network.logit_count,
        "weights": sum(layer.inputs * layer.outputs for layer in network.layers),
        "weight_fraction_bits": network.weight_fraction_bits,
    }


def describe_spec(spec: Spec) -> Document:
    """Return what the spec makes of the features."""
    from circuits import field

    return {
        "name": spec.name,
        "digest": field.to_hex(spec.digest),
        "features": [feature.name for feature in spec.plain_features],
        "columns": spec.plain_columns,
        "sensitive": {feature.name: feature.domain for feature in spec.sensitive_features},
        "sensitive_columns": spec.sensitive_columns,
        "slices": len(spec.domain_table),
        "labels": spec.labels,
        "threshold": spec.threshold,
        "input_bits": spec.input_bits,
        "input_fraction_bits": spec.input_fraction_bits,
    }


def describe_widths(spec: Spec, shape: Shape, costs: list[Estimate]) -> Document:
    """Return the bits of what is committed and, where a shape compiles, the widest integer at each of its places."""
    return {
        "input": spec.input_bits,
        "weight": shape.architecture.weight_bits,
        "bias": shape.architecture.bias_bits,
        "radius_squared": shape.radius_bits,
        "places": dict(costs[0].widths) if costs else {},
    }


def describe_sample(scheme: Scheme, sample: Sample, points: int) -> Document:
    """Return how a sample of applicants was decided, and the regions or leaves that full radii need."""
    from circuits.schemes import counted

    needed = sample.needed
    return {
        "applicants": points,
        "fair": len(sample.fair),
        "unfair": sample.unfair,
        "undecided": sample.undecided,
        "unfinished": sample.unfinished,
        "full_radius": len(needed),
        counted(scheme): None if not needed else {"median": needed[len(needed) // 2], "largest": needed[-1]},
    }


def costs_of(
    scheme: Scheme, spec: Spec, hidden: tuple[int, ...], sample: Sample, largest: int
) -> tuple[list[Estimate], str]:
    """Estimate the capacities from the first with room for the slices to the one that holds the sample's full radii.

    Returns the estimates, and one line of why a larger capacity, or any, has none; "" where all are there.
    """
    from certify.capacity import capacities
    from circuits.shape import least_capacity

    last = max([DEFAULT_CAPACITY, least_capacity(scheme, len(spec.domain_table)), *sample.needed])
    return costs(scheme, spec, hidden, capacities(scheme, spec, min(_power(last), largest)))


def costs(scheme: Scheme, spec: Spec, hidden: tuple[int, ...], capacities: Sequence[int]) -> tuple[list[Estimate], str]:
    """Estimate capacities as far as there are circuits; return why there is none for a next one beside them, or ""."""
    from certify.branch import WidthError
    from circuits.shape import shape_of
    from ffi.errors import MalformedInputError
    from prover.estimate import TooLargeError, estimate

    found: list[Estimate] = []
    for capacity in capacities:
        try:
            found += [estimate(shape_of(scheme, spec, hidden, capacity))]
        except (TooLargeError, MalformedInputError, WidthError) as error:
            return found, str(error)
    return found, ""


def describe_cost(cost: Estimate) -> Document:
    """Return the cost of a capacity."""
    return {
        "capacity": cost.capacity,
        "constraints": cost.constraints,
        "parts": dict(cost.parts),
        "setup_seconds": round(cost.setup_seconds, 1),
        "prove_seconds": round(cost.prove_seconds, 2),
        "prove_megabytes": round(cost.prove_megabytes),
        "key_megabytes": round(cost.key_megabytes, 1),
    }


def describe_capacity(spec: Spec, cost: Estimate, sample: Sample) -> Document:
    """Return the cost of a capacity with what it gives the sample."""
    radius = sample.median_radius_squared(cost.capacity)
    return describe_cost(cost) | {
        "full_radius": sample.full(cost.capacity),
        "median_radius": None if radius is None else radius_text(spec, radius),
    }


def _power(count: int) -> int:
    """Return the least power of two that is not below a count."""
    return 1 << (count - 1).bit_length()
