"""Put the tables of go-gnark/verify/tables into a wheel, as equiproof/circuits/tables: the command of pyproject.toml.

An editable installation reads the checkout's, so nothing is copied then.
"""

from __future__ import annotations

from pathlib import Path

from setuptools.command.build_py import build_py

SOURCE = Path(__file__).resolve().parents[1] / "go-gnark" / "verify" / "tables"
PACKAGE = Path("equiproof", "circuits", "tables")
NAMES = sorted(path.name for path in SOURCE.glob("*.[jL]*") if path.name != "normal.json")
"""The tables, and the licence of one of them. normal.json is for languages without normal forms."""


class BuildTables(build_py):
    """The command `build_py` with the tables."""

    def run(self) -> None:
        """Build the modules, then copy the tables."""
        super().run()
        if not self.editable_mode:
            for name in NAMES:
                target = Path(self.build_lib) / PACKAGE / name
                self.mkpath(str(target.parent))
                self.copy_file(str(SOURCE / name), str(target))

    def get_source_files(self) -> list[str]:
        """Return the files that a source archive needs for this build."""
        root = SOURCE.parents[2]
        return [*super().get_source_files(), *((SOURCE / name).relative_to(root).as_posix() for name in NAMES)]

    def get_outputs(self, include_bytecode: bool = True) -> list[str]:
        """Return the files that the build leaves."""
        outputs: list[str] = super().get_outputs(include_bytecode)
        return [*outputs, *(str(Path(self.build_lib) / PACKAGE / name) for name in NAMES)]
