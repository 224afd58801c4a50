"""What set-ups of tests make, kept between runs while what it is made of stays the same."""

from __future__ import annotations

import fcntl
import hashlib
import os
import shutil
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path

import pytest

from equiproof.prover.owner import SECRET_VARIABLE, ready_secret

ROOT = Path(__file__).resolve().parents[1]
PLACE_VARIABLE = "EQUIPROOF_KEPT"
"""The folder where everything is kept; build/tests, which `make clean` removes, if it is not set."""
GENERATIONS = 2
"""Of each kind so many are kept, for going back and forth between two states of the sources."""
LIBRARY = "equiproof/ffi/libequiproof.so"
ROOMS_OF_KEYS = ("equiproof/circuits", "equiproof/ffi", "equiproof/prover", "equiproof/verifier")


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """Hold an exclusive lock, so that workers and runs make each thing once."""
    with path.open("w") as stream:
        fcntl.flock(stream, fcntl.LOCK_EX)
        yield


def place() -> Path:
    """Return the folder where everything is kept."""
    return Path(os.environ.get(PLACE_VARIABLE) or ROOT / "build" / "tests")


def prepare() -> Path | None:
    """Say for this process, its workers and children where things are kept, the owner's secret among them.

    Whoever traces lines, as coverage does, asks which lines a test needs: then nothing of an earlier run is taken, and
    the folder that is returned goes with the run.
    """
    own = None
    if sys.gettrace() is not None and PLACE_VARIABLE not in os.environ:
        own = Path(tempfile.mkdtemp())
        os.environ[PLACE_VARIABLE] = str(own)
    os.environ.setdefault(SECRET_VARIABLE, str(place() / "owner.secret"))
    return own


def kept(kind: str, *sources: str, root: Path = ROOT) -> Path:
    """Return the folder for what these sources make: another one whenever any of them changes.

    Args:
        kind: the first part of the folder's name.
        sources: files, and folders with Python's files in them, from the root. The built library, the pinned packages,
            the interpreter and the owner's secret always count.
        root: where the sources are.
    """
    folder = place()
    folder.mkdir(parents=True, exist_ok=True)
    digest = hashlib.sha256(ready_secret(None) + sys.version.encode())
    for path in _files(root, (LIBRARY, *sorted((root / "requirements").glob("*.txt")), *sources)):
        digest.update(f"{path.relative_to(root)}\n{_digest(path)}\n".encode())
    with locked(folder / f".{kind}.lock"):
        made = folder / f"{kind}-{digest.hexdigest()[:16]}"
        made.mkdir(exist_ok=True)
        os.utime(made, ns=(time.time_ns(),) * 2)
        _drop_old(folder, kind)
    return made


def once(factory: pytest.TempPathFactory, name: str, make: Callable[[Path], object]) -> Path:
    """Return a folder of this run that its first worker makes, and all others take as it is."""
    base = factory.getbasetemp()
    folder = (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / name
    with locked(folder.with_name(f".{name}.lock")):
        if not folder.exists():
            part = folder.with_name(f".{name}.part")
            part.mkdir(exist_ok=True)
            make(part)
            part.rename(folder)
    return folder


@cache
def kept_keys() -> Path:
    """Return the folder of the keys that the library of these sources makes."""
    return kept("keys", *ROOMS_OF_KEYS)


def _files(root: Path, sources: Iterable[str | Path]) -> Iterator[Path]:
    """Yield every file of the sources; raises FileNotFoundError for one that is not there."""
    for source in sources:
        path = root / source
        yield from sorted(path.rglob("*.py")) if path.is_dir() else (path,)


@cache
def _digest(path: Path) -> str:
    """Return the digest of a file, read once a process."""
    return hashlib.sha256(path.read_bytes()).hexdigest()


def _drop_old(folder: Path, kind: str) -> None:
    """Remove all but the newest generations of a kind."""
    generations = sorted(folder.glob(f"{kind}-" + "[0-9a-f]" * 16), key=lambda path: path.stat().st_mtime, reverse=True)
    for path in generations[GENERATIONS:]:
        shutil.rmtree(path, ignore_errors=True)
