"""Numbers of all processes: kept in the database, shown by any web process, with known labels alone."""

import logging

import pytest

from equiproof.register.errors import LogError
from equiproof.service.clients import Scope
from equiproof.service.models import Models
from equiproof.service.numbers import FORGOTTEN, NUMBERS, Numbers, kept_rows
from equiproof.service.outbox import Sender
from equiproof.service.store.tables import ProcessNumbers
from equiproof.service.web.metrics import Metrics
from equiproof.service.worker.certifying import Certifying
from equiproof.service.worker.child import Outcome
from equiproof.service.worker.measuring import Measuring
from equiproof.service.worker.provers import DiedError, HungError
from tests.service import made
from tests.service.databases import BOTH

SQLITE = pytest.mark.parametrize("address", ["sqlite"], indirect=True)
DAY = 24 * 3600 * 1_000_000


def shown(service):
    """Return the lines of numbers as an admin's key reads them."""
    headers = {"Authorization": f"Bearer {service.key(Scope.ADMIN, client=f'watch-{service.clock()}').text}"}
    answer = service.client.get("/metrics", headers=headers)
    assert answer.status_code == 200
    return [line for line in answer.text.splitlines() if not line.startswith("#")]


def keep(service, numbers):
    numbers.keep(service.shared.database, service.clock())


class Busy:
    """Provers of which two work."""

    working = 2


@BOTH
def test_one_question_shows_the_numbers_of_all_processes(service):
    """With kind and release of each; what one has written twice is there once, as it was the last time."""
    numbers = Numbers("log", 1_000_000)
    numbers.process = "log elsewhere 7"
    for count in (2, 3):
        numbers.add("equiproof_log_done", count, "receipts")
        keep(service, numbers)
    lines = shown(service)
    assert 'equiproof_log_done_total{part="receipts",process="log elsewhere 7"} 5.0' in lines
    assert 'equiproof_process_start_timestamp_seconds{kind="log",process="log elsewhere 7"} 1.0' in lines
    builds = [line for line in lines if line.startswith("equiproof_build_info")]
    assert len(builds) == 2
    assert all('version="' in line and line.endswith(" 1.0") for line in builds)


@SQLITE
def test_another_web_process_shows_no_less(service):
    """A counter that went back would be taken for a process that was started again."""
    asked = shown(service)[0]
    other = Metrics()
    other.numbers.process = "web elsewhere 8"
    text = other.text(service.shared.database, service.clock()).decode()
    own = [line for line in text.splitlines() if service.shared.metrics.numbers.process in line]
    assert asked in own


@SQLITE
def test_what_is_not_known_is_not_shown(service, caplog):
    """Names, labels and kinds of a newer release, or of whoever writes into the database; a text that is none."""
    bad = {
        "web a 1": 'equiproof_income{name="Quimby"} 5.0\n',
        "web b 2": '# TYPE equiproof_log_done counter\nequiproof_log_done_total{part="receipts",name="Quimby"} 5.0\n',
        "web c 3": '# TYPE equiproof_log_done gauge\nequiproof_log_done{part="Quimby"} 5.0\n',
        "web d 4": "equiproof_log_done{Quimby",
    }
    with service.shared.database.transaction() as session:
        session.add_all(ProcessNumbers(name=name, seen=service.clock(), numbers=text) for name, text in bad.items())
    with caplog.at_level(logging.WARNING, "equiproof"):
        text = "\n".join(shown(service))
    assert "Quimby" not in text
    assert [record.fields for record in caplog.records] == [{"process": "web d 4"}]


@SQLITE
def test_a_process_that_is_gone_is_forgotten(service):
    """After an hour, also one whose clock was ahead; the others stay."""
    for name, seen in (("old", -FORGOTTEN - 10), ("ahead", DAY), ("new", -FORGOTTEN // 2)):
        with service.shared.database.transaction() as session:
            session.add(ProcessNumbers(name=f"worker {name} 1", seen=service.clock.now + seen, numbers=""))
    shown(service)
    with service.shared.database.reading() as session:
        assert [name for name, _ in kept_rows(session) if name.startswith("worker")] == ["worker new 1"]


@SQLITE
def test_numbers_need_no_write(service, monkeypatch):
    """A disk that is full is when an operator asks: what can be read is shown."""
    from equiproof.service.store.database import UnavailableError

    service.post({})

    def full(_):
        raise UnavailableError("full")

    headers = {"Authorization": f"Bearer {service.key(Scope.ADMIN).text}"}
    monkeypatch.setattr(type(service.shared.database), "transaction", full)
    answer = service.client.get("/metrics", headers=headers)
    assert answer.status_code == 200
    assert 'route="/v1/decisions",status="422"' in answer.text


@BOTH
def test_the_queue_is_by_model_and_age(service, rows):
    """A model without decisions that wait is there with 0; a decision that has ended no longer waits."""

    def waits():
        return [
            int(float(line.split()[-1])) for line in shown(service) if line.startswith("equiproof_waiting_certificates")
        ]

    assert waits() == [0, 0, 0, 0, 0]
    first = service.post(rows[0]).json()["id"]
    service.clock.now += 3600 * 1_000_000
    service.post(rows[0])
    assert waits() == [2, 1, 1, 1, 0]
    (oldest,) = [line for line in shown(service) if line.startswith("equiproof_oldest_waiting_seconds")]
    assert oldest.startswith('equiproof_oldest_waiting_seconds{model="loans"} 3600.')
    made.end(service, first, "undecided")
    assert waits() == [1, 0, 0, 0, 0]


@SQLITE
def test_routes_of_the_console_are_named(service):
    """Each by its template below that of the console; a path that is none is not repeated."""
    for path in ("sign-in", "trail", f"decisions/{'0' * 32}", "Quimby"):
        service.client.get(f"/console/{path}", follow_redirects=False)
    text = "\n".join(line for line in shown(service) if line.startswith("equiproof_requests_total"))
    for route in ("/console/sign-in", "/console/trail", "/console/decisions/{decision_id}", "none"):
        assert f'route="{route}"' in text
    assert "Quimby" not in text


@SQLITE
def test_each_attempt_is_counted_and_has_its_line(service, rows, caplog):
    """By model and by what it ended with; the line has the id of the request that asked for the decision."""
    answer = service.post(rows[0])
    outcomes = iter([DiedError(), HungError("hung"), Outcome("undecided")])

    def prove(_):
        if isinstance(outcome := next(outcomes), Exception):
            raise outcome
        return outcome

    shared = service.shared
    measuring = Measuring(4, Busy())
    certifying = Certifying(shared.database, shared.holders.vault, prove, service.clock, measured=measuring.attempt)
    with caplog.at_level(logging.INFO, "equiproof"):
        certifying(answer.json()["id"])
    lines = [record.fields for record in caplog.records if record.getMessage() == "attempt"]
    assert [line["outcome"] for line in lines] == ["died", "hung", "undecided"]
    assert {line["request"] for line in lines} == {answer.headers["x-request-id"]}
    measuring._numbers.process = "worker elsewhere 9"
    keep(service, measuring._numbers)
    lines = shown(service)
    labels = 'process="worker elsewhere 9"'
    for expected in (
        f'equiproof_prover_deaths_total{{cause="died",{labels}}} 1.0',
        f'equiproof_prover_deaths_total{{cause="hung",{labels}}} 1.0',
        f'equiproof_provers{{{labels},state="there"}} 4.0',
        f'equiproof_provers{{{labels},state="working"}} 2.0',
        f'equiproof_proof_seconds_count{{model="loans",outcome="undecided",{labels}}} 1.0',
    ):
        assert expected in lines


@SQLITE
def test_a_worker_shows_its_deaths_before_there_are_any(service):
    """A counter that begins at 1 has not grown, for whoever watches."""
    measuring = Measuring(1, Busy())
    measuring._numbers.process = "worker elsewhere 9"
    keep(service, measuring._numbers)
    assert len([line for line in shown(service) if line.startswith("equiproof_prover_deaths_total")]) == 2


@SQLITE
def test_what_the_log_takes_and_refuses_is_counted(service, rows):
    """With the time of the last success, which a refusal does not move."""
    service.post(rows[0])
    numbers = Numbers("log", 0)
    numbers.process = "log elsewhere 7"

    class Log:
        def append(self, _):
            raise LogError("away")

        def append_together(self, entries):
            return [LogError("away") for _ in entries]

    sender = Sender(service.shared.database, Models(), Log(), "Bank", numbers=numbers)
    sender.step(service.clock())
    keep(service, numbers)
    lines = shown(service)
    assert 'equiproof_log_failures_total{part="receipts",process="log elsewhere 7"} 1.0' in lines
    assert 'equiproof_log_done_total{part="receipts",process="log elsewhere 7"} 0.0' in lines
    assert not [line for line in lines if line.startswith("equiproof_log_success")]


def test_a_name_must_be_known():
    """A number has no way out but by the table."""
    numbers = Numbers("web", 0)
    with pytest.raises(KeyError):
        numbers.add("equiproof_income", 1)
    with pytest.raises(KeyError):
        numbers.set("equiproof_requests", 1, "GET", "/", "200")
    assert {number.kind for number in NUMBERS.values()} == {"counter", "gauge", "histogram"}
