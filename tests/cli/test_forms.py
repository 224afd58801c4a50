"""Which form of keys `setup` makes without being asked, and that everything goes on from there by itself."""

import json
import random
import shutil

import pytest

from equiproof.circuits.shape import gain_shape, shape_of
from equiproof.circuits.standard import CATALOGUE
from equiproof.cli.commands.forms import chosen
from equiproof.prover import KeyStore, Opening
from equiproof.prover.forms import Forms
from equiproof.verifier.link import LINK_FILE, load_link
from tests.cli.world import command
from tests.ensemble_small import ensemble
from tests.support import LOANS, applicant

ROOM = ("--slots", 4, "--rows", 8, "--capacity", 2)
"""Little room for many nodes: the kept form takes more than a fifth away."""


@pytest.fixture(scope="module")
def owner(tmp_path_factory):
    """The folder of a committed ensemble with an applicant, and what `setup` said of its keys."""
    folder = tmp_path_factory.mktemp("owner")
    opening = Opening.of(ensemble(sex=0), LOANS, blinding=5)
    (folder / "opening.json").write_bytes(opening.secret())
    (folder / "commitment.json").write_bytes(opening.public())
    (folder / "row.json").write_text(json.dumps(applicant(LOANS, random.Random(3))))
    said = command("setup", "--opening", folder / "opening.json", "--keys", folder / "keys", *ROOM)
    assert said.code == 0, said.err
    (folder / "said.txt").write_text(said.out)
    return folder


def proven(folder, cli, keys="keys"):
    """Prove the decision about the applicant; return the document."""
    at = ("--opening", folder / "opening.json", "--keys", folder / keys)
    made = cli(
        "prove", folder / "row.json", *at, "--out", folder / f"{keys}.json", "--query-out", folder / "q", "--json"
    )
    assert made.code == 0, made.err
    (folder / "q").unlink()
    return made.document


def test_both_keys_are_made_and_it_says_why(owner):
    """Text names the form, what it takes away, the key for links, and what is published."""
    said = (owner / "said.txt").read_text()
    (key,) = KeyStore(owner / "keys").all()
    shape = key.document.shape
    assert shape.kept
    taken_away = Forms.of(shape).taken_away()
    assert f"\n  form: kept, takes away {taken_away}; --self-contained makes the other form\n" in said
    assert "\n  key for links: " in said
    for name in ("key.json", "verifying.key", "link-key.json", "link.json"):
        assert name in said
    assert len(list((owner / "keys").iterdir())) == 2


def test_the_first_proof_makes_the_link(owner, cli, tmp_path):
    """Nothing but the usual commands: setup, prove, bundle, verify."""
    shutil.copytree(owner, tmp_path / "owner")
    folder = tmp_path / "owner"
    document = proven(folder, cli)
    assert document["proof_bytes"] == 228
    assert document["link"] == str(folder / LINK_FILE)
    public = ("--commitment", folder / "commitment.json")
    assert cli("verify", folder / "keys.json", *public, "--keys", folder / "keys").code == 0
    out = tmp_path / "a.equiproof"
    assert cli("bundle", folder / "keys.json", *public, "--key", folder / "keys", "--out", out).code == 0
    document = cli("verify", out, "--json").document
    assert document["link"]["key_fingerprint"] == load_link(folder / LINK_FILE).link_key.fingerprint


def test_status_knows_links_and_their_keys(owner, cli, tmp_path):
    """A folder with all of them has nothing that cannot be used; without the link, it says what needs it."""
    shutil.copytree(owner, tmp_path / "owner")
    folder = tmp_path / "owner"
    before = cli("status", folder, "--json").document
    assert (before["links"], before["unreadable"]) == ([], [])
    assert before["keys"][0]["form"] == "kept"
    proven(folder, cli)
    found = cli("status", folder, "--json").document
    link = load_link(folder / LINK_FILE)
    assert found["links"] == [{"path": str(folder / LINK_FILE), "key": found["keys"][0]["fingerprint"]}]
    assert [one["fingerprint"] for one in found["link_keys"]] == [link.link_key.fingerprint]
    assert found["unreadable"] == []
    text = cli("status", folder).out
    assert "kept: its certificates need a link" in text
    assert f"{folder / LINK_FILE}: of key {link.key[:16]}" in text


def test_the_other_form_is_a_choice(owner, cli, tmp_path):
    """--self-contained makes keys that need no link; --kept says the same as the default here, and both is misuse."""
    for name in ("opening.json", "commitment.json", "row.json"):
        shutil.copy(owner / name, tmp_path)
    words = ("setup", "--opening", tmp_path / "opening.json", *ROOM)
    made = cli(*words, "--keys", tmp_path / "own", "--self-contained", "--json").document
    assert (made["form"], "link" in made) == ("self-contained", False)
    assert proven(tmp_path, cli, "own")["proof_bytes"] == 196
    assert not (tmp_path / LINK_FILE).exists()
    cli(*words, "--keys", tmp_path / "keys", "--kept", "--self-contained").complaint(2, "leave out --kept")
    cli(*words, "--keys", owner / "keys", "--kept").complaint(2, "-kept-", "--force")
    cli(*words, "--keys", owner / "keys").complaint(2, "-kept-", "--force")


@pytest.mark.parametrize(
    ("forms", "form", "why"),
    [
        (Forms(1000, 800), "kept", "takes away 20.0 % of 1,000 constraints; --self-contained makes the other form"),
        (
            Forms(1000, 801),
            "self-contained",
            "the kept form would take away 19.9 % of 1,000 constraints, less than a fifth",
        ),
    ],
)
def test_a_fifth_decides(monkeypatch, forms, form, why):
    """Of networks and of gains alike."""
    monkeypatch.setattr(Forms, "of", classmethod(lambda *_: forms))
    for shape in (shape_of("branch", LOANS, (2,), 4), gain_shape(LOANS, (2,), 4)):
        made = chosen(shape, LOANS, "groth16-bn254", kept=False, self_contained=False)
        assert (made.form, made.why) == (form, why)
        assert made.shape.self_contained == shape


def test_what_stays_as_it_was(monkeypatch):
    """PLONK and standard shapes are self-contained, whatever it takes away: nothing is counted; --kept is for one."""

    def refuse(*_):
        raise AssertionError("constraints were counted")

    monkeypatch.setattr(Forms, "of", classmethod(refuse))
    own = shape_of("branch", LOANS, (2,), 4)
    made = chosen(own, LOANS, "plonk-bn254", kept=False, self_contained=False)
    assert (made.shape, made.why) == (own, "the only form of plonk-bn254")
    shape = CATALOGUE[0].shape("branch", LOANS, 8)
    for spec in (LOANS, CATALOGUE[0].spec(LOANS)):
        made = chosen(shape, spec, "groth16-bn254", kept=False, self_contained=False)
        assert (made.shape, "standard shapes" in made.why) == (shape, True)
        assert chosen(shape, spec, "groth16-bn254", kept=True, self_contained=False).form == "kept"
    assert chosen(own, LOANS, "groth16-bn254", kept=False, self_contained=True).why == "as --self-contained says"
