"""A decision is there whole or not at all: label, receipt, outbox, history; the applicant's data are sealed."""

import json
from concurrent.futures import ThreadPoolExecutor

import msgspec
import pytest
from sqlalchemy import select

from equiproof.certify.data.rows import RowsError, read_queries
from equiproof.certify.network import Layer, QuantisedNetwork
from equiproof.circuits.spec import Feature
from equiproof.circuits.statement import context_digest
from equiproof.prover.opening import Opening
from equiproof.service.decisions import Application, ApplicationError, advance, job_of, make, opened
from equiproof.service.findings import finding_of, found_at
from equiproof.service.models import CommittedModel
from equiproof.service.settings import LimitSettings
from equiproof.service.states import State, StateError
from equiproof.service.store.tables import Decision, Outgoing, Transition
from equiproof.service.vault import new_line, parse_vault
from equiproof.verifier.entries import parse_entry
from tests.service import databases
from tests.service.conftest import START
from tests.service.databases import BOTH
from tests.support import LOANS, SEX, changed, network, spec_of


def everything(service, table):
    with service.shared.database.transaction() as session:
        return list(session.scalars(select(table)))


def test_a_decision_is_the_committed_models(service, rows):
    """The label is that of the integers for every sensitive value; receipt and job are written with it."""
    agreed, _ = rows
    said = service.post(agreed, reference="2026-0431")
    assert said.status_code == 201, said.text
    body = said.json()
    expected = service.opening.network.decide((*LOANS.encode(agreed), *LOANS.domain_table[0]))
    assert (body["state"], body["label"]) == ("decided", LOANS.labels[expected])
    assert [step["state"] for step in body["history"]] == ["decided"]
    (receipt,) = everything(service, Outgoing)
    assert service.shared.holders.jobs.done == [(job_of(body["receipt"], ""), body["id"])]
    assert parse_entry(receipt.body, "outbox").receipt == body["receipt"]


def test_an_applicant_whom_sex_decides_goes_to_a_person(service, rows):
    """No label, no job, and a receipt all the same."""
    _, torn = rows
    body = service.post(torn).json()
    assert (body["state"], body["label"]) == ("review", None)
    assert [row.kind for row in everything(service, Outgoing)] == ["receipt"]
    assert not service.shared.holders.jobs.done
    vault = service.shared.holders.vault
    with service.shared.database.transaction() as session:
        found = finding_of(session, session.get(Decision, body["id"]), vault)
    query = LOANS.encode(torn)
    values = [service.opening.network.decide((*query, *columns)) for columns in LOANS.domain_table]
    assert [(side.values, side.label) for side in found.sides] == [
        ({"sex": value}, label) for (value,), label in zip(LOANS.domain_values, values, strict=True)
    ]


def test_a_tie_is_found_where_no_label_wins(service, rows):
    """A network whose logit is 0 for everybody decides nothing, and one that agrees leaves no finding."""
    network = service.opening.network
    last = Layer(tuple((0,) * len(row) for row in network.layers[-1].weights), (0,))
    even = Opening.of(QuantisedNetwork((*network.layers[:-1], last), *_bits(network)), LOANS, blinding=1)
    found = found_at(even, LOANS.encode(rows[0]))
    assert (found.kind, [side.label for side in found.sides]) == ("tie", [None])
    assert found_at(service.opening, LOANS.encode(rows[0])) is None


def _bits(network):
    return network.input_fraction_bits, network.weight_fraction_bits


def test_a_receipt_opens_with_what_the_vault_keeps(service, rows):
    """Features, blinding, salt and context are those of query commitment and receipt."""
    body = service.post(rows[0], reference="a").json()
    (decision,) = everything(service, Decision)
    kept = opened(decision, service.shared.holders.vault)
    assert kept.query.features == rows[0]
    assert kept.receipt.digest == body["receipt"] == decision.receipt
    assert kept.receipt.context_digest == f"{context_digest(kept.context):064x}"
    assert kept.receipt.query_commitment == f"{kept.query.commitment(LOANS):064x}"
    assert kept.context["reference"] == "a"


def test_nothing_of_the_applicant_is_in_the_clear(service, rows):
    """The database holds no value that the applicant gave, and no repr shows one."""
    row = {**rows[0], "income": 48_213}
    assert service.post(row).status_code == 201
    (decision,) = everything(service, Decision)
    assert "48213" not in repr(opened(decision, service.shared.holders.vault))
    text = databases.text(service.shared.database)
    assert decision.receipt in text
    assert "48213" not in text
    assert b"48213".hex() not in text.lower()


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"sex": "female"}, "features: leave out sex: sensitive, neither needed nor taken"),
        ({"shoe size": 44}, "'shoe size' is not a feature of this model"),
        ({"income": "much"}, "'income': want a number, such as 1250 or 1250.5"),
        (
            {"income": "1.200,50"},
            "'income': want a number, such as 1250 or 1250.5; only files are read in another notation",
        ),
        ({" income ": 1250}, "give each name once"),
        ({" sex": "female"}, "leave out sex: sensitive"),
        ({"income": ""}, "'income': want a number, such as 1250 or 1250.5; the value is missing"),
        ({"income": "9" * 12}, "'income': want a number that is not far from what the model was made for"),
    ],
)
def test_features_that_cannot_be_used_leave_nothing(service, rows, change, said):
    """One line names the feature; no decision, no receipt; the same idempotency key may be used again."""
    refused = service.post({**rows[0], **change}, key="again-please")
    assert refused.status_code == 422
    assert refused.headers["content-type"] == "application/problem+json"
    assert said in refused.json()["detail"]
    assert not everything(service, Decision)
    assert not everything(service, Outgoing)
    assert service.post(rows[0], key="again-please").status_code == 201


def test_blanks_around_names_and_values_change_nothing(service, rows):
    """An application says the same as a row of a table: blanks around a name or a text are no part of it."""
    spaced = {f" {name}": f" {value}  " if isinstance(value, str) else value for name, value in rows[0].items()}
    assert any(isinstance(value, str) for value in rows[0].values())
    assert service.post(spaced).status_code == 201
    (decision,) = everything(service, Decision)
    query = opened(decision, service.shared.holders.vault).query
    assert query.features == {name: rows[0][name] for name in query.features}


NUMBERS = (
    *("1250", " 1250 ", "1250.5", "1.25e3", "-0", "1,250", "1.250,5", "1 250", "1\u202f250", "1'250", "12,5", "12 %"),
    *(
        "\u20ac 1250",
        "1250 EUR",
        "+1250",
        "1250-",
        "(1250)",
        "\u22121250",
        "1_250",
        "\uff11\uff12\uff15\uff10",
        "0x4E2",
        "nan",
    ),
)


def test_a_number_is_read_as_in_a_file_or_refused_by_name(service, rows, tmp_path):
    """Whatever the notation: both take a text as the same column, or neither takes it."""
    taken = []
    for number, text in enumerate(NUMBERS):
        row = {**rows[0], "income": text}
        path = tmp_path / f"{number}.csv"
        path.write_text("\n".join(";".join(line) for line in (row, map(str, row.values()))), encoding="utf-8")
        answer = service.post(row, reference=f"{number}")
        try:
            (query,) = read_queries(path, LOANS)
        except RowsError:
            assert answer.status_code == 422, text
            assert "features: 'income': want a number, such as 1250 or 1250.5" in answer.json()["detail"]
            continue
        assert answer.status_code == 201, text
        with service.shared.database.transaction() as session:
            decision = session.get(Decision, answer.json()["id"])
            sent = opened(decision, service.shared.holders.vault).query.features
        assert LOANS.encode(sent) == query
        taken.append(text.strip())
    assert taken == ["1250", "1250", "1250.5", "1.25e3", "-0"]


def test_a_feature_in_days_takes_the_date():
    """The date counts as its days, under the name of the date; what is no date is refused without being repeated."""
    name = "opened in days since 2024-01-31"
    spec = spec_of(Feature(name, "numeric", "scaled", False, mean="0", scale="100", unit="days"), SEX)
    model = CommittedModel("1", "loans", Opening.of(network(spec, (2,), 6), spec, blinding=5), "")
    vault = parse_vault(new_line("first"), "vault")
    made = [make(model, "bank", Application({key: value}), vault, START).decision
            for key, value in ((name, "2"), ("opened", "2024-02-02"))]  # fmt: skip
    first, second = (opened(one, vault).query for one in made)
    assert {key: str(value) for key, value in second.features.items()} == first.features == {name: "2"}
    with pytest.raises(ApplicationError, match=r"want a date such as 2024-03-31, or a number, such as 1250") as refused:
        make(model, "bank", Application({"opened": "31.12.2024"}), vault, START)
    assert "31.12" not in str(refused.value)


def test_a_feature_with_a_start_takes_the_date():
    """The date counts as its days; whoever sends another one is answered with the dates that there may be."""
    day = Feature("opened", "numeric", "scaled", False, "0", "100", unit="days", whole=True, start="2024-01-31")
    spec = spec_of(changed(day, range=("-0.5", "30")), SEX)
    model = CommittedModel("1", "loans", Opening.of(network(spec, (2,), 6), spec, blinding=5), "")
    vault = parse_vault(new_line("first"), "vault")
    made = make(model, "bank", Application({"opened": "2024-02-02"}), vault, START).decision
    assert {key: str(value) for key, value in opened(made, vault).query.features.items()} == {"opened": "2"}
    for other in ("2024-01-30", "31.01.2024", "31"):
        with pytest.raises(ApplicationError, match="want a date from 2024-01-31 to 2024-03-01, or its number of days"):
            make(model, "bank", Application({"opened": other}), vault, START)


def test_the_same_request_twice_is_one_decision(service, rows):
    """The answer is the first one's to the byte; another body under the key is refused."""
    first, second = (service.post(rows[0], key="one-request") for _ in range(2))
    assert first.content == second.content
    assert len(everything(service, Decision)) == 1
    other = service.post(rows[1], key="one-request")
    assert (other.status_code, other.json()["type"]) == (422, "urn:equiproof:key-reused")


@BOTH
def test_many_at_once_under_one_key_are_one_decision(service, rows):
    """Those that come while the first one runs get a 409 or its answer."""
    with ThreadPoolExecutor(8) as pool:
        said = list(pool.map(lambda _: service.post(rows[0], key="all-at-once"), range(16)))
    assert {answer.status_code for answer in said} <= {201, 409}
    assert len({answer.content for answer in said if answer.status_code == 201}) == 1
    assert len(everything(service, Decision)) == 1


def test_a_full_queue_says_when_to_come_back(service, rows):
    """429 with Retry-After, and nothing is written."""
    full = msgspec.structs.replace(service.shared.settings, limits=LimitSettings(largest_queue=1))
    object.__setattr__(service.shared, "settings", full)
    assert service.post(rows[0]).status_code == 201
    refused = service.post(rows[0])
    assert (refused.status_code, refused.headers["retry-after"]) == (429, "5")
    assert len(everything(service, Decision)) == 1


def test_states_follow_the_one_table(service, rows):
    """A certified decision changes no more; every change is kept with its time."""
    service.post(rows[0])
    with service.shared.database.transaction() as session:
        (decision,) = session.scalars(select(Decision))
        advance(session, decision, State.CERTIFYING, "", 1)
        advance(session, decision, State.CERTIFIED, "", 2)
        with pytest.raises(StateError, match="certified does not become failed"):
            advance(session, decision, State.FAILED, "", 3)
    assert [row.state for row in everything(service, Transition)] == ["decided", "certifying", "certified"]


@BOTH
def test_pages_have_each_decision_once(service, rows):
    """The newest first; the cursor goes on where the page ended, and the filter is by state."""
    made = [service.post(row).json()["id"] for row in (*rows, *rows, rows[0])]
    seen, cursor = [], {}
    while True:
        page = service.get("/v1/decisions", limit=2, **cursor).json()
        seen += [one["id"] for one in page["decisions"]]
        if page["next"] is None:
            break
        cursor = {"cursor": page["next"]}
    assert seen == made[::-1]
    assert len(service.get("/v1/decisions", state="review").json()["decisions"]) == 2
    assert service.get("/v1/decisions", cursor="x").status_code == 422


def test_a_body_beyond_the_limit_is_not_read(service):
    """413 in the one shape."""
    said = service.client.post("/v1/decisions", content=b"x" * (1 << 19), headers=service.headers)
    assert (said.status_code, json.loads(said.content)["status"]) == (413, 413)
