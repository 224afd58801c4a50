"""Log proofs for a folder of receipts: each file of the log is read once, and proofs that are there are kept."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from equiproof.circuits.canonical import read_limited
from equiproof.circuits.files import write_file
from equiproof.register.errors import LogError
from equiproof.register.log import Log
from equiproof.verifier.checkpoint import Checkpoint
from equiproof.verifier.receipt import parse_receipt
from equiproof.verifier.tlog_proof import TlogProofError, parse_tlog_proof

RECEIPT_FILE = "receipt.json"
PROOF_FILE = "receipt.tlog-proof"

_APPLICANTS = "applicants"


@dataclass(frozen=True)
class Place:
    """Where a receipt lies, and its entry."""

    folder: Path
    entry: bytes

    @property
    def proof(self) -> Path:
        """Where its log proof belongs."""
        return self.folder / PROOF_FILE


def places(folder: Path) -> list[Place]:
    """Return the receipts of a folder with a folder for each decision, or with those in `applicants`, by name.

    Folders without a receipt and hidden ones are left out. Raises LogError where there is no receipt, and
    CertificateFormatError naming the file for one that is malformed.
    """
    inside = folder / _APPLICANTS
    above = inside if inside.is_dir() else folder
    receipts = [
        Place(path.parent, parse_receipt(read_limited(path), str(path)).entry().data)
        for path in sorted(above.glob(f"*/{RECEIPT_FILE}"))
        if not path.parent.name.startswith(".")
    ]
    if not receipts:
        one = f": name {above / RECEIPT_FILE} itself" if (above / RECEIPT_FILE).is_file() else ""
        raise LogError(f"{above}: no folder in it has a {RECEIPT_FILE}{one}")
    return receipts


def without_proof(log: Log, receipts: list[Place]) -> list[Place]:
    """Return the receipts beside which no log proof lies.

    One that lies there is checked as a reader would: raises LogError naming it where it shows nothing under this log's
    key about this receipt.
    """
    known: dict[bytes, Checkpoint] = {}
    return [place for place in receipts if not _holds(log, place, known)]


def _holds(log: Log, place: Place, opened: dict[bytes, Checkpoint]) -> bool:
    """Return whether a log proof lies beside a receipt; `opened` are checkpoints that were opened before."""
    try:
        data = read_limited(place.proof)
    except FileNotFoundError:
        return False
    try:
        proof = parse_tlog_proof(data)
        if proof.checkpoint not in opened:
            opened[proof.checkpoint] = log.opened(proof.checkpoint, str(place.proof)).checkpoint
        if proof.extra != place.entry:
            raise LogError(f"{place.proof}: about another entry than the receipt's")
        log.check(proof, opened[proof.checkpoint], str(place.proof))
    except (TlogProofError, LogError) as error:
        message = str(error).removeprefix(f"{place.proof}: ")
        raise LogError(f"{place.proof}: remove it, or have all written anew with --force: {message}") from None
    return True


def write_proofs(log: Log, places: list[Place], *, force: bool) -> Iterator[Place]:
    """Write the log proofs of receipts, those that the log took last first, and yield each place that is done.

    Receipts that are not in the log's newest tree are passed over. Each file is written whole: what was written stays,
    however the run ends. Raises LogError as :meth:`.log.Log.proofs`.
    """
    by_entry: dict[bytes, list[Place]] = {}
    for place in places:
        by_entry.setdefault(place.entry, []).append(place)
    if not by_entry:
        return
    data, signed = log.newest()
    for proof in log.proofs(data, signed.checkpoint, by_entry):
        for place in by_entry[proof.extra]:
            write_file(place.proof, proof.data, force=force)
            yield place
