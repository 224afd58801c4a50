"""What is for one platform: the wheels of the Go library and of the program that writes logs, and programs alone."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path

from scripts.packages.archives import built, packed, platform_tag
from scripts.packages.modules import Module, licence_texts

LIBRARY, PROGRAM = "libequiproof.so", "equiproof-log"

_LINUX = sys.platform.startswith("linux")


def native_wheel(sources: Path, library: Path, linked: list[Module], out: Path, moment: int) -> Path:
    """Build the library's wheel from a copy of the sources and a built library; return its path."""
    folder = sources / "native"
    gathered = {folder / name: sources / "equiproof" / "ffi" / name for name in ("_build.py", "equiproof.h")}
    gathered |= {folder / "equiproof_native" / LIBRARY: library}
    _gather(gathered | _licences(sources, linked, folder))
    # Python's own flags may name folders of this machine, which must not be looked up on another.
    flags = {"LDSHARED": f"{os.environ.get('CC', 'cc')} -shared", "CFLAGS": "-g0"} if _LINUX else {}
    wheel = built(folder, "build_wheel", out / "untagged", moment, **flags)
    tag = platform_tag(wheel)
    return wheel if tag is None else built(folder, "build_wheel", out, moment, f"--plat-name={tag}", **flags)


def log_wheel(sources: Path, program: Path, linked: list[Module], out: Path, moment: int) -> Path:
    """Build the wheel of the program that writes logs, as it was built; return its path."""
    folder = sources / "go-log" / "wheel"
    inside = folder / "equiproof_log" / PROGRAM
    _gather({inside: program} | _licences(sources, linked, folder))
    inside.chmod(0o755)
    return built(folder, "build_wheel", out, moment)


def program_archive(sources: Path, name: str, program: Path, linked: list[Module], out: Path, moment: int) -> Path:
    """Pack a static program with the licences of everything in it; `name` is the archive's, and of the folder in it."""
    folder = out / "programs" / name
    inside = folder / program.name
    _gather({inside: program} | _licences(sources, linked, folder))
    inside.chmod(0o755)
    path = out / f"{name}.tar.gz"
    files = {f"{name}/{file.relative_to(folder)}": file for file in folder.rglob("*") if file.is_file()}
    path.write_bytes(packed(((one, path.stat().st_mode, path.read_bytes()) for one, path in files.items()), moment))
    return path


def _licences(sources: Path, linked: list[Module], folder: Path) -> dict[Path, Path]:
    """Return where the licences of what Go built go, and where each is: ours, its modules', and that of its tables."""
    tables = sources / "go-gnark" / "verify" / "tables" / "names.LICENSE"
    ours = {folder / "LICENSE": sources / "LICENSE", folder / "licences" / tables.name: tables}
    return ours | licence_texts(linked, folder)


def _gather(gathered: dict[Path, Path]) -> None:
    """Copy files to where a wheel is built from, whatever their modes."""
    for target, source in gathered.items():
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(source, target)
        target.chmod(0o644)
