"""The static binary says of log proofs and receipts what `equiproof verify` says, to the byte."""

import re
import shutil

import pytest

from equiproof.circuits.canonical import canonical_bytes
from equiproof.cli.main import run
from tests.static.build import said
from tests.support import changed
from tests.vectors.generate.log import RECEIVED
from tests.verifier.logged_folder import LOANS, policy, witnessed, write
from tests.verifier.logged_many import write_many
from tests.verifier.logs import LOG


def key_file(folder, count=1):
    """Write the log's key into a file, so many times, and return its path."""
    (folder / "log.pub").write_text(f"{LOG.verifier.text}\n" * count)
    return folder / "log.pub"


OTHER = changed(RECEIVED, query_commitment="0" * 64)

ASKED = {
    "with witnesses": lambda at: [at, *witnessed(at), "--max-log-age", 1, "--log-owner", "Example Bank", "--verbose"],
    "an owner who is not named": lambda at: [at, *witnessed(at), "--json", "--language", "de"],
    "the key of the log from a file": lambda at: [at, "--log-key", key_file(at), "--verbose"],
    "a file with two keys": lambda at: [at, "--log-key", key_file(at, 2)],
    "without witnesses": lambda at: [at, "--log-key", LOG.verifier.text, "--verbose"],
    "without a pinned log": lambda at: [at, "--json"],
    "everything given": lambda at: [
        *(at / "certificate.json", "--commitment", at / "commitment.json", "--keys", at / "keys"),
        *("--receipt", at / "receipt.json", *witnessed(at), "--verbose"),
    ],
    "a policy file": lambda at: [at, "--policy", policy(at), "--verbose"],
    "a policy file of another owner": lambda at: [at, "--policy", policy(at, owner="Another Bank")],
    "a policy file with an age and no witnesses": lambda at: [at, "--policy", policy(at, witnesses=[], least=0)],
    "a policy file of a larger tree": lambda at: [at, "--policy", policy(at, smallest_tree=8), "--language", "de"],
    "too few witnesses": lambda at: [at, *witnessed(at, 3)],
    "another owner's entry": lambda at: [at, *witnessed(at), "--log-proof", at / "others.tlog-proof"],
    "a retired commitment": lambda at: [at, *witnessed(at), "--log-proof", at / "retired.tlog-proof"],
    "no proof of a log": lambda at: [at, *witnessed(at), "--log-proof", at / "receipt.json"],
    "a log proof without cosignatures": lambda at: [at, *witnessed(at), "--log-proof", at / "alone.tlog-proof"],
    "a larger tree": lambda at: [at, *witnessed(at), "--smallest-tree", 8],
    "no receipt": lambda at: [at, "--receipt", at / "commitment.json"],
    "a receipt that is not there": lambda at: [at, "--receipt", at / "none.json"],
}


def timeless(text):
    """Return a text without the age of a log proof: one program runs after the other."""
    return re.sub(r"\b\d+ seconds ago", "N seconds ago", text)


def both(program, words, capsys, monkeypatch, command="verify"):
    """Return what command and binary say, which is the same."""
    monkeypatch.setenv("COLUMNS", "80")
    code = run([command, *map(str, words), "--checker", "native"])
    out, err = map(timeless, capsys.readouterr())
    there, *said_there = said(program, *(["--many"] if command == "verify-many" else []), *words)
    assert (there, *map(timeless, said_there)) == (code, out, err)
    return code, out, err


@pytest.mark.parametrize("name", ASKED)
def test_it_says_what_the_command_says(program, name, tmp_path, capsys, monkeypatch):
    """The same answer to the byte, the same refusal, and the same exit code."""
    both(program, ASKED[name](write(tmp_path / "own")), capsys, monkeypatch)


WRONG = {
    "--witnesses: of which log?": lambda at: [at, *witnessed(at)[2:]],
    "--least-witnesses: of whom?": lambda at: [at, "--least-witnesses", 1],
    "--log-owner: of which log?": lambda at: [at, "--log-owner", "Bank"],
    "--log-key: not the line of an Ed25519 key": lambda at: [at, "--log-key", "Bank"],
    "an age of at least 0 needs witnesses": lambda at: [at, "--log-key", LOG.verifier.text, "--max-log-age", 1],
    "4 witnesses of 3": lambda at: [at, *witnessed(at, 4)],
}


@pytest.mark.parametrize("message", WRONG)
def test_wrong_options_are_named(program, message, tmp_path, capsys):
    """Both say what is wrong with an option; what stands around that differs."""
    words = [*map(str, WRONG[message](write(tmp_path / "own")))]
    code, out, err = said(program, *words)
    assert run(["verify", *words]) == code == 2
    assert (message in err, message in capsys.readouterr().err, out) == (True, True, "")


def test_old_checkpoints_and_other_receipts(program, tmp_path, capsys, monkeypatch):
    """What is refused by both, and why."""
    old = write(tmp_path / "old", days=3)
    assert both(program, [old, *witnessed(old)], capsys, monkeypatch)[0] == 0
    code, _, err = both(program, [old, *witnessed(old), "--max-log-age", "2"], capsys, monkeypatch)
    assert (code, "seconds ago" in err) == (1, True)
    other = write(tmp_path / "other", OTHER)
    code, _, err = both(program, [other], capsys, monkeypatch)
    assert (code, "the certificate is about other data than the receipt" in err) == (1, True)
    (other / "second.json").write_bytes(canonical_bytes(RECEIVED))
    assert both(program, [other], capsys, monkeypatch)[0] == 2
    assert both(program, [other, "--receipt", other / "second.json"], capsys, monkeypatch)[0] == 0


TRUSTED = ["--commitment", LOANS / "commitment.json", "--keys", LOANS / "keys"]
MANY = {
    "each with its own": lambda at: [*witnessed(at), "--max-log-age", 2, "--log-owner", "Example Bank"],
    "one proof for all": lambda at: [*witnessed(at), "--log-proof", at / "certificate.tlog-proof"],
    "one wrong proof for all": lambda at: [*witnessed(at), "--log-proof", at / "others.tlog-proof"],
    "no witnesses": lambda at: ["--log-key", LOG.verifier.text],
    "no log": lambda _: [],
    "a proof and no log": lambda at: ["--log-proof", at / "certificate.tlog-proof"],
    "a policy file": lambda at: ["--policy", policy(at, max_days=2)],
}


@pytest.mark.parametrize("name", MANY)
def test_many_with_a_log(program, name, tmp_path, capsys, monkeypatch):
    """The same verdict, reason and message for each of many, the same table and the same exit code."""
    own, several = write(tmp_path / "own"), write_many(tmp_path / "several")
    shutil.copy(own / "receipt.json", several / "judy" / "second.json")
    results, found = tmp_path / "results", []
    for form in ([], ["--json"]):
        words = [several, *TRUSTED, *MANY[name](own), *form]
        assert both(program, words, capsys, monkeypatch, "verify-many")[0] == 1
    for call in (run, lambda words: said(program, "--many", *words[1:])):
        call(["verify-many", *map(str, words), "--out", str(results)])
        found.append(timeless(results.read_text(encoding="utf-8")))
        results.unlink()
    assert found[0] == found[1]


@pytest.mark.parametrize("proof", [[], ["--log-proof", "certificate.tlog-proof"]])
def test_lines_with_a_log(program, proof, tmp_path, capsys, monkeypatch):
    """A line has no file beside it: one log proof for all is needed."""
    own = write(tmp_path / "own")
    monkeypatch.chdir(own)
    proof = [*proof[:1], *(own / name for name in proof[1:])]
    (own / "all.jsonl").write_bytes(2 * ((own / "certificate.json").read_bytes() + b"\n"))
    words = [own / "all.jsonl", *TRUSTED, *witnessed(own), *proof]
    assert both(program, words, capsys, monkeypatch, "verify-many")[0] == (not proof)


def test_many_times_of_log_proofs(program, tmp_path, capsys, monkeypatch):
    """The list of what was not checked ends at the same line."""
    (folder := tmp_path / "times").mkdir()
    for days in range(25):
        own = write(tmp_path / f"own-{days}", days=days)
        shutil.copy(own / "certificate.json", folder / f"{days}.json")
        shutil.copy(own / "certificate.tlog-proof", folder / f"{days}.tlog-proof")
    _, out, _ = both(program, [folder, *TRUSTED, *witnessed(own)], capsys, monkeypatch, "verify-many")
    assert "more; --json has them all" in out


def test_wrong_options_about_many(program, tmp_path):
    """Those about a log without one, and a log proof that is not there, are one line."""
    own = write(tmp_path / "own")
    for words in (["--max-log-age", "1"], ["--log-key", "Bank"], ["--log-proof", own / "none"], ["--receipt", own]):
        code, out, err = said(program, "--many", own, *TRUSTED, *words)
        assert (code, out, len(err.splitlines())) == (2, "", 1), words
