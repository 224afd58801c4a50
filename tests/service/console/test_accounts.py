"""Accounts: opened and closed by admins, never the last one of them."""

import re

from equiproof.service.console.officers import Role
from tests.service.console.people import Person, browser_of

SHOWN = re.compile(r'class="secret">([a-z0-9-]{24})<')


def test_an_account_is_opened_with_a_password_that_is_shown_once(service, admin):
    """Whoever has it signs in; the page shows it no second time; a new one ends the old one."""
    made = admin.post("officers", name="Eve Stone", role="auditor")
    (password,) = SHOWN.findall(made.text)
    assert not SHOWN.findall(admin.get("officers").text)
    eve = Person(service, browser_of(service))
    assert eve.post("sign-in", csrf="", name="Eve Stone", password=password).status_code == 303
    (identifier,) = re.findall(
        r"officers/([0-9a-f]{32})/password", made.text.partition("Eve Stone</bdi></th>")[2][:1500]
    )
    (other,) = SHOWN.findall(admin.post(f"officers/{identifier}/password").text)
    assert other != password
    assert eve.get().status_code == 303
    assert eve.post("sign-in", csrf="", name="Eve Stone", password=password).status_code == 403
    assert eve.post("sign-in", csrf="", name="Eve Stone", password=other).status_code == 303


def test_a_name_is_taken_once(admin):
    """Whatever its capitals; the form says so."""
    assert admin.post("officers", name="Eve Stone", role="officer").status_code == 200
    again = admin.post("officers", name="EVE stone", role="officer")
    assert (again.status_code, "an account has it already" in again.text) == (422, True)
    assert admin.post("officers", name="Bob", role="owner").status_code == 422


def test_the_last_admin_stays(admin):
    """Neither closed nor given another role; with a second one, both may be done."""
    for path, fields in ((f"officers/{admin.id}/close", {}), (f"officers/{admin.id}/role", {"role": "officer"})):
        refused = admin.post(path, **fields)
        assert (refused.status_code, "is the last admin" in refused.text) == (422, True)
    admin.post("officers", name="Eve Stone", role="admin")
    assert admin.post(f"officers/{admin.id}/close").status_code == 303
    assert admin.get("officers").status_code == 303


def test_roles_are_these(service):
    """Those of the table, the page and the documentation."""
    assert set(Role) == {"officer", "auditor", "admin"}
