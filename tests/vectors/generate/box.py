"""Write witnesses of additive models on boxes: `python -m tests.vectors.generate.box`.

go-gnark/relation/testdata/box.json has honest wires, then lies, as the files of :mod:`tests.vectors.generate.additive`.
"""

from __future__ import annotations

from pathlib import Path

from tests.soundness.box_lies import TRUTHS
from tests.soundness.box_told import LIES, told
from tests.vectors.generate.additive import written

FILE = Path(__file__).resolve().parents[3] / "go-gnark" / "relation" / "testdata" / "box" / "homes.json"


def data() -> bytes:
    """Return the file."""
    return written(TRUTHS, LIES, told)


if __name__ == "__main__":
    FILE.parent.mkdir(exist_ok=True)
    FILE.write_bytes(data())
