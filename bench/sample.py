"""Random test rows of a data set, the same for the same seed."""

from __future__ import annotations

import random

from bench.harness import BenchError
from equiproof.certify.data.dataset import Dataset


def sample_test_rows(data: Dataset, points: int, seed: int) -> list[int]:
    """Choose `points` test rows and return their numbers; raises BenchError where the data set has too few."""
    if not 0 < points <= len(data.test):
        raise BenchError(f"--points {points}: {data.name} has 1 to {len(data.test)} test rows to choose from")
    return random.Random(seed).sample(data.test, points)  # noqa: S311 - a sample, no secret


def shuffled(numbers: list[int], seed: int) -> list[int]:
    """Return numbers of rows in a random order."""
    return random.Random(seed).sample(numbers, len(numbers))  # noqa: S311 - a sample, no secret
