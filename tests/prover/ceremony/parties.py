"""Signers and ceremonies of a small domain, and what a malicious party does to a step's file."""

from __future__ import annotations

import shutil
from pathlib import Path

from equiproof.circuits.canonical import canonical_bytes
from equiproof.prover.ceremony import conduct
from equiproof.prover.ceremony.documents import NamedBeacon
from equiproof.prover.ceremony.folder import CeremonyFolder
from equiproof.prover.ceremony.steps import Step, StepHeader, parse_step, read_header, statement, written
from equiproof.verifier.notes import Signer
from tests.support import changed

ANNA, BEN, CAROL, MALLORY = (
    Signer(name, name.encode().ljust(32, b".")) for name in ("anna", "ben", "carol", "mallory")
)
SIGNERS = (ANNA, BEN, CAROL)
BEACON = NamedBeacon("drand quicknet", 1000)
VALUE = "5e" * 32
TERMS = conduct.Terms(tuple(signer.verifier for signer in SIGNERS), BEACON)

POWER = 2
"""Four elements: large enough for every check, and done in milliseconds."""


def powers_ceremony(path: Path, *signers: Signer, power: int = POWER, closed: bool = False) -> CeremonyFolder:
    """Hold a phase 1 with these contributions."""
    folder = conduct.begin_powers(path, power, TERMS)
    for signer in signers:
        conduct.contribute(folder, signer)
    if closed:
        conduct.close(folder, VALUE)
    return folder


def copied(folder: CeremonyFolder, to: Path) -> CeremonyFolder:
    """Return a copy of a ceremony's folder."""
    shutil.copytree(folder.path, to)
    return CeremonyFolder.open(to)


def read(path: Path) -> Step:
    """Read a step's file, whatever length its header states."""
    return parse_step(path.read_bytes(), str(path), read_header(path).length)


def rewritten(path: Path, signer: Signer, contribution: bytes | None = None, **fields: object) -> None:
    """Write a step anew with other fields or other bytes, properly signed by somebody."""
    step = read(path)
    data = step.contribution if contribution is None else contribution
    header = changed(step.header, **({"name": signer.name, "length": len(data)} | fields))
    path.write_bytes(written(header, data, signer))


def with_note(header: StepHeader, contribution: bytes, note: str) -> bytes:
    """Return the file of a step with a note that may be of anything."""
    return canonical_bytes(header) + b"\n" + contribution + note.encode()


def text_of(step: Step) -> str:
    """Return the text that the step's contributor signs."""
    return statement(step.header, step.digest)
