"""Networks from data: structure by hill climbing on the K2 score (pgmpy), tables by exact relative frequencies.

No edge leads into a sensitive feature (section 3.3). An assignment of parents that the data does not hold has the
uniform distribution.

Notation: N is the array of counts, shape (parents' assignments, values).
"""

from __future__ import annotations

import logging
import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt

from equiproof.audits.fvgm.budget import check
from equiproof.audits.fvgm.network import Chance, Choice, Network

MAX_PARENTS = 2
"""The most parents of a feature, not counting sensitive features that are parents of all."""


class CodingError(ValueError):
    """Coded rows that do not fit together; one line naming the feature."""


@dataclass(frozen=True)
class Coded:
    """Rows of finite-valued features: `codes[row, column]` is the number of the value of the column's feature.

    `values` has the values of each feature in the order of the columns; raises CodingError for invalid codes.
    """

    values: Mapping[str, tuple[str, ...]]
    codes: npt.NDArray[np.int64]

    def __post_init__(self) -> None:
        """Refuse codes without a value."""
        if self.codes.ndim != 2 or self.codes.shape[1] != len(self.values):
            raise CodingError(f"codes of shape {self.codes.shape} for {len(self.values)} features")
        for column, (name, values) in enumerate(self.values.items()):
            codes = self.codes[:, column]
            if len(codes) and not (codes.min() >= 0 and codes.max() < len(values)):
                raise CodingError(f"{name}: a code is not the number of one of the {len(values)} values")

    @property
    def names(self) -> tuple[str, ...]:
        """The features in the order of their columns."""
        return tuple(self.values)

    def column(self, name: str) -> npt.NDArray[np.int64]:
        """Return the codes of a feature, shape (rows,)."""
        return self.codes[:, self.names.index(name)]

    def rows(self, selection: npt.NDArray[Any]) -> Coded:
        """Return the rows of a mask or of numbers."""
        return Coded(self.values, self.codes[selection])


def learn(
    data: Coded,
    sensitive: Sequence[str],
    *,
    mediators: Collection[str] = (),
    max_parents: int = MAX_PARENTS,
    conditioned: bool = False,
    deadline: float | None = None,
) -> Network:
    """Learn a network: hill climbing on the K2 score from no edges, then relative frequencies.

    Mediators take no edge from features that are neither mediators nor sensitive, so that their joint distribution is
    that given the group (appendix B.1). With `conditioned`, every feature has all sensitive ones as parents, and up to
    `max_parents` others. Raises CodingError without rows, OutOfTimeError past the deadline, a moment of
    `time.monotonic` that is looked at before each score.
    """
    if len(data.codes) == 0:
        raise CodingError("no row to learn a network from")
    fixed_parents = sensitive if conditioned else ()
    if max_parents == 0:
        return fitted(data, sensitive, dict.fromkeys(data.names, tuple(fixed_parents)))
    climbed = _climbed(data, sensitive, mediators, max_parents + len(fixed_parents), fixed_parents, deadline)
    return fitted(data, sensitive, climbed)


def independent(data: Coded, sensitive: Sequence[str]) -> Network:
    """Return the network without edges: the marginals of every feature, as verifiers without correlations assume."""
    return fitted(data, sensitive, {})


def fitted(data: Coded, sensitive: Sequence[str], parents: Mapping[str, Sequence[str]]) -> Network:
    """Return the network of a structure with the relative frequencies of the rows, exact fractions."""
    chances = []
    for name in data.names:
        if name in sensitive:
            continue
        above = tuple(parents.get(name, ()))
        N = counts(data, name, above)
        rows = tuple(_frequencies([int(count) for count in row]) for row in N)
        chances.append(Chance(name, data.values[name], above, rows))
    return Network(tuple(Choice(name, data.values[name]) for name in sensitive), tuple(chances))


def counts(data: Coded, name: str, parents: Sequence[str]) -> npt.NDArray[np.int64]:
    """Return how often each value occurs with each assignment of the parents, the last parent fastest."""
    index = np.zeros(len(data.codes), dtype=np.int64)
    for column in (*parents, name):
        index = index * len(data.values[column]) + data.column(column)
    size = math.prod(len(data.values[column]) for column in (*parents, name))
    return np.bincount(index, minlength=size).reshape(-1, len(data.values[name]))


def likelihood(network: Network, data: Coded, held_out: Coded) -> float:
    """Return the mean log-likelihood of a held-out row in nats, given its sensitive features.

    The structure is the network's; its tables are counted in `data` with one more of each value (the mean of K2's own
    prior), so that what did not occur there is not impossible.
    """
    total = 0.0
    for chance in network.chances:
        N = counts(data, chance.name, chance.parents)
        held_out_counts = counts(held_out, chance.name, chance.parents)
        total += float((held_out_counts * np.log((N + 1) / (N.sum(axis=1, keepdims=True) + N.shape[1]))).sum())
    return total / len(held_out.codes)


def k2_score(N: npt.NDArray[np.int64]) -> float:
    """Return the local K2 score of counts (Koller and Friedman 2009, section 18.3).

    Assignments that do not occur add nothing: lnGamma(r) - lnGamma(0 + r) = 0.
    """
    from scipy.special import gammaln

    size = N.shape[1]
    # Leaving them out keeps the sum as short as the rows, however many assignments the parents have.
    counts_there = N[N.sum(axis=1) > 0]
    return float(
        gammaln(counts_there + 1).sum()
        - gammaln(counts_there.sum(axis=1) + size).sum()
        + len(counts_there) * math.lgamma(size)
    )


def _frequencies(row: Sequence[int]) -> tuple[Fraction, ...]:
    """Return relative frequencies; uniform ones if all counts are 0."""
    total = sum(row)
    return tuple(Fraction(count, total) if total else Fraction(1, len(row)) for count in row)


def _climbed(
    data: Coded,
    sensitive: Collection[str],
    mediators: Collection[str],
    max_parents: int,
    fixed_parents: Collection[str],
    deadline: float | None,
) -> dict[str, tuple[str, ...]]:
    """Return the parents of each feature, by pgmpy's hill climbing; the `fixed_parents` are parents of all others."""
    import pandas as pd

    logging.getLogger("pgmpy").setLevel(logging.WARNING)  # it reports the kind of every column
    from pgmpy.causal_discovery import ExpertKnowledge, HillClimbSearch

    # Columns are called by number: sets of numbers, unlike sets of names, have one order in every process.
    numbers = [number for number, name in enumerate(data.names) if len(data.values[name]) > 1]
    choice = {number for number in numbers if data.names[number] in sensitive}
    middle = {number for number in numbers if data.names[number] in mediators}
    others = [number for number in numbers if number not in choice | middle]
    forbidden = {(a, b) for a in numbers for b in choice if a != b} | {(a, b) for a in others for b in middle}
    always = {(a, b) for a in choice if data.names[a] in fixed_parents for b in numbers if b not in choice}
    frame = pd.DataFrame({number: data.codes[:, number] for number in numbers}).astype("category")
    search = HillClimbSearch(
        scoring_method=_score(data, frame, deadline),
        max_indegree=max_parents,
        expert_knowledge=ExpertKnowledge(forbidden_edges=forbidden, required_edges=always),
        return_type="dag",
        show_progress=False,
    )
    search.fit(frame)
    graph = search.causal_graph_
    return {data.names[number]: tuple(data.names[p] for p in sorted(graph.predecessors(number))) for number in numbers}


def _score(data: Coded, frame: Any, deadline: float | None) -> Any:
    """Return pgmpy's K2 score with counts from the codes: faster, and right where assignments do not occur."""
    from pgmpy.structure_score import K2

    class CodedK2(K2):  # type: ignore[misc]  # pgmpy has no type information
        """The K2 score of coded rows, columns by number."""

        def _local_score(self, variable: int, parents: tuple[int, ...]) -> float:
            check(deadline, "the network was learned")
            return k2_score(counts(data, data.names[variable], [data.names[parent] for parent in sorted(parents)]))

    return CodedK2(frame)
