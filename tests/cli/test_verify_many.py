"""`verify-many`: a folder or a file of certificates, one verdict each, one exit code for all."""

import json
import os
import signal
import subprocess
import time

import pytest

from equiproof.verifier import parse_certificate
from equiproof.verifier.many import MOST_AT_ONCE
from tests.cli.world import SCRIPT, listing
from tests.pins import FOLDER
from tests.support import changed

GOLDEN = FOLDER / "loans"
CERTIFICATE = (GOLDEN / "certificate.json").read_bytes()
TRUSTED = ("--commitment", GOLDEN / "commitment.json", "--keys", GOLDEN / "keys")


def of_another_statement():
    """Return a certificate whose proof holds for another statement."""
    parsed = parse_certificate(CERTIFICATE, "certificate.json")
    return changed(parsed, statement=changed(parsed.statement, context_digest="0" * 64)).to_bytes()


def many(source, *more):
    """Return the words of a verification of many."""
    return ["verify-many", source, *TRUSTED, *more]


@pytest.fixture
def folder(tmp_path):
    """A folder of three certificates."""
    path = tmp_path / "folder"
    path.mkdir()
    for name in "abc":
        (path / f"{name}.json").write_bytes(CERTIFICATE)
    return path


def test_all_verified_is_0(folder, cli):
    """Where every certificate is verified, the exit code is 0; what is not checked is listed, and copies are named."""
    outcome = cli(*many(folder))
    assert (outcome.code, outcome.err) == (0, "")
    lines = outcome.out.splitlines()
    assert lines[0] == "VERIFIED 3 of 3 certificates"
    assert "only 1 different" in lines[1]
    assert "a single party ran its set-up" in outcome.out
    assert lines[-1] == "Proofs checked by the native library"
    assert "NOT ACCEPTED" not in outcome.out


@pytest.mark.parametrize(("jobs", "checker"), [(1, "native"), (2, "native"), (-1, "python")])
def test_refused_and_malformed_files_are_named(folder, cli, jobs, checker):
    """A broken file does not end the run: each is named with its reason, and a refusal decides the exit code."""
    (folder / "b.json").write_bytes(CERTIFICATE[:-1])
    (folder / "c.json").unlink()
    (folder / "d.equiproof").write_bytes(b"PK")
    (folder / "e\x1b[31m.json").write_bytes(of_another_statement())
    outcome = cli(*many(folder, "--jobs", jobs, "--checker", checker))
    assert (outcome.code, outcome.err) == (1, "")
    text = outcome.out
    assert text.startswith("VERIFIED 1 of 4 certificates\n")
    assert "NOT ACCEPTED 3:\n" in text
    assert "  1  refused    pairings-differ  Its proof does not match what it says." in text
    assert "  b.json: malformed: certificate: not valid JSON" in text
    assert "  d.equiproof: malformed: bundle: " in text
    assert "  e\\x1b[31m.json: refused: the proof does not hold: " in text


@pytest.mark.parametrize("jobs", [1, 2])
def test_in_german(folder, cli, jobs):
    """Table, meanings and messages are German, whichever process found them; names of verdicts and reasons stay."""
    (folder / "b.json").write_bytes(of_another_statement())
    outcome = cli(*many(folder, "--jobs", jobs, "--language", "de"))
    assert (outcome.code, outcome.err) == (1, "")
    lines = outcome.out.splitlines()
    assert lines[0] == "VERIFIZIERT 2 von 3 Zertifikaten"
    assert "NICHT ANGENOMMEN 1:" in lines
    assert "  1  refused    pairings-differ  Sein Beweis passt nicht zu dem, was es sagt." in outcome.out
    assert "  b.json: refused: der Beweis stimmt nicht: " in outcome.out
    assert "Eine einzige Stelle hat ihn erzeugt" in outcome.out
    assert lines[-1] == "Beweise geprüft durch die native Bibliothek"
    assert "--language: 'fr' is not one of en, de" in cli(*many(folder, "--language", "fr")).err


def test_malformed_without_refused_is_2(folder, cli):
    """Where nothing is refused, a malformed file decides the exit code."""
    (folder / "b.json").write_bytes(CERTIFICATE[:-1])
    outcome = cli(*many(folder))
    assert (outcome.code, outcome.err) == (2, "")
    assert outcome.out.startswith("VERIFIED 2 of 3 certificates\n")


def test_lines_are_verified_like_files(folder, cli, tmp_path):
    """A file of one certificate a line has a result for each line."""
    path = tmp_path / "all.jsonl"
    path.write_bytes(CERTIFICATE + b"\n" + of_another_statement() + b"\n")
    outcome = cli(*many(path, "--json"))
    assert (outcome.code, outcome.err) == (1, "")
    found = outcome.document
    assert (found["certificates"], found["verified"], found["refused"], found["malformed"]) == (2, 1, 1, 0)
    assert found["reasons"] == [{"verdict": "refused", "reason": "pairings-differ", "count": 1}]
    assert [row["file"] for row in found["not_accepted"]] == ["all.jsonl:2"]


def test_json_is_one_object_with_the_documented_keys(folder, cli):
    """The object has these keys, and counts what the text counts."""
    (folder / "commitment.json").write_bytes((GOLDEN / "commitment.json").read_bytes())
    found = cli(*many(folder, "--json")).document
    assert set(found) == {
        "certificates", "different", "verified", "refused", "malformed", "other", "reasons", "keys", "not_accepted",
        "checks_not_made", "checker", "out",
    }  # fmt: skip
    assert (found["verified"], found["different"], found["other"], found["checker"]) == (3, 1, 1, "native")
    (key,) = found["keys"]
    assert key == parse_certificate(CERTIFICATE, "c").key.fingerprint
    assert set(found["checks_not_made"].values()) == {3}


def test_every_result_is_a_line_of_the_file(folder, cli, tmp_path):
    """--out has one JSON object a line, in the order of the files; an existing file stays unless it is forced."""
    (folder / "b.json").write_bytes(b"{}")
    out = tmp_path / "new" / "results.jsonl"
    assert cli(*many(folder, "--out", out)).code == 2
    rows = [json.loads(line) for line in out.read_bytes().splitlines()]
    assert [(row["file"], row["verdict"]) for row in rows] == [
        ("a.json", "verified"),
        ("b.json", "malformed"),
        ("c.json", "verified"),
    ]
    assert set(rows[0]) == {"file", "verdict", "certificate", "label", "radius_squared", "key"}
    assert set(rows[1]) == {"file", "verdict", "reason", "message"}
    before = listing(tmp_path)
    cli(*many(folder, "--out", out)).complaint(2, out, "--force")
    assert listing(tmp_path) == before
    assert cli(*many(folder, "--out", out, "--force")).code == 2


def test_policies_hold_for_every_certificate(folder, cli, tmp_path):
    """What options and policy file require is required of each; a policy about one applicant is misuse."""
    found = cli(*many(folder, "--min-radius", "1000", "--json"))
    assert (found.code, found.document["reasons"][0]["reason"]) == (1, "radius-too-small")
    policy = tmp_path / "policy.json"
    policy.write_text('{"format":"equiproof-policy","version":2,"requires":{"setup":"ceremony"}}')
    found = cli(*many(folder, "--policy", policy, "--json"))
    assert (found.code, found.document["reasons"][0]["reason"]) == (1, "other-setup")
    policy.write_text('{"format":"equiproof-policy","version":2,"requires":{"query":true}}')
    cli(*many(folder, "--policy", policy)).complaint(2, policy, "query")


@pytest.mark.parametrize(
    ("change", "named"),
    [
        (lambda words, at: [*words, "--jobs", "0"], "--jobs"),
        (lambda words, at: [*words, "--jobs", "-2"], "--jobs"),
        (lambda words, at: [words[0], at / "nowhere", *words[2:]], "nowhere"),
        (lambda words, at: [words[0], at / "empty", *words[2:]], "no certificate"),
        (lambda words, at: [words[0], at / "others", *words[2:]], "no certificate"),
        (lambda words, at: [words[0], at / "none.jsonl", *words[2:]], "no certificate"),
        (lambda words, at: [*words, "--checker", "other"], "--checker"),
    ],
)
def test_misuse_is_one_line(folder, cli, tmp_path, change, named):
    """Nothing to verify is no success: a wrong option or a source without certificates ends with 2, and no file."""
    (tmp_path / "empty").mkdir()
    (tmp_path / "others").mkdir()
    (tmp_path / "others" / "query.json").write_bytes((GOLDEN / "query.json").read_bytes())
    (tmp_path / "none.jsonl").write_bytes(b"\n\n")
    cli(*change(many(folder), tmp_path), "--out", tmp_path / "out").complaint(2, named)
    assert not (tmp_path / "out").exists()


def test_ctrl_c_leaves_no_results_and_no_process(folder, tmp_path):
    """Ctrl-C ends the run with 130 and one line; of the results nothing is left, and no worker goes on."""
    # Results are written as chunks end: the first ends at once, the second would take long.
    for number in range(MOST_AT_ONCE):
        (folder / f"a{number:03}.json").write_bytes(b"{}")
    for number in range(40):
        (folder / f"more{number}.json").write_bytes(CERTIFICATE)
    out = tmp_path / "results" / "all.jsonl"
    command = [SCRIPT, *map(str, many(folder, "--checker", "python", "--jobs", "2", "--out", out))]
    with subprocess.Popen(
        command, stderr=subprocess.PIPE, text=True, start_new_session=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),  # noqa: PLW1509  # shells may ignore it
    ) as process:  # fmt: skip
        deadline = time.monotonic() + 60
        while not list(tmp_path.glob("results/.all.jsonl.*")) and time.monotonic() < deadline:
            time.sleep(0.01)
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=60)
    assert (process.returncode, err) == (130, "equiproof: interrupted\n")
    assert not list((tmp_path / "results").iterdir())
    with pytest.raises(ProcessLookupError):
        os.killpg(process.pid, 0)
