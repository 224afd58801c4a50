"""The model card in CycloneDX 1.6, for inventories of models: https://cyclonedx.org/docs/1.6/json/.

It is written here: cyclonedx-python-lib has no model cards. The tests hold it to that library's strict schema.
"""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from typing import Any

from equiproof.audits.measures import interval_of, value_of
from equiproof.audits.pack.content import LIMITS, MONITORING, Content, not_compared
from equiproof.audits.presentation import in_words
from equiproof.audits.records import Estimate, ReportFields
from equiproof.circuits.spec import Feature

SPEC_VERSION = "1.6"

_NAMESPACE = uuid.UUID("6f3c2d0e-2a55-5a37-9d0a-8f7a54b2f6c1")
_SHORT = 16


def card(known: Content, *, date: str = "", version: str = "") -> dict[str, Any]:
    """Return the card as JSON data; equal arguments give equal cards.

    Args:
        known: What is known of the model.
        date: The date of the audits as text, for the properties; CycloneDX wants a point in time, which nobody states.
        version: The version of Equiproof that writes the card.
    """
    model = known.model
    own = {"type": "application", "name": "equiproof", **({"version": version} if version else {})}
    return {
        "$schema": f"http://cyclonedx.org/schema/bom-{SPEC_VERSION}.schema.json",
        "bomFormat": "CycloneDX",
        "specVersion": SPEC_VERSION,
        "serialNumber": f"urn:uuid:{uuid.uuid5(_NAMESPACE, f'{model.commitment} {model.spec_digest}')}",
        "version": 1,
        "metadata": {"tools": {"components": [own]}},
        "components": [
            {
                "type": "machine-learning-model",
                "bom-ref": f"model-{model.commitment[:_SHORT]}",
                "name": model.spec_name,
                "version": model.commitment[:_SHORT],
                "description": known.head.claim,
                "properties": [
                    {"name": f"equiproof:{name}", "value": value} for name, value in _properties(known, date)
                ],
                "modelCard": {
                    "modelParameters": {
                        "approach": {"type": "supervised"},
                        "task": "classification",
                        "inputs": [{"format": _format(feature)} for feature in known.features],
                        "outputs": [{"format": f"one label of {', '.join(known.spec.labels)}"}],
                    },
                    "quantitativeAnalysis": {
                        "performanceMetrics": [metric for report in known.run.reports for metric in _metrics(report)]
                    },
                    "considerations": _considerations(known),
                },
            }
        ],
    }


def _properties(known: Content, date: str) -> Iterator[tuple[str, str]]:
    """Yield what CycloneDX has no field for."""
    yield "commitment", known.model.commitment
    yield "spec-digest", known.model.spec_digest
    yield "sensitive-features", ", ".join(feature.name for feature in known.spec.sensitive_features)
    yield "levels", "exact" if known.levels is None else ", ".join(known.levels)
    yield "compared", " ".join(known.head.compared) if known.compared else not_compared(known)
    if known.missing:
        yield "audits-missing", ", ".join(known.missing)
    if date:
        yield "audited", date
    for watch in MONITORING:
        yield "monitoring", f"{watch.what}: {watch.when}; {watch.command}; review after {watch.review}"
    for later in known.later:
        for one in (*later.shares, *(figure for change in later.changes for figure in (change.later, change.change))):
            who = in_words(one.group) or "all"
            yield f"later:{later.name}", f"{one.measure}, {who}: {value_of(one)} ({interval_of(one)}), {one.n} rows"


def _format(feature: Feature) -> str:
    """Return a feature in words."""
    about = ", sensitive" if feature.sensitive else ", or not stated" if feature.may_miss else ""
    if feature.domain:
        return f"{feature.name}: one of {', '.join(feature.domain)}{about}"
    low, high = feature.range or ("", "")
    ends = f" from {low} to {high}" if feature.range else ""
    return f"{feature.name}: number{ends}{f' {feature.unit}' if feature.unit else ''}{about}"


def _metrics(report: ReportFields) -> Iterator[dict[str, Any]]:
    """Yield the estimates of an audit; the type names the audit, the method and the number of rows."""
    for one in report.estimates:
        if one.value is None:
            continue
        found = {"type": f"{one.measure} (audit {report.audit}, {one.method}, n = {one.n})", "value": value_of(one)}
        group = in_words(one.group)
        slices = {"slice": group} if group else {}
        yield found | slices | _interval(one)


def _interval(one: Estimate) -> dict[str, Any]:
    """Return the interval of an estimate, where it has one."""
    if one.lower is None or one.upper is None or not interval_of(one).strip("–"):
        return {}
    return {"confidenceInterval": {"lowerBound": f"{one.lower:.6g}", "upperBound": f"{one.upper:.6g}"}}


def _considerations(known: Content) -> dict[str, Any]:
    """Return uses, limits, and what each audit found about groups at risk."""
    sensitive = ", ".join(feature.name for feature in known.spec.sensitive_features)
    return {
        "users": ["the lender's credit officers and its service", "validators, auditors and supervisors"],
        "useCases": [f"decides between {', '.join(known.spec.labels)} for one applicant"],
        "technicalLimitations": list(LIMITS),
        "ethicalConsiderations": [
            {"name": f"audit {one.audit}: {one.question}", "mitigationStrategy": f"{one.tag}: {one.answer}"}
            for one in known.head.briefs
        ],
        "fairnessAssessments": [
            {
                "groupAtRisk": f"people by {sensitive}",
                "benefits": "a certificate for each fair decision, which anybody can check",
                "harms": known.head.claim,
                "mitigationStrategy": " ".join(str(step) for step in known.head.steps) or "none is proposed",
            }
        ],
    }
