"""The rules of counts over tables, in the field's own terms (docs/relation-table.md).

Words have no widths here, as in :mod:`.kept`. What the verifier's polynomial holds is given: columns and units are
those of the verifier's table (R-V-TABLE), so that no rule here says which numbers they are.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from equiproof.circuits.commitment import tag
from equiproof.circuits.field import ORDER
from equiproof.circuits.layout import table_segments, word_segments
from equiproof.circuits.poseidon2 import hash_elements
from equiproof.circuits.reference.field import RuleError, elements, residues
from equiproof.circuits.reference.kept import shown
from equiproof.circuits.reference.ranges import hold_widths
from equiproof.circuits.table import margin
from equiproof.circuits.table_shape import TableShape


def table(shape: TableShape, digest: int, wires: Mapping[str, Sequence[int]], first: int) -> None:
    """Raise RuleError unless the wires satisfy the circuit under what is stated before the last challenge.

    `first` is the challenge of the kept model's words.
    """
    field_wires = {segment.name: elements(wires[segment.name]) for segment in table_segments(shape)}
    numbers = {name: residues(values) for name, values in field_wires.items()}
    # 1. Values have their widths, bits and signs are such, and outputs are max(0, z).
    hold_widths(
        "R-V-ACTIVATION", (one for one in table_segments(shape) if one.name.startswith(("value", "neg"))), field_wires
    )
    margins = _margins(shape, numbers)
    outputs = _outputs(shape, numbers)
    # 2. Every layer holds on every row.
    _layers(shape, numbers, outputs, margins)
    # 3. What is counted is stated.
    value = shown(
        field_wires,
        [one.name for one in word_segments(shape.links)],
        field_wires["model_commitment"][0],
        elements([first])[0],
    )
    _statement(shape, digest, numbers, int(value))


def _margins(shape: TableShape, numbers: Mapping[str, Sequence[int]]) -> list[int]:
    """R-V-DECISION: a sign is -1, 0 or 1, and a magnitude is at least 1 beside one, else 0; return the margins."""
    most = 1 << shape.limits[-1].bit_length()
    found = []
    for row, (sign, size) in enumerate(zip(numbers["sign"], numbers["magnitude"], strict=True)):
        if sign not in (0, 1, ORDER - 1):
            raise RuleError("R-V-DECISION", f"row {row}", "its sign is none of -1, 0 and 1")
        if size != 0 if sign == 0 else not 1 <= size <= most:
            raise RuleError("R-V-DECISION", f"row {row}", "its magnitude is not that of its sign")
        found.append(sign * size % ORDER)
    return found


def _outputs(shape: TableShape, numbers: Mapping[str, Sequence[int]]) -> list[list[int]]:
    """R-V-ACTIVATION: a bit says which values are below 0; return max(0, z) by hidden layer."""
    found = []
    for layer in range(1, len(shape.architecture.hidden) + 1):
        values = numbers[f"value.{layer}"]
        for place, (z, negative) in enumerate(zip(values, numbers[f"negative.{layer}"], strict=True)):
            if (z > ORDER // 2) != (negative == 1):
                raise RuleError("R-V-ACTIVATION", f"layer {layer}, value {place}", "its bit is that of the other side")
        found.append([0 if z > ORDER // 2 else z for z in values])
    return found


def _layers(
    shape: TableShape, numbers: Mapping[str, Sequence[int]], outputs: Sequence[Sequence[int]], margins: Sequence[int]
) -> None:
    """R-V-LAYER: the values of each layer are W h + b of those below it, on all rows, the last one of the margin."""
    inputs: Sequence[int] = numbers["columns"]
    layers = zip(shape.architecture.layers, [*outputs, []], strict=True)
    for layer, ((size, below), following) in enumerate(layers, start=1):
        weights, biases = numbers[f"weights.{layer}"], numbers[f"biases.{layer}"]
        for row in range(shape.rows):
            given = inputs[row * below : (row + 1) * below]
            values = []
            for i in range(size):
                pairs = zip(weights[i * below : (i + 1) * below], given, strict=True)
                values.append(sum(w * h for w, h in pairs) + biases[i])
            if layer > len(outputs):
                found, claimed = [margin(values)], margins[row : row + 1]
            else:
                found, claimed = values, numbers[f"value.{layer}"][row * size : (row + 1) * size]
            if any((z - value) % ORDER for z, value in zip(found, claimed, strict=True)):
                raise RuleError("R-V-LAYER", f"layer {layer}, row {row}", "a value is not the layer's")
        inputs = following


def _statement(shape: TableShape, digest: int, numbers: Mapping[str, Sequence[int]], shown: int) -> None:
    """R-V-COUNT, R-V-CHAIN and R-V-STATEMENT: what is stated are the counts before and after these rows."""
    counts = {}
    for name, sign in (("granted", 1), ("tied", 0)):
        before = numbers[f"{name}_before"]
        units = [numbers["units"][e :: shape.elements] for e in range(shape.elements)]
        more = [sum(u for u, s in zip(unit, numbers["sign"], strict=True) if s == sign) for unit in units]
        counts[name] = before, [(old + new) % ORDER for old, new in zip(before, more, strict=True)]
    digests = [
        hash_elements([tag("equiproof.table.counts"), 1, *counts["granted"][at], *counts["tied"][at], blinding])
        for at, blinding in enumerate((numbers["blinding_before"][0], numbers["blinding_after"][0]))
    ]
    single = [
        numbers[name][0] for name in ("model_commitment", "spec_digest", "context_digest", "table_digest", "part")
    ]
    if digest != hash_elements([tag("equiproof.table.statement"), 1, shape.digest, *single, *digests, shown]):
        raise RuleError("R-V-STATEMENT", "digest", "something else is stated")
