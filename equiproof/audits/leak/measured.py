"""The copies of the audit `leak`: from which applications, at which levels, from how many certificates."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from equiproof.audits.context import AuditContext
from equiproof.audits.errors import AuditError, NotApplicableError
from equiproof.audits.leak.told import EXACT, LABELS, SOURCES, WAYS
from equiproof.certify.branch import WidthError
from equiproof.certify.ensemble import ScoredModel
from equiproof.certify.leak.candidates import LevelError
from equiproof.certify.leak.certificates import Certificate, Levels, invented, simulated
from equiproof.certify.leak.curve import LABELS_ALONE, Point, Target, aimed_at, curve, curve_of_ways
from equiproof.certify.leak.draft import draft_levels
from equiproof.certify.leak.proposals import Draft
from equiproof.certify.leak.ways import Answer, answered, invented_rows
from equiproof.certify.network import QuantisedNetwork
from equiproof.circuits.levels import squares
from equiproof.circuits.spec import Spec

HELD_OUT = 2000
"""The most people on whom copies are compared with the model."""

_POOL_SHARE = _DRAFT_SHARE = 0.5
"""The shares of the seconds left that each pool of certificates, and then a draft of levels, take at most."""


@dataclass(frozen=True)
class Series:
    """The curve of one source at one kind of levels."""

    source: str
    shown: str
    points: Sequence[Point]


@dataclass(frozen=True)
class Request:
    """What is asked: counts of certificates, draws of each, the most applicants, and levels as texts if given."""

    context: AuditContext
    counts: tuple[int, ...]
    draws: int
    people: int
    levels: tuple[str, ...]

    @cached_property
    def deadline(self) -> float | None:
        """The moment at which the audit ends, counted from the first question for it."""
        return self.context.deadline()

    @cached_property
    def order(self) -> list[int]:
        """The rows in the order in which they are drawn: applicants first, held-out people last."""
        order = list(range(len(self.context.rows)))
        random.Random(self.context.seed).shuffle(order)  # noqa: S311  # not a secret
        return order

    @property
    def applicants(self) -> list[int]:
        """Half of the rows, and no more than `people`."""
        return self.order[: min(self.people, len(self.order) // 2)]

    @cached_property
    def target(self) -> Target:
        """The model with the people that no applicant is among; raises NotApplicableError where it has no copies."""
        context = self.context
        if len(context.spec.labels) != 2:
            raise NotApplicableError(f"copies are of two labels, and the model has {len(context.spec.labels)}")
        held = self.order[len(self.applicants) :][:HELD_OUT]
        if not held:
            raise AuditError(
                "leak: give two rows at least, such as --split all: half of them apply, the others are held out"
            )
        target = aimed_at(self.model, self.spec, [self.query(row) for row in held])
        if not len(target.labels):
            raise NotApplicableError("the decision of every held-out row depends on sensitive values")
        return target

    def query(self, row: int) -> tuple[int, ...]:
        """Return the query of a row under the spec of the model that is searched."""
        own = self.context.queries[row]
        return own + (0,) * (self.spec.plain_columns - len(own))

    @property
    def spec(self) -> Spec:
        """The spec of the model that is searched: a score has its padding, of a network it is left out."""
        return self.context.spec if self.context.score is None else self.context.committed_spec

    @property
    def model(self) -> QuantisedNetwork | ScoredModel:
        """The committed model itself."""
        return self.context.score or self.context.network


@dataclass(frozen=True)
class Measured:
    """Curves, the draft that levels are from if none were given, and how many applicants had a certificate.

    `ways` and `nones` count the applicants of the rows who had one; `why` says why nobody could have any.
    """

    series: tuple[Series, ...]
    draft: Draft | None
    levels: tuple[str, ...]
    applied: int
    certified: int
    held_out: int
    ways: int = 0
    nones: int = 0
    why: str | None = None


def measure(request: Request) -> Measured:
    """Simulate certificates and make the copies; raises AuditError where no level can be drafted."""
    target = request.target
    context = request.context
    rows = [request.query(row) for row in request.applicants]
    chosen = invented(request.spec, rows, len(rows), context.seed)
    certified, hurried = _certificates(request, rows, 0)
    made_up, _ = _certificates(request, chosen, len(rows))
    draft = None
    texts = request.levels or request.spec.levels or ()
    if not texts:
        try:
            draft = draft_levels(
                target,
                certified,
                made_up,
                draws=request.draws,
                seed=context.seed,
                deadline=_part(request, _DRAFT_SHARE),
            )
        except LevelError as error:
            more = "give it more time: --max-seconds ended the search for certificates: " if hurried else ""
            raise AuditError(f"leak: {more}{error}") from None
        texts = draft.chosen.levels
    kinds = {
        LABELS: LABELS_ALONE,
        f"levels {', '.join(texts)}": squares(texts, request.spec.input_fraction_bits),
        EXACT: None,
    }
    series = [
        Series(source, shown, _curve(request, pool, levels))
        for source, pool in zip(SOURCES, (certified, made_up), strict=True)
        for shown, levels in kinds.items()
    ]
    measured = Measured(tuple(series), draft, texts, len(rows), len(certified), len(target.labels))
    return _with_ways(request, measured)


def _with_ways(request: Request, measured: Measured) -> Measured:
    """Return the same with curves from ways and nones, or why there are none."""
    if not request.spec.has_changes:
        return replace(measured, why="the spec has no rules of change")
    rows = [request.context.rows[row] for row in request.applicants]
    chosen = invented_rows(request.spec, rows, len(rows), request.context.seed)
    try:
        pools = [_answers(request, some, (2 + place) * len(rows)) for place, some in enumerate((rows, chosen))]
    except WidthError as error:
        return replace(measured, why=str(error))
    own = [Series(source, WAYS, _curve_of_ways(request, pool)) for source, pool in zip(SOURCES, pools, strict=True)]
    series = sorted((*measured.series, *own), key=lambda one: SOURCES.index(one.source))
    ways = sum(bool(one.label) for one in pools[0])
    return replace(measured, series=tuple(series), ways=ways, nones=len(pools[0]) - ways)


def _answers(request: Request, rows: Sequence[Mapping[str, Any]], before: int) -> list[Answer]:
    """Return the ways and nones of raw rows; `before` are done in other lists."""
    end = _part(request, _POOL_SHARE)
    return answered(
        request.model,
        request.spec,
        rows,
        max_seconds=None if end is None else end - time.monotonic(),
        progress=_progress(request, before),
    )


def _certificates(request: Request, queries: Sequence[tuple[int, ...]], before: int) -> tuple[list[Certificate], bool]:
    """Return the certificates of queries, and whether the time for them ended; `before` are done in other lists."""
    end = _part(request, _POOL_SHARE)
    found = simulated(
        request.model,
        request.spec,
        queries,
        max_seconds=None if end is None else end - time.monotonic(),
        progress=_progress(request, before),
    )
    return found, end is not None and time.monotonic() >= end


def _progress(request: Request, before: int) -> Callable[[int], None]:
    """Return what counts the queries and rows that are searched, where `before` are done."""
    total = (4 if request.spec.has_changes else 2) * len(request.applicants)
    return lambda done: request.context.progress(before + done, total)


def _part(request: Request, share: float) -> float | None:
    """Return the moment at which this share of the time that the audit has left is spent; None for no limit."""
    now = time.monotonic()
    return None if request.deadline is None else now + share * max(0.0, request.deadline - now)


def _curve(request: Request, pool: Sequence[Certificate], levels: Levels | None) -> list[Point]:
    """Return a curve from a pool, within the audit's time."""
    return curve(
        request.target, pool, levels, request.counts, draws=request.draws, seed=request.context.seed,
        deadline=request.deadline,
    )  # fmt: skip


def _curve_of_ways(request: Request, pool: Sequence[Answer]) -> list[Point]:
    """Return a curve from ways and nones, within the audit's time."""
    return curve_of_ways(
        request.target, pool, request.counts, draws=request.draws, seed=request.context.seed, deadline=request.deadline
    )
