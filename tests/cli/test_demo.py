"""`demo`: it replaces its own folders and no others."""

import pytest

from tests.cli.world import listing, shell


def test_a_folder_that_no_demo_made_is_left_alone(tmp_path, cli):
    """A folder with somebody's files is named, and nothing in it changes."""
    (tmp_path / "thesis.txt").write_text("years of work")
    before = listing(tmp_path)
    cli("demo", "--out", tmp_path).complaint(2, tmp_path)
    assert listing(tmp_path) == before


def test_a_file_in_the_place_of_the_folder_is_left_alone(tmp_path, cli):
    """A file in the place of the demo's folder is named and left alone."""
    path = tmp_path / "demo"
    path.write_text("mine")
    cli("demo", "--out", path).complaint(2, path)
    assert path.read_text() == "mine"


@pytest.mark.parametrize("words", [["--dataset", "nonsense"], ["--dataset", "german"], ["--nonsense"]])
def test_a_demo_that_cannot_begin_makes_no_folder(tmp_path, cli, monkeypatch, words):
    """A data set that does not exist, or has no files here, ends with 2 before a folder is made."""
    monkeypatch.delenv("EQUIPROOF_DATA", raising=False)
    cli("demo", "--out", tmp_path / "demo", *words).complaint(2)
    assert not list(tmp_path.iterdir())


@pytest.mark.slow
def test_a_demo_runs_twice_into_its_own_folder(tmp_path):
    """The demo ends well, leaves certificates and a picture, and replaces itself when run again."""
    for _ in range(2):
        outcome = shell("demo", "--out", tmp_path / "demo")
        assert (outcome.code, outcome.err.splitlines()[1:]) == (0, [])
        assert "VERIFIED" in outcome.out
        assert "UNFAIR" in outcome.out
        assert (tmp_path / "demo" / "picture.png").read_bytes().startswith(b"\x89PNG")
        (tmp_path / "demo" / "left-over").touch()
    assert (tmp_path / "demo" / "certificates" / "fair.json").exists()
