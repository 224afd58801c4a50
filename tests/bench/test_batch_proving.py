"""The suite of many applicants: every way gives the same manifest's length, and a line of the table."""

import pytest

from bench import batch_proving, kept
from equiproof.prover.many.engines import DASK, LOCAL
from tests.support import ROOT


@pytest.mark.slow
def test_a_run_gives_a_line_for_each_way(monkeypatch):
    """With the engine `local` only, and three applicants."""
    monkeypatch.setattr(batch_proving, "WAYS", ((LOCAL, 1), (LOCAL, 2)))
    found = batch_proving.run(applicants=3)
    assert [(row["engine"], row["workers"]) for row in found["results"]] == [(LOCAL, 1), (LOCAL, 2)]
    assert all(row["a_minute"] > 0 for row in found["results"])
    lines = batch_proving.table(found).splitlines()
    assert lines[0].startswith("3 applicants, ")
    assert [line.split(" | ")[3] for line in lines[4:]] == ["+0 %", "+0 %"]


@pytest.mark.skipif(not kept.is_kept("batch-proving"), reason="no results are kept")
def test_the_page_on_scale_has_the_kept_figures():
    """Applicants a minute, what a second process gains, and what follows for a month of 43,200 minutes."""
    found = kept.load("batch-proving")
    minute = {(row["engine"], row["workers"]): row["a_minute"] for row in found["results"]}
    one, two, dask = minute[LOCAL, 1], minute[LOCAL, 2], minute[DASK, 2]
    page = " ".join((ROOT / "docs" / "scale.md").read_text().split())
    for figure in (
        f"two jobs prove {two:.0f} applicants a minute where one proves {one:.0f}, which is {two / one:.2f} times",
        f"has {found['constraints']:,} constraints: one machine of two cores makes {two:.0f} a minute",
        f"{two * 43200 / 1e6:.1f} million a month, or a million in {1e6 / two / 1440:.1f} days",
        f"Through Dask it makes {dask:.0f}: {dask * 43200 / 1e6:.1f} million, or {1e6 / dask / 1440:.1f} days",
        f"Of the {60 / two:.2f} s that an applicant",
    ):
        assert figure in page
