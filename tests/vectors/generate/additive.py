"""Write witnesses of the circuits of additive models: `python -m tests.vectors.generate.additive`.

The files of go-gnark/relation/testdata/additive have honest wires, then lies, as those of
:mod:`tests.vectors.generate.composed` do.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Protocol

import msgspec

from equiproof.circuits.canonical import canonical_bytes
from equiproof.circuits.shape import Shape
from tests.soundness.additive_column_lies import at_the_query, full, plain_alone
from tests.soundness.additive_lies import honest, nothing_live, one_leaf
from tests.soundness.additive_missing_lies import lacking, lacking_at_the_query
from tests.soundness.additive_range_lies import kept, kept_at_the_query
from tests.soundness.additive_told import LIES, Honest, told

FOLDER = Path(__file__).resolve().parents[3] / "go-gnark" / "relation" / "testdata" / "additive"

TRUTHS: dict[str, tuple[Honest, ...]] = {
    "columns": (honest, nothing_live, one_leaf),
    "ranges": (kept, kept_at_the_query),
    "plain": (plain_alone,),
    "slices": (full, at_the_query),
    "missing": (lacking, lacking_at_the_query),
}
"""The honest witnesses of each file; all are of one shape."""


class Witnessed(Protocol):
    """What a file has of a witness."""

    @property
    def rule(self) -> str:
        """The rule that it breaks, none for an honest one."""

    @property
    def shape(self) -> Shape:
        """The shape of its wires."""

    @property
    def wires(self) -> Mapping[str, Sequence[int]]:
        """Its wires by name."""

    @property
    def public(self) -> int:
        """The digest of what it states."""


Telling = Callable[[str], Witnessed]
"""What makes the witness of a lie from its name."""


def files() -> dict[str, bytes]:
    """Return the files by name."""
    return {
        f"{file}.json": written(truths, [name for name, lie in LIES.items() if lie[1] in truths], told)
        for file, truths in TRUTHS.items()
    }


def written(truths: Sequence[Callable[[], Witnessed]], lies: Iterable[str], telling: Telling) -> bytes:
    """Return the file of a shape: its truths, and the lies that are changes of them, told by their names.

    All but the first witness name only the wires that are not its own.
    """
    first = truths[0]()
    witnesses = [_witness("honest", first, {})]
    witnesses += [_witness(of.__name__.replace("_", "-"), of(), first.wires) for of in truths[1:]]
    witnesses += [_witness(name, telling(name), first.wires) for name in lies]
    shape = msgspec.json.decode(canonical_bytes(first.shape))
    return msgspec.json.format(msgspec.json.encode({"shape": shape, "witnesses": witnesses}), indent=1) + b"\n"


def _witness(name: str, of: Witnessed, first: Mapping[str, Sequence[int]]) -> dict[str, object]:
    """Return a witness without the wires of the first one."""
    wires = {run: " ".join(map(str, values)) for run, values in of.wires.items() if values != first.get(run)}
    return {"name": name, **({"rule": of.rule} if of.rule else {}), "digest": str(of.public), "wires": wires}


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    for file, data in files().items():
        (FOLDER / file).write_bytes(data)
