"""R-B-KEY, R-B-ROOT and R-B-SPLIT: leaves cover every slice's ball, since a split row has both halves among the rows.

A row's key is words of digits, two for each neuron. Those of leaves follow from slice and signs; a split row is its key
alone, any words at all, and counts digit by digit how a point gets there.
"""

from __future__ import annotations

from equiproof.circuits.branch_layout import places_of
from equiproof.circuits.reference.field import GF, Elements, RuleError, Wires, elements
from equiproof.circuits.shape import Shape

Words = tuple[int, ...]
"""A key, or a digit: its words as residues."""


def tree(shape: Shape, wires: Wires) -> None:
    """Refuse leaves without a key, slices without a root, and splits without a neuron or without both halves."""
    neurons = shape.architecture.neurons
    slices = shape.slices
    places = places_of(shape)
    chosen = wires["chosen_slice"].reshape(-1, slices)
    signs = wires["signs"].reshape(-1, neurons)
    splits = wires["key"].reshape(-1, places.words)
    rows = {_words(key) for key in splits}
    for number in range(shape.capacity):
        rows.add(_key(shape, chosen[number], signs[number], f"leaf {number}"))
    for number in range(slices):
        if (number, *[0] * (places.words - 1)) not in rows:
            raise RuleError("R-B-ROOT", f"slice {number}", "no row is the whole ball")
    nothing = [0] * neurons
    digits = {tuple(places.key(0, [int(i == neuron) for i in range(neurons)], nothing)) for neuron in range(neurons)}
    turn = GF(1 << places.digit_bits)
    for number, (key, digit) in enumerate(zip(splits, wires["digit"].reshape(-1, places.words), strict=True)):
        if _words(digit) not in digits:
            raise RuleError("R-B-SPLIT", f"split {number}", "the digit is no neuron's")
        for side, half in (("on", key + digit), ("off", key + turn * digit)):
            if _words(half) not in rows:
                raise RuleError("R-B-SPLIT", f"split {number}", f"no row is its half with the neuron {side}")


def _words(key: Elements) -> Words:
    """Return words as residues."""
    return tuple(int(word) for word in key)


def _key(shape: Shape, chosen: Elements, signs: Elements, where: str) -> Words:
    """Return the key of a leaf; refuse signs other than -1, 0 and 1, and all but one slice."""
    bits = [int(bit) for bit in chosen]
    if sorted(bits) != [0] * (shape.slices - 1) + [1]:
        raise RuleError("R-B-KEY", where, "not exactly one slice is chosen")
    for sign in signs:
        if sign not in (GF(0), GF(1), -GF(1)):
            raise RuleError("R-B-KEY", where, f"{int(sign)} is neither on nor off nor free")
    on, off = ([int(sign == side) for sign in signs] for side in (GF(1), -GF(1)))
    return _words(elements(places_of(shape).key(bits.index(1), on, off)))
