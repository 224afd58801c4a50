"""The first page of audits says how the model decided beside its owner's own system, or that nothing was compared."""

import msgspec
import pytest

from equiproof.audits.html import render
from equiproof.audits.runner import AuditRun, run_all
from equiproof.certify.models.comparison import NOT_AUDITED, Comparison, LabelCount
from tests.audits.made import context

COUNTS = Comparison(
    source="column y of <rows>.csv",
    rows=1200,
    differing=2,
    differing_integers=3,
    near=1,
    allowed="1/1000",
    labels=(LabelCount("declined", 700, 698, 697), LabelCount("granted", 500, 502, 502)),
)
COMPARED = (
    "Compared with your own decisions (column y of <rows>.csv): of 1,200 rows 2 differ as read, 3 as committed, "
    "1 of these within half a step of a threshold."
)
BY_LABEL = "Rows by label (yours, as read, as committed): declined 700, 698, 697; granted 500, 502, 502."


def run_of(compared) -> AuditRun:
    """Return a run without audits, on a model of which this is known."""
    return run_all(context(compared=compared), {}, [])


@pytest.mark.parametrize(
    ("compared", "lines"),
    [(COUNTS, (COMPARED, BY_LABEL)), (None, (NOT_AUDITED,)), (msgspec.UNSET, ())],
    ids=["made", "none", "own"],
)
def test_the_first_page_says_what_was_compared(compared, lines):
    """In the terminal and on the page, before the claim; a model that was trained here needs no such line."""
    run = run_of(compared)
    said = " ".join(run.summary(100).split())
    assert said.startswith(" ".join(["In short", *lines, "No audit was run."]))
    page = render(run)
    shown = [line.replace("<", "&lt;").replace(">", "&gt;") for line in lines]
    assert all(f'<p class="small">{line}</p>' in page for line in shown)
    assert page.count('<p class="small">') == len(lines)
    assert AuditRun.from_json(run.to_json()) == run


def test_reports_of_models_that_were_trained_here_stay_as_they_are():
    """The member is left out, not null."""
    assert '"compared"' not in run_of(msgspec.UNSET).to_json()
    assert '"compared":null' in run_of(None).to_json()
