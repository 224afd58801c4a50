"""Influences of sets of features that add up to the statistical parity difference.

After Ghosh, Basu, Meel, "How Biased are Your Features?" (FAccT 2023). A decision is 0 or 1, so the share p of a group
is Var / (1 - p) of its decisions. The covariance decomposition splits this variance into parts of sets of features:
V_S = Cov(f_S, decision), where f_S is the component of the set S. The influence of S is V_S / (1 - p) of the group that
is accepted most minus that of the group that is accepted least. With the rest, V of what no component covers,
influences add up to the difference of the two shares, whatever the components are.

The paper fits components by splines. Here they are functions of finitely many values, fitted by least squares: f_S is
uncorrelated, within its group, with every function of fewer features of S (Hooker 2007; Chastaing, Gamboa, Prieur
2012). That makes them unique where no features determine each other; where some do, the components of least variance
are taken, so two equal features have equal parts. On rows they are fitted without the part of the rows that they are
compared on. Otherwise chance would count as influence: a feature without any would get values / rows of the variance.

Notation: Z has a column for the constant and one for each combination of values of each set, without the first value of
a feature; d is its width. G = Z'WZ / n with the weights W of the rows.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from equiproof.audits.fvgm.budget import check

FOLDS = 5
"""Rows are compared in so many parts, each with components that were fitted on the other parts."""

_RIDGE = 1e-10
"""Of two solutions that fit alike the smaller one is taken; what this shrinks otherwise is beyond the shown digits."""

_DIRECTION = 1e-9
"""A direction of less variance is one that the rows do not have."""

_BATCH = 1 << 23
"""The most numbers of the matrices G that are treated at once."""

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]


def family(features: int, order: int, subsets: Iterable[Sequence[int]] = ()) -> tuple[tuple[int, ...], ...]:
    """Return the sets of at most `order` of so many features, and `subsets` with all parts; smaller ones first."""
    sets = {one for size in range(1, order + 1) for one in itertools.combinations(range(features), size)}
    for own in subsets:
        sets.update(part for size in range(1, len(own) + 1) for part in itertools.combinations(sorted(own), size))
    return tuple(sorted(sets, key=lambda one: (len(one), one)))


@dataclass(frozen=True, eq=False)
class Layout:
    """The columns of Z: `sizes` has the number of values of each feature, `sets` the sets, with all their parts."""

    sizes: tuple[int, ...]
    sets: tuple[tuple[int, ...], ...]

    @cached_property
    def places(self) -> dict[tuple[int, ...], range]:
        """The columns of each set; the constant is the empty set."""
        places: dict[tuple[int, ...], range] = {(): range(1)}
        end = 1
        for own in self.sets:
            width = int(np.prod([self.sizes[one] - 1 for one in own]))
            places[own] = range(end, end + width)
            end += width
        return places

    @property
    def width(self) -> int:
        """The number d of columns."""
        return sum(map(len, self.places.values()))

    def columns(self, codes: Integers) -> npt.NDArray[np.float32]:
        """Return Z of coded rows, shape (rows, features) to (rows, d)."""
        marks = [codes[:, [place]] == np.arange(1, size) for place, size in enumerate(self.sizes)]
        parts = [np.ones((len(codes), 1), dtype=bool)]
        for own in self.sets:
            block = marks[own[0]]
            for place in own[1:]:
                block = (block[:, :, None] & marks[place][:, None, :]).reshape(len(codes), -1)
            parts.append(block)
        return np.concatenate(parts, axis=1).astype(np.float32)

    def below(self, own: tuple[int, ...]) -> list[int]:
        """Return the columns of the smaller parts of a set, with the constant."""
        parts = (part for size in range(len(own)) for part in itertools.combinations(own, size))
        return [column for part in parts for column in self.places[part]]


@dataclass(frozen=True, eq=False)
class Parts:
    """How the variance of decisions splits: `share` is p, `of_sets` has V_S by set, `rest` what no set covers.

    Each may have axes before, such as one of resamples.
    """

    share: Floats
    of_sets: Floats
    rest: Floats

    @property
    def scaled(self) -> Floats:
        """The parts of p, V / (1 - p) by set and of the rest at the end; nan where everybody is accepted."""
        variances: Floats = np.concatenate([self.of_sets, self.rest[..., None]], axis=-1)
        refused: Floats = np.where(self.share < 1, 1 - self.share, np.nan)
        return variances / refused[..., None]


@dataclass(frozen=True, eq=False)
class Group:
    """The decisions on one group's rows.

    Args:
        layout: The sets of features.
        codes: The value of each feature, shape (rows, features).
        accepted: Which rows are accepted, shape (rows,).
        folds: The part of the rows that each belongs to, shape (rows,). None where rows are a whole population:
            components are then those of the population itself.
    """

    layout: Layout
    codes: Integers
    accepted: npt.NDArray[np.bool_]
    folds: Integers | None

    @classmethod
    def of_rows(cls, layout: Layout, codes: Integers, accepted: npt.NDArray[np.bool_], seed: int) -> Group:
        """Return rows that were drawn from a population, in parts with equal shares of accepted ones."""
        order = np.random.default_rng(seed).permutation(len(codes))
        order = order[np.argsort(accepted[order], kind="stable")]
        folds = np.empty(len(codes), dtype=np.int64)
        folds[order] = np.arange(len(codes)) % FOLDS
        return cls(layout, codes, accepted, folds)

    def parts(self, weights: Floats | None = None) -> Parts:
        """Return the parts of the variance; `weights` say how often each row occurs, once by default."""
        known = np.ones(len(self.codes)) if weights is None else weights
        found = next(self._batches([known]))
        return Parts(found.share[0], found.of_sets[0], found.rest[0])

    def resampled(self, resamples: int, seed: int, deadline: float | None = None) -> Parts:
        """Return the parts of resamples of the rows, drawn with replacement (bootstrap); raises OutOfTimeError.

        A row that occurs more than once stays in one part of the rows, so that none is compared with its own copy.
        """
        rows = len(self.codes)
        generator = np.random.default_rng(seed)
        drawn = (
            np.bincount(generator.integers(0, rows, rows), minlength=rows).astype(np.float64) for _ in range(resamples)
        )
        batches = []
        for one in self._batches(drawn):
            check(deadline, "influences that add up were resampled")
            batches.append(one)
        return Parts(
            *(np.concatenate([getattr(one, name) for one in batches]) for name in ("share", "of_sets", "rest"))
        )

    @cached_property
    def _columns(self) -> npt.NDArray[np.float32]:
        return self.layout.columns(self.codes)

    def _batches(self, weights: Iterable[Floats]) -> Iterator[Parts]:
        """Yield the parts for weights of the rows, some weights at a time."""
        folds = np.zeros(len(self.codes), dtype=np.int64) if self.folds is None else self.folds
        count = 1 if self.folds is None else FOLDS
        size = max(1, _BATCH // (count * self.layout.width**2))
        remaining = iter(weights)
        while some := list(itertools.islice(remaining, size)):
            sums = [[self._sums(one, folds == fold) for fold in range(count)] for one in some]
            G = np.array([[one[0] for one in own] for own in sums])
            r = np.array([[one[1] for one in own] for own in sums])
            yield self._split(G, r)

    def _sums(self, weights: Floats, own: npt.NDArray[np.bool_]) -> tuple[Floats, Floats]:
        """Return Z'WZ and Z'W times the decisions over some rows."""
        # Whole weights are added up exactly in 32 bits as long as a group has fewer than 2^24 rows.
        kind: Any = np.float32 if self.folds is not None and len(self.codes) < 1 << 24 else np.float64
        Z = self._columns[own].astype(kind)
        weighted = Z * weights[own].astype(kind)[:, None]
        G = weighted.T @ Z
        return G.astype(np.float64), weighted[self.accepted[own]].sum(axis=0).astype(np.float64)

    def _split(self, G: Floats, r: Floats) -> Parts:
        """Return the parts from sums over each part of the rows, shapes (weights, folds, d, d) and (weights, folds, d).

        Column 0 of G has the sums of Z, and its corner the rows.
        """
        n = G[..., 0, 0].sum(axis=1)
        share = r[..., 0].sum(axis=1) / n
        others_G, others_r = (
            (G, r) if self.folds is None else (G.sum(1, keepdims=True) - G, r.sum(1, keepdims=True) - r)
        )
        rows = others_G[..., 0, 0]
        coefficients = self._fitted(others_G / rows[..., None, None], others_r / rows[..., None])
        covariances = r - share[:, None, None] * G[..., 0]
        of_sets = np.einsum("wfsd,wfd->ws", coefficients, covariances) / n[:, None]
        return Parts(share, of_sets, share * (1 - share) - of_sets.sum(axis=-1))

    def _fitted(self, G: Floats, r: Floats) -> Floats:
        """Return the components as coefficients of Z, shape (..., sets, d).

        Each set has a basis of functions that are uncorrelated with functions of its smaller parts, and have variance
        1; on all bases together the decisions are projected.
        """
        layout = self.layout
        bases = [self._basis(G, own) for own in layout.sets]
        # M = B'GB without its zeros: B has few rows for each set.
        left = np.concatenate([np.swapaxes(B, -1, -2) @ G[..., rows, :] for rows, B in bases], axis=-2)
        M = np.concatenate([left[..., rows] @ B for rows, B in bases], axis=-1)
        b = np.concatenate([(np.swapaxes(B, -1, -2) @ r[..., rows, None])[..., 0] for rows, B in bases], axis=-1)
        c = np.linalg.solve(M + _RIDGE * np.eye(M.shape[-1]), b[..., None])[..., 0]
        coefficients = np.zeros((*G.shape[:-2], len(layout.sets), layout.width))
        first = 0
        for place, (rows, B) in enumerate(bases):
            end = first + B.shape[-1]
            coefficients[..., place, rows] = (B @ c[..., first:end, None])[..., 0]
            first = end
        return coefficients

    def _basis(self, G: Floats, own: tuple[int, ...]) -> tuple[list[int], Floats]:
        """Return the columns of Z that a set's basis needs, and its coefficients; zeros for what no row has."""
        below = self.layout.below(own)
        columns = list(self.layout.places[own])
        inner = G[..., below, :][..., below]
        cross = G[..., below, :][..., columns]
        A = np.linalg.solve(inner + _RIDGE * np.eye(len(below)), cross)
        remaining = G[..., columns, :][..., columns] - np.swapaxes(cross, -1, -2) @ A
        values, vectors = np.linalg.eigh(remaining)
        scales = np.where(values > _DIRECTION, 1 / np.sqrt(np.maximum(values, _DIRECTION)), 0.0)
        top = vectors * scales[..., None, :]
        return [*below, *columns], np.concatenate([-A @ top, top], axis=-2)


def influences(most: Parts, least: Parts) -> Floats:
    """Return the influence of each set, and of the rest at the end, on the difference of two groups' shares.

    Shape (..., sets + 1); nan where one of the groups is accepted as a whole, since its decisions have no variance that
    could be split.
    """
    return most.scaled - least.scaled
