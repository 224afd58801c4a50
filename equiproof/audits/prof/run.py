"""One run of the audit PROF: which rows are decided by their sensitive values, and what a repair would cost."""

from __future__ import annotations

import itertools
import math
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt

from equiproof.audits.context import AuditContext
from equiproof.audits.counterexample import Counterexample
from equiproof.audits.errors import AuditError
from equiproof.audits.plugin import Audit
from equiproof.audits.prof.clock import Clock
from equiproof.audits.prof.exact import Alike, Answer, Differing, check
from equiproof.audits.prof.metrics import Count, accuracy, counted, in_pieces, sampled_in_pieces
from equiproof.audits.prof.repair import DEFAULTS, Repaired, Settings, Unrepaired, repair
from equiproof.audits.prof.similar import Similarity
from equiproof.audits.records import Cell, Estimate, Finding, Table
from equiproof.audits.report import AuditReport
from equiproof.certify.decisions import decisions
from equiproof.certify.many.point import Verdict
from equiproof.certify.network import QuantisedNetwork

Integers = npt.NDArray[np.int64]

_FINDINGS_SHARE, _REPAIR_SHARE = 0.25, 0.7
"""The parts of the time left that the findings, and then the repair, may take; measures take the rest."""

_KEPT_ROWS = 500
"""The most rows that are not repair points and whose decisions the repair keeps."""

_RELAXED_SAMPLES = 1000
"""The most random inputs of a relaxed relation: each is decided on its own, which takes about a millisecond or more."""


class Run:
    """One run of an audit on one context."""

    def __init__(self, audit: Audit, context: AuditContext, options: dict[str, Cell], clock: Clock) -> None:
        """Read the options, and draw the rows that are judged and those that the repair is fitted to."""
        self._audit = audit
        self._context = context
        self._options = options
        self._clock = clock
        if options["sets"] not in ("points", "symbolic", "concrete"):
            raise AuditError(f"prof: option sets: want points, symbolic or concrete, not {options['sets']!r}")
        if options["last_layer"] not in ("yes", "no"):
            raise AuditError(f"prof: option last_layer: want yes or no, not {options['last_layer']!r}")
        self._least_kept = _share(str(options["least_kept"]))
        self._similarity = Similarity.of(context.spec, read_relaxed(str(options["relaxed"])))
        most = int(options["points"] or 0)
        if most < 1:
            raise AuditError("prof: option points: want at least 1")
        self._order = _drawn(context.seed, len(context.rows))
        self._judged = sorted(self._order[:most])
        fitted = context if not context.training.rows else _fitted(context, most + _KEPT_ROWS)
        order = self._order if fitted is context else list(range(len(fitted.rows)))
        self._points = sorted(order[:most])
        self._kept = sorted(order[most : most + _KEPT_ROWS]) or self._points
        self._unseen = sorted(order[most + _KEPT_ROWS :]) if fitted is context else list(context.held_out)
        self._fitted = fitted
        self._queries = [context.queries[number] for number in self._judged]
        self._repaired = [fitted.queries[number] for number in self._points]

    def report(self) -> AuditReport:
        """Return what was found; each step ends with the time, and says what it left out."""
        context = self._context
        context.progress(0, 3)
        begin = time.perf_counter()
        answers = check(context.network, self._similarity, self._queries, self._clock.share(_FINDINGS_SHARE))
        seconds_each = (time.perf_counter() - begin) / len(answers)
        findings = tuple(
            self._finding(number, answer, seconds_each) for number, answer in zip(self._judged, answers, strict=True)
        )
        context.progress(1, 3)
        inputs, labels = self._labelled(self._fitted)
        kept = (inputs[self._kept], labels[self._kept])
        clock = self._clock.share(_REPAIR_SHARE)
        outcome = repair(context.network, self._similarity, self._repaired, kept, self._settings(), clock)
        context.progress(2, 3)
        verdict, reason = _verdict(findings)
        estimates, tables, notes = self._repair_report(outcome)
        context.progress(3, 3)
        return AuditReport(
            audit=self._audit.name,
            audit_version=self._audit.version,
            model=context.model,
            sensitive_features=context.sensitive_features,
            verdict=verdict,
            reason=reason,
            settings=self._options | {"seed": context.seed, "max_seconds": context.max_seconds},
            findings=findings,
            estimates=estimates,
            tables=tables,
            notes=notes,
        )

    def _settings(self) -> Settings:
        """Return how the repair is made."""
        max_seconds = self._context.max_seconds
        return Settings(
            sets=self._options["sets"],  # type: ignore[arg-type]  # checked above
            steps=int(self._options["steps"] or 0),
            last_layer=self._options["last_layer"] == "yes",
            least_right=math.ceil(self._least_kept * len(self._kept)),
            seconds=DEFAULTS.seconds if max_seconds is None else min(DEFAULTS.seconds, max_seconds),
            seed=self._context.seed,
        )

    def _labelled(self, context: AuditContext) -> tuple[Integers, Integers]:
        """Return the inputs of a context's rows, and the labels that are kept: the true ones, else the decisions.

        Sensitive columns are the rows' own, or those of the first slice if the rows lack them.
        """
        table = np.array(self._context.spec.domain_table, dtype=np.int64)
        try:
            sensitive = table[list(context.slices)]
        except AuditError:
            sensitive = np.repeat(table[:1], len(context.rows), axis=0)
        inputs = np.concatenate([np.array(context.queries, dtype=np.int64), sensitive], axis=1)
        if context.labels is not None:
            return inputs, np.array(context.labels, dtype=np.int64)
        return inputs, np.maximum(decisions(self._context.network, inputs), 0)

    def _finding(self, number: int, answer: Answer, seconds: float) -> Finding:
        """Return the finding of one row."""
        fields: dict[str, Any] = {"subject": f"row {number + 1}", "row": number + 1, "seconds": round(seconds, 6)}
        if isinstance(answer, Alike):
            return Finding(verdict="fair", values={"label": self._context.spec.labels[answer.label]}, **fields)
        if not isinstance(answer, Differing):
            return Finding(verdict="undecided", reason=answer.reason, **fields)
        if None in answer.labels:
            return Finding(verdict="undecided", reason="a similar input leads to a tie", **fields)
        plain = self._context.spec.plain_columns
        slices = {values: slice_ for slice_, values in enumerate(self._context.spec.domain_table)}
        cases = tuple(self._context.decided_input(inputs[:plain], slices[inputs[plain:]]) for inputs in answer.inputs)
        return Finding(
            verdict="unfair",
            counterexample=Counterexample("two similar inputs are decided differently", cases),
            **fields,
        )

    def _repair_report(
        self, outcome: Repaired | Unrepaired
    ) -> tuple[tuple[Estimate, ...], tuple[Table, ...], tuple[str, ...]]:
        """Return IDI-D as an exact count over the rows, and the tables and notes about the repair."""
        network = self._context.network
        if isinstance(outcome, Unrepaired):
            idi = self._rows_measured([network])
            return idi.estimates, (), (f"no repair found: {outcome.reason}", *outcome.tried, *idi.notes)
        measures, idi = self._measures([network, outcome.network])
        rows = [
            (measure.name, measure.counts[0].share, measure.counts[1].share)
            for measure in measures
            if measure.counts[0].of
        ]
        if self._context.labels is not None and self._unseen:
            # The repair is fitted to the rows it keeps, so they would overstate its accuracy.
            inputs, labels = self._labelled(self._context)
            unseen = inputs[self._unseen], labels[self._unseen]
            before, after = (accuracy(one, *unseen) for one in (network, outcome.network))
            rows.append((f"accuracy over {len(self._unseen)} rows that the repair did not see", before, after))
        table = Table("before and after the repair", ("measure", "before", "after"), tuple(rows))
        notes = [note for measure in measures for note in measure.notes]
        return idi.estimates, (table,), (*self._notes(outcome), *notes)

    def _notes(self, repaired: Repaired) -> tuple[str, ...]:
        """Return the notes about a repair."""
        steps = 0 if repaired.calibrated is None else repaired.calibrated.steps
        notes = [
            f"step 1 of the repair trains the hidden layers for {steps} steps, and minimises no change"
            if steps
            else "the repair keeps the hidden layers",
            f"step 2 changes the last layer by {repaired.change.objective:.6g} in total; with {repaired.sets} sets "
            f"the minimum is {repaired.change.bound:.6g}"
            if repaired.change.objective
            else "step 2, the smallest change of the last layer, had nothing left to change",
            "the repaired network was checked on every repair point in integers; `equiproof repair` writes it",
        ]
        if self._sample_count() < int(self._options["samples"] or 0):
            notes.append(
                f"IDI-S is over {self._sample_count()} random inputs, not {self._options['samples']}: "
                "with relaxed features each takes a search of its own"
            )
        if self._context.labels is not None and not self._unseen:
            notes.append(self._nothing_unseen())
        if repaired.constant:
            notes.append("warning: after the repair all repair points have the same label")
        return tuple(notes)

    def _nothing_unseen(self) -> str:
        """Return why accuracy is not measured, and how it would be."""
        count = len(self._context.rows)
        if self._context.training.rows:
            return f"audit rows of the test split to measure accuracy: all of these {count} are training rows"
        return (
            f"audit more than {len(self._points) + _KEPT_ROWS} rows to measure accuracy: the repair saw all "
            f"of these {count}, so what it gains or costs on them shows nothing"
        )

    def _sample_count(self) -> int:
        """Return over how many random inputs IDI-S is counted."""
        count = int(self._options["samples"] or 0)
        return min(count, _RELAXED_SAMPLES) if self._similarity.relaxed else count

    def _measures(self, networks: Sequence[QuantisedNetwork]) -> tuple[list[_Measure], _Measure]:
        """Return the shares of instances that networks have, the most telling first should time end, and IDI-D."""
        context, relation = self._context, self._similarity
        findings, points = (
            self._counted(networks, words, len(queries), in_pieces(np.array(queries, dtype=np.int64), relation))
            for words, queries in (
                ("IDI, share of {} findings", self._queries),
                ("CUR, share of {} repair points", self._repaired),
            )
        )
        rows = self._rows_measured(networks)
        measures = [findings, points, rows]
        if samples := self._sample_count():
            inputs = sampled_in_pieces(context.spec, samples, context.seed, context.rows)
            pieces = itertools.chain.from_iterable(in_pieces(piece, relation) for piece in inputs)
            measures.append(self._counted(networks, "IDI-S, share of {} random inputs", samples, pieces))
        return measures, rows

    def _rows_measured(self, networks: Sequence[QuantisedNetwork]) -> _Measure:
        """Return IDI-D of networks, over the rows in the order of their draw."""
        queries = np.array([self._context.queries[number] for number in self._order], dtype=np.int64)
        words = "IDI-D, share of these {} rows"
        return self._counted(networks, words, len(queries), in_pieces(queries, self._similarity))

    def _counted(
        self, networks: Sequence[QuantisedNetwork], words: str, wanted: int, pieces: Iterator[Integers]
    ) -> _Measure:
        """Return one measure of networks."""
        return _Measure(words, wanted, tuple(counted(networks, self._similarity, pieces, self._clock)))


@dataclass(frozen=True)
class _Measure:
    """The counts of one measure, by network: of as many of the `wanted` inputs as the time sufficed for."""

    words: str
    wanted: int
    counts: tuple[Count, ...]

    @property
    def name(self) -> str:
        """What was counted, with the number of inputs."""
        return self.words.format(self.counts[0].of)

    @property
    def notes(self) -> tuple[str, ...]:
        """What the time did not suffice for."""
        of = self.counts[0].of
        if of == self.wanted:
            return ()
        measure, _, _ = self.words.partition(",")
        return (f"raise --max-seconds to count all of {measure}: the time ended after {of} of {self.wanted}",)

    @property
    def estimates(self) -> tuple[Estimate, ...]:
        """The share before a repair as an exact count; none where the time sufficed for no input."""
        count = self.counts[0]
        if not count.of:
            return ()
        return (
            Estimate(
                measure="IDI-D: rows with a similar input decided differently",
                value=count.share,
                # Rows whose budget ended may be instances or not: they count for the upper end alone.
                lower=(count.found - count.unsettled) / count.of,
                upper=count.share,
                n=count.of,
                method="exact",
            ),
        )


def _drawn(seed: int, count: int) -> list[int]:
    """Return the numbers of rows in the order in which a seed draws them."""
    return [*np.random.Generator(np.random.PCG64(seed)).permutation(count).tolist()]


def _fitted(context: AuditContext, most: int) -> AuditContext:
    """Return the context of the training rows that a repair is fitted to, in the order of their draw.

    Raises AuditError for training rows that do not fit the spec.
    """
    fitted = context.fitted_to(_drawn(context.seed, len(context.training.rows))[:most])
    try:
        _ = fitted.queries
    except AuditError as error:
        raise AuditError(f"training: {error}") from None
    return fitted


def _verdict(findings: Sequence[Finding]) -> tuple[Verdict, str | None]:
    """Return the verdict over some rows, and the reason if it is undecided."""
    verdicts = {finding.verdict for finding in findings}
    if "unfair" in verdicts:
        return "unfair", None
    if "undecided" in verdicts:
        return "undecided", next(finding.reason for finding in findings if finding.verdict == "undecided")
    return "fair", None


def _share(text: str) -> Fraction:
    """Read a share from 0 to 1; raises AuditError for anything else."""
    try:
        share = Fraction(text)
    except (ValueError, ZeroDivisionError):
        share = Fraction(-1)
    if not 0 <= share <= 1:
        raise AuditError(f"prof: option least_kept: want a share from 0 to 1, not {text[:20]!r}")
    return share


def read_relaxed(text: str) -> dict[str, Fraction]:
    """Read eps_j of features such as "age=2,income=500"; raises AuditError for anything else."""
    reaches: dict[str, Fraction] = {}
    for part in filter(None, (part.strip() for part in text.split(","))):
        name, separator, number = part.rpartition("=")
        try:
            reaches[name] = Fraction(number)
        except (ValueError, ZeroDivisionError):
            raise AuditError(f"relaxed: want a feature and a number, such as age=2, not {part[:40]!r}") from None
        if not separator:
            raise AuditError(f"relaxed: want a feature and a number, such as age=2, not {part[:40]!r}")
    return reaches
