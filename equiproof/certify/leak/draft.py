"""A draft of levels: which radii certificates may show, what that gives away, and what it keeps.

Every proposal begins with a level that nine in ten fair applicants reach, or of those with a radius where more than a
tenth have none. Its copies are measured beside those from labels alone, from certificates of the rows and of chosen
applications: the stronger copy decides. Chosen is the proposal that gives away least, in whole points, of those that
hold the target with half of it to spare; where none does, the first level is halved, down to a 64th.

A draft has seconds of the processor: searches take a part of them, and copies are made as long as there are some left.
Where no copies can be compared, the first level alone is proposed, and why nobody knows what it gives away.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Sequence
from decimal import Decimal
from functools import partial
from importlib.util import find_spec

from equiproof.certify.ensemble import ScoredModel
from equiproof.certify.leak.candidates import LEAST_FAIR, LevelError, candidates, rounded
from equiproof.certify.leak.certificates import SEARCH_SECONDS, Certificate, Levels, certificate, invented
from equiproof.certify.leak.copies import Copies
from equiproof.certify.leak.curve import LABELS_ALONE, Target, aimed_at
from equiproof.certify.leak.proposals import MOST_GAIN, Copied, Draft, FirstLevel, Proposal, kept, leaking
from equiproof.certify.network import QuantisedNetwork
from equiproof.circuits.levels import squares as squared
from equiproof.circuits.spec import Spec

APPLICANTS = 160
HELD_OUT = 2000
"""The most rows that apply for a draft, with as many chosen applications, and the most that copies are compared on."""

SECONDS = 15.0
"""The processor seconds of a draft; it ends with the copy or the search that goes on when they are over."""

_DRAWS = 3
_HALVED = 6
"""How often the first level is halved at most."""

_COPIES = 5 + _HALVED
_ROWS_SHARE = 0.3
_SEARCH_SHARE = 0.55
"""The parts of the time after which no row, and no chosen application, is searched any more."""

_SURE = 40
"""So many searches have the same share of the time; what they leave, and no more, is for others."""

_LIBRARIES = {"scipy": "scipy", "sklearn": "scikit-learn"}
"""The libraries that fit copies, by module: models are imported without them too."""


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
    deadline: float | None = None,
    progress: Callable[[], None] | None = None,
) -> Draft:
    """Return the draft for a model from exact certificates of fair applicants, and of chosen applications.

    Fewer than 20 of chosen ones are left out. With `seconds` of the processor there are fewer proposals and draws, but
    always labels alone, the first level alone, and smaller ones as long as none holds the target: halves while there is
    time, and then quarters. Several levels are proposed after all `draws` only. By `deadline`, a moment of
    `time.monotonic`, smaller ones end too: past it there are labels alone and the first level, once each. `progress` is
    called after the first copies at each. Raises LevelError where there are fewer than 20 certificates, or where half
    of them have no radius.
    """
    spec, most = target.spec, MOST_GAIN[target.family]
    first, *others = candidates(spec, pool)
    compared = chosen if len(chosen) >= LEAST_FAIR else ()
    copies = Copies(target, (pool, compared) if compared else (pool,), seed, (seconds, deadline), progress)
    listed = {first: squared(first, spec.input_fraction_bits)}
    copies.add(LABELS_ALONE)
    copies.add(listed[first])
    copies.repeat(draws)
    # What several levels give away shows in some draws only: with fewer of them there is one level.
    for texts in others if copies.draws == draws else ():
        if copies.have_time_for(copies.draws):
            listed[texts] = squared(texts, spec.input_fraction_bits)
            copies.add(listed[texts])
    with_exact = copies.have_time_for(copies.draws)
    if with_exact:
        copies.add(None)
    labels = copies.middle(LABELS_ALONE)
    proposals = [_proposal(texts, squares, pool, copies.middle(squares)) for texts, squares in listed.items()]
    least = Decimal(first[0])
    smallest = least / 2**_HALVED
    while least > smallest and copies.in_time(copies.draws) and not any(one.holds(labels, most) for one in proposals):
        smaller = rounded(spec, max(least / (2 if copies.have_time_for(2 * copies.draws) else 4), smallest))
        if smaller is None:
            break
        least, squares = Decimal(smaller), squared((smaller,), spec.input_fraction_bits)
        copies.add(squares)
        proposals.insert(0, _proposal((smaller,), squares, pool, copies.middle(squares)))
    least_leaking = min(proposals, key=lambda one: leaking(one, labels, most))
    exact = (Proposal((), None, 1.0, 1.0, copies.middle(None)),) if with_exact else ()
    return Draft((*proposals, *exact), labels, least_leaking, most)


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


def _proposal(texts: tuple[str, ...], squares: Levels, pool: Sequence[Certificate], copies: Copied) -> Proposal:
    """Return what levels keep for the fair applicants, and what copies make of them."""
    return Proposal(texts, squares, *kept(squares, pool), copies)


def _first_level(spec: Spec, pool: Sequence[Certificate], why: str) -> FirstLevel:
    """Return the first level, and why no copies are compared."""
    texts = candidates(spec, pool)[0]
    squares = squared(texts, spec.input_fraction_bits)
    return FirstLevel(texts, squares, *kept(squares, pool), why)


def _uncompared(pool: Sequence[Certificate]) -> str:
    """Return why copies from these certificates say nothing, or cannot be made; empty where they can be compared."""
    if len({one.label for one in pool}) == 1:
        return "all certificates of the rows have one label"
    missing = next((name for name in _LIBRARIES if find_spec(name) is None), None)
    return "" if missing is None else f"{_LIBRARIES[missing]} is not installed"
