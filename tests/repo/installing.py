"""Empty environments, and an index in a folder: pip installs our packages as from a real index, without a network."""

from __future__ import annotations

import re
import subprocess
import sys
import venv
import zipfile
from dataclasses import dataclass
from importlib.metadata import distribution
from pathlib import Path

_OF_THE_INSTALLER = {"RECORD", "INSTALLER", "REQUESTED", "direct_url.json"}


def repacked(name: str, out: Path) -> Path:
    """Write the wheel that an installed package came from into a folder, but for its scripts."""
    found = distribution(name)
    kept = [
        file
        for file in found.files or ()
        if file.parts[0] != ".." and "__pycache__" not in file.parts and file.name not in _OF_THE_INSTALLER
    ]
    (described,) = {file.parts[0] for file in kept if file.parts[0].endswith(".dist-info")}
    tags = re.findall(r"^Tag: (.*)-(.*)-(.*)$", found.read_text("WHEEL") or "", re.MULTILINE)
    tag = "-".join(".".join(sorted(set(part))) for part in zip(*tags, strict=True))
    path = out / f"{described.removesuffix('.dist-info')}-{tag}.whl"
    with zipfile.ZipFile(path, "w") as wheel:
        for file in kept:
            wheel.write(Path(str(found.locate_file(file))), str(file))
        wheel.writestr(f"{described}/RECORD", "".join(f"{file},,\n" for file in (*kept, f"{described}/RECORD")))
    return path


@dataclass(frozen=True)
class Environment:
    """A virtual environment with nothing in it but what is installed by `pip`."""

    folder: Path

    @classmethod
    def empty(cls, folder: Path) -> Environment:
        """Make one, without pip itself."""
        venv.create(folder, with_pip=False, symlinks=True)
        return cls(folder)

    def pip(self, *words: object) -> str:
        """Run this environment's packages through our pip, without a network; return what it prints."""
        command = [sys.executable, "-m", "pip", "--python", self._program("python"), "--disable-pip-version-check"]
        return self._done(self._run(*command, *words))

    def install(self, wanted: str, *folders: Path) -> None:
        """Install a package, and what it needs, from folders of wheels."""
        found = (word for folder in folders for word in ("--find-links", folder))
        self.pip("install", "--quiet", "--no-index", "--no-compile", *found, wanted)

    def packages(self) -> dict[str, str]:
        """Return what is installed: version by name."""
        lines = [line.partition("==") for line in self.pip("list", "--format=freeze").split()]
        return {name.lower().replace("_", "-"): version for name, _, version in lines}

    def call(self, program: str, *words: object) -> subprocess.CompletedProcess[str]:
        """Run an installed program in an empty folder."""
        return self._run(self._program(program), *words)

    def _program(self, name: str) -> str:
        return str(self.folder / "bin" / name)

    def _run(self, *words: object) -> subprocess.CompletedProcess[str]:
        # Neither the checkout nor anything of the tests is on the path of what was installed.
        return subprocess.run(
            [*map(str, words)], cwd=self.folder, env={"PATH": "/usr/bin:/bin"}, capture_output=True, text=True,
            timeout=120, check=False,
        )  # fmt: skip

    def _done(self, done: subprocess.CompletedProcess[str]) -> str:
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout
