"""Write witnesses of the circuits of ensembles: `python -m tests.vectors.generate.trees`.

The files of go-gnark/relation/testdata/trees have honest wires, then lies, as those of
:mod:`tests.vectors.generate.additive` do.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from tests.soundness import trees_slot_lies  # noqa: F401 -- its lies are registered
from tests.soundness.additive_told import Told
from tests.soundness.trees_column_lies import several, several_at_the_query
from tests.soundness.trees_lies import LIES, told
from tests.soundness.trees_missing_lies import lacking_ensemble, lacking_ensemble_at_the_query
from tests.soundness.trees_range_lies import kept, kept_at_the_query, kept_narrowly
from tests.soundness.trees_set_lies import far, homeless_ensemble, sorted_ensemble, sorted_ensemble_at_the_query
from tests.soundness.trees_told import ample, ample_at_the_query, honest, nothing_live, wide
from tests.vectors.generate.additive import written

FOLDER = Path(__file__).resolve().parents[3] / "go-gnark" / "relation" / "testdata" / "trees"

TRUTHS: dict[str, tuple[Callable[[], Told], ...]] = {
    "ensemble": (honest, nothing_live, ample, ample_at_the_query, wide),
    "slices": (several, several_at_the_query),
    "ranges": (kept, kept_at_the_query, kept_narrowly),
    "missing": (lacking_ensemble, lacking_ensemble_at_the_query),
    "sets": (sorted_ensemble, sorted_ensemble_at_the_query, far),
    "sets_missing": (homeless_ensemble,),
}
"""The honest witnesses of each file; all are of one shape."""


def files() -> dict[str, bytes]:
    """Return the files by name."""
    return {
        f"{file}.json": written(truths, [name for name, lie in LIES.items() if lie[1] in truths], told)
        for file, truths in TRUTHS.items()
    }


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    for file, data in files().items():
        (FOLDER / file).write_bytes(data)
