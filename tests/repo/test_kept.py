"""What tests keep between runs is made anew whenever anything that it was made of changes."""

import os
import sys

import pytest

from tests import kept


@pytest.fixture
def sources(tmp_path, monkeypatch):
    """A checkout in small: a library, pins and two rooms; what is kept is kept beside it."""
    root = tmp_path / "checkout"
    monkeypatch.setenv(kept.PLACE_VARIABLE, str(tmp_path / "kept"))
    for name in (kept.LIBRARY, "requirements/base.txt", "equiproof/one/a.py", "equiproof/two/b.py", "tests/made.py"):
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(name)
    return root


def folder_of(root, kind="keys", *sources):
    """Return the folder for what the first room makes."""
    kept._digest.cache_clear()
    return kept.kept(kind, "equiproof/one", "tests/made.py", *sources, root=root)


def test_the_same_sources_have_the_same_folder(sources):
    """A second run finds what the first one left; another kind, and other sources, have their own."""
    first = folder_of(sources)
    (first / "key").touch()
    assert (folder_of(sources) / "key").exists()
    (sources / "equiproof" / "two" / "b.py").write_text("changed")
    assert folder_of(sources) == first
    assert folder_of(sources, "world") != first
    assert folder_of(sources, "keys", "equiproof/two") != first


@pytest.mark.parametrize("name", [kept.LIBRARY, "requirements/base.txt", "equiproof/one/a.py", "tests/made.py"])
def test_whatever_changes_gives_another_folder(sources, name):
    """Library, pins, a source and what stands beside it: a byte more is another folder, and the byte less the first."""
    first = folder_of(sources)
    (sources / name).write_text(f"{name} ")
    assert folder_of(sources) != first
    (sources / name).write_text(name)
    assert folder_of(sources) == first


def test_another_name_gives_another_folder(sources):
    """A source that was renamed is another source."""
    first = folder_of(sources)
    (sources / "equiproof/one/a.py").rename(sources / "equiproof/one/c.py")
    assert folder_of(sources) != first


def test_another_secret_gives_another_folder(sources, tmp_path, monkeypatch):
    """Keys are marked with the owner's secret, so keys of another secret are other keys."""
    first = folder_of(sources)
    monkeypatch.setenv(kept.SECRET_VARIABLE, str(tmp_path / "another.secret"))
    assert folder_of(sources) != first


def test_nothing_is_taken_over_while_lines_are_traced(monkeypatch):
    """Under a tracer, every run makes everything itself, in a folder of its own; otherwise all share one."""
    own = (kept.PLACE_VARIABLE, kept.SECRET_VARIABLE)
    monkeypatch.setattr(os, "environ", {name: value for name, value in os.environ.items() if name not in own})
    monkeypatch.setattr(sys, "gettrace", lambda: None)
    assert kept.prepare() is None
    assert kept.place() == kept.ROOT / "build" / "tests"
    assert os.environ[kept.SECRET_VARIABLE] == str(kept.place() / "owner.secret")
    del os.environ[kept.SECRET_VARIABLE]
    monkeypatch.setattr(sys, "gettrace", lambda: print)
    own = kept.prepare()
    assert kept.place() == own
    assert kept.ROOT not in own.parents
    assert os.environ[kept.SECRET_VARIABLE] == str(own / "owner.secret")
    assert kept.prepare() is None
    assert kept.place() == own
    own.rmdir()


def test_old_generations_are_removed(sources):
    """Of each kind the two that were used last stay."""
    other, folders = folder_of(sources, "world"), []
    for number in range(4):
        (sources / "tests" / "made.py").write_text(str(number))
        folders.append(folder_of(sources))
    assert [folder.exists() for folder in (other, *folders)] == [True, False, False, True, True]
    with pytest.raises(FileNotFoundError):
        folder_of(sources, "keys", "equiproof/none.py")
