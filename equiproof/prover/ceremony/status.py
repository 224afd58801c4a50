"""Where a ceremony stands, in plain words; nothing is verified for it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from equiproof.circuits.text import plain
from equiproof.prover.ceremony.documents import BEACON_FILE, POWERS_FILE
from equiproof.prover.ceremony.errors import CeremonyError, TranscriptError
from equiproof.prover.ceremony.folder import CeremonyFolder
from equiproof.prover.ceremony.steps import read_header
from equiproof.verifier.errors import CertificateFormatError


@dataclass(frozen=True)
class Status:
    """Who has contributed by the headers of the steps, who has not, what is there; `fault` is the first bad file."""

    folder: CeremonyFolder
    contributed: tuple[str, ...]
    waiting: tuple[str, ...]
    closed: bool
    finished: bool
    fault: str

    @classmethod
    def of(cls, folder: CeremonyFolder) -> Status:
        """Look at a folder; raises CertificateFormatError for a ceremony's file or beacon that is none."""
        contributed: list[str] = []
        fault = ""
        try:
            contributed.extend(plain(read_header(path).name)[:64] for path in folder.steps)
        except (CeremonyError, CertificateFormatError, TranscriptError) as error:
            fault = str(error)
        absent_names = tuple(key.name for key in folder.ceremony.keys if key.name not in contributed)
        finished = folder.ceremony.phase == "powers" and (folder.path / POWERS_FILE).exists()
        return cls(folder, tuple(contributed), absent_names, folder.beacon is not None, finished, fault)

    @property
    def next(self) -> str:
        """What to do next."""
        path = self.folder.path
        if self.fault:
            return f"mend this first: {self.fault}"
        if self.closed:
            return self._after_closing()
        if not self.contributed:
            return f"{self.waiting[0]} contributes: equiproof ceremony contribute {path} --signing-key FILE"
        named = self.folder.ceremony.beacon
        beacon = f"close it with round {named.round} of {named.source}: equiproof ceremony beacon {path} --value HEX"
        if not self.waiting:
            return beacon
        return f"{self.waiting[0]} contributes; or, if nobody else will, {beacon}"

    def _after_closing(self) -> str:
        path = self.folder.path
        if self.folder.ceremony.phase == "key":
            return f"make the key: equiproof ceremony finish {path} --keys FOLDER"
        if self.finished:
            return f"nothing; use it: equiproof ceremony new FOLDER --powers {path} ..."
        return f"make the powers of tau: equiproof ceremony finish {path}"

    def document(self) -> dict[str, Any]:
        """Return the status as JSON data."""
        ceremony = self.folder.ceremony
        return {
            "ceremony": str(self.folder.path),
            "phase": ceremony.phase,
            "power": ceremony.power,
            "shape": ceremony.target.shape.name if ceremony.phase == "key" else None,
            "beacon": {"source": ceremony.beacon.source, "round": ceremony.beacon.round},
            "contributed": list(self.contributed),
            "waiting": list(self.waiting),
            "closed": self.closed,
            "finished": self.finished,
            "fault": self.fault or None,
            "next": self.next,
        }

    def text(self) -> str:
        """Return the status as lines for people."""
        ceremony = self.folder.ceremony
        what = "phase 1, powers of tau for circuits of"
        if ceremony.phase == "key":
            what = f"phase 2, a key for {ceremony.target.shape.name},"
        named = ceremony.beacon
        drawn = f"in {BEACON_FILE}; no more contributions" if self.closed else "not there yet"
        lines = [
            f"CEREMONY {self.folder.path}: {what} up to 2^{ceremony.power} constraints",
            *(f"  {number}. {name}: contributed" for number, name in enumerate(self.contributed, 1)),
            *(f"  -  {name}: has not contributed" for name in self.waiting),
            f"  beacon: round {named.round} of {named.source}, {drawn}",
            f"  next: {self.next}",
            "  Nothing was verified for this page: `equiproof ceremony verify` does.",
        ]
        return "\n".join(lines)
