"""Source archive and wheels, by the build backend that pyproject.toml names; the same sources give the same bytes."""

from __future__ import annotations

import gzip
import io
import json
import os
import shutil
import subprocess
import sys
import tarfile
from collections.abc import Iterable
from pathlib import Path

UMASK = 0o022
"""Of what builds: modes of files go into archives."""

_BACKEND = """
import json, sys
import setuptools.build_meta as backend
step, out, options = sys.argv[1:]
print(getattr(backend, step)(out, {"--build-option": json.loads(options)}))
"""


def built(folder: Path, step: str, out: Path, moment: int, *options: str, **environment: str) -> Path:
    """Run a step of the build backend (`build_sdist`, `build_wheel`) in a folder; return the archive left in `out`."""
    out.mkdir(parents=True, exist_ok=True)
    done = subprocess.run(
        [sys.executable, "-c", _BACKEND, step, str(out), json.dumps(options)],
        cwd=folder,
        env={**os.environ, "SOURCE_DATE_EPOCH": str(moment), "PYTHONHASHSEED": "0", **environment},
        capture_output=True,
        text=True,
        check=False,
        umask=UMASK,
    )
    if done.returncode:
        sys.exit(f"{step} of {folder.name} failed:\n{done.stdout}{done.stderr}")
    return out / done.stdout.splitlines()[-1]


def source_archive(folder: Path, out: Path, moment: int) -> Path:
    """Build the source archive; the backend dates its members and the archive itself by the clock, this does not."""
    path = built(folder, "build_sdist", out, moment)
    with tarfile.open(path) as old:
        files = [(one.name, one.mode, content.read()) for one in old if (content := old.extractfile(one))]
    path.write_bytes(packed(files, moment))
    return path


def packed(files: Iterable[tuple[str, int, bytes]], moment: int) -> bytes:
    """Return a .tar.gz archive of files, each with its path, mode and content: one date, two modes, nobody's files."""
    archive = io.BytesIO()
    with tarfile.open(fileobj=archive, mode="w", format=tarfile.PAX_FORMAT) as new:
        for name, mode, content in sorted(files):
            member = tarfile.TarInfo(name)
            member.size, member.mtime, member.mode = len(content), moment, 0o755 if mode & 0o100 else 0o644
            new.addfile(member, io.BytesIO(content))
    return gzip.compress(archive.getvalue(), mtime=0)


def unpacked(archive: Path, folder: Path) -> Path:
    """Unpack a source archive; return the one folder in it."""
    with tarfile.open(archive) as opened:
        opened.extractall(folder, filter="data")
    (found,) = folder.iterdir()
    return found


def platform_tag(wheel: Path) -> str | None:
    """Return the tag of the oldest Linux that a wheel runs on, None elsewhere than on Linux.

    auditwheel finds it from the versions of the symbols that the libraries in the wheel ask the system for. Where no
    such tag fits, it is `linux_...`, which fits systems like this one.
    """
    if not sys.platform.startswith("linux"):
        return None
    command = [sys.executable, "-m", "auditwheel", "show", "--json", str(wheel)]
    tag = json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)["overall_tag"]
    return str(tag)


def moved(path: Path, out: Path) -> Path:
    """Move a finished archive into a folder, over an older one; return its path."""
    out.mkdir(parents=True, exist_ok=True)
    return Path(shutil.move(path, out / path.name))
