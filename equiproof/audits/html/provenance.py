"""The programs and audits that made a page, as the page names them."""

from __future__ import annotations

from collections.abc import Mapping
from importlib.metadata import PackageNotFoundError, version
from platform import python_version

from equiproof.audits.plugin import Audit, Broken
from equiproof.audits.runner import AuditRun


def abouts(run: AuditRun, audits: Mapping[str, Audit | Broken]) -> dict[str, str]:
    """Return the descriptions of a run's audits by name, of those that are installed in the version that was run."""
    versions = {report.audit: report.audit_version for report in run.reports}
    names = [*versions, *(failure.audit for failure in run.failures)]
    known = {name: audits[name] for name in names if name in audits}
    return {
        name: audit.about
        for name, audit in known.items()
        if not isinstance(audit, Broken) and versions.get(name, audit.version) == audit.version
    }


def program_versions() -> dict[str, str]:
    """Return the versions of the programs that make the page; "uninstalled" for a checkout that was not installed."""
    try:
        own = version("equiproof")
    except PackageNotFoundError:
        own = "uninstalled"
    return {"Equiproof": own, "Python": python_version()}
