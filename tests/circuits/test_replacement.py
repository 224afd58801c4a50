"""Files that belong together: wherever a process is killed while it replaces them, all are old or all are new."""

import json
import os
import shutil
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from equiproof.circuits import replacement
from equiproof.circuits.canonical import read_limited
from equiproof.circuits.files import FileExistsRefusedError, refuse_taken, write_file, write_files
from tests.support import ROOT

KILLED = """
import fcntl, os, shutil, signal, sys
from pathlib import Path
from equiproof.circuits import files

template, at, force, *names = sys.argv[1:]

def dying(module, name, left):
    original = getattr(module, name)
    def call(*arguments, **named):
        left[0] -= 1
        if not left[0]:
            os.kill(os.getpid(), signal.SIGKILL)
        return original(*arguments, **named)
    setattr(module, name, call)

number = 0
while True:
    number += 1
    folder = Path(at) / str(number)
    shutil.copytree(template, folder)
    child = os.fork()
    if not child:
        left = [number]
        for name in ("open", "write", "fsync", "link", "replace", "unlink", "close", "stat", "lstat"):
            dying(os, name, left)
        dying(fcntl, "flock", left)
        data = {folder / name: b"new" for name in names}
        files.write_files(data, secret=list(data)[:1], force=bool(int(force)))
        os._exit(0)
    if not os.waitpid(child, 0)[1]:
        break
"""
"""Writes files in copies of a folder, each time killed one call of the system later, until it ends by itself."""

ORDERS = [
    ("secret", "public"),
    ("b/secret", "a/public"),
    *(
        pytest.param(names, marks=pytest.mark.slow)
        for names in (("public", "secret"), ("a/secret", "b/public"), ("b/secret", "a/public", "b/third"))
    ),
]


def entries(folder):
    """Return every name below a folder, hidden ones included."""
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*") if not path.is_dir())


def killed(tmp_path, names, *, force):
    """Kill a replacement at each of its calls; return the folders that are left, one for each moment."""
    template = tmp_path / "template"
    for name in names:
        (template / name).parent.mkdir(parents=True, exist_ok=True)
        if force:
            (template / name).write_bytes(b"old")
    words = [str(template), str(tmp_path / "killed"), str(int(force)), *names]
    done = subprocess.run([sys.executable, "-c", KILLED, *words], cwd=ROOT, capture_output=True, check=False)
    assert (done.returncode, done.stderr) == (0, b"")
    folders = sorted((tmp_path / "killed").iterdir(), key=lambda folder: int(folder.name))
    assert len(folders) > 20
    return folders


def contents(folder, names):
    """Read files as the product does; None stands for one that is not there."""
    found = []
    for name in names:
        try:
            found.append(read_limited(folder / name))
        except FileNotFoundError:
            found.append(None)
    return found


@pytest.mark.parametrize("names", ORDERS)
@pytest.mark.parametrize("backwards", [False, pytest.param(True, marks=pytest.mark.slow)])
@pytest.mark.parametrize("force", [True, False])
def test_wherever_it_is_killed_all_files_are_old_or_all_are_new(tmp_path, names, backwards, force):
    """Whatever the order of writing and of reading, in one folder or two: old and old, or new and new; both occur."""
    before, seen = b"old" if force else None, set()
    for folder in killed(tmp_path, names, force=force):
        found = contents(folder, names[::-1] if backwards else names)
        assert len(set(found)) == 1, (folder.name, found)
        assert entries(folder) == sorted(names if found[0] else []), "reading leaves nothing else"
        seen.add(found[0])
    assert seen == {before, b"new"}


@pytest.mark.parametrize("names", ORDERS[::2])
@pytest.mark.parametrize("force", [True, pytest.param(False, marks=pytest.mark.slow)])
def test_the_next_write_leaves_nothing_else(tmp_path, names, force):
    """After the next write of the same files nothing of the killed one is left, secret or not, and no mode is wider."""
    for folder in killed(tmp_path, names, force=force):
        for path in folder.rglob(".*"):
            assert path.stat().st_mode & 0o777 == 0o600 or names[0] not in path.name, path
        write_files({folder / name: b"next" for name in names}, secret=[folder / names[0]], force=True)
        assert set(contents(folder, names)) == {b"next"}
        assert entries(folder) == sorted(names)
        assert (folder / names[0]).stat().st_mode & 0o777 == 0o600


def test_the_check_before_the_work_finds_what_was_finished_late(tmp_path):
    """A pair of which one file was in place is whole before it is said to exist: neither is ever there alone."""
    for folder in killed(tmp_path, ("secret", "public"), force=False):
        paths = [folder / "secret", folder / "public"]
        try:
            refuse_taken(paths, force=False)
        except FileExistsRefusedError:
            assert entries(folder) == ["public", "secret"]
        else:
            assert entries(folder) == []


@pytest.mark.skipif(os.geteuid() == 0, reason="the superuser writes everywhere")
def test_who_cannot_write_there_reads_the_same(tmp_path):
    """In folders that nobody may change, readers see what they would see after finishing."""
    names, seen = ("a/secret", "b/public"), set()
    for folder in killed(tmp_path, names, force=True):
        before = entries(folder)
        for name in names:
            (folder / name).parent.chmod(0o500)
        seen.add(tuple(contents(folder, names)))
        assert entries(folder) == before
        for name in names:
            (folder / name).parent.chmod(0o700)
    assert seen == {(b"old", b"old"), (b"new", b"new")}


def test_where_finishing_fails_readers_see_the_same(tmp_path, monkeypatch):
    """On a file system that takes no changes, readers see what they would see after finishing."""
    folders = killed(tmp_path, ("a/secret", "b/public"), force=True)

    def refused(*_, **__):
        raise OSError(30, "Read-only file system")

    seen = set()
    for name in ("replace", "unlink", "link"):
        monkeypatch.setattr(os, name, refused)
    for folder in folders:
        before = entries(folder)
        seen.add(tuple(contents(folder, ("a/secret", "b/public"))))
        assert entries(folder) == before
    assert seen == {(b"old", b"old"), (b"new", b"new")}


@pytest.mark.slow
def test_an_interrupt_as_a_note_is_made_leaves_none(tmp_path, monkeypatch):
    """Ctrl-C just as the file of a note has been made, before its handle is known: it is removed."""
    real, made = os.open, []

    def interrupted(path, *given):
        handle = real(path, *given)
        if str(path).endswith(".replacing") and not made:
            made.append(path)
            raise KeyboardInterrupt
        return handle

    monkeypatch.setattr(replacement.os, "open", interrupted)
    with pytest.raises(KeyboardInterrupt):
        write_file(tmp_path / "results.jsonl", b"new")
    assert made
    assert not list(tmp_path.iterdir())


def test_an_interrupted_folder_can_be_moved(tmp_path):
    """Notes name the files from where they lie, so a folder that was moved meanwhile is finished all the same."""
    for folder in killed(tmp_path, ("a/secret", "b/public"), force=True):
        moved = tmp_path / f"moved {folder.name}"
        shutil.move(folder, moved)
        assert len(set(contents(moved, ("b/public", "a/secret")))) == 1
        assert entries(moved) == ["a/secret", "b/public"]


def test_who_is_still_at_work_is_waited_for(tmp_path, monkeypatch):
    """A reader in the middle of a replacement waits for its end, and takes nothing away from it."""
    paths = [tmp_path / "secret", tmp_path / "public"]
    write_files(dict.fromkeys(paths, b"old"))
    begun, place = threading.Event(), replacement.Replacement.place

    def slowly(self, path):
        begun.set()
        time.sleep(0.2)
        return place(self, path)

    monkeypatch.setattr(replacement.Replacement, "place", slowly)
    with ThreadPoolExecutor(2) as pool:
        written = pool.submit(write_files, dict.fromkeys(paths, b"new"), force=True)
        begun.wait()
        assert pool.submit(read_limited, paths[1]).result() == b"new"
        written.result()
    assert entries(tmp_path) == ["public", "secret"]


def test_many_writers_at_once_leave_a_pair_of_one_of_them(tmp_path):
    """Whatever the order in which writers name the files, they take turns, and one of them is the last."""
    paths = [tmp_path / "a" / "secret", tmp_path / "b" / "public"]

    def write(number):
        order = paths[:: 1 if number % 2 else -1]
        write_files(dict.fromkeys(order, str(number).encode()), force=True)

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(write, range(40)))
    assert len({path.read_bytes() for path in paths}) == 1
    assert entries(tmp_path) == ["a/secret", "b/public"]


FOREIGN = {
    "text": b"mine",
    "a list": b"[]",
    "no paths": b'{"format": "equiproof-replacement", "token": "0123456789abcdef", "force": true, "paths": []}',
    "deep": b"[" * 60_000,
}


@pytest.mark.parametrize("content", FOREIGN.values(), ids=FOREIGN)
def test_a_file_of_a_notes_name_that_is_none_stays(tmp_path, content):
    """What is no note of ours is neither followed nor removed: the file is read, and writing it is refused by name."""
    note = tmp_path / ".public.replacing"
    (tmp_path / "public").write_bytes(b"old")
    note.write_bytes(content)
    assert read_limited(tmp_path / "public") == b"old"
    with pytest.raises(FileExistsRefusedError, match=r"\.public\.replacing exists; another process is writing"):
        write_file(tmp_path / "public", b"new", force=True)
    assert note.read_bytes() == content
    assert (tmp_path / "public").read_bytes() == b"old"


@pytest.mark.parametrize("make", [os.mkfifo, lambda path: path.symlink_to("/dev/zero"), os.mkdir])
def test_a_note_that_is_no_file_is_not_followed(tmp_path, make):
    """A pipe, a device behind a link or a folder in a note's place does not stop a reader."""
    make(tmp_path / ".public.replacing")
    (tmp_path / "public").write_bytes(b"old")
    assert read_limited(tmp_path / "public") == b"old"


@pytest.mark.parametrize("path", [Path(), Path("/"), Path(".."), Path("a") / ".."])
def test_folders_are_no_files(path):
    """A path that ends in no name has no note, and the error is that of any folder."""
    with pytest.raises((IsADirectoryError, FileNotFoundError)):
        read_limited(path)


def test_a_made_up_note_leads_nowhere_else(tmp_path):
    """A note that names files beside which no such note lies moves and removes none of them."""
    token = "0123456789abcdef"
    others, here = tmp_path / "others", tmp_path / "here"
    for folder in (others, here):
        folder.mkdir()
    for path in (others / "mine", others / f".mine.{token}", here / "public"):
        path.write_bytes(b"old")
    names = ["public", str(others / "mine"), "../others/mine"]
    note = {"format": "equiproof-replacement", "token": token, "force": True, "paths": names}
    Path(here / ".public.replacing").write_text(json.dumps(note))
    assert read_limited(here / "public") == b"old"
    assert entries(tmp_path) == sorted(["here/public", "others/mine", f"others/.mine.{token}"])


def test_files_are_read_without_locks(tmp_path):
    """A verifier reads where Python has no fcntl and the system no flags of POSIX."""
    (tmp_path / "file").write_bytes(b"content")
    code = (
        "import os, sys\n"
        "from pathlib import Path\n"
        "sys.modules['fcntl'] = None\n"
        "for name in ('O_NOFOLLOW', 'O_NONBLOCK', 'O_CLOEXEC', 'geteuid'):\n"
        "    delattr(os, name)\n"
        "import equiproof.verifier\n"
        "from equiproof.circuits.canonical import read_limited\n"
        "print(read_limited(Path(sys.argv[1])))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path / "file")], capture_output=True, text=True, cwd=ROOT, check=False
    )
    assert (done.stdout, done.stderr) == ("b'content'\n", "")
