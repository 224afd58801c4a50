"""The published schema of reports is that of the types. Run this file to write it anew after a deliberate change."""

import json
import re
from pathlib import Path

import msgspec
import pytest

from equiproof.audits.counterexample import Counterexample, DecidedInput
from equiproof.audits.records import Estimate, Finding, Model, Table
from equiproof.audits.report import AuditReport
from equiproof.audits.runner import AuditRun, Failure
from equiproof.certify.models.comparison import Comparison, LabelCount

ROOT = Path(__file__).resolve().parents[2]
SCHEMA = ROOT / "docs" / "audit.schema.json"
KINDS = (AuditRun, AuditReport)

SECTIONS = {
    "Run": AuditRun,
    "Comparison": Comparison,
    "Count of a label": LabelCount,
    "Failure": Failure,
    "Report": AuditReport,
    "Model": Model,
    "Finding": Finding,
    "Witness": Counterexample,
    "Case": DecidedInput,
    "Estimate": Estimate,
    "Table": Table,
}


PUBLISHED = {"Counterexample": "Witness", "DecidedInput": "Case"}
"""Types that have another name in Python than in the schema, which is published and keeps its names."""

DESCRIPTIONS = {
    "Finding": """What is known of one subject: a row of the data, a partition of a domain, or the model as a whole.

    `row` counts from 1, None where the subject is no row. `lower` and `upper` enclose the quantity that the audit
    measures (its table of columns says in which unit), rounded outward, None where nothing is known. "unfair" has a
    `witness`, and "undecided" a `reason`: what ended first. `values` are the audit's own columns.""",
    "Witness": "Cases that show together what they are a witness of; `shows` says it in one sentence.",
    "Case": (
        "One input under one sensitive assignment: the n_x plain columns in grid units, the decision, and the logits."
        '\n\n    Numbers are exact, as the text of an integer or of a fraction "n/d"; `label` is None for a tie.'
    ),
}
"""What the schema says in its own names, where a docstring says it in Python's."""


def generated() -> str:
    """Return the schema as it is committed: a run of audits, or one report."""
    alternatives, components = msgspec.json.schema_components(KINDS, ref_template="#/$defs/{name}")
    parts = json.loads(json.dumps(components))
    for own, name in PUBLISHED.items():
        parts = json.loads(json.dumps(parts).replace(f'"#/$defs/{own}"', f'"#/$defs/{name}"'))
        parts[name] = parts.pop(own) | {"title": name}
    for name, text in DESCRIPTIONS.items():
        parts[name]["description"] = text
    return json.dumps({"anyOf": list(alternatives), "$defs": parts}, indent=2, sort_keys=True) + "\n"


def rows(title: str) -> list[str]:
    """Return the first cells of the table in a section of the page."""
    page = (ROOT / "docs" / "audit-documents.md").read_text(encoding="utf-8")
    section = re.search(rf"^## {title}\n(.*?)(?=^##|\Z)", page, re.MULTILINE | re.DOTALL)
    assert section, title
    return re.findall(r"^\| `?(\w+)`? \|", section.group(1), re.MULTILINE)[1:]


def test_schema_is_the_one_of_the_types() -> None:
    """docs/audit.schema.json is what the types generate."""
    assert SCHEMA.read_text(encoding="utf-8") == generated()


@pytest.mark.parametrize("title", SECTIONS)
def test_fields_are_described(title: str) -> None:
    """docs/audit-documents.md describes the fields of each document, all of them and no others, in their order."""
    assert rows(title) == [field.encode_name for field in msgspec.structs.fields(SECTIONS[title])]


@pytest.mark.parametrize("kind", KINDS)
def test_every_field_of_a_document_has_its_type(kind: type) -> None:
    """A reader without our types knows every field of the documents from the schema."""
    parts = json.loads(SCHEMA.read_text())["$defs"]
    known = parts[kind.__name__]["properties"]
    assert set(known) == {field.encode_name for field in msgspec.structs.fields(kind)}
    assert parts[kind.__name__]["additionalProperties"] is False


if __name__ == "__main__":
    SCHEMA.write_text(generated(), encoding="utf-8")
