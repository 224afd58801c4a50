"""`equiproof box`, and `setup --box`: what is typed, what comes out, and every mistake in one line."""

import json

import pytest

from tests import boxes
from tests.boxes import CONTEXT, ENDS

OPTIONS = {
    "prove": {
        "--opening", "--keys", "--label", "--out", "--box-out", "--context", "--disclose", "--owner-secret", "--force",
        "--json",
    },
    "verify": {
        "--commitment", "--keys", "--box", "--label", "--context", "--covers", "--transcript", "--signed-by",
        "--least-signers", "--checker", "--language", "--json",
    },
}  # fmt: skip


@pytest.fixture
def owner(tmp_path):
    """A folder with an owner's files, and a box that a certificate was made of by the command."""
    opening = boxes.opening()
    (tmp_path / "opening.json").write_bytes(opening.secret())
    (tmp_path / "commitment.json").write_bytes(opening.public())
    (tmp_path / "ends.json").write_text(json.dumps(ENDS))
    (tmp_path / "context.json").write_text(json.dumps(CONTEXT))
    return tmp_path


def prove(folder, *more, label="granted"):
    """Return the words of a proof."""
    return [
        "box", "prove", folder / "ends.json", "--opening", folder / "opening.json", "--keys",
        boxes.key().folder.parent, "--label", label, "--out", folder / "box.json", *more,
    ]  # fmt: skip


def verify(folder, *more, file="box.json"):
    """Return the words of a verification."""
    at = ["--commitment", folder / "commitment.json", "--keys", boxes.key().folder.parent]
    return ["box", "verify", folder / file, *at, *more]


@pytest.mark.parametrize("command", OPTIONS)
def test_the_options(cli, command):
    """Each command has these options, and no others."""
    done = cli("box", command, "--help")
    named = {word.strip(".,") for word in done.out.split() if word.startswith("--")}
    assert named - {"--help", "--log"} == OPTIONS[command]


def test_from_a_box_to_a_verified_certificate(cli, owner):
    """What is proven is verified, with the opened box and the context, in both languages."""
    opened = owner / "opened.json"
    done = cli(*prove(owner, "--box-out", opened, "--context", owner / "context.json", "--json"))
    document = done.document
    assert (document["verdict"], document["box"]) == ("box", str(opened))
    assert opened.stat().st_mode & 0o077 == 0
    asked = ("--box", opened, "--label", "granted", "--context", owner / "context.json")
    done = cli(*verify(owner, *asked))
    assert done.out.startswith("VERIFIED Everybody in the box of this certificate is decided granted")
    assert "29800 to 30400 EUR" in done.out
    done = cli(*verify(owner, *asked, "--language", "de"))
    assert "29800 bis 30400 EUR" in done.out
    found = cli(*verify(owner, "--json")).document
    assert found["box"] is None
    assert len(found["checks_not_made"]) == 6


def test_what_is_refused(cli, owner):
    """Another box, another label, a file of another kind: each in one line with its exit code."""
    opened = owner / "opened.json"
    cli(*prove(owner, "--box-out", opened))
    other = json.loads(opened.read_text())
    other["ends"]["savings"] = ["low", "high"]
    (owner / "other.json").write_text(json.dumps(other))
    cli(*verify(owner, "--box", owner / "other.json")).complaint(1, "another box than that in your file")
    cli(*verify(owner, "--label", "declined")).complaint(1, "you asked for 'declined'")
    cli(*verify(owner, file="opened.json")).complaint(2, "this is an opened box")
    words = ("--commitment", owner / "commitment.json", "--keys", boxes.key().folder.parent)
    cli("gain", "verify", owner / "box.json", *words).complaint(2, "equiproof box verify")


def test_a_box_that_is_not_decided_writes_nothing(cli, owner):
    """It exits 4, and says what to do."""
    cli(*prove(owner, "--box-out", owner / "opened.json", label="declined")).complaint(4, "make it smaller")
    assert not (owner / "box.json").exists()
    assert not (owner / "opened.json").exists()


def test_who_opens_the_box_is_asked_for(cli, owner):
    """Without the file of the opened box nobody could say what the certificate is about."""
    cli(*prove(owner)).complaint(2, "--box-out is missing")
    assert cli(*prove(owner, "--disclose", "--json")).document["box"] is None
    assert "29800 to 30400" in cli(*verify(owner)).out


def test_keys_of_boxes(cli, owner):
    """They are made from an opening, or from a commitment and the model's sizes, and nothing else names them."""
    done = cli("setup", "--box", "--opening", owner / "opening.json", "--keys", owner / "keys", "--json")
    assert done.document["constraints"] == boxes.key().document.constraints
    named = ("setup", "--box", "--commitment", owner / "commitment.json", "--keys", owner / "named")
    assert cli(*named, "--predicates", "12,1").code == 0
    assert [path.name for path in (owner / "named").iterdir()] == [path.name for path in (owner / "keys").iterdir()]
    cli(*named, "--predicates", "12,1", "--gain").complaint(2, "--box: name the model")
