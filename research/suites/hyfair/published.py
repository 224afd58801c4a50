"""Printed figures of the HyFair paper (arXiv 2512.23769, tables I to IV) for the twenty networks."""

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

MITIGATED: Mapping[str, tuple[tuple[float, float, float, float], ...]] = {
    "AC-1": ((81.81, 20.0, 9.3, 53.3), (81.81, 18.1, 9.1, 68.6), (81.22, 20.0, 13.2, 32.5), (81.22, 19.5, 13.6, 30.9)),
    "AC-2": ((83.19, 19.0, 14.0, 87.7), (83.19, 18.2, 14.2, 37.6), (82.32, 20.0, 4.8, 48.5), (82.32, 19.5, 5.2, 37.8)),
    "AC-3": ((83.29, 20.0, 14.3, 58.0), (83.29, 19.7, 11.9, 2.8), (82.25, 20.0, 16.8, 70.5), (82.25, 20.0, 16.8, 59.7)),
    "AC-4": ((82.74, 20.0, 17.1, 90.5), (82.74, 16.9, 12.9, 2.8), (82.6, 5.0, 5.0, 0.2), (82.6, 11.8, 9.2, 13.2)),
    "AC-5": (
        (83.36, 18.2, 13.0, 97.7),
        (83.36, 17.5, 13.5, 55.1),
        (82.66, 18.5, 11.1, 57.3),
        (82.66, 19.5, 10.7, 49.2),
    ),
    "AC-6": ((82.04, 20.0, 13.8, 91.5), (82.04, 18.8, 13.6, 7.4), (80.86, 20.0, 10.3, 10.9), (80.86, 19.2, 10.0, 10.0)),
    "AC-7": ((82.96, 16.5, 14.3, 0.4), (82.96, 11.0, 10.2, 0.0), (81.91, 0.0, 0.0, 0.0), (81.91, 9.5, 8.3, 0.6)),
    "AC-8": (
        (82.45, 16.9, 12.3, 57.0),
        (82.45, 16.0, 11.7, 24.1),
        (81.65, 20.0, 18.3, 81.3),
        (81.65, 20.0, 18.4, 82.4),
    ),
    "AC-9": ((82.07, 19.0, 13.7, 77.6), (82.07, 18.0, 13.5, 3.3), (80.96, 19.0, 16.4, 88.2), (80.96, 18.2, 16.0, 65.4)),
    "AC-10": (
        (81.68, 16.9, 11.3, 51.6),
        (81.68, 16.0, 13.0, 22.0),
        (81.28, 19.0, 12.5, 59.4),
        (81.28, 19.0, 12.5, 60.6),
    ),
    "AC-11": (
        (82.19, 20.0, 15.0, 73.8),
        (81.19, 19.6, 14.0, 32.7),
        (80.85, 20.0, 10.2, 57.5),
        (80.85, 17.7, 9.2, 46.0),
    ),
    "AC-12": ((82.16, 20.0, 15.7, 70.8), (82.16, 19.2, 17.7, 0.3), (81.66, 15.0, 9.2, 62.8), (81.66, 14.2, 9.2, 47.1)),
    "BM-1": ((90.63, 9.0, 5.2, 57.2), (90.63, 5.8, 4.7, 0.2), (90.11, 9.0, 6.1, 5.6), (90.11, 8.5, 5.8, 3.5)),
    "BM-2": ((90.27, 9.0, 4.6, 6.5), (90.63, 8.4, 5.1, 6.4), (89.86, 9.0, 6.0, 19.2), (89.86, 4.5, 2.9, 6.6)),
    "BM-3": ((90.35, 9.0, 6.5, 26.5), (90.35, 7.2, 5.3, 0.1), (90.17, 9.0, 7.8, 19.2), (90.17, 9.0, 7.5, 5.5)),
    "BM-5": ((90.26, 6.0, 3.7, 16.0), (90.26, 5.0, 4.1, 4.6), (89.81, 9.0, 4.7, 2.6), (89.81, 6.5, 3.5, 1.8)),
    "BM-6": ((89.89, 8.0, 3.4, 20.5), (89.89, 6.0, 2.6, 5.4), (89.03, 9.0, 6.1, 25.7), (89.03, 8.8, 6.4, 17.4)),
    "BM-8": ((90.07, 8.0, 4.8, 16.5), (90.07, 5.0, 3.9, 10.2), (90.22, 3.0, 3.0, 0.0), (90.22, 0.0, 0.0, 0.0)),
}
"""Table IV: percent of right decisions, largest k, mean k and success rate in percent, in each of its four states.

They are the network as it is, behind rules, retrained, and both; BM-4 and BM-7 have none.
"""
