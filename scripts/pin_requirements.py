"""Write requirements/*.txt: the versions installed in this environment, and the hashes of their files in the index.

Each file pins what its extra of pyproject.toml needs beyond the file it includes, dependencies of dependencies too.
prove.txt also pins what builds the binding. release.txt stands aside: it pins what `make wheel` needs beyond prove.txt,
which dev.txt and those below it pin once more. gpu.txt pins what torch needs on Linux beyond the other files, apart
from them: a CPU build of torch has none of it. docs.txt stays as it is until `make docs` has installed it.

A pin carries the SHA-256 hash of every file of its release, so that the wheel of any platform is accepted. The hashes
come from the index that pip is configured with. Where torch is not the index's own build, gpu.txt stays as it is.
"""

from __future__ import annotations

import contextlib
import json
import re
import subprocess
import sys
import tomllib
import urllib.request
from collections.abc import Callable
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

from packaging.markers import Marker
from packaging.requirements import Requirement
from packaging.utils import (
    InvalidSdistFilename,
    InvalidWheelFilename,
    canonicalize_name,
    parse_sdist_filename,
    parse_wheel_filename,
)
from packaging.version import Version

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / "requirements"
OWN = {"equiproof", "equiproof-log", "equiproof-native"}
"""Our own packages, which nothing pins."""
LAYERS = ("base", "prove", "demo", "train", "audit", "dev")
HEAD = "# Written by scripts/pin_requirements.py"
ON_LINUX = '; platform_system == "Linux"'
PLATFORMS = (
    {"platform_system": "Linux", "sys_platform": "linux"},
    {"platform_system": "Darwin", "sys_platform": "darwin"},
)
"""The systems that are supported, as markers name them."""
SIMPLE_JSON = "application/vnd.pypi.simple.v1+json"
"""The form of an index's answer that lists files with their hashes (PEP 691)."""


@dataclass(frozen=True)
class Pin:
    """One entry of a requirements file: release, marker (with its semicolon, or empty), and hashes."""

    version: str
    marker: str
    hashes: tuple[str, ...]


def read(path: Path) -> dict[str, Pin]:
    """Return the pins of a requirements file by name, those of an included file left out."""
    text = path.read_text(encoding="utf-8").replace("\\\n", " ")
    found = re.findall(r"^([\w.-]+)==([^\s;]+) *(;[^\n]*?)?((?: +--hash=sha256:\S+)*) *$", text, re.MULTILINE)
    return {
        name: Pin(version, marker.strip(), tuple(re.findall(r"--hash=sha256:(\S+)", hashes)))
        for name, version, marker, hashes in found
    }


def platform_bound(marker: Marker | None, extras: frozenset[str] = frozenset()) -> bool:
    """Tell whether a requirement holds on some of our platforms only, not merely "not in a browser"."""
    if marker is None:
        return False
    return not all(
        any(marker.evaluate({**platform, "extra": extra}) for extra in extras | {""}) for platform in PLATFORMS
    )


def closure(requirements: list[str], followed: Callable[[str, Marker | None], bool] | None = None) -> dict[str, str]:
    """Return name and installed version of everything that the requirements need.

    `followed` decides, by package and marker, which dependencies of it count: by default those of every platform.
    """
    pins: dict[str, str] = {}
    visited: set[tuple[str, frozenset[str]]] = set()
    queue = [Requirement(text) for text in requirements]
    while queue:
        wanted = queue.pop()
        visit = (canonicalize_name(wanted.name), frozenset(wanted.extras))
        if visit in visited or visit[0] in OWN:
            continue
        visited.add(visit)
        found = distribution(wanted.name)
        # A local part ("+cpu") names the build, and every build of the release satisfies the pin without it.
        pins[visit[0]] = found.version.partition("+")[0]
        for text in found.requires or []:
            inner = Requirement(text)
            marker = inner.marker
            chosen = marker is None or any(marker.evaluate({"extra": extra}) for extra in wanted.extras | {""})
            if chosen and (followed(visit[0], marker) if followed else not platform_bound(marker, visit[1])):
                queue.append(inner)
    return pins


def layers() -> dict[str, list[str]]:
    """Return, for every requirements file, its lines: what it includes, then pins without hashes."""
    described = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    project = described["project"]
    wanted = {"base": project["dependencies"], **project["optional-dependencies"]}
    wanted["prove"] = wanted["prove"] + described["build-system"]["requires"]
    files: dict[str, list[str]] = {}
    below: dict[str, str] = {}
    previous = None
    for layer in LAYERS:
        pins = closure(wanted[layer])
        head = [f"-r {previous}.txt"] if previous else []
        files[f"{layer}.txt"] = head + [f"{name}=={pins[name]}" for name in sorted(pins) if name not in below]
        below |= pins
        previous = layer
    pins = closure(wanted["release"])
    own = sorted(pins.keys() - closure(wanted["prove"]).keys())
    files["release.txt"] = ["-r prove.txt", *(f"{name}=={pins[name]}" for name in own)]
    with contextlib.suppress(PackageNotFoundError):
        pins = closure(wanted["docs"])
        own = sorted(pins.keys() - below.keys())
        files["docs.txt"] = [f"-r {previous}.txt", *(f"{name}=={pins[name]}" for name in own)]
    beyond = closure(["torch"], lambda package, marker: package != "torch" or platform_bound(marker))
    companions = sorted(beyond.keys() - below.keys())
    if companions:
        files["gpu.txt"] = [f"{name}=={beyond[name]}{ON_LINUX}" for name in companions]
    go = read(FOLDER / "go.txt")
    files["go.txt"] = [f"{name}=={pin.version}" for name, pin in go.items()]
    return files


def index() -> str:
    """Return the address of the index that pip is configured with, and pip's own where none is."""
    from pip._internal.models.index import PyPI

    command = [sys.executable, "-m", "pip", "config", "list"]
    listed = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    # The environment is listed after the files, and has the last word as in pip.
    named = re.findall(r"^(?:global|install|:env:)\.index-url='(.*)'$", listed, re.MULTILINE)
    return str(named[-1] if named else PyPI.simple_url).rstrip("/")


def release_of(filename: str) -> Version | None:
    """Return the version in a file's name, None for a form of archive that pip does not install."""
    try:
        return parse_wheel_filename(filename)[1] if filename.endswith(".whl") else parse_sdist_filename(filename)[1]
    except (InvalidSdistFilename, InvalidWheelFilename):
        return None


def hashes(address: str, name: str, version: str) -> list[str]:
    """Return the SHA-256 hashes of all files of a release; exits with one line where the index does not list them."""
    request = urllib.request.Request(f"{address}/{name}/", headers={"Accept": SIMPLE_JSON})  # noqa: S310  # pip's index
    try:
        with urllib.request.urlopen(request, timeout=60) as answer:  # noqa: S310
            files = json.load(answer)["files"]
    except (OSError, ValueError, KeyError) as error:
        sys.exit(f"{name}: the index that pip is configured with gives no list of files as JSON: {error}")
    found = {file["hashes"].get("sha256") for file in files if release_of(file["filename"]) == Version(version)}
    if not found or None in found:
        sys.exit(f"{name}: the index lists no file of {version}, or one without a SHA-256 hash")
    return sorted(found)


def written(address: str, line: str) -> str:
    """Return a line of a requirements file with its hashes; an included file has none."""
    if line.startswith("-r "):
        return line
    name, _, version = line.partition(";")[0].partition("==")
    return " \\\n    ".join([line, *(f"--hash=sha256:{one}" for one in hashes(address, name, version))])


def main() -> None:
    """Write every file; the remarks at the head of a file stay."""
    address = index()
    for name, lines in layers().items():
        path = FOLDER / name
        old = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
        head = [line for line in old if line.startswith("#")] or [HEAD]
        path.write_text("\n".join([*head, *(written(address, line) for line in lines)]) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
