"""`equiproof audit pack`: the evidence on a committed model for its validators, as a document and a model card."""

import dataclasses
import json
import re

import msgspec
import pytest
from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator
from msgspec.structs import replace
from statsmodels.stats.proportion import confint_proportions_2indep

from equiproof.audits.html.validation import render
from equiproof.audits.pack import card, content
from equiproof.audits.pack.content import MONITORING
from equiproof.audits.pack.later import audited_later
from equiproof.audits.runner import AuditRun
from equiproof.certify.data import load
from equiproof.circuits import exit_codes
from equiproof.circuits.encodings.missing import Missing
from equiproof.circuits.field import to_hex
from equiproof.cli.commands.audit_pack import CARD, DOCUMENT
from equiproof.cli.main import run

FEW = ("--option", "groups.people=2", "--option", "groups.draws=20")


def audited(world, folder, rows):
    """Return the saved report of the audit `groups` on some rows of the data set."""
    data = load("lending")
    path, out = folder / "rows.json", folder / "reports.json"
    path.write_text(json.dumps([dict(data.rows[number]) for number in rows]))
    words = ("audit", "run", "groups", "--opening", world.opening, "--rows", path, *FEW, "--out", out)
    assert run([*map(str, words)]) in (exit_codes.OK, exit_codes.UNFAIR)
    return out


@pytest.fixture(scope="module")
def reports(world, tmp_path_factory):
    """The report on thirty test rows."""
    return audited(world, tmp_path_factory.mktemp("pack"), load("lending").test[:30])


@pytest.fixture(scope="module")
def late(world, tmp_path_factory):
    """The report on a hundred training rows, most of which the model decides by its second label."""
    data = load("lending")
    network, table = world.owned.network, world.owned.spec.domain_table
    of = {row: network.decide((*world.owned.spec.encode(data.rows[row]), *table[0])) for row in data.train[:400]}
    first = sorted(of, key=lambda row: of[row] != 1)[:100]
    return audited(world, tmp_path_factory.mktemp("late"), first)


def rate_of(path):
    """Return the selection rate over all rows of a saved report, and how many they are."""
    (report,) = AuditRun.from_json(path.read_bytes()).reports
    (one,) = [one for one in report.estimates if one.measure.startswith("selection rate") and not one.group]
    return one.value, one.n


@pytest.fixture(scope="module")
def known(world, reports):
    """What is known of the model."""
    found = AuditRun.from_json(reports.read_bytes())
    return content(found, world.owned.spec, to_hex(world.owned.commitment))


def test_both_files_are_written_for_the_owner(world, cli, reports, tmp_path):
    """The document names commitment, features, audits and what was not looked at; the card is valid CycloneDX."""
    words = ("audit", "pack", reports, "--commitment", world.commitment, "--out", tmp_path / "pack")
    said = cli(*words, "--date", "31 January 2026", "--json").document
    document, machine = tmp_path / "pack" / DOCUMENT, tmp_path / "pack" / CARD
    missing = ["pba", "hyfair", "fvgm", "leak"]
    assert said == {"document": str(document), "card": str(machine), "missing": missing, "later": []}
    assert all(path.stat().st_mode & 0o077 == 0 for path in (document, machine))
    page = document.read_text()
    assert f"{world.owned.commitment:064x}" in page.replace('</span><wbr><span class="four">', "")
    for wanted in (
        "31 January 2026",
        "Not looked at: pba, hyfair, fvgm, leak.",
        "Reviewed by",
        "Audit groups",
        "No later rows",
    ):
        assert wanted in page
    assert all(f">{feature.name}</th>" in page for feature in world.owned.spec.features)
    assert "row 1" not in page.lower()
    assert "`" not in page
    assert "label –;" in page  # a setting without a value
    codes = re.findall("<code>(.*?)</code>", page)
    assert all(re.sub(' ?<span class="word">[^< ]+</span> ?', "", code) == "" for code in codes)
    assert len(codes) > len(MONITORING)
    text = machine.read_text()
    assert JsonStrictValidator(SchemaVersion.V1_6).validate_str(text) is None
    cli(*words).complaint(2, document)
    assert cli(*words, "--force").code == 0


def test_the_card_has_the_figures_of_the_report(known):
    """Each estimate with a value is a metric with its interval, and the limits and the claim are those of the page."""
    (model,) = card(known)["components"]
    metrics = model["modelCard"]["quantitativeAnalysis"]["performanceMetrics"]
    estimates = [one for report in known.run.reports for one in report.estimates if one.value is not None]
    assert len(metrics) == len(estimates) > 0
    for metric, one in zip(metrics, estimates, strict=True):
        assert metric["type"].startswith(f"{one.measure} (audit groups, ")
        ends = metric.get("confidenceInterval")
        assert ends is None or float(ends["lowerBound"]) == pytest.approx(one.lower, rel=1e-5, abs=1e-9)
    properties = {one["name"]: one["value"] for one in model["properties"]}
    assert properties["equiproof:commitment"] == known.model.commitment
    assert properties["equiproof:audits-missing"] == "pba, hyfair, fvgm, leak"
    assert model["description"] == known.head.claim


def test_equal_evidence_has_equal_cards(known):
    """The serial number is that of the model; nothing of the card is drawn or timed."""
    assert card(known, date="1 May") == card(known, date="1 May")


def test_what_applicants_need_not_state_is_said(known):
    """In the document and in the card, beside the values."""
    first, *others = known.spec.features
    features = (replace(first, missing=Missing()), *others)
    thin = dataclasses.replace(known, spec=replace(known.spec, features=features))
    inputs = card(thin)["components"][0]["modelCard"]["modelParameters"]["inputs"]
    assert inputs[0]["format"].endswith(", or not stated")
    assert json.dumps(card(known)).count("or not stated") == 0
    assert render(thin).count(", or not stated</td>") == 1


def test_a_schema_that_refuses_nothing_would_be_noticed(known):
    """The validator finds a field that model cards do not have."""
    found = card(known)
    found["components"][0]["modelCard"]["verdict"] = "fair"
    assert JsonStrictValidator(SchemaVersion.V1_6).validate_str(json.dumps(found)) is not None


def test_evidence_of_another_model_is_refused(world, cli, reports, tmp_path):
    """A commitment to another model, a run before a commitment, and one without a report are one line each."""
    run_ = json.loads(reports.read_text())
    words = ("--commitment", world.commitment, "--out", tmp_path / "pack")
    other = tmp_path / "other.json"
    for model, said in (("22" * 32, "begins with 222222222222"), ("", "commit the model")):
        reports_ = [one | {"model": one["model"] | {"commitment": model}} for one in run_["reports"]]
        changed = run_ | {"model": run_["model"] | {"commitment": model}, "reports": reports_}
        other.write_text(json.dumps(changed))
        cli("audit", "pack", other, *words).complaint(2, said)
    other.write_text(json.dumps(run_ | {"reports": []}))
    cli("audit", "pack", other, *words).complaint(2, "run at least one audit to its end")
    assert not (tmp_path / "pack").exists()


def test_later_rows_stand_beside_the_audited_ones(world, cli, reports, late, tmp_path):
    """Each share of both, its change and Newcombe's interval; where the rows show a change, the document says so."""
    words = ("audit", "pack", reports, "--commitment", world.commitment, "--later", late, "--out", tmp_path / "pack")
    assert cli(*words, "--json").document["later"] == ["reports.json"]
    first, second = (AuditRun.from_json(path.read_bytes()) for path in (reports, late))
    found = audited_later(second, first, "March")
    (rate,) = [one for one in found.changes if one.later.measure.startswith("selection rate") and not one.later.group]
    (before, few), (after, many) = rate_of(reports), rate_of(late)
    assert (rate.audited.value, rate.audited.n, rate.later.value, rate.later.n) == (before, few, after, many)
    each = 1 - 0.05 / len(found.changes)
    low, high = confint_proportions_2indep(
        round(after * many), many, round(before * few), few, method="newcomb", compare="diff", alpha=1 - each
    )
    assert (rate.change.value, rate.change.lower, rate.change.upper) == pytest.approx((after - before, low, high))
    assert rate.shown
    assert not low <= 0 <= high
    page = (tmp_path / "pack" / DOCUMENT).read_text()
    assert "Later rows: reports.json" in page
    assert f"of {len(found.changes)} shares have changed." in page
    assert "No later rows" not in page
    properties = json.loads((tmp_path / "pack" / CARD).read_text())["components"][0]["properties"]
    assert len([one for one in properties if one["name"] == "equiproof:later:reports.json"]) == 2 * len(found.changes)
    assert JsonStrictValidator(SchemaVersion.V1_6).validate_str((tmp_path / "pack" / CARD).read_text()) is None


def test_equal_rows_show_no_change(reports, late):
    """Where later rows have the same shares, no interval lies beside 0."""
    first, second = (AuditRun.from_json(path.read_bytes()) for path in (reports, late))
    (report,) = second.reports
    (old,) = first.reports
    alike = replace(second, reports=(replace(report, estimates=old.estimates, findings=old.findings[::-1]),))
    found = audited_later(alike, first, "March")
    assert found.changes
    assert not any(one.shown for one in found.changes)


def test_results_of_certifying_are_counted(world, cli, reports, tmp_path):
    """The shares of decisions with a certificate, of those that change, and of the undecided; not of another spec."""
    points = [{"row": row, "verdict": "fair" if row < 8 else "undecided", "seconds": 0.0} for row in range(1, 11)]
    document = {"format": "equiproof-results", "version": 2, "limits": {}, "points": points}
    results = tmp_path / "march.json"
    words = ("audit", "pack", reports, "--commitment", world.commitment, "--certified", results)
    spec = world.owned.spec
    results.write_text(msgspec.json.encode(document | {"spec": spec}).decode())
    assert cli(*words, "--out", tmp_path / "pack", "--json").document["later"] == ["march.json"]
    page = (tmp_path / "pack" / DOCUMENT).read_text()
    assert "Results name no commitment" in page
    assert all(text in page.replace("\u00a0", " ") for text in ("70.0 %", "39.6 to 89.3 %", "30.0 %"))
    for changed, said in (
        ({"spec": msgspec.structs.replace(spec, name="another")}, "give results of the spec"),
        ({"spec": spec, "points": []}, "certify at least one row"),
    ):
        results.write_text(msgspec.json.encode(document | changed).decode())
        cli(*words, "--out", tmp_path / "none").complaint(2, said)


def test_later_rows_of_another_model_or_the_same_rows_are_refused(world, cli, reports, late, tmp_path):
    """By one line each: another commitment, no report of the audit `groups`, the audited rows, and other options."""
    run_ = json.loads(late.read_text())
    other = tmp_path / "later.json"
    words = ("audit", "pack", reports, "--commitment", world.commitment, "--later", other, "--out", tmp_path / "pack")
    (report,) = run_["reports"]
    model = run_["model"] | {"commitment": "22" * 32}
    for changed, said in (
        ({"model": model, "reports": [report | {"model": model}]}, "give a run of the audited model"),
        ({"reports": []}, "later.json: run `equiproof audit run groups`"),
        (json.loads(reports.read_text()), "these are the findings of the audited rows again"),
        ({"reports": [report | {"estimates": []}]}, "audit with the same options"),
    ):
        other.write_text(json.dumps(run_ | changed))
        cli(*words).complaint(2, said)
    assert not (tmp_path / "pack").exists()
