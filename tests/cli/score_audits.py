"""What audits say of scores, additive models and ensembles alike, under the spec of the generated loans."""

from __future__ import annotations

from fractions import Fraction

from tests.support import LOANS


def judged_unfair(cli, folder, audit, model):
    """Run an audit over the rows of a folder: it finds whom sex decides, and the score confirms each counterexample."""
    options = {
        "groups": ("people=4", "draws=50"),
        "hyfair": ("search_seconds=0", "solver_seconds=0.5", "branch_seconds=0.5", "samples=0"),
    }[audit]
    given = [word for one in options for word in ("--option", f"{audit}.{one}")]
    at = ["--opening", folder / "opening.json", "--rows", folder / "rows.json", *given, "--json"]
    outcome = cli("audit", "run", audit, *at)
    assert outcome.code == 3
    (report,) = outcome.document["reports"]
    assert outcome.document["model"]["layers"] == [LOANS.plain_columns + 1, 1]
    assert report["verdict"] == "unfair"
    counterexamples = [one["witness"]["cases"] for one in report["findings"] if one.get("witness")]
    assert counterexamples
    for case in (case for cases in counterexamples for case in cases):
        place = LOANS.domain_values.index(tuple(value for _, value in case["sensitive"]))
        score = model.score([*map(Fraction, case["inputs"]), *LOANS.domain_table[place]])
        assert (case["logits"], case["label"]) == ([str(score)], LOANS.labels[score > 0])
