"""The OpenAPI document is the contract: what it promises of any request holds, and its examples run."""

import json
import re

import jsonschema
import pytest
import schemathesis
from openapi_spec_validator import OpenAPIV31SpecValidator
from schemathesis.config import SchemathesisConfig
from schemathesis.engine import events, from_schema

from equiproof.service.clients import Scope
from equiproof.service.states import State
from tests.service import made

pytestmark = pytest.mark.parametrize("address", ["sqlite"], indirect=True)

JUDGED_LATER = (
    "POST /v1/decisions", "POST /v1/decisions/{decision_id}/override", "POST /v1/decisions/{decision_id}/links",
    "POST /v1/decisions/{decision_id}/corrections", "POST /v1/decisions/{decision_id}/corrections/second",
    "POST /v1/decisions/{decision_id}/recourse",
)  # fmt: skip
"""Operations that may still refuse what is well formed: features and labels are a model's own, days an operator's.

Of corrections, days and second decisions are those of a decision, and wishes of recourse those of a model."""

ACCEPTED = ["2xx", "401", "403", "404", "409", "410", "429"]


FEW = {"coverage": {"enabled": False}, "stateful": {"enabled": False}}


def findings(service, rows, folder, examples, phases):
    """Send requests to every operation; return which checks found what, and the answers of each operation."""
    key = service.key(*Scope)
    service.headers = {"Authorization": f"Bearer {key.text}"}
    decisions = [service.post(row).json()["id"] for row in (rows[0], rows[0], rows[1])]
    made.key(folder / "keys" / "one")
    made.end(service, decisions[0], State.CERTIFIED)
    judged = {"positive_data_acceptance": {"expected-statuses": [*ACCEPTED, "422"]}}
    config = SchemathesisConfig.from_dict(
        {
            "seed": 1,
            "headers": service.headers,
            "generation": {"max-examples": examples, "deterministic": True, "database": "none", "no-shrink": True},
            "phases": phases,
            "checks": {"positive_data_acceptance": {"expected-statuses": ACCEPTED}},
            "operations": [{"include-name": name, "checks": judged} for name in JUDGED_LATER],
        }
    )
    schema = schemathesis.openapi.from_asgi("/openapi.json", service.client.app, config=config)
    found, answers = [], {}
    for event in from_schema(schema).execute():
        assert not isinstance(event, events.NonFatalError | events.FatalError), event
        if not isinstance(event, events.ScenarioFinished):
            continue
        labels = {identifier: case.value.operation.label for identifier, case in event.recorder.cases.items()}
        for identifier, exchange in event.recorder.interactions.items():
            answers.setdefault(labels[identifier], set()).add(exchange.response.status_code)
        for identifier, checks in event.recorder.checks.items():
            found += [f"{labels[identifier]}: {one.name}: {one.failure_info}" for one in checks if one.failure_info]
    return found, answers


def test_every_operation_keeps_the_contract(service, rows, tmp_path):
    """All checks on every operation, with its examples and a few requests more; the example of a decision is one."""
    found, answers = findings(service, rows, tmp_path, 1, FEW)
    assert not found
    assert 201 in answers["POST /v1/decisions"]
    document = service.client.get("/openapi.json").json()
    operations = {f"{method.upper()} {path}" for path, item in document["paths"].items() for method in item}
    assert set(answers) == operations
    assert document["openapi"].startswith("3.1")


@pytest.mark.slow
def test_every_operation_keeps_the_contract_for_long(service, rows, tmp_path):
    """With requests that miss each part in turn, and chains in which one request uses what another has made."""
    found, answers = findings(service, rows, tmp_path, 10, {})
    assert not found
    assert all({401, 422} <= statuses for name, statuses in answers.items() if name != "GET /v1/models")


def test_the_document_is_valid(service):
    """By the rules of OpenAPI 3.1; and every reference leads somewhere, which those rules leave to a program's walk."""
    document = service.client.get("/openapi.json").json()
    OpenAPIV31SpecValidator(document).validate()
    named = set(re.findall(r'"\$ref": "#/components/schemas/(\w+)"', json.dumps(document)))
    assert named == document["components"]["schemas"].keys()


def test_nested_features_are_refused_by_the_schema(service):
    """As by the service: a feature has one value, a text or a whole number."""
    document = service.client.get("/openapi.json").json()
    schema = jsonschema.Draft202012Validator(document["components"]["schemas"]["NewDecision"])
    for value, taken in ((45458, True), ("45458", True), ({"net": "1"}, False), (["1"], False), (1.5, False)):
        assert schema.is_valid({"model": "loans", "features": {"income": value}}) == taken
    assert not schema.is_valid({"model": "loans", "features": {"a\nb": "1"}})


def test_every_answer_that_is_documented_can_be(service):
    """Each operation lists what it answers; what no request brings about is not listed."""
    paths = service.client.get("/openapi.json").json()["paths"]
    listed = {
        (path, method): set(operation["responses"])
        for path, item in paths.items()
        for method, operation in item.items()
    }
    everywhere = {"401", "403", "421", "422", "429", "500", "503"}
    assert all(everywhere <= statuses for statuses in listed.values())
    with_body = {place for place, statuses in listed.items() if {"408", "413"} <= statuses}
    one = "/v1/decisions/{decision_id}"
    ways = ("/v1/decisions", f"{one}/override", f"{one}/corrections", f"{one}/corrections/second", f"{one}/recourse")
    assert with_body == {(way, "post") for way in ways}
    assert {place for place, statuses in listed.items() if "404" not in statuses} == {
        ("/v1/decisions", "get"), ("/v1/models", "get"),
    }  # fmt: skip
