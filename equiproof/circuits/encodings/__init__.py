"""The feature encodings: how a raw value becomes columns, and what a distance between columns means for raw values.

Each encoding is one file, one class and one line of :data:`ENCODINGS`. Other modules look a feature's encoding up there
and call its methods; they never compare its name, so an added encoding cannot be treated as another one. What a value
may become within a radius is the encoding's own: nothing outside these files knows how distances belong to values.

All encodings share one scaling: a raw column number v becomes floor((v - mean) / scale * 2^f_x + 1/2). Numbers are
exact: fractions and integers.
"""

from __future__ import annotations

from typing import Literal

from equiproof.circuits.encodings.grid import Columns, EncodedFeature, Grid, Missing, on_grid
from equiproof.circuits.encodings.interface import ANY, NONE, Encoding, EncodingError, Kind, Moved, ShownEnds, named
from equiproof.circuits.encodings.log import Log
from equiproof.circuits.encodings.one_hot import ONE_HOT, OneHot
from equiproof.circuits.encodings.rank import Rank
from equiproof.circuits.encodings.reached import Reach
from equiproof.circuits.encodings.scaled import Scaled

__all__ = [
    "ANY",
    "ENCODINGS",
    "NONE",
    "ONE_HOT",
    "Columns",
    "EncodedFeature",
    "Encoding",
    "EncodingError",
    "EncodingName",
    "Grid",
    "Kind",
    "Log",
    "Missing",
    "Moved",
    "OneHot",
    "Rank",
    "Reach",
    "Scaled",
    "ShownEnds",
    "named",
    "on_grid",
]

EncodingName = Literal["scaled", "log", "rank", "one-hot"]

ENCODINGS: dict[EncodingName, Encoding] = {
    "scaled": Scaled(),
    "log": Log(),
    "rank": Rank(),
    "one-hot": OneHot(),
}
"""Name in a spec -> encoding."""
