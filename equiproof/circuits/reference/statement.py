"""What a relation states: the digest of all that its wires open, and of a kept model what is shown (R-K-SHOWN)."""

from __future__ import annotations

from equiproof.circuits.layout import word_segments
from equiproof.circuits.reference.commitment import opened
from equiproof.circuits.reference.digest import digest as statement_digest
from equiproof.circuits.reference.field import Wires, elements
from equiproof.circuits.reference.kept import shown
from equiproof.circuits.shape import Shape


def hold_statement(shape: Shape, digest: int, wires: Wires, first: int | None = None) -> None:
    """Refuse a public input that is not the digest of what the wires open.

    `first` is the challenge of a kept model's words, which no wire has.
    """
    digests = {name: value.reshape(1) for name, value in opened(shape, wires).items()}
    if shape.kept:
        if first is None:
            raise TypeError("the first challenge of a kept model is missing")
        names = [segment.name for segment in word_segments(shape)]
        digests["shown"] = shown(wires, names, wires["model_commitment"][0], elements([first])[0]).reshape(1)
    statement_digest(shape, {**wires, **digests, "statement_digest": elements([digest])})
