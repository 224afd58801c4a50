"""Write requirements/*.txt from the versions installed in this environment.

Each file pins what its extra of pyproject.toml needs beyond the file it includes, dependencies of dependencies too.
Requirements bound to a platform stay out: they are torch's GPU companions, which torch itself fixes to exact versions
and which a CPU build of torch does not have.
"""

import tomllib
from importlib.metadata import distribution
from pathlib import Path

from packaging.markers import Marker
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).resolve().parent.parent
LAYERS = ("base", "prove", "train", "audit", "dev")


def platform_bound(marker: Marker | None) -> bool:
    """Tell whether the requirement holds on some platforms only."""
    return marker is not None and any(word in str(marker) for word in ("platform_system", "sys_platform"))


def closure(requirements: list[str]) -> dict[str, str]:
    """Return name and installed version of everything that the requirements need."""
    pins: dict[str, str] = {}
    visited: set[tuple[str, frozenset[str]]] = set()
    queue = [Requirement(text) for text in requirements]
    while queue:
        wanted = queue.pop()
        visit = (canonicalize_name(wanted.name), frozenset(wanted.extras))
        if visit in visited or visit[0] == "equiproof":
            continue
        visited.add(visit)
        found = distribution(wanted.name)
        # A local part ("+cpu") names the build, and every build of the release satisfies the pin without it.
        pins[visit[0]] = found.version.partition("+")[0]
        for text in found.requires or []:
            inner = Requirement(text)
            marker = inner.marker
            chosen = marker is None or any(marker.evaluate({"extra": extra}) for extra in wanted.extras | {""})
            if chosen and not platform_bound(marker):
                queue.append(inner)
    return pins


def layers() -> dict[str, list[str]]:
    """Return file name and full text lines of every requirements file."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    wanted = {"base": project["dependencies"], **project["optional-dependencies"]}
    files: dict[str, list[str]] = {}
    below: dict[str, str] = {}
    previous = None
    for layer in LAYERS:
        pins = closure(wanted[layer])
        head = ["# Written by scripts/pin_requirements.py"] + ([f"-r {previous}.txt"] if previous else [])
        files[f"{layer}.txt"] = head + [f"{name}=={pins[name]}" for name in sorted(pins) if name not in below]
        below |= pins
        previous = layer
    return files


if __name__ == "__main__":
    for name, lines in layers().items():
        (ROOT / "requirements" / name).write_text("\n".join(lines) + "\n")
