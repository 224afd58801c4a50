"""`equiproof status` says what a folder holds and which command comes next, and nothing secret."""

import json
import re
import shlex
import shutil
import sys

import pytest

from equiproof.cli import inventory
from equiproof.prover import ensemble_folder, model_folder
from equiproof.prover.many.manifest import MANIFEST, Entry, Header
from tests.cli.world import HIDDEN, shell
from tests.support import ROOT


def header(rows):
    """Return the first line of a manifest."""
    texts = dict.fromkeys(("model_commitment", "spec_digest", "key", "applicants"), "0")
    return Header(
        format=MANIFEST[0], version=MANIFEST[1], rows=rows, context={}, max_seconds=None, disclose=False, bundles=False,
        letter=None, **texts,
    )  # fmt: skip


def write_run(folder, rows, verdicts):
    """Write the manifest of a run with some rows finished."""
    import msgspec

    folder.mkdir(parents=True)
    entries = [Entry(row=n, name=str(n), verdict=verdict, finished="") for n, verdict in enumerate(verdicts, start=1)]
    lines = [msgspec.json.encode(one) + b"\n" for one in (header(rows), *entries)]
    (folder / "manifest.jsonl").write_bytes(b"".join(lines) + b'{"row": ')
    (folder / "applicants" / "1").mkdir(parents=True)
    (folder / "applicants" / "1" / "certificate.json").write_text('{"format": "equiproof-certificate"}')


def test_everything_of_a_trip_is_found(world, cli):
    """Model, opening, commitment, key, certificates and query files of one folder, and the next command."""
    found = cli("status", world.root, "--json").document
    assert found["models"] == [{"path": str(world.model), "kind": "trained"}]
    assert found["openings"] == [{"path": str(world.opening), "spec": "lending", "hidden": [int(HIDDEN)]}]
    assert [one["path"] for one in found["commitments"]] == [str(world.commitment)]
    (key,) = found["keys"]
    assert (key["path"], key["yours"], key["setup"]) == (str(world.key), True, "single-party")
    assert key["openings"] == [str(world.opening)]
    assert (len(found["certificates"]), found["queries"], found["bundles"]) == (2, 2, [])
    assert found["complete"]
    assert not found["unreadable"]
    (step,) = found["next"]
    assert step["command"].startswith("equiproof bundle ")


def test_the_text_says_the_same_and_shows_no_secret(world, cli):
    """The text names every file; neither blinding, weights nor an applicant's values are in text or JSON."""
    text, document = cli("status", world.root).out, cli("status", world.root, "--json").out
    for path in (world.model, world.opening, world.commitment, world.key):
        assert str(path) in text
    assert "single-party" in text
    assert "marked as yours" in text
    opening, query = json.loads(world.opening.read_bytes()), json.loads(world.query.read_bytes())
    secrets = [opening["blinding"], query["blinding"], *opening["layers"][0]["biases"]]
    secrets += [str(value) for value in query["features"].values() if len(str(value)) > 3]
    assert len(secrets) > 6
    # A digest may hold any few digits by chance: a value that is told would stand by itself.
    assert not [secret for secret in secrets if re.search(rf"(?<!\w){re.escape(secret)}(?!\w)", text + document)]


def test_a_key_without_the_mark_is_told(world, cli, tmp_path):
    """A key that `prove` would refuse is not called the owner's, and the next command makes another."""
    shutil.copytree(world.owner, tmp_path / "owner")
    shutil.copytree(world.keys, tmp_path / "keys")
    secret = tmp_path / "other.secret"
    secret.write_text("0" * 64)
    secret.chmod(0o600)
    found = cli("status", tmp_path, "--owner-secret", secret, "--json").document
    assert [key["yours"] for key in found["keys"]] == [False]
    assert "was not made with the owner's secret" in found["keys"][0]["refused"]
    assert shlex.split(found["next"][0]["command"])[:2] == ["equiproof", "setup"]
    assert "refuses it" in cli("status", tmp_path, "--owner-secret", secret).out


def test_runs_are_counted_by_their_manifests(world, cli, tmp_path):
    """Verdicts are those of whole lines; what applicants got is not counted again; an open run is to be resumed."""
    shutil.copytree(world.owner, tmp_path / "owner")
    shutil.copytree(world.keys, tmp_path / "keys")
    write_run(tmp_path / "march", 5, ["fair", "unfair", "fair"])
    write_run(tmp_path / "april", 2, ["fair", "undecided"])
    found = cli("status", tmp_path, "--json").document
    april, march = found["runs"]
    assert (march["rows"], march["fair"], march["unfair"], march["finished"]) == (5, 2, 1, False)
    assert (april["rows"], april["undecided"], april["finished"]) == (2, 1, True)
    assert found["certificates"] == []
    (step,) = found["next"]
    assert f"--out-dir {tmp_path / 'march'} --resume" in step["command"]
    assert "3 of 5 rows, not finished: 2 fair, 1 unfair, 0 undecided" in cli("status", tmp_path).out


@pytest.mark.parametrize(
    ("place", "content"),
    [
        ("opening.json", b'{"format": "equiproof-opening"}'),
        ("manifest.jsonl", b"nonsense\n"),
        ("key.json", b'{"format": "equiproof-key"}'),
        ("commitment.json", b'{"format": "equiproof-commitment"}'),
    ],
)
def test_a_file_that_cannot_be_used_is_named(cli, tmp_path, place, content):
    """A broken file is a line of the answer, and the rest of the folder is shown all the same."""
    (tmp_path / place).write_bytes(content)
    (tmp_path / "rows.csv").write_text("a\n1\n")
    found = cli("status", tmp_path, "--json").document
    assert [place in line for line in found["unreadable"]] == [True]
    assert found["tables"] == [str(tmp_path / "rows.csv")]
    assert shlex.split(found["next"][0]["command"])[:2] == ["equiproof", "train"]


def test_hidden_files_and_links_are_left_out(cli, tmp_path):
    """A link to a folder above would never end, and unfinished files are nobody's."""
    (tmp_path / "again").symlink_to(tmp_path)
    (tmp_path / ".unfinished").mkdir()
    (tmp_path / ".unfinished" / "rows.csv").write_text("a\n1\n")
    assert cli("status", tmp_path, "--json").document["tables"] == []


def test_large_folders_are_looked_at_in_part(cli, tmp_path, monkeypatch):
    """Beyond a number of files the answer says that there is more."""
    monkeypatch.setattr(inventory, "MOST", 2)
    for name in "abc":
        (tmp_path / f"{name}.csv").write_text("a\n1\n")
    found = cli("status", tmp_path, "--json").document
    assert (len(found["tables"]), found["complete"]) == (2, False)
    assert "more in this folder" in cli("status", tmp_path).out


def test_no_folder_is_one_line(cli, tmp_path):
    """A folder that is not there is named."""
    cli("status", tmp_path / "none").complaint(2, tmp_path / "none")


def test_names_of_model_folders_are_those_that_commands_write():
    """The inventory knows them without importing what reads networks."""
    reports = {model_folder.TRAINING_FILE, model_folder.IMPORT_FILE}
    assert set(inventory.REPORTS) == reports
    assert {model_folder.NETWORK_FILE, ensemble_folder.ENSEMBLE_FILE} == inventory.MODEL_FILES


def test_status_needs_no_heavy_package(world):
    """Neither torch, numpy nor the native library is loaded."""
    code = (
        "import sys\nfrom equiproof.cli.main import run\n"
        f"code = run(['status', {str(world.root)!r}])\n"
        "heavy = {'torch', 'numpy', 'sklearn', 'equiproof.ffi._native', '_cffi_backend'} & set(sys.modules)\n"
        "sys.exit(f'{code} {heavy}' if code or heavy else 0)\n"
    )
    outcome = shell(code=code, cwd=ROOT)
    assert (outcome.code, outcome.err) == (0, "")
    assert sys.modules


@pytest.mark.slow
def test_the_commands_lead_from_an_empty_folder_to_a_verified_bundle(cli, tmp_path, world):
    """Each command that `status` prints is run as it is; only words in capitals are replaced."""
    seen = []
    for _ in range(6):
        words = shlex.split(cli("status", tmp_path, "--json").document["next"][0]["command"])[1:]
        seen.append(words[0])
        more = ["--hidden", HIDDEN] if words[0] == "train" else []
        given = [str(world.row) if word == "APPLICANT.json" else word for word in words]
        assert cli(*given, *more, *(["--capacity", 8] if words[0] == "setup" else [])).code in (0, 3, 4), words
    assert seen == ["train", "commit", "setup", "prove", "bundle", "verify"]
