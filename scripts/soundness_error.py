"""Print the table of docs/soundness.md: how many challenges a false identity can hold for, and how likely that is.

`python -m scripts.soundness_error`. Degrees are those that Go tests count on compiled circuits
(go-gnark/relation/testdata/degrees.csv). For shapes that are too large to compile they follow from formulas; tests hold
these to the counts.
"""

from __future__ import annotations

import csv
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from equiproof.circuits.field import ORDER

COUNTED = Path(__file__).resolve().parent.parent / "go-gnark" / "relation" / "testdata" / "degrees.csv"

ARGUMENTS = ("range checks", "products", "slopes", "tree", "slices' table", "keys' table")
"""The columns of degrees."""

TRIALS = 100
"""An adversary makes 2^100 hashes."""

MAX_DEGREE = 1 << 49
"""That of the identities of a key; a set-up refuses more (go-gnark/internal/lint)."""

MAX_CAPACITY, MAX_NEURONS, MAX_SLICES = 1 << 16, 4096, 4096
"""The limits of shapes of scheme `branch` (go-gnark/shape)."""

MAX_CONSTRAINTS = 1 << 28
"""That of a key: the order of the largest group of roots of unity that is a power of two."""

_SLOPES = (1 << 8) + 1
_WORD_BITS = 248


@dataclass(frozen=True)
class Counted:
    """The sizes of a shape, and the largest degree of each argument's identities: 0 for those it does not have."""

    scheme: str
    plain: int
    sensitive: int
    hidden: tuple[int, ...]
    logits: int
    slices: int
    capacity: int
    degrees: Mapping[str, int]

    @property
    def largest(self) -> tuple[str, int]:
        """The argument of the identity of the largest degree, and this degree."""
        name = max(self.degrees, key=lambda one: self.degrees[one])
        return name, self.degrees[name]


def counted() -> list[Counted]:
    """Read what was counted on compiled circuits."""
    found = []
    with COUNTED.open(encoding="utf-8", newline="") as lines:
        for row in csv.DictReader(lines):
            plain, sensitive = map(int, row["inputs"].split("+"))
            shape = Counted(
                scheme=row["scheme"],
                plain=plain,
                sensitive=sensitive,
                hidden=tuple(map(int, row["hidden"].split("x"))),
                logits=int(row["logits"]),
                slices=int(row["slices"]),
                capacity=int(row["capacity"]),
                degrees={name: int(row[name]) for name in ARGUMENTS},
            )
            found.append(shape)
    return found


def formulas(shape: Counted) -> dict[str, int]:
    """Return the degrees of all arguments but the range checks, which only compiling counts."""
    neurons, slices, capacity = sum(shape.hidden), shape.slices, shape.capacity
    if shape.scheme == "traversal":
        entries = shape.hidden[0] + 1
        return {
            "products": 0,
            "slopes": 0,
            "tree": 0,
            "slices' table": 2 * (slices * entries + (capacity - slices) * entries - 1),
            "keys' table": 3 * (capacity + capacity * neurons - 1),
        }
    # Relation `gain` has bounds of the network on two slices, and leaves of two copies on one: trees of their neurons.
    copies = 2 if shape.scheme == "gain" else 1
    widths = (shape.plain + shape.sensitive, *shape.hidden)
    results = [shape.plain + copies * shape.sensitive + 1, *(copies * columns + 1 for columns in widths[1:-1])]
    results += [rows * (columns + 1) for columns, rows in zip(widths[:-2], shape.hidden[1:], strict=True)]
    if slices > 4:
        results.append(shape.sensitive + 2 * neurons)
    queries = slices * (2 * neurons - shape.hidden[-1]) + capacity * max(1, shape.logits - 1) * (1 + copies * neurons)
    return {
        "products": 2 * (max(results) - 1),
        "slopes": 3 * (_SLOPES + queries - 1),
        "tree": tree(copies * neurons, slices if copies == 1 else 1, capacity),
        "slices' table": 0,
        "keys' table": 0,
    }


def tree(neurons: int, slices: int, capacity: int) -> int:
    """Return the degree of a tree's identities: that of keys, or that of digits.

    X is t = c^4, and words after the first have t^(2^b), 2^b above all rows and queries, and its powers. A row or query
    whose last word that is not 0 is number w, from 0, has degree max(1, w 2^b) in t.
    """
    splits = capacity - slices
    places, last = digits(neurons, slices, splits.bit_length())
    rows = splits + capacity
    base = 1 << (rows + slices + 2 * splits + neurons + splits).bit_length()
    tuples = max(1, last * base)
    keys = (rows + 2 * splits) * tuples + slices - 1
    ends = sum(max(1, word * base) for word in places) + splits * tuples - 1
    return 4 * max(keys, ends)


def digits(neurons: int, slices: int, bits: int) -> tuple[list[int], int]:
    """Return the word of each neuron's two digits of some bits, and the number of the last word."""
    word, used, places = 0, (slices - 1).bit_length(), []
    for _ in range(neurons):
        if used + 2 * bits > _WORD_BITS:
            word, used = word + 1, 0
        places.append(word)
        used += 2 * bits
    return places, word


@cache
def worst() -> int:
    """Return a degree that no identity of an accepted shape exceeds, if a key can be made for it.

    A tree's grows with the neurons, and falls with the slices for each number of bits that a slice takes. That of
    relation `gain` is of one slice, and of as many neurons with both copies. Every row, query and result of the other
    arguments costs a constraint, and the challenges are the first four powers.
    """
    trees = [
        tree(MAX_NEURONS, (1 << bits) + 1, 1 << leaves)
        for leaves in range(2, MAX_CAPACITY.bit_length())
        for bits in range((MAX_SLICES - 1).bit_length())
        if (1 << bits) + 1 < 1 << leaves
    ]
    trees += [tree(MAX_NEURONS, 1, 1 << leaves) for leaves in range(1, MAX_CAPACITY.bit_length())]
    return max(*trees, 4 * MAX_CONSTRAINTS)


def exponent(degree: int, trials: int = 0) -> float:
    """Return x for an error below 2^-x: degree / p for each of 2^trials challenges; one decimal, rounded down."""
    return math.floor(10 * (math.log2(ORDER) - math.log2(degree) - trials)) / 10


def power(number: int) -> str:
    """Write a degree as a power of two, rounded up."""
    return f"2^{math.ceil(10 * math.log2(number)) / 10:.1f}"


def table() -> str:
    """Return the table in Markdown."""
    head = ("scheme", "inputs", "hidden", "logits", "S", "K", "largest degree", "one challenge", "2^100 hashes")
    rows = [
        (
            shape.scheme,
            f"{shape.plain}+{shape.sensitive}",
            ",".join(map(str, shape.hidden)),
            *(str(number) for number in (shape.logits, shape.slices, shape.capacity)),
            *_errors(shape.largest[1], f"{shape.largest[1]:,} ({shape.largest[0]})"),
        )
        for shape in counted()
    ]
    rows.append(("any accepted", "", "", "", "", "65,536", *_errors(worst(), f"{power(worst())} (tree)")))
    rows.append(("any with a key", "", "", "", "", "", *_errors(MAX_DEGREE, f"{power(MAX_DEGREE)} (refused beyond)")))
    return "\n".join(_line(row) for row in (head, ("---",) * len(head), *rows))


def _errors(degree: int, text: str) -> Sequence[str]:
    return text, f"2^-{exponent(degree):.1f}", f"2^-{exponent(degree, TRIALS):.1f}"


def _line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |" if cells[0] != "---" else f"|{'|'.join(cells)}|"


if __name__ == "__main__":
    print(table())
