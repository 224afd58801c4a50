"""The folder of a ceremony: its file, its steps by number, its beacon; in phase 2 the powers of tau too.

ceremony.json is what `new` wrote; 0001.step and so on are the contributions; beacon.json closes them. powers.json,
powers.bin and lagrange.bin are what a phase 1 made, and what a phase 2 begins with.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from equiproof.circuits.canonical import DocumentError, read_regular
from equiproof.prover.ceremony.documents import (
    BEACON_FILE,
    CEREMONY_FILE,
    BeaconDocument,
    CeremonyDocument,
    parse_beacon,
    parse_ceremony,
)
from equiproof.prover.ceremony.errors import CeremonyError
from equiproof.verifier.errors import CertificateFormatError, Reason

MAX_FILE = 1 << 18
"""The most bytes that are read of the ceremony's file or its beacon."""

STEP_SUFFIX = ".step"


@dataclass(frozen=True)
class CeremonyFolder:
    """A ceremony's folder and its file; nothing else of it was read yet."""

    path: Path
    ceremony: CeremonyDocument

    @classmethod
    def open(cls, path: Path) -> CeremonyFolder:
        """Read a ceremony's file; raises CeremonyError for a folder without one, CertificateFormatError."""
        where = path / CEREMONY_FILE
        if not where.exists():
            raise CeremonyError(f"{path}: begin a ceremony with `equiproof ceremony new`: the folder holds none")
        return cls(path, parse_ceremony(_read(where), str(where)))

    @property
    def steps(self) -> list[Path]:
        """The files of steps, in order; raises CeremonyError for a number that is missing in between."""
        paths = sorted(path for path in self.path.glob(f"[0-9]*{STEP_SUFFIX}"))
        expected_paths = [self.step(number) for number in range(1, len(paths) + 1)]
        for path, expected in zip(paths, expected_paths, strict=True):
            if path != expected:
                raise CeremonyError(f"{expected}: ask its contributor for it: missing, though {path.name} is there")
        return paths

    @property
    def beacon(self) -> BeaconDocument | None:
        """The beacon that closes the ceremony, or None; raises CertificateFormatError."""
        where = self.path / BEACON_FILE
        return parse_beacon(_read(where), str(where)) if where.exists() else None

    def step(self, number: int) -> Path:
        """Return where the step of a number is, counted from 1."""
        return self.path / f"{number:04d}{STEP_SUFFIX}"


def _read(path: Path) -> bytes:
    try:
        return read_regular(path, MAX_FILE)
    except DocumentError as error:
        raise CertificateFormatError(str(error), Reason.UNREADABLE) from None
