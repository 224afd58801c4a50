"""A ceremony on the command line: every party a process of its own, and one line for whatever is wrong."""

import json
import os
import subprocess
import sys

import pytest

from equiproof.prover.ceremony.checked import CACHE_VARIABLE
from tests.prover.ceremony.parties import (
    BEN,
    MALLORY,
    SIGNERS,
    VALUE,
    copied,
    powers_ceremony,
    read,
    rewritten,
    with_note,
)
from tests.support import ROOT, changed

NAMED = ("--beacon-source", "drand quicknet", "--beacon-round", "1000")

DYING = """
import os, signal, sys
moment, folder = int(sys.argv.pop(1)), sys.argv.pop(1)
seen = 0

def watch(event, arguments):
    global seen
    touched = event in ("open", "os.rename", "os.link", "os.remove", "os.mkdir", "os.rmdir") and any(
        isinstance(path, (str, bytes, os.PathLike)) and os.fsdecode(path).startswith(folder) for path in arguments
    )
    if touched:
        seen += 1
        if seen == moment:
            os.kill(os.getpid(), signal.SIGKILL)

from equiproof.cli.main import run
sys.addaudithook(watch)
sys.exit(run(sys.argv[1:]))
"""
"""A command that kills itself before it touches files in a folder for the given time."""


@pytest.fixture(autouse=True)
def own_records(tmp_path, monkeypatch):
    """Keep the records of checks out of the user's folders."""
    monkeypatch.setenv(CACHE_VARIABLE, str(tmp_path / "checked"))


@pytest.fixture
def keys(tmp_path):
    """The secret signing key of everybody by name, and the file of those who may contribute."""
    found = {}
    for signer in (*SIGNERS, MALLORY):
        found[signer.name] = tmp_path / f"{signer.name}.key"
        found[signer.name].write_text(signer.text + "\n")
    (tmp_path / "signers.txt").write_text("".join(f"{signer.verifier.text}\n" for signer in SIGNERS))
    return found


def party(*words):
    """Run a command in a process of its own; return its exit code, standard output and standard error."""
    program = [sys.executable, "-m", "equiproof", *map(str, words)]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(program, capture_output=True, text=True, env=environment, check=False)
    return done.returncode, done.stdout, done.stderr


def test_three_processes_hold_a_phase(tmp_path, keys, cli):
    """Each party contributes in a process of its own; a malicious file by mail is named, and the honest one passes."""
    folder = tmp_path / "powers"
    begun = cli("ceremony", "new", folder, "--power", 2, "--signers", tmp_path / "signers.txt", *NAMED)
    assert (begun.code, begun.err) == (0, "")
    assert "next: anna contributes: equiproof ceremony contribute" in begun.out
    for number, name in enumerate(("anna", "ben", "carol"), 1):
        code, out, err = party("ceremony", "contribute", folder, "--signing-key", keys[name], "--json")
        assert (code, err) == (0, "")
        assert json.loads(out) == {"step": str(folder / f"000{number}.step"), "before": ["anna", "ben"][: number - 1]}
    honest = (folder / "0003.step").read_bytes()
    rewritten(folder / "0003.step", MALLORY)
    code, out, err = party("ceremony", "verify", folder)
    assert (code, out, err.count("\n")) == (1, "", 1)
    assert err.startswith(f"refused: {folder}/0003.step: leave this step out: 'mallory' is not among the signers")
    (folder / "0003.step").write_bytes(honest)
    assert cli("ceremony", "beacon", folder, "--value", VALUE).code == 0
    made = cli("ceremony", "finish", folder, "--json")
    verified = cli("ceremony", "verify", folder, "--json")
    assert json.loads(made.out)["source"] == json.loads(verified.out)["chain"]
    assert [step["name"] for step in json.loads(verified.out)["steps"]] == ["anna", "ben", "carol"]
    status = json.loads(cli("ceremony", "status", folder, "--json").out)
    assert (status["closed"], status["finished"], status["waiting"], status["fault"]) == (True, True, [], None)


def test_words_that_no_ceremony_can_be_made_of(tmp_path, keys, cli):
    """Each is one line that names the option or the file."""
    new = ("ceremony", "new", tmp_path / "powers", "--signers", tmp_path / "signers.txt")
    cli(*new, *NAMED).complaint(2, "give --power for phase 1, or --powers, --commitment and the model's sizes")
    cli(*new, *NAMED, "--power", 2, "--powers", tmp_path).complaint(2, "give --power for phase 1")
    cli(*new, *NAMED, "--power", 24).complaint(2, "field power: want 1 to 23, not 24")
    cli(*new, "--power", 2, "--beacon-source", "", "--beacon-round", 1).complaint(2, "field beacon")
    (tmp_path / "signers.txt").write_text(keys["anna"].read_text())
    refused = cli(*new, *NAMED, "--power", 2).complaint(2, "signers.txt: line 1", "it is a secret signing key")
    assert keys["anna"].read_text().strip() not in refused
    assert not (tmp_path / "powers").exists()
    for command in ("status", "verify", "finish", "contribute", "beacon"):
        more = {"contribute": ("--signing-key", keys["anna"]), "beacon": ("--value", VALUE)}.get(command, ())
        cli("ceremony", command, tmp_path / "none", *more).complaint(
            2, "begin a ceremony with `equiproof ceremony new`: the folder holds none"
        )


def test_who_may_not_contribute_reads_why(tmp_path, keys, cli):
    """A stranger, and a file that is no signing key."""
    folder = powers_ceremony(tmp_path / "powers", power=1).path
    cli("ceremony", "contribute", folder, "--signing-key", keys["mallory"]).complaint(2, "mallory", "not among")
    (tmp_path / "bad.key").write_text(BEN.verifier.text)
    cli("ceremony", "contribute", folder, "--signing-key", tmp_path / "bad.key").complaint(
        2, "bad.key", "not a signing key"
    )
    cli("ceremony", "finish", folder, "--keys", tmp_path / "keys").complaint(
        2, "leave out --keys: phase 1 makes no key"
    )
    cli("ceremony", "beacon", folder, "--value", VALUE).complaint(2, "contribute first: nobody has yet")


def test_a_status_shows_no_signs_of_others(tmp_path, cli):
    """A name in a header, which nobody has verified, cannot control the terminal."""
    folder = powers_ceremony(tmp_path / "powers", BEN, power=1)
    step = read(folder.step(1))
    lie = changed(step.header, name="be\x1b[2Jn")
    folder.step(1).write_bytes(with_note(lie, step.contribution, BEN.sign("be\n")))
    shown = cli("ceremony", "status", folder.path)
    assert shown.code == 0
    assert "\x1b" not in shown.out
    cli("ceremony", "verify", folder.path).complaint(1, "not among the signers")


def test_an_import_names_what_is_wrong(tmp_path, cli):
    """A file that holds no powers of tau is malformed; nothing is written."""
    (tmp_path / "x.ptau").write_bytes(b"ptau" + bytes(100))
    cli("ceremony", "import", tmp_path / "x.ptau", "--out", tmp_path / "powers").complaint(2, "x.ptau")
    cli("ceremony", "import", tmp_path / "none.ptau", "--out", tmp_path / "powers").complaint(2, "none.ptau")
    assert not (tmp_path / "powers").exists()


def killed(moment, folder, *words):
    """Run a command that dies at its so-manieth touch of a folder; return its exit code."""
    program = [sys.executable, "-c", DYING, str(moment), str(folder), *map(str, words)]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    return subprocess.run(program, capture_output=True, env=environment, check=False).returncode


@pytest.mark.slow
@pytest.mark.parametrize(("what", "every"), [("contribute", 1), ("beacon", 2), ("finish", 3)])
def test_killed_at_any_moment_nothing_half_written_is_believed(tmp_path, keys, cli, what, every):
    """After each kill the ceremony is what it was, or one file further; the same command then ends as it should.

    Of the longer commands, every second or third moment.
    """
    three = powers_ceremony(tmp_path / "honest", *SIGNERS[:2], power=1, closed=what == "finish")
    words = {
        "contribute": ("--signing-key", keys["carol"]),
        "beacon": ("--value", VALUE),
        "finish": (),
    }[what]
    moment, left = 0, set()
    while True:
        moment += every
        folder = copied(three, tmp_path / f"killed-{moment}").path
        code = killed(moment, folder, "ceremony", what, folder, *words)
        found = cli("ceremony", "verify", folder, "--json")
        assert found.code == 0, found.err
        document = json.loads(found.out)
        left.add((len(document["steps"]), document["beacon"], (folder / "powers.json").exists()))
        if code == 0:
            break
        assert code == -9
        again = cli("ceremony", what, folder, *words)
        assert again.code in (0, 2), again.err
        assert not again.code or "already" in again.err or "exists" in again.err
        assert cli("ceremony", "verify", folder).code == 0
    assert moment > 5
    assert len(left) == 2
    assert read(three.step(1)).header.index == 1
