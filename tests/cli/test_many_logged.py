"""`verify-many` with a pinned log: each certificate by its own log proof and receipt, or by one proof for all."""

import json
import shutil
import time

import pytest

from equiproof.verifier import checkpoint, logged
from tests.pins import FOLDER
from tests.verifier.logged_folder import policy, witnessed, write
from tests.verifier.logged_many import BY_THE_RECEIPT, MALFORMED, REASONS, write_many
from tests.verifier.logs import LOG

LOANS = FOLDER / "loans"
TRUSTED = ("--commitment", LOANS / "commitment.json", "--keys", LOANS / "keys")


@pytest.fixture
def own(tmp_path):
    """The folder of an applicant, whose files the options name."""
    return write(tmp_path / "own")


@pytest.fixture
def several(tmp_path):
    """The folder of many applicants."""
    return write_many(tmp_path / "several")


@pytest.fixture
def results(cli, tmp_path):
    """Run the command; return its exit code, its JSON object, and the reason for each file."""

    def call(source, *words):
        found = cli("verify-many", source, *TRUSTED, *words, "--out", tmp_path / "results", "--force", "--json")
        rows = [json.loads(line) for line in (tmp_path / "results").read_bytes().splitlines()]
        for row in rows:
            assert (row["verdict"] == "malformed") == (row.get("reason") in MALFORMED)
        reasons = {row["file"]: row.get("reason") for row in rows if row["verdict"] != "other"}
        return found.code, found.document, reasons

    return call


@pytest.mark.parametrize("jobs", [1, 2])
def test_each_is_judged_by_what_lies_beside_it(several, own, results, jobs):
    """Other commitments', old and missing proofs, witnesses and receipts are named; the others are verified."""
    words = [*witnessed(own), "--max-log-age", 2, "--log-owner", "Example Bank", "--jobs", jobs]
    code, document, reasons = results(several, *words)
    assert (code, reasons) == (1, REASONS)
    messages = {row["file"]: row["message"] for row in document["not_accepted"]}
    assert "of another commitment" in messages["carol/certificate.json"]
    assert "seconds ago, the policy requires at most 172800" in messages["dave/certificate.json"]
    assert "0 of the 3 accepted witnesses cosigned" in messages["erin/certificate.json"]
    assert "another context than the receipt" in messages["frank/certificate.json"]
    assert "the log proof of the receipt is another one" in messages["grace/certificate.json"]
    assert "--log-proof" in messages["lea.json"]
    left = "\n".join(document["checks_not_made"])
    assert "that the owner shows the same commitment to everybody" not in left
    assert "that the owner has not retired the commitment, before 20" in left


def test_a_policy_file_demands_the_same(several, own, results):
    """Also inside `any_of`, where the reason is that no policy is met."""
    assert results(several, "--policy", policy(own, max_days=2))[2] == REASONS
    written = json.loads(policy(own, max_days=2).read_bytes())
    written["requires"] = {"any_of": [{"min_radius": "1000"}, written["requires"]]}
    (own / "any.policy").write_text(json.dumps(written))
    reasons = results(several, "--policy", own / "any.policy")[2]
    assert reasons["anna/certificate.json"] is None
    assert reasons["carol/certificate.json"] == reasons["lea.json"] == "no-policy-met"


def test_one_proof_for_all_takes_the_place_of_others(several, own, results, tmp_path):
    """Whatever proof came with a certificate is not looked at, and a receipt still is; lines have no other proof."""
    words = [*witnessed(own), "--max-log-age", 2, "--log-proof"]
    reasons = results(several, *words, own / "certificate.tlog-proof")[2]
    assert {name: why for name, why in reasons.items() if why} == {name: REASONS[name] for name in BY_THE_RECEIPT}
    assert set(results(several, *words, own / "others.tlog-proof")[2].values()) == {"other-entry"}
    lines = tmp_path / "all.jsonl"
    lines.write_bytes(2 * ((own / "certificate.json").read_bytes() + b"\n"))
    assert results(lines, *words, own / "certificate.tlog-proof")[0] == 0
    assert set(results(lines, *words[:-1])[2].values()) == {"no-log-proof"}
    (own / "long").write_bytes(b"c2sp.org/tlog-proof@v1\n" * 3000)
    assert set(results(several, *words, own / "long")[2].values()) == {"not-a-log-proof"}
    (own / "empty").write_bytes(b"")
    assert set(results(several, *words, own / "empty")[2].values()) == {"no-log-proof"}


def test_receipts_are_checked_without_a_log(several, results):
    """As by `verify`: what came along must fit, and that nobody looked at a log proof is said."""
    code, document, reasons = results(several)
    assert (code, {name for name, why in reasons.items() if why}) == (1, {"frank/certificate.json"})
    (count,) = [count for line, count in document["checks_not_made"].items() if "was not checked" in line]
    assert count == document["verified"] - 2


def test_receipts_that_nobody_can_tell_apart(own, results, tmp_path):
    """Two in one folder are an error about that folder; one in a folder of many certificates is nobody's."""
    folder = tmp_path / "many"
    shutil.copytree(own, folder / "anna")
    shutil.copy(own / "receipt.json", folder / "anna" / "second.json")
    shutil.copy(own / "certificate.json", folder)
    (folder / "receipt.json").write_bytes((own / "receipt.json").read_bytes().replace(b"5a5a", b"0000"))
    code, document, reasons = results(folder)
    assert (code, reasons) == (2, {"anna/certificate.json": "wrong-files", "certificate.json": None})
    assert "two receipts beside each other" in document["not_accepted"][0]["message"]


def test_a_log_proof_is_checked_once_and_known_by_its_bytes(own, results, tmp_path, monkeypatch):
    """Ten certificates with one proof open one checkpoint; another proof in the same place is another one."""
    opened = []
    monkeypatch.setattr(
        checkpoint, "open_checkpoint", lambda *words, real=checkpoint.open_checkpoint: opened.append(1) or real(*words)
    )
    logged._outcome.cache_clear()
    folder = tmp_path / "ten"
    folder.mkdir()
    for number in range(10):
        shutil.copy(own / "certificate.json", folder / f"{number}.json")
        shutil.copy(own / "certificate.tlog-proof", folder / f"{number}.tlog-proof")
    now = time.time()
    monkeypatch.setattr(time, "time", lambda: now)
    assert results(folder, *witnessed(own))[0] == 0
    assert len(opened) == 1
    shutil.copy(own / "others.tlog-proof", folder / "3.tlog-proof")
    shutil.copy(own / "alone.tlog-proof", folder / "4.tlog-proof")
    reasons = results(folder, *witnessed(own))[2]
    assert (reasons["3.json"], reasons["4.json"]) == ("other-entry", "too-few-witnesses")
    assert [*reasons.values()].count(None) == 8
    assert results(folder, *witnessed(own, 3))[1]["verified"] == 0
    assert results(folder, "--log-key", LOG.verifier.text)[1]["verified"] == 9


@pytest.mark.parametrize(
    ("words", "named"),
    [
        (["--max-log-age", 1], "--max-log-age: of which log?"),
        (["--least-witnesses", 1], "--least-witnesses: of whom?"),
        (["--log-key", "Bank"], "--log-key"),
        (["--log-key", LOG.verifier.text, "--max-log-age", 1], "an age of at least 0 needs witnesses"),
        (["--log-key", LOG.verifier.text, "--log-proof", "nothing.tlog-proof"], "nothing.tlog-proof"),
    ],
)
def test_wrong_options_end_the_run(own, cli, words, named):
    """Before anything is verified."""
    cli("verify-many", own, *TRUSTED, *words).complaint(2, named)


def test_many_times_are_not_all_listed(own, cli, tmp_path):
    """Each log proof has a time of its own: the text shows the first lines, and the object has them all."""
    folder = tmp_path / "times"
    folder.mkdir()
    for days in range(25):
        one = write(tmp_path / f"own-{days}", days=days)
        shutil.copy(one / "certificate.json", folder / f"{days}.json")
        shutil.copy(one / "certificate.tlog-proof", folder / f"{days}.tlog-proof")
    words = ["verify-many", folder, *TRUSTED, *witnessed(own)]
    open_checks = cli(*words, "--json").document["checks_not_made"]
    assert len([line for line in open_checks if "retired" in line]) == 25
    text = cli(*words).out
    assert f"  - and {len(open_checks) - 20} more; --json has them all\n" in text
    assert text.count("retired the commitment") < 20
