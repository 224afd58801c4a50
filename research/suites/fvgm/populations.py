"""Rows of data sets as columns, with the sensitive features that the applications look at."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from equiproof.audits.fvgm.coding import Column, design
from equiproof.audits.fvgm.pipeline import Rows
from equiproof.certify.data import load

FEMALE = frozenset({"A92", "A95"})
"""Codes of German's personal status and sex that mean female."""

Array = npt.NDArray[Any]


@dataclass(frozen=True)
class Population:
    """Raw columns by feature and labels of a data set; `sensitive` are those of its features that make groups."""

    name: str
    columns: Mapping[str, Column]
    labels: npt.NDArray[np.int64]
    sensitive: tuple[str, ...]

    def rows(self, kept: Array | None = None, features: Sequence[str] | None = None) -> Rows:
        """Return some rows with some features, ready for a linear model."""
        mask = np.arange(len(self.labels)) if kept is None else kept
        names = list(self.columns) if features is None else [n for n in self.columns if n in features]
        columns = {name: self.columns[name][mask] for name in names}
        X, blocks = design(columns)
        return Rows(columns, X, blocks, self.sensitive)


def population(name: str, sensitive: Sequence[str], data_dir: Path | None) -> Population:
    """Load a data set; for German, "sex" is read from personal status and sex, and "age" cut at 25 by its edges."""
    data = load(name, data_dir)
    columns: dict[str, Column] = {}
    for feature in data.spec.features:
        kind: Any = np.float64 if feature.kind == "numeric" else object
        columns[feature.name] = np.array([row[feature.name] for row in data.rows], dtype=kind)
    if name == "german" and "sex" in sensitive:
        status = columns.pop("personal_status_and_sex")
        columns["sex"] = np.array(["female" if value in FEMALE else "male" for value in status], dtype=object)
    return Population(name, columns, data.label_array(), tuple(sensitive))
