"""Formats are frozen: what a release has published stands as it was, and its verdict is to accept it."""

import json

import pytest

from tests.vectors import frozen


def test_what_releases_have_published_stands_unchanged():
    """No piece of any release is missing or another one; test_golden.py and test_vectors.py verify them."""
    assert "1.0.0rc1" in frozen.releases()
    assert frozen.changed() == []


def test_every_published_format_is_among_it():
    """Certificates of each scheme and proof system, gains, boxes, links, logs and bundles have pieces."""
    names = frozen.releases()["1.0.0rc1"]
    for part in (
        "golden/loans/", "golden/loans-branch/", "golden/loans-kept/", "golden/loans-plonk/", "golden/gain/",
        "vectors/accept/", "vectors/box.json ", "vectors/bundles/base/", "vectors/gain.json ", "vectors/linked.json ",
        "vectors/log.json ",
    ):  # fmt: skip
        assert any(name.startswith(part) for name in names), part


@pytest.mark.parametrize("change", ["another", "missing"])
def test_a_piece_that_changes_is_named(monkeypatch, change):
    """By its name, and a release cannot be frozen over it."""
    today = frozen.pieces()
    name = "golden/loans/certificate.json"
    others = {key: value for key, value in today.items() if key != name}
    monkeypatch.setattr(frozen, "pieces", lambda: others | ({name: "0" * 64} if change == "another" else {}))
    assert frozen.changed() == [name]
    monkeypatch.setattr("sys.argv", ["frozen", "1.0.1"])
    with pytest.raises(SystemExit, match=f"^restore what releases have published: 1 changed, such as {name}$"):
        frozen.main()


def test_a_release_adds_what_is_new(monkeypatch, tmp_path):
    """What an earlier one has stays below it; words of a case are no part of its digest."""
    path = tmp_path / "frozen.json"
    monkeypatch.setattr(frozen, "PATH", path)
    for release, pieces in (("1.0.0", {"a": "1"}), ("1.1.0", {"a": "1", "b": "2"})):
        monkeypatch.setattr(frozen, "pieces", lambda pieces=pieces: pieces)
        monkeypatch.setattr("sys.argv", ["frozen", release])
        frozen.main()
    assert json.loads(path.read_bytes()) == {"1.0.0": {"a": "1"}, "1.1.0": {"b": "2"}}
    case = {"what": "a case", "verdict": "accept", "hex": {"proof": "00"}}
    assert frozen.of_case(case) == frozen.of_case(case | {"what": "a better word"})
    assert frozen.of_case(case) != frozen.of_case(case | {"hex": {"proof": "01"}})
