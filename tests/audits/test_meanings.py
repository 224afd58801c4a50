"""Codes of a data set are read with the meanings of its own description; documents keep the codes."""

from equiproof.audits.html import render, validation
from equiproof.audits.meanings import in_full, reading
from equiproof.audits.pack import content
from equiproof.audits.records import Table
from equiproof.audits.runner import AuditRun
from equiproof.certify.data.german import TABLE
from equiproof.circuits.field import to_hex
from tests.audits.html import sample
from tests.audits.made import context, report
from tests.certify.hand_made import by_sex
from tests.support import LOANS, changed


def german():
    """Return a report on a model of the German data set."""
    made = report(context(by_sex()))
    finding = changed(
        made.findings[0], subject="row 1, foreign_worker A201 and A202", group=(("foreign_worker", "A202"),)
    )
    estimate = changed(made.estimates[1], group=(("foreign_worker", "A201"),))
    rules = Table("rules", ("rule", "where"), ((1, "purpose in (A40, A410) and age <= 30"),))
    return changed(
        made, model=changed(made.model, spec_name="german"), findings=(finding, *made.findings[1:]),
        estimates=(estimate,), tables=(rules,), notes=("no row has credit_history A30",),
    )  # fmt: skip


def test_every_code_of_the_description_has_its_meaning():
    """No code stands for two things, and other data sets' texts stay as they are."""
    codes = [code for column in TABLE.columns for code in column.meanings]
    assert len(codes) == len(set(codes)) == 56
    assert all(column.codes == tuple(sorted(column.meanings)) for column in TABLE.columns if column.codes)
    read = reading("german")
    assert read("A32 and A321, xA32, A201") == "A32 (paid until now) and A321, xA32, A201 (yes)"
    assert read(read("A201")) == "A201 (yes)"
    assert reading("adult")("A201") == reading("no data set")("A201") == "A201"


def test_people_read_codes_with_their_meanings():
    """In groups, subjects, rules and notes, on the page and in the terminal; the document keeps the values."""
    made = german()
    full = in_full(made)
    assert full.findings[0].group == (("foreign_worker", "A202 (no)"),)
    assert full.tables[0].rows[0][1] == "purpose in (A40 (new car), A410 (others)) and age <= 30"
    assert full.findings[1].counterexample.cases == made.findings[1].counterexample.cases
    run = AuditRun(model=made.model, reports=(made,))
    for text in (run.summary(), render(run)):
        flat = " ".join(text.split())
        assert "foreign_worker = A201 (yes)" in flat
        assert "A30 (no credits, or all paid)" in flat
        assert "A410 (others)" in flat
    assert "(yes)" not in run.to_json()
    other = report(context(by_sex()))
    assert in_full(other) is other


def housed():
    """Return a spec of the German data set whose houses are codes, and these."""
    housing = next(feature for feature in LOANS.features if feature.name == "housing")
    domain = ("A151", "A152", *housing.domain[2:])
    features = tuple(changed(one, domain=domain) if one is housing else one for one in LOANS.features)
    return changed(LOANS, name="german", features=features), housing, domain


def test_the_document_for_validation_has_meanings():
    """In what it says of the model's features, in its first part, and among the estimates of each audit."""
    spec, _, _ = housed()
    made = german()
    model = changed(made.model, commitment="22" * 32, spec_digest=to_hex(spec.digest))
    known = content(AuditRun(model=model, reports=(changed(made, model=model),)), spec, "22" * 32)
    page = validation.render(known)
    for text in ("A151 (rent)", "foreign_worker = A201 (yes)", "A30 (no credits, or all paid)"):
        assert text in page
    assert page.count("A151") == page.count("A151 (rent)")


def test_cards_and_cases_have_meanings():
    """A code is explained where an applicant's own values stand, and where cases stand side by side."""
    spec, housing, domain = housed()
    rows = [row | {"housing": domain[housing.domain.index(row["housing"])]} for row in sample.rows_of(LOANS, 20)]
    asked = sample.context_of(spec, rows, sensitivity=0.9)
    page = render(sample.run_of(asked), spec=spec, rows=rows)
    assert "A151 (rent)" in page
    assert page.count("A151") == page.count("A151 (rent)")
