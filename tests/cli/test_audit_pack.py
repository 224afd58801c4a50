"""`equiproof audit pack`: the evidence on a committed model for its validators, as a document and a model card."""

import json

import pytest
from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator

from equiproof.audits.pack import card, content
from equiproof.audits.runner import AuditRun
from equiproof.certify.data import load
from equiproof.circuits import exit_codes
from equiproof.circuits.field import to_hex
from equiproof.cli.commands.audit_pack import CARD, DOCUMENT
from equiproof.cli.main import run

FEW = ("--option", "groups.people=2", "--option", "groups.draws=20")


@pytest.fixture(scope="module")
def reports(world, tmp_path_factory):
    """The saved report of the audit `groups` on thirty test rows."""
    data = load("lending")
    folder = tmp_path_factory.mktemp("pack")
    rows, out = folder / "rows.json", folder / "reports.json"
    rows.write_text(json.dumps([dict(data.rows[number]) for number in data.test[:30]]))
    words = ("audit", "run", "groups", "--opening", world.opening, "--rows", rows, *FEW, "--out", out)
    assert run([*map(str, words)]) in (exit_codes.OK, exit_codes.UNFAIR)
    return out


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
    assert said == {"document": str(document), "card": str(machine), "missing": ["pba", "hyfair", "fvgm", "leak"]}
    assert all(path.stat().st_mode & 0o077 == 0 for path in (document, machine))
    page = document.read_text()
    assert f"{world.owned.commitment:064x}" in page.replace('</span><wbr><span class="four">', "")
    for wanted in ("31 January 2026", "Not looked at: pba, hyfair, fvgm, leak.", "Reviewed by", "Audit groups"):
        assert wanted in page
    assert all(f">{feature.name}</th>" in page for feature in world.owned.spec.features)
    assert "row 1" not in page.lower()
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
