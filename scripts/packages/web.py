"""What is built from TypeScript: the npm packages, the checking page, and the applicant's page inside the wheel."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

from scripts.packages.archives import UMASK
from scripts.packages.sources import ROOT

_INSTALLED = Path("web") / "verifier" / "node_modules"


def applicant_page(sources: Path) -> None:
    """Build the service's page for applicants into the copy of the sources that the wheel is built from.

    Exits with one line where the packages that build it are missing: a wheel without the page would be another wheel.
    """
    installed = ROOT / _INSTALLED
    if not (installed / ".installed").exists() or not shutil.which("npm"):
        sys.exit("run `make web`, which says what building pages and npm packages needs: it is missing here")
    (sources / _INSTALLED).symlink_to(installed)
    _run(sources / "web" / "applicant", "node", "build.mjs")


def checking_page(sources: Path, out: Path, version: str) -> Path:
    """Build the page that checks certificates on its reader's device; return its one file."""
    _run(sources / "web" / "page", "node", "build.mjs", str(out / "page"))
    return Path(shutil.move(out / "page" / "verify.html", out / f"equiproof-page-{version}.html"))


def npm_packages(sources: Path, out: Path) -> list[Path]:
    """Pack the verifier and the element; return their archives."""
    command = ("npm", "pack", "--silent", "--pack-destination", str(out))
    return [out / _run(sources / "web" / name, *command).splitlines()[-1] for name in ("verifier", "element")]


def _run(folder: Path, *command: str) -> str:
    """Run a command in a folder; return what it prints."""
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True, umask=UMASK).stdout
