"""The measures of a repair: CUR, IDI-D, IDI-S and accuracy, each counted exactly on the committed network.

An input is an individual discriminatory instance (IDI) if some similar input is decided differently, or leads to a tie.
CUR is the share of unfair repair points, IDI-D that of IDIs in a data set, IDI-S that in random inputs of the whole
input space. (PROF, section IV-A.)
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from equiproof.audits.prof.clock import ENDLESS, Clock
from equiproof.audits.prof.exact import Alike, Unsettled, compare
from equiproof.audits.prof.similar import Similarity
from equiproof.certify.data.dataset import Row, encode_rows
from equiproof.certify.decisions import decisions, decisions_under
from equiproof.certify.network import QuantisedNetwork
from equiproof.circuits.spec import Feature, Spec

Integers = npt.NDArray[np.int64]

SAMPLES = 100_000
"""The number of random inputs for IDI-S, as in the paper."""

_PIECE = 1000
"""How many inputs are drawn, or counted, at once."""


@dataclass(frozen=True)
class Count:
    """A number of instances in a total; `unsettled` counts those whose budget ended, included in the instances."""

    found: int
    of: int
    unsettled: int = 0

    @property
    def share(self) -> float:
        """The share, 0 of nothing."""
        return self.found / self.of if self.of else 0.0

    def plus(self, other: Count) -> Count:
        """Return the count of both totals together."""
        return Count(self.found + other.found, self.of + other.of, self.unsettled + other.unsettled)

    def to_json(self) -> dict[str, float]:
        """Return the numbers as data."""
        return {**asdict(self), "share": self.share}


def instances(network: QuantisedNetwork, similarity: Similarity, queries: Integers, clock: Clock = ENDLESS) -> Count:
    """Count the queries, shape (rows, n_x), that have a similar input decided differently.

    Sensitive features alone are decided for all rows at once; a relaxed relation takes one row after the other, and
    those that the time does not suffice for are unsettled.
    """
    if not similarity.relaxed:
        is_unfair = unfair_rows(network, similarity.spec, queries)
        return Count(int(is_unfair.sum()), len(queries))
    answers = [compare(network, similarity.boxes(tuple(map(int, query))), clock=clock) for query in queries]
    unsettled = sum(isinstance(answer, Unsettled) for answer in answers)
    return Count(sum(not isinstance(answer, Alike) for answer in answers), len(queries), unsettled)


def counted(
    networks: Sequence[QuantisedNetwork], similarity: Similarity, pieces: Iterator[Integers], clock: Clock = ENDLESS
) -> list[Count]:
    """Count the instances of each network among pieces of queries, (rows, n_x) each, as far as the time suffices.

    All networks are counted over the same pieces: one during which the time ends is left out.
    """
    counts = [Count(0, 0) for _ in networks]
    for piece in itertools.takewhile(lambda _: not clock.over, pieces):
        more = [instances(network, similarity, piece, clock) for network in networks]
        if clock.over:
            break
        counts = [count.plus(one) for count, one in zip(counts, more, strict=True)]
    return counts


def in_pieces(queries: Integers, similarity: Similarity) -> Iterator[Integers]:
    """Return queries in pieces that take a fraction of a second each: one by one for a relaxed relation."""
    size = 1 if similarity.relaxed else _PIECE
    return (queries[start : start + size] for start in range(0, len(queries), size))


def unfair_rows(network: QuantisedNetwork, spec: Spec, queries: Integers) -> npt.NDArray[np.bool_]:
    """Return which queries get different decisions or a tie under some values of the sensitive features."""
    labels = decisions_under(network, queries, np.array(spec.domain_table, dtype=np.int64))
    least = labels.min(axis=0)
    # A tie is the label -1.
    return np.asarray((least != labels.max(axis=0)) | (least < 0))


def accuracy(network: QuantisedNetwork, inputs: Integers, labels: Integers) -> float:
    """Return the share of rows (rows, n_x + n_s) that are decided as they are labelled."""
    return float(np.mean(decisions(network, inputs) == labels))


def sampled(spec: Spec, count: int, seed: int, rows: Sequence[Row] = ()) -> Integers:
    """Draw random inputs as :func:`sampled_in_pieces`, shape (count, n_x)."""
    return np.concatenate([np.empty((0, spec.plain_columns), np.int64), *sampled_in_pieces(spec, count, seed, rows)])


def sampled_in_pieces(spec: Spec, count: int, seed: int, rows: Sequence[Row] = ()) -> Iterator[Integers]:
    """Draw random inputs of the whole input space, in pieces of shape (rows, n_x); each is encoded when it is taken.

    Categories are drawn from their domain, whole numbers from their range; a number without a range from the ends of
    `rows`, and one whose ends are no whole numbers in steps of a thousandth of its range. Raises ValueError naming a
    feature that has neither range nor rows.
    """
    rng = np.random.Generator(np.random.PCG64(seed))
    columns = {feature.name: _draw(feature, count, rng, rows) for feature in spec.plain_features}
    names = list(columns)
    drawn = zip(*columns.values(), strict=True)
    # Rows need all features to be encoded; the sensitive columns are cut off again.
    sensitive = {feature.name: feature.domain[0] for feature in spec.sensitive_features}
    while values := list(itertools.islice(drawn, _PIECE)):
        inputs: list[Row] = [{**dict(zip(names, each, strict=True)), **sensitive} for each in values]
        yield encode_rows(spec, inputs)[:, : spec.plain_columns]


def _draw(feature: Feature, count: int, rng: np.random.Generator, rows: Sequence[Row]) -> list[str | int]:
    """Draw raw values of one feature."""
    if feature.domain:
        return [feature.domain[index] for index in rng.integers(len(feature.domain), size=count).tolist()]
    if feature.range is not None:
        low, high = map(Fraction, feature.range)
    elif rows:
        numbers = [Fraction(str(row[feature.name])) for row in rows]
        low = min(numbers)
        high = max(numbers)
    else:
        raise ValueError(f"feature {feature.name!r} has no range; random inputs need one, or rows to take it from")
    if low.denominator == high.denominator == 1:
        return [*rng.integers(int(low), int(high) + 1, size=count).tolist()]
    steps = rng.integers(1001, size=count).tolist()
    return [f"{float(low + (high - low) * step / 1000):.9f}" for step in steps]
