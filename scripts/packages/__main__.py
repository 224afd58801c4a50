"""Build everything that is published: `python -m scripts.packages --go GO --library FILE --log FILE --out FOLDER`."""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from scripts.packages.archives import UMASK, built, moved, source_archive, unpacked
from scripts.packages.bill import bill
from scripts.packages.modules import modules
from scripts.packages.native import log_wheel, native_wheel
from scripts.packages.sources import ROOT, copied, moment


def main() -> None:
    """Leave the finished files in the folder, and print their names; nothing is left of a build that fails."""
    parser = argparse.ArgumentParser(prog="python -m scripts.packages", description=__doc__)
    parser.add_argument("--go", required=True, help="the go command")
    parser.add_argument("--library", required=True, type=Path, help="the built native library")
    parser.add_argument("--log", required=True, type=Path, help="the built program that writes logs")
    parser.add_argument("--out", required=True, type=Path, help="the folder to leave the packages in")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        go, library, log = shutil.which(given.go) or given.go, given.library.absolute(), given.log.absolute()
        for path in packages(Path(folder), go, library, log, moment()):
            print(moved(path, given.out))


def packages(work: Path, go: str, library: Path, log: Path, date: int) -> list[Path]:
    """Build every package below an empty folder; return the finished files.

    The wheels are built from the source archive, so that whoever builds from that has the same ones.
    """
    archive = source_archive(copied(work / "sources"), work / "out", date)
    sources = unpacked(archive, work / "unpacked")
    linked = modules(go, sources / "go-gnark", "./capi")
    of_log = modules(go, sources / "go-log", ".", CGO_ENABLED="0")
    finished = [
        archive,
        built(sources, "build_wheel", work / "out", date),
        native_wheel(sources, library, linked, work / "out", date),
        log_wheel(sources, log, of_log, work / "out", date),
        *npm_package(sources, work / "out"),
    ]
    named = archive.name.removesuffix(".tar.gz")
    materials = work / "out" / f"{named}.cdx.json"
    materials.write_text(bill(sources, linked, of_log, finished, date), encoding="utf-8")
    return [*finished, materials]


def npm_package(sources: Path, out: Path) -> list[Path]:
    """Pack the TypeScript verifier; one line says so where the packages that build it are missing."""
    place = Path("web") / "verifier"
    installed = ROOT / place / "node_modules"
    if not (installed / ".installed").exists() or not shutil.which("npm"):
        sys.stderr.write("wheel: no npm package: `make web` says what building it needs\n")
        return []
    (sources / place / "node_modules").symlink_to(installed)
    command = ["npm", "pack", "--silent", "--pack-destination", str(out)]
    done = subprocess.run(command, cwd=sources / place, capture_output=True, text=True, check=True, umask=UMASK)
    return [out / done.stdout.splitlines()[-1]]


if __name__ == "__main__":
    main()
