"""Write witnesses of the circuit of ensembles: `python -m tests.vectors.generate.trees`.

The file of go-gnark/relation/testdata/trees has honest wires, then lies, as those of
:mod:`tests.vectors.generate.additive` do.
"""

from __future__ import annotations

from pathlib import Path

from tests.soundness.trees_lies import LIES, told
from tests.soundness.trees_told import ample, honest, nothing_live
from tests.vectors.generate.additive import written

FILE = Path(__file__).resolve().parents[3] / "go-gnark" / "relation" / "testdata" / "trees" / "ensemble.json"


def data() -> bytes:
    """Return the file; all witnesses are of one shape."""
    return written((honest, nothing_live, ample), LIES, told)


if __name__ == "__main__":
    FILE.parent.mkdir(exist_ok=True)
    FILE.write_bytes(data())
