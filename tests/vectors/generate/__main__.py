"""Write the vectors anew: `python -m tests.vectors.generate` (or `make vectors`), on purpose only.

Nothing is drawn at random: the same bases give the same files. Review what changes; a published vector that changes is
a change of meaning.
"""

from __future__ import annotations

from tests.vectors.generate import catalogue
from tests.vectors.vector import FOLDER, paths


def main() -> None:
    """Replace every vector and base case."""
    files = catalogue.files()
    for path in paths():
        path.unlink()
    for name, data in files.items():
        (FOLDER / name).parent.mkdir(exist_ok=True)
        (FOLDER / name).write_bytes(data)
    print(f"{len(files)} files in {FOLDER}")


main()
