"""The trail's head in the public log: one a day, which tells nothing, and by which no cut goes unnoticed."""

import json

import pytest

from equiproof.cli.main import run as run_command
from equiproof.register.errors import LogError
from equiproof.service import public_log as public
from equiproof.service.initial import Choice, make_service
from equiproof.service.models import Models
from equiproof.service.outbox import Sender
from equiproof.service.public_log import PublicLog
from equiproof.service.settings import LenderSettings, LogSettings, load_settings
from equiproof.service.starting import prepare
from equiproof.service.store.database import Database
from equiproof.service.store.tables import TrailLine
from equiproof.service.trail import DAY, Act, note, prune
from equiproof.service.trail_check import Published, checked
from equiproof.service.trail_heads import TrailHeads, published
from equiproof.verifier.entries import TrailEntry, parse_entry
from tests.register.samples import digest, head
from tests.service.databases import BOTH
from tests.service.test_outbox import log  # noqa: F401 -- a fixture
from tests.service.test_trail import ADA, run, tampered

OWNER = "North Bank"
NOON = 20_000 * DAY + DAY // 2


def public_log(log):  # noqa: F811
    return PublicLog(str(log.folder.root), log.pins, log.append)


def sender(service, log, **more):  # noqa: F811
    return Sender(service.shared.database, Models(), public_log(log), OWNER, **more)


def heads(log):  # noqa: F811
    """Return the heads that the log has, and publish a checkpoint of them."""
    log.folder.publish()
    return published(public_log(log), OWNER)


def lines(service):
    with service.shared.database.reading() as session:
        return list(session.query(TrailLine).order_by(TrailLine.number))


def act(service, at):
    with service.shared.database.transaction() as session:
        return note(session, Act.DETAILS, ADA, at, about="d" * 32).hash


def found(service, logged):
    with service.shared.database.reading() as session:
        return checked(session, (), logged)


@pytest.fixture
def days(service, log):  # noqa: F811
    """A service with three days of lines, whose heads the log has: two acts and a head on each day."""
    heads = TrailHeads(service.shared.database, public_log(log).append, OWNER)
    for day in range(3):
        act(service, NOON + day * DAY)
        act(service, NOON + day * DAY)
        assert heads.append(NOON + day * DAY + 1) == 1
    return service


@BOTH
def test_one_head_a_day_where_the_operator_wants_it(service, log):  # noqa: F811
    """It is the hash of a line of its own; without the setting there is neither line nor entry."""
    sender(service, log).step(NOON)
    assert heads(log) == []
    assert [row.act for row in lines(service)] == []
    sending = sender(service, log, with_trail=True)
    for at in (NOON, NOON + 1, NOON + 2, NOON + DAY, NOON + DAY + 1):
        sending.step(at)
    first, second = lines(service)
    assert (first.act, first.channel, first.at, second.at) == ("publish", "process", NOON, NOON + DAY)
    assert [one.hash for one in heads(log)] == [first.hash, second.hash]


def test_a_head_says_nothing_of_the_lines(days, log):  # noqa: F811
    """Its line has a random detail, another one each day: whoever guesses all other values cannot compare."""
    details = {row.detail for row in lines(days) if row.act == "publish"}
    assert len(details) == 3
    assert all(len(bytes.fromhex(detail)) == 32 for detail in details)
    entry = parse_entry(log.folder.entries[-1], "entry")
    assert isinstance(entry, TrailEntry)
    assert (entry.owner, entry.head) == (OWNER, lines(days)[-1].hash)


def test_a_log_that_is_away_gets_the_head_later(service, log):  # noqa: F811
    """Its line is written once, and sent again: after days, and by a process that starts anew."""
    heads_ = TrailHeads(service.shared.database, public_log(log).append, OWNER)
    log.away = 3
    for at in (NOON, NOON + 1, NOON + 2 * DAY):
        with pytest.raises(LogError, match="away"):
            heads_.append(at)
    (row,) = lines(service)
    again = TrailHeads(service.shared.database, public_log(log).append, OWNER)
    assert [again.append(NOON + 2 * DAY) for _ in range(3)] == [1, 1, 0]
    assert [one.hash for one in heads(log)] == [row.hash, lines(service)[-1].hash]
    assert heads_.append(NOON + 2 * DAY) == 1  # of another process, which sends what the log has already
    assert len(heads(log)) == len(lines(service)) == 2


@BOTH
def test_a_trail_that_agrees_with_the_log_is_whole(days, log):  # noqa: F811
    """Also beside heads of other owners, and before anything was published."""
    log.folder.append(head(7, "Another Bank"))
    seen = found(days, heads(log))
    assert (seen.faults, seen.logged, seen.old) == ([], 3, 0)
    assert found(days, []).faults == []


CUT = "no line has the head that entry {} of the public log states"


@BOTH
@pytest.mark.parametrize(
    ("statement", "entries"),
    [
        ("delete from trail where number > 7", [2]),
        ("delete from trail where number >= 6", [1, 2]),
        ("delete from trail where number > 0", [0, 1, 2]),
    ],
)
def test_a_trail_that_is_cut_before_a_head_is_noticed(days, log, statement, entries):  # noqa: F811
    """Nothing else in the database says it, also with new lines in the place of the old ones."""
    tampered(days.shared.database, statement)
    assert found(days, []).faults == []
    for _ in range(2):
        faults = found(days, heads(log)).faults
        assert [fault.partition(":")[0] for fault in faults] == [CUT.format(entry) for entry in entries]
        act(days, NOON + 3 * DAY)


@BOTH
def test_a_trail_that_is_written_anew_is_noticed(days, log):  # noqa: F811
    """From the first line on, with the same number of lines, or as if all before had been pruned."""
    logged = heads(log)
    tampered(days.shared.database, "delete from trail where number > 0")
    for _ in range(9):
        act(days, NOON)
    assert len(found(days, logged).faults) == 3
    with days.shared.database.transaction() as session:
        assert prune(session, 1, ADA, NOON + 5 * DAY) == 9
    seen = found(days, logged)
    assert (len(seen.faults), seen.first, seen.logged) == (3, 10, 0)


@BOTH
def test_heads_of_pruned_lines_are_old(days, log):  # noqa: F811
    """Those before the first that is there; the hash of the last pruned line counts as there; one between is missed."""
    with days.shared.database.transaction() as session:
        assert prune(session, 1, ADA, NOON + 2 * DAY) == 3
    seen = found(days, heads(log))
    assert (seen.faults, seen.logged, seen.old, seen.first) == ([], 3, 0, 4)
    with days.shared.database.transaction() as session:
        assert prune(session, 1, ADA, NOON + 2 * DAY + 2) == 3
    seen = found(days, heads(log))
    assert (seen.faults, seen.logged, seen.old) == ([], 2, 1)
    between = [*heads(log)[:2], Published(7, digest(1)), *heads(log)[2:]]
    assert found(days, between).faults[0].startswith(CUT.format(7))


def test_heads_that_were_all_pruned_are_told_with_that_cause(days, log):  # noqa: F811
    """The setting was off for longer than lines are kept; once the log has another head, the others are old."""
    logged = heads(log)
    act(days, NOON + 9 * DAY)
    assert "`purge`" not in found(days, [Published(7, digest(1))]).faults[0]
    with days.shared.database.transaction() as session:
        assert prune(session, 1, ADA, NOON + 9 * DAY) == 9
    act(days, NOON + 10 * DAY)
    with days.shared.database.transaction() as session:
        prune(session, 1, ADA, NOON + 11 * DAY)
    seen = found(days, logged)
    assert (len(seen.faults), seen.logged, seen.old) == (3, 0, 0)
    for fault in seen.faults:
        assert "not sent for longer than trail_days, and `purge` deleted the lines of all of them" in fault
        assert len(fault) <= 400
    assert TrailHeads(days.shared.database, public_log(log).append, OWNER).append(NOON + 11 * DAY) == 1
    seen = found(days, heads(log))
    assert (seen.faults, seen.logged, seen.old) == ([], 1, 3)


def test_heads_before_the_first_line_are_missed_where_nothing_was_pruned(days, log):  # noqa: F811
    """The first line is there, so that every head of this trail is of a line that must be there."""
    assert found(days, [Published(0, digest(1)), *heads(log)]).faults[0].startswith(CUT.format(0))


@pytest.fixture
def settings(tmp_path, log):  # noqa: F811
    """The settings file of a service of which the log has a head, and its database."""
    for name, key in (("log.pub", log.pins.log.text), ("witness.pub", "")):
        (tmp_path / name).write_text(f"{key}\n")
    place = LogSettings("http://127.0.0.1:9", str(tmp_path / "log.pub"), trail=True)
    prepare(make_service(tmp_path / "service", Choice(LenderSettings(OWNER), log=place)))
    path = tmp_path / "service" / "service.toml"
    with Database(load_settings(path).database) as database:
        heads_ = TrailHeads(database, public_log(log).append, OWNER)
        assert [heads_.append(NOON), heads_.append(NOON + DAY)] == [1, 1]
    log.folder.publish()
    return path


def test_the_command_compares_with_the_log(settings, log, monkeypatch, capsys):  # noqa: F811
    """Exit code 0 and a count, and 2 once the newest lines are gone; without the option nothing is noticed."""
    monkeypatch.setattr(public, "PublicLog", lambda *_: public_log(log))
    assert load_settings(settings).log.trail
    words = ["service", "trail", "check", "--settings", str(settings)]
    assert run_command([*words, "--compare-log"]) == 0
    assert "2 of 2 heads in the public log are of lines of this trail" in capsys.readouterr().out
    with Database(load_settings(settings).database) as database:
        run(database, "drop trigger trail_kept", "delete from trail where number = 2")
    assert run_command([*words, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["logged"] is None
    assert run_command([*words, "--compare-log", "--json"]) == 2
    document = json.loads(capsys.readouterr().out)
    assert (document["whole"], document["logged"]) == (False, 1)
    assert document["faults"][0].startswith(CUT.format(1))


def test_without_a_log_there_is_nothing_to_compare_with(tmp_path, capsys):
    """One line that says what to write."""
    prepare(make_service(tmp_path / "service", Choice(LenderSettings(OWNER))))
    path = str(tmp_path / "service" / "service.toml")
    assert run_command(["service", "trail", "check", "--compare-log", "--settings", path]) == 2
    assert "write a section `log`, or leave --compare-log out" in capsys.readouterr().err
