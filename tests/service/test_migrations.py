"""Tables are the same whether they come from the classes or from the revisions, forward and back, on both databases."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from sqlalchemy import inspect, text

from equiproof.service.store import migrations
from equiproof.service.store.database import Database, DatabaseError
from equiproof.service.store.tables import Table
from tests.service.databases import BOTH, KINDS, differences, name_of


def tables(address):
    with Database(address) as database:
        return set(inspect(database.engine).get_table_names()) - {"alembic_version"}


@BOTH
def test_the_revisions_lead_to_the_classes(address):
    """A column or an index that only one of them has is a difference, and so is another type."""
    assert differences(address) == []
    migrations.refuse_other(address)


@pytest.mark.parametrize("kind", KINDS)
def test_forward_and_back_and_forward(empty, kind):
    """Nothing of ours is left at the base; a second upgrade does nothing, and asking makes no file."""
    address = empty(kind)
    missing = (
        "put the file back, or begin anew with `equiproof service migrate`: there is none"
        if kind == "sqlite"
        else "no tables yet: run"
    )
    with pytest.raises(DatabaseError, match=missing):
        migrations.refuse_other(address)
    assert kind != "sqlite" or not Path(name_of(address)).exists()
    migrations.upgrade(address)
    migrations.upgrade(address)
    assert tables(address) == set(Table.metadata.tables)
    migrations.downgrade(address, "base")
    assert tables(address) == set()
    migrations.upgrade(address)
    assert differences(address) == []


NEXT = """
import sqlalchemy as sa
from alembic import op

revision, down_revision, least = "0003", "0002", {least!r}

def upgrade():
    op.create_table("tags", sa.Column("decision_id", sa.String(32), sa.ForeignKey("decisions.id"), primary_key=True))
    with op.batch_alter_table("decisions") as table:
        table.add_column(sa.Column("note", sa.String(64)))
        table.alter_column("reference", type_=sa.String(200), existing_type=sa.String(128))

def downgrade():
    with op.batch_alter_table("decisions") as table:
        table.alter_column("reference", type_=sa.String(128), existing_type=sa.String(200))
        table.drop_column("note")
    op.drop_table("tags")
"""
"""A revision as a later release may have it; on SQLite the table of decisions is written anew."""


@pytest.fixture
def later(tmp_path, monkeypatch):
    """A function that runs another one as a program of the next release, whose `least` is given."""

    def run(least, act):
        folder = tmp_path / f"from {least}"
        folder.mkdir(exist_ok=True)
        (folder / "r0003_next.py").write_text(NEXT.format(least=least))
        with monkeypatch.context() as patch:
            patch.setattr(migrations, "VERSIONS", (*migrations.VERSIONS, folder))
            return act()

    return run


def test_two_versions_at_once(service, address, rows, later):
    """While a release is rolled out, programs of the one before it decide on its tables; back again nothing is lost."""
    before = service.post(rows[0], reference="before").json()
    later("0002", lambda: migrations.upgrade(address))
    migrations.refuse_other(address)
    migrations.upgrade(address)
    after = service.post(rows[1], reference="after").json()
    assert service.get(f"/v1/decisions/{before['id']}").json() == before
    assert [one["id"] for one in service.get("/v1/decisions").json()["decisions"]] == [after["id"], before["id"]]
    assert service.post(rows[0], reference="after").status_code == 409
    later("0002", lambda: migrations.downgrade(address, "0002"))
    assert differences(address) == []
    assert service.get(f"/v1/decisions/{after['id']}").json() == after


def test_tables_that_are_too_new_are_refused(address, later):
    """In one line, whether a program starts or migrates; so is the way back, which only the newer program knows."""
    later("0003", lambda: migrations.upgrade(address))
    later("0003", lambda: migrations.refuse_other(address))
    for act in (migrations.refuse_other, migrations.upgrade):
        with pytest.raises(DatabaseError, match=r"install the newer release: .* 0003, too new for this program's"):
            act(address)
    with pytest.raises(DatabaseError, match="no way back from revision 0003 to 'base'"):
        migrations.downgrade(address, "base")


def test_tables_that_are_too_old_are_refused(address, later):
    """A program that needs newer tables says which command makes them."""
    with pytest.raises(
        DatabaseError, match=r"run `equiproof service migrate`: .* of revision 0002, this program's of 0003"
    ):
        later("0002", lambda: migrations.refuse_other(address))
    with pytest.raises(DatabaseError, match="no way back from revision 0002 to '0007'"):
        migrations.downgrade(address, "0007")


@pytest.mark.parametrize("address", ["sqlite"], indirect=True)
def test_a_change_that_breaks_rows_is_undone(service, address, rows, later):
    """SQLite looks at no reference while tables are written anew: all of them are looked at before the end."""
    service.post(rows[0])
    with service.shared.database.engine.connect() as connection:
        connection.connection.cursor().execute("pragma foreign_keys = off")
        connection.execute(text("update transitions set decision_id = 'nobody'"))
        connection.commit()
    with pytest.raises(DatabaseError, match="a row of transitions names one of decisions that is not there"):
        later("0002", lambda: migrations.upgrade(address))
    migrations.refuse_other(address)
    assert "tags" not in tables(address)


@pytest.mark.parametrize("kind", KINDS)
def test_many_programs_that_start_at_once(empty, kind):
    """One of them makes the tables; the others wait for it."""
    address = empty(kind)
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda _: migrations.upgrade(address), range(4)))
    assert differences(address) == []
