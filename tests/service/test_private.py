"""Nothing of an applicant, of a key or of a link is in what a run writes: logs, numbers, problems, faults."""

import hashlib
import io
import json
import logging

import psycopg
import pytest
from sqlalchemy.exc import OperationalError

from equiproof.service import logs
from equiproof.service.clients import Scope
from equiproof.service.decisions import opened
from equiproof.service.states import State
from equiproof.service.store.tables import Decision
from equiproof.service.web import deciding
from equiproof.service.web.bodies import NewDecision
from tests.service import made
from tests.service.databases import text

SQLITE = pytest.mark.parametrize("address", ["sqlite"], indirect=True)

INCOME = 48_213
REFERENCE = "file-of-Ms-Quimby"


@pytest.fixture
def written():
    """What is logged, as a process logs it."""
    stream = io.StringIO()
    handler = logging.StreamHandler(stream)
    handler.setFormatter(logs.Lines())
    loggers = [logging.getLogger(), logging.getLogger(logs.OWN_LOGGER)]
    levels = [one.level for one in loggers]
    loggers[0].addHandler(handler)
    for one in loggers:
        one.setLevel(logging.INFO)
    yield stream
    loggers[0].removeHandler(handler)
    for one, level in zip(loggers, levels, strict=True):
        one.setLevel(level)


@pytest.mark.parametrize(
    ("said", "given", "shown"),
    [
        ("Started server process [%d]", (4711,), "Started server process [4711]"),
        ("Shutting down", (), "Shutting down"),
        ("Invalid request from %s: %d", ("Quimby", 48_213), "Invalid request from ...: ..."),
    ],
)
def test_of_the_servers_arguments_only_numbers_are_written(said, given, shown):
    """Where all of them are; others may be a caller's."""
    record = logging.LogRecord("uvicorn.error", logging.INFO, "", 1, said, given, None)
    assert json.loads(logs.Lines().format(record))["event"] == shown


def secrets_of(service, *decisions):
    """Return every text that must not be seen: what the vault keeps of decisions, and the key."""
    found = {str(INCOME), REFERENCE, "Quimby", service.headers["Authorization"].rpartition("_")[2]}
    with service.shared.database.transaction() as session:
        for identifier in decisions:
            kept = opened(session.get(Decision, identifier), service.shared.holders.vault)
            found |= {kept.query.blinding, kept.receipt.salt, kept.context["nonce"]}
    return found


def test_a_whole_run_writes_nothing_private(service, rows, written, monkeypatch):
    """Decisions, refusals, papers, faults that carry values, a database that fails: lines, numbers and problems."""
    key = service.key(Scope.SUBMIT, Scope.READ, Scope.ADMIN)
    service.headers = {"Authorization": f"Bearer {key.text}"}
    row, said = {**rows[0], "income": INCOME}, []
    first = service.post(row, reference=REFERENCE).json()["id"]
    second = service.post({**rows[1], "housing": "rent"}).json()["id"]
    wrong = [
        {**row, "income": f"{INCOME}x"},
        {**row, "income": f"{INCOME}e9"},
        {**row, "sex": REFERENCE},
        {**row, "housing": REFERENCE},
    ]
    said += [service.post(features) for features in wrong]
    said.append(service.post(row, reference=REFERENCE))
    said.append(service.client.post("/v1/decisions", content=f"{{{INCOME}".encode(), headers=service.headers))
    said += [service.get(f"/v1/{REFERENCE}"), service.get("/v1/decisions", state=REFERENCE, cursor=str(INCOME))]
    link = service.client.post(f"/v1/decisions/{second}/links", headers=service.headers).json()["url"]
    papers = ("letter", "bundle", "receipt", "package", "certificate")
    said += [service.get(f"/v1/decisions/{second}/{paper}") for paper in papers if paper != "receipt"]
    made.end(service, first, State.CERTIFIED)
    for paper in papers:
        service.get(f"/v1/decisions/{first}/{paper}")
    for error in (
        RuntimeError(f"{row}"),
        OperationalError(f"insert {INCOME}", {"income": INCOME}, psycopg.OperationalError(f"closed\n{row}")),
    ):
        monkeypatch.setattr(deciding, "make", raising(error))
        said.append(service.post(row, reference=REFERENCE))
    assert [answer.status_code for answer in said[-2:]] == [500, 503]
    numbers = service.get("/metrics")
    assert numbers.status_code == 200
    seen = "\n".join([written.getvalue(), numbers.text, *(answer.text for answer in said)])
    shown = {secret for secret in secrets_of(service, first, second) if secret in seen}
    assert not shown
    assert link.partition("#")[2] not in seen
    assert not [identifier for identifier in (first, second) if identifier in seen]
    assert "fault" in seen


def raising(error):
    def take(*_, **__):
        raise error

    return take


@SQLITE
def test_lines_are_json_with_what_an_operator_needs(service, rows, written):
    """The template of the path, the status, the time, the client; the id that the answer has."""
    answer = service.get(f"/v1/decisions/{service.post(rows[0]).json()['id']}")
    lines = [json.loads(line) for line in written.getvalue().splitlines() if '"equiproof' in line]
    last = lines[-1]
    assert (last["method"], last["route"], last["status"], last["client"]) == (
        "GET", "/v1/decisions/{decision_id}", 200, "bank",
    )  # fmt: skip
    assert last["request"] == answer.headers["x-request-id"]
    assert last["ms"] > 0


@SQLITE
def test_an_id_that_a_client_sends_is_not_taken(service, written):
    """Nor a method that it makes up: neither is written."""
    headers = {**service.headers, "X-Request-Id": "Quimby"}
    said = service.client.request("QUIMBY", "/v1/Quimby", headers=headers)
    assert said.status_code in (404, 405)
    assert "quimby" not in f"{written.getvalue()}{said.headers}".lower()


def test_libraries_lines_have_no_arguments(written):
    """What they write may hold anything; an error's words are left out, its class and places are not."""
    try:
        raise ValueError(f"income {INCOME}")
    except ValueError:
        logging.getLogger("some.library").exception("for %s of " + str(INCOME), REFERENCE)
    (line,) = map(json.loads, written.getvalue().splitlines())
    assert (line["error"], line["level"]) == ("builtins.ValueError", "error")
    assert line["at"][-1].startswith("tests.service.test_private.test_libraries")
    assert str(INCOME) not in written.getvalue()
    assert REFERENCE not in written.getvalue()


def test_requests_are_kept_by_a_digest_that_no_guess_matches(service, rows):
    """Whoever has the database alone cannot try incomes until one fits."""
    body = {"model": "loans", "features": {**rows[0], "income": INCOME}}
    assert service.post(body["features"]).status_code == 201
    guess = hashlib.sha256(NewDecision(**body).model_dump_json().encode()).hexdigest()
    assert guess not in text(service.shared.database)
    assert str(INCOME) not in text(service.shared.database)


def test_numbers_are_for_admins(service, rows):
    """They count all clients' requests: a key of one client's program does not read them."""
    assert service.get("/metrics").status_code == 403
    service.post(rows[0])
    service.headers = {"Authorization": f"Bearer {service.key(Scope.ADMIN).text}"}
    numbers = service.get("/metrics").text
    process = service.shared.metrics.numbers.process
    assert f'equiproof_decisions_total{{model="loans",process="{process}",state="decided"}} 1.0' in numbers
    assert 'equiproof_waiting_certificates{least="0",model="loans"} 1.0' in numbers
    assert 'equiproof_outbox_waiting{endpoint="",kind="receipt"} 1.0' in numbers
    assert 'route="/v1/decisions",status="201"' in numbers
