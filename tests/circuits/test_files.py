"""Files appear whole or not at all, secrets are their owner's, and nothing is overwritten unasked."""

import errno
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import pytest

from equiproof.circuits.files import FileExistsRefusedError, write_file, write_folder
from tests.support import ROOT


def names(folder):
    """Return every name in a folder, hidden ones included."""
    return sorted(path.name for path in folder.iterdir())


def test_a_file_is_written_with_its_folders(tmp_path):
    """A file is written whole, and the folders above it are made."""
    write_file(tmp_path / "a" / "b" / "file", b"data")
    assert (tmp_path / "a" / "b" / "file").read_bytes() == b"data"
    assert names(tmp_path / "a" / "b") == ["file"]


@pytest.mark.parametrize(
    ("secret", "umask", "mode"),
    [
        (True, 0, 0o600),
        (True, 0o277, 0o600),
        (False, 0, 0o644),
        (False, 0o022, 0o644),
        (False, 0o027, 0o640),
        (False, 0o077, 0o600),
    ],
)
@pytest.mark.parametrize("force", [False, True])
def test_the_umask_says_who_reads_what_is_no_secret(tmp_path, secret, umask, mode, force):
    """A secret file has mode 0600 whatever the umask is, others have 0644 less what the umask takes away."""
    if force:
        (tmp_path / "file").touch(0o666)
    previous = os.umask(umask)
    try:
        write_file(tmp_path / "file", b"", secret=secret, force=force)
    finally:
        os.umask(previous)
    assert (tmp_path / "file").stat().st_mode & 0o777 == mode


def test_a_secret_is_never_readable_by_others_on_the_way(tmp_path, monkeypatch):
    """While a secret is being written, its temporary file already is its owner's only."""
    modes = []
    fsync = os.fsync

    def watched(handle):
        modes.append(os.fstat(handle).st_mode & 0o777)
        fsync(handle)

    monkeypatch.setattr(os, "fsync", watched)
    write_file(tmp_path / "file", b"secret", secret=True)
    assert set(modes) == {0o600}


def test_existing_files_stay(tmp_path):
    """A file in the way is refused by name and keeps its content, unless overwriting was asked for."""
    path = tmp_path / "file"
    write_file(path, b"old")
    with pytest.raises(FileExistsRefusedError, match=r"file exists; .*with force=True$"):
        write_file(path, b"new")
    assert path.read_bytes() == b"old"
    write_file(path, b"new", force=True)
    assert path.read_bytes() == b"new"
    assert names(tmp_path) == ["file"]


def test_a_file_that_appears_meanwhile_stays(tmp_path, monkeypatch):
    """A file that another process writes after the check is not overwritten either."""
    path = tmp_path / "file"
    fsync = os.fsync

    def meanwhile(handle):
        path.write_bytes(b"other")
        fsync(handle)

    monkeypatch.setattr(os, "fsync", meanwhile)
    with pytest.raises(FileExistsRefusedError):
        write_file(path, b"new")
    assert path.read_bytes() == b"other"
    assert names(tmp_path) == ["file"]


@pytest.mark.parametrize("step", ["open", "fsync", "link"])
def test_a_failure_names_the_file_that_was_asked_for(tmp_path, monkeypatch, step):
    """An error of the operating system names the user's path, never the temporary file beside it."""

    def refusing(path, *_, **__):
        raise OSError(errno.ENOSPC, "full", None if step == "fsync" else str(path))

    monkeypatch.setattr(os, step, refusing)
    with pytest.raises(OSError, match="No space left") as caught:
        write_file(tmp_path / "c.json", b"data")
    assert caught.value.filename == str(tmp_path / "c.json")


@pytest.mark.parametrize(("step", "named"), [("fsync", "key/b"), ("mkdir", "key"), ("rename", "key")])
def test_a_failing_folder_names_what_was_asked_for(tmp_path, monkeypatch, step, named):
    """An error while a folder is written names the user's folder or the file in it, never a temporary name."""

    def refusing(path, *_, **__):
        raise OSError(errno.ENOSPC, "full", None if step == "fsync" else str(path))

    monkeypatch.setattr(os, step, refusing)
    with pytest.raises(OSError, match="No space left") as caught:
        write_folder(tmp_path / "key", {"b": b"data"})
    assert caught.value.filename == str(tmp_path / named)
    assert names(tmp_path) == []


@pytest.mark.parametrize("step", ["fsync", "link", "replace"])
def test_a_failure_in_the_middle_leaves_nothing(tmp_path, monkeypatch, step):
    """Where a step fails, no half file and no temporary file is left, and an old file keeps its content."""
    path = tmp_path / "file"
    force = step == "replace"
    if force:
        write_file(path, b"old")

    def failing(*_):
        raise OSError(28, "No space left on device")

    if step == "replace":
        monkeypatch.setattr("pathlib.Path.replace", failing)
    else:
        monkeypatch.setattr(os, step, failing)
    with pytest.raises(OSError, match="No space"):
        write_file(path, b"new", force=force)
    assert names(tmp_path) == (["file"] if force else [])
    assert not force or path.read_bytes() == b"old"


@pytest.mark.parametrize(("umask", "folder", "file"), [(0o022, 0o755, 0o644), (0o077, 0o700, 0o600)])
def test_a_folder_appears_whole(tmp_path, umask, folder, file):
    """A folder of files is written at once, and the umask says who reads it and its files."""
    previous = os.umask(umask)
    try:
        write_folder(tmp_path / "key", {"a": b"1", "b": b"2"})
    finally:
        os.umask(previous)
    assert names(tmp_path) == ["key"]
    assert names(tmp_path / "key") == ["a", "b"]
    assert (tmp_path / "key").stat().st_mode & 0o777 == folder
    assert {path.stat().st_mode & 0o777 for path in (tmp_path / "key").iterdir()} == {file}


def test_existing_folders_stay(tmp_path):
    """A folder in the way is refused and kept; with force it is replaced, files that are no more included."""
    write_folder(tmp_path / "key", {"a": b"1"})
    with pytest.raises(FileExistsRefusedError, match="key exists"):
        write_folder(tmp_path / "key", {"b": b"2"})
    assert names(tmp_path / "key") == ["a"]
    write_folder(tmp_path / "key", {"b": b"2"}, force=True)
    assert names(tmp_path / "key") == ["b"]
    assert names(tmp_path) == ["key"]


def at_once(tmp_path, force):
    """Write one folder from four threads at once; return who wrote and who was refused."""
    path, start = tmp_path / "key", Barrier(4)

    def write(name):
        start.wait()
        try:
            write_folder(path, {"a": name, "b": name}, force=force)
        except FileExistsRefusedError:
            return None
        return name

    with ThreadPoolExecutor(4) as pool:
        return list(pool.map(write, [b"0", b"1", b"2", b"3"]))


def test_of_folders_written_at_once_the_first_stays(tmp_path, monkeypatch):
    """However many write one folder at once, one does and the others are refused: its folder is whole and stays."""
    monkeypatch.setattr(os, "fsync", lambda _: None)
    for number in range(100):
        (written,) = (name for name in at_once(tmp_path / str(number), force=False) if name is not None)
        assert {path.read_bytes() for path in (tmp_path / str(number) / "key").iterdir()} == {written}
        assert names(tmp_path / str(number)) == ["key"]


def test_of_folders_replaced_at_once_one_is_left_whole(tmp_path, monkeypatch):
    """With force, each of them replaces the other: no error, no mixture, and nothing left beside the folder."""
    monkeypatch.setattr(os, "fsync", lambda _: None)
    for _ in range(50):
        assert None not in at_once(tmp_path, force=True)
        assert names(tmp_path) == ["key"]
        assert len({path.read_bytes() for path in (tmp_path / "key").iterdir()}) == 1


@pytest.mark.parametrize("kind", ["file", "link"])
def test_what_takes_a_folders_place_meanwhile_stays(tmp_path, monkeypatch, kind):
    """A file or a link that appears after the check is refused by name, as a folder would be."""
    path = tmp_path / "key"
    fsync = os.fsync

    def meanwhile(handle):
        path.touch() if kind == "file" else path.symlink_to("nowhere")
        fsync(handle)

    monkeypatch.setattr(os, "fsync", meanwhile)
    with pytest.raises(FileExistsRefusedError, match="key exists"):
        write_folder(path, {"a": b"1"})
    assert names(tmp_path) == ["key"]
    assert not path.is_dir()


@pytest.mark.parametrize("old", ["file", "folder", "link"])
def test_force_replaces_whatever_was_there(tmp_path, old):
    """With force, a folder takes the place of a file, a folder or a link, and nothing is left beside it."""
    path = tmp_path / "key"
    path.touch() if old == "file" else path.symlink_to("nowhere") if old == "link" else write_folder(path, {"a": b"1"})
    write_folder(path, {"b": b"2"}, force=True)
    assert (names(tmp_path), names(path)) == (["key"], ["b"])


@pytest.mark.parametrize("step", ["os.fsync", "pathlib.Path.rename"])
def test_a_failing_folder_leaves_nothing(tmp_path, monkeypatch, step):
    """Where writing a folder fails, neither it nor a temporary folder is left."""

    def failing(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(step, failing)
    with pytest.raises(OSError, match="No space"):
        write_folder(tmp_path / "key", {"a": b"1"})
    assert names(tmp_path) == []


def test_a_failing_replacement_keeps_the_old_folder(tmp_path, monkeypatch):
    """Where a folder cannot be replaced, the old one is still there."""
    write_folder(tmp_path / "key", {"a": b"1"})

    def failing(*_):
        raise OSError(5, "Input/output error")

    monkeypatch.setattr("pathlib.Path.rename", failing)
    with pytest.raises(OSError, match="Input/output"):
        write_folder(tmp_path / "key", {"b": b"2"}, force=True)
    assert names(tmp_path) == ["key"]


def test_a_killed_process_leaves_no_half_file(tmp_path):
    """A process that dies while it writes leaves nothing under the file's own name."""
    code = (
        "import os, signal, pathlib, sys\n"
        "from equiproof.circuits import files\n"
        "os.fsync = lambda _: os.kill(os.getpid(), signal.SIGKILL)\n"
        "files.write_file(pathlib.Path(sys.argv[1]), b'half')\n"
    )
    done = subprocess.run([sys.executable, "-c", code, str(tmp_path / "file")], cwd=ROOT, check=False)
    assert done.returncode == -9
    assert not (tmp_path / "file").exists()
