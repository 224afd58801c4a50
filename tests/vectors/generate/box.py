"""Write witnesses of the circuits of boxes: `python -m tests.vectors.generate.box`.

The files of go-gnark/relation/testdata/box have honest wires, then lies, as those of
:mod:`tests.vectors.generate.additive`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from tests.soundness import box_branch_lies, box_choices_lies, box_lies, box_told, box_trees_lies, box_values_lies
from tests.vectors.generate.additive import Telling, written

FOLDER = Path(__file__).resolve().parents[3] / "go-gnark" / "relation" / "testdata" / "box"

TRUTHS: Mapping[str, Sequence[box_told.Honest]] = {
    "homes": box_lies.TRUTHS,
    **box_choices_lies.TRUTHS,
    **box_trees_lies.TRUTHS,
    **box_values_lies.TRUTHS,
    **box_branch_lies.TRUTHS,
}
"""The honest witnesses of each file; all are of one shape."""

REGISTERS = (
    (box_told.LIES, box_told.told),
    (box_trees_lies.LIES, box_trees_lies.told),
    (box_values_lies.LIES, box_values_lies.told),
    (box_branch_lies.LIES, box_branch_lies.told_by),
)
"""The lies by name about additive models, ensembles and networks, and what tells them."""


def files() -> dict[str, bytes]:
    """Return the files by name."""
    return {f"{file}.json": written(truths, _lies(truths), _telling(truths)) for file, truths in TRUTHS.items()}


def _lies(truths: Sequence[box_told.Honest]) -> list[str]:
    """Return the names of the lies that are changes of some truths."""
    every = {name: of for register, _ in REGISTERS for name, (_, of, *_) in register.items()}
    return [name for name, of in every.items() if of in truths]


def _telling(truths: Sequence[box_told.Honest]) -> Telling:
    """Return what tells the lies about some truths."""
    names = _lies(truths)
    (telling,) = (telling for register, telling in REGISTERS if register.keys() >= {*names})
    return telling


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    for file, data in files().items():
        (FOLDER / file).write_bytes(data)
