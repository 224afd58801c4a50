"""Recourse of a refused decision: asked for once, proven by a worker, handed out within budgets, released by people."""

import json
import logging
import shutil
import signal
from contextlib import ExitStack
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

import msgspec
import pytest
from fastapi.testclient import TestClient

from equiproof.circuits.allowed import Wish
from equiproof.circuits.canonical import canonical_bytes
from equiproof.circuits.shape import additive_shape, box_shape
from equiproof.prover.keys import KeyStore
from equiproof.prover.opening import Opening
from equiproof.service import recourses
from equiproof.service.checking import _recourses, check
from equiproof.service.clients import Scope, make_key
from equiproof.service.clock import now
from equiproof.service.console.officers import Role
from equiproof.service.endpoints import endpoint
from equiproof.service.links import DAY, make_link
from equiproof.service.models import Files, add_model
from equiproof.service.recourses import Found, ProvenBox, WitnessDocument
from equiproof.service.retention import erase, purge
from equiproof.service.rotation import rotate
from equiproof.service.settings import (
    LenderSettings,
    PersonSettings,
    PolicySettings,
    RecourseSettings,
    RetentionSettings,
    load_settings,
)
from equiproof.service.starting import prepare
from equiproof.service.states import State
from equiproof.service.store.database import Database
from equiproof.service.store.tables import Decision, Model, Recourse, RecourseLetter, Request, TrailLine
from equiproof.service.vault import Vault, make_vault, new_line, parse_vault
from equiproof.service.web.serving import application
from equiproof.service.webhooks import Hook, Webhooks
from equiproof.service.worker import child
from equiproof.service.worker.certifying import Certifying, waiting_jobs
from equiproof.service.worker.look import Looked, look
from equiproof.service.worker.measuring import Measuring
from equiproof.service.worker.provers import DiedError, Provers
from equiproof.service.worker.recoursing import Recoursing
from equiproof.service.worker.running import done
from equiproof.verifier import ForContext, VerificationError, parse_context, parse_wishes, verify_bundle
from equiproof.verifier.bundle import parse_bundle
from equiproof.verifier.certificate import parse_certificate
from equiproof.verifier.documents import parse_commitment, parse_query
from equiproof.verifier.opened_box import OPENED_BOX, OpenedBox, parse_opened_box
from equiproof.verifier.package import parse_package
from equiproof.verifier.package_check import Reader, check_package
from equiproof.verifier.pair import Refusal
from equiproof.verifier.reason_codes import ReasonCodesError
from equiproof.verifier.verify_box import BoxVerifier
from equiproof.verifier.wishes import WISHES, WishesDocument
from tests import recourse_cases as cases
from tests.service import made
from tests.service.conftest import START
from tests.service.console.people import sign_in
from tests.service.databases import BOTH, text
from tests.service.test_decisions import everything
from tests.service.test_numbers import Busy, keep, shown
from tests.service.test_webhooks import SECRET, Endpoints, step
from tests.service.test_whole import kill, wait, worker
from tests.support import changed, copied_key, no_policy, trusting

SQLITE = pytest.mark.parametrize("address", ["sqlite"], indirect=True)
ROW = {**cases.ROW, "income": "30"}
BOXES = box_shape(cases.RULED, cases.simple().predicates)
LIMITS = RecourseSettings(model_ways=12)


@pytest.fixture
def ruled(address, started):
    """A function that starts a service whose model has rules of change; `keys` gets a key of boxes, unless not wanted.

    What certifies is no key; `real` has the box proven.
    """

    def start(*, box=True, opening=None, recourse=LIMITS, **more):
        service = started(address, new_line("first"), opening=opening or cases.opening(), recourse=recourse, **more)
        service.headers = {"Authorization": f"Bearer {service.key(Scope.SUBMIT, Scope.READ).text}"}
        (model,) = everything(service, Model)
        if box:
            copied_key(folder_of(model), BOXES)
        return service

    return start


def folder_of(model):
    """Return the folder of a model's keys, made where it is not there."""
    folder = Path(model.keys)
    folder.mkdir(exist_ok=True)
    return folder


def refused(service, row=ROW, **more):
    """Return the id of a decision that is refused and certified."""
    answer = service.post(row, **more)
    assert answer.status_code == 201, answer.text
    identifier = answer.json()["id"]
    made.end(service, identifier, State.CERTIFIED, spec=service.opening.spec)
    return identifier


def ask(service, decision, key="", headers=None, **body):
    """Ask for recourse, under a key of its own unless one is given."""
    service.count += 1
    own = {**(headers or service.headers), "Idempotency-Key": key or f"recourse-{service.count:08}"}
    return service.client.post(f"/v1/decisions/{decision}/recourse", json=body, headers=own)


def stands(service, decision, **params):
    """Return how recourse of a decision stands."""
    answer = service.get(f"/v1/decisions/{decision}/recourse", **params)
    assert answer.status_code == 200, answer.text
    return answer.json()


def kind_of(answer):
    """Return status and kind of a problem."""
    return answer.status_code, answer.json()["type"].rpartition(":")[2]


def way(*changed_features, **ends):
    """Return a way that nobody proved: right in form, and with this opened box."""
    own = {"income": (30, 30), "debt": (4, 4), "housing": ("rent",), "school": ("none", "none"), "years": (13, 13)}
    box = OpenedBox(*OPENED_BOX, {**own, "branch": ("a", "a"), **ends}, "0" * 63 + "1")
    return ProvenBox("ab" * 32, b"{}", canonical_bytes(box), changed_features)


DEBT = way("debt", debt=(-3, 2))
INCOME = way("income", income=(40, 60))
HOUSING = way("housing", housing=("own",))
WAYS = Found("way", (DEBT, INCOME, HOUSING))
NONE = Found("none", (way(),))
WITNESS = WitnessDocument({"debt": 2}, {"sex": "m", "age": "25"}, {"sex": "f", "age": "25"})
DEPENDENT = Found("dependent", witness=WITNESS)


def worked(service, found=WAYS, search=None, limits=...):
    """Do the jobs of recourse that were submitted, each with what a search would find; return what the worker said."""
    said, orders = [], []

    def looked(order):
        orders.append(order)
        boxes = found.boxes[: order.most] if found.outcome == "way" else found.boxes
        return Looked("found", msgspec.structs.replace(found, boxes=boxes))

    limits = service.shared.settings.recourse if limits is ... else limits
    holders = service.shared.holders
    work = Recoursing(service.shared.database, holders.vault, search or looked, service.clock, limits, said.append)
    jobs = [argument for _, argument in holders.jobs.done if argument.startswith(recourses.MARK)]
    for argument in jobs:
        done(lambda _: pytest.fail("certified"), work, argument)
    return said, orders


def recourse_row(service, decision):
    """Return the row of a decision's recourse."""
    (row,) = (one for one in everything(service, Recourse) if one.decision_id == decision)
    return row


def trail(service):
    """Return the acts and what they were about."""
    return [(line.act, line.about) for line in sorted(everything(service, TrailLine), key=lambda one: one.number)]


def certified(request, service):
    """Return the id of a refused decision whose certificate is proven."""
    (model,) = everything(service, Model)
    copied_key(folder_of(model), additive_shape(cases.RULED, cases.simple().predicates, 3, 2))
    request.addfinalizer(child.ready.cache_clear)  # it holds a loaded key
    identifier = service.post(ROW).json()["id"]
    work = Certifying(service.shared.database, service.shared.holders.vault, child.prove, service.clock)
    work(identifier)
    assert service.get(f"/v1/decisions/{identifier}").json()["state"] == "certified"
    return identifier


@SQLITE
def test_released_it_is_in_every_file_of_the_decision(request, ruled):
    """By real proofs: bundle, link and evidence package have it from the release on, and each is verified with it."""
    service = ruled()
    identifier = certified(request, service)
    ask(service, identifier, wishes={"income": {"fixed": True}})
    worked(service, search=look)
    at = f"/v1/decisions/{identifier}"
    with service.shared.database.transaction() as session:
        token = make_link(session, identifier, service.clock(), 90)

    def files():
        bundle = service.get(f"{at}/bundle").content
        (linked := service.client.post("/a/file", data={"token": token})).raise_for_status()
        assert linked.content == bundle
        package = parse_package(service.get(f"{at}/package").content, "package")
        assert package.bundle == bundle
        return bundle, package

    assert list(parse_bundle(files()[0], "bundle").answers()) == []
    sign_in(service, Role.OFFICER).post(f"decisions/{identifier}/recourse/release")
    letter = service.get(f"{at}/recourse/letter", language="de").content
    bundle, package = files()
    verified = verify_bundle(bundle, no_policy())
    assert [name for name, _ in verified.recourse] == ["way-1", "way-2"]
    assert all(box.pair.sentence.startswith("It is enough that") for _, box in verified.recourse)
    assert parse_wishes(parse_bundle(bundle, "bundle").wishes, "wishes").wishes["income"].fixed
    checked = check_package(package, "package", Reader(no_policy(), service.clock() // 10**6, None, letter=letter))
    assert checked.compared == ("letter",)
    assert dict(package.letters).keys() == {"recourse-de"}
    assert [box["name"] for box in checked.document()["recourse"]] == ["way-1", "way-2"]


@SQLITE
def test_a_refusal_its_recourse_and_the_pair_of_both(request, ruled):
    """By real proofs: what is fetched fits together with the decision's certificate, query and context."""
    service = ruled()
    (model,) = everything(service, Model)
    identifier = certified(request, service)
    asked = ask(service, identifier, wishes={"income": {"fixed": True}})
    assert (asked.status_code, asked.json()["stage"]) == (201, "waiting")
    worked(service, search=look)
    body = stands(service, identifier)
    assert (body["stage"], body["outcome"], body["files"]) == ("made", "way", ["way-1", "way-2"])
    assert [one["changed"] for one in body["ways"]] == [["debt"], ["housing"]]
    path = f"/v1/decisions/{identifier}/recourse"
    bundle = service.get(f"/v1/decisions/{identifier}/bundle")
    assert bundle.status_code == 200
    own = parse_bundle(bundle.content, "bundle")
    key = KeyStore(Path(model.keys)).find_box(cases.opening())
    verifier = BoxVerifier(parse_commitment(service.opening.public(), "commitment"), trusting(key))
    refusal = Refusal(parse_certificate(own.certificate, "refusal"), parse_query(own.query, "query"))
    for name in body["files"]:
        certificate, box = (service.get(f"{path}/{name}/{what}") for what in ("certificate", "box"))
        verified = verifier.verify(
            certificate.content,
            ForContext(parse_context(own.context, "context")),
            opened=parse_opened_box(box.content, "box"),
            label="granted",
            refusal=refusal,
        )
        assert verified.pair.sentence.startswith("It is enough that")
    assert service.get(f"{path}/none/box").status_code == 404
    acts = ("recourse", "recourse-read", "bundle", "recourse-box", "recourse-box")
    assert trail(service)[-5:] == [(act, identifier) for act in acts]


@SQLITE
def test_a_none_of_a_part_is_handed_out_as_such(request, ruled):
    """It stays undecided for client programs, with the percent; its box is compared with that part, as the letter says.

    By real proofs: without the percent the pair is refused.
    """
    opening = cases.between()
    service = ruled(opening=opening, box=False)
    (model,) = everything(service, Model)
    copied_key(folder_of(model), box_shape(cases.RULED, opening.model.predicates))
    copied_key(folder_of(model), additive_shape(cases.RULED, opening.model.predicates, 2, 2))
    request.addfinalizer(child.ready.cache_clear)  # it holds a loaded key
    identifier = service.post(ROW).json()["id"]
    Certifying(service.shared.database, service.shared.holders.vault, child.prove, service.clock)(identifier)
    assert ask(service, identifier, wishes={"housing": {"fixed": True}}).status_code == 201
    worked(service, search=look)
    body = stands(service, identifier)
    assert (body["stage"], body["outcome"], body["within"], body["files"]) == ("made", "undecided", 25, ["part"])
    assert body["sentences"][0].startswith("As long as each number changes by at most 25 % of what you and")
    assert any("housing" in one and "stays as it is" in one for one in body["sentences"])
    officer = sign_in(service, Role.OFFICER)
    assert "at most 25 %" in officer.get(f"decisions/{identifier}").text
    assert officer.post(f"decisions/{identifier}/recourse/release").status_code == 303
    letter = service.get(f"/v1/decisions/{identifier}/recourse/letter").text
    assert "at most 25 %" in letter
    assert "Within the changes" not in letter
    certificate, box = (
        service.get(f"/v1/decisions/{identifier}/recourse/part/{what}") for what in ("certificate", "box")
    )
    own = parse_bundle(service.get(f"/v1/decisions/{identifier}/bundle").content, "bundle")
    key = KeyStore(Path(model.keys)).find_box(opening)
    verifier = BoxVerifier(parse_commitment(opening.public(), "commitment"), trusting(key))
    files = parse_certificate(own.certificate, "refusal"), parse_query(own.query, "query")
    wishes = WishesDocument(*WISHES, wishes={"housing": Wish(fixed=True)})
    how = {
        "policy": ForContext(parse_context(own.context, "context")),
        "opened": parse_opened_box(box.content, "box"),
        "label": "declined",
    }
    verified = verifier.verify(certificate.content, **how, refusal=Refusal(*files, wishes, within=25))
    assert verified.pair.side == "part"
    with pytest.raises(VerificationError, match="the box lacks values"):
        verifier.verify(certificate.content, **how, refusal=Refusal(*files, wishes))


CODES = {
    name: {"en": f"Own {name}", "de": f"Eigene {name}"} for name in ("income", "debt", "housing", "school", "years")
}


def codes_file(folder, **changes):
    """Write a table of reasons, without those that are None; return its path."""
    reasons = {name: words for name, words in {**CODES, **changes}.items() if words is not None}
    table = {"format": "equiproof-reason-codes", "version": 1, "reasons": reasons}
    (folder / "codes.json").write_bytes(canonical_bytes(table))
    return str(folder / "codes.json")


@SQLITE
def test_letters_give_the_reasons_of_the_lenders_table(ruled, tmp_path):
    """Each with its way, in the letter's language; under wishes none, and without a table that fits no letter."""
    service = ruled(recourse=RecourseSettings(model_ways=12, reasons={"loans": codes_file(tmp_path)}))
    officer = sign_in(service, Role.OFFICER)
    plain, wished = refused(service), refused(service, {**ROW, "years": "14"})
    ask(service, plain)
    ask(service, wished, wishes={"years": {"fixed": True}})
    worked(service)
    page = officer.get(f"decisions/{plain}/recourse/letter").text.replace("<bdi>", "").replace("</bdi>", "")
    assert "Own debt: sentence 1 above" in page
    assert "Own housing: sentence 3 above" in page
    assert "Own" not in officer.get(f"decisions/{wished}/recourse/letter").text
    german = officer.get(f"decisions/{plain}/recourse/letter", params={"language": "de"}).text
    assert "Eigene debt" in german
    codes_file(tmp_path, debt=None)
    refused_page = officer.get(f"decisions/{plain}/recourse/letter")
    assert refused_page.status_code == 409
    assert "add debt" in refused_page.text
    (model,) = everything(service, Model)
    with service.shared.database.transaction() as session:
        session.get_one(Model, model.id).retired = START
    assert "Own" not in officer.get(f"decisions/{plain}/recourse/letter").text


def test_a_table_of_reasons_that_does_not_fit_is_refused_at_the_start(tmp_path):
    """By its file and the feature, by the program that starts and by the one that checks; a model may come later."""
    (tmp_path / "opening.json").write_bytes(cases.opening().secret())
    make_vault(tmp_path / "vault.keys", "first")
    codes_file(tmp_path)
    lines = 'vault = "vault.keys"\n[lender]\nname = "North Bank"\n[recourse]\nmodel_ways = 9\n'
    (tmp_path / "service.toml").write_text(f'{lines}reasons = {{loans = "codes.json"}}\n')
    settings = load_settings(tmp_path / "service.toml")
    assert settings.recourse.reasons == {"loans": str(tmp_path / "codes.json")}
    prepare(settings)
    with ExitStack() as stack:
        application(settings, stack)
    assert "of no model that is added here yet: loans" in checked(settings).text
    with Database(settings.database) as database, database.transaction() as session:
        add_model(session, "loans", Files(tmp_path / "opening.json", tmp_path / "keys"), now())
    assert checked(settings).text == "recourse.reasons: 1 of a model that decides"
    codes_file(tmp_path, income=None)
    assert not checked(settings).good
    with ExitStack() as stack, pytest.raises(ReasonCodesError, match=r"codes\.json: add income"):
        application(settings, stack)
    (tmp_path / "codes.json").unlink()
    with ExitStack() as stack, pytest.raises(FileNotFoundError):
        application(settings, stack)


def checked(settings):
    """Return what the check of a service says of its tables of reasons."""
    (found,) = (one for one in check(settings) if one.text.startswith("recourse.reasons: "))
    return found


@BOTH
def test_what_is_asked_for_is_made_and_handed_out(ruled):
    """Waiting, then what was found in words of both languages; its boxes are sealed, and the letter is released."""
    service = ruled()
    identifier = refused(service)
    path = f"/v1/decisions/{identifier}/recourse"
    assert kind_of(service.get(path)) == (404, "no-recourse")
    body = ask(service, identifier).json()
    assert body == stands(service, identifier)
    assert (body["stage"], body["outcome"], body["files"]) == ("waiting", None, [])
    assert kind_of(service.get(f"{path}/way-1/box")) == (404, "no-recourse")
    assert list(waiting_jobs(service.shared.database, service.shared.models).values()) == [f"recourse:{identifier}"]
    worked(service)
    worked(service, found=NONE)  # a job that is done twice changes nothing
    assert waiting_jobs(service.shared.database, service.shared.models) == {}
    body = stands(service, identifier)
    assert (body["stage"], body["outcome"], body["review"]) == ("made", "way", None)
    assert [(one["name"], one["changed"]) for one in body["ways"]] == [
        ("way-1", ["debt"]), ("way-2", ["income"]), ("way-3", ["housing"]),
    ]  # fmt: skip
    assert "debt had been at most 2" in body["ways"][0]["sentence"].replace("\u2068", "").replace("\u2069", "").replace(
        "\u00a0", " "
    )
    assert "Dieses Modell" in stands(service, identifier, language="de")["ways"][0]["sentence"]
    assert service.get(f"{path}/way-2/box").content == INCOME.opened
    assert service.get(f"{path}/way-2/certificate").content == INCOME.certificate
    assert b"housing" not in recourse_row(service, identifier).sealed
    assert kind_of(service.get(f"{path}/letter")) == (409, "held")


@BOTH
def test_once_for_each_key_and_decision(ruled):
    """The same request again is the same answer; another one is refused, and so are strangers and readers."""
    service = ruled()
    identifier = refused(service)
    answers = [ask(service, identifier, "the-same-key", wishes={"debt": {"from": "1"}}) for _ in range(2)]
    assert [one.status_code for one in answers] == [201, 201]
    assert answers[0].content == answers[1].content
    assert kind_of(ask(service, identifier, "the-same-key")) == (422, "key-reused")
    assert kind_of(ask(service, identifier)) == (409, "not-open")
    reader = {"Authorization": f"Bearer {service.key(Scope.READ).text}"}
    assert kind_of(ask(service, identifier, headers=reader)) == (403, "missing-scope")
    stranger = {"Authorization": f"Bearer {service.key(Scope.SUBMIT, client='shop').text}"}
    assert kind_of(ask(service, identifier, headers=stranger)) == (404, "unknown-decision")
    assert len(everything(service, Recourse)) == 1
    _, (order,) = worked(service)
    assert order.wishes["debt"].start == "1"


@SQLITE
def test_decisions_that_have_no_recourse_are_refused_by_name(ruled):
    """Undecided and granted ones, wishes that widen, and settings, rules or keys that are missing; nothing is kept."""
    service = ruled()
    waits = service.post(ROW).json()["id"]
    said = ask(service, waits)
    assert kind_of(said) == (409, "not-open")
    assert said.json()["detail"].endswith("this one is decided")
    granted = refused(service, {**ROW, "housing": "own"})
    assert "this one is decided 'granted'" in ask(service, granted).json()["detail"]
    identifier = refused(service)
    for wishes in (
        {"income": {"to": "70"}},
        {"income": {"to": "much"}},
        {"horse": {"fixed": True}},
        {"income": {"fixed": False}},
    ):
        assert kind_of(ask(service, identifier, wishes=wishes)) == (422, "invalid-request")
    assert "70" not in ask(service, identifier, wishes={"income": {"to": "70"}}).text
    before = len(everything(service, Request))
    cases_of = (
        ({"recourse": None}, "the settings have no section `recourse`"),
        ({"policy": PolicySettings(min_radius="100000")}, "below 100000"),
    )
    for change, detail in cases_of:
        settings = service.shared.settings
        object.__setattr__(service.shared, "settings", changed(settings, **change))
        assert detail in ask(service, identifier).json()["detail"]
        object.__setattr__(service.shared, "settings", settings)
    assert (len(everything(service, Request)), everything(service, Recourse)) == (before, [])
    assert ask(service, identifier).status_code == 201


@SQLITE
def test_a_model_without_rules_of_change(ruled):
    """The line says which command drafts them."""
    features = [changed(one, changes=msgspec.UNSET) for one in cases.RULED.features]
    plain = changed(cases.RULED, features=tuple(features), together=msgspec.UNSET)
    service = ruled(box=False, opening=Opening.of(cases.simple(), plain, 13))
    assert "equiproof spec --changes" in ask(service, refused(service)).json()["detail"]


@SQLITE
def test_a_model_without_a_key_of_boxes(ruled):
    """The line says how to make one; with it the same decision has recourse."""
    service = ruled(box=False)
    identifier = refused(service)
    assert "equiproof setup --box" in ask(service, identifier).json()["detail"]
    (model,) = everything(service, Model)
    copied_key(folder_of(model), BOXES)
    assert ask(service, identifier).status_code == 201


@BOTH
def test_ways_are_counted_for_the_person_and_the_model(ruled):
    """What is left is handed out, the cheapest first; then nothing is claimed, but nones are handed out."""
    limits = RecourseSettings(model_ways=5, ways=2, person_ways=3, days=10)
    service = ruled(recourse=limits, persons=PersonSettings(decisions=100))
    one, other = "1" * 64, "2" * 64
    found = []
    for person in (one, one, one, other):
        found.append(refused(service, person=person))
        ask(service, found[-1])
    orders = [order.most for order in worked(service)[1]]
    assert orders == [2, 1, 0, 2]
    assert [stands(service, decision)["files"] for decision in found] == [
        ["way-1", "way-2"], ["way-1"], [], ["way-1", "way-2"],
    ]  # fmt: skip
    withheld = stands(service, found[2])
    assert (withheld["outcome"], withheld["ways"]) == ("undecided", [])
    assert "could not be determined" in withheld["sentences"][0]
    assert recourse_row(service, found[2]).reason == "person"
    last, none = refused(service, person="3" * 64), refused(service, person="4" * 64)
    ask(service, last)
    worked(service)
    ask(service, none)
    worked(service, found=NONE)
    assert (recourse_row(service, last).reason, stands(service, none)["files"]) == ("model", ["none"])
    page = sign_in(service, Role.OFFICER).get(f"decisions/{last}").text
    assert "the model’s budget is used up" in page
    assert "could not be determined" in page
    keys = sign_in(service, Role.ADMIN).get("keys").text
    assert "Ways of recourse handed out</dt><dd>5 of 5; further ones are withheld" in keys


@SQLITE
def test_a_search_that_began_before_the_budget_was_used_up_hands_out_what_is_left(ruled):
    """Two provers at once find more than there is: it is counted again when the end is written."""
    service = ruled(recourse=RecourseSettings(model_ways=4))
    decisions = [refused(service) for _ in range(2)]
    for decision in decisions:
        ask(service, decision)
    looked = []

    def slow(order):
        looked.append(order.decision)
        if len(looked) == 1:
            worked(service)
        return Looked("found", WAYS)

    worked(service, search=slow)
    assert sorted(len(stands(service, decision)["files"]) for decision in decisions) == [1, 3]


@SQLITE
def test_settings_that_no_longer_allow_it(ruled):
    """What was asked for before ends with nothing handed out but a none."""
    service = ruled()
    first, second = (refused(service) for _ in range(2))
    ask(service, first)
    worked(service, limits=None)
    assert (stands(service, first)["outcome"], recourse_row(service, first).reason) == ("undecided", "model")
    ask(service, second)
    worked(service, found=NONE, limits=None)
    assert stands(service, second)["files"] == ["none"]


@BOTH
def test_recourse_that_depends_on_a_sensitive_feature_is_reviewed(ruled):
    """The owner sees whom it helps, on a page that waits for an answer; client and applicant are told plain words."""
    service = ruled()
    identifier = refused(service)
    ask(service, identifier)
    worked(service, found=DEPENDENT)
    body = stands(service, identifier)
    assert (body["outcome"], body["review"], body["files"]) == ("dependent", "open", [])
    names = "decision stage asked ended outcome within ways sentences files review released"
    assert set(body) == set(names.split())  # and no witness, no cost, no reason that nothing is claimed
    assert "depends on" in body["sentences"][0]
    assert "granted" not in str(body)
    officer, auditor = sign_in(service, Role.OFFICER), sign_in(service, Role.AUDITOR)
    assert "Recourse that depends on a sensitive feature: 1" in officer.get().text
    page = officer.get(f"decisions/{identifier}").text
    assert "is granted to" in page
    assert "is granted to" not in auditor.get(f"decisions/{identifier}").text
    letter = officer.get(f"decisions/{identifier}/recourse/letter").text
    assert "a person looks at your application" in letter
    assert "is granted to" not in letter
    assert officer.post(f"decisions/{identifier}/recourse/answer", answer=" ").status_code == 422
    assert (
        officer.post(f"decisions/{identifier}/recourse/answer", answer="Decided by hand: granted.").status_code == 303
    )
    assert officer.post(f"decisions/{identifier}/recourse/answer", answer="Again").status_code == 422
    assert stands(service, identifier)["review"] == "answered"
    assert "Recourse that depends" not in officer.get().text
    assert "Decided by hand: granted." in auditor.get(f"decisions/{identifier}").text
    assert ("recourse-answer", identifier) in trail(service)


@BOTH
def test_the_letter_leaves_once_an_officer_has_released_it(ruled):
    """In both languages, as it was first made; officers read it before, and nobody releases what there is not."""
    service = ruled()
    identifier = refused(service, reference="2026-0431")
    path = f"/v1/decisions/{identifier}/recourse/letter"
    officer = sign_in(service, Role.OFFICER)
    lender = LenderSettings("North Bank", automated=True, review="a desk")
    object.__setattr__(service.shared, "settings", changed(service.shared.settings, lender=lender))
    assert officer.post(f"decisions/{identifier}/recourse/release").status_code == 404
    assert officer.post(f"decisions/{identifier}/recourse").status_code == 303
    assert officer.post(f"decisions/{identifier}/recourse").status_code == 422
    assert officer.post(f"decisions/{identifier}/recourse/release").status_code == 422
    worked(service)
    page = officer.get(f"decisions/{identifier}").text
    assert "Release letter" in page
    assert page.count("would have decided") == 3
    seen = officer.get(f"decisions/{identifier}/recourse/letter").content
    assert kind_of(service.get(path)) == (409, "held")
    assert everything(service, RecourseLetter) == []
    assert officer.post(f"decisions/{identifier}/recourse/release").status_code == 303
    assert officer.post(f"decisions/{identifier}/recourse/release").status_code == 422
    assert service.get(path).content == seen
    object.__setattr__(service.shared, "settings", changed(service.shared.settings, lender=LenderSettings("South")))
    assert service.get(path).content == seen
    assert b"2026-0431" in seen
    assert b"ask for a review by a person: <bdi>a desk</bdi>" in seen
    assert "Dieses Modell" in service.get(path, language="de").text
    assert stands(service, identifier)["released"] is not None
    assert officer.get(f"decisions/{identifier}/recourse/way-1/box").content == DEBT.opened
    acts = [act for act, about in trail(service) if act.startswith("recourse") and about == identifier]
    assert acts == [
        "recourse", "recourse-letter", "recourse-released", "recourse-letter", "recourse-letter", "recourse-letter",
        "recourse-read", "recourse-box",
    ]  # fmt: skip


@BOTH
def test_searches_are_measured(ruled, caplog):
    """What waits and since when; then each attempt by what it found or how else it ended, in a line without data."""
    service = ruled()
    first, second = (refused(service) for _ in range(2))
    name = everything(service, Model)[0].name
    assert waits(service) == {f'waiting_recourse{{model="{name}"}}': 0, f'oldest_recourse_seconds{{model="{name}"}}': 0}
    ask(service, first)
    service.clock.now += 90 * 1_000_000
    ask(service, second)
    (count, oldest) = waits(service).values()
    assert (count, 90 <= oldest < 91) == (2, True)
    ends = iter([DiedError(), Looked("failed", reason="no proof"), Looked("found", NONE)])

    def searched(_):
        if isinstance(end := next(ends), Exception):
            raise end
        return end

    measuring = Measuring(1, Busy())
    holders, shared = service.shared.holders, service.shared
    work = Recoursing(shared.database, holders.vault, searched, service.clock, LIMITS, measured=measuring.searched)
    with caplog.at_level(logging.INFO, "equiproof"):
        work(first)
        work(second)
    lines = [record.fields for record in caplog.records if record.getMessage() == "search"]
    assert [(line["model"], line["outcome"]) for line in lines] == [(name, end) for end in ("died", "failed", "none")]
    assert all(line.keys() == {"model", "outcome", "seconds"} for line in lines)
    measuring._numbers.process = "worker elsewhere 9"
    keep(service, measuring._numbers)
    assert [*waits(service).values()] == [0, 0]
    for outcome in ("died", "failed", "none"):
        labels = f'model="{name}",outcome="{outcome}",process="worker elsewhere 9"'
        assert f"equiproof_recourse_seconds_count{{{labels}}} 1.0" in shown(service)
    assert 'equiproof_prover_deaths_total{cause="died",process="worker elsewhere 9"} 1.0' in shown(service)


def waits(service):
    """Return the numbers of recourse that waits, by name."""
    found = (line.removeprefix("equiproof_").rsplit(" ", 1) for line in shown(service))
    return {name: float(value) for name, value in found if name.startswith(("waiting_recourse", "oldest_recourse"))}


@SQLITE
def test_the_check_looks_at_what_recourse_needs(ruled):
    """Rules, a key of boxes, and how many ways are gone; after a roll-over the key of those that were handed out."""
    service = ruled(box=False)
    (model,) = everything(service, Model)

    def says(recourse=LIMITS):
        with service.shared.database.reading() as session:
            return [(one.good, one.text) for one in _recourses(session, recourse)]

    ((good, text),) = says()
    assert not good
    assert "equiproof setup --box" in text
    assert says(None) == []  # nothing is allowed, and nothing was handed out
    copied_key(folder_of(model), BOXES)
    identifier = refused(service)
    ask(service, identifier)
    worked(service)
    ((good, text),) = says()
    assert good
    assert text.endswith("3 of 12 ways handed out")
    ((good, text),) = says(None)
    assert (good, text.partition(":")[0]) == (True, f"earlier recourse of {model.name}")
    shutil.rmtree(folder_of(model))
    ((good, text),) = says(None)
    assert not good
    assert "copy the key of boxes there too" in text


@SQLITE
def test_the_check_says_that_a_model_has_no_rules(ruled):
    """Which is no fault: other models of the service may have some."""
    features = [changed(one, changes=msgspec.UNSET) for one in cases.RULED.features]
    plain = changed(cases.RULED, features=tuple(features), together=msgspec.UNSET)
    service = ruled(box=False, opening=Opening.of(cases.simple(), plain, 13))
    with service.shared.database.reading() as session:
        ((good, text),) = [(one.good, one.text) for one in _recourses(session, LIMITS)]
    assert good
    assert "no rules of change" in text


@SQLITE
def test_a_search_that_fails_can_be_asked_for_again(ruled):
    """A prover that dies is tried three times; a key that cannot be used is waited for."""
    service = ruled()
    identifier = refused(service)
    ask(service, identifier)

    def dies(_):
        raise DiedError

    said, _ = worked(service, search=dies)
    assert len(said) == 3
    assert stands(service, identifier)["stage"] == "failed"
    assert ask(service, identifier, wishes={"debt": {"fixed": True}}).status_code == 201
    worked(service, search=lambda _: Looked("unready", reason="waits", detail="no key"))
    assert stands(service, identifier)["stage"] == "waiting"
    submitted = [job for job, argument in service.shared.holders.jobs.done if argument.startswith("recourse")]
    assert len(set(submitted)) == 2
    worked(service, search=lambda _: 1 / 0)
    assert (stands(service, identifier)["stage"], recourse_row(service, identifier).reason) == (
        "failed", "a fault of the prover",
    )  # fmt: skip


@BOTH
def test_what_is_erased_and_sealed_anew(ruled):
    """With the decision go wishes, boxes, witness, letters and the words of an answer; the count of ways stays."""
    service = ruled()
    vault = service.shared.holders.vault
    identifier, unfair = refused(service), refused(service)
    officer = sign_in(service, Role.OFFICER)
    ask(service, identifier, wishes={"housing": {"fixed": True}})
    worked(service)
    ask(service, unfair)
    worked(service, found=DEPENDENT)
    officer.post(f"decisions/{unfair}/recourse/answer", answer="SECRET words")
    officer.post(f"decisions/{identifier}/recourse/release")
    path = f"/v1/decisions/{identifier}/recourse"
    before = service.get(f"{path}/letter").content
    renewed = Vault(parse_vault(new_line("second"), "vault").keys | dict(vault.keys))
    assert rotate(service.shared.database, renewed) >= 5
    service.shared.holders.__dict__["vault"] = Vault({"second": renewed.keys["second"]})
    assert service.get(f"{path}/letter").content == before
    assert service.get(f"{path}/way-1/box").content == DEBT.opened
    with service.shared.database.transaction() as session:
        for decision in (identifier, unfair):
            erase(session, session.get(Decision, decision), "asked for", service.clock())
    assert all(row.sealed is None for row in (*everything(service, Recourse), *everything(service, RecourseLetter)))
    assert "SECRET" not in text(service.shared.database)
    for what in ("letter", "way-1/box", "way-1/certificate"):
        assert kind_of(service.get(f"{path}/{what}")) == (410, "erased")
    body = stands(service, identifier)
    assert (body["outcome"], body["ways"], body["sentences"], body["files"]) == ("way", [], [], [])
    assert recourse_row(service, identifier).ways == 3
    assert "has been erased" in officer.get(f"decisions/{identifier}").text
    late = refused(service)
    ask(service, late)
    with service.shared.database.transaction() as session:
        erase(session, session.get(Decision, late), "asked for", service.clock())
    worked(service)
    assert stands(service, late)["stage"] == "failed"


@BOTH
def test_a_letter_is_erased_when_its_time_is_over(ruled):
    """As a letter about a decision."""
    service = ruled()
    identifier = refused(service)
    ask(service, identifier)
    worked(service)
    sign_in(service, Role.OFFICER).post(f"decisions/{identifier}/recourse/release")
    path = f"/v1/decisions/{identifier}/recourse/letter"
    assert service.get(path).status_code == 200
    with service.shared.database.transaction() as session:
        purge(session, RetentionSettings(applicant_days=100, letter_days=50), service.clock() + 60 * DAY)
    assert kind_of(service.get(path)) == (409, "held")
    assert stands(service, identifier)["files"] == ["way-1", "way-2", "way-3"]


@SQLITE
@pytest.mark.parametrize(
    ("feature", "value", "number"),
    [
        ("debt", "1.5", 1),
        ("income", "45", 2),
        ("income", "35", None),
        ("housing", "own", 3),
        ("housing", "other", None),
    ],
)
def test_a_correction_is_linked_to_the_way_that_it_follows(ruled, feature, value, number):
    """Where exactly the changes of a shown way were made; the decision is corrected as without recourse."""
    service = ruled()
    first = refused(service)
    ask(service, first)
    worked(service)
    second = service.post({**ROW, feature: value}, reference="second").json()["id"]
    day = datetime.fromtimestamp(START // 1_000_000, UTC).date().isoformat()
    steps = (("", {"asked": day, "request": "It has changed."}), ("/second", {"second": second}))
    for what, body in steps:
        service.count += 1
        headers = {**service.headers, "Idempotency-Key": f"correction-{service.count:08}"}
        sent = {**body, "name": "M. Okafor"}
        answer = service.client.post(f"/v1/decisions/{first}/corrections{what}", json=sent, headers=headers)
        assert answer.status_code == 201, answer.text
    assert (answer.json()["way"], answer.json()["changed"]) == (number, [feature])
    page = sign_in(service, Role.OFFICER).get(f"decisions/{second}").text
    assert (f"follow way {number}" in page) == (number is not None)


@SQLITE
@pytest.mark.parametrize("every", [0, 600])
def test_endpoints_are_told_and_nothing_leaves_before_its_time(ruled, address, every):
    """That it was made, and released; under a delay both, and what the interface says, wait for a multiple of it."""
    policy = PolicySettings(release_every_seconds=every)
    service = ruled(policy=policy)
    identifier = refused(service)
    with Database(address, announcing=True) as database:
        object.__setattr__(service.shared, "database", database)
        endpoints = Endpoints()
        hooks = {"one": Hook(endpoint("https://one.example/hook"), SECRET)}
        webhooks = Webhooks(database, hooks, service.clock, endpoints, policy)
        if every:  # its certificate has not left
            assert kind_of(ask(service, identifier)) == (409, "not-open")
            early = sign_in(service, Role.OFFICER)
            assert "Look for recourse" not in early.get(f"decisions/{identifier}").text
            assert early.post(f"decisions/{identifier}/recourse").status_code == 422
        service.clock.now += 2 * every * 1_000_000
        ask(service, identifier)
        asked = recourse_row(service, identifier).asked
        worked(service)
        officer = sign_in(service, Role.OFFICER)
        assert officer.post(f"decisions/{identifier}/recourse/release").status_code == 303
        path = f"/v1/decisions/{identifier}/recourse"
        if every:
            step(webhooks)
            assert (endpoints.taken, stands(service, identifier)["stage"]) == ([], "waiting")
            assert {service.get(f"{path}/{what}").status_code for what in ("letter", "way-1/box")} == {404}
            assert "until it leaves" in officer.get(f"decisions/{identifier}").text
            service.clock.now = asked + every * 1_000_000
        step(webhooks)
        messages = [json.loads(body) for _, _, body in endpoints.taken]
        assert [one["recourse"] for one in messages] == ["made", "released"]
        assert all(set(one) == {"client", "decision", "number", "state", "at", "recourse"} for one in messages)
        if every:
            assert {one["at"] for one in messages} == {asked + every * 1_000_000}
        assert len({headers["webhook-id"] for _, headers, _ in endpoints.taken}) == 2
        assert (stands(service, identifier)["stage"], service.get(f"{path}/letter").status_code) == ("made", 200)
        webhooks.close()


@pytest.mark.slow
@SQLITE
def test_a_process_of_its_own_searches_and_proves(ruled):
    """What it is told and what it answers pass between processes; of two ways that are left both are proven."""
    service = ruled(recourse=RecourseSettings(model_ways=2))
    (model,) = everything(service, Model)
    shape = additive_shape(cases.RULED, cases.simple().predicates, 3, 2)
    copied_key(folder_of(model), shape)
    holders = service.shared.holders
    identifier = service.post(ROW).json()["id"]
    with Provers(1, 4096, stands_back=False) as processes:
        Certifying(service.shared.database, holders.vault, processes, service.clock)(identifier)
        assert ask(service, identifier, wishes={"income": {"fixed": True}}).status_code == 201
        said, _ = worked(service, search=partial(processes.do, look, proofs=4))
    assert said == []
    assert [one["changed"] for one in stands(service, identifier)["ways"]] == [["debt"], ["housing"]]


@pytest.mark.slow
def test_a_real_worker_takes_the_job_of_a_search(tmp_path):
    """From the request over the queue and a prover's process to boxes that are handed out, and the job is over."""
    folder, opening = tmp_path, cases.opening()
    (folder / "opening.json").write_bytes(opening.secret())
    for shape in (BOXES, additive_shape(cases.RULED, cases.simple().predicates, 3, 2)):
        copied_key(folder / "keys", shape)
    make_vault(folder / "vault.keys", "first")
    lines = (
        'vault = "vault.keys"\nprover_priority = "normal"\n[lender]\nname = "North Bank"\n[recourse]\nmodel_ways = 9\n'
    )
    (folder / "service.toml").write_text(lines)
    settings = load_settings(folder / "service.toml")
    prepare(settings)
    with ExitStack() as stack:
        client = TestClient(application(settings, stack), base_url="http://127.0.0.1:8080")
        with Database(settings.database) as database, database.transaction() as session:
            add_model(session, "loans", Files(folder / "opening.json", folder / "keys"), now())
            key = make_key(session, "bank", [Scope.SUBMIT, Scope.READ], now(), now() + 10**12)
        headers = {"Authorization": f"Bearer {key.text}", "Idempotency-Key": "request-1"}
        body = {"model": "loans", "features": ROW}
        path = f"/v1/decisions/{client.post('/v1/decisions', json=body, headers=headers).json()['id']}"
        process = worker(folder)
        try:
            wait(lambda: client.get(path, headers=headers).json()["state"] == "certified", 120)
            headers["Idempotency-Key"] = "request-2"
            assert client.post(f"{path}/recourse", json={}, headers=headers).status_code == 201
            wait(lambda: client.get(f"{path}/recourse", headers=headers).json()["stage"] != "waiting", 120)
            process.send_signal(signal.SIGTERM)
            assert process.wait(90) == 0
        except BaseException:
            kill(process)
            raise
        made_of_it = client.get(f"{path}/recourse", headers=headers).json()
        assert (made_of_it["outcome"], made_of_it["files"]) == ("way", ["way-1", "way-2", "way-3"])
