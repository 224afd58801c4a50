"""Universal keys on the command line: from a phase 1 to a certificate, and one line for whatever is wrong."""

import json

import pytest

from equiproof.circuits.shape import shape_of
from equiproof.prover.ceremony.checked import CACHE_VARIABLE
from equiproof.prover.owner import MARK_FILE
from equiproof.verifier.documents import load_commitment
from tests.cli.world import HIDDEN
from tests.prover.ceremony.parties import ANNA, BEN, powers_ceremony

PLONK = ("--proof-system", "plonk-bn254")


@pytest.fixture(autouse=True)
def own_records(tmp_path, monkeypatch):
    """Keep the records of checks out of the user's folders."""
    monkeypatch.setenv(CACHE_VARIABLE, str(tmp_path / "checked"))


def test_powers_make_no_key_of_groth16(world, cli, tmp_path):
    """The line names the command by which the same powers serve; nothing is written."""
    words = world.setup(tmp_path / "keys", "--powers", tmp_path, capacity=4)
    cli(*words).complaint(2, "groth16-bn254", "equiproof ceremony new --powers")
    assert not (tmp_path / "keys").exists()


def test_powers_that_are_none_or_too_few_are_named(world, cli, tmp_path):
    """A folder without a ceremony, no file, and a phase 1 below the circuit; nothing is written."""
    few = powers_ceremony(tmp_path / "few", ANNA, power=2, closed=True).path
    for given, said in (
        (tmp_path, "begin a ceremony with `equiproof ceremony new`: the folder holds none"),
        (tmp_path / "none.ptau", "none.ptau"),
        (few, "this circuit needs them, these reach 2^2"),
    ):
        words = world.setup(tmp_path / "keys", "--scheme", "traversal", *PLONK, "--powers", given, capacity=4)
        cli(*words).complaint(2, said)
    assert not (tmp_path / "keys").exists()


def test_a_key_that_is_there_is_named_before_anything_is_checked(world, cli, tmp_path):
    """The folder of powers is empty."""
    (tmp_path / "none").mkdir()
    shape = shape_of("traversal", load_commitment(world.commitment).spec, (int(HIDDEN),), 4).name
    (tmp_path / "keys" / f"{shape}-plonk-bn254").mkdir(parents=True)
    words = world.setup(tmp_path / "keys", "--scheme", "traversal", *PLONK, "--powers", tmp_path / "none", capacity=4)
    cli(*words).complaint(2, shape, "--force")


def test_a_check_without_what_it_needs_says_so(world, cli):
    """A key of a single party has nothing to be checked by."""
    cli("keys", "check", world.key).complaint(
        2, "name a key of a ceremony: its set-up is single-party, so no ceremony made it"
    )


@pytest.mark.slow
def test_from_a_phase_1_to_a_certificate(world, cli, tmp_path):
    """Set-up, proof, both checkers, the check of somebody else, and what is refused on the way."""
    keys, out = tmp_path / "keys", tmp_path / "out"
    powers = powers_ceremony(tmp_path / "powers", ANNA, power=14, closed=True).path
    made = cli(*world.setup(keys, "--scheme", "traversal", *PLONK, "--powers", powers, capacity=4))
    assert made.code == 0, made.err
    assert "set-up: universal, from powers of tau (ceremony, " in made.out
    assert "is round 1000 of drand quicknet: look it up" in made.out
    (key,) = keys.iterdir()
    transcript = made.out.partition("transcript ")[2].split()[0]

    out.mkdir()
    words = ["prove", world.row, "--opening", world.opening, "--keys", keys, "--out", out / "c.json"]
    assert cli(*words, "--query-out", out / "q.json").code == 0
    verify = ["verify", out / "c.json", "--commitment", world.commitment, "--keys", keys]
    for checker in ("native", "python"):
        said = cli(*verify, "--query", out / "q.json", "--transcript", transcript, "--checker", checker, "--verbose")
        assert said.code == 0, said.err
        assert "set-up: universal, proof system: plonk-bn254" in said.out
    cli(*verify).complaint(1, "name the digest of the transcript", "a universal set-up made the key")
    cli(*verify, "--setup", "universal").complaint(1, "--transcript")
    cli(*verify, "--transcript", "0" * 64).complaint(1, "the key's transcript is")

    (key / MARK_FILE).unlink()
    cli(*words, "--query-out", out / "q2.json", "--force").complaint(2, "keys check")
    (tmp_path / "ben.key").write_text(BEN.text)
    checked = cli("keys", "check", key, "--powers", powers, "--accept", "--sign", tmp_path / "ben.key", "--json")
    assert json.loads(checked.out)["transcript"] == transcript
    assert (key / MARK_FILE).exists()
    (tmp_path / "trusted.txt").write_text(BEN.verifier.text + "\n")
    signed = cli(*verify, "--signed-by", tmp_path / "trusted.txt", "--verbose")
    assert "the transcript of the key's universal set-up was checked, as signed by ben" in signed.out

    document = json.loads((key / "key.json").read_text())
    document["powers"]["source"] = "0" * 64
    (key / "key.json").write_text(json.dumps(document, sort_keys=True, separators=(",", ":")))
    cli("keys", "check", key, "--powers", powers).complaint(
        1, "give the powers of tau that the key is made from: these are others"
    )
