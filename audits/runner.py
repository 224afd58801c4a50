"""Runs audits one after the other: one that fails is reported, and the others go on."""

from __future__ import annotations

import hashlib
import os
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Literal

import msgspec

from audits.context import AuditContext, Progress, quiet
from audits.documents import canonical, decoded
from audits.errors import AuditError, NotApplicableError
from audits.plugin import Audit, Broken, settings
from audits.report import AuditReport, Model

FORMAT = ("equiproof-audits", 1)

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
    chosen = {name: audits[name] for name in dict.fromkeys(names)}
    for name, audit in chosen.items():
        if not isinstance(audit, Broken):
            settings(audit, given.get(name, {}))
    reports: list[AuditReport] = []
    failures: list[Failure] = []
    for name, audit in chosen.items():
        own = replace(context, options=given.get(name, {}), progress=progress(name))
        path = None if keep is None else keep / f"{name}-{_key(own, name)}.json"
        done = _kept(path, own) or _one(audit, own)
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
        return Failure(audit.name, "not applicable", f"needs {' and '.join(missing)}")
    begun = time.perf_counter()
    try:
        report = audit.run(context)
        if report.model != context.model or report.audit != audit.name:
            raise AuditError("its report speaks of another model or audit")
        for finding in report.findings:
            if finding.witness is not None:
                finding.witness.replay(context.network, context.spec)
    except NotApplicableError as error:
        return Failure(audit.name, "not applicable", _line(error))
    except AuditError as error:
        return Failure(audit.name, "failed", _line(error))
    except Exception as error:  # noqa: BLE001  # a plug-in's fault must not take the others with it
        return Failure(audit.name, "failed", f"{type(error).__name__}: {_line(error)}")
    return msgspec.structs.replace(report, seconds=round(time.perf_counter() - begun, 3))


def _line(error: Exception) -> str:
    """Return a message as one line."""
    return " ".join(str(error).split()) or type(error).__name__


def _key(context: AuditContext, name: str) -> str:
    """Return what a kept report must have been made from, as a short digest: a key, no secret."""
    parts = [
        name, context.commitment, context.queries, context.slices if context.rows else (), context.labels,
        context.sensitive_features, context.seed, context.max_seconds, sorted(context.options.items()),
    ]  # fmt: skip
    return hashlib.sha256(repr(parts).encode()).hexdigest()[:16]


def _kept(path: Path | None, context: AuditContext) -> AuditReport | None:
    """Return the report that is kept at a path, None where there is none; raises AuditError for another model's."""
    if path is None or not path.exists():
        return None
    report = AuditReport.from_json(path.read_bytes(), str(path))
    if report.model != context.model:
        raise AuditError(f"{path}: the report of another model; remove it or name another folder")
    return report


def _keep(path: Path, report: AuditReport) -> None:
    """Write a report whole or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    descriptor, name = tempfile.mkstemp(dir=path.parent, prefix=".kept-")
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        file.write(report.to_json())
    Path(name).replace(path)
