"""The audit `unfair`: for what share of the whole domain does the decision change with sensitive values alone?

The share is between two bounds at any time, which close in on it: of networks and ensembles by branch and bound on
boxes, of additive models by the distribution of their scores. Bounds are whole numbers: no float is part of a proof.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import cast

import msgspec

from equiproof.audits.context import AuditContext
from equiproof.audits.errors import AuditError
from equiproof.audits.hyfair.domain import domain_of
from equiproof.audits.hyfair.grid import Grid
from equiproof.audits.hyfair.reporting import domain_notes
from equiproof.audits.intervals import rounded_down, rounded_up
from equiproof.audits.plugin import Option, settings
from equiproof.audits.records import Cell, Finding, Table
from equiproof.audits.report import AuditReport, StoppedAuditError
from equiproof.audits.unfair.measured import Limits, Measured, counterexample, measure
from equiproof.audits.unfair.told import COLUMNS, COURSE, DENSITIES, DENSITY, ROWS, SUBJECT, UNIFORM, said
from equiproof.audits.unfair.weights import of_rows, uniform
from equiproof.certify.many.point import Verdict

_TIES = "who is not proven fair has a tie under some sensitive value"
_LEFT_OUT = "who has a value that no row has was not judged"


class UnfairShare:
    """The share of all applicants of a domain whose decision changes with sensitive values alone, between two bounds.

    The domain is that of the audit hyfair: every category, and every number of each range in steps.
    """

    name = "unfair"
    version = "1"
    about = "For what share of all possible applicants does the decision change with sensitive values alone?"
    needs: frozenset[str] = frozenset()
    options: tuple[Option, ...] = (
        Option("boxes", "the most boxes that are judged, or sums that are counted of an additive model", 100_000),
        Option("seconds", "the time limit, in seconds; 0 limits boxes alone, so that all machines find the same", 60.0),
        Option(DENSITY, "uniform, or rows: each feature's values are weighed by how many rows have them", UNIFORM),
        Option(
            "decimals", "decimals of fractional numbers, as name=decimals with commas; those of the rows by default", ""
        ),
        Option("threads", "the number of boxes' batches that are judged at once; the result is the same", 1),
    )

    def run(self, context: AuditContext) -> AuditReport:
        """Close in on the share and report it; Ctrl-C ends it with what is known.

        Raises NotApplicableError for an infinite domain, naming the feature.
        """
        begun = time.perf_counter()
        options = settings(self, context.options)
        limits = _limits(options, context.max_seconds)
        density = str(options[DENSITY])
        if density not in DENSITIES:
            raise AuditError(f"unfair: option density: want {' or '.join(DENSITIES)}, not {density[:40]!r}")
        grid = domain_of(context, str(options["decimals"]), self.name)
        weights, left = of_rows(context, grid) if density == ROWS else (uniform(grid), 0)
        measured = measure(context, grid, weights, limits)
        finding = _finding(context, grid, measured, everybody=weights.positive)
        report = AuditReport(
            audit=self.name,
            audit_version=self.version,
            model=context.model,
            sensitive_features=context.sensitive_features,
            verdict=finding.verdict,
            reason=finding.reason,
            measures="share of the domain whose decision changes with sensitive values alone",
            settings={**options, "seed": context.seed, "max_seconds": context.max_seconds},
            findings=(finding,),
            tables=(_course(measured),),
            seconds=time.perf_counter() - begun,
        )
        words = said(report)
        own = () if words is None else (words.german,)
        notes = (*own, *_notes(context, grid, measured, left))
        report = msgspec.structs.replace(report, notes=notes)
        if measured.interrupted:
            raise StoppedAuditError(report)
        return report


def _limits(options: dict[str, Cell], max_seconds: float | None) -> Limits:
    """Read when to stop; raises AuditError naming the option."""
    for name in ("boxes", "threads"):
        if cast("int", options[name]) < 1:
            raise AuditError(f"unfair: option {name}: want 1 or more, not {options[name]}")
    own = cast("float", options["seconds"])
    if own < 0:
        raise AuditError(f"unfair: option seconds: want 0 or more, not {own:g}")
    seconds = [limit for limit in (own or None, max_seconds) if limit is not None]
    return Limits(cast("int", options["boxes"]), min(seconds, default=None), cast("int", options["threads"]))


def _finding(context: AuditContext, grid: Grid, measured: Measured, *, everybody: bool) -> Finding:
    """Return what is known of the whole domain; it is fair only where `everybody` of it has a weight."""
    last = measured.last
    verdict: Verdict = "unfair" if last.unfair else "fair" if last.fair == last.total and everybody else "undecided"
    reason = measured.stopped or (_TIES if last.tied else _LEFT_OUT)
    values: dict[str, Cell] = {"boxes": last.boxes, "open boxes": last.open_boxes}
    return Finding(
        subject=SUBJECT,
        verdict=verdict,
        lower=rounded_down(last.lower),
        upper=rounded_up(last.upper),
        reason=reason if verdict == "undecided" else None,
        counterexample=None if measured.levels is None else counterexample(context, grid, measured.levels),
        values=values,
    )


def _course(measured: Measured) -> Table:
    """Return the bounds after 1, 2, 4, 8, ... rounds, and at the end."""
    steps = measured.steps
    chosen = [step for place, step in enumerate(steps) if place & (place - 1) == 0 or place == len(steps) - 1]
    rows: list[tuple[Cell, ...]] = [
        (one.boxes, one.open_boxes, rounded_down(one.lower), rounded_up(one.upper)) for one in chosen
    ]
    return Table(COURSE, COLUMNS, tuple(rows))


def _notes(context: AuditContext, grid: Grid, measured: Measured, left: int) -> Iterator[str]:
    """Yield what readers of the bounds must know."""
    last = measured.last
    if measured.stopped is not None:
        yield f"{measured.stopped} ended the search: both bounds hold, and more boxes bring them closer together"
    if last.tied:
        yield (
            "some applicants have a tie under one sensitive value and a label under another: they count as unfair at "
            "the upper end only"
        )
    if left:
        yield f"{left} values of the rows lie outside of the domain and are not part of the density"
    yield from domain_notes(context, grid, len(context.rows))
