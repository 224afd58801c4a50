"""Write witnesses of the composed circuits of `branch` and `gain`: `python -m tests.vectors.generate.composed`.

A file of go-gnark/relation/testdata/composed has the witnesses of one shape: honest wires, then lies, each as those
runs of wires that differ from the honest ones, under the public input that goes with its own wires. Numbers are
decimal. A lie names the rule that it breaks, as `circuits.reference` finds it; that nothing else refuses it the Go
tests see by the parts of the circuit whose constraints fail.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import msgspec

from equiproof.circuits.shape import Shape
from tests.circuits.tiny_cases import broken_rule
from tests.soundness.branch_case import Lie, tell
from tests.soundness.composed import BROKEN, FALSE, OTHER_TRUTHS, TRUTHS

FOLDER = Path(__file__).resolve().parents[3] / "go-gnark" / "relation" / "testdata" / "composed"


def files() -> dict[str, bytes]:
    """Return the files by name; every witness is of a shape that has an honest one, which stands first."""
    truths = {name: truth() for name, truth in TRUTHS.items()}
    by_shape = {truth.shape: [_witness("honest", truth, {}, honest=True)] for truth in truths.values()}
    first = {truth.shape: truth.wires for truth in truths.values()}
    for telling in (*OTHER_TRUTHS, *FALSE, *BROKEN):
        of, name = tell(telling), telling.__name__.replace("_", "-")
        by_shape[of.shape].append(_witness(name, of, first[of.shape], honest=telling in OTHER_TRUTHS))
    return {f"{name}.json": _written(truth.shape, by_shape[truth.shape]) for name, truth in truths.items()}


def _written(shape: Shape, witnesses: Sequence[Mapping[str, object]]) -> bytes:
    """Return the file of a shape."""
    return msgspec.json.format(msgspec.json.encode({"shape": shape, "witnesses": witnesses}), indent=1) + b"\n"


def _witness(name: str, of: Lie, first: Mapping[str, Sequence[int]], *, honest: bool) -> dict[str, object]:
    """Return a witness without the wires of the first one; an honest one breaks no rule, and all others do."""
    public = of.public
    rule = broken_rule(of.shape, public, of.wires)
    assert (rule is None) == honest, (name, rule)
    wires = {run: " ".join(map(str, values)) for run, values in of.wires.items() if values != first.get(run)}
    return {"name": name, **({"rule": rule} if rule else {}), "digest": str(public), "wires": wires}


def main() -> None:
    """Write all files anew, and take away others."""
    FOLDER.mkdir(exist_ok=True)
    found = files()
    for path in FOLDER.iterdir():
        if path.name not in found:
            path.unlink()
    for name, data in found.items():
        (FOLDER / name).write_bytes(data)
        print(f"{name}: {len(data)} bytes")


if __name__ == "__main__":
    main()
