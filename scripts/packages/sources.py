"""A copy of the sources, in which building leaves nothing of earlier builds and one form of dates and modes."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

ROOT = Path(__file__).absolute().parents[2]

_LEFT_BY_BUILDS = shutil.ignore_patterns(
    ".venv", "build", "dist", "demo", "node_modules", "__pycache__", ".*_cache", ".hypothesis", "*.egg-info", "*.so",
    "equiproof-log", "PKG-INFO", "setup.cfg",
)  # fmt: skip
"""The last two are written into each source archive: one that is built from an archive would list them as sources."""


def moment() -> int:
    """Return the date of everything that is built, in seconds: SOURCE_DATE_EPOCH, or else that of the sources.

    In a checkout, the sources are as old as their last commit; in an unpacked archive, as the archive.
    """
    named = os.environ.get("SOURCE_DATE_EPOCH")
    if named:
        return int(named)
    if _in_git():
        return int(_git("log", "-1", "--pretty=%ct"))
    return int((ROOT / "PKG-INFO").stat().st_mtime)


def copied(folder: Path) -> Path:
    """Copy the sources into a new folder: of a checkout, what git knows or would add. Links stay links."""
    if not _in_git():
        shutil.copytree(ROOT, folder, ignore=_LEFT_BY_BUILDS, symlinks=True)
    else:
        for name in filter(None, _git("ls-files", "--cached", "--others", "--exclude-standard", "-z").split("\0")):
            path, target = ROOT / name, folder / name
            if not path.exists():  # deleted, and git does not know it yet
                continue
            target.parent.mkdir(parents=True, exist_ok=True)
            if path.is_dir():
                target.symlink_to(path.readlink())
            else:
                shutil.copyfile(path, target)
                target.chmod(0o755 if os.access(path, os.X_OK) else 0o644)
    return folder


def _in_git() -> bool:
    """Return whether git knows the sources; a folder inside somebody's own repository is no checkout."""
    return (ROOT / ".git").exists()


def _git(*words: str) -> str:
    command = ["git", *words]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
