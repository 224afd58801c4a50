"""Write the ceremony that vectors of transcripts change: `python -m tests.vectors.generate.transcript_base`.

Contributions are random, so it is written on purpose only; the vectors around it are made of what stands there.
"""

from __future__ import annotations

import json
import tempfile
from pathlib import Path

from tests.prover.ceremony.parties import ANNA, BEN, CAROL, powers_ceremony
from tests.vectors.vector import FOLDER


def write() -> None:
    """Write a closed phase 1 with three contributions."""
    with tempfile.TemporaryDirectory() as name:
        folder = powers_ceremony(Path(name) / "powers", ANNA, BEN, CAROL, closed=True).path
        files = {path.name: path.read_bytes().hex() for path in sorted(folder.iterdir())}
    (FOLDER / "base" / "ceremony.json").write_text(json.dumps(files, indent=1) + "\n")


if __name__ == "__main__":
    write()
