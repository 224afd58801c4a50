"""Build everything that is published: `python -m scripts.packages --go GO --out FOLDER` and what Go built."""

from __future__ import annotations

import argparse
import hashlib
import shutil
import tempfile
import tomllib
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from scripts.packages.archives import built, moved, source_archive, unpacked
from scripts.packages.bill import bill
from scripts.packages.modules import modules, platform
from scripts.packages.native import log_wheel, native_wheel, program_archive
from scripts.packages.sources import copied, moment
from scripts.packages.web import applicant_page, checking_page, npm_packages

SUMS = "SHA256SUMS"
"""The file of digests, as `sha256sum --check` reads it."""


@dataclass(frozen=True)
class Compiled:
    """What Go built, which `make` brings up to date: the library, and the static programs."""

    library: Path
    log: Path
    verifier: Path


def main() -> None:
    """Leave the finished files in the folder, and print their names; nothing is left of a build that fails."""
    parser = argparse.ArgumentParser(prog="python -m scripts.packages", description=__doc__)
    parser.add_argument("--go", required=True, help="the go command")
    parser.add_argument("--library", required=True, type=Path, help="the built native library")
    parser.add_argument("--log", required=True, type=Path, help="the built program that writes logs")
    parser.add_argument("--verifier", required=True, type=Path, help="the built static verifier")
    parser.add_argument("--out", required=True, type=Path, help="the folder to leave the packages in")
    given = parser.parse_args()
    compiled = Compiled(*(path.absolute() for path in (given.library, given.log, given.verifier)))
    with tempfile.TemporaryDirectory() as folder:
        for path in packages(Path(folder), shutil.which(given.go) or given.go, compiled, moment()):
            print(moved(path, given.out))


def packages(work: Path, go: str, compiled: Compiled, date: int) -> list[Path]:
    """Build every package below an empty folder; return the finished files, their digests last.

    Everything is built from the source archive, so that whoever builds from that has the same files.
    """
    out = work / "out"
    archive = source_archive(copied(work / "sources"), out, date)
    sources = unpacked(archive, work / "unpacked")
    described = tomllib.loads((sources / "pyproject.toml").read_text(encoding="utf-8"))
    version, target = described["project"]["version"], platform(go)
    linked = modules(go, sources / "go-gnark", "./capi")
    of_verifier = modules(go, sources / "go-gnark", "./cmd/equiproof-verify", CGO_ENABLED="0")
    of_log = modules(go, sources / "go-log", ".", CGO_ENABLED="0")
    alone = {compiled.verifier: of_verifier, compiled.log: of_log}
    applicant_page(sources)
    finished = [
        archive,
        built(sources, "build_wheel", out, date),
        native_wheel(sources, compiled.library, linked, out, date),
        log_wheel(sources, compiled.log, of_log, out, date),
        *(
            program_archive(sources, f"{program.name}-{version}-{target}", program, parts, out, date)
            for program, parts in alone.items()
        ),
        *npm_packages(sources, out),
        checking_page(sources, out, version),
    ]
    materials = out / f"equiproof-{version}.cdx.json"
    materials.write_text(bill(sources, linked, of_log, of_verifier, finished, date), encoding="utf-8")
    digests = out / SUMS
    digests.write_text(sums([*finished, materials]), encoding="utf-8")
    return [*finished, materials, digests]


def sums(files: Iterable[Path]) -> str:
    """Return the SHA-256 digests of files, one a line by name."""
    found = sorted((path.name, hashlib.sha256(path.read_bytes()).hexdigest()) for path in files)
    return "".join(f"{digest}  {name}\n" for name, digest in found)


if __name__ == "__main__":
    main()
