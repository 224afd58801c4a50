"""Commitments and digests in plain integers; mirrors go-gnark/gadget/commitment.

All are Poseidon2 over (domain tag, version, sizes, ..., packed integers). Packing is injective: every integer is
shifted by the lower end of its width and takes that width in bits of a 248-bit element (docs/relation.md).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache

from equiproof.circuits.poseidon2 import hash_elements
from equiproof.circuits.shape import Architecture
from equiproof.circuits.spec import Spec
from equiproof.circuits.widths import BIT, Interval, signed

VERSION = 2
PACK_BITS = 248
"""The bits of an element that are filled: whole bytes, below the 254 bits of the field's order."""

Layers = Sequence[tuple[Sequence[Sequence[int]], Sequence[int]]]
"""Per layer its weights (outputs, inputs) and its biases (outputs)."""


class PackError(ValueError):
    """An integer that does not fit its width."""


def tag(text: str) -> int:
    """Return a domain tag as a field element: its ASCII bytes, big-endian."""
    return int.from_bytes(text.encode("ascii"), "big")


def pack(values: Iterable[tuple[int, int]]) -> list[int]:
    """Pack signed (value, width) pairs into field elements; raises PackError where a value does not fit."""
    return pack_within((value, signed(width)) for value, width in values)


def pack_within(values: Iterable[tuple[int, Interval]]) -> list[int]:
    """Pack (value, interval) pairs into field elements; raises PackError where a value does not fit."""
    packed: list[int] = []
    used = PACK_BITS
    for value, interval in values:
        if not interval.low <= value <= interval.high:
            raise PackError(f"{value} does not fit {interval}")
        # Where an element begins follows from the widths alone, and 248 bits are below the field's order: so equal
        # elements have equal values in them.
        if used + interval.bits > PACK_BITS:
            packed.append(0)
            used = 0
        packed[-1] += (value - interval.low) << used
        used += interval.bits
    return packed


def model_commitment(architecture: Architecture, spec_digest: int, blinding: int, layers: Layers) -> int:
    """Commit to a quantised network under a spec (R-COMMITMENT); `blinding` is uniform over the field."""
    widths: list[tuple[int, int]] = []
    for (weights, biases), bits, bias_bits in zip(
        layers, architecture.weight_bits, architecture.bias_bits, strict=True
    ):
        widths.extend((weight, bits) for row in weights for weight in row)
        widths.extend((bias, bias_bits) for bias in biases)
    packed = pack(widths)
    head = [tag("equiproof.model"), VERSION, len(packed), architecture.digest, spec_digest, blinding]
    return hash_elements(head + packed)


def additive_commitment(
    architecture: Architecture,
    spec_digest: int,
    blinding: int,
    predicates: Sequence[tuple[int, int, int]],
    bias: int,
    input_bits: int,
) -> int:
    """Commit to an additive model under a spec (R-COMMITMENT); `predicates` are (column, threshold, jump).

    Packed are column and threshold of each predicate, then the jumps, then the bias. Raises PackError where a number
    does not fit.
    """
    return _trees(architecture, spec_digest, blinding, _additive(architecture, predicates, bias, input_bits))


def ensemble_commitment(
    architecture: Architecture,
    spec_digest: int,
    blinding: int,
    predicates: Sequence[tuple[int, int, int]],
    bias: int,
    input_bits: int,
    nodes: Sequence[tuple[int, int, int]],
    highs: Sequence[int],
    values: Sequence[int],
    members: Sequence[int] = (),
) -> int:
    """Commit to an ensemble under a spec (R-COMMITMENT); `nodes` are (predicate, kind of low, kind of high).

    Packed are the numbers of the additive part, the nodes' predicates, the kinds of each node's children, whether each
    node sends missing values high where values can be missing, the leaves' values, and what is in the sets. Raises
    PackError where a number does not fit.
    """
    place = Interval(0, max(1, len(predicates) - 1))
    value = signed(architecture.weight_bits[0])
    numbers = _additive(architecture, predicates, bias, input_bits)
    numbers += [(predicate, place) for predicate, _, _ in nodes]
    numbers += [(kind, BIT) for _, low, high in nodes for kind in (low, high)]
    numbers += [(high, BIT) for high in highs]
    numbers += [(leaf, value) for leaf in values]
    numbers += [(member, BIT) for member in members]
    return _trees(architecture, spec_digest, blinding, numbers)


def _additive(
    architecture: Architecture, predicates: Sequence[tuple[int, int, int]], bias: int, input_bits: int
) -> list[tuple[int, Interval]]:
    """Return the numbers of an additive model with their intervals, in the order of its commitment."""
    column = Interval(0, architecture.columns + architecture.sensitive - 1)
    jump = signed(architecture.weight_bits[0])
    score = signed(architecture.bias_bits[0])
    numbers: list[tuple[int, Interval]] = []
    for place, threshold, _ in predicates:
        numbers += [(place, column), (threshold, signed(input_bits))]
    numbers += [(value, jump) for _, _, value in predicates]
    return [*numbers, (bias, score)]


def _trees(architecture: Architecture, spec_digest: int, blinding: int, numbers: Iterable[tuple[int, Interval]]) -> int:
    """Commit to the numbers of a model of scheme `trees`."""
    packed = pack_within(numbers)
    head = [tag("equiproof.trees"), VERSION, len(packed), architecture.digest, spec_digest, blinding]
    return hash_elements(head + packed)


def query_commitment(input_bits: int, blinding: int, query: Sequence[int]) -> int:
    """Commit to a query's n_x integers (R-QUERY); applicants are guessable, so `blinding` is uniform over the field."""
    packed = pack((value, input_bits) for value in query)
    return hash_elements([blinding, *packed], _query_start(len(query), input_bits, len(packed)))


def box_commitment(input_bits: int, blinding: int, low: Sequence[int], high: Sequence[int]) -> int:
    """Commit to the least and the largest integers of n_x columns (R-X-BOX); `blinding` is uniform over the field."""
    packed = pack((value, input_bits) for value in (*low, *high))
    return hash_elements([tag("equiproof.box"), VERSION, len(low), input_bits, len(packed), blinding, *packed])


@lru_cache(maxsize=64)
def _query_start(length: int, input_bits: int, packed: int) -> int:
    """Return the hash of what all query commitments of a spec begin with; nobody's secret is in it."""
    return hash_elements([tag("equiproof.query"), VERSION, length, input_bits, packed])


def domain_digest(spec: Spec) -> int:
    """Digest the integers that the circuit takes from a spec (R-DOMAIN).

    Where neighbors are restricted to ranges, the tag is another one, and the least and then the largest integers of the
    n_x columns follow the table.
    """
    if spec.box is None:
        return _rows_digest("equiproof.domain", spec, spec.domain_table)
    return _rows_digest("equiproof.domain.ranges", spec, spec.domain_table, spec.box)


def table_digest(spec: Spec) -> int:
    """Digest all rows of a spec's table, for a statement in which its ranges play no part (R-DOMAIN)."""
    return _rows_digest("equiproof.domain", spec, spec.domain_table)


def pair_digest(spec: Spec, first: int, second: int) -> int:
    """Digest two rows of a spec's table, those that a statement about a gain compares (R-DOMAIN)."""
    return _rows_digest("equiproof.domain", spec, [spec.domain_table[first], spec.domain_table[second]])


def _rows_digest(name: str, spec: Spec, table: Sequence[Sequence[int]], more: Sequence[Sequence[int]] = ()) -> int:
    """Digest rows of sensitive columns, and what follows them, under a tag."""
    packed = pack((value, spec.input_bits) for row in (*table, *more) for value in row)
    sizes = [spec.plain_columns, spec.sensitive_columns, len(table)]
    head = [tag(name), VERSION, *sizes, spec.input_fraction_bits, spec.input_bits, len(packed)]
    return hash_elements(head + packed)
