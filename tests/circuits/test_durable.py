"""Folders of many files are on the disk before they get their name, by one order instead of thousands."""

import os

import pytest

from equiproof.circuits import durable
from equiproof.circuits.files import write_folder


@pytest.fixture
def orders(monkeypatch):
    """What the system is asked to bring to the disk, in order: single files, everything, and the folder's name."""
    found, fsync, rename = [], os.fsync, os.rename

    def note(name, call):
        return lambda *words, **more: (found.append(name), call(*words, **more))[1]

    monkeypatch.setattr(durable, "SINGLY", 3)
    monkeypatch.setattr(os, "fsync", note("file", fsync))
    monkeypatch.setattr(os, "rename", note("name", rename))
    sync = durable._syncfs()
    if sync is not None:
        monkeypatch.setattr(durable, "_syncfs", lambda: note("all", sync))
    return found


def many(count):
    """Yield files as they come."""
    yield from ((f"{number}/a", b"%d" % number) for number in range(count))


@pytest.mark.skipif(durable._syncfs() is None, reason="this system syncs files one by one only")
def test_many_files_are_synced_at_once(orders, tmp_path):
    """The first few by themselves, the others together, before the folder has its name."""
    write_folder(tmp_path / "few", many(3))
    assert orders == ["file"] * 3 + ["name"]
    orders.clear()
    write_folder(tmp_path / "many", many(50))
    assert orders == ["file"] * 3 + ["all", "name"]
    assert (tmp_path / "many/49/a").read_bytes() == b"49"


def test_a_system_without_that_order_syncs_every_file(orders, tmp_path, monkeypatch):
    """Nothing gets its name before it is on the disk there either."""
    monkeypatch.setattr(durable, "_syncfs", lambda: None)
    write_folder(tmp_path / "many", many(50))
    assert orders == ["file"] * 50 + ["name"]


def test_what_cannot_be_written_leaves_nothing(orders, tmp_path, monkeypatch):
    """An error that only the last order reports, such as of a broken disk, names what was asked for."""
    monkeypatch.setattr(durable, "_syncfs", lambda: lambda handle: durable.ctypes.set_errno(5) or -1)
    with pytest.raises(OSError, match="Input/output error") as refused:
        write_folder(tmp_path / "many", many(50))
    assert refused.value.filename == str(tmp_path / "many")
    assert list(tmp_path.iterdir()) == []
