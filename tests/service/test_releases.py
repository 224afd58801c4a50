"""What a release has written, later ones go on with: dumps of its databases are kept, upgraded and served."""

import json
import os
from pathlib import Path

import pytest
from sqlalchemy import BigInteger, Float, Integer, LargeBinary, func, insert, select, update

from equiproof.service.clients import Scope
from equiproof.service.states import State
from equiproof.service.store import migrations
from equiproof.service.store.tables import Model, Table
from equiproof.service.trail_check import checked
from equiproof.service.vault import new_line
from tests.service import databases, made
from tests.service.databases import KINDS

FOLDER = Path(__file__).with_name("releases")
RELEASES = sorted({path.name.partition(".")[0] for path in FOLDER.glob("*.sql")})
"""The revisions that releases have had."""

AGAIN = "request-of-the-release"
PATHS = ("/v1/decisions", "/v1/decisions/{}", "/v1/decisions/{}/certificate", "/v1/decisions/{}/receipt")


def counts(service):
    """Return how many rows each table has."""
    with service.shared.database.reading() as session:
        return {
            name: session.scalar(select(func.count()).select_from(table))
            for name, table in Table.metadata.tables.items()
        }


def something(column, decision):
    """Return a value of a column's type: that of a decision, of an officer, or any."""
    if any(key.target_fullname.endswith(("decisions.id", ".decision_id")) for key in column.foreign_keys):
        return decision
    for kind, value in ((LargeBinary, b"sealed"), (Integer, 1), (BigInteger, 1), (Float, 1.5)):
        if isinstance(column.type, kind):
            return value
    return "0" * min(32, column.type.length or 32)


def filled(service, rows):
    """Write a row into every table; return a decision that is certified."""
    decision = service.post(rows[0], key=AGAIN, reference="first").json()["id"]
    service.post(rows[1], reference="second")
    made.end(service, decision, State.CERTIFIED)
    answers(service, decision)  # and the trail has a line
    with service.shared.database.transaction() as session:
        for table in Table.metadata.sorted_tables:
            if not session.scalar(select(func.count()).select_from(table)):
                session.execute(insert(table).values({one.name: something(one, decision) for one in table.columns}))
    return decision


def answers(service, decision):
    """Return what the service says of it."""
    said = {path: service.get(path.format(decision)) for path in PATHS}
    assert {answer.status_code for answer in said.values()} == {200}
    return {path: answer.text for path, answer in said.items()}


def holds(found, kept):
    """Tell whether everything that was said is said; later releases may say more."""
    if isinstance(kept, dict):
        return found.keys() >= kept.keys() and all(holds(found[name], value) for name, value in kept.items())
    if isinstance(kept, list):
        return len(found) == len(kept) and all(map(holds, found, kept))
    return found == kept


@pytest.mark.parametrize("kind", KINDS)
def test_this_release_has_its_dump(kind, request, tmp_path, rows):
    """EQUIPROOF_REGENERATE=golden writes it; one of a release that is out there never changes."""
    head = migrations.head()
    if os.environ.get("EQUIPROOF_REGENERATE") == "golden":
        server = request.getfixturevalue("postgres") if kind == "postgres" else None
        address, line = request.getfixturevalue("empty")(kind), new_line("release")
        migrations.upgrade(address)
        service = request.getfixturevalue("started")(address, line)
        authorization = f"Bearer {service.key(Scope.SUBMIT, Scope.READ).text}"
        service.headers = {"Authorization": authorization}
        decision = filled(service, rows)
        kept = {
            "vault": line,
            "authorization": authorization,
            "decision": decision,
            "answers": answers(service, decision),
            "counts": counts(service),
        }
        with service.shared.database.transaction() as session:
            session.execute(update(Model).values(opening="opening.json", keys="keys"))
        service.shared.database.engine.dispose()
        FOLDER.mkdir(exist_ok=True)
        (FOLDER / f"{head}.{kind}.sql").write_text(databases.dump(address, server))
        (FOLDER / f"{head}.{kind}.json").write_text(json.dumps(kept, indent=1) + "\n")
    assert (FOLDER / f"{head}.{kind}.sql").is_file()


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("release", RELEASES)
def test_a_release_is_gone_on_with(release, kind, request, empty, started, rows):
    """After the upgrade every row is there and every answer says what it said; a request sent again is known."""
    server = request.getfixturevalue("postgres") if kind == "postgres" else None
    address, kept = empty(kind), json.loads((FOLDER / f"{release}.{kind}.json").read_text())
    databases.load((FOLDER / f"{release}.{kind}.sql").read_text(), address, server)
    migrations.upgrade(address)
    migrations.refuse_other(address)
    assert databases.differences(address) == [], (
        "revision not released yet: write its dump anew, as the test above says"
    )
    service = started(address, kept["vault"])
    assert all(kept["counts"].values())
    assert counts(service).items() >= kept["counts"].items()
    with service.shared.database.reading() as session:
        assert checked(session).faults == []
    service.headers = {"Authorization": kept["authorization"]}
    for path, said in answers(service, kept["decision"]).items():
        assert holds(json.loads(said), json.loads(kept["answers"][path])), path
    again = service.post(rows[0], key=AGAIN, reference="first")
    assert (again.status_code, again.json()["id"]) == (201, kept["decision"])
    assert service.post(rows[0], reference="third", key="another-request").status_code == 201
