"""Recourse of a refused decision: asked for once, proven by a worker, handed out within budgets, released by people."""

from pathlib import Path

import msgspec
import pytest

from equiproof.circuits.canonical import canonical_bytes
from equiproof.circuits.shape import additive_shape, box_shape
from equiproof.prover.keys import KeyStore
from equiproof.prover.opening import Opening
from equiproof.service import recourses
from equiproof.service.clients import Scope
from equiproof.service.recourses import Found, ProvenBox, WitnessDocument
from equiproof.service.settings import PolicySettings, RecourseSettings
from equiproof.service.states import State
from equiproof.service.store.tables import Model, Recourse, Request, TrailLine
from equiproof.service.vault import new_line
from equiproof.service.worker import child
from equiproof.service.worker.certifying import Certifying, waiting_jobs
from equiproof.service.worker.look import Looked, look
from equiproof.service.worker.recoursing import Recoursing
from equiproof.service.worker.running import done
from equiproof.verifier import ForContext, parse_context
from equiproof.verifier.bundle import parse_bundle
from equiproof.verifier.certificate import parse_certificate
from equiproof.verifier.documents import parse_commitment, parse_query
from equiproof.verifier.opened_box import OPENED_BOX, OpenedBox, parse_opened_box
from equiproof.verifier.pair import Refusal
from equiproof.verifier.verify_box import BoxVerifier
from tests import recourse_cases as cases
from tests.service import made
from tests.service.databases import BOTH
from tests.service.test_decisions import everything
from tests.support import changed, copied_key, trusting

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
        kept = Found(found.outcome, found.boxes[: order.most] if found.outcome == "way" else found.boxes, found.witness)
        return Looked("found", kept)

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


@SQLITE
def test_a_refusal_its_recourse_and_the_pair_of_both(request, ruled):
    """By real proofs: what is fetched fits together with the decision's certificate, query and context."""
    service = ruled()
    (model,) = everything(service, Model)
    copied_key(folder_of(model), additive_shape(cases.RULED, cases.simple().predicates, 3, 2))
    request.addfinalizer(child.ready.cache_clear)  # it holds a loaded key
    identifier = service.post(ROW).json()["id"]
    holders = service.shared.holders
    work = Certifying(service.shared.database, holders.vault, child.prove, service.clock)
    work(identifier)
    assert service.get(f"/v1/decisions/{identifier}").json()["state"] == "certified"
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
    assert trail(service)[-4:] == [
        ("recourse", identifier), ("bundle", identifier), ("recourse-box", identifier), ("recourse-box", identifier),
    ]  # fmt: skip


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
