"""Write witnesses of the circuit of ensembles: `python -m tests.vectors.generate.trees`.

The file of go-gnark/relation/testdata/trees has honest wires, then lies, as those of
:mod:`tests.vectors.generate.composed` do.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import msgspec

from equiproof.circuits.canonical import canonical_bytes
from tests.soundness.additive_told import Told
from tests.soundness.trees_lies import LIES, told
from tests.soundness.trees_told import ample, honest, nothing_live

FILE = Path(__file__).resolve().parents[3] / "go-gnark" / "relation" / "testdata" / "trees" / "ensemble.json"


def data() -> bytes:
    """Return the file: all witnesses are of one shape, and name the wires only that are not the first one's."""
    first = honest()
    witnesses = [_witness("honest", first, {})]
    witnesses += [_witness(of.__name__.replace("_", "-"), of(), first.wires) for of in (nothing_live, ample)]
    witnesses += [_witness(name, told(name), first.wires) for name in LIES]
    shape = msgspec.json.decode(canonical_bytes(first.shape))
    return msgspec.json.format(msgspec.json.encode({"shape": shape, "witnesses": witnesses}), indent=1) + b"\n"


def _witness(name: str, of: Told, first: Mapping[str, Sequence[int]]) -> dict[str, object]:
    """Return a witness without the wires of the first one."""
    wires = {run: " ".join(map(str, values)) for run, values in of.wires.items() if values != first.get(run)}
    return {"name": name, **({"rule": of.rule} if of.rule else {}), "digest": str(of.public), "wires": wires}


if __name__ == "__main__":
    FILE.parent.mkdir(exist_ok=True)
    FILE.write_bytes(data())
