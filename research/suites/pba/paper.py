"""What the paper on persistent bias prints: its shares with persistent bias, observed, at delta 1 (tables 1 to 3)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

Shares = tuple[float, float | None]

OBSERVED: Mapping[tuple[str, str, str], Mapping[tuple[int, int], Shares]] = {
    ("adult", "sex", "agnostic"): {(100, 50): (29.5, 63.2), (200, 100): (37.4, 54.7), (500, 100): (31.7, 62.0)},
    ("adult", "sex", "certifair"): {(100, 50): (47.5, 32.6), (200, 100): (53.6, 33.8), (500, 100): (50.5, 39.6)},
    ("adult", "sex", "fair-n"): {(100, 50): (59.7, 29.2), (200, 100): (37.2, 49.2), (500, 100): (20.3, 60.1)},
    ("adult", "race", "agnostic"): {(100, 50): (59.2, 33.4), (200, 100): (78.3, 22.2), (500, 100): (75.8, 23.1)},
    ("adult", "race", "certifair"): {(100, 50): (17.6, 56.4), (200, 100): (30.0, 49.9), (500, 100): (27.2, 50.9)},
    ("adult", "race", "fair-n"): {(100, 50): (35.4, 34.9), (200, 100): (41.1, 33.7), (500, 100): (44.5, 42.0)},
    ("compas", "sex", "agnostic"): {(100, 50): (47.8, 41.0), (200, 100): (58.6, 34.4), (500, 100): (71.4, 12.4)},
    ("compas", "sex", "certifair"): {(100, 50): (7.0, 50.6), (200, 100): (6.3, 50.6), (500, 100): (5.7, 59.0)},
    # The last column of table 2 is missing in the text that these numbers were read from.
    ("compas", "sex", "fair-n"): {(100, 50): (28.8, 43.3), (200, 100): (39.7, 53.9), (500, 100): (32.0, None)},
    ("german", "age", "agnostic"): {(100, 50): (21.7, 80.0), (200, 100): (45.5, 56.9), (500, 100): (48.0, 57.4)},
    ("german", "age", "certifair"): {(100, 50): (33.3, 49.2), (200, 100): (64.0, 44.0), (500, 100): (44.4, 42.1)},
    ("german", "age", "fair-n"): {(100, 50): (85.7, 19.0), (200, 100): (85.7, 9.2), (500, 100): (90.0, 4.2)},
}
"""Percent of both groups, in the order of their names, by data set, attribute and training, and by hidden layers."""


def printed(part: Mapping[str, Any]) -> Shares | None:
    """Return the shares that the paper prints for a part's kind of network; None for one that it does not have."""
    return OBSERVED.get((part["dataset"], part["attribute"], part["mode"]), {}).get(tuple(part["hidden"]))
