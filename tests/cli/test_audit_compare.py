"""`equiproof audit compare`: the gaps of several trainings from their saved reports."""

import pytest

from equiproof.audits.runner import AuditRun
from equiproof.circuits import exit_codes
from tests.audits.test_trainings import training


def test_the_command_shows_every_training(cli, tmp_path):
    """A line for each gap, also as JSON; a file twice, and one without such a report, are refused."""
    paths = [tmp_path / f"{number}.json" for number in range(2)]
    for number, path in enumerate(paths):
        report = training(number, ((8 + number, 3),))
        path.write_text(AuditRun(model=report.model, reports=(report,)).to_json())
    outcome = cli("audit", "compare", *paths)
    assert "gap observed, delta 1, sex = f minus m  10  50.0 %, 60.0 %  55.0 %" in outcome.out
    assert "few: a group has fewer than 30 people" in outcome.out
    (gap,) = cli("audit", "compare", *paths, "--json").document["gaps"]
    assert gap["values"] == pytest.approx([0.5, 0.6])
    assert gap["lower"] < 0.55 < gap["upper"]
    assert (gap["n"], gap["differs"]) == (10, False)
    cli("audit", "compare", paths[0], paths[0]).complaint(exit_codes.MISUSED, "the same model as in")
    paths[1].write_text(AuditRun(model=training(0).model).to_json())
    cli("audit", "compare", *paths).complaint(
        exit_codes.MISUSED, paths[1], "make one with `equiproof audit run pba --out`: it is no report of the audit pba"
    )
