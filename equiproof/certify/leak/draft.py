"""A draft of levels: which radii certificates may show, what that gives away, and what it keeps.

Every proposal begins with a level that nine in ten fair applicants reach, or of those with a radius where more than a
tenth have none. Its copies are measured beside those from labels alone. Chosen is the one that gives away least, in
whole points; a level of half that size is chosen only where the others give away more than the target.
"""

from __future__ import annotations

import math
import random
import statistics
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import ClassVar

from equiproof.certify.digits import percent
from equiproof.certify.ensemble import ScoredModel
from equiproof.certify.leak.certificates import Certificate, Levels, interval, simulated
from equiproof.certify.leak.curve import LABELS_ALONE, Point, Target, aimed_at, curve
from equiproof.certify.network import QuantisedNetwork
from equiproof.circuits.exit_codes import EXHAUSTED
from equiproof.circuits.levels import squares as squared
from equiproof.circuits.spec import Spec
from equiproof.circuits.units import in_units, length, radius_of_any

CERTIFICATES = 100
"""How many certificates the copies of a draft are made from."""

MOST_GAIN = {"linear": 4.0, "additive": 3.0, "ensemble": 3.0, "network": 3.0}
"""The most points of percent by which a copy may agree more than one from labels alone."""

APPLICANTS = 160
HELD_OUT = 2000
"""The most rows that apply for a draft, and the most that copies are compared on."""

_DRAWS = 3
COPIES = 6 * _DRAWS
"""The most copies of a draft: labels alone, four proposals and exact radii."""

_TENTH = 10
_MANTISSAS = ("1", "1.2", "1.5", "2", "2.5", "3", "4", "5", "6", "8")
_LEAST_FAIR = 20
"""Fewer fair applicants say nothing about nine in ten."""


class LevelError(Exception):
    """No level can be drafted from these rows; one line with the remedy."""

    exit_code: ClassVar[int] = EXHAUSTED


@dataclass(frozen=True)
class Proposal:
    """Levels as decimal texts in the spec's units, least first, with their squares in grid units.

    `reached` is the share of fair applicants who have the first level, `kept` the median of the shown radii in parts of
    that of the exact ones, `copy` what a copy from the certificates comes to. `levels` are empty for exact radii.
    """

    levels: tuple[str, ...]
    squares: Levels | None
    reached: float
    kept: float
    copy: Point

    def gain(self, labels: Point) -> float:
        """Return by how many points of percent its copy agrees more than one from labels alone."""
        return 100 * (self.copy.agreement - labels.agreement)

    def sentence(self, spec: Spec, labels: Point) -> str:
        """Return what it is, gives away and keeps, in words."""
        agrees = f"a copy after {self.copy.count} certificates agrees with {percent(self.copy.agreement)}"
        alone = f"labels alone would give {percent(labels.agreement)}"
        known = f", and knows {self.copy.known} thresholds exactly" if self.copy.known else ""
        if self.squares is None:
            return f"exact: every radius as it is; {agrees}, {alone}{known}"
        first = f"the first level means {_moved(spec, self.squares[0])}"
        reach = f"{percent(self.reached)} of fair applicants have it"
        return f"{', '.join(self.levels)}: {first}; {reach}; {agrees}, {alone}{known}"


@dataclass(frozen=True)
class Draft:
    """The proposals, exact radii last, what labels alone give, and the one that is chosen."""

    proposals: tuple[Proposal, ...]
    labels: Point
    chosen: Proposal

    def lines(self, spec: Spec) -> list[str]:
        """Return a line for each proposal, and one that names the draft."""
        said = [one.sentence(spec, self.labels) for one in self.proposals]
        kept = f"keeps {percent(self.chosen.kept)} of the median radius"
        return [*said, f"drafted levels: {', '.join(self.chosen.levels)}; {kept}"]


def draft_for(
    model: QuantisedNetwork | ScoredModel,
    spec: Spec,
    queries: Sequence[tuple[int, ...]],
    *,
    seed: int = 0,
    progress: Callable[[int, int], None] | None = None,
) -> Draft:
    """Return the draft for a model from the queries of rows: some apply, copies are compared on the others.

    `progress` is called with steps done and all. Raises LevelError as :func:`draft_levels`, and where no row is left.
    """
    order = list(queries)
    random.Random(seed).shuffle(order)  # noqa: S311  # not a secret
    count = min(APPLICANTS, len(order) // 2)
    steps = count + COPIES
    done = iter(range(count + 1, steps + 1))

    def searched(place: int) -> None:
        if progress is not None:
            progress(place, steps)

    pool = simulated(model, spec, order[:count], progress=searched)
    target = aimed_at(model, spec, order[count:][:HELD_OUT])
    if not len(target.labels):
        raise LevelError("levels: no row is left to compare copies on; give more rows, or name the levels")
    return draft_levels(target, pool, draws=_DRAWS, seed=seed, progress=lambda: searched(next(done, steps)))


def draft_levels(
    target: Target,
    pool: Sequence[Certificate],
    *,
    draws: int = 3,
    seed: int = 0,
    progress: Callable[[], None] | None = None,
) -> Draft:
    """Return the draft for a model from exact certificates of fair applicants.

    Raises LevelError where there are fewer than 20, or where half of them have no radius.
    """
    if len(pool) < _LEAST_FAIR:
        raise LevelError(
            f"levels: {len(pool)} fair applicants, and a draft needs {_LEAST_FAIR}; give more rows, or name the levels"
        )
    counts = (min(CERTIFICATES, len(pool)),)

    def attacked(levels: Levels | None) -> Point:
        return curve(target, pool, levels, counts, draws=draws, seed=seed, progress=progress)[0]

    labels = attacked(LABELS_ALONE)
    proposals = []
    for texts in _candidates(target.spec, pool):
        squares = squared(texts, target.spec.input_fraction_bits)
        proposals.append(_proposal(texts, squares, pool, attacked(squares)))
    exact = Proposal((), None, 1.0, 1.0, attacked(None))
    return Draft((*proposals, exact), labels, _chosen(proposals, labels, MOST_GAIN[target.family]))


def _candidates(spec: Spec, pool: Sequence[Certificate]) -> list[tuple[str, ...]]:
    """Return lists of levels: one level at the tenth percentile or below it, and more at the middle and above."""
    radii = sorted(one.radius_squared for one in pool)
    # Where more than a tenth stand at a threshold itself, no level reaches nine in ten: those with a radius count.
    some = radii if radii[len(radii) // _TENTH] else [radius for radius in radii if radius]
    first = _round(spec, some[len(some) // _TENTH]) if 2 * len(some) > len(radii) else None
    if first is None:
        raise LevelError(
            "levels: half of the fair applicants have no radius above 0; look at the model, or name the levels yourself"
        )
    half = _round(spec, squared((first,), spec.input_fraction_bits)[0] // 4)
    middle = _round(spec, radii[len(radii) // 2])
    upper = _round(spec, radii[3 * len(radii) // 4])
    lists = [(half,), (first,), (first, middle), (first, middle, upper)]
    ordered = [tuple(dict.fromkeys(text for text in texts if text is not None)) for texts in lists]
    return [texts for texts in dict.fromkeys(ordered) if texts]


def _round(spec: Spec, radius_squared: int) -> str | None:
    """Return the largest level of few digits that is no more than a radius, None where the grid has none above 0."""
    radius = length(spec, radius_squared)
    if radius <= 0:
        return None
    exponent = radius.adjusted()
    candidates = [Decimal(mantissa).scaleb(exponent) for mantissa in _MANTISSAS]
    level = max(one for one in candidates if one <= radius)
    text = f"{level.normalize():f}"
    return text if squared((text,), spec.input_fraction_bits)[0] else None


def _proposal(texts: tuple[str, ...], squares: Levels, pool: Sequence[Certificate], copy: Point) -> Proposal:
    """Return what levels keep for the fair applicants, and what a copy makes of them."""
    exact = [one.radius_squared for one in pool]
    shown = [interval(radius, squares)[0] for radius in exact]
    kept = math.sqrt(statistics.median(shown) / statistics.median(exact))
    return Proposal(texts, squares, sum(radius > 0 for radius in shown) / len(shown), kept, copy)


def _chosen(proposals: Sequence[Proposal], labels: Point, most: float) -> Proposal:
    """Return the least leaking proposal of the largest first level, of all proposals where that is above `most`.

    Thresholds that labels would not name count first, then whole points of agreement; of equals, what keeps more.
    """

    def leaking(one: Proposal) -> tuple[int, int, float, int]:
        known = max(0, (one.copy.known or 0) - (labels.known or 0))
        return known, max(0, round(one.gain(labels))), -one.kept, len(one.levels)

    largest = max((one.squares or (0,))[0] for one in proposals)
    best = min((one for one in proposals if one.squares and one.squares[0] == largest), key=leaking)
    known, _, *_ = leaking(best)
    return best if best.gain(labels) <= most and not known else min(proposals, key=leaking)


def _moved(spec: Spec, radius_squared: int) -> str:
    """Return in words how far the first number alone may move at a level."""
    feature = next((one for one in spec.plain_features if one.kind == "numeric"), spec.plain_features[0])
    return f"{feature.name} {in_units(feature, radius_of_any(spec, radius_squared))}"
