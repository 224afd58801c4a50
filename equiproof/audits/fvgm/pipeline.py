"""From a linear model and rows to a tuned classifier with whole weights and a network."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from equiproof.audits.fvgm.clauses import Clauses
from equiproof.audits.fvgm.coding import MAX_BINS, Coder, Column, Cut, coder, median_edges, numeric
from equiproof.audits.fvgm.committed import Committed
from equiproof.audits.fvgm.learning import MAX_PARENTS, Coded, CodingError, learn, likelihood
from equiproof.audits.fvgm.linear import Linear
from equiproof.audits.fvgm.network import Group, Network
from equiproof.audits.fvgm.programme import cells
from equiproof.audits.fvgm.scaling import MAX_MULTIPLIER, Contributions, Matrix, Scores, Tuned, contributions, tuned

MAX_COMPARED_ROWS = 10_000
"""The most rows on which whole weights are compared with the model."""

MIN_ROWS = 20

HOLDOUT_PARTS = 5
"""One of so many rows is held out where two networks are compared."""

CELL_BUDGET = 2_000_000
"""Numbers that a step of the programme may keep before the network is learned with fewer parents."""


@dataclass(frozen=True)
class Rows:
    """Rows of a population: raw columns by feature, and the matrix that the linear model reads.

    `blocks` lists the columns of X of each feature. Raises CodingError where lengths do not fit, for fewer
    than 20 rows, and for sensitive names that are no columns.
    """

    columns: Mapping[str, Column]
    X: Matrix
    blocks: Mapping[str, Sequence[int]]
    sensitive: tuple[str, ...]

    def __post_init__(self) -> None:
        """Refuse what does not fit."""
        if len(self.X) < MIN_ROWS:
            raise CodingError(f"give {MIN_ROWS} rows or more: there are {len(self.X)}")
        if set(self.blocks) != set(self.columns) or any(len(values) != len(self.X) for values in self.columns.values()):
            raise CodingError("columns, blocks and matrix have different features or numbers of rows")
        if unknown := [name for name in self.sensitive if name not in self.columns]:
            raise CodingError(f"{unknown[0]}: sensitive, but there is no column of this name")


@dataclass(frozen=True)
class Settings:
    """The limits of tuning and learning: number of bins, largest multiplier, number of parents.

    `edges` fixes bins by name; a sensitive number without edges is cut at its median. `mediators` restrict the network.
    `conditioned` makes the sensitive features parents of every other one (True), leaves that to the paper's free hill
    climbing (False), or takes whichever network says more of rows that it was not learned from (None).
    """

    max_bins: int = MAX_BINS
    max_multiplier: int = MAX_MULTIPLIER
    cuts: tuple[Cut, ...] = ("frequency", "width")
    edges: Mapping[str, Sequence[float]] | None = None
    mediators: tuple[str, ...] = ()
    max_parents: int = MAX_PARENTS
    conditioned: bool | None = True
    seed: int = 0


class Grouped:
    """Coded rows with a network, and the groups among them."""

    coded: Coded
    network: Network

    def rows_of(self, group: Group) -> npt.NDArray[np.bool_]:
        """Return the mask of the rows of a group."""
        mask = np.ones(len(self.coded.codes), dtype=bool)
        for name, value in group.items():
            mask &= self.coded.column(name) == self.coded.values[name].index(value)
        return mask

    def groups(self, least: int = 1) -> tuple[dict[str, str], ...]:
        """Return the groups with at least this many rows."""
        return tuple(group for group in self.network.groups() if np.count_nonzero(self.rows_of(group)) >= least)


@dataclass(frozen=True)
class Choice:
    """Whether sensitive features are parents of every other one, and whether that was asked for or chosen by the rows.

    `likelihoods` are the mean log-likelihood of a held-out row with it, and without, in nats.
    """

    conditioned: bool
    asked: bool
    likelihoods: tuple[float, float]

    @property
    def note(self) -> str:
        """What was chosen, and why, as one line."""
        words = "sensitive features are parents of every other one" if self.conditioned else "the rows chose all edges"
        why = ", as asked for" if self.asked else ""
        conditional, unconditional = self.likelihoods
        own, other = (conditional, unconditional) if self.conditioned else (unconditional, conditional)
        return f"{words}{why}: log-likelihood of a held-out row {own:.3f}, and {other:.3f} of the other choice"


@dataclass(frozen=True)
class Prepared(Grouped):
    """A classifier in whole weights, how rows are coded for it, the coded rows, and the network learned from them.

    `agreement` is the share of rows on which it decides as the model does, `gap` the largest difference of any group's
    share by the two; `parents` is how many parents a feature was allowed in the end.
    """

    linear: Linear
    network: Network
    coder: Coder
    coded: Coded
    sensitive: tuple[str, ...]
    agreement: float
    gap: float
    bins: int
    cut: Cut
    multiplier: int
    parents: int
    settings: Settings
    choice: Choice

    @property
    def classifier(self) -> Linear:
        """The classifier that is verified."""
        return self.linear

    def given(self, selection: npt.NDArray[np.bool_], deadline: float | None = None) -> Network:
        """Learn the network of some of the rows, such as those of one label (for equalized odds); as `affordable`."""
        coded = self.coded.rows(selection)
        conditioned = self.choice.conditioned
        return affordable(coded, self.sensitive, self.linear, self.settings, conditioned, deadline)[0]


@dataclass(frozen=True)
class PreparedValues(Grouped):
    """A classifier that needs no tuning, how rows are coded for it, the coded rows, and the network learned of them."""

    classifier: Clauses | Committed
    network: Network
    coder: Coder
    coded: Coded
    sensitive: tuple[str, ...]
    settings: Settings
    choice: Choice

    def given(self, selection: npt.NDArray[np.bool_], deadline: float | None = None) -> Network:
        """Learn the network of some of the rows, such as those of one label (for equalized odds)."""
        return learned_values(
            self.coded.rows(selection), self.sensitive, self.settings, self.choice.conditioned, deadline
        )


def learned_values(
    coded: Coded, sensitive: Sequence[str], requested: Settings, conditioned: bool, deadline: float | None
) -> Network:
    """Learn a network for a classifier whose cost does not depend on whole weights."""
    return learn(
        coded,
        sensitive,
        mediators=[name for name in requested.mediators if name in coded.values],
        max_parents=requested.max_parents,
        conditioned=conditioned,
        deadline=deadline,
    )


def prepare(scores: Scores, rows: Rows, settings: Settings | None = None, *, deadline: float | None = None) -> Prepared:
    """Tune bins and multiplier against the model's own decisions, and learn the network.

    Nothing but the means of bins is fitted to rows there, and in trials on known populations a part held back only made
    the comparison coarser; all rows are compared, 10,000 drawn by the seed where there are more. Of settings that are
    as good, the one with the most bins is taken, as its means are nearest, and the smallest multiplier. Raises
    OutOfTimeError past the deadline, a moment of `time.monotonic`.
    """
    requested = settings or Settings()
    sample = np.random.default_rng(requested.seed).permutation(len(rows.X))[:MAX_COMPARED_ROWS]
    grid = _Grid(scores, rows, requested, np.sort(sample))
    tries = [(count, kind) for count in range(requested.max_bins, 1, -1) for kind in requested.cuts]
    decisions = scores.accepts(rows.X[grid.compared])
    best = tuned(
        tries, grid.prepared, decisions, grid.groups(), range(1, requested.max_multiplier + 1), deadline=deadline
    )
    return _finished(rows, requested, best, grid.coder(best.setting), deadline)


@dataclass(frozen=True)
class _Grid:
    """Codings that tuning tries, with the rows that are compared."""

    scores: Scores
    rows: Rows
    settings: Settings
    compared: npt.NDArray[np.int64]

    @cached_property
    def edges(self) -> dict[str, Sequence[float]]:
        """The fixed edges, and medians for sensitive numbers without edges."""
        edges = dict(self.settings.edges or {})
        for name in self.rows.sensitive:
            if name not in edges and numeric(self.rows.columns[name]):
                edges[name] = median_edges(self.rows.columns[name])
        return edges

    @cached_property
    def categories(self) -> Coded:
        """The categories of all rows, coded once."""
        names = [name for name, values in self.rows.columns.items() if name not in self.edges and not numeric(values)]
        own = {name: self.rows.columns[name] for name in names}
        return coder(own, whole=self.rows.sensitive).coded(own)

    def coder(self, setting: tuple[int, Cut]) -> Coder:
        """Return the coder of a setting, made from all rows."""
        return coder(
            self.rows.columns, bins_of=setting[0], cut=setting[1], edges=self.edges, categories=self.categories.values
        )

    def coded(self, setting: tuple[int, Cut]) -> Coded:
        """Return the codes of all rows."""
        ready = {name: self.categories.column(name) for name in self.categories.names}
        return self.coder(setting).coded(self.rows.columns, ready)

    def prepared(self, setting: tuple[int, Cut]) -> tuple[Contributions, Coded]:
        """Return the contributions of all rows and the codes of the compared ones."""
        coded = self.coded(setting)
        mean_contributions = contributions(self.scores, self.rows.X, self.rows.blocks, coded)
        return mean_contributions, coded.rows(self.compared)

    def groups(self) -> npt.NDArray[np.int64]:
        """Return the number of the compared rows' groups, in the order in which they occur."""
        coded = self.coded((2, "frequency")).rows(self.compared)
        own = [coded.column(name) for name in self.rows.sensitive]
        if not own:
            return np.zeros(len(self.compared), dtype=np.int64)
        return np.unique(np.stack(own, axis=1), axis=0, return_inverse=True)[1].reshape(-1)


def _finished(rows: Rows, requested: Settings, best: Tuned, coder: Coder, deadline: float | None) -> Prepared:
    """Learn the network for the tuned classifier."""
    coded = coder.coded(rows.columns)

    def learned(some: Coded, conditioned: bool) -> tuple[Network, int]:
        return affordable(some, rows.sensitive, best.linear, requested, conditioned, deadline)

    choice = chosen(coded, requested, lambda some, conditioned: learned(some, conditioned)[0])
    network, parents = learned(coded, choice.conditioned)
    count, cut = best.setting
    return Prepared(
        best.linear,
        network,
        coder,
        coded,
        rows.sensitive,
        best.agreement,
        best.gap,
        count,
        cut,
        best.multiplier,
        parents,
        requested,
        choice,
    )


def chosen(coded: Coded, requested: Settings, learned: Callable[[Coded, bool], Network]) -> Choice:
    """Learn both networks from four of five rows; unless one is asked for, the others choose the likelier one."""
    sample = np.random.default_rng(requested.seed).permutation(len(coded.codes))[:MAX_COMPARED_ROWS]
    training, holdout = (coded.rows(part) for part in np.split(sample, [len(sample) - len(sample) // HOLDOUT_PARTS]))
    conditional, unconditional = (
        likelihood(learned(training, conditioned), training, holdout) for conditioned in (True, False)
    )
    likelier = conditional >= unconditional
    asked = requested.conditioned
    return Choice(likelier if asked is None else asked, asked is not None, (conditional, unconditional))


def affordable(
    coded: Coded,
    sensitive: Sequence[str],
    linear: Linear,
    requested: Settings,
    conditioned: bool,
    deadline: float | None = None,
) -> tuple[Network, int]:
    """Learn a network with the requested number of parents, or fewer if the programme would be too large.

    Returns the network and the number of parents that it was learned with; without parents every network is affordable.
    Raises OutOfTimeError past the deadline.
    """
    for allowed in range(requested.max_parents, -1, -1):
        network = learn(
            coded,
            sensitive,
            mediators=requested.mediators,
            max_parents=allowed,
            conditioned=conditioned,
            deadline=deadline,
        )
        if cells(linear, network) <= CELL_BUDGET:
            break
    else:
        raise CodingError(f"use a smaller multiplier: one group keeps more than {CELL_BUDGET} sums")
    return network, allowed
