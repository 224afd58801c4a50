"""`equiproof.toml` gives paths and defaults to the owner's commands, and decides nothing about trust."""

import json
import os
import re

import pytest
import typer

from equiproof.cli.everyday import _options_of, _tree
from equiproof.cli.main import _commands
from equiproof.cli.settings import _BELONGS_TO, _GIVES_WAY, _PLACES, COMMANDS, NEVER
from tests.cli.test_steps import LINE
from tests.cli.world import HIDDEN
from tests.support import ROOT


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Work in an empty folder."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("EQUIPROOF_DATA", raising=False)
    return tmp_path


def options():
    """Return the names of the options of every command."""
    return {words: set(_options_of(one)) for words, one in _tree(_commands())}


def test_the_tables_name_commands_and_options_that_there_are():
    """What the file may say, gives way to and belongs to are names of real commands and options."""
    there = options()
    assert set(there) >= COMMANDS
    assert set(NEVER) <= set().union(*there.values())
    for by_command in _PLACES.values():
        assert all(option in there[command] for command, option in by_command.items())
    for table in (_GIVES_WAY, _BELONGS_TO):
        for (command, option), others in table.items():
            assert {option, *others} <= there[command], (command, option)


def test_who_checks_others_is_not_led_by_a_file():
    """No command that verifies what somebody else made takes anything from a file that may lie beside it."""
    groups = {"verify", "verify-many", "keys", "export", "ceremony", "identity"}
    checking = {words for words in options() if words.split()[0] in groups}
    assert len(checking) > 10
    assert not checking & COMMANDS


def test_a_certificate_is_not_pinned_by_a_file_beside_it(world, cli, folder):
    """A sender's equiproof.toml that names commitment and keys leaves both unpinned, and a broken one is not read."""
    (folder / "equiproof.toml").write_text(f'[paths]\ncommitment = "{world.commitment}"\nkeys = "{world.keys}"\n')
    words = ["verify", world.root, "--commitment", world.commitment, "--keys", world.keys]
    pinned = cli("verify", world.certificate, *words[2:], "--json").document["pinned"]
    (folder / "equiproof.toml").write_text("nonsense")
    assert cli("verify", world.certificate, *words[2:], "--json").document["pinned"] == pinned
    cli("verify", world.certificate).complaint(2, "commitment")


def test_paths_are_those_of_the_file(world, cli, folder, monkeypatch):
    """Opening and keys of a file are relative to it, from wherever it is named, and `-v` says what it gives."""
    (folder / "of").mkdir()
    near = os.path.relpath(world.root, folder / "of")
    (folder / "of" / "bank.toml").write_text(
        f'[paths]\nopening = "{near}/owner/opening.json"\nkeys = "{near}/keys"\n[certify]\nscheme = "traversal"\n'
    )
    outcome = cli("certify", world.row, "--config", "of/bank.toml", "-v")
    assert outcome.code == 0
    assert "regions over" in outcome.out
    assert f"of/bank.toml gives --opening of/{near}/owner/opening.json" in outcome.err
    assert "gives --scheme traversal" in outcome.err
    assert "gives --keys" not in outcome.err
    monkeypatch.chdir(folder / "of")
    (folder / "of" / "bank.toml").rename("equiproof.toml")
    assert cli("certify", world.row).out == outcome.out


def test_the_command_line_goes_before_the_file(world, cli, folder, monkeypatch):
    """An option replaces the file's, a variable of the environment too, and `-v` does not name what is replaced."""
    (folder / "equiproof.toml").write_text(
        '[paths]\nopening = "none.json"\ndata = "nodata"\n[certify]\nscheme = "traversal"\nmax-regions = 64\n'
        '[train]\ndataset = "german"\n'
    )
    words = ["certify", world.row, "--opening", world.opening, "-v"]
    outcome = cli(*words)
    assert outcome.code == 0
    assert "none.json" not in outcome.err
    assert "gives --max-regions 64" in outcome.err
    cli("certify", world.row).complaint(2, "none.json")
    assert "nodata" in cli("train", "--out", "m").complaint(2)
    monkeypatch.setenv("EQUIPROOF_DATA", str(folder / "mine"))
    assert "mine" in cli("train", "--out", "m").complaint(2)


def test_setup_takes_one_model(world, cli, folder, monkeypatch):
    """With both files of the owner in the file, each use of `setup` takes the one that it needs."""
    from equiproof.cli.commands import setup as module

    taken = []

    def stop(opening, commitment, _hidden):
        taken.append((opening and opening.name, commitment and commitment.name))
        raise typer.BadParameter("stop")

    monkeypatch.setattr(module, "_public", stop)
    monkeypatch.setattr(module, "_opened", lambda opening, _scheme, _slots, _rows: stop(opening, None, None))
    (folder / "equiproof.toml").write_text(
        f'[paths]\nopening = "{world.opening}"\ncommitment = "{world.commitment}"\nkeys = "k"\n'
    )
    for words in ([], ["--hidden", HIDDEN], ["--catalogue"]):
        cli("setup", *words)
    assert taken == [("opening.json", None), (None, "commitment.json"), ("opening.json", None)]


def test_a_form_of_keys_gives_way_to_the_other(world, cli, folder):
    """A form in the file is a default: the command line names the other one, or keys that have one form only."""
    at = f'[paths]\nopening = "{world.opening}"\nkeys = "k"\n[setup]\ncapacity = 3\n'
    for form, other in (("kept", "--self-contained"), ("self-contained", "--kept"), ("kept", "--box")):
        (folder / "equiproof.toml").write_text(f"{at}{form} = true\n")
        cli("setup", other).complaint(2, "--capacity 3 is not a power of two")
    (folder / "equiproof.toml").write_text(f"{at}kept = true\n")
    cli("setup", "--proof-system", "plonk-bn254").complaint(2, "--capacity 3 is not a power of two")


def test_defaults_for_many_do_not_disturb_one(world, cli, folder):
    """Options of runs over many stand in the file and are left out where one applicant is proven."""
    (folder / "equiproof.toml").write_text(
        f'[paths]\nopening = "{world.opening}"\nkeys = "{world.keys}"\n'
        '[prove]\njobs = 1\nbundles = true\nletters = true\nlender = "Example"\nid = "application"\n'
    )
    outcome = cli("prove", world.row, "--context", world.context, "--out", "c.json", "--query-out", "q.json")
    assert outcome.code == 0, outcome.err
    many = cli("prove", world.row, "--out-dir", "many", "--context", "none.json", "-v")
    assert "gives --lender Example" in many.err


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("[paths]\nopenning = 'x'\n", "no setting of [paths] is called 'openning'; did you mean 'opening'?"),

        ("[prov]\njobs = 1\n", "no table is called 'prov'; did you mean 'prove'?"),
        ("[prove]\njbs = 1\n", "no setting of [prove] is called 'jbs'; did you mean 'jobs'?"),
        ("[audit.run]\nsede = 1\n", "no setting of [audit run] is called 'sede'; did you mean 'seed'?"),
        ("[verify]\nkeys = 'k'\n", "no table is called 'verify'"),
        ("[keys.check]\naccept = true\n", "no table is called 'keys check'"),
        ("[xyzzy]\na = 1\n", "there are audit report, "),
        ("opening = 'x'\n", "'opening' stands in no table"),
        ("[paths]\nopening = 3\n", "paths: opening: want a path"),
        ("[paths]\nopening = ''\n", "paths: opening: want a path"),
        ('[paths]\nopening = "a\\u0000b"\n', "paths: opening: want a path"),
        ("[prove]\njobs = true\n", "prove: jobs: want a text or a number"),
        ("[prove]\njobs = [1]\n", "prove: jobs: want a text or a number"),
        ("[prove]\njobs = 2026-01-01\n", "prove: jobs: want a text or a number"),
        ("[prove]\nbundles = 'yes'\n", "prove: bundles: want true or false"),
        ("[audit.run]\noption = 'a.b=1'\n", "audit run: option: want a list"),
        ("[certify]\nmax-leaves = 'many'\n", "Invalid value for '--max-leaves'"),
        ("[certify]\nmax-leaves = 1\n", "(equiproof.toml gives --max-leaves)"),
        ("[certify\n", "equiproof.toml: not TOML: "),
        (f"[prove]\njobs = {'1' * 5000}\n", "equiproof.toml: not TOML: "),
        ("[certify]\njobs = 1\njobs = 2\n", "equiproof.toml: not TOML: "),
        *((f"[{table}]\n{name} = {value}\n", "give it on the command line only") for table, name, value in (
            ("prove", "force", "true"), ("prove", "owner-secret", "'s'"), ("prove", "engine", "'dask://h:1'"),
            ("prove", "disclose", "true"), ("import", "allow-loss", "true"), ("setup", "yes", "true"),
            ("import", "allow-differing", "'1'"), ("commit", "accept-labels", "true"),
            ("data.fetch", "base-url", "'http://h'"), ("prove", "json", "true"),
        )),
    ],
    ids=lambda value: value.replace("\n", " ")[:40],
)  # fmt: skip
def test_a_wrong_file_is_one_line(world, cli, folder, text, named):
    """Unknown names, kinds of values, and what a file may not decide are refused, whichever command runs."""
    (folder / "equiproof.toml").write_text(text)
    cli("certify", world.row, "--opening", world.opening).complaint(2, "equiproof.toml", named)


@pytest.mark.parametrize("content", [b"\xff", b"#" * 70_000], ids=["bytes", "long"])
def test_what_is_no_text_is_refused(world, cli, folder, content):
    """Other bytes and long files are refused in one line; help is shown all the same."""
    (folder / "equiproof.toml").write_bytes(content)
    cli("certify", world.row, "--opening", world.opening).complaint(2, "equiproof.toml")
    assert cli("certify", "--help").code == 0


def test_a_file_that_is_named_must_be_there(world, cli, folder):
    """Only the one of the working folder may be missing."""
    cli("certify", world.row, "--opening", world.opening, "--config", "none.toml").complaint(2, "none.toml")
    (folder / "equiproof.toml").mkdir()
    cli("certify", world.row, "--opening", world.opening).complaint(2, "equiproof.toml")


def test_the_names_of_columns_may_be_a_file_beside_it(folder):
    """`@names.txt` is relative to the file, too."""
    from pathlib import Path

    from equiproof.cli.settings import Option, Settings

    settings = Settings(Path("of/equiproof.toml"), {"import": {"columns": "@names.txt"}})
    assert settings.defaults("import", {"columns": Option("columns")}, ()) == {"columns": "@of/names.txt"}


def test_commands_inside_the_demo_take_no_defaults(cli, folder, monkeypatch):
    """The demo shows its commands as they are typed: a file does not change them."""
    from equiproof.cli.commands import commit as module

    def stop(*_):
        raise typer.BadParameter("reached")

    monkeypatch.setattr(module, "refuse_missing", stop)
    (folder / "equiproof.toml").write_text('[commit]\npad-to = "nonsense"\n')
    assert "reached" in cli("demo", "--out", "d").err
    cli("commit", "d/model", "--out", "o").complaint(2, "nonsense")


def test_json_is_one_object(world, cli, folder):
    """`-v` speaks on standard error alone."""
    (folder / "equiproof.toml").write_text(f'[paths]\nopening = "{world.opening}"\n')
    outcome = cli("certify", world.row, "--scheme", "traversal", "--json", "-v")
    assert json.loads(outcome.out)["label"]
    assert "gives --opening" in outcome.err


def test_the_guide_shows_a_file_that_is_right(world, cli, folder):
    """The file of the guide is accepted as it stands, and its line of a log is one."""
    guide = (ROOT / "docs" / "guide.md").read_text()
    (text,) = re.findall(r"^```toml\n(.*?)^```$", guide, re.MULTILINE | re.DOTALL)
    (folder / "equiproof.toml").write_text(text)
    assert cli("certify", world.row, "--opening", world.opening, "--scheme", "traversal").code == 0
    (line,) = re.findall(r"^time=.*$", guide, re.MULTILINE)
    assert LINE.fullmatch(line)
    assert LINE.fullmatch((folder / "equiproof.log").read_text().splitlines()[1])
    for name in sorted(set(NEVER) - {"json"}):
        assert f"`--{name}`" in guide
