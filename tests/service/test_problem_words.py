"""What a caller reads who made a mistake: the field by its name, and how to mend it, in no library's words."""

import pytest

SENT = {"model": "lending", "features": {"income": "2500"}}
JSON = {"Content-Type": "application/json"}


@pytest.mark.parametrize(
    ("sent", "headers", "said"),
    [
        ({"json": {**SENT, "features": {"income": 2500.5}}}, {}, "features.income: want a text in quotation marks"),
        ({"json": {**SENT, "features": []}}, {}, "features: want an object with names and values"),
        ({"json": {**SENT, "more": 1}}, {}, "more: is unknown here; leave it out"),
        ({"json": {"model": "lending"}}, {}, "features: is missing"),
        ({"content": "{"}, JSON, "the body is not JSON, from character 1 on"),
        ({"content": "{}"}, {"Content-Type": "text/plain"}, "want a JSON object as the body"),
    ],
)
def test_a_mistake_is_named_plainly(service, sent, headers, said):
    """One line, with neither the kinds of the library nor the value."""
    answer = service.client.post(
        "/v1/decisions", headers={**service.headers, "Idempotency-Key": "mistake-0001", **headers}, **sent
    )
    assert answer.status_code == 422
    assert answer.json()["detail"].startswith(said)
    assert "constrained" not in answer.text


@pytest.mark.parametrize(
    ("method", "path", "status", "said"),
    [
        ("GET", "/v1/nothing", 404, "no operation has this path; /openapi.json lists them"),
        ("PUT", "/v1/decisions", 405, "this path takes GET, POST"),
    ],
)
def test_a_path_or_a_method_that_is_none_is_told_what_there_is(service, method, path, status, said):
    """Not the words of the status once more."""
    answer = service.client.request(method, path, headers=service.headers)
    assert (answer.status_code, answer.json()["detail"]) == (status, said)


def test_a_body_that_is_no_text_is_told_so(service):
    """It reaches no reader of JSON; the answer is one of those that are documented."""
    headers = {**service.headers, "Idempotency-Key": "mistake-0002", "Content-Type": "application/json"}
    answer = service.client.post("/v1/decisions", headers=headers, content=b'{"model": "\xff"}')
    assert (answer.status_code, answer.json()["type"]) == (400, "urn:equiproof:bad-request")


def test_a_link_lives_at_most_as_long_as_the_operator_says(service, rows):
    """As many days as the settings have, or fewer."""
    decision = service.post(rows[0]).json()["id"]
    for days, status in ((1, 201), (90, 201), (91, 422)):
        answer = service.client.post(f"/v1/decisions/{decision}/links?days={days}", headers=service.headers)
        assert answer.status_code == status
    assert answer.json()["detail"] == "days: want at most 90, which is how long links live here"
