"""What a new field of a document takes in TypeScript: its row. A build writes what reads it, with its type."""

import json
import re

import pytest

from tests.support import ROOT
from tests.web.web import modules, run

TABLES = ROOT / "go-gnark" / "verify" / "tables"
RECEIPT = {
    "format": "equiproof-receipt",
    "version": 1,
    "label": 0,
    "time": "2026-03-04T10:00:00Z",
    "salt": "0" * 64,
    **dict.fromkeys(("model_commitment", "query_commitment", "context_digest"), "0" * 64),
}
PROGRAM = """
import { parseReceipt } from "./built/index.js";
const read = (text) => {
  try {
    return parseReceipt(new TextEncoder().encode(text)).branch ?? null;
  } catch (error) {
    return error.message;
  }
};
console.log(JSON.stringify(JSON.parse(process.argv[2]).map(read)));
"""
USE = """
/** Where a decision was made. */
export const branchOf = ({ branch }: Receipt): string | undefined => branch;
"""


def canonical(**fields):
    """Return a receipt with more fields, as its file has it."""
    return json.dumps(RECEIPT | fields, sort_keys=True, separators=(",", ":"))


def change(copied, edit):
    """Edit the table of documents of a copy."""
    file = copied / TABLES.relative_to(ROOT) / "documents.json"
    table = json.loads(file.read_text())
    edit(table)
    file.write_text(json.dumps(table))
    return copied / "web" / "verifier"


def test_a_field_takes_a_row(copied):
    """The reader, its errors and the field's type follow from the row, and no other line of source is needed."""
    row = {"branch": {"type": "text", "required": False}}
    package = change(copied, lambda table: table["documents"]["equiproof-receipt"]["fields"].update(row))
    with (package / "src" / "receipt.ts").open("a") as source:
        source.write(USE)
    run("npm", "run", "check", folder=package)
    modules(package)
    (package / "asked.mjs").write_text(PROGRAM)
    asked = [canonical(branch="Rome"), canonical(), canonical(branch=1), canonical(other="x")]
    assert json.loads(run("node", "asked.mjs", json.dumps(asked), folder=package)) == [
        "Rome",
        None,
        "receipt: field branch: want text, not number",
        "receipt: want no field 'other': it is unknown here",
    ]


@pytest.mark.parametrize(
    ("field", "row", "error"),
    [
        ("time", None, "Property 'time' does not exist"),
        ("time", {"type": "integer", "required": True}, "'number' is not assignable to"),
        ("time", {"type": "text", "required": False}, "'string | undefined' is not assignable to"),
        ("mean", {"type": "text", "required": True}, "'string' is not assignable to type 'never'"),
        ("time", {"type": "times", "required": True}, "documents.json: no type times"),
    ],
)
def test_a_row_that_does_not_fit_its_uses(copied, field, row, error):
    """A row that is gone, of another type or not required ends the build where sources use the field otherwise."""

    def edit(table):
        receipt, feature = table["documents"]["equiproof-receipt"]["fields"], table["parts"]["Feature"]
        fields = feature if field in feature else receipt
        if row is None:
            del fields[field]
        else:
            fields[field] = row

    package = change(copied, edit)
    with pytest.raises(AssertionError, match=re.escape(error)):
        run("npm", "run", "check", folder=package)
