"""Printed figures of the HyFair paper (arXiv 2512.23769, tables I to III) for the twenty networks."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple


class Printed(NamedTuple):
    """Mean figures of the paper, None where it prints no figure.

    `first_s` and `clusters` are time to first and the number of clusters of its mixed-integer program (table I), of
    `fairify` where the program found nothing; `max_k` is the largest mean over tables I and II; `falls` is the
    fall of k by its rules and by LIME's features (table III).
    """

    first_s: float
    clusters: float | None
    max_k: float
    falls: tuple[float, float] | None = None
    certified: bool = False


PAPER: Mapping[str, Printed] = {
    "AC-1": Printed(0.5, 18.6, 20.0, (11.6, 11.5)),
    "AC-2": Printed(2.7, 17.8, 19.0, (9.2, 9.1)),
    "AC-3": Printed(3.4, 16.0, 20.0, (11.5, 9.8)),
    "AC-4": Printed(106.2, 8.5, 20.0, (11.3, 3.9)),
    "AC-5": Printed(25.1, 15.0, 18.3, (7.1, 7.0)),
    "AC-6": Printed(0.3, 16.6, 20.0, (8.8, 2.3)),
    "AC-7": Printed(73.8, 17.2, 17.2, (16.0, 5.0)),
    "AC-8": Printed(0.2, 17.2, 17.2, (10.0, 7.6)),
    "AC-9": Printed(0.2, 16.0, 19.0, (12.0, 12.3)),
    "AC-10": Printed(0.43, 17.6, 17.6, (7.0, 9.1)),
    "AC-11": Printed(64.2, 9.0, 20.0, (8.7, 4.2)),
    "AC-12": Printed(3.8, 18.8, 20.0, (17.2, 9.2)),
    "BM-1": Printed(2.4, 9.0, 9.0, (7.1, 5.3)),
    "BM-2": Printed(5.3, 9.0, 9.0, (4.0, 3.7)),
    "BM-3": Printed(2.3, 9.0, 9.0, (5.2, 3.3)),
    "BM-4": Printed(6.5, None, 2.0, certified=True),
    "BM-5": Printed(1.6, 9.0, 9.0, (3.1, 3.6)),
    "BM-6": Printed(3.5, 5.8, 8.2, (4.2, 2.0)),
    "BM-7": Printed(24.1, None, 5.2, certified=True),
    "BM-8": Printed(63.7, 4.8, 8.0, (3.9, 4.6)),
}
"""BM-4 and BM-7 are 2-fair according to the paper's program; their figures are those of Fairify in its table I."""
