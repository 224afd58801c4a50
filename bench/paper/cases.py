"""The cases: data set, network, sensitive features, capacity of the key, and the limits of its costs."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from bench.harness import BenchError

Variant = Literal["fair", "unfair"]


@dataclass(frozen=True)
class Targets:
    """Upper limits on two idle cores, of medians over points with a certificate; unlimited by default."""

    constraints: float = math.inf
    prove_s: float = math.inf
    online_s: float = math.inf
    proof_bytes: float = 200
    peak_mb: float = math.inf
    setup_s: float = math.inf


SMALL = Targets(constraints=25_000, prove_s=0.3, online_s=0.5, peak_mb=1000, setup_s=20)
WIDE = Targets(constraints=60_000, prove_s=0.8, online_s=1.2, peak_mb=1000, setup_s=20)
NONE = Targets()


@dataclass(frozen=True)
class Case:
    """One network on one data set.

    `fair_decay` is the weight decay that `certify.models.training.train_fair` finds for it; the paper's own values
    produce networks that give everyone the same label. `sensitive` replaces the data set's own sensitive features.
    """

    name: str
    dataset: str
    hidden: tuple[int, ...]
    capacity: int
    fair_decay: float
    targets: Targets = NONE
    sensitive: tuple[str, ...] | None = None

    @property
    def title(self) -> str:
        """The case as the paper writes it, such as German (4,2)."""
        place = {"default_credit": "Credit"}.get(self.dataset, self.dataset.capitalize())
        return f"{place} ({','.join(map(str, self.hidden))})"

    def decay(self, variant: Variant) -> float:
        """Return the weight decay of a variant: none for the unfair one."""
        return self.fair_decay if variant == "fair" else 0.0


PAPER = (
    Case("german-4-2", "german", (4, 2), 32, 0.03, SMALL),
    Case("german-2-4", "german", (2, 4), 32, 0.03, SMALL),
    Case("credit-4-2", "default_credit", (4, 2), 32, 0.01, SMALL),
    Case("credit-2-4", "default_credit", (2, 4), 32, 0.01, SMALL),
    Case("adult-4-2", "adult", (4, 2), 32, 0.01, SMALL),
    Case("adult-8-2", "adult", (8, 2), 128, 0.005, WIDE),
)
"""The paper's six models."""

MORE_SLICES = (
    Case("adult-4-2-sex-race", "adult", (4, 2), 64, 0.01, sensitive=("sex", "race")),
    Case("german-4-2-age", "german", (4, 2), 512, 0.03, sensitive=("age",)),
)
"""Sensitive features with 10 and with 53 joint values; the paper's six have 2."""

CASES: Mapping[str, Case] = {case.name: case for case in (*PAPER, *MORE_SLICES)}


def find(name: str) -> Case:
    """Return a case by name; raises BenchError, with the names, for an unknown one."""
    if name not in CASES:
        raise BenchError(f"unknown case {name!r}; the cases are {', '.join(CASES)}")
    return CASES[name]
