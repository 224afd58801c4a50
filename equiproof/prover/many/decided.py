"""Decisions with receipts: made for a whole table, and read back to be proven.

Each decision is a folder of the applicant's (:mod:`equiproof.prover.receipts`). What lies in it is read as anything
from outside is: files that do not fit their receipt are named before anything long begins.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from urllib.parse import unquote

from equiproof.certify.data.rows import RowsError, naming_row
from equiproof.certify.guardrail import GuardrailFile
from equiproof.certify.limits import MAX_ROWS
from equiproof.circuits import field
from equiproof.circuits.canonical import read_limited
from equiproof.circuits.commitment import query_commitment
from equiproof.circuits.files import write_folder
from equiproof.circuits.statement import context_digest
from equiproof.circuits.workers import each, processors
from equiproof.prover.many.applicants import Applicant, Fixed, file_name, refuse_same_names
from equiproof.prover.many.manifest import APPLICANTS
from equiproof.prover.opening import Opening
from equiproof.prover.receipts import (
    CONTEXT_FILE,
    ENTRY_FILE,
    GUARDRAIL,
    PROOF_FILE,
    QUERY_FILE,
    RECEIPT_FILE,
    SECRET_FILES,
    decide,
    label_of,
    referral,
)
from equiproof.verifier.documents import parse_context, parse_query
from equiproof.verifier.receipt import Receipt, parse_receipt
from equiproof.verifier.tlog_proof import TlogProofError, parse_tlog_proof

_Part = tuple[int, int | None, dict[str, bytes]]

_BATCH = 50
"""How many applicants a process is given at a time."""

_WORTHWHILE_APPLICANTS = 1000
"""For how many applicants another process is worth its start."""

ENTRIES_FILE = "entries.jsonl"
"""The entries of all receipts for the log, in the order of the rows: one canonical JSON document a line."""


@dataclass(frozen=True)
class Behind:
    """What decides: a model, and the guardrail in front of it, if there is one."""

    opening: Opening
    guardrail: GuardrailFile | None = None


def decide_all(
    behind: Behind, applicants: Sequence[Applicant], folder: Path, tick: Callable[[int, int], None], jobs: int = 1
) -> dict[int, int | None]:
    """Decide about a table's applicants into a new folder; return the labels by row, None where a person decides.

    `jobs` processes decide at a time; -1: one per processor, and this one alone where there are few applicants.

    The folder is there once the last decision is made: a run that is cut short leaves none, and has decided nothing.
    `tick` takes how many are done, and of how many. Raises as :func:`.receipts.decide` and
    :func:`equiproof.circuits.files.write_folder`.
    """
    labels: dict[int, int | None] = {}

    def files() -> Iterator[tuple[str, bytes | Iterator[bytes]]]:
        entries: dict[int, bytes] = {}
        with closing(_decided(behind, applicants, jobs)) as parts:
            for row, label, made in chain.from_iterable(parts):
                yield from made.items()
                entries[row] = next(data for name, data in made.items() if name.endswith(f"/{ENTRY_FILE}"))
                labels[row] = label
                tick(len(labels), len(applicants))
        yield ENTRIES_FILE, (entries[row] + b"\n" for row in sorted(entries))

    secret = {f"{APPLICANTS}/{one.name}/{name}" for one in applicants for name in SECRET_FILES}
    write_folder(folder, files(), secret=secret)
    return dict(sorted(labels.items()))


def _decided(behind: Behind, applicants: Sequence[Applicant], jobs: int) -> Generator[list[_Part], None, None]:
    """Yield the decisions about parts of a table, in any order; closing the generator ends the processes."""
    parts = [applicants[first : first + _BATCH] for first in range(0, len(applicants), _BATCH)]
    count = min(processors(), len(applicants) // _WORTHWHILE_APPLICANTS) if jobs == -1 else min(jobs, len(parts))
    if count > 1:
        yield from each(_decide_part, behind, parts, count)
    else:
        yield from (_decide_part(behind, part) for part in parts)


def _decide_part(behind: Behind, part: Sequence[Applicant]) -> list[_Part]:
    """Decide about some applicants: row, label, and files by name."""
    made = ((one, decide(behind.opening, one.features, one.context, guardrail=behind.guardrail)) for one in part)
    return [
        (
            one.row,
            decided.receipt.label,
            {f"{APPLICANTS}/{one.name}/{name}": data for name, data in decided.files().items()},
        )
        for one, decided in made
    ]


def read_decided(folder: Path, opening: Opening) -> list[Applicant]:
    """Read the decisions of a folder: of a whole table, or a folder for each decision; rows are counted by name.

    Hidden names and single files are left out. A receipt without a label whose context names a guardrail is that of a
    person's decision, and has no certificate: the rules are not at hand here. Raises RowsError naming the file for one
    that does not fit its receipt, a receipt of another model or decision than the opening's, one receipt in two
    folders, and a folder without any; CertificateFormatError for a malformed file, OSError for one that cannot be read.
    """
    inside = folder / APPLICANTS
    above = inside if inside.is_dir() else folder
    places = sorted(path for path in above.iterdir() if path.is_dir() and not path.name.startswith("."))
    if not 0 < len(places) <= MAX_ROWS:
        fault = f"{len(places)} decisions; at most {MAX_ROWS} are read" if places else "no decision with a receipt"
        raise RowsError(f"{above}: {fault}")
    applicants = [_applicant(place, number, opening) for number, place in enumerate(places, start=1)]
    refuse_same_names(folder, applicants)
    name_of: dict[str, str] = {}
    for one in applicants:
        if one.fixed is not None and (other := name_of.setdefault(one.fixed.receipt.digest, one.name)) != one.name:
            raise RowsError(f"{above}: {other} and {one.name} have the same receipt; move one of them away")
    return applicants


def _applicant(place: Path, number: int, opening: Opening) -> Applicant:
    """Read one decision."""
    if not place.name.isprintable():
        raise RowsError(f"{place}: the name of a decision has characters that cannot be printed")
    spec = opening.spec
    query_path = place / QUERY_FILE
    receipt = parse_receipt(read_limited(place / RECEIPT_FILE), str(place / RECEIPT_FILE))
    query = parse_query(read_limited(query_path), str(query_path))
    context = parse_context(read_limited(place / CONTEXT_FILE), str(place / CONTEXT_FILE))
    row = query.row(spec)
    with naming_row(query_path, 1, row, spec):
        integers = spec.encode(row)
    blinding = field.from_hex(query.blinding)
    data = field.to_hex(query_commitment(spec.input_bits, blinding, integers))
    _refuse(receipt.model_commitment != field.to_hex(opening.commitment), place, "of another model than the opening")
    _refuse(receipt.query_commitment != data, place, f"about other data than {QUERY_FILE}")
    _refuse(receipt.context_digest != field.to_hex(context_digest(context)), place, f"not for {CONTEXT_FILE}")
    label = None if referral(opening, row) else label_of(opening, integers)
    stopped = receipt.label is None and label is not None and GUARDRAIL in context
    _refuse(receipt.label != label and not stopped, place, "about another decision than the model's")
    reference = unquote(place.name)
    return Applicant(
        row=number,
        name=file_name(place, number, reference),
        reference=reference,
        features={feature.name: row[feature.name] for feature in spec.plain_features},
        integers=integers,
        context=context,
        chosen=True,
        fixed=Fixed(receipt, blinding, _proof(place / PROOF_FILE, receipt), stopped),
    )


def _refuse(wrong: bool, place: Path, fault: str) -> None:
    """Raise RowsError about a receipt where something is wrong with it."""
    if wrong:
        raise RowsError(f"{place / RECEIPT_FILE}: the receipt is {fault}")


def _proof(path: Path, receipt: Receipt) -> bytes | None:
    """Return the log proof beside a receipt, None where there is none; raises RowsError for another receipt's."""
    try:
        data = read_limited(path)
    except FileNotFoundError:
        return None
    try:
        extra = parse_tlog_proof(data).extra
    except TlogProofError as error:
        raise RowsError(f"{path}: {error}") from None
    if extra != receipt.entry().data:
        raise RowsError(f"{path}: the log proof is about another entry than the receipt's")
    return data
