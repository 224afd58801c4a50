"""`equiproof log`: entries, proofs, and what is said where a log cannot be used."""

import hashlib
import io
import json
import signal
import subprocess
import sys

import pytest

from equiproof.circuits.exit_codes import FORKED, INTERRUPTED, MISUSED
from equiproof.register.monitor import parse_state
from equiproof.register.program import VARIABLE
from equiproof.verifier.checkpoint import open_checkpoint
from equiproof.verifier.documents import load_commitment
from equiproof.verifier.entries import commitment_digest, parse_entry
from equiproof.verifier.merkle import check_inclusion, leaf_hash
from equiproof.verifier.notes import Signer
from equiproof.verifier.tlog_proof import parse_tlog_proof
from tests.cli.forked import forked
from tests.pins import FOLDER
from tests.register.log_folder import LogFolder
from tests.register.parties import running
from tests.register.receipt_folder import checked, folder_of, receipt
from tests.register.samples import LOG, OTHER_LOG, decision, decisions

COMMITMENT, CERTIFICATE = (FOLDER / "loans" / f"{name}.json" for name in ("commitment", "certificate"))
KEY = next((FOLDER / "loans" / "keys").iterdir())


@pytest.fixture
def log(tmp_path):
    """A log of some decisions."""
    log = LogFolder(tmp_path / "log", LOG)
    log.append(*decisions(0, 5))
    return log


def made(cli, folder, *words):
    """Make an entry; return its file and the entry, read."""
    out = folder / "entry.json"
    outcome = cli("log", "entry", *words, "--owner", "North Bank", "--out", out, "--force", "--json")
    assert outcome.code == 0, outcome.err
    entry = parse_entry(out.read_bytes(), "entry")
    assert outcome.document["name"] == entry.name
    return out, entry


def test_entries_are_made_from_an_owners_files(tmp_path, cli):
    """Commitment, key, and both retired: each names the file by the digest that everybody else computes."""
    digest = commitment_digest(load_commitment(COMMITMENT))
    _, entry = made(cli, tmp_path, "commitment", COMMITMENT, "--from", "2026-03-01")
    assert (entry.kind, entry.owner, entry.commitment, entry.valid_from) == (
        "commitment",
        "North Bank",
        digest,
        "2026-03-01",
    )
    _, entry = made(cli, tmp_path, "retire", COMMITMENT, "--why", "a new model", "--successor", COMMITMENT)
    assert (entry.what, entry.digest, entry.successor) == ("commitment", digest, digest)
    _, entry = made(cli, tmp_path, "key", KEY)
    fingerprint = entry.key
    assert entry.transcript is None
    for path in (KEY, KEY / "key.json"):
        _, entry = made(cli, tmp_path, "retire", path, "--why", "")
        assert (entry.what, entry.digest, entry.successor) == ("key", fingerprint, None)


def test_a_certificate_is_entered_by_its_file(tmp_path, cli):
    """Its entry has the hash of the file's bytes, as the service enters it; a file of another kind is refused."""
    words, out = ("log", "entry", "certificate"), tmp_path / "entry.json"
    assert cli(*words, CERTIFICATE, "--out", out).out.startswith(f"ENTRY {out}\n")
    entry = parse_entry(out.read_bytes(), "entry")
    assert (entry.kind, entry.certificate) == ("certificate", hashlib.sha256(CERTIFICATE.read_bytes()).hexdigest())
    cli(*words, COMMITMENT, "--out", tmp_path / "other.json").complaint(
        MISUSED, "this is a commitment, want a certificate"
    )
    assert not (tmp_path / "other.json").exists()


def test_wrong_entries_are_not_written(tmp_path, cli):
    """A day that no calendar has, a name that nobody may have, a reason too long, a successor of another kind."""
    out = tmp_path / "entry.json"
    words = ("log", "entry", "commitment", COMMITMENT, "--out", out)
    cli(*words, "--owner", "N", "--from", "2026-02-30").complaint(MISUSED, "valid_from")
    cli(*words, "--owner", "N\u202e", "--from", "2026-02-03").complaint(MISUSED, "owner")
    words = ("log", "entry", "retire", COMMITMENT, "--owner", "N", "--out", out)
    cli(*words, "--why", "x" * 201).complaint(MISUSED, "why")
    cli(*words, "--why", "x", "--successor", KEY).complaint(MISUSED, "--successor")
    assert not out.exists()


def test_proofs_of_what_stands_in_a_log(log, tmp_path, cli):
    """By the entry or by the commitment file, found or by its index: the same proof, which holds."""
    path, entry = made(cli, tmp_path, "commitment", COMMITMENT, "--from", "2026-03-01")
    log.append(entry.data, *decisions(5, 9))
    (tmp_path / "log.pub").write_text(f"{LOG.verifier.text}\n")
    proofs = []
    for what, key, more in (
        (path, LOG.verifier.text, ()),
        (COMMITMENT, tmp_path / "log.pub", ()),
        (path, tmp_path / "log.pub", ("--index", 5)),
    ):
        out = tmp_path / "x.tlog-proof"
        outcome = cli("log", "proof", log.root, what, "--log-key", key, "--out", out, "--force", "--json", *more)
        assert outcome.code == 0, outcome.err
        assert (outcome.document["index"], outcome.document["size"]) == (5, 10)
        proofs.append(out.read_bytes())
    assert len(set(proofs)) == 1
    proof = parse_tlog_proof(proofs[0])
    root = open_checkpoint(proof.checkpoint, LOG.verifier).checkpoint.root
    assert proof.extra == entry.data
    check_inclusion(leaf_hash(entry.data), 5, 10, proof.path, root)


def test_no_proof_of_what_does_not_stand_there(log, tmp_path, cli):
    """An entry that is not in the log, one at another index, another key, a file that is none: one line, no file."""
    entry, out = tmp_path / "entry.json", tmp_path / "x.tlog-proof"
    entry.write_bytes(decision(77))
    words = ("log", "proof", log.root, entry, "--out", out, "--log-key")
    cli(*words, LOG.verifier.text).complaint(MISUSED, "not among the 5")
    cli(*words, LOG.verifier.text, "--index", 2).complaint(MISUSED, "entry 2 is another one")
    cli(*words, LOG.verifier.text, "--index", 5).complaint(MISUSED, "no entry 5")
    cli(*words, OTHER_LOG.verifier.text).complaint(MISUSED, "signature")
    cli(*words, LOG.text).complaint(MISUSED, "secret signing key")
    cli(*words, tmp_path / "none.pub").complaint(MISUSED, "none.pub")
    words = ("log", "proof", log.root, COMMITMENT, "--log-key", LOG.verifier.text, "--out")
    cli(*words, out).complaint(MISUSED, "no entry is about", COMMITMENT)
    cli(*words, tmp_path / "x.json").complaint(MISUSED, ".tlog-proof")
    assert not list(tmp_path.glob("x.*"))


def test_receipts_that_are_not_in_the_log_yet_wait(tmp_path, cli):
    """Those that are there get their proof; the others are named, and get theirs at the next checkpoint."""
    log = LogFolder(tmp_path / "log", LOG)
    log.append(*(receipt(number).entry().data for number in range(8)))
    folder = folder_of(tmp_path / "march", range(16))
    words = ("log", "proof", log.root, folder, "--log-key", LOG.verifier.text)
    said = "next checkpoint: case-0008, case-0009, case-0010, case-0011, ... 3 more ..., case-0015 of 16 receipts"
    cli(*words).complaint(MISUSED, said, "8 have their proof")
    log.append(*(receipt(number).entry().data for number in range(8, 16)))
    assert cli(*words).out == "LOGGED 16 receipts\n  proofs written: 8, kept: 8\n"
    assert checked(folder) == {8: 8, 16: 8}
    assert cli(*words, "--force", "--json").document == {"folder": str(folder), "receipts": 16, "written": 16}
    assert checked(folder) == {16: 16}
    cli(*words, "--out", tmp_path / "x.tlog-proof").complaint(MISUSED, "--out and --index are for one entry")
    cli(*words[:3], folder / "applicants/case-0000/receipt.json", *words[4:]).complaint(MISUSED, "--out is missing")
    cli(*words[:3], folder / "applicants/case-0000", *words[4:]).complaint(MISUSED, "case-0000/receipt.json itself")
    (tmp_path / "empty").mkdir()
    cli(*words[:3], tmp_path / "empty", *words[4:]).complaint(MISUSED, "no folder in it has a receipt.json")


def test_a_look_tells_lines_or_one_object(log, tmp_path, cli):
    """As lines for people, then nothing new; as one JSON object for programs."""
    log.append(made(cli, tmp_path, "commitment", COMMITMENT, "--from", "2026-03-01")[1].data)
    look = ("log", "monitor", log.root, "--state", tmp_path / "s", "--log-key", LOG.verifier.text, "--once")
    told = cli(*look)
    assert told.out.splitlines()[0].startswith('entry 5: new commitment of "North Bank", from 2026-03-01: ')
    assert told.out.splitlines()[1] == "READ 6 entries; decisions among the new ones: 5"
    assert cli(*look).out == "NOTHING NEW: 6 entries, as before\n"
    in_json = cli("log", "monitor", log.root, "--state", tmp_path / "t", *look[-3:], "--json").document
    assert [event["event"] for event in in_json["events"]] == ["commitment"]


def test_a_log_of_a_server_takes_entries_only(tmp_path, cli):
    """Nothing is sent where a file is no entry, or none is given."""
    path = tmp_path / "row.json"
    path.write_text(json.dumps({"income": 1}))
    cli("log", "append", "http://127.0.0.1:9").complaint(MISUSED, "no entry is given")
    cli("log", "append", "http://127.0.0.1:9", path).complaint(MISUSED, path)


@pytest.mark.parametrize("given", [b"", b"\n", b"{}\n", decision(1) + b"\n\n" + decision(2), decision(1) + b"\r\n"])
def test_lines_that_are_no_entries_are_not_sent(given, cli, monkeypatch):
    """Of standard input, nothing is sent where a line is no entry; the line is named."""
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(given)))
    cli("log", "append", "http://127.0.0.1:9", "-").complaint(MISUSED, "-: line ")


def test_words_are_passed_on_to_the_program(cli, tmp_path, monkeypatch):
    """init, append, serve and checkpoint become the program, with every word as it is and its own exit code."""
    program = tmp_path / "equiproof-log"
    program.write_text(f"#!{sys.executable}\nimport sys\nprint(sys.argv[1:])\nsys.exit(5)\n")
    program.chmod(0o755)
    monkeypatch.setenv(VARIABLE, str(program))
    steps = str(tmp_path / "a.log")
    passed = {
        ("init", "d", "--origin", "x y", "--key", "k"): ["init", "d", "--origin", "x y", "--key", "k"],
        ("append", "d", "-"): ["append", "d", "-"],
        ("serve",): ["serve"],
        ("checkpoint", "--other", "-x"): ["checkpoint", "--other", "-x"],
        ("append", "d", "-", "-v", "--log", steps): ["append", "-v", "--log", steps, "d", "-"],
    }
    ended = forked(("log", *words) for words in passed)
    assert [(outcome.code, outcome.out) for outcome in ended] == [(5, f"{words}\n") for words in passed.values()]
    monkeypatch.setenv(VARIABLE, str(tmp_path / "none"))
    cli("log", "serve", "d").complaint(MISUSED, VARIABLE, "no program")


def test_what_is_wrong_with_a_log_has_its_line(log, tmp_path, cli):
    """No key, another one, a log that went back, a cut tile, no server: each has its line and its exit code."""
    state, small = tmp_path / "state", (log.root / "checkpoint").read_bytes()
    log.append(*decisions(5, 9))
    look = ("log", "monitor", log.root, "--state", state, "--once")
    cli(*look).complaint(MISUSED, "--log-key is missing")
    cli(*look, "--log-key", Signer("x", bytes(32)).verifier.text).complaint(MISUSED, "of the log log.example/loans")
    cli(*look, "--log-key", OTHER_LOG.verifier.text).complaint(MISUSED, "no signature of this log's key")
    assert cli(*look, "--log-key", LOG.verifier.text, "--json").document["read"] == 9
    newest = (log.root / "checkpoint").read_bytes()
    (log.root / "checkpoint").write_bytes(small)
    cli(*look).complaint(FORKED, "went back: it showed 9 entries, and now 5", tmp_path / "state.evidence-")
    in_json = cli(*look, "--json")
    assert (in_json.code, json.loads(in_json.out)["verdict"]) == (FORKED, "contradiction")
    (log.root / "checkpoint").write_bytes(newest)
    assert cli(*look).out == "NOTHING NEW: 9 entries, as before\n"
    log.append(decision(9))
    tile = log.root / "tile/0/000.p/10"
    tile.write_bytes(tile.read_bytes()[:-1])
    cli(*look).complaint(MISUSED, "tile/0/000", "cut off")
    away = ("log", "monitor", "http://127.0.0.1:9", "--state", tmp_path / "s", "--log-key", LOG.verifier.text, "--once")
    cli(*away).complaint(MISUSED, "http://127.0.0.1:9: the log is away")


def test_an_interrupted_follower_leaves_its_state_whole(log, tmp_path):
    """Ctrl-C ends following with the code of an interruption; the next look goes on from what was told."""
    state = tmp_path / "state"
    follow = ("log", "monitor", log.root, "--state", state, "--log-key", LOG.verifier.text)
    with running(*follow, errors=subprocess.DEVNULL) as (process, line):
        assert line.startswith("READ 5 entries")
        process.send_signal(signal.SIGINT)
        assert process.wait(60) == INTERRUPTED
    assert parse_state(state.read_bytes(), "state").read in (0, 5)
