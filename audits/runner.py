"""Runs audits one after the other: one that fails is reported, and the others go on."""

from __future__ import annotations

import hashlib
import os
import pickle
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Literal

import msgspec

from audits.context import AuditContext, Progress, quiet
from audits.documents import canonical, decoded
from audits.errors import AuditError, NotApplicableError, WitnessError
from audits.plugin import Audit, Broken, one_line, settings
from audits.report import AuditReport, Model

FORMAT = ("equiproof-audits", 1)

_IN_WORDS = {
    "rows": "rows of raw features",
    "labels": "the true decision of each row",
    "linear": "a linear model beside the network",
}

Outcome = Literal["failed", "not applicable"]


class Failure(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """An audit without a report: it failed, or had nothing to say; why, in one line."""

    audit: str
    outcome: Outcome
    reason: str


class AuditRun(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Every audit that was asked for, of one model: a report or a failure each."""

    format: str = FORMAT[0]
    version: int = FORMAT[1]
    model: Model
    reports: tuple[AuditReport, ...] = ()
    failures: tuple[Failure, ...] = ()

    def to_json(self) -> str:
        """Return the document as canonical JSON (RFC 8785)."""
        return canonical(self)

    @classmethod
    def from_json(cls, text: str | bytes, where: str = "audits") -> AuditRun:
        """Read what :meth:`to_json` wrote; raises AuditError naming `where` for anything else."""
        return decoded(text, cls, FORMAT, where)

    def summary(self) -> str:
        """Return the summaries of all reports, and a line for every audit without one."""
        parts = [report.summary() for report in self.reports]
        return "\n\n".join(parts + [f"{one.audit}: {one.outcome}: {one.reason}" for one in self.failures])


def run_all(
    context: AuditContext,
    audits: Mapping[str, Audit | Broken],
    names: Sequence[str],
    *,
    options: Mapping[str, Mapping[str, str]] | None = None,
    keep: Path | None = None,
    progress: Callable[[str], Progress] = lambda _name: quiet,
) -> AuditRun:
    """Run the named audits on one context; `options` has values by audit and name, `progress` makes a bar for each.

    `keep` is a folder in which each report is kept as soon as it is there: run again with the same model, rows, seed
    and options, what it holds is taken over. Raises AuditError, before anything runs, for names and options that are
    none, and for a kept report that is none. Failures of plug-ins are part of the result.
    """
    given = options or {}
    if unknown := [name for name in [*names, *given] if name not in audits]:
        raise AuditError(f"no audit is called {unknown[0]!r}; there are {', '.join(audits) or 'none'}")
    if unused := [name for name in given if name not in names]:
        raise AuditError(f"options of {unused[0]}, which is not among the audits to run: {', '.join(names) or 'none'}")
    chosen = {name: audits[name] for name in dict.fromkeys(names)}
    keys = {
        name: _key(context, audit, given.get(name, {}))
        for name, audit in chosen.items()
        if not isinstance(audit, Broken)
    }
    # Rows that do not fit the spec are their owner's mistake, and no audit's failure.
    _ = context.queries
    if keep is not None:
        keep.mkdir(parents=True, exist_ok=True)
    reports: list[AuditReport] = []
    failures: list[Failure] = []
    for name, audit in chosen.items():
        own = context.with_options(given.get(name, {}), progress(name))
        path = None if keep is None or name not in keys else keep / f"{name}-{keys[name]}.json"
        done = _kept(path, own, name) or _one(audit, own)
        if isinstance(done, Failure):
            failures.append(done)
            continue
        reports.append(done)
        if path is not None:
            _keep(path, done)
    return AuditRun(model=context.model, reports=tuple(reports), failures=tuple(failures))


def _one(audit: Audit | Broken, context: AuditContext) -> AuditReport | Failure:
    """Run one audit; whatever it raises becomes a failure, and so does a report of another model."""
    if isinstance(audit, Broken):
        return Failure(audit.name, "failed", audit.error)
    if missing := sorted(audit.needs - context.has):
        return Failure(audit.name, "not applicable", _lacking(missing))
    begun = time.perf_counter()
    try:
        report = audit.run(context)
        if not isinstance(report, AuditReport):
            raise AuditError(f"it returned no report but something of type {type(report).__name__}")
        # Read back, so that nobody meets a value of another type than the document says.
        report = AuditReport.from_json(report.to_json())
        _check(report, context, audit.name)
    except NotApplicableError as error:
        return Failure(audit.name, "not applicable", _said(error))
    except AuditError as error:
        return Failure(audit.name, "failed", _said(error))
    except (Exception, SystemExit) as error:  # noqa: BLE001  # a plug-in's fault must not take the others with it
        return Failure(audit.name, "failed", one_line(error))
    return msgspec.structs.replace(report, seconds=round(time.perf_counter() - begun, 3))


def _lacking(missing: Sequence[str]) -> str:
    """Say what an audit needs and has not."""
    *first, last = (_IN_WORDS[need] for need in missing)
    return f"needs {', '.join(first)} and {last}" if first else f"needs {last}"


def _said(error: AuditError) -> str:
    """Return a message of ours as one line."""
    return " ".join(str(error).split()) or type(error).__name__


def _check(report: AuditReport, context: AuditContext, name: str) -> None:
    """Hold a report to its model, and its witnesses to what the model decides; raises AuditError."""
    if report.model != context.model or report.audit != name:
        raise AuditError("the report of another model or audit")
    for finding in report.findings:
        if finding.witness is not None:
            try:
                finding.witness.replay(context.network, context.spec)
            except WitnessError as error:
                raise WitnessError(f"{finding.subject}: its witness: {error}") from None


def _key(context: AuditContext, audit: Audit, options: Mapping[str, str]) -> str:
    """Return what a kept report must have been made from, as a short digest: a key, no secret.

    Raises AuditError for options that are none.
    """
    rows = [sorted((name, str(value)) for name, value in row.items()) for row in context.rows]
    # An array of many labels would show itself with most of them left out.
    labels = None if context.labels is None else [int(label) for label in context.labels]
    parts = [
        audit.name, audit.version, context.commitment, context.spec.digest, context.network, rows, labels,
        context.sensitive_features, context.seed, context.max_seconds, sorted(settings(audit, options).items()),
    ]  # fmt: skip
    digest = hashlib.sha256(repr(parts).encode())
    if context.linear is not None:
        digest.update(pickle.dumps(context.linear))
    return digest.hexdigest()[:16]


def _kept(path: Path | None, context: AuditContext, name: str) -> AuditReport | None:
    """Return the report that is kept at a path, None where there is none; raises AuditError for one that is not ours.

    Its witnesses are replayed, its bounds are believed: the folder is its owner's.
    """
    if path is None or not path.exists():
        return None
    report = AuditReport.from_json(path.read_bytes(), str(path))
    try:
        _check(report, context, name)
    except AuditError as error:
        raise AuditError(f"{path}: {error}; remove it or name another folder") from None
    return report


def _keep(path: Path, report: AuditReport) -> None:
    """Write a report whole or not at all, readable by its owner only."""
    descriptor, name = tempfile.mkstemp(dir=path.parent, prefix=".kept-")
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            file.write(report.to_json())
        Path(name).replace(path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise
