"""Keys from the command line: which are made by default, which one is missing, where a relying party's are found."""

import hashlib
import json
import shutil
from pathlib import Path

import pytest
import typer

from equiproof.cli.commands.setup import capacity_for
from equiproof.verifier.documents import parse_key
from tests.cli.forked import forked
from tests.cli.world import CAPACITY, HIDDEN, canonical, listing
from tests.support import marked


def test_layer_sizes_are_never_guessed(world, cli, tmp_path):
    """A set-up without layer sizes is misuse: a key of any other size than the model's is of no use."""
    words = ["setup", "--commitment", world.commitment, "--keys", tmp_path / "keys"]
    cli(*words).complaint(2, "--hidden")
    assert not list(tmp_path.iterdir())


def test_an_opening_says_the_sizes(world, setups, cli, tmp_path):
    """Keys for an opening have its model's shape; sizes beside it, a second file or none are misuse."""
    made = Path(setups["json"].document["key"])
    hidden = parse_key((made / "key.json").read_bytes(), "key.json").shape.architecture.hidden
    assert ",".join(map(str, hidden)) == HIDDEN
    words = ["setup", "--opening", world.opening, "--keys", tmp_path / "keys", "--capacity", CAPACITY]
    for more in (["--hidden", HIDDEN], ["--pad-to", "16x16-8"], ["--commitment", world.commitment]):
        cli(*words, *more).complaint(2, "--opening")
    cli("setup", "--keys", tmp_path / "keys", "--catalogue").complaint(2, "--opening")


def test_commit_prints_the_set_up_of_its_model(world, cli, tmp_path):
    """A commitment prints the command that makes its keys, which takes the sizes from the opening."""
    said = cli("commit", world.model, "--out", tmp_path).out
    assert f"equiproof setup --opening {tmp_path / 'opening.json'} --keys FOLDER" in said


@pytest.mark.parametrize(
    ("scheme", "slices", "capacity"),
    [
        ("traversal", 2, 32),
        ("traversal", 32, 32),
        ("traversal", 33, 64),
        ("traversal", 58, 64),
        ("traversal", 4096, 4096),
        ("branch", 2, 32),
        ("branch", 31, 32),
        ("branch", 32, 64),
    ],
)
def test_the_default_capacity_has_room_for_every_slice(scheme, slices, capacity):
    """Without a wish, the capacity is the first power of two from 32 that holds one region, or leaf, a slice."""
    assert capacity_for(scheme, slices, None) == capacity


@pytest.mark.parametrize(
    ("scheme", "slices", "asked", "said"),
    [
        ("traversal", 58, 32, "58 values of the sensitive features need --capacity 64 or more"),
        ("traversal", 2, 48, "not a power of two: use 32 or 64"),
        ("branch", 2, 2, "2 values of the sensitive features need --capacity 4 or more"),
    ],
)
def test_a_capacity_that_cannot_be_names_the_next(scheme, slices, asked, said):
    """A capacity below the slices, or between powers of two, is refused with the ones that would do."""
    assert capacity_for(scheme, slices, 64) == 64
    with pytest.raises(typer.BadParameter, match=said):
        capacity_for(scheme, slices, asked)


def test_a_missing_key_says_which_one_and_which_are_there(world, cli, tmp_path):
    """Where no key fits, the line has the option that makes it and the keys that are there; no folder is said too."""
    there = f"it needs --hidden {HIDDEN} --capacity 4; there are {HIDDEN} (branch, K = {CAPACITY})"
    cli(*world.prove(tmp_path, "--capacity", 4)).complaint(2, world.keys, there)
    cli(*world.prove(tmp_path, keys=tmp_path / "none")).complaint(
        2, f"{tmp_path / 'none'}: make one with `equiproof setup`"
    )


def test_a_key_folder_itself_verifies(world, cli):
    """An applicant who names the folder with key.json in it verifies all the same."""
    assert cli(*world.verify(keys=world.key)).code == 0


def test_an_applicant_is_not_told_to_make_keys(world, cli, tmp_path):
    """A folder without keys sends an applicant to the publisher: a home-made key verifies nothing."""
    shutil.copy(world.commitment, tmp_path)
    said = cli(*world.verify(keys=tmp_path)).complaint(2, tmp_path, "get the key folder from whoever published")
    assert "equiproof setup" not in said


LIST_A = 8 + 5 * 32 + 1 + 3 * 64
"""Where a proving key has the length of its first list of points: behind its domain and three points."""


CLAIMED = {
    "a domain whose tables take 35 TB": (0, bytes([0, 0, 1, 0, 0, 0, 0, 0])),
    "the largest domain": (0, b"\xff" * 8),
    "as many points as can be claimed": (LIST_A, b"\xff" * 4),
}


def test_a_foreign_proving_key_cannot_end_the_process(world, tmp_path):
    """A key that claims sizes beyond any memory is one line and exit 2, at once, and nothing is written.

    Of a key's file of a terabyte, no more is read than a key of its constraints has.
    """
    data, said = (
        (world.key / "proving.key").read_bytes(),
        dict.fromkeys(CLAIMED, "remove the folder, and make the key again: not usable"),
    )
    for name, (at, claimed) in CLAIMED.items():
        made_up(world, tmp_path / name, data[:at] + claimed + data[at + len(claimed) :])
    made_up(world, tmp_path / "a file without end", data)
    with (tmp_path / "a file without end" / world.key.name / "proving.key").open("r+b") as stream:
        stream.truncate(1 << 40)
    said["a file without end"] = "make it again with --force: damaged"
    before = listing(tmp_path)
    ended = forked(world.prove(tmp_path, keys=tmp_path / name) for name in said)
    for (name, reason), outcome in zip(said.items(), ended, strict=True):
        outcome.complaint(2, tmp_path / name, f"proving.key: {reason}")
    assert listing(tmp_path) == before


def made_up(world, keys, proving):
    """Write a store with one key of foreign bytes that its metadata names by their digest, under the owner's mark."""
    folder = keys / world.key.name
    shutil.copytree(world.key, folder)
    (folder / "proving.key").write_bytes(proving)
    document = json.loads((folder / "key.json").read_text())
    document["proving_key"] = hashlib.sha256(proving).hexdigest()
    (folder / "key.json").write_bytes(canonical(document))
    marked(folder, parse_key((folder / "key.json").read_bytes(), "key.json"))


@pytest.mark.slow
def test_keys_of_plonk_work_with_the_ordinary_commands(world, cli, tmp_path):
    """`setup --proof-system`, then `prove` and `verify` as ever; what is printed names the proof system."""
    keys, out = tmp_path / "keys", tmp_path / "out"
    out.mkdir()
    made = cli(*world.setup(keys, "--proof-system", "plonk-bn254", "--scheme", "traversal", capacity=4))
    assert made.code == 0
    assert "proof system: plonk-bn254" in made.out
    at = {"certificate": out / "c.json", "query": out / "q.json"}
    words = ["prove", world.row, "--opening", world.opening, "--keys", keys, "--out", at["certificate"]]
    assert cli(*words, "--query-out", at["query"]).code == 0
    words = ["verify", at["certificate"], "--commitment", world.commitment, "--keys", keys, "--query", at["query"]]
    for checker in ("native", "python"):
        said = cli(*words, "--checker", checker, "--verbose")
        assert said.code == 0
        assert "plonk-bn254" in said.out
    cli("setup", "--proof-system", "plonk", *world.setup(keys)[1:]).complaint(2, "plonk-bn254")
