"""A model of three labels, with its right values: headline, plots, document and page of all audits that apply to it."""

from collections import Counter

import pytest

from equiproof.audits.brief import brief, head
from equiproof.audits.html import charts, render
from equiproof.audits.plugin import installed
from equiproof.audits.runner import AuditRun, run_all
from tests.audits.html import sample
from tests.support import RATES

OPTIONS = {
    "groups": {"people": "2", "draws": "20"},
    "hyfair": {"search_seconds": "0.2", "ceiling_seconds": "0.2", "solver_seconds": "0.5", "samples": "200"},
    "pba": {"people": "40", "parts": "20"},
    "prof": {"points": "20", "steps": "0", "samples": "100"},
    "fvgm": {},
    "leak": {},
}

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def asked():
    """Return the context: 600 applicants, two sensitive features with six joint values."""
    return sample.context_of(RATES, sample.rows_of(RATES, 600), hidden=(3,), seed=13, sensitivity=0.3)


@pytest.fixture(scope="module")
def run(asked):
    """Return all audits of it."""
    pytest.importorskip("fairlearn")
    return run_all(asked, installed(), list(OPTIONS), options=OPTIONS)


def decided(asked):
    """Return the label of every row, by the network itself."""
    return [
        asked.network.decide([*query, *RATES.domain_table[number]])
        for query, number in zip(asked.queries, asked.slices, strict=True)
    ]


def counted(asked):
    """Return, by label and value of one feature, how many are decided so and how many there are."""
    found, sizes = Counter(), Counter()
    for row, label in zip(asked.rows, decided(asked), strict=True):
        for feature in RATES.sensitive_features:
            group = (feature.name, str(row[feature.name]))
            sizes[group] += 1
            if label is not None:
                found[RATES.labels[label], group] += 1
    return found, sizes


def test_rates_are_those_of_each_label(asked, run):
    """Of every label and value, the share of the rows that the network itself decides so."""
    report = next(one for one in run.reports if one.audit == "groups")
    found, sizes = counted(asked)
    seen = set()
    for one in report.estimates:
        if one.measure.startswith("selection rate (") and len(one.group) == 1:
            label = one.measure.removeprefix("selection rate (")[:-1]
            assert (one.value, one.n) == (found[label, one.group[0]] / sizes[one.group[0]], sizes[one.group[0]])
            seen.add((label, one.group[0]))
    assert seen == {(label, group) for label in RATES.labels for group in sizes}


def test_the_headline_compares_two_groups_by_one_label(asked, run):
    """The label whose groups are furthest apart: the least and the largest share, and nothing of another label."""
    report = next(one for one in run.reports if one.audit == "groups")
    found, sizes = counted(asked)
    kinds = {
        (label, feature.name): sorted(
            (found[label, group] / sizes[group], group) for group in sizes if group[0] == feature.name
        )
        for label in RATES.labels
        for feature in RATES.sensitive_features
    }
    (label, _), ends = max(kinds.items(), key=lambda one: one[1][-1][0] - one[1][0][0])
    told = {one.what.partition(" (")[0] for one in brief(report).figures[1:]}
    assert told == {
        f"{label}, of {sizes[name, value]}, {name.replace('_', ' ')} = {value}"
        for _, (name, value) in (ends[0], ends[-1])
    }


def test_flips_of_one_label_are_not_called_flips_of_all(run):
    """The audit of clusters judges the lead of one label, and says of which."""
    report = next(one for one in run.reports if one.audit == "hyfair")
    assert {one.subject for one in report.findings} == {
        "scores apart by more than 0.05", "label flips to or from reduced",
    }  # fmt: skip
    assert "another label" not in brief(report).answer
    assert any("a change to or from reduced" in one.what for one in brief(report).figures)


def test_pairs_of_values_are_questions_of_their_own(run):
    """Each of the pairs is a row; its people are decided, surer or not, and the answer counts all of them."""
    report = next(one for one in run.reports if one.audit == "pba")
    (table,) = report.tables
    values = {feature.name: len(feature.domain) for feature in RATES.sensitive_features}
    assert len(table.rows) == sum(count * (count - 1) // 2 for count in values.values())
    assert all(people == sum(rest) for _, people, *rest in table.rows)
    assert sum(row[1] for row in table.rows) == len(report.findings)
    assert [row[2] for row in table.rows] == sorted((row[2] for row in table.rows), reverse=True)


def test_plots_and_document_keep_labels_apart(run):
    """No plot has two labels, audits of two labels say that they do not apply, and all of it is read back."""
    for report in run.reports:
        for plot in charts.estimates(report):
            named = [label for label in RATES.labels if label in plot.title]
            assert len(named) <= 1, plot.title
    assert {one.audit for one in run.failures} == {"fvgm", "leak"}
    assert {one.outcome for one in run.failures} == {"not applicable"}
    assert AuditRun.from_json(run.to_json()) == run
    page = render(run, spec=RATES)
    assert head(run).claim in page
    assert ">nan" not in page.lower()
