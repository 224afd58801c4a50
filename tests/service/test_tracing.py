"""Spans of requests, jobs and entries for the log: only where the settings name a collector, and of nobody's data."""

import sys
from contextlib import ExitStack

import pytest

pytest.importorskip("opentelemetry.sdk", reason="the extra `otel` is not installed")

from equiproof.register.errors import LogError
from equiproof.service import tracing
from equiproof.service.clients import Scope
from equiproof.service.settings import LenderSettings, Settings, SettingsError, TelemetrySettings, load_settings
from equiproof.service.store.tables import Decision
from equiproof.service.tracing import ATTRIBUTES, tracing_of
from equiproof.service.web import deciding
from equiproof.service.web.app import create_app
from equiproof.service.worker.certifying import Certifying
from equiproof.service.worker.child import Outcome
from tests.service.test_private import INCOME, REFERENCE, raising, secrets_of

SQLITE = pytest.mark.parametrize("address", ["sqlite"], indirect=True)


@pytest.fixture
def traced(service, spans):
    """A service whose requests are measured."""
    object.__setattr__(service.shared, "tracing", spans[0])
    service.client.app = create_app(service.shared)
    service.client._transport.app = service.client.app
    service.headers = {
        "Authorization": f"Bearer {service.key(Scope.SUBMIT, Scope.READ, Scope.ADMIN).text}",
        "traceparent": f"00-{INCOME:032}-{INCOME:016}-01",
        "baggage": f"name={REFERENCE}",
    }
    return service


@SQLITE
def test_spans_hold_nothing_of_the_applicant(traced, rows, spans, monkeypatch):
    """Requests, refusals, faults whose words have values, jobs that fail with them, a log that repeats them."""
    measures, exporter = spans
    row = {**rows[0], "income": INCOME}
    first = traced.post(row, reference=REFERENCE).json()["id"]
    traced.post({**row, "income": f"{INCOME}x"})
    traced.get(f"/v1/{REFERENCE}", state=REFERENCE)
    traced.get(f"/v1/decisions/{first}")
    monkeypatch.setattr(deciding, "make", raising(ValueError(f"income {INCOME} of {REFERENCE}")))
    assert traced.post(row).status_code == 500
    holders = traced.shared.holders
    prover = measures.wrapped("prove", raising(ValueError(f"income {INCOME}")))
    work = measures.wrapped("certify", Certifying(traced.shared.database, holders.vault, prover, traced.clock))
    work(first)
    with pytest.raises(LogError):
        measures.wrapped("append", raising(LogError(REFERENCE)))(b"entry")
    found = exporter.get_finished_spans()
    seen = "\n".join(span.to_json() for span in found)
    with traced.shared.database.reading() as session:
        client = session.get(Decision, first).client
    named = {*secrets_of(traced, first), first, client, f"{INCOME:x}"}
    assert not [secret for secret in named if secret in seen]
    assert [span.name for span in found] == [*["request"] * 5, "prove", "certify", "append"]
    assert all(not span.events and not span.status.description for span in found)
    assert {name for span in found for name in span.attributes} <= ATTRIBUTES
    assert [span.attributes.get("error.type") for span in found[5:]] == ["ValueError", None, "LogError"]


@SQLITE
def test_a_request_is_named_by_its_template(traced, rows, spans):
    """With method, status and the id that the answer has; methods that a client makes up are not repeated."""
    answer = traced.get(f"/v1/decisions/{traced.post(rows[0]).json()['id']}")
    traced.client.request("QUIMBY", "/v1/decisions")
    asked, other = spans[1].get_finished_spans()[1:]
    assert dict(asked.attributes) == {
        "http.request.method": "GET",
        "http.route": "/v1/decisions/{decision_id}",
        "http.response.status_code": 200,
        "equiproof.request": answer.headers["x-request-id"],
    }
    assert other.attributes["http.request.method"] == "other"
    assert asked.parent is None


@SQLITE
def test_a_proof_is_within_its_job(traced, rows, spans):
    """And what the job has done is as it is without."""
    measures, exporter = spans
    decision = traced.post(rows[0]).json()["id"]
    prover = measures.wrapped("prove", lambda _: Outcome("undecided", b"", "", "work"))
    measures.wrapped("certify", Certifying(traced.shared.database, traced.shared.holders.vault, prover, traced.clock))(
        decision
    )
    inner, outer = exporter.get_finished_spans()[-2:]
    assert inner.parent.span_id == outer.context.span_id
    assert traced.get(f"/v1/decisions/{decision}").json()["state"] == "undecided"


@SQLITE
def test_a_proof_is_linked_to_the_request_that_asked_for_it(traced, rows, spans):
    """By the name of the request's span, which stands with the decision; what a client names is not taken."""
    measures, exporter = spans
    decision = traced.post(rows[0]).json()["id"]
    (asked,) = exporter.get_finished_spans()

    def prove(_):
        return Outcome("undecided", b"", "", "work")

    prover = measures.wrapped("prove", prove, lambda order: measures.link(order.trace))
    Certifying(traced.shared.database, traced.shared.holders.vault, prover, traced.clock)(decision)
    (link,) = exporter.get_finished_spans()[-1].links
    assert (link.context.trace_id, link.context.span_id) == (asked.context.trace_id, asked.context.span_id)
    assert asked.context.trace_id != int(f"{INCOME:032}", 16)


@pytest.mark.parametrize("named", [None, "", REFERENCE, f"00-{'g' * 32}-{'0' * 16}-01"])
def test_a_name_that_is_none_links_nothing(spans, named):
    """Whatever somebody has written into the database."""
    measures, exporter = spans
    with measures.span("prove"):
        measures.link(named)
    assert not exporter.get_finished_spans()[0].links


def test_an_attribute_must_be_known(spans):
    """A value has no way into a span but by those."""
    with pytest.raises(KeyError, match="income"), spans[0].span("x") as noted:
        noted["income"] = INCOME
    assert not spans[1].get_finished_spans()[0].attributes


def test_it_is_off_unless_an_endpoint_is_named(monkeypatch, tmp_path):
    """Whatever the environment says; without the extra, naming one is a mistake of one line."""
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", "http://127.0.0.1:9")
    for name in ("opentelemetry.sdk.trace", "opentelemetry.exporter.otlp.proto.http.trace_exporter"):
        monkeypatch.setitem(sys.modules, name, None)
    settings = Settings(vault="v", lender=LenderSettings("North Bank"))
    with ExitStack() as stack:
        none = tracing_of(settings, stack, "web")
        assert none.wrapped("prove", len) is len
        with none.span("request") as noted:
            noted["http.route"] = "none"
    named = Settings(vault="v", lender=LenderSettings("N"), telemetry=TelemetrySettings("http://127.0.0.1:9"))
    with ExitStack() as stack, pytest.raises(SettingsError, match=r"pip install 'equiproof\[otel\]'"):
        tracing_of(named, stack, "web")
    path = tmp_path / "service.toml"
    path.write_text('vault = "v"\n[lender]\nname = "N"\n[telemetry]\nendpoint = "http://collector.example/v1/traces"\n')
    with pytest.raises(SettingsError, match=r"field telemetry\.endpoint: want https"):
        load_settings(path)


def test_an_endpoint_that_is_away_holds_nothing_up(monkeypatch):
    """Its spans are lost, and the process ends."""
    monkeypatch.setattr(tracing, "EXPORT_SECONDS", 0.1)
    with ExitStack() as stack:
        named = Settings(vault="v", lender=LenderSettings("N"), telemetry=TelemetrySettings("http://127.0.0.1:1/x"))
        with tracing_of(named, stack, "web").span("request"):
            pass
