"""Every route, walked with every role and without one; forms of other sites and other sessions; headers of answers."""

import pytest
from starlette.routing import Route

from equiproof.service.console.guard import GRANTS, Permission
from equiproof.service.console.officers import Role
from tests.service.console.people import sign_in

READ, DECIDE, ACCOUNTS = Permission.READ, Permission.DECIDE, Permission.ACCOUNTS

FORM = "application/x-www-form-urlencoded"
ROUTES = {
    ("GET", "/sign-in"): None,
    ("POST", "/sign-in"): None,
    ("GET", "/sign-on"): None,
    ("GET", "/sign-on/callback"): None,
    ("GET", "/sign-on/proxy"): None,
    ("GET", "/key.js"): None,
    ("GET", "/sign-in/key"): None,
    ("POST", "/sign-in/key"): None,
    ("GET", "/language/{language}"): None,
    ("GET", "/style.css"): None,
    ("POST", "/sign-out"): READ,
    ("GET", "/password"): READ,
    ("POST", "/password"): READ,
    ("GET", "/security-keys"): READ,
    ("POST", "/security-keys"): READ,
    ("POST", "/security-keys/{key}/remove"): READ,
    ("GET", "/"): READ,
    ("GET", "/queue"): READ,
    ("GET", "/workers"): READ,
    ("POST", "/workers/{decision_id}/cancel"): Permission.CANCEL,
    ("GET", "/keys"): READ,
    ("GET", "/lots"): READ,
    ("GET", "/lots/{name}"): READ,
    ("GET", "/decisions/{decision_id}"): READ,
    ("POST", "/decisions/{decision_id}"): DECIDE,
    ("POST", "/decisions/{decision_id}/allow"): DECIDE,
    ("POST", "/decisions/{decision_id}/correction"): DECIDE,
    ("POST", "/decisions/{decision_id}/correction/second"): DECIDE,
    ("POST", "/decisions/{decision_id}/recourse"): DECIDE,
    ("POST", "/decisions/{decision_id}/recourse/answer"): DECIDE,
    ("POST", "/decisions/{decision_id}/recourse/release"): DECIDE,
    ("GET", "/decisions/{decision_id}/recourse/letter"): Permission.DETAILS,
    ("GET", "/decisions/{decision_id}/recourse/{name}/certificate"): READ,
    ("GET", "/decisions/{decision_id}/recourse/{name}/box"): Permission.DETAILS,
    ("POST", "/decisions/{decision_id}/again"): Permission.AGAIN,
    ("GET", "/decisions/{decision_id}/certificate"): READ,
    ("GET", "/decisions/{decision_id}/letter"): Permission.DETAILS,
    ("GET", "/decisions/{decision_id}/evidence"): Permission.DETAILS,
    ("GET", "/officers"): ACCOUNTS,
    ("POST", "/officers"): ACCOUNTS,
    ("POST", "/officers/{officer_id}/password"): ACCOUNTS,
    ("POST", "/officers/{officer_id}/role"): ACCOUNTS,
    ("POST", "/officers/{officer_id}/close"): ACCOUNTS,
    ("POST", "/officers/{officer_id}/open"): ACCOUNTS,
    ("GET", "/trail"): Permission.TRAIL,
    ("POST", "/trail/{form}"): Permission.TRAIL,
}
"""Method and path -> the permission that it needs; None for what everybody may ask."""

CLOSED = {route: permission for route, permission in ROUTES.items() if permission is not None}


def flat(routes):
    for route in routes:
        if isinstance(route, Route):
            yield from ((method, route.path) for method in route.methods - {"HEAD"})
        else:
            yield from flat(getattr(route, "routes", []) or getattr(route, "original_router", route).routes)


def console(service):
    (mounted,) = [route.app for route in service.client.app.routes if getattr(route, "path", "") == "/console"]
    return mounted


def filled(path, made):
    return path.lstrip("/").format(
        decision_id=made, officer_id="f" * 32, key="f" * 64, name="none.html", form="csv", language="de"
    )


def ask(person, method, path, **words):
    return person.get(path) if method == "GET" else person.post(path, label="0", reason="so", role="auditor", **words)


@pytest.fixture
def made(service, rows):
    """A decision in review."""
    return service.post(rows[1]).json()["id"]


def test_the_table_lists_every_route(service):
    """A route that is added has to be added here, with what it needs."""
    assert set(flat(console(service).routes)) == set(ROUTES)


def test_every_role_may_what_it_is_granted_and_nothing_else(people, made):
    """A page or a change with the permission, 403 and one sentence without it."""
    walked = 0
    for role, person in people.items():
        for (method, path), permission in CLOSED.items():
            if path in ("/sign-out", "/password"):
                continue
            answer = ask(person, method, filled(path, made))
            refused = answer.status_code == 403
            assert refused == (permission not in GRANTS[role]), (role, method, path, answer.status_code)
            assert answer.status_code in (200, 303, 403, 404, 409, 422), (role, method, path)
            walked += 1
    assert walked == 3 * (len(CLOSED) - 3)


def test_nobody_gets_nothing(nobody, made):
    """Without a session, pages lead to the sign-in and forms are refused; no byte of the decision is shown."""
    nobody.client.headers.encoding = "utf-8"
    for token in ("", "0" * 64, "é", "x" * 5000):
        nobody.client.headers["cookie"] = f"equiproof-console={token}"
        for method, path in CLOSED:
            answer = ask(nobody, method, filled(path, made), csrf="0" * 64)
            if method == "GET":
                assert (answer.status_code, answer.text) == (303, "")
                assert answer.headers["location"].startswith("/console/sign-in?next=/console/")
            else:
                assert answer.status_code == 401
                assert "Nothing was recorded" in answer.text


def test_a_form_needs_the_token_of_its_own_session(people, made):
    """None, a wrong one, one with other signs and that of another session are refused, whatever the role."""
    foreign = people[Role.AUDITOR].csrf()
    for role in (Role.OFFICER, Role.ADMIN):
        for method, path in CLOSED:
            for token in ("", "0" * 64, "é", foreign):
                if method == "POST":
                    answer = ask(people[role], method, filled(path, made), csrf=token)
                    assert answer.status_code == 403, (role, path, token)
    assert people[Role.OFFICER].get(f"decisions/{made}").text.count("none yet") == 0
    assert "by Ada Marsh" not in people[Role.OFFICER].get("").text


SITES = [
    ({"sec-fetch-site": "same-origin"}, True),
    ({"sec-fetch-site": "same-site"}, False),
    ({"sec-fetch-site": "cross-site"}, False),
    ({"sec-fetch-site": "none"}, False),
    ({"sec-fetch-site": "cross-site", "origin": "http://testserver"}, False),
    ({"origin": "http://testserver"}, True),
    ({"origin": "http://127.0.0.1:8080"}, True),
    ({"origin": "http://evil.test"}, False),
    ({"origin": "null"}, False),
    ({}, True),
]
"""Headers, and whether they are those of a page of ours."""


def test_a_form_of_another_site_is_refused(service, nobody):
    """Even with the right token, and the sign-in too, which has none."""
    for headers, passes in SITES:
        person = sign_in(service, Role.OFFICER)
        answer = person.post("sign-out", headers=headers)
        assert (answer.status_code == 303) == passes, headers
        refused = nobody.post("sign-in", csrf="", headers=headers, name="a", password="b")
        assert ("Another site" in refused.text) != passes, headers


NO_FORMS = [
    (b"{}", "application/json", 415),
    (b"label=0", "text/plain", 415),
    (b"", FORM, 400),
    (b"label=0&label=1", FORM, 400),
    (b"label=%ff", FORM, 400),
    (b"\xff=1", FORM, 400),
    (b"&".join(b"a%d=1" % n for n in range(30)), FORM, 400),
    (b"a=" + b"x" * (1 << 19), FORM, 413),
]


def test_what_is_no_form_is_refused(officer, made):
    """One page, no fault."""
    for content, kind, status in NO_FORMS:
        answer = officer.client.post(f"/console/decisions/{made}", content=content, headers={"content-type": kind})
        assert answer.status_code == status, content[:40]
        assert "Nothing was recorded" in answer.text


def test_no_answer_is_kept_framed_or_lets_anything_in(people, nobody, made):
    """Pages, refusals and redirects alike."""
    answers = [people[Role.ADMIN].get(filled(path, made)) for method, path in ROUTES if method == "GET"]
    answers += [nobody.get(""), nobody.get("nothing"), nobody.post("sign-out", csrf="x"), nobody.get("sign-in")]
    for answer in answers:
        if answer.headers.get("content-type", "").startswith(("text/css", "text/javascript")):
            assert answer.headers["cache-control"] == "max-age=300"
            continue
        assert answer.headers["cache-control"] == "no-store"
        policy = answer.headers["content-security-policy"]
        assert policy == (
            "default-src 'none'; style-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
        )
        assert answer.headers["x-frame-options"] == "DENY"
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert answer.headers["referrer-policy"] == "same-origin"
        kept = answer.headers.get("set-cookie", "")
        assert not kept or kept.startswith("equiproof-language=de; ")
        assert "<script" not in answer.text
        assert "style=" not in answer.text


def test_what_is_not_there_is_one_page(admin):
    """Bad ids too, without a word of the framework's."""
    for path in ("decisions/x", "decisions/" + "0" * 32, "officers/x/role", "%00", "lots/..%2fx.html"):
        answer = admin.get(path)
        assert answer.status_code in (404, 405), path
        assert "There is no such page" in answer.text


def test_the_interface_for_programs_does_not_list_the_console(service):
    """Its document is a contract; pages are none."""
    assert not [path for path in service.client.get("/openapi.json").json()["paths"] if "console" in path]
