"""The check of a transcript: every step follows from the one before, and one of the named signers made it.

For each step, in this order: (1) the file is a step, of the length that the ceremony's size gives; (2) its header is
the one of this place; (3) its contributor may contribute and has not yet; (4) the attestation is of this step and under
that contributor's key; (5) gnark's bytes follow from the step before: points of the right groups, proofs of knowledge
that are bound to the digest of the step before, the same factor everywhere, and a factor that changes something. Then
(6) the beacon closes what stands before it. The first fault is raised, and names its file.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from equiproof.circuits.canonical import canonical_bytes
from equiproof.prover.ceremony.documents import BEACON_FILE, CEREMONY_FILE, BeaconDocument, CeremonyDocument
from equiproof.prover.ceremony.errors import CeremonyError, Refusal, TranscriptError, naming
from equiproof.prover.ceremony.folder import CeremonyFolder
from equiproof.prover.ceremony.powers import Powers, read_powers
from equiproof.prover.ceremony.rounds import KeyRounds, PowersRounds, Rounds, require_circuit
from equiproof.prover.ceremony.steps import Step, StepHeader, header_for, read_step
from equiproof.verifier.notes import VerifierKey


class Report(Protocol):
    """Takes a line on what is being done, and where they are known how many of how many stages are behind it."""

    def __call__(self, line: str, done: int = 0, total: int | None = None) -> None:
        """Show it."""


def silent(line: str, done: int = 0, total: int | None = None) -> None:
    """Report nothing."""


@dataclass(frozen=True)
class Contribution:
    """A step that was checked: who made it, and its digest."""

    signer: VerifierKey
    digest: str


@dataclass(frozen=True)
class Transcript:
    """A ceremony whose steps were all checked, as far as they go; made by :func:`check_folder` only.

    `last` is what gnark made of the last step, None before the first; `beacon` is None while the ceremony is open.
    """

    ceremony: CeremonyDocument
    rounds: Rounds
    steps: tuple[Contribution, ...]
    last: bytes | None
    beacon: BeaconDocument | None
    powers: Powers | None

    @property
    def head(self) -> str:
        """The digest that the next step names as its previous one."""
        return self.steps[-1].digest if self.steps else self.ceremony.digest

    @property
    def missing(self) -> tuple[str, ...]:
        """The names of those who may still contribute, in the order of the ceremony's file."""
        contributors = {step.signer for step in self.steps}
        return tuple(key.name for key in self.ceremony.keys if key not in contributors)

    @property
    def digest(self) -> str:
        """The chain digest of a closed ceremony: SHA-256 over its file, its steps and its beacon's value."""
        fixed = {
            "beacon": self.closing.value,
            "ceremony": self.ceremony.digest,
            "steps": [step.digest for step in self.steps],
        }
        return hashlib.sha256(b"equiproof.chain.v2\x00" + canonical_bytes(fixed)).hexdigest()

    @property
    def closing(self) -> BeaconDocument:
        """The beacon; raises CeremonyError while the ceremony is open."""
        if self.beacon is None:
            raise CeremonyError("close the ceremony first with `equiproof ceremony beacon`: it is still open")
        return self.beacon


def check_folder(folder: CeremonyFolder, further: Sequence[Path] = (), report: Report = silent) -> Transcript:
    """Check a ceremony's folder, and `further` step files behind its own.

    Raises TranscriptError, or CertificateFormatError for a file that is none of ours, naming the first bad file.
    """
    ceremony = folder.ceremony
    where = str(folder.path / CEREMONY_FILE)
    powers: Powers | None = None
    rounds: Rounds = PowersRounds(ceremony.power)
    paths = (*folder.steps, *further)
    before = 3 if ceremony.phase == "key" else 0
    total = before + len(paths)
    if ceremony.phase == "key":
        report("compiling the circuit", 0, total)
        require_circuit(ceremony, where)
        report("checking the powers of tau", 1, total)
        powers = _powers_of(folder)
        report("computing the beginning of phase 2", 2, total)
        rounds = KeyRounds(ceremony.target.shape.document, powers)
    steps: list[Contribution] = []
    last: bytes | None = None
    for path in paths:
        # A step names the one before it, the first one the ceremony's file: so none can be moved, left out or reused.
        head = steps[-1].digest if steps else ceremony.digest
        step, signer = _read(path, ceremony, rounds, steps, head)
        report(f"checking step {len(steps) + 1} of {len(paths)} ({signer.name})", before + len(steps), total)
        with naming(path):
            rounds.verify(last, step.contribution)
        steps.append(Contribution(signer, step.digest))
        last = step.contribution
    beacon = folder.beacon
    if beacon is not None and (not steps or beacon.after != steps[-1].digest):
        raise TranscriptError(
            f"{folder.path / BEACON_FILE}: get the whole folder again: closes another ceremony than this",
            Refusal.WRONG_CHAIN,
        )
    return Transcript(ceremony, rounds, tuple(steps), last, beacon, powers)


def _powers_of(folder: CeremonyFolder) -> Powers:
    """Return the powers that a phase 2 begins with; raises TranscriptError for others than its file names."""
    powers = read_powers(folder.path)
    if powers.power != folder.ceremony.power or powers.reference != folder.ceremony.target.powers:
        raise TranscriptError(
            f"{folder.path}: get the whole folder again: the powers of tau are not those that {CEREMONY_FILE} names",
            Refusal.OTHER_POWERS,
        )
    return powers


def _read(
    path: Path, ceremony: CeremonyDocument, rounds: Rounds, steps: Sequence[Contribution], head: str
) -> tuple[Step, VerifierKey]:
    """Read the next step, and check all of it but gnark's bytes (1) to (4)."""
    step = read_step(path, rounds.length)
    _check_header(step.header, header_for(ceremony, len(steps) + 1, head, step.header.name, rounds.length), path)
    keys = {key.name: key for key in ceremony.keys}
    signer = keys.get(step.header.name)
    if signer is None:
        raise TranscriptError(
            f"{path}: leave this step out: {step.header.name[:40]!r} is not among the signers of {CEREMONY_FILE}",
            Refusal.UNKNOWN_SIGNER,
        )
    if any(signer == done.signer for done in steps):
        raise TranscriptError(
            f"{path}: leave this step out: {signer.name} has contributed before", Refusal.REPEATED_SIGNER
        )
    step.require_signed(signer, str(path))
    return step, signer


def _check_header(header: StepHeader, template: StepHeader, path: Path) -> None:
    """Compare a header with the one of its place."""
    if header.previous != template.previous:
        raise TranscriptError(
            f"{path}: get all steps again from who made them: this one does not follow the step before it",
            Refusal.WRONG_CHAIN,
        )
    for name in ("phase", "power", "index", "shape", "link_shape", "system_digest"):
        if getattr(header, name) != getattr(template, name):
            raise TranscriptError(
                f"{path}: ask its contributor for the file again: the header's {name} is not that of this ceremony",
                Refusal.WRONG_HEADER,
            )
