"""Write the vectors anew: `python -m tests.vectors.generate` (or `make vectors`), on purpose only.

Nothing is drawn at random: the same bases give the same files. Review what changes; a published vector that changes is
a change of meaning.
"""

from __future__ import annotations

from tests.vectors.generate import catalogue
from tests.vectors.vector import FOLDER, bundle_paths, paths


def main() -> None:
    """Write every vector and base case that a program makes."""
    files = catalogue.files()
    for name, data in files.items():
        (FOLDER / name).parent.mkdir(parents=True, exist_ok=True)
        (FOLDER / name).write_bytes(data)
    others = [path for path in [*paths(), *bundle_paths()] if path.relative_to(FOLDER).as_posix() not in files]
    print(f"{len(files)} files written; {len(others)} that no program makes were left alone")
    for path in others:
        print(f"  {path.relative_to(FOLDER)}")


main()
