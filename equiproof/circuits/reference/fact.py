"""Predicates of ensembles as a query sees them."""

from __future__ import annotations

from typing import NamedTuple


class Fact(NamedTuple):
    """A predicate as the query sees it: its slot from 1, or 0, its side, its life, and whether its value is missing."""

    slot: int
    side: int
    life: int
    away: int
