"""Figures as SVG files: panels side by side, the same bytes for the same numbers."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

_WIDTH, _HEIGHT = 3.4, 2.9


@contextmanager
def figure(path: Path, rows: int, columns: int, *, width: float = _WIDTH) -> Iterator[Any]:
    """Yield (rows, columns) panels to draw in, of a width in inches, and write them to an SVG file."""
    import matplotlib as mpl

    mpl.use("Agg")
    from matplotlib import pyplot as plt

    with mpl.rc_context():
        mpl.rc("axes", grid=True)
        mpl.rc("grid", alpha=0.3)
        mpl.rc("svg", fonttype="none", hashsalt=path.stem)
        drawn, panels = plt.subplots(
            rows, columns, figsize=(width * columns, _HEIGHT * rows), squeeze=False, layout="constrained"
        )
        try:
            yield panels
            drawn.savefig(path, format="svg", metadata={"Date": None})
        finally:
            plt.close(drawn)
