"""Running of audits one after the other; if one fails, it is reported and the others continue."""

from __future__ import annotations

import hashlib
import os
import pickle
import tempfile
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

import msgspec

from equiproof.audits.context import AuditContext, Progress, quiet
from equiproof.audits.documents import canonical, decoded
from equiproof.audits.errors import AuditError, CounterexampleError, NotApplicableError
from equiproof.audits.meanings import in_full
from equiproof.audits.plugin import Audit, Broken, one_line, settings
from equiproof.audits.presentation import WIDTH, run_summary
from equiproof.audits.records import LOGIT_BITS, Model
from equiproof.audits.report import AuditReport, StoppedAuditError
from equiproof.audits.rounding import with_rounding
from equiproof.certify.models.comparison import Comparison

FORMAT = ("equiproof-audits", 1)

_NEED_WORDS = {
    "rows": "rows of raw features",
    "labels": "the true decision of each row",
    "linear": "a linear model besides the network",
}

Outcome = Literal["failed", "not applicable"]


class Failure(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """An audit without a report, because it failed or did not apply; the reason in one line."""

    audit: str
    outcome: Outcome
    reason: str


class AuditRun(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """All requested audits of one model: a report or a failure each.

    `compared` has the counts of a comparison with the decisions of the owner's own system, None where a model that was
    made elsewhere was not compared; it is left out for a model that was trained here.
    """

    format: str = FORMAT[0]
    version: int = FORMAT[1]
    model: Model
    reports: tuple[AuditReport, ...] = ()
    failures: tuple[Failure, ...] = ()
    compared: Comparison | msgspec.UnsetType | None = msgspec.UNSET

    def worst(self, named: Collection[str] = ()) -> Literal["unfair", "undecided"] | None:
        """Return "unfair" if a report is, else "undecided" if anything is open, else None.

        Open is an undecided report, a failed audit, or one of the audits `named` that does not apply to the model.
        """
        verdicts = {report.verdict for report in self.reports}
        if "unfair" in verdicts:
            return "unfair"
        missing = any(one.outcome == "failed" or one.audit in named for one in self.failures)
        return "undecided" if missing or "undecided" in verdicts else None

    def to_json(self) -> str:
        """Return the document as canonical JSON (RFC 8785)."""
        return canonical(self)

    @classmethod
    def from_json(cls, text: str | bytes, where: str = "audits") -> AuditRun:
        """Read what :meth:`to_json` wrote; raises AuditError naming `where` for anything else."""
        return decoded(text, cls, FORMAT, where)

    def summary(self, width: int = WIDTH) -> str:
        """Return the summaries of all reports, and after them what they come to, in lines of at most this width."""
        run = msgspec.structs.replace(self, reports=tuple(map(in_full, self.reports)))
        return run_summary(run, [report.summary(width) for report in run.reports], width)


class InterruptedAuditsError(KeyboardInterrupt):
    """Ctrl-C ended a run; `finished` has what is known, and names the audits that are not finished as failed."""

    def __init__(self, finished: AuditRun) -> None:
        """Keep the run."""
        super().__init__(f"interrupted after {len(finished.reports)} reports")
        self.finished = finished


def lacking(context: AuditContext, audits: Mapping[str, Audit | Broken], names: Sequence[str]) -> frozenset[str]:
    """Return which needs of the named audits a context does not meet."""
    return frozenset(need for name in names for need in getattr(audits[name], "needs", ())) - context.has


def refuse_misnamed(
    audits: Mapping[str, Audit | Broken], names: Sequence[str], options: Mapping[str, Mapping[str, str]]
) -> None:
    """Raise AuditError for an audit that does not exist, and for options that are unknown, invalid or of no use."""
    if unknown := [name for name in [*names, *options] if name not in audits]:
        raise AuditError(f"no audit is called {unknown[0]!r}; there are {', '.join(audits) or 'none'}")
    if unused := [name for name in options if name not in names]:
        raise AuditError(
            f"leave out options for {unused[0]}, which is not one of the audits to run: {', '.join(names) or 'none'}"
        )
    for name, values in options.items():
        audit = audits[name]
        if not isinstance(audit, Broken):
            settings(audit, values)


def run_all(
    context: AuditContext,
    audits: Mapping[str, Audit | Broken],
    names: Sequence[str],
    *,
    options: Mapping[str, Mapping[str, str]] | None = None,
    keep: Path | None = None,
    progress: Callable[[str], Progress] = lambda _name: quiet,
) -> AuditRun:
    """Run the named audits on one context; `options` holds values by audit and name, `progress` makes a bar for each.

    The context's time limit is that of all audits together: each gets an equal share of what is left when it begins, so
    that quick ones leave their time to those after them. `keep` is a folder that saves each report when it is finished;
    a later run with the same model, rows, seed and options reuses them. Raises AuditError, before anything runs, for
    unknown names and invalid options, and for an invalid saved report. Failures of plug-ins are part of the result.
    Ctrl-C raises InterruptedAuditsError with the finished reports, and with what the stopped audit had found if it
    keeps that; such a part is not saved.
    """
    options_of = options or {}
    refuse_misnamed(audits, names, options_of)
    selection = {name: audits[name] for name in dict.fromkeys(names)}
    keys = {
        name: _key(context, audit, options_of.get(name, {}))
        for name, audit in selection.items()
        if keep is not None and not isinstance(audit, Broken)
    }
    # Rows that do not fit the spec are a mistake of the user, not a failure of an audit.
    _ = context.queries
    if keep is not None:
        keep.mkdir(parents=True, exist_ok=True)
    reports: list[AuditReport] = []
    failures: list[Failure] = []
    todo = list(selection)
    deadline = context.deadline()
    try:
        for name, audit in selection.items():
            # Rounded, since reports state it: the first of them has not lost a microsecond of what was asked.
            seconds = None if deadline is None else round(max(0.0, deadline - time.monotonic()) / len(todo), 2)
            own = context.with_options(options_of.get(name, {}), progress(name), seconds)
            path = None if keep is None or name not in keys else keep / f"{name}-{keys[name]}.json"
            done = _stored(path, own, name) or _one(audit, own)
            todo.remove(name)
            if isinstance(done, Failure):
                failures.append(done)
                continue
            reports.append(done)
            if path is not None:
                _keep(path, done)
    except KeyboardInterrupt as stop:
        if isinstance(stop, StoppedAuditError):
            reports.append(stop.report)
            todo.remove(stop.report.audit)
        failures += [Failure(name, "failed", "the run was stopped before it ended") for name in todo]
        raise InterruptedAuditsError(_run(context, reports, failures)) from None
    return _run(context, reports, failures)


def _run(context: AuditContext, reports: Sequence[AuditReport], failures: Sequence[Failure]) -> AuditRun:
    """Return the run of a context's model."""
    return AuditRun(model=context.model, reports=tuple(reports), failures=tuple(failures), compared=context.compared)


def _one(audit: Audit | Broken, context: AuditContext) -> AuditReport | Failure:
    """Run one audit; an exception or a report on another model becomes a failure.

    Raises StoppedAuditError with a finished report where Ctrl-C ended an audit that keeps what it found.
    """
    if isinstance(audit, Broken):
        return Failure(audit.name, "failed", audit.error)
    if missing := sorted(audit.needs - context.has):
        return Failure(audit.name, "not applicable", _lacking(missing))
    start = time.perf_counter()
    is_stopped = False
    try:
        try:
            report = audit.run(context)
        except StoppedAuditError as stop:
            is_stopped = True
            report = stop.report
        if not isinstance(report, AuditReport):
            raise AuditError(f"it returned {type(report).__name__}, not a report")
        # Read back, so that all values have the types of the document.
        report = AuditReport.from_json(report.to_json())
        _check(report, context, audit.name)
        report = with_rounding(report, context)
    except NotApplicableError as error:
        return Failure(audit.name, "not applicable", _message(error))
    except AuditError as error:
        return Failure(audit.name, "failed", _message(error))
    except (Exception, SystemExit) as error:  # noqa: BLE001  # a faulty plug-in must not stop the others
        return Failure(audit.name, "failed", one_line(error))
    options = report.settings | {LOGIT_BITS: context.decider.logit_fraction_bits}
    report = msgspec.structs.replace(report, settings=options, seconds=round(time.perf_counter() - start, 3))
    if is_stopped:
        raise StoppedAuditError(report)
    return report


def _lacking(missing: Sequence[str]) -> str:
    """Return the unmet needs of an audit in words."""
    *first, last = (_NEED_WORDS[need] for need in missing)
    return f"needs {', '.join(first)} and {last}" if first else f"needs {last}"


def _message(error: AuditError) -> str:
    """Return the message of an AuditError as one line."""
    return " ".join(str(error).split()) or type(error).__name__


def _check(report: AuditReport, context: AuditContext, name: str) -> None:
    """Raise AuditError unless a report is on the context's model and its counterexamples are confirmed."""
    if report.model != context.model or report.audit != name:
        raise AuditError("this report is of another model or audit")
    for finding in report.findings:
        if finding.counterexample is not None:
            try:
                finding.counterexample.replay(context.decider, context.spec)
            except CounterexampleError as error:
                raise CounterexampleError(f"{finding.subject}: invalid counterexample: {error}") from None


def _key(context: AuditContext, audit: Audit, options: Mapping[str, str]) -> str:
    """Return a short digest of everything that determines a report, the key of a saved report.

    Raises AuditError for invalid options.
    """
    # Spelled out: the repr of a network hides its weights, and that of a long array most of its elements.
    network = (
        [(layer.weights, layer.biases) for layer in context.network.layers],
        context.network.input_fraction_bits,
        context.network.weight_fraction_bits,
    )  # of a score, one that decides alike at all grid points
    original = None if context.original is None else hashlib.sha256(context.original.to_bytes()).hexdigest()
    parts = [
        audit.name,
        audit.version,
        context.commitment,
        context.spec.digest,
        network,
        original,
        _row_texts(context.rows, context.labels),
        _row_texts(context.training.rows, context.training.labels),
        context.held_out,
        context.sensitive_features,
        context.seed,
        context.max_seconds,
        sorted(settings(audit, options).items()),
    ]
    digest = hashlib.sha256(repr(parts).encode())
    if context.linear is not None:
        digest.update(pickle.dumps(context.linear))
    return digest.hexdigest()[:16]


def _row_texts(
    rows: Sequence[Mapping[str, Any]], labels: Sequence[int] | None
) -> tuple[list[list[tuple[str, str]]], list[int] | None]:
    """Return rows and their labels in a form whose repr is the same for the same values."""
    texts = [sorted((name, str(value)) for name, value in row.items()) for row in rows]
    return texts, None if labels is None else [int(label) for label in labels]


def _stored(path: Path | None, context: AuditContext, name: str) -> AuditReport | None:
    """Return the report saved at a path, None if there is none; raises AuditError for an invalid one.

    Its counterexamples are replayed. Its bounds are trusted, because the folder belongs to the owner.
    """
    if path is None or not path.exists():
        return None
    report = AuditReport.from_json(path.read_bytes(), str(path))
    try:
        _check(report, context, name)
    except AuditError as error:
        raise AuditError(f"remove {path}, or name another folder: {error}") from None
    return report


def _keep(path: Path, report: AuditReport) -> None:
    """Write a report atomically, readable by its owner only; raises OSError naming the report."""
    name = None
    try:
        descriptor, name = tempfile.mkstemp(dir=path.parent, prefix=".kept-")
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            file.write(report.to_json())
        Path(name).replace(path)
    except OSError as error:
        raise OSError(error.errno, error.strerror, str(path)) from None
    finally:
        if name is not None:
            Path(name).unlink(missing_ok=True)
