"""What the audit `unfair` measures: the share of a domain, as boxes or sums close in on it, and an unfair applicant."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from equiproof.audits.context import AuditContext
from equiproof.audits.counterexample import Counterexample, DecidedInput
from equiproof.audits.errors import AuditError, NotApplicableError
from equiproof.audits.hyfair.clusters import Judge
from equiproof.audits.hyfair.forward import Forward
from equiproof.audits.hyfair.grid import Grid
from equiproof.audits.hyfair.margin import margin_of
from equiproof.audits.unfair.cells import cells_of
from equiproof.audits.unfair.ensembles import EnsembleOnBoxes
from equiproof.audits.unfair.networks import NetworkOnBoxes
from equiproof.audits.unfair.search import Share, narrowing
from equiproof.audits.unfair.sums import Sums
from equiproof.audits.unfair.weights import Weights
from equiproof.certify.ensemble import EnsembleModel
from equiproof.certify.network import NetworkError


@dataclass(frozen=True)
class Limits:
    """When to stop: after so many boxes, or sums of an additive model, or seconds; None for no limit of time."""

    boxes: int
    seconds: float | None
    threads: int = 1


@dataclass(eq=False)
class Measured:
    """What is known of a domain: `steps` are what was known after each round, and `stopped` is why it went no further.

    `levels` are the levels of the example, an unfair applicant, if there is one.
    """

    steps: list[Share] = field(default_factory=list)
    stopped: str | None = None
    levels: tuple[int, ...] | None = None
    interrupted: bool = False

    @property
    def last(self) -> Share:
        """What is known at the end."""
        return self.steps[-1]


def measure(context: AuditContext, grid: Grid, weights: Weights, limits: Limits) -> Measured:
    """Close in on the share until it is known, a limit is reached, or Ctrl-C comes."""
    begun = time.monotonic()
    shares, starts = _shares(context, grid, weights, limits)
    measured = Measured()
    try:
        for share in shares:
            measured.steps.append(share)
            context.progress(min(share.boxes, limits.boxes), limits.boxes)
            if share.open_boxes and limits.seconds is not None and time.monotonic() - begun >= limits.seconds:
                measured.stopped = f"the time limit of {limits.seconds:g} seconds"
                break
    except KeyboardInterrupt:
        if not measured.steps:
            raise
        measured.interrupted = True
        measured.stopped = "an interruption"
    if measured.last.open_boxes and measured.stopped is None:
        measured.stopped = f"the limit of {limits.boxes:,} boxes"
    if measured.last.example is not None:
        places = enumerate(measured.last.example)
        measured.levels = tuple(place if starts is None else starts[feature][place] for feature, place in places)
    return measured


def _shares(
    context: AuditContext, grid: Grid, weights: Weights, limits: Limits
) -> tuple[Iterator[Share], Sequence[Sequence[int]] | None]:
    """Return the search of a model, and the first levels of its cells, None where it searches levels."""
    model = context.score
    if model is None:
        try:
            judges = [Judge(Forward(margin_of(context.network, label), grid)) for label in _labels(context)]
        except NetworkError as error:
            raise NotApplicableError(str(error)) from None
        return narrowing(NetworkOnBoxes(judges, weights), weights, limits.boxes, limits.threads), None
    cells = cells_of(model.additive if isinstance(model, EnsembleModel) else model, grid)
    own = weights.merged(cells.starts)
    if isinstance(model, EnsembleModel):
        return narrowing(EnsembleOnBoxes(model, cells), own, limits.boxes, limits.threads), cells.starts
    added, groups = cells.jumps(model)
    sums = Sums(tuple(tuple(part.tolist()) for part in added), tuple(groups.tolist()))
    return sums.narrowing(own, limits.boxes), cells.starts


def _labels(context: AuditContext) -> Sequence[int]:
    """Return the labels whose margins decide: of two, the second one's does for both."""
    count = len(context.spec.labels)
    return range(count) if count > 2 else (1,)


def counterexample(context: AuditContext, grid: Grid, levels: Sequence[int]) -> Counterexample:
    """Return an unfair applicant under two assignments that give different labels, replayed."""
    plain = [int(value) for level, place in zip(grid.levels, levels, strict=True) for value in level[place]]
    count = context.spec.plain_columns
    cases: list[DecidedInput] = []
    for row in grid.table.tolist():
        columns = [0] * len(grid.order)
        for place, value in zip(grid.order, (*plain, *row), strict=True):
            columns[place] = value
        case = context.decided_input(columns[:count], context.spec.domain_table.index(tuple(columns[count:])))
        if case.label is not None and case.label not in {one.label for one in cases}:
            cases.append(case)
    if len(cases) < 2:
        raise AuditError("unfair: the example is decided alike; please report this")
    values = {name: grid.values[feature][levels[feature]] for feature, name in enumerate(grid.names)}
    words = ", ".join(f"{name} {grid.shown(name, value)}" for name, value in values.items())
    shows = f"one applicant ({words}) gets {len(cases)} labels under different sensitive values"
    found = Counterexample(shows, tuple(cases))
    found.replay(context.decider, context.spec)
    return found
