"""Powers of tau followed to where they come from: the ceremony that made them, or the file that others published."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from equiproof.circuits.shape import Shape
from equiproof.ffi import ceremony as native
from equiproof.prover.ceremony.chain import Report, Transcript, check_folder, silent
from equiproof.prover.ceremony.conduct import sealed
from equiproof.prover.ceremony.documents import CEREMONY_FILE, POWERS_FILE
from equiproof.prover.ceremony.errors import CeremonyError, naming
from equiproof.prover.ceremony.folder import CeremonyFolder
from equiproof.prover.ceremony.powers import cut, points, read_powers, sha256
from equiproof.prover.keys import GivenPowers
from equiproof.verifier.documents import PowersReference

COMPARE = (
    "that anybody contributed to the imported powers of tau: compare the file's digest with what its publisher says"
)


@dataclass(frozen=True)
class Origin:
    """Checked powers of tau over a domain of 2^power, what was checked of their origin, and what could not be.

    `whole` says that they were followed to their origin, and not only to somebody's word about it.
    """

    path: Path
    power: int
    data: bytes
    kind: Literal["ceremony", "imported"]
    source: str
    made: tuple[str, ...]
    not_made: tuple[str, ...]
    whole: bool = True

    def reference(self, power: int) -> PowersReference:
        """Return what a key says of these powers, cut to a domain of 2^power; raises CeremonyError for a larger one."""
        return PowersReference(self.kind, self.source, sha256(self._cut(power)))

    def given(self, power: int) -> GivenPowers:
        """Return them as a universal set-up takes them for a domain of 2^power; raises as :meth:`reference`."""
        with naming(self.path):
            return GivenPowers(native.srs(power, self._cut(power)), self.reference(power))

    def _cut(self, power: int) -> bytes:
        if power > self.power:
            raise CeremonyError(
                f"{self.path}: give powers of tau up to 2^{power}: this circuit needs them, these reach 2^{self.power}"
            )
        return cut(self.power, self.data, power)


def universal_power(shape: Shape) -> int:
    """Return the logarithm of the domain of a shape's circuit under PLONK; raises CertificateFormatError for none."""
    with naming("the shape"):
        return native.circuit_power(shape.document, "plonk-bn254")[0]


def followed(path: Path, power: int, report: Report = silent) -> Origin:
    """Follow powers of tau, for a domain of 2^power at least, to their origin.

    `path` is the folder of a closed phase 1, which is checked from its first step on, or a file in the format .ptau, or
    the folder of an import, whose powers are checked and whose word is taken for the file's digest. Raises
    TranscriptError, CertificateFormatError, CeremonyError, OSError.
    """
    if not path.is_dir():
        report("reading the powers of tau")
        own_power, data, source = points(path, power)
        made = f"the powers of tau are those of the file with SHA-256 {source}"
        return Origin(path, own_power, data, "imported", source, (made,), (COMPARE,))
    # The ceremony's own file before its result: powers that lie beside it are computed again, not believed.
    if (path / CEREMONY_FILE).exists() or not (path / POWERS_FILE).exists():
        return _of_ceremony(path, report)
    report("checking the powers of tau")
    powers = read_powers(path)
    if powers.document.origin != "imported":
        raise CeremonyError(
            f"{path}: get its whole folder: these are the powers of tau of a ceremony without its files"
        )
    word = f"that these are the powers of the file with SHA-256 {powers.document.source}: give the .ptau file"
    return Origin(path, powers.power, powers.data, "imported", powers.document.source, (), (word, COMPARE), whole=False)


def contributors(transcript: Transcript) -> str:
    """Write who contributed."""
    names = [step.signer.name for step in transcript.steps]
    return f"{len(names)} contribution{'s' * (len(names) != 1)} ({', '.join(names)})"


def to_look_up(transcript: Transcript) -> str:
    """Write what nobody but the reader can check of a closed ceremony's beacon."""
    named = transcript.ceremony.beacon
    return f"that {transcript.closing.value} is round {named.round} of {named.source}: look it up"


def _of_ceremony(path: Path, report: Report) -> Origin:
    """Check the ceremony of powers, and compute what it made."""
    first = check_folder(CeremonyFolder.open(path), (), report)
    report("computing the powers of tau from their transcript")
    data = sealed(first)
    made = f"phase 1 has {contributors(first)}, its beacon closes it, and it made these powers of tau"
    return Origin(path, first.ceremony.power, data, "ceremony", first.digest, (made,), (to_look_up(first),))
