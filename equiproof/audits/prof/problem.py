"""What a repair is asked to do, and the exact test of whether a network does it.

The test is in integers, on the committed network: whatever floats found, only a network that passes is a repair.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import torch

from equiproof.audits.prof.bounds import Region
from equiproof.audits.prof.calibrate import Floats, Integers
from equiproof.audits.prof.clock import ENDLESS, Clock
from equiproof.audits.prof.exact import TIME_ENDED, Alike, check
from equiproof.audits.prof.similar import Similarity
from equiproof.certify.decisions import decisions
from equiproof.certify.network import QuantisedNetwork

MAX_POINTS = 1 << 19
"""The most similar inputs that are listed, over all repair points."""


@dataclass(frozen=True, eq=False)
class KeptRows:
    """Rows to be decided as they are labelled: inputs (rows, n_x + n_s) on the committed grid, labels (rows,)."""

    inputs: Integers
    labels: Integers

    def count_right(self, network: QuantisedNetwork) -> int:
        """Return how many of the rows a network decides as they are labelled."""
        return int((decisions(network, self.inputs) == self.labels).sum()) if len(self.labels) else 0

    def share_right(self, network: QuantisedNetwork) -> float:
        """Return the share of the rows that a network decides as they are labelled, 1 of none."""
        return self.count_right(network) / len(self.labels) if len(self.labels) else 1.0


@dataclass(frozen=True)
class Refusal:
    """Why a network is no repair; one line."""

    reason: str


@dataclass
class RepairLog:
    """What a repair tried, one line for each attempt, and the seconds of its parts."""

    attempts: list[str] = field(default_factory=list)
    seconds: dict[str, float] = field(default_factory=dict)

    def add(self, attempt: str) -> None:
        """Add a line."""
        self.attempts.append(attempt)

    @contextmanager
    def timed(self, part: str) -> Iterator[None]:
        """Count the seconds of a block for a part."""
        begin = time.perf_counter()
        yield
        self.seconds[part] = self.seconds.get(part, 0.0) + time.perf_counter() - begin


@dataclass(frozen=True, eq=False)
class RepairProblem:
    """A network, a relation, the repair points (n_x integers each), and the rows to keep, at least `least_right`.

    `clock` ends every step of the repair.
    """

    network: QuantisedNetwork
    similarity: Similarity
    queries: Sequence[tuple[int, ...]]
    kept: KeptRows
    least_right: int
    clock: Clock = ENDLESS

    @cached_property
    def listed(self) -> list[Integers] | None:
        """The similar inputs of every repair point, each of shape (k, n_x + n_s); None where they are too many."""
        if not self.similarity.finite:
            return None
        inputs_each = len(self.similarity.boxes(self.queries[0]))
        if inputs_each * len(self.queries) > MAX_POINTS:
            return None
        return [self.similarity.points(query) for query in self.queries]

    @cached_property
    def region(self) -> Region:
        """The hulls of the similar inputs of every repair point, in the spec's units."""
        columns = self.similarity.columns
        hulls = [self.similarity.hull(query) for query in self.queries]
        lows = self.in_units(np.array([low for low, _ in hulls]))
        highs = self.in_units(np.array([high for _, high in hulls]))
        fixed = lows.copy()
        fixed[:, columns] = 0.0
        return Region(
            torch.from_numpy(fixed), columns, torch.from_numpy(lows[:, columns]), torch.from_numpy(highs[:, columns])
        )

    def in_units(self, inputs: Integers) -> Floats:
        """Return inputs on the committed grid in the spec's units."""
        return np.asarray(inputs.astype(np.float64) / self.similarity.spec.scale_unit)

    def labels_before(self) -> list[int]:
        """Return the label of every repair point before, under the first values of the sensitive features."""
        first_values = self.similarity.spec.domain_table[0]
        rows = np.array([(*query, *first_values) for query in self.queries], dtype=np.int64)
        return [int(label) for label in decisions(self.network, rows)]

    def judge(self, network: QuantisedNetwork, log: RepairLog) -> tuple[int, ...] | Refusal:
        """Return the label of every repair point, or what the exact test refuses."""
        with log.timed("check"):
            answers = check(network, self.similarity, self.queries, self.clock)
        labels = tuple(answer.label for answer in answers if isinstance(answer, Alike))
        if TIME_ENDED in answers:
            return Refusal("the time ended before the exact check")
        if len(labels) < len(answers):
            return Refusal(f"{len(answers) - len(labels)} repair points fail the exact check")
        right = self.kept.count_right(network)
        if right < self.least_right:
            return Refusal(f"{right} of the kept rows are decided correctly, {self.least_right} are to be")
        return labels
