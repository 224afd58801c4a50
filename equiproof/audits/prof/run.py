"""One run of the audit PROF: which rows are decided by their sensitive values, and what a repair would cost."""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt

from equiproof.audits.context import AuditContext
from equiproof.audits.counterexample import Counterexample
from equiproof.audits.errors import AuditError
from equiproof.audits.plugin import Audit
from equiproof.audits.prof.exact import Alike, Answer, Differing, check
from equiproof.audits.prof.metrics import Count, instances, sampled
from equiproof.audits.prof.repair import DEFAULTS, Repaired, Settings, Unrepaired, repair
from equiproof.audits.prof.similar import Similarity
from equiproof.audits.records import Cell, Estimate, Finding, Table
from equiproof.audits.report import AuditReport
from equiproof.certify.decisions import decisions
from equiproof.certify.many.point import Verdict
from equiproof.certify.network import QuantisedNetwork

Integers = npt.NDArray[np.int64]

_KEPT_ROWS = 500
"""The most rows that are not repair points and whose decisions the repair keeps."""

_RELAXED_SAMPLES = 1000
"""The most random inputs of a relaxed relation: each is decided on its own, which takes about a millisecond or more."""


class Run:
    """One run of an audit on one context."""

    def __init__(self, audit: Audit, context: AuditContext, options: dict[str, Cell]) -> None:
        """Read the options and draw the repair points."""
        self._audit = audit
        self._context = context
        self._options = options
        if options["sets"] not in ("points", "symbolic", "concrete"):
            raise AuditError(f"prof: option sets: want points, symbolic or concrete, not {options['sets']!r}")
        if options["last_layer"] not in ("yes", "no"):
            raise AuditError(f"prof: option last_layer: want yes or no, not {options['last_layer']!r}")
        self._least_kept = _share(str(options["least_kept"]))
        self._similarity = Similarity.of(context.spec, read_relaxed(str(options["relaxed"])))
        count = min(len(context.rows), int(options["points"] or 0))
        if count < 1:
            raise AuditError("prof: option points: want at least 1")
        order = np.random.Generator(np.random.PCG64(context.seed)).permutation(len(context.rows))
        self._points = sorted(order[:count].tolist())
        self._kept = sorted(order[count : count + _KEPT_ROWS].tolist()) or self._points
        self._unseen = sorted(order[count + _KEPT_ROWS :].tolist())
        self._queries = [context.queries[number] for number in self._points]
        self._all = np.array(context.queries, dtype=np.int64)

    def report(self) -> AuditReport:
        """Return what was found."""
        context = self._context
        context.progress(0, 3)
        begin = time.perf_counter()
        answers = check(context.network, self._similarity, self._queries)
        seconds_each = (time.perf_counter() - begin) / len(answers)
        findings = tuple(
            self._finding(number, answer, seconds_each) for number, answer in zip(self._points, answers, strict=True)
        )
        context.progress(1, 3)
        inputs = np.concatenate([self._all, self._sensitive_columns()], axis=1)
        labels = self._labels(inputs)
        kept = (inputs[self._kept], labels[self._kept])
        outcome = repair(context.network, self._similarity, self._queries, kept, self._settings())
        context.progress(2, 3)
        verdict, reason = _verdict(findings)
        tables, notes = self._repair_report(outcome, inputs)
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
            estimates=(self._idi(),),
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

    def _sensitive_columns(self) -> Integers:
        """Return the rows' own sensitive columns, or those of the first slice if the rows lack them."""
        table = np.array(self._context.spec.domain_table, dtype=np.int64)
        try:
            return table[list(self._context.slices)]
        except AuditError:
            return np.repeat(table[:1], len(self._all), axis=0)

    def _labels(self, inputs: Integers) -> Integers:
        """Return the labels that are kept: the true ones, else the model's own decisions."""
        if self._context.labels is not None:
            return np.array(self._context.labels, dtype=np.int64)
        return np.maximum(decisions(self._context.network, inputs), 0)

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

    def _idi(self) -> Estimate:
        """Return IDI-D, an exact count over the rows."""
        count = instances(self._context.network, self._similarity, self._all)
        # Rows whose budget ended may be instances or not: they count for the upper end alone.
        settled_share = (count.found - count.unsettled) / count.of
        return Estimate(
            measure="IDI-D: rows with a similar input decided differently",
            value=count.share,
            lower=settled_share,
            upper=count.share,
            n=count.of,
            method="exact",
        )

    def _repair_report(
        self, outcome: Repaired | Unrepaired, inputs: Integers
    ) -> tuple[tuple[Table, ...], tuple[str, ...]]:
        """Return the tables and notes about the repair."""
        if isinstance(outcome, Unrepaired):
            return (), (f"no repair found: {outcome.reason}", *outcome.tried)
        before = self._measures(self._context.network, inputs)
        after = self._measures(outcome.network, inputs)
        rows = tuple((name, old, new) for (name, old), (_, new) in zip(before, after, strict=True))
        table = Table("before and after the repair", ("measure", "before", "after"), rows)
        return (table,), self._notes(outcome)

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
            notes.append(
                f"audit more than {len(self._points) + _KEPT_ROWS} rows to measure accuracy: the repair saw all "
                f"of these {len(self._all)}, so what it gains or costs on them shows nothing"
            )
        if repaired.constant:
            notes.append("warning: after the repair all repair points have the same label")
        return tuple(notes)

    def _sample_count(self) -> int:
        """Return over how many random inputs IDI-S is counted."""
        count = int(self._options["samples"] or 0)
        return min(count, _RELAXED_SAMPLES) if self._similarity.relaxed else count

    def _measures(self, network: QuantisedNetwork, inputs: Integers) -> list[tuple[str, float | None]]:
        """Return the measures of one network."""
        counts: list[tuple[str, Count]] = [
            ("CUR, share of repair points", instances(network, self._similarity, np.array(self._queries))),
            (f"IDI-D, share of these {len(self._all)} rows", instances(network, self._similarity, self._all)),
        ]
        if samples := self._sample_count():
            random_inputs = sampled(self._context.spec, samples, self._context.seed, self._context.rows)
            counts.append(
                (f"IDI-S, share of {samples} random inputs", instances(network, self._similarity, random_inputs))
            )
        measures: list[tuple[str, float | None]] = [(name, count.share) for name, count in counts]
        if self._context.labels is not None and self._unseen:
            # The repair is fitted to the rows it keeps, so they would overstate its accuracy.
            right = decisions(network, inputs[self._unseen]) == np.array(self._context.labels)[self._unseen]
            name = f"accuracy over {len(self._unseen)} rows that the repair did not see"
            measures.append((name, float(np.mean(right))))
        return measures


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
