"""From the committed model and rows to a classifier over the values of features, and the network learned from them.

A number is cut where the model cuts it, if it is a score with few cuts there: each bin then decides as one. Otherwise a
bin stands for all columns of its rows (:mod:`equiproof.audits.fvgm.committed`). Features that a score does not read are
no part of the network.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import numpy.typing as npt

from equiproof.audits.fvgm.clauses import Clauses
from equiproof.audits.fvgm.coding import Column, bins, coder, median_edges, numeric
from equiproof.audits.fvgm.committed import Committed, Integers, Members
from equiproof.audits.fvgm.learning import Coded
from equiproof.audits.fvgm.network import Network
from equiproof.audits.fvgm.pipeline import PreparedValues, Settings, chosen, learned_values
from equiproof.audits.intervals import CONFIDENCE
from equiproof.certify.additive import AdditiveModel
from equiproof.certify.ensemble import Child, EnsembleModel, ScoredModel
from equiproof.certify.sets import seen_rows

MAX_OWN_BINS = 30
"""The most bins of a number that are the model's own; with more cuts it has bins of equally many rows."""

Path = Mapping[str, frozenset[str]]
"""The values of each feature that a path through a tree allows."""


@dataclass(frozen=True, eq=False)
class Encoded:
    """Rows for the committed model: raw columns by feature, and the integers that it reads.

    `matrix` has shape (rows, n_x + n_s), and `places` lists its columns of each feature; `decide` returns the label of
    each row of integers, TIE for a tie. `score` is the model where it is none of the networks.
    """

    columns: Mapping[str, Column]
    matrix: Integers
    places: Mapping[str, tuple[int, ...]]
    sensitive: tuple[str, ...]
    decide: Callable[[Integers], Integers]
    score: ScoredModel | None = None

    @cached_property
    def accepted(self) -> npt.NDArray[np.bool_]:
        """Which rows the model accepts."""
        mask: npt.NDArray[np.bool_] = self.decide(self.matrix) == 1
        return mask

    @property
    def predicates(self) -> AdditiveModel | None:
        """The predicates of a score."""
        return self.score.additive if isinstance(self.score, EnsembleModel) else self.score

    @cached_property
    def told(self) -> Mapping[str, Integers]:
        """What the model can tell apart of each feature, shape (rows, any width).

        Of a score that is how many cuts are passed, and of one that is told of missing values whether this is one.
        """
        score = self.predicates
        if score is None:
            return {name: self.matrix[:, places] for name, places in self.places.items()}
        seen = seen_rows(score.sets, self.matrix, score.stated)
        columns = {}
        for name, places in self.places.items():
            read = [column for place in places for column in score.read_of(place)]
            cuts = [
                [cut for column, cut in zip(score.columns, score.thresholds, strict=True) if column == own]
                for own in read
            ]
            passed = [np.searchsorted(cut, seen[:, own], side="left") for own, cut in zip(read, cuts, strict=True)]
            if score.absent is not None and places[0] < score.stated and any(cuts):
                passed.append((seen[:, places[0]] == score.absent).astype(np.int64))
            columns[name] = np.column_stack(passed)
        return columns

    @cached_property
    def read(self) -> tuple[str, ...]:
        """The features in which the model can tell rows apart."""
        return tuple(name for name, own in self.told.items() if (own != own[0]).any())

    def edges(self, settings: Settings) -> dict[str, list[float]]:
        """Return the bins of numbers that are fixed: none without rows, so that each bin stands for somebody."""
        edges = {}
        for name, values in self.columns.items():
            if not numeric(values):
                continue
            if name in (settings.edges or {}):
                cuts = sorted(float(edge) for edge in (settings.edges or {})[name])
            elif name in self.sensitive:
                cuts = median_edges(values)
            elif self.predicates is not None and len(np.unique(self.told[name], axis=0)) <= MAX_OWN_BINS:
                cuts = _first_values(values, self.told[name])
            else:
                cuts = list(bins(values, settings.max_bins, "frequency").edges)
            kinds = np.unique(np.searchsorted(cuts, values[~np.isnan(values)], side="right"))
            edges[name] = [cuts[kind - 1] for kind in kinds[1:]]
        return edges


def prepare_committed(
    rows: Encoded, settings: Settings, *, draws: int, least: int, labelled: bool, deadline: float | None = None
) -> PreparedValues:
    """Code the rows, write what the model makes of values as a classifier, and learn the network.

    A single tree becomes clauses; of all else, joint columns are enumerated or drawn. `draws` are those of a share;
    `least` is the number of rows of a compared group, and `labelled` whether odds are compared: the intervals of all
    drawn shares of the metrics hold together with 95 %. Raises CodingError, OutOfTimeError past the deadline.
    """
    some = rows.predicates is not None
    columns = {name: own for name, own in rows.columns.items() if not some or name in (*rows.read, *rows.sensitive)}
    edges = {name: own for name, own in rows.edges(settings).items() if name in columns}
    coding = coder(columns, edges=edges, whole=tuple(columns) if some else rows.sensitive)
    coded = coding.coded(columns)
    members = {
        name: Members.of(rows.places[name], rows.matrix[:, rows.places[name]], coded.column(name), rows.told[name])
        for name in rows.read
    }

    def learned(part: Coded, conditioned: bool) -> Network:
        return learned_values(part, rows.sensitive, settings, conditioned, deadline)

    choice = chosen(coded, settings, learned)
    network = learned(coded, choice.conditioned)
    clauses = clauses_of(rows.score, rows.matrix[0], coded, members)
    prepared = PreparedValues(
        Clauses(frozenset()) if clauses is None else clauses, network, coding, coded, rows.sensitive, settings, choice
    )
    if clauses is not None:
        return prepared
    shares = len(prepared.groups(least)) * (1 + 2 * labelled + bool(settings.mediators))
    classifier = Committed(
        decide=rows.decide,
        base=rows.matrix[0],
        members=members,
        draws=draws,
        seed=settings.seed,
        level=1 - (1 - CONFIDENCE) / max(shares, 1),
        deadline=deadline,
    )
    return replace(prepared, classifier=classifier)


def clauses_of(
    score: ScoredModel | None, base: Integers, coded: Coded, members: Mapping[str, Members]
) -> Clauses | None:
    """Return a single committed tree as clauses, one for each path to a leaf that is not accepted.

    `base` are the integers of any row. None for every other model, one that asks sets, and where the tree cuts inside a
    value, such as a group of a sensitive number.
    """
    if not isinstance(score, EnsembleModel) or score.nodes.roots != 1 or any(score.additive.jumps) or score.sets:
        return None
    if not all(one.sharp for one in members.values()):
        return None
    refused = _refused(score, Child(True, 0), base, coded, members, {})
    return Clauses(
        frozenset(
            frozenset((name, frozenset(coded.values[name]) - inside) for name, inside in path.items())
            for path in refused
        )
    )


def _refused(
    score: EnsembleModel, child: Child, base: Integers, coded: Coded, members: Mapping[str, Members], path: Path
) -> Iterator[Path]:
    """Yield what every path to a leaf that is not accepted allows; paths that nothing takes are left out."""
    if not child.is_node:
        if score.additive.bias + child.number <= 0:
            yield path
        return
    predicate = score.nodes.predicates[child.number]
    column = score.additive.columns[predicate]
    low, high = score.nodes.children[child.number]
    name = next((name for name, one in members.items() if column in one.places), None)
    if name is None:
        # No row differs from another there, so all of them are on one side.
        side = high if _goes_high(score, child.number, base[column : column + 1])[0] else low
        yield from _refused(score, side, base, coded, members, path)
        return
    one = members[name]
    values = coded.values[name]
    passed = _goes_high(score, child.number, one.columns[:, one.places.index(column)])
    above = frozenset(values[code] for code in one.codes[passed])
    before = path.get(name, frozenset(values))
    for side, inside in ((low, before - above), (high, before & above)):
        if inside:
            yield from _refused(score, side, base, coded, members, {**path, name: inside})


def _goes_high(score: EnsembleModel, node: int, column: Integers) -> npt.NDArray[np.bool_]:
    """Return for each integer of the column that a node asks for whether it leads high."""
    own = score.additive
    place = score.nodes.predicates[node]
    passed = column > own.thresholds[place]
    if own.absent is not None and own.columns[place] < own.plain:
        passed = np.where(column == own.absent, bool(score.nodes.highs[node]), passed)
    return passed


def _first_values(values: Column, told: Integers) -> list[float]:
    """Return the least number of each kind that the model tells apart, without the first one's and without nan."""
    told, values = told[~np.isnan(values)], values[~np.isnan(values)]
    order = np.argsort(values, kind="stable")
    kinds = np.cumsum(np.concatenate([[0], (told[order][1:] != told[order][:-1]).any(axis=1)]))
    return [float(values[order][np.argmax(kinds == kind)]) for kind in range(1, int(kinds[-1]) + 1)]
