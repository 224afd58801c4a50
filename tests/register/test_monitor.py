"""Following a log: what is told, what is kept, and every way in which a log can contradict itself."""

import base64

import pytest

from equiproof.register import monitor as monitors
from equiproof.register.errors import HistoryError, LogError
from equiproof.register.holdings import pair_of
from equiproof.register.kept import Kept
from equiproof.register.log import Log
from equiproof.register.monitor import Monitor, parse_state
from equiproof.verifier.checkpoint import open_checkpoint
from equiproof.verifier.entries import box_entry, certificate_entry
from equiproof.verifier.errors import CertificateFormatError
from equiproof.verifier.merkle import MerkleError, check_consistency
from tests.register.log_folder import LogFolder
from tests.register.samples import LOG, OTHER_LOG, commitment, decision, decisions, digest, head, key, link, retire


@pytest.fixture
def log(tmp_path):
    """A log of nine decisions."""
    log = LogFolder(tmp_path / "log", LOG)
    log.append(*decisions(0, 9))
    return log


def look(log, state, owner=None, signer=LOG):
    """Look at a log once with the state in a file; return the parts."""
    with Kept(state) as kept:
        return list(Monitor(Log(str(log.root), signer.verifier), kept, owner).update())


def texts(parts):
    """Return every line that was told."""
    return [event.text for part in parts for event in part.events]


def evidence(error):
    """Return the signed checkpoints of a contradiction, each opened under the log's key."""
    files = (error.value.evidence / "kept.checkpoint", error.value.evidence / "shown.checkpoint")
    return [open_checkpoint(path.read_bytes(), LOG.verifier).checkpoint for path in files]


def test_new_entries_are_told_once(log, tmp_path):
    """The first look reads all, the next ones what is new, and one without news nothing."""
    state = tmp_path / "state"
    (part,) = look(log, state)
    assert (part.size, part.read, part.decisions, part.events) == (9, 9, 9, ())
    log.append(commitment("North Bank", 1), key("North Bank", 2, transcript=3), decision(50))
    (part,) = look(log, state)
    assert (part.read, part.decisions) == (12, 1)
    assert texts([part]) == [
        f'entry 9: new commitment of "North Bank", from 2026-03-01: {digest(1)}',
        f'entry 10: new key of "North Bank", with the transcript {digest(3)}: {digest(2)}',
    ]
    assert look(log, state) == []


def test_certificates_and_trails_are_passed_over(log, tmp_path):
    """They are no decisions, and nothing that an owner holds: nothing is told of them."""
    state = tmp_path / "state"
    look(log, state)
    log.append(certificate_entry(b"one").data, decision(50), head(51))
    (part,) = look(log, state)
    assert (part.read, part.decisions, part.events) == (12, 1, ())


def test_box_certificates_are_listed(log, tmp_path):
    """Each has a line of its own kind, and is no decision, and nothing of an owner's."""
    state = tmp_path / "state"
    look(log, state)
    entry = box_entry(b"one")
    log.append(entry.data, certificate_entry(b"one").data)
    (part,) = look(log, state)
    assert texts([part]) == [f"entry 9: new box certificate: {entry.box}"]
    assert part.events[0].document() == {"event": "box", "index": 9, "box": entry.box}
    assert (part.read, part.decisions) == (11, 0)
    assert parse_state(state.read_bytes(), "state").owners == {}
    log.append(box_entry(b"two").data, commitment("North", 1))
    assert texts(look(log, tmp_path / "north", "North")) == [
        f"entry 12: new commitment of North, from 2026-03-01: {digest(1)}"
    ]


def test_retired_commitments_and_keys_are_told(log, tmp_path):
    """What is used no more is told with its reason and successor, and is valid no more."""
    state = tmp_path / "state"
    log.append(commitment("North", 1), key("North", 2))
    look(log, state)
    log.append(retire("North", 1, successor=5), retire("North", 2, "key"))
    told = texts(look(log, state))
    assert told == [
        f"entry 11: commitment of North retired: {digest(1)}: a new model; successor {digest(5)}",
        f"entry 12: key of North retired: {digest(2)}: a new model; no successor",
    ]
    assert parse_state(state.read_bytes(), "state").owners == {}


def test_two_commitments_of_one_owner_are_said(log, tmp_path):
    """Two that are valid at one time are said; of two owners, or where the first one was retired with it, nothing."""
    state = tmp_path / "state"
    log.append(commitment("North", 1), commitment("South", 2))
    assert not any("at one time" in line for line in texts(look(log, state)))
    log.append(commitment("South", 3), retire("South", 2))
    assert not any("at one time" in line for line in texts(look(log, state)))
    log.append(commitment("North", 4, "2026-04-01"))
    assert texts(look(log, state))[-1] == (
        f"North has 2 commitments at one time: {digest(1)} (from 2026-03-01), {digest(4)} (from 2026-04-01)"
    )


def test_a_second_link_of_one_commitment_and_key_is_told(log, tmp_path):
    """Also once the commitment was retired, and by another owner; the same link of another owner is no second one."""
    state = tmp_path / "state"
    pair = f"of the commitment {digest(1)} under the key {digest(2)}"
    log.append(link("North", 7), link("North", 8, key=3), link("North", 9, commitment=3), retire("North", 1))
    told = [event for part in look(log, state) for event in part.events]
    assert [event.what for event in told][-4:] == ["link", "link", "link", "retired"]
    assert told[-4].text == f"entry 9: new link of North, {pair}: {digest(7)}"
    log.append(link("South", 7), link("North", 10), link("South", 11))
    again, second, others = (event for part in look(log, state) for event in part.events)
    assert again.what == "link"
    assert (second.what, others.what) == ("link-twice", "link-twice")
    assert second.text == f"entry 14: second link of North, {pair}: {digest(10)}; the first is {digest(7)} of North"
    assert second.document()["first"] == others.document()["first"] == digest(7)
    assert parse_state(state.read_bytes(), "state").owners["North"].links[pair_of(digest(1), digest(2))] == digest(7)


def test_a_state_without_links_is_that_of_before(log, tmp_path):
    """A monitor of an owner without kept keys writes the state that it wrote, and reads it."""
    state = tmp_path / "state"
    log.append(commitment("North", 1))
    look(log, state)
    assert b"links" not in state.read_bytes()
    log.append(link("North", 7))
    assert [event.what for part in look(log, state) for event in part.events] == ["link"]
    assert b"links" in state.read_bytes()


def test_nobody_retires_what_is_anothers(log, tmp_path):
    """An entry of another owner ends nothing: it is told as one about what was not valid."""
    state = tmp_path / "state"
    log.append(commitment("North", 1), retire("South", 1))
    assert "retired, which was not valid before" in texts(look(log, state))[1]
    assert list(parse_state(state.read_bytes(), "state").owners) == ["North"]


def test_one_owner_is_followed(log, tmp_path):
    """With an owner, the others are neither told nor kept; the state goes on for that owner alone."""
    state = tmp_path / "state"
    log.append(commitment("North", 1), commitment("South", 2))
    assert len(texts(look(log, state, "South"))) == 1
    with pytest.raises(LogError, match="kept for South"):
        look(log, state)


def test_an_entry_of_no_kind_is_told(log, tmp_path):
    """Bytes that are no entry are said to be, in one safe line, and the rest is read."""
    log.append(b'{"format":"\x1b[31m"}', b"\xff\x00", commitment("North", 1))
    told = texts(look(log, tmp_path / "state"))
    assert len(told) == 3
    assert told[0].startswith("no entry of a known kind: entry 9: ")
    assert all(line.isprintable() for line in told)


def test_a_fork_is_kept_as_evidence(log, tmp_path):
    """A tree that does not go on from the kept one: both checkpoints are kept, with the path that shows it."""
    state = tmp_path / "state"
    log.append(commitment("North", 1))
    look(log, state)
    fork = log.forked(tmp_path / "fork", 9)
    fork.append(commitment("North", 2), decision(90))
    before = state.read_bytes()
    with pytest.raises(HistoryError, match="signed two histories: the tree of 11 entries") as error:
        look(fork, state)
    kept, shown = evidence(error)
    assert (kept.size, shown.size) == (10, 11)
    first, *lines = (error.value.evidence / "start.txt").read_text().splitlines()
    root, *path = map(base64.b64decode, lines)
    assert first == "old 10"
    check_consistency((10, root), (11, shown.root), path)
    assert root != kept.root
    with pytest.raises(MerkleError):
        check_consistency((10, kept.root), (11, shown.root), path)
    assert state.read_bytes() == before
    with pytest.raises(HistoryError):  # it is said again, and kept once
        look(fork, state)
    assert len(list(tmp_path.glob("*.evidence-*"))) == 1


def test_two_trees_of_one_size_are_a_fork(log, tmp_path):
    """Two signed roots of one size contradict each other by themselves."""
    state = tmp_path / "state"
    look(log, state)
    fork = log.forked(tmp_path / "fork", 8)
    fork.append(decision(90))
    with pytest.raises(HistoryError, match="two trees of 9 entries") as error:
        look(fork, state)
    kept, shown = evidence(error)
    assert kept.size == shown.size == 9
    assert kept.root != shown.root


def test_a_log_that_goes_back_is_found(log, tmp_path):
    """A smaller tree than the kept one, honestly signed, is a rollback."""
    state, old = tmp_path / "state", log.checkpoint(5)
    look(log, state)
    (log.root / "checkpoint").write_bytes(old)
    with pytest.raises(HistoryError, match="went back: it showed 9 entries, and now 5") as error:
        look(log, state)
    assert [one.size for one in evidence(error)] == [9, 5]


def test_monitors_who_were_shown_two_histories_find_out(log, tmp_path):
    """Two monitors that see nothing wrong alone: the one's checkpoint shows it to the other, whoever has more."""
    fork = log.forked(tmp_path / "fork", 9)
    log.append(commitment("North", 1), decision(91))
    fork.append(commitment("North", 2))
    one, two = tmp_path / "one", tmp_path / "two"
    look(log, one)
    look(fork, two)
    with Kept(one) as kept:
        monitor = Monitor(Log(str(log.root), LOG.verifier), kept)
        monitor.compare(log.checkpoint(9), "their.checkpoint")
        with pytest.raises(HistoryError, match="two histories of its first 10 entries") as error:
            monitor.compare(fork.checkpoint(), "their.checkpoint")
        assert [found.size for found in evidence(error)] == [10, 11]
        with pytest.raises(LogError, match=r"their.checkpoint: .*signature"):
            monitor.compare(OTHER_LOG.sign(log.text()).encode(), "their.checkpoint")
    with Kept(two) as kept, pytest.raises(LogError, match=r"10 entries are shown here, and 11 by their\.checkpoint"):
        Monitor(Log(str(fork.root), LOG.verifier), kept).compare(log.checkpoint(), "their.checkpoint")


def test_a_monitor_that_dies_tells_the_part_again(log, tmp_path, monkeypatch):
    """Parts are kept after they were told: what was interrupted is told again, nothing twice that was kept."""
    monkeypatch.setattr(monitors, "PART", 4)
    state = tmp_path / "state"
    with Kept(state) as kept:
        parts = Monitor(Log(str(log.root), LOG.verifier), kept).update()
        assert [next(parts).read, next(parts).read] == [4, 8]  # the second one is told, and never kept
        parts.close()
    assert [part.read for part in look(log, state)] == [8, 9]


def test_entries_that_are_not_the_trees_are_refused(log, tmp_path):
    """Files of entries that were changed, with tiles left as they were, are damage and no news."""
    log.append(commitment("North", 1))
    bundle = log.root / "tile/entries/000.p/10"
    bundle.write_bytes(bundle.read_bytes().replace(b"North", b"South"))
    with pytest.raises(LogError, match="entries 0 to 9 are not those of the checkpoint's tree"):
        look(log, tmp_path / "state")


def test_a_damaged_log_accuses_nobody(log, tmp_path):
    """Tiles that do not hash to the new checkpoint are damage, not a fork: nothing is kept as evidence."""
    state = tmp_path / "state"
    look(log, state)
    log.append(*decisions(20, 23))
    tile = log.root / "tile/0/000.p/12"
    tile.write_bytes(b"\x00" * len(tile.read_bytes()))
    with pytest.raises(LogError, match="do not hash to the root"):
        look(log, state)
    assert not list(tmp_path.glob("*.evidence-*"))


def test_a_state_is_one_processs_and_one_logs(log, tmp_path):
    """A state that is held, damaged, or of another log is refused; its key is pinned from the first look."""
    state = tmp_path / "state"
    look(log, state)
    with Kept(state), pytest.raises(LogError, match="another process"):
        look(log, state)
    with pytest.raises(LogError, match="another log's monitor"):
        look(log, state, signer=OTHER_LOG)
    assert state.stat().st_mode & 0o777 == 0o600
    state.write_bytes(state.read_bytes()[:-1])
    with pytest.raises(LogError, match="not valid JSON"):
        look(log, state)


def test_a_state_with_another_edge_is_refused():
    """The number of subtrees follows from the number of entries."""
    good = (
        b'{"checkpoint":"","decisions":0,"format":"equiproof-monitor","log":"x","owner":null,"owners":{},'
        b'"peaks":["' + b"0" * 64 + b'"],"read":1,"version":1}'
    )
    assert parse_state(good, "state").read == 1
    for wrong in (good.replace(b'"read":1', b'"read":3'), good.replace(b"00", b"0"), good.replace(b":1,", b":-1,")):
        with pytest.raises(CertificateFormatError):
            parse_state(wrong, "state")


def test_long_entries_are_read_in_small_parts(log, tmp_path, monkeypatch):
    """A log of the longest entries that can be fills no memory: a part ends with the entry that makes it too long."""
    monkeypatch.setattr("equiproof.register.monitor.PART_BYTES", 3 * len(decision(0)) - 1)
    parts = look(log, tmp_path / "state")
    assert [part.read for part in parts] == [3, 6, 9]
    assert sum(part.decisions for part in parts) == 9


def test_a_state_never_grows_past_what_is_read(log, tmp_path, monkeypatch):
    """Owners with long names fill a state before there are many of them: the one that can be read stays."""
    look(log, tmp_path / "state")
    before = (tmp_path / "state").read_bytes()
    monkeypatch.setattr("equiproof.register.monitor.MAX_DOCUMENT_BYTES", len(before) + 900)
    log.append(*(commitment(f"{number} {'x' * 190}", number) for number in range(4)))
    with pytest.raises(LogError, match="follow one owner"):
        look(log, tmp_path / "state")
    with pytest.raises(LogError, match="follow one owner"):
        look(log, tmp_path / "state")
    assert parse_state((tmp_path / "state").read_bytes(), "state").read == 9


def test_more_than_a_state_holds_is_said(log, tmp_path, monkeypatch):
    """A log of very many commitments ends with one line that names the way out."""
    monkeypatch.setattr("equiproof.register.holdings.MOST", 3)
    log.append(*(commitment("North", number) for number in range(4)), commitment("South", 9))
    with pytest.raises(LogError, match="follow one owner"):
        look(log, tmp_path / "state")
    assert len(look(log, tmp_path / "other", "South")) == 1
