"""Files: secrets for their owner only, nothing overwritten unasked, all of a result or none of it."""

import json
import os
import shutil
import stat
from pathlib import Path

import pytest

from equiproof.circuits import field
from equiproof.circuits.spec import parse_spec
from equiproof.verifier import parse_certificate, parse_query
from equiproof.verifier.documents import parse_key
from tests.cli.forked import forked
from tests.cli.world import command, listing


def mode(path):
    """Return the permission bits of a file."""
    return stat.S_IMODE(path.stat().st_mode)


FREE = "free some space, or name a place on another disk"
FULL = Path("/dev/full")


@pytest.mark.skipif(not FULL.exists(), reason="no device that is always full")
@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_a_full_standard_output_is_named(unbuffered):
    """Where standard output takes nothing more, the one line says that it was standard output, buffered or not."""
    commands = [["data", "list"], ["data", "list", "--json"], ["--help"], ["verify", "-h"], ["--version"]]
    ended = forked(commands, out=FULL, environment=os.environ | {"PYTHONUNBUFFERED": unbuffered})
    said = (2, f"equiproof: {FREE}: standard output: No space left on device\n")
    assert {" ".join(words): (one.code, one.err) for words, one in zip(commands, ended, strict=True)} == {
        " ".join(words): said for words in commands
    }


def test_secrets_are_readable_by_their_owner_only(world):
    """The real program writes network, reports, opening and query with 0600, and what is public as the umask says."""
    umask = os.umask(0)
    os.umask(umask)
    for path in (world.model / "network.npz", world.model / "training.json"):
        assert mode(path) == 0o600
    for path in (world.opening, world.query, world.other_query):
        assert mode(path) == 0o600
    for path in (world.commitment, world.certificate, world.key / "key.json", world.key / "verifying.key"):
        assert mode(path) == 0o644 & ~umask


def test_a_forced_secret_is_secret_whatever_was_there(world, cli, tmp_path):
    """Overwriting a file that everybody could read leaves one that only its owner can."""
    path = tmp_path / "query.json"
    path.write_text("old")
    path.chmod(0o666)
    assert cli(*world.prove(tmp_path, "--force")).code == 0
    assert mode(path) == 0o600


def test_the_public_files_hold_no_secret(world):
    """Neither blinding nor applicant's data nor weights stand in what is published."""
    query, opening = json.loads(world.query.read_bytes()), json.loads(world.opening.read_bytes())
    public = world.certificate.read_text() + world.commitment.read_text() + (world.key / "key.json").read_text()
    assert query["blinding"] not in public
    assert opening["blinding"] not in public
    assert '"weights"' not in public
    assert json.loads(world.certificate.read_bytes())["query"] is None


def test_disclosing_writes_the_applicants_data(world, cli, tmp_path):
    """With --disclose the certificate carries the query itself, and still verifies."""
    assert cli(*world.prove(tmp_path, "--disclose")).code == 0
    certificate = tmp_path / "certificate.json"
    assert json.loads(certificate.read_bytes())["query"] == json.loads((tmp_path / "query.json").read_bytes())
    assert cli(*world.verify(certificate=certificate, query=None)).code == 0


def test_the_query_file_opens_the_commitment(world):
    """The query file holds the row's features and the blinding of the certificate's query commitment."""
    query = parse_query(world.query.read_bytes(), "query.json")
    certificate = parse_certificate(world.certificate.read_bytes(), "certificate.json")
    spec = parse_spec((world.model / "spec.json").read_bytes(), "spec.json")
    assert query.features == json.loads(world.row.read_bytes())
    assert field.to_hex(query.commitment(spec)) == certificate.statement.query_commitment


def refused(cli, words, taken):
    """Insist that a command refuses the file that is there and changes nothing beside it."""
    before = listing(taken.parent)
    assert "--force" in cli(*words).complaint(2, taken)
    assert listing(taken.parent) == before


@pytest.mark.parametrize("name", ["certificate.json", "query.json"])
def test_prove_overwrites_nothing_unasked(world, cli, tmp_path, name):
    """An existing certificate or query is left alone; with --force it is replaced."""
    taken = tmp_path / name
    taken.write_text("mine")
    refused(cli, world.prove(tmp_path), taken)
    assert cli(*world.prove(tmp_path, "--force")).code == 0
    assert json.loads(taken.read_bytes())


@pytest.mark.parametrize("name", ["commitment.json", "opening.json"])
def test_commit_overwrites_nothing_unasked(world, cli, tmp_path, name):
    """An existing commitment or opening is left alone; with --force both are replaced."""
    taken = tmp_path / name
    taken.write_text("mine")
    refused(cli, ["commit", world.model, "--out", tmp_path], taken)
    assert cli("commit", world.model, "--out", tmp_path, "--force").code == 0
    assert sorted(listing(tmp_path)) == ["commitment.json", "opening.json"]


@pytest.mark.parametrize("name", ["network.npz", "spec.json", "training.json"])
def test_train_overwrites_nothing_unasked(cli, tmp_path, name):
    """Any file of a model folder that is there is left alone, before any training."""
    taken = tmp_path / name
    taken.write_text("mine")
    refused(cli, ["train", "--hidden", "2", "--out", tmp_path], taken)


@pytest.mark.slow
def test_train_replaces_a_model_when_told(cli, tmp_path):
    """With --force the files of a model are replaced, and others are not touched."""
    for name in ("spec.json", "notes.txt"):
        (tmp_path / name).write_text("mine")
    assert cli("train", "--hidden", "2", "--out", tmp_path, "--force").code == 0
    assert (tmp_path / "notes.txt").read_text() == "mine"
    assert sorted(listing(tmp_path)) == ["network.npz", "notes.txt", "spec.json", "training.json"]


def test_setup_overwrites_no_key_unasked(world, cli, tmp_path):
    """An existing key is left alone; with --force it is replaced by another."""
    keys = shutil.copytree(world.keys, tmp_path / "keys")
    words, key, before = world.setup(keys), keys / world.key.name, listing(keys)
    assert "--force" in cli(*words).complaint(2, key)
    assert listing(keys) == before
    made = cli(*words, "--json", "--force").document
    assert made["key"] == str(key)
    assert made["fingerprint"] != parse_key((world.key / "key.json").read_bytes(), "key.json").fingerprint
    assert listing(keys).keys() == before.keys()


def test_one_file_for_certificate_and_query_is_refused(world, cli, tmp_path):
    """A certificate and a secret query cannot have one name, forced or not: nothing is written."""
    same = ["--out", tmp_path / "one.json", "--query-out", tmp_path / "one.json"]
    for more in ([], ["--force"]):
        cli(*world.prove(tmp_path)[:-4], *same, *more).complaint(2)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("name", ["certificate.json", "query.json"])
@pytest.mark.parametrize("more", [[], ["--force"]], ids=["", "force"])
def test_prove_writes_both_files_or_none(world, cli, tmp_path, name, more):
    """Where a folder stands in the place of one file, the other is not written either."""
    (tmp_path / name).mkdir()
    cli(*world.prove(tmp_path, *more)).complaint(2, tmp_path / name)
    assert list(listing(tmp_path)) == [name]


@pytest.mark.parametrize("option", ["--out", "--query-out"])
def test_prove_below_a_file_writes_nothing(world, cli, tmp_path, option):
    """Where a file stands in the place of a folder, neither certificate nor query is written."""
    (tmp_path / "file").write_text("mine")
    words = world.prove(tmp_path)
    words[words.index(option) + 1] = tmp_path / "file" / "result.json"
    cli(*words).complaint(2, tmp_path / "file")
    assert list(listing(tmp_path)) == ["file"]


@pytest.mark.parametrize("name", ["commitment.json", "opening.json"])
def test_commit_writes_both_files_or_none(world, cli, tmp_path, name):
    """Where a folder stands in the place of one file, the other is not written either, forced or not."""
    (tmp_path / name).mkdir()
    for more in ([], ["--force"]):
        cli("commit", world.model, "--out", tmp_path, *more).complaint(2, tmp_path / name)
    assert list(listing(tmp_path)) == [name]


@pytest.mark.parametrize("command", ["train", "commit", "setup"])
def test_an_output_folder_that_is_a_file_is_refused(world, cli, tmp_path, command):
    """A file in the place of the output folder is named and left alone."""
    path = tmp_path / "file"
    path.write_text("mine")
    words = {
        "train": ["train", "--hidden", "2", "--out", path],
        "commit": ["commit", world.model, "--out", path],
        "setup": world.setup(path, capacity=4),
    }[command]
    cli(*words).complaint(2, path)
    assert path.read_text() == "mine"
    assert list(listing(tmp_path)) == ["file"]


def test_the_files_of_a_trip_are_enough_to_verify(world, tmp_path):
    """Certificate, commitment, key.json and verifying.key verify elsewhere, without anything of the owner's."""
    folder = tmp_path / "keys" / "one"
    folder.mkdir(parents=True)
    for path in (world.key / "key.json", world.key / "verifying.key"):
        shutil.copy(path, folder)
    assert command(*world.verify(keys=tmp_path / "keys", query=None, context=None)).code == 0
