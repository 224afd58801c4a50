"""Applications that do not state everything: decided, proven, told of, shown, corrected, reviewed and guarded."""

import importlib.util
import json
import random
import re
from itertools import pairwise

import msgspec
import pytest

from equiproof.certify.guardrail import FORMAT, VERSION, Condition, GuardrailFile
from equiproof.certify.traversal.search import Counterexample
from equiproof.certify.trees.ensemble_search import search_under
from equiproof.circuits.shape import ensemble_shape
from equiproof.prover.opening import Opening
from equiproof.service.console.officers import Role
from equiproof.service.decisions import opened
from equiproof.service.guardrails import Guardrails
from equiproof.service.models import Files, Models, add_model
from equiproof.service.retention import erase
from equiproof.service.settings import PolicySettings
from equiproof.service.store.tables import Correction, Decision
from equiproof.service.worker.certifying import Certifying
from equiproof.service.worker.child import prove, ready
from equiproof.verifier import ForQuery, Verifier
from equiproof.verifier.bundle import parse_bundle
from equiproof.verifier.documents import parse_commitment, parse_query
from equiproof.verifier.package import parse_package
from tests.prover.test_missing import lacking, people
from tests.service.console.people import sign_in
from tests.service.test_corrections import TODAY
from tests.service.test_decisions import everything
from tests.support import LACKING, ROOT, applicant, copied_key, trusting

pytestmark = pytest.mark.parametrize("address", ["sqlite"], indirect=True)

TABLE = LACKING.domain_table
MODEL = lacking(3)
OPENING = Opening.of(MODEL, LACKING, 7)


@pytest.fixture
def key(service, tmp_path):
    """The key of a model of trees that decides in the service, and lets every detail be missing."""
    (tmp_path / "trees.json").write_bytes(OPENING.secret())
    sizes = (MODEL.predicates, MODEL.nodes.sizes, MODEL.predicates[0], MODEL.nodes.sizes[1])
    stored = copied_key(tmp_path / "keys", ensemble_shape(LACKING, *sizes, 4))
    with service.shared.database.transaction() as session:
        add_model(session, "loans", Files(tmp_path / "trees.json", tmp_path / "keys"), service.clock())
    return stored


def somebody():
    """Return the first applicant who lacks one of two details, and has a certificate."""
    return next(row for row in people() if list(row.values()).count(None) == 1 and is_certified(row))


def is_certified(row):
    """Return whether a row is decided alike for all sensitive values."""
    return not isinstance(search_under(MODEL, LACKING, LACKING.encode(row), max_leaves=4), Counterexample)


def shown(page):
    """Return the words of a page."""
    return " ".join(re.sub("<[^>]*>", " ", page).split())


def kept(service, identifier):
    """Return the features that the vault keeps of a decision."""
    with service.shared.database.reading() as session:
        return opened(session.get(Decision, identifier), service.shared.holders.vault).query.features


def stated(row):
    """Return what is stated of a row."""
    return {name: value for name, value in row.items() if value is not None}


def test_what_is_not_stated_is_null_or_left_out(service, key):
    """Both are the same application; a model whose details may not be missing takes neither, by name."""
    row = somebody()
    (missing,) = (name for name, value in row.items() if value is None)
    sent = [stated(row), stated(row) | {missing: None}]
    answers = [service.post(one) for one in sent]
    assert [answer.status_code for answer in answers] == [201, 201]
    assert len({answer.json()["label"] for answer in answers}) == 1
    assert [set(kept(service, answer.json()["id"])) for answer in answers] == [set(stated(row))] * 2
    empty = service.post(stated(row) | {missing: ""})
    assert (empty.status_code, empty.json()["type"]) == (422, "urn:equiproof:unusable-features")
    assert empty.json()["detail"].endswith("; what is not stated is null, or left out")


def test_a_model_whose_details_may_not_be_missing_takes_no_null(service, rows):
    """Null is as good as nothing."""
    for row in (rows[0] | {"income": None}, {name: value for name, value in rows[0].items() if name != "income"}):
        refused = service.post(row)
        assert (refused.status_code, refused.json()["detail"]) == (422, "features: 'income' is missing")


def test_it_is_proven_told_of_and_shown(service, key):
    """Certificate, letters in both languages, receipt, package, applicant's bundle and the console's pages."""
    row = somebody()
    identifier = service.post(row).json()["id"]
    said = []
    Certifying(service.shared.database, service.shared.holders.vault, prove, service.clock, said.append)(identifier)
    ready.cache_clear()
    assert said == []
    paths = ("certificate", "receipt", "bundle", "package")
    found = {name: service.get(f"/v1/decisions/{identifier}/{name}") for name in paths}
    letters = {one: service.get(f"/v1/decisions/{identifier}/letter", language=one).text for one in ("en", "de")}
    assert [one.status_code for one in found.values()] == [200] * 4
    bundle = parse_bundle(found["bundle"].content, "bundle")
    query = parse_query(bundle.query, "query")
    assert query.features == stated(row)
    verifier = Verifier(parse_commitment(OPENING.public(), "commitment"), trusting(key))
    assert verifier.verify(bundle.certificate, ForQuery(query)).statement.label in (0, 1)
    package = parse_package(found["package"].content, "package")
    assert [json.loads(one)["verdict"] for one in (package.native_report, package.python_report)] == ["verified"] * 2
    german = "nicht angegeben" if row["housing"] is None else "keine Angabe"
    assert "not stated" in shown(letters["en"])
    assert german in shown(letters["de"])
    for role, seen in ((Role.OFFICER, True), (Role.AUDITOR, False)):
        page = sign_in(service, role).get(f"decisions/{identifier}")
        assert (page.status_code, "not stated" in shown(page.text)) == (200, seen)


def test_a_correction_states_what_was_missing(service, key):
    """And the other way round; the pair's page shows both, the record names the detail."""
    row = somebody()
    (missing,) = (name for name, value in row.items() if value is None)
    whole = stated(row) | {missing: {"income": 41000, "housing": "own"}[missing]}
    person = "a" * 64
    ids = []
    for features in (stated(row), whole, stated(row)):
        service.clock.now += 1_000_000
        ids.append(service.post(features, person=person).json()["id"])
    officer = sign_in(service, Role.OFFICER)
    for first, second in pairwise(ids):
        fields = {"asked": TODAY.isoformat(), "request": "my form was not complete"}
        assert officer.post(f"decisions/{first}/correction", **fields).status_code == 303
        assert officer.post(f"decisions/{first}/correction/second", second=second).status_code == 303
        assert "not stated" in shown(officer.get(f"decisions/{first}").text)
    assert [row.changed for row in everything(service, Correction)] == [json.dumps([missing])] * 2


def test_a_review_is_shown_side_by_side(service, tmp_path):
    """Both cases with their scores; and again once the details have been erased."""
    model = lacking(5)
    (tmp_path / "trees.json").write_bytes(Opening.of(model, LACKING, 7).secret())
    with service.shared.database.transaction() as session:
        add_model(session, "loans", Files(tmp_path / "trees.json", tmp_path / "keys"), service.clock())
    rows = (applicant(LACKING, random.Random(seed)) | {"housing": None} for seed in range(100))
    unfair = next(row for row in rows if len({model.decide((*LACKING.encode(row), *one)) for one in TABLE}) > 1)
    answer = service.post(unfair).json()
    assert answer["state"] == "review"
    officer = sign_in(service, Role.OFFICER)
    page = shown(officer.get(f"decisions/{answer['id']}").text)
    assert "score" in page
    assert page.count("not stated") == 2  # once in each case
    with service.shared.database.transaction() as session:
        erase(session, session.get(Decision, answer["id"]), "asked for", service.clock())
    again = officer.get(f"decisions/{answer['id']}")
    assert (again.status_code, "not stated" in shown(again.text)) == (200, False)


def test_no_condition_of_a_guardrail_holds_of_what_is_missing(service, key, tmp_path):
    """A rule about income stops who states it, and nobody else."""
    digests = OPENING.digests()
    housing = next(one.domain for one in LACKING.features if one.name == "housing")
    for condition in (Condition("income", least="-99999"), Condition("housing", values=housing)):
        file = GuardrailFile(
            FORMAT, VERSION, digests["model_commitment"], digests["spec_digest"], "refer", ((condition,),), "5a" * 32
        )
        path = tmp_path / f"{condition.feature}.json"
        path.write_bytes(file.to_bytes())
        guarded = Models(Guardrails.load(PolicySettings(guardrails=(str(path),))))
        object.__setattr__(service.shared, "models", guarded)
        stopped = [
            (service.post(row).json()["state"] == "review", row[condition.feature] is not None)
            for row in people()
            if is_certified(row)
        ]
        assert set(stopped) == {(True, True), (False, False)}


def test_the_lenders_form_lets_it_be_empty(address):
    """What may be missing is not required and says so; an empty list's value is none."""
    place = ROOT / "examples" / "lender" / "pages.py"
    loaded = importlib.util.spec_from_file_location("lender_pages", place)
    pages = importlib.util.module_from_spec(loaded)
    loaded.loader.exec_module(pages)
    model = {"sensitive": ["sex"], "spec": json.loads(msgspec.json.encode(LACKING))}
    form = pages.form(model, "r", {}).decode()
    income, housing = (form[form.index(f'name="{name}"') :].partition("<label")[0] for name in ("income", "housing"))
    assert "required" not in income
    assert 'placeholder="not stated"' in income
    assert housing.partition(">")[2].startswith('<option value="">not stated</option>')
    assert form.count("(may stay empty)") == 2
    complete = json.loads(msgspec.json.encode(LACKING))
    for feature in complete["features"]:
        feature.pop("missing", None)
    assert pages.form(model | {"spec": complete}, "r", {}).decode().count("required") == 2
