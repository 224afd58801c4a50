"""API keys: only live ones with the scope pass, decisions of others are not there, secrets are nowhere."""

import pytest
from sqlalchemy import select

from equiproof.service.clients import ClientError, Scope, revoke
from equiproof.service.store.tables import ApiKey


def bearer(key):
    return {"Authorization": f"Bearer {key.text}"}


@pytest.mark.parametrize("text", ["", "eqp_", "Bearer", "eqp_" + "0" * 16 + "_" + "0" * 64, "é"])
def test_what_is_no_key_gets_401(service, text):
    """One answer for all of them."""
    said = service.client.get("/v1/decisions", headers={"Authorization": f"Bearer {text}".encode()})
    assert (said.status_code, said.json()["type"]) == (401, "urn:equiproof:no-key")
    assert said.headers["www-authenticate"] == "Bearer"


def test_a_scope_is_needed(service, rows):
    """A key that only reads decides nothing."""
    service.headers = bearer(service.key(Scope.READ, client="reader"))
    assert service.get("/v1/decisions").status_code == 200
    assert service.post(rows[0]).status_code == 403


def test_decisions_of_another_client_are_not_there(service, rows):
    """Neither by id nor in a list."""
    made = service.post(rows[0]).json()["id"]
    service.headers = bearer(service.key(Scope.READ, Scope.SUBMIT, client="other"))
    assert service.get(f"/v1/decisions/{made}").status_code == 404
    assert service.get(f"/v1/decisions/{made}/certificate").status_code == 404
    assert service.get("/v1/decisions").json()["decisions"] == []


def test_a_key_ends(service):
    """By its time, and by being revoked; a third live one is refused until then."""
    first, second = service.key(Scope.READ, client="c", lives=1000), service.key(Scope.READ, client="c")
    with pytest.raises(ClientError, match="revoke one"):
        service.key(Scope.READ, client="c")
    service.clock.now += 1000
    assert service.client.get("/v1/decisions", headers=bearer(first)).status_code == 401
    assert service.client.get("/v1/decisions", headers=bearer(second)).status_code == 200
    with service.shared.database.transaction() as session:
        revoke(session, second.id, service.clock.now)
    assert service.client.get("/v1/decisions", headers=bearer(second)).status_code == 401


def test_a_secret_is_kept_nowhere(service):
    """Neither in the table nor in a repr."""
    key = service.key(Scope.READ, client="c")
    secret = key.text.rpartition("_")[2]
    assert secret not in repr(key)
    with service.shared.database.transaction() as session:
        rows = session.scalars(select(ApiKey)).all()
        assert rows
        assert all(secret not in str(vars(row)) for row in rows)
