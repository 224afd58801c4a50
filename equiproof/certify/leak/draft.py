"""A draft of levels: which radii certificates may show, what that gives away, and what it keeps.

Every proposal begins with a level that nine in ten fair applicants reach, or of those with a radius where more than a
tenth have none. Its copies are measured beside those from labels alone, from certificates of the rows and of chosen
applications: the stronger copy decides. Chosen is the proposal that gives away least, in whole points, of those that
hold the target with half of it to spare; where none does, the first level is divided by four, three times at most.

A draft has seconds of the processor: searches take a part of them, and copies are made as long as there are some left.
Where no copies can be compared, the first level alone is proposed, and why nobody knows what it gives away.
"""

from __future__ import annotations

import math
import random
import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import partial
from importlib.util import find_spec
from typing import ClassVar

from equiproof.certify.digits import number, percent
from equiproof.certify.ensemble import ScoredModel
from equiproof.certify.leak.certificates import SEARCH_SECONDS, Certificate, Levels, certificate, interval, invented
from equiproof.certify.leak.curve import LABELS_ALONE, Point, Target, aimed_at, attack, middle
from equiproof.certify.network import QuantisedNetwork
from equiproof.circuits.exit_codes import EXHAUSTED
from equiproof.circuits.levels import squares as squared
from equiproof.circuits.spec import Spec
from equiproof.circuits.units import first_number_moved, length

CERTIFICATES = 100
"""How many certificates the copies of a draft are made from."""

MOST_GAIN = {"linear": 4.0, "additive": 3.0, "ensemble": 3.0, "network": 3.0}
"""The most points of percent by which a copy may agree more than one from labels alone."""

APPLICANTS = 160
HELD_OUT = 2000
"""The most rows that apply for a draft, with as many chosen applications, and the most that copies are compared on."""

SECONDS = 15.0
"""The processor seconds of a draft; it ends with the copy or the search that goes on when they are over."""

_DRAWS = 3
_QUARTERS = 3
_COPIES = 5 + _QUARTERS
_ROWS_SHARE = 0.3
_SEARCH_SHARE = 0.55
"""The parts of the time after which no row, and no chosen application, is searched any more."""

_SURE = 40
"""So many searches have the same share of the time; what they leave, and no more, is for others."""

_SPARE = 0.5
"""The part of the target that a draft leaves to chance: other people apply later, and other draws copy better."""

_TENTH = 10
_MANTISSAS = ("1", "1.2", "1.5", "2", "2.5", "3", "4", "5", "6", "8")
LEAST_FAIR = 20
"""Fewer fair applicants say nothing about nine in ten."""

_LIBRARIES = {"scipy": "scipy", "sklearn": "scikit-learn"}
"""The libraries that fit copies, by module: models are imported without them too."""


class LevelError(Exception):
    """No level can be drafted from these rows; one line with the remedy."""

    exit_code: ClassVar[int] = EXHAUSTED


@dataclass(frozen=True)
class Copied:
    """What copies from certificates of rows come to, and of chosen applications, None where too few of these have one.

    `most` is the largest gain over labels alone of any draw, in points of percent.
    """

    rows: Point
    chosen: Point | None = None
    most: float = 0.0

    def beside(self, alone: Copied) -> list[tuple[Point, Point]]:
        """Return pairs of a copy and the one from labels alone."""
        pairs = ((self.rows, alone.rows), (self.chosen, alone.chosen))
        return [(copy, labels) for copy, labels in pairs if copy is not None and labels is not None]


@dataclass(frozen=True)
class Proposal:
    """Levels as decimal texts in the spec's units, least first, with their squares in grid units.

    `reached` is the share of fair applicants who have the first level, `kept` the median of the shown radii in parts of
    that of the exact ones, `copies` what copies from the certificates come to. `levels` are empty for exact radii.
    """

    levels: tuple[str, ...]
    squares: Levels | None
    reached: float
    kept: float
    copies: Copied

    def gain(self, labels: Copied) -> float:
        """Return by how many points of percent the stronger copy agrees more than one from labels alone."""
        return max(100 * (copy.agreement - alone.agreement) for copy, alone in self.copies.beside(labels))

    def known(self, labels: Copied) -> int:
        """Return how many more thresholds a copy knows than one from labels alone."""
        return max(max(0, (copy.known or 0) - (alone.known or 0)) for copy, alone in self.copies.beside(labels))

    def holds(self, labels: Copied, most: float) -> bool:
        """Return whether all draws stay within half of the target, and no copy knows more thresholds."""
        return self.copies.most <= _SPARE * most and not self.known(labels)

    def sentence(self, spec: Spec, labels: Copied) -> str:
        """Return what it is, gives away and keeps, in words."""
        means = (
            "exact: every radius as it is"
            if self.squares is None
            else _means(spec, self.levels, self.squares, self.reached)
        )
        (copy, alone), *chosen = self.copies.beside(labels)
        told = (
            f"a copy after {_agrees(copy, 'certificates agrees')}, labels alone would give {percent(alone.agreement)}"
        )
        for other, without in chosen:
            told += f"; after {_agrees(other, 'of chosen applications')}, and {percent(without.agreement)}"
        return f"{means}; {told}"


@dataclass(frozen=True)
class Draft:
    """The proposals, exact radii last if there was time for them, what labels alone give, and the chosen proposal.

    `most` is the target: by how many points of percent a copy may agree more than one from labels alone.
    """

    proposals: tuple[Proposal, ...]
    labels: Copied
    chosen: Proposal
    most: float

    @property
    def levels(self) -> tuple[str, ...]:
        """The levels that are drafted."""
        return self.chosen.levels

    def lines(self, spec: Spec) -> list[str]:
        """Return a line for each proposal, one where the target may be missed, and one that names the draft."""
        said = [one.sentence(spec, self.labels) for one in self.proposals]
        if not self.chosen.holds(self.labels, self.most):
            said.append(
                f"no proposal stays within half of the target of {number(self.most)} points above labels alone: the "
                "least leaking one is drafted"
            )
        return [*said, _named(self.levels, self.chosen.kept)]


@dataclass(frozen=True)
class FirstLevel:
    """The first level alone, as of :class:`Proposal`, where copies say nothing; `why` ends a sentence."""

    levels: tuple[str, ...]
    squares: Levels
    reached: float
    kept: float
    why: str

    def lines(self, spec: Spec) -> list[str]:
        """Return a line for the proposal, and one that names the draft."""
        means = _means(spec, self.levels, self.squares, self.reached)
        return [f"{means}; how well copies agree was not measured: {self.why}", _named(self.levels, self.kept)]


def draft_for(
    model: QuantisedNetwork | ScoredModel,
    spec: Spec,
    queries: Sequence[tuple[int, ...]],
    *,
    seed: int = 0,
    seconds: float | None = SECONDS,
    progress: Callable[[int, int], None] | None = None,
) -> Draft | FirstLevel:
    """Return the draft for a model from the queries of rows: some apply, copies are compared on the others.

    It is the first level alone where all certificates have one label, which every copy then decides, and without
    the libraries that fit copies. `seconds` are of the processor, None for no limit; `progress` is called with steps
    done and all. Raises LevelError as :func:`draft_levels`, and where no row is left.
    """
    order = list(queries)
    random.Random(seed).shuffle(order)  # noqa: S311  # not a secret
    count = min(APPLICANTS, len(order) // 2)
    made_up = invented(spec, order[:count], count, seed)
    steps = 2 * count + _COPIES
    done = iter(range(2 * count + 1, steps + 1))
    begun = time.process_time()

    def said(place: int) -> None:
        if progress is not None:
            progress(place, steps)

    def left(share: float) -> float | None:
        return None if seconds is None else share * seconds - (time.process_time() - begun)

    target = aimed_at(model, spec, order[count:][:HELD_OUT])
    if not len(target.labels):
        raise LevelError("levels: give more rows, or name the levels: no row is left to compare copies on")
    pool = _certified(model, spec, order[:count], partial(left, _ROWS_SHARE), said)
    if why := _uncompared(pool):
        return _first_level(spec, pool, why)
    chosen = _certified(model, spec, made_up, partial(left, _SEARCH_SHARE), lambda place: said(count + place))
    return draft_levels(
        target,
        pool,
        chosen,
        draws=_DRAWS,
        seed=seed,
        seconds=left(1.0),
        progress=lambda: said(next(done, steps)),
    )


def draft_levels(
    target: Target,
    pool: Sequence[Certificate],
    chosen: Sequence[Certificate] = (),
    *,
    draws: int = 3,
    seed: int = 0,
    seconds: float | None = None,
    progress: Callable[[], None] | None = None,
) -> Draft:
    """Return the draft for a model from exact certificates of fair applicants, and of chosen applications.

    Fewer than 20 of chosen ones are left out. With `seconds` of the processor there are fewer proposals and draws, but
    always labels alone, the first level alone, and smaller ones as long as none holds the target. `progress` is called
    after the first copies at each. Raises LevelError where there are fewer than 20 certificates, or where half of them
    have no radius.
    """
    spec, most = target.spec, MOST_GAIN[target.family]
    first, *others = _candidates(spec, pool)
    compared = chosen if len(chosen) >= LEAST_FAIR else ()
    copies = _Copies(target, (pool, compared) if compared else (pool,), seed, seconds, progress)
    listed = {first: squared(first, spec.input_fraction_bits)}
    copies.add(LABELS_ALONE)
    copies.add(listed[first])
    copies.repeat(draws)
    for texts in others:
        if copies.have_time_for(copies.draws):
            listed[texts] = squared(texts, spec.input_fraction_bits)
            copies.add(listed[texts])
    with_exact = copies.have_time_for(copies.draws)
    if with_exact:
        copies.add(None)
    labels = copies.middle(LABELS_ALONE)
    proposals = [_proposal(texts, squares, pool, copies.middle(squares)) for texts, squares in listed.items()]
    for _ in range(_QUARTERS):
        least = min((one.squares or (0,))[0] for one in proposals)
        quarter = _round(spec, least // 16)
        if quarter is None or any(one.holds(labels, most) for one in proposals):
            break
        squares = squared((quarter,), spec.input_fraction_bits)
        copies.add(squares)
        proposals.insert(0, _proposal((quarter,), squares, pool, copies.middle(squares)))
    least_leaking = min(proposals, key=lambda one: _leaking(one, labels, most))
    exact = (Proposal((), None, 1.0, 1.0, copies.middle(None)),) if with_exact else ()
    return Draft((*proposals, *exact), labels, least_leaking, most)


class _Copies:
    """Copies at levels, all of the same `draws` of certificates, made as long as there is time."""

    def __init__(
        self,
        target: Target,
        pools: Sequence[Sequence[Certificate]],
        seed: int,
        seconds: float | None,
        progress: Callable[[], None] | None,
    ) -> None:
        """Take what is attacked, certificates of rows and of chosen applications, and the processor seconds."""
        self._attacks = [partial(attack, target, pool, count=min(CERTIFICATES, len(pool)), seed=seed) for pool in pools]
        self._seconds, self._begun, self._progress = seconds, time.process_time(), progress
        self._longest = 0.0
        self.draws = 1
        self._found: dict[Levels | None, list[list[Point]]] = {}

    def have_time_for(self, count: int) -> bool:
        """Return whether so many draws, each as long as the longest so far, end in time."""
        spent = time.process_time() - self._begun
        return self._seconds is None or spent + count * self._longest <= self._seconds

    def add(self, levels: Levels | None) -> None:
        """Make the copies at levels, as many as there are at others."""
        self._found[levels] = []
        for draw in range(self.draws):
            self._make(levels, draw)
        if self._progress is not None:
            self._progress()

    def repeat(self, draws: int) -> None:
        """Make copies of more draws at all levels, up to so many."""
        while self.draws < draws and self.have_time_for(len(self._found)):
            for levels in self._found:
                self._make(levels, self.draws)
            self.draws += 1

    def middle(self, levels: Levels | None) -> Copied:
        """Return the middle of the copies at levels of each pool, and the most that one gains."""
        found, alone = self._found[levels], self._found[LABELS_ALONE]
        gains = [
            100 * (copy.agreement - labels.agreement)
            for copies, others in zip(found, alone, strict=True)
            for copy, labels in zip(copies, others, strict=True)
        ]
        rows, *others = (middle(column) for column in zip(*found, strict=True))
        return Copied(rows, others[0] if others else None, max(gains))

    def _make(self, levels: Levels | None, draw: int) -> None:
        """Make a copy from each pool."""
        begun = time.process_time()
        self._found[levels].append([copied(levels=levels, draw=draw) for copied in self._attacks])
        self._longest = max(self._longest, time.process_time() - begun)


def _certified(
    model: QuantisedNetwork | ScoredModel,
    spec: Spec,
    queries: Sequence[Sequence[int]],
    left: Callable[[], float | None],
    said: Callable[[int], None],
) -> list[Certificate]:
    """Return the certificates of queries, as many as are found in the seconds that are `left`, None for no limit."""
    pool: list[Certificate] = []
    for place, query in enumerate(queries):
        seconds = left()
        if seconds is not None and seconds <= 0:
            break
        share = SEARCH_SECONDS if seconds is None else min(SEARCH_SECONDS, seconds / max(1, _SURE - place))
        one = certificate(model, spec, query, share)
        pool += [] if one is None else [one]
        said(place + 1)
    return pool


def _candidates(spec: Spec, pool: Sequence[Certificate]) -> list[tuple[str, ...]]:
    """Return lists of levels: one level at the tenth percentile or below it, and more at the middle and above.

    Raises LevelError for too few certificates, and where half of them have no radius.
    """
    if len(pool) < LEAST_FAIR:
        raise LevelError(
            f"levels: {len(pool)} fair applicants, and a draft needs {LEAST_FAIR}; give more rows, or name the levels"
        )
    radii = sorted(one.radius_squared for one in pool)
    # Where more than a tenth stand at a threshold itself, no level reaches nine in ten: those with a radius count.
    some = radii if radii[len(radii) // _TENTH] else [radius for radius in radii if radius]
    first = _round(spec, some[len(some) // _TENTH]) if 2 * len(some) > len(radii) else None
    if first is None:
        raise LevelError(
            "levels: look at the model, or name the levels yourself: half of the fair applicants have no radius above 0"
        )
    central = _round(spec, radii[len(radii) // 2])
    upper = _round(spec, radii[3 * len(radii) // 4])
    lists = [(first,), (first, central), (first, central, upper)]
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


def _proposal(texts: tuple[str, ...], squares: Levels, pool: Sequence[Certificate], copies: Copied) -> Proposal:
    """Return what levels keep for the fair applicants, and what copies make of them."""
    return Proposal(texts, squares, *kept(squares, pool), copies)


def _first_level(spec: Spec, pool: Sequence[Certificate], why: str) -> FirstLevel:
    """Return the first level, and why no copies are compared."""
    texts = _candidates(spec, pool)[0]
    squares = squared(texts, spec.input_fraction_bits)
    return FirstLevel(texts, squares, *kept(squares, pool), why)


def _uncompared(pool: Sequence[Certificate]) -> str:
    """Return why copies from these certificates say nothing, or cannot be made; empty where they can be compared."""
    if len({one.label for one in pool}) == 1:
        return "all certificates of the rows have one label"
    missing = next((name for name in _LIBRARIES if find_spec(name) is None), None)
    return "" if missing is None else f"{_LIBRARIES[missing]} is not installed"


def kept(squares: Levels, pool: Sequence[Certificate]) -> tuple[float, float]:
    """Return the share of fair applicants who have the first level, and the part of the median radius that is shown.

    A median of 0 is kept as a whole.
    """
    exact = [one.radius_squared for one in pool]
    shown = [interval(radius, squares)[0] for radius in exact]
    median = statistics.median(exact)
    part = math.sqrt(statistics.median(shown) / median) if median else 1.0
    return sum(radius > 0 for radius in shown) / len(shown), part


def _leaking(one: Proposal, labels: Copied, most: float) -> tuple[bool, int, int, float, int]:
    """Return what a proposal gives away, as numbers to compare: the least leaking one is chosen.

    Those that do not hold the target come last. Thresholds that labels would not name count first, then whole points
    of agreement; of equals, what keeps more.
    """
    gain = max(0, round(one.gain(labels)))
    return not one.holds(labels, most), one.known(labels), gain, -one.kept, len(one.levels)


def _agrees(copy: Point, of: str) -> str:
    """Return what a copy comes to, in words."""
    known = f" and knows {copy.known} thresholds exactly" if copy.known else ""
    return f"{copy.count} {of} with {percent(copy.agreement)}{known}"


def _means(spec: Spec, levels: Sequence[str], squares: Levels, reached: float) -> str:
    """Return in words what levels mean, and who has them."""
    means = f"the first level means {first_number_moved(spec, squares[0])}"
    return f"{', '.join(levels)}: {means}; {percent(reached)} of fair applicants have it"


def _named(levels: Sequence[str], kept: float) -> str:
    """Return the line that names the drafted levels."""
    return f"drafted levels: {', '.join(levels)}; keeps {percent(kept)} of the median radius"
