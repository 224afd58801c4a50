"""What is wrong with a long command is said before it begins: its long step is never reached."""

import json

import numpy as np
import pytest
import typer
from typer.models import TyperPath

from equiproof.circuits import files
from equiproof.cli.everyday import _tree
from equiproof.cli.main import _commands
from equiproof.cli.places import _FILES, _FOLDERS, _NEW_FOLDERS, LONG

LONG_STEPS = {
    "train": "equiproof.certify.models.training.train",
    "import": "equiproof.certify.models.importing.bound_network",
    "inspect": "equiproof.prover.inspection.inspect",
    "commit": "equiproof.certify.models.fidelity.refuse_loss",
    "setup": "equiproof.prover.keys.set_up",
    "certify": "equiproof.certify.many.portfolio.certify_all",
    "prove": "equiproof.prover.prove.Prover.prove",
    "many": "equiproof.prover.many.run.Run.go",
    "repair": "equiproof.audits.prof.applicants.repair_for",
    "audit": "equiproof.audits.runner.run_all",
    "circuit": "equiproof.prover.gadget_proofs.search",
    "spec": "equiproof.certify.data.spec_draft.draft_file",
    "fetch": "equiproof.certify.data.fetching.fetch",
    "verify-many": "equiproof.verifier.many.verify_all",
    "keys": "equiproof.prover.ceremony.key_check.check_key",
    "new": "equiproof.prover.ceremony.conduct.begin_powers",
    "powers": "equiproof.prover.ceremony.powers.imported",
}

TRAIN = ["train", "--out", "{new}"]
IMPORT = ["import", "{net}", "--dataset", "lending", "--units", "spec", "--columns", "a", "--out", "{new}"]
COMMIT = ["commit", "{model}", "--out", "{new}"]
INSPECT = ["inspect", "{model}"]
SETUP = ["setup", "--opening", "{opening}", "--keys", "{new}"]
CERTIFY = ["certify", "{table}", "--opening", "{opening}"]
PROVE = ["prove", "{row}", "--opening", "{opening}", "--keys", "{keys}", "--context", "{context}"]
MANY = ["prove", "{table}", "--opening", "{opening}", "--keys", "{keys}", "--jobs", "1"]
REPAIR = ["repair", "{table}", "--opening", "{opening}", "--out", "{new}"]
AUDIT = ["audit", "run", "groups", "--opening", "{opening}", "--rows", "{table}"]
CIRCUIT = ["circuit", "prove", "inference", "{row}", "--opening", "{opening}", "--keys", "{new}k"]
CHECK = ["keys", "check", "{key}", "--transcript", "{root}"]

MISTAKES = [
    ("train", [*TRAIN[:2], "{file}/model"], "Not a directory"),
    ("train", [*TRAIN[:2], "{file}"], "Not a directory"),
    ("train", [*TRAIN, "--sensitive", "sexx"], "sexx"),
    ("train", [*TRAIN, "--hidden", "4;2"], "4;2"),
    ("train", [*TRAIN, "--ranges", "age=18"], "age=18:90"),
    ("train", [*TRAIN, "--ranges", "agee=18:90"], "agee"),
    ("train", [*TRAIN, "--dataset", "lendin"], "lendin"),
    ("import", [*IMPORT[:-1], "{file}/model"], "Not a directory"),
    ("import", [*IMPORT, "--weight-bits", "24"], "--weight-bits"),
    ("import", [*IMPORT, "--rows", "{none}"], "none"),
    ("import", ["import", "{net}", "--dataset", "lending", "--out", "{new}"], "--units"),
    ("import", [*IMPORT[:7], "@{none}", *IMPORT[8:]], "none"),
    ("commit", [*COMMIT[:-1], "{file}/owner"], "Not a directory"),
    ("commit", [*COMMIT, "--rows", "{none}"], "none"),
    ("commit", [*COMMIT, "--pad-to", "3x3"], "3x3"),
    ("inspect", [*INSPECT, "--plot", "{file}/cost.png"], "Not a directory"),
    ("inspect", [*INSPECT, "--plot", "{table}"], "exists"),
    ("inspect", [*INSPECT, "--rows", "{none}"], "none"),
    ("setup", [*SETUP[:-1], "{file}/keys"], "Not a directory"),
    ("setup", [*SETUP, "--capacity", "5"], "power of two"),
    ("setup", [*SETUP, "--owner-secret", "{table}"], "not an owner's secret"),
    ("setup", [*SETUP, "--proof-system", "plonk-bn254", "--powers", "{none}"], "none"),
    ("certify", [*CERTIFY, "--out", "{file}/results.json"], "Not a directory"),
    ("certify", [*CERTIFY, "--out", "{table}", "--force"], "rows and --out name the same file"),
    ("certify", [*CERTIFY, "--resume", "{file}/run.jsonl"], "Not a directory"),
    ("certify", [*CERTIFY, "--resume", "{opening}", "--out", "{new}"], "--opening and --resume name the same file"),
    ("certify", [*CERTIFY, "--jobs", "0"], "--jobs"),
    ("prove", [*PROVE, "--out", "{file}/c.json", "--query-out", "{new}"], "Not a directory"),
    ("prove", [*PROVE, "--out", "{new}", "--query-out", "{file}/q.json"], "Not a directory"),
    ("prove", [*PROVE, "--out", "{new}", "--query-out", "{new}"], "--out and --query-out name the same file"),
    ("prove", [*PROVE, "--force", "--out", "{opening}", "--query-out", "{new}"], "--opening and --out name the same"),
    ("prove", [*PROVE, "--out", "{new}", "--query-out", "{new}2", "--capacity", "64"], "no key for this model"),
    ("many", [*MANY, "--out-dir", "{file}/many"], "Not a directory"),
    ("many", [*MANY, "--out-dir", "{new}", "--id", "cas"], "cas"),
    ("many", [*MANY, "--out-dir", "{new}", "--letters"], "--lender"),
    ("repair", [*REPAIR[:-1], "{file}/owner"], "Not a directory"),
    ("repair", [*REPAIR, "--keep", "{none}"], "none"),
    ("repair", [*REPAIR, "--prove"], "--keys"),
    ("audit", [*AUDIT, "--out", "{file}/a.json"], "Not a directory"),
    ("audit", [*AUDIT, "--html", "{file}/a.html"], "Not a directory"),
    ("audit", [*AUDIT, "--out", "{new}", "--html", "{new}"], "--out and --html name the same file"),
    ("audit", [*AUDIT, "--resume", "{file}/kept"], "Not a directory"),
    ("audit", [*AUDIT, "--label", "decison"], "no column is called 'decison'; there are age, "),
    ("audit", [*AUDIT, "--sensitive", "sexx"], "sexx"),
    ("audit", [*AUDIT, "--option", "groups.peple=2"], "peple"),
    ("audit", [*AUDIT, "--option", "groups.people=few"], "'few' is not a whole number"),
    ("audit", [*AUDIT[:2], "grups", *AUDIT[3:]], "no audit is called 'grups'"),
    ("audit", [*AUDIT, "--results", "{none}", "--html", "{new}"], "none"),
    ("circuit", [*CIRCUIT[:-1], "{file}/k", "--out", "{new}", "--instance-out", "{new}2"], "Not a directory"),
    ("circuit", [*CIRCUIT, "--out", "{new}", "--instance-out", "{new}"], "--out and --instance-out name the same file"),
    ("spec", ["spec", "{table}", "--label", "a", "--sensitive", "b", "--out", "{file}/s.json"], "Not a directory"),
    ("spec", ["spec", "{table}", "--label", "a", "--sensitive", "b", "--out", "{table}", "--force"], "the same file"),
    ("fetch", ["data", "fetch", "german", "--to", "{file}/data"], "Not a directory"),
    ("verify-many", ["verify-many", "{root}", "--commitment", "{commitment}", "--keys", "{keys}", "--out", "{file}/r"],
     "Not a directory"),
    ("keys", [*CHECK, "--accept"], "--powers"),
    ("keys", [*CHECK, "--powers", "{root}", "--accept", "--owner-secret", "{table}"], "not an owner's secret"),
    ("powers", ["ceremony", "import", "{table}", "--out", "{file}/powers"], "Not a directory"),
]  # fmt: skip


@pytest.fixture
def words_in(world, tmp_path):
    """Fill words in with the files of a trip, a file where a folder is wanted, and names of nothing."""
    (tmp_path / "file").write_text("x")
    np.savez(tmp_path / "net.npz", W0=np.ones((1, 1)), b0=np.ones(1), W1=np.ones((1, 1)), b1=np.ones(1))
    table = tmp_path / "table.json"
    table.write_text(json.dumps([json.loads(world.full.read_bytes()) | {"case": "a"}]))
    names = ("model", "opening", "commitment", "keys", "row", "context", "key", "root")
    places = {name: getattr(world, name) for name in names}
    places |= {"file": tmp_path / "file", "none": tmp_path / "none", "new": tmp_path / "new", "table": table}
    places |= {"net": tmp_path / "net.npz"}
    return lambda words: [str(word).format(**places) for word in words]


@pytest.mark.parametrize(("step", "words", "named"), MISTAKES, ids=lambda value: str(value)[:40])
def test_a_mistake_is_told_before_the_long_step(cli, tmp_path, monkeypatch, words_in, step, words, named):
    """One line names what is wrong; the step that takes long is not reached, and nothing is written."""

    def reached(*_args, **_more):
        raise AssertionError(f"{LONG_STEPS[step]} was reached")

    monkeypatch.setattr(LONG_STEPS[step], reached)
    command = words_in(words)
    before = sorted(tmp_path.rglob("*"))
    cli(*command).complaint(2, named)
    assert sorted(tmp_path.rglob("*")) == before


@pytest.mark.parametrize("step", ["train", "commit", "setup", "certify", "prove", "repair", "audit"])
def test_without_the_mistake_the_long_step_is_reached(cli, tmp_path, monkeypatch, words_in, step):
    """The table above tests something: the same commands without a mistake do reach the step."""
    right = {"train": TRAIN, "commit": COMMIT, "setup": SETUP, "certify": [*CERTIFY, "--out", "{new}"]}
    right |= {"prove": [*PROVE, "--out", "{new}", "--query-out", "{new}2"], "repair": REPAIR, "audit": AUDIT}

    def reached(*_args, **_more):
        raise FileNotFoundError(2, "reached", "here")

    monkeypatch.setattr(LONG_STEPS[step], reached)
    cli(*words_in(right[step])).complaint(2, "here")


def test_a_folder_without_leave_to_write_is_named(monkeypatch, tmp_path):
    """The nearest folder that is there decides."""
    monkeypatch.setattr(files.os, "access", lambda path, mode: path != tmp_path)
    with pytest.raises(PermissionError) as caught:
        files.refuse_unwritable(tmp_path / "a" / "b")
    assert caught.value.filename == str(tmp_path)
    (tmp_path / "c").mkdir()
    files.refuse_unwritable(tmp_path / "c" / "d")
    assert not any((tmp_path / "c").iterdir())


def test_every_path_of_a_long_command_is_known_as_read_or_written():
    """A new option that names a file needs a decision: what is written stands in the tables."""

    read = {
        *(
            "data_dir",
            "table",
            "model",
            "spec",
            "domains",
            "rows",
            "opening",
            "commitment",
            "powers",
            "owner_secret",
            "link",
            "log_proof",
            "witnesses",
        ),
        *("row", "keys", "context", "keep", "certificates", "signed_by", "policy", "results", "key", "transcript"),
        *(
            "box",
            "recourse",
            "wishes",
            "reasons",
            "sign",
            "receipt",
            "signers",
            "folder",
            "signing_key",
            "file",
            "log_file",
            "config_file",
        ),
    }
    for words, command in _tree(_commands()):
        if words in LONG:
            paths = {one.name for one in command.params if isinstance(one.type, TyperPath)}
            written = {*_FILES, *_FOLDERS, *_NEW_FOLDERS.get(words, ())}
            assert paths <= read | written, (words, paths - read - written)
    assert all(words in LONG for words in _NEW_FOLDERS)


def test_an_option_left_without_its_value_takes_no_other_option_for_one():
    """Every command names both."""
    for words, command in _tree(_commands()):
        for swallowed in ("-v", "--log=day.log", "--help"):
            with pytest.raises(typer.BadParameter, match=f"^give --log a value of its own: .*'{swallowed}'"):
                command.make_context(words, ["--log", swallowed])


def test_what_an_option_takes_for_its_value_is_said_first_and_not_written(cli, tmp_path, monkeypatch):
    """Nothing is written under the name of an option; the value of a repeated option is looked at as well."""
    monkeypatch.chdir(tmp_path)
    line = cli("service", "check", "--log", "--json").complaint(2, "--json")
    assert line.startswith("equiproof: give --log a value of its own: ")
    cli("verify", "c.json", "--signed-by", "a.key", "--signed-by", "--json").complaint(2, "give --signed-by a value")
    assert not list(tmp_path.iterdir())


def test_a_file_may_be_called_as_an_option_is(cli, tmp_path, monkeypatch):
    """By the path that the complaint names."""
    monkeypatch.chdir(tmp_path)
    cli("verify", "--log", "./--json", "c.json").complaint(2, "c.json")
    assert [path.name for path in tmp_path.iterdir()] == ["--json"]
