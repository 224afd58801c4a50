"""The wheels for one platform: the Go library with its binding, and the program that writes logs."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path

from scripts.packages.archives import built, platform_tag
from scripts.packages.modules import Module, licence_texts

LIBRARY, PROGRAM = "libequiproof.so", "equiproof-log"

_LINUX = sys.platform.startswith("linux")


def native_wheel(sources: Path, library: Path, linked: list[Module], out: Path, moment: int) -> Path:
    """Build the library's wheel from a copy of the sources and a built library; return its path."""
    folder = sources / "native"
    gathered = {folder / name: sources / "equiproof" / "ffi" / name for name in ("_build.py", "equiproof.h")}
    gathered |= {folder / "equiproof_native" / LIBRARY: library, folder / "LICENSE": sources / "LICENSE"}
    _gather(gathered | licence_texts(linked, folder))
    # Python's own flags may name folders of this machine, which must not be looked up on another.
    flags = {"LDSHARED": f"{os.environ.get('CC', 'cc')} -shared", "CFLAGS": "-g0"} if _LINUX else {}
    wheel = built(folder, "build_wheel", out / "untagged", moment, **flags)
    tag = platform_tag(wheel)
    return wheel if tag is None else built(folder, "build_wheel", out, moment, f"--plat-name={tag}", **flags)


def log_wheel(sources: Path, program: Path, linked: list[Module], out: Path, moment: int) -> Path:
    """Build the wheel of the program that writes logs, as it was built; return its path."""
    folder = sources / "go-log" / "wheel"
    packed = folder / "equiproof_log" / PROGRAM
    _gather({packed: program, folder / "LICENSE": sources / "LICENSE"} | licence_texts(linked, folder))
    packed.chmod(0o755)
    return built(folder, "build_wheel", out, moment)


def _gather(gathered: dict[Path, Path]) -> None:
    """Copy files to where a wheel is built from, whatever their modes."""
    for target, source in gathered.items():
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(source, target)
        target.chmod(0o644)
