"""The published schema of reports is that of the types. Run this file to write it anew after a deliberate change."""

import json
import re
from pathlib import Path

import msgspec
import pytest

from audits.report import AuditReport, Estimate, Finding, Model, Table
from audits.runner import AuditRun, Failure
from audits.witness import Case, Witness

ROOT = Path(__file__).resolve().parents[2]
SCHEMA = ROOT / "docs" / "audit.schema.json"
KINDS = (AuditRun, AuditReport)

SECTIONS = {
    "Run": AuditRun,
    "Failure": Failure,
    "Report": AuditReport,
    "Model": Model,
    "Finding": Finding,
    "Witness": Witness,
    "Case": Case,
    "Estimate": Estimate,
    "Table": Table,
}


def generated() -> str:
    """Return the schema as it is committed: a run of audits, or one report."""
    alternatives, parts = msgspec.json.schema_components(KINDS, ref_template="#/$defs/{name}")
    return json.dumps({"anyOf": list(alternatives), "$defs": parts}, indent=2, sort_keys=True) + "\n"


def rows(title: str) -> list[str]:
    """Return the first cells of the table in a section of the page."""
    page = (ROOT / "docs" / "audits.md").read_text(encoding="utf-8")
    section = re.search(rf"^### {title}\n(.*?)(?=^##|\Z)", page, re.MULTILINE | re.DOTALL)
    assert section, title
    return re.findall(r"^\| `?(\w+)`? \|", section.group(1), re.MULTILINE)[1:]


def test_schema_is_the_one_of_the_types() -> None:
    """docs/audit.schema.json is what the types generate."""
    assert SCHEMA.read_text(encoding="utf-8") == generated()


@pytest.mark.parametrize("title", SECTIONS)
def test_fields_are_described(title: str) -> None:
    """docs/audits.md describes the fields of each document, all of them and no others, in their order."""
    assert rows(title) == [field.name for field in msgspec.structs.fields(SECTIONS[title])]


@pytest.mark.parametrize("kind", KINDS)
def test_every_field_of_a_document_has_its_type(kind: type) -> None:
    """A reader without our types knows every field of the documents from the schema."""
    parts = json.loads(SCHEMA.read_text())["$defs"]
    known = parts[kind.__name__]["properties"]
    assert set(known) == {field.name for field in msgspec.structs.fields(kind)}
    assert parts[kind.__name__]["additionalProperties"] is False


if __name__ == "__main__":
    SCHEMA.write_text(generated(), encoding="utf-8")
