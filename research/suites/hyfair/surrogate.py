"""LIME's explanation of the largest k, the comparison of the HyFair paper (table III).

One applicant x of the largest k is K samples, one for each protected assignment z. Each is explained for itself
(Ribeiro et al. 2016): samples around (x, z) with some features drawn anew, indicators "as in (x, z)" as interpretable
features, weights exp(-D^2 / s^2) with D the distance of indicators and s = 0.75 sqrt(d), a ridge regression of the
score, and the three features of the largest coefficients. The paper extracts "the common features"; its sizes, up to
all thirteen of Adult, are those of unions that count protected features, so both is done here. Then the features are
drawn anew one by one, and k falls by the difference. Protected ones are left out there: k speaks of all their values.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from equiproof.audits.hyfair.clusters import Judge
from equiproof.audits.hyfair.explain import perturbed
from equiproof.audits.hyfair.forward import Floats
from equiproof.audits.hyfair.grid import Grid, Integers

TOP = 3
_WIDTH = 0.75
_PENALTY = 1.0
_DRAWS = 500


@dataclass(frozen=True)
class Local:
    """The union of the `features` of all K explanations, and the mean k where plain ones of it are drawn anew.

    `one_by_one` is that of the paper, the mean over features; `together` draws from one to all of them anew, as rules
    are negated. Both are k itself where no plain feature is among them.
    """

    features: tuple[str, ...]
    k: int
    one_by_one: float
    together: float


def local(judge: Judge, applicant: Integers, samples: int, rng: np.random.Generator) -> Local:
    """Explain one applicant of shape (F,) by `samples` neighbors under every protected assignment."""
    grid = judge.forward.grid
    names = (*grid.names, *grid.protected)
    found = sorted({f for top in _explained(judge, applicant, samples, rng) for f in top})
    plain = [f for f in found if f < len(grid.names)]
    k = int(judge.judge(applicant[None]).buckets[0])
    one_by_one = together = float(k)
    if plain:
        one_by_one = float(np.mean([judge.judge(_anew(grid, applicant, [f], rng)).buckets.mean() for f in plain]))
        together = float(judge.judge(_anew(grid, applicant, plain, rng)).buckets.mean())
    return Local(tuple(names[f] for f in found), k, one_by_one, together)


def _explained(judge: Judge, applicant: Integers, samples: int, rng: np.random.Generator) -> list[list[int]]:
    """Return the features of the largest coefficients for every protected assignment, plain ones before protected."""
    from sklearn.linear_model import Ridge

    grid = judge.forward.grid
    neighbors = perturbed(grid, applicant[None], samples, rng)
    codes, sizes = _protected(grid)
    number = np.empty(sizes, dtype=np.int64)
    number[tuple(codes.T)] = np.arange(len(codes))
    # The same draws serve all assignments: what is kept is that of each.
    drawn = rng.integers(0, sizes, size=(samples, len(sizes)))
    kept = rng.random((samples, len(sizes))) < rng.random((samples, 1))
    scores = 0.5 * (1.0 + np.tanh(judge.forward.margins(neighbors) / 2))
    found = []
    for own in codes:
        other = np.where(kept, own, drawn)
        same = np.concatenate([neighbors == applicant, other == own], axis=1).astype(np.float64)
        model = Ridge(alpha=_PENALTY).fit(
            same, scores[np.arange(samples), number[tuple(other.T)]], sample_weight=_weights(same)
        )
        found.append(np.argsort(-abs(model.coef_))[:TOP].tolist())
    return found


def _weights(same: Floats) -> Floats:
    """Return the kernel's weights of indicators, shape (samples, d)."""
    width = _WIDTH * np.sqrt(same.shape[1])
    found: Floats = np.exp(-(1.0 - same).sum(axis=1) / width**2)
    return found


def _protected(grid: Grid) -> tuple[Integers, tuple[int, ...]]:
    """Return the protected assignments as codes, shape (S, P), and how many values each protected feature has."""
    columns: list[Any] = []
    for values in zip(*grid.groups, strict=True):
        listed = sorted(set(values))
        columns.append([listed.index(value) for value in values])
    codes = np.array(columns, dtype=np.int64).T
    return codes, tuple((codes.max(axis=0) + 1).tolist())


def _anew(grid: Grid, applicant: Integers, features: list[int], rng: np.random.Generator) -> Integers:
    """Return copies of an applicant, each with some of the features, from one to all, at another of their values."""
    found = np.repeat(applicant[None], _DRAWS, axis=0)
    moved = rng.random((_DRAWS, len(features))).argsort(axis=1) < rng.integers(1, len(features) + 1, size=(_DRAWS, 1))
    for place, f in enumerate(features):
        size = int(grid.sizes[f])
        if size > 1:
            other = (applicant[f] + rng.integers(1, size, size=_DRAWS)) % size
            found[:, f] = np.where(moved[:, place], other, applicant[f])
    return found
