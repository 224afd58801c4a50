"""The trail: a line for each act in the act's own transaction, and no line changed, left out or cut off unnoticed."""

import csv
import json
import threading

import pytest
from sqlalchemy import text
from sqlalchemy.exc import DBAPIError

from equiproof.service.store.tables import TrailLine
from equiproof.service.trail import (
    BEGINNING,
    DAY,
    Act,
    Channel,
    Who,
    address_digest,
    hash_of,
    note,
    note_settings,
    prune,
)
from equiproof.service.trail_check import Checked, Head, TrailError, checked
from equiproof.service.trail_reading import Form, Wanted, listed, written
from equiproof.service.vault import new_line, parse_vault
from tests.service.databases import BOTH

SQLITE = pytest.mark.parametrize("address", ["sqlite"], indirect=True)
ADA = Who(Channel.SESSION, "a" * 32, "b" * 32)
FREE = {
    "sqlite": ["drop trigger trail_unchanged", "drop trigger trail_kept"],
    "postgresql": ["alter table trail disable trigger user"],
}
"""What whoever owns the database does first."""


@pytest.fixture
def trail(service):
    """The database of a service whose trail has ten lines, one a day."""
    with service.shared.database.transaction() as session:
        for day in range(1, 11):
            note(session, Act.DETAILS, ADA, day * DAY, about=f"{day:032x}")
    return service.shared.database


def run(database, *statements):
    with database.transaction() as session:
        for statement in statements:
            session.execute(text(statement))


def tampered(database, *statements):
    run(database, *FREE[database.engine.dialect.name], *statements)


def found(database, *heads):
    with database.reading() as session:
        return checked(session, heads)


def head_of(database, number):
    with database.reading() as session:
        return Head(number, session.get(TrailLine, number).hash)


@BOTH
def test_a_whole_trail_is_whole(trail):
    """Also beside heads of any of its lines."""
    seen = found(trail, *(head_of(trail, number) for number in (1, 5, 10)))
    assert (seen.faults, seen.first, seen.lines, seen.head) == ([], 1, 10, head_of(trail, 10))
    assert seen.old == 0


def test_no_trail_is_whole_until_a_head_says_otherwise(service):
    """Nothing was done yet, or all was deleted."""
    assert found(service.shared.database) == Checked()
    assert found(service.shared.database, Head(3, "a" * 64)).faults == [
        "the trail is cut: lines 1 to 3 are missing, which a head names"
    ]


SWAP = (
    "update trail set number = 100 where number = 4",
    "update trail set number = 4 where number = 5",
    "update trail set number = 5 where number = 100",
)


@BOTH
@pytest.mark.parametrize(
    ("statements", "said"),
    [
        (["update trail set actor = 'c' where number = 4"], "line 4 was changed"),
        (["update trail set at = at + 1 where number = 10"], "line 10 was changed"),
        (["delete from trail where number = 4"], "lines 4 to 4 are missing"),
        (["delete from trail where number <= 4"], "lines 1 to 4 are missing, and no line says that they were pruned"),
        (SWAP, "line 4 was changed"),
        (
            ["delete from trail where number = 4", "update trail set number = number - 1 where number = 5"],
            "line 4 does not follow the line before it",
        ),
    ],
)
def test_what_was_tampered_with_is_noticed(trail, statements, said):
    """A line changed, also the newest, one left out in the middle or at the beginning, two in another order."""
    tampered(trail, *statements)
    assert any(said in fault for fault in found(trail).faults), found(trail).faults


@BOTH
def test_a_line_that_is_chained_anew_breaks_the_next(trail):
    """Whoever can compute hashes has to write all that follow anew, and then a head that was kept says so."""
    kept = head_of(trail, 10)
    tampered(trail)
    with trail.transaction() as session:
        before = session.get(TrailLine, 3).hash
        row = session.get(TrailLine, 4)
        row.actor = "c" * 32
        row.before, row.hash = before, hash_of(row)
    assert "line 5 does not follow the line before it: one of the two was changed" in found(trail).faults
    with trail.transaction() as session:
        before = session.get(TrailLine, 4).hash
        for number in range(5, 11):
            row = session.get(TrailLine, number)
            row.before = before
            before = row.hash = hash_of(row)
    assert found(trail).faults == []
    assert found(trail, kept).faults == ["line 10 is another one than a head names"]


@BOTH
def test_a_trail_that_is_cut_at_its_end_is_noticed_by_a_head(trail):
    """Nothing in the database can say it; new lines in the place of the old ones change nothing of that."""
    kept = head_of(trail, 9)
    tampered(trail, "delete from trail where number > 7")
    assert found(trail).faults == []
    assert found(trail, kept).faults == ["the trail is cut: lines 8 to 9 are missing, which a head names"]
    with trail.transaction() as session:
        for _ in range(3):
            note(session, Act.SIGN_OUT, ADA, 11 * DAY)
    assert found(trail, kept).faults == ["line 9 is another one than a head names"]


@BOTH
@pytest.mark.parametrize(
    "statement", ["update trail set actor = 'c' where number = 4", "delete from trail where number = 4"]
)
def test_the_database_itself_refuses(trail, statement):
    """To whoever does not take its triggers away first."""
    with pytest.raises(DBAPIError, match="lines are only added"):
        run(trail, statement)
    assert found(trail).faults == []


@pytest.mark.parametrize("address", [pytest.param("postgres", marks=pytest.mark.slow)], indirect=True)
def test_nor_is_it_emptied(trail):
    """SQLite has no such statement."""
    with pytest.raises(DBAPIError, match="lines are only added"):
        run(trail, "truncate trail")


@BOTH
def test_what_is_pruned_leaves_a_trail_that_can_be_checked(trail):
    """A line says up to which; heads of those before are counted, and the head of the last of them is compared."""
    old, last, newest = (head_of(trail, number) for number in (2, 6, 10))
    with trail.transaction() as session:
        assert prune(session, 3, ADA, 10 * DAY + 1) == 7
        assert prune(session, 3, ADA, 10 * DAY + 1) == 0
    seen = found(trail, old, last, newest)
    assert (seen.faults, seen.first, seen.lines, seen.old) == ([], 8, 4, 2)
    with trail.reading() as session:
        row = session.get(TrailLine, 11)
    assert (row.act, row.about, row.actor) == ("prune", "7", ADA.actor)
    edge = Head(7, row.detail)
    assert found(trail, edge).faults == []
    assert found(trail, Head(7, "0" * 64)).faults == ["line 7 is another one than a head names"]
    with pytest.raises(DBAPIError, match="lines are only added"):
        run(trail, "delete from trail where number = 8")
    tampered(trail, "delete from trail where number = 8")
    assert found(trail).faults[0] == "lines 1 to 8 are missing, and no line says that they were pruned"


@BOTH
def test_all_lines_may_be_pruned_but_the_one_that_says_so(trail):
    """A clock of much later prunes all; the chain goes on."""
    with trail.transaction() as session:
        assert prune(session, 3, ADA, 1000 * DAY) == 10
        note(session, Act.SIGN_IN, ADA, 1000 * DAY)
        assert prune(session, 3, ADA, 2000 * DAY) == 2
    seen = found(trail)
    assert (seen.faults, seen.first, seen.lines) == ([], 13, 1)


@SQLITE
def test_an_act_that_is_undone_leaves_no_line(trail):
    """Both are one transaction."""

    def act():
        with trail.transaction() as session:
            note(session, Act.ERASE, ADA, 11 * DAY)
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        act()
    assert found(trail).head.number == 10


@BOTH
def test_two_at_once_write_one_after_the_other(trail):
    """No number twice, no line that does not follow."""

    def write():
        for _ in range(10):
            with trail.transaction() as session:
                note(session, Act.DETAILS, ADA, 12 * DAY)

    writers = [threading.Thread(target=write) for _ in range(4)]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()
    assert (found(trail).faults, found(trail).lines) == ([], 50)


@SQLITE
def test_settings_have_a_line_when_they_are_others(service):
    """Not with each start; the line holds nothing that could be guessed from without the vault's key."""
    shared = service.shared
    other = parse_vault(new_line("other"), "vault")
    for vault in (shared.holders.vault, shared.holders.vault, other):
        with shared.database.transaction() as session:
            note_settings(session, shared.settings, vault, service.clock())
    with shared.database.reading() as session:
        rows, _ = listed(session, Wanted(act=Act.SETTINGS), "", 50)
    assert len(rows) == 2
    assert rows[0].detail != rows[1].detail
    assert {row.channel for row in rows} == {"process"}


@SQLITE
def test_addresses_are_digests_under_the_vaults_key(service):
    """The same address gives the same one; without the key none can be tried."""
    vault, other = service.shared.holders.vault, parse_vault(new_line("other"), "vault")
    assert address_digest(vault, "192.0.2.7") == address_digest(vault, "192.0.2.7")
    assert address_digest(vault, "192.0.2.7") != address_digest(vault, "192.0.2.8")
    assert address_digest(vault, "192.0.2.7") != address_digest(other, "192.0.2.7")


@SQLITE
def test_lines_are_found_and_paged(trail):
    """The newest first; what is no cursor is the beginning."""
    with trail.transaction() as session:
        note(session, Act.PURGE, Who(Channel.COMMAND, "uid-0"), 5 * DAY)
    with trail.reading() as session:
        first, after = listed(session, Wanted(), "", 4)
        second, _ = listed(session, Wanted(), after, 4)
        every = [listed(session, Wanted(), cursor, 50)[0] for cursor in ("x", "0", "1' or 1")]
        narrow = [
            Wanted(actor="uid-0"),
            Wanted(act=Act.PURGE),
            Wanted(about=f"{4:032x}"),
            Wanted(since=4 * DAY, until=5 * DAY),
        ]
        numbers = [[row.number for row in listed(session, one, "", 50)[0]] for one in narrow]
    assert ([row.number for row in first], after) == ([11, 10, 9, 8], "8")
    assert [row.number for row in second] == [7, 6, 5, 4]
    assert [len(one) for one in every] == [11, 11, 11]
    assert numbers == [[11], [11], [4], [4]]


@SQLITE
def test_exports_have_every_line(trail):
    """JSON lines give the hash of each line back by themselves; the table has the same lines."""
    with trail.reading() as session:
        lines = [json.loads(line) for line in written(session, Wanted(), Form.JSONL).splitlines()]
        table = list(csv.DictReader(written(session, Wanted(), Form.CSV).decode().splitlines()))
    before = BEGINNING
    for line in lines:
        own = line.pop("hash")
        assert line["before"] == before
        assert hash_of(TrailLine(**line)) == own
        before = own
    assert [row["hash"] for row in table][-1] == before
    assert [(row["number"], row["act"]) for row in table] == [(str(one["number"]), one["act"]) for one in lines]
    assert table[0]["time"] == "1970-01-02T00:00:00.000000+00:00"


@pytest.mark.parametrize("words", ["", "3", "3:", f"0:{'a' * 64}", f"3:{'A' * 64}", f"-1:{'a' * 64}", "9" * 100])
def test_what_is_no_head_is_refused(words):
    """In one line."""
    with pytest.raises(TrailError, match="want NUMBER:HASH"):
        Head.parse(words)
