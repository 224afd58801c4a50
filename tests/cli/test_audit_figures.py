"""What audits measure reaches the terminal: the figures of the reports stand in the text of the same command."""

import json
import random
import re

import pytest

from equiproof.audits.fvgm.verification import PATH
from equiproof.audits.gaps import IMPACT, ODDS, PARITY
from equiproof.audits.measures import cell
from equiproof.certify.digits import number
from equiproof.prover.opening import Opening
from tests.certify.trees.ensembles import ensemble
from tests.support import LOANS, applicant

UNIT = LOANS.scale_unit
CUTS = [(0, -UNIT // 2, 0), (0, UNIT // 2, 0), (1, UNIT // 2, 0), (3, 0, 0)]
"""Income, housing and sex."""
TREE = (1, (0, -5, (2, -3, (3, -2, 4))), (3, 6, (2, -1, 7)))

METRICS = (IMPACT, PARITY, ODDS, PATH)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """The opening of a committed tree, and rows with true decisions; women have smaller incomes."""
    folder, rng = tmp_path_factory.mktemp("tree"), random.Random(3)
    rows = [applicant(LOANS, rng) | {"sex": "fm"[place % 2]} for place in range(300)]
    for row in rows:
        row["income"] -= 6000 * (row["sex"] == "f")
        row["outcome"] = LOANS.labels[rng.random() < 0.3 + 0.4 * (row["income"] > 30000)]
    (folder / "opening.json").write_bytes(Opening.of(ensemble(LOANS, CUTS, [TREE], 0), LOANS, blinding=5).secret())
    (folder / "rows.json").write_text(json.dumps(rows))
    return folder


def ran(cli, folder, audit, *options, more=()):
    """The text and the report of the same audit of the folder's model, by command."""
    words = ["audit", "run", audit, "--opening", folder / "opening.json", "--rows", folder / "rows.json", *more]
    words += ["--label", "outcome", *(word for one in options for word in ("--option", f"{audit}.{one}"))]
    (report,) = cli(*words, "--json").document["reports"]
    return cli(*words).out, report


def table(report, caption):
    """A table of the report as one mapping of columns to cells for each row."""
    (one,) = [one for one in report["tables"] if one["caption"].startswith(caption)]
    return [dict(zip(one["columns"], row, strict=True)) for row in one["rows"]]


@pytest.mark.parametrize("model", ["committed model", "linear model"])
def test_metrics_of_either_model_stand_in_the_text(cli, folder, model):
    """A committed tree, and a linear model beside it: all four metrics of rows and network, demands and verdicts."""
    text, report = ran(cli, folder, "fvgm", "mediators=housing", more=["--linear"])
    said = text.partition(f"Metrics of the {model}\n")[2].partition(f"  Selection rates of the {model}\n")[0]
    parts = dict(part.strip().split("\n", 1) for part in said.split("metric: ")[1:])
    rows = {row["metric"]: row for row in table(report, f"Metrics of the {model}")}
    assert tuple(rows) == tuple(parts) == METRICS
    for name, row in rows.items():
        for column, value in row.items():
            if column != "metric" and value is not None:
                shown = value if isinstance(value, str) else cell(value, column, row["metric"])
                assert f"{column}: {shown}" in parts[name]
    assert rows["disparate impact"]["verdict under the network"] == "unfair"


def test_influences_of_a_committed_tree_stand_in_the_text(cli, folder):
    """Of each feature and of a named set, on the disparate impact and on either group, and how shares are known."""
    text, report = ran(cli, folder, "fvgm", "subsets=income,housing")
    rows = table(report, "Influence")
    assert sorted(row["features"] for row in rows) == ["housing", "housing, income", "income"]
    for row in rows:
        figures = (number(row[f"FIF on {what}"]) for what in ("the disparate impact", "sex = f", "sex = m"))
        assert re.search(r"\s+".join(map(re.escape, (row["features"], *figures))), text)
    assert "the committed model is one tree: its shares under the network are exact fractions" in " ".join(text.split())


def test_the_largest_k_stands_in_the_text(cli, folder):
    """The tree gives some applicant two outcomes by sex alone."""
    few = ("search_seconds=1", "solver_seconds=0.5", "branch_seconds=0.5", "samples=0")
    text, report = ran(cli, folder, "hyfair", *few)
    assert "largest k: 2" in text
    assert report["verdict"] == "unfair"


def test_gaps_between_groups_stand_in_the_text(cli, folder):
    """Parity, its ratio and odds of the audit `groups`, in percent where they are shares."""
    text, report = ran(cli, folder, "groups", "people=0", "draws=20")
    found = {one["measure"]: one["value"] for one in report["estimates"] if not one.get("group")}
    parity = found["statistical parity difference by sex (granted)"]
    assert re.search(rf"statistical parity difference by sex\s.*{100 * parity:.1f} %", text)
    ratio = found["disparate impact by sex (granted)"]
    assert re.search(rf"disparate impact by sex\s.*{re.escape(number(ratio))}", text)
    odds = found["equalized odds difference by sex (granted)"]
    assert re.search(rf"equalized odds difference by sex\s.*{100 * odds:.1f} %", text)
