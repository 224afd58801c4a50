"""Figures that FairProof prints (ICML 2024, table 1, sections 5 and E), and times of its published code run here."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Printed:
    """A row of table 1: means over 100 random points, one thread of an i9; minutes of proving only."""

    online_min: float
    offline_min: float
    traversals: int


TABLE_1: Mapping[str, Printed] = {
    "german-4-2": Printed(4.90, 3.61, 40),
    "german-2-4": Printed(1.17, 0.67, 13),
    "credit-4-2": Printed(3.52, 2.31, 28),
    "credit-2-4": Printed(2.08, 1.11, 25),
    "adult-4-2": Printed(3.94, 1.72, 41),
    "adult-8-2": Printed(3.94, 1.34, 38),
}

PROOF_BYTES = 43_500
"""For German (2,4), the one size that is given as a number; verification is "in seconds"."""


@dataclass(frozen=True)
class Built:
    """The paper's published code, built with the versions it names and run on two cores, on one query."""

    case: str
    query: str
    seconds: float
    what: str
    proofs: int
    constraints: int | None
    peak_gb: float | None


BUILT = (
    Built("german-4-2", "(4,2), 20 inputs, 30 traversals", 59.6, "proving alone", 330, 8_700_000, 2.1),
    Built("adult-8-2", "Adult (8,2), 4 traversals", 206.0, "in all", 71, None, None),
)
