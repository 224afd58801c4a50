"""The applicants of a run: read, encoded, named and given their contexts before anything long begins."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from secrets import token_hex
from typing import Any
from urllib.parse import quote

import msgspec

from equiproof.certify.data.rows import Encode, RowsError, naming_row, read_rows
from equiproof.circuits.spec import Spec
from equiproof.verifier.documents import check_context
from equiproof.verifier.errors import CertificateFormatError
from equiproof.verifier.receipt import Receipt

MAX_NAME_BYTES = 180
"""The longest name of an applicant's files: a system's limit of 255 less what marks files that are not finished."""

NONCE_BYTES = 16


@dataclass(frozen=True)
class Fixed:
    """What the decision's receipt fixed: the certificate has this blinding, and is about this receipt.

    `proof` is the log proof of the receipt, where there is one. `stopped` is whether a guardrail left to a person what
    the model decides: then there is no certificate about the receipt. The repr shows the receipt's time.
    """

    receipt: Receipt
    blinding: int = field(repr=False)
    proof: bytes | None = field(repr=False)
    stopped: bool = False


@dataclass(frozen=True)
class Applicant:
    """One row, counted from 1: its non-sensitive features raw and as n_x integers, and what its files are called.

    `context` is what the certificate is made for; `chosen` says whether its nonce stood in the table. `reference` is
    the value of the column of names, "" where rows have only numbers. `fixed` is None for a decision without a receipt.
    `sensitive` names the sensitive features that the row has, though nothing takes them. The repr shows no data.
    """

    row: int
    name: str
    reference: str
    features: dict[str, Any] = field(repr=False)
    integers: tuple[int, ...] = field(repr=False)
    context: dict[str, str] = field(repr=False)
    chosen: bool
    fixed: Fixed | None = None
    sensitive: tuple[str, ...] = ()


def read_applicants(
    path: Path,
    spec: Spec,
    common: Mapping[str, str],
    names: str | None = None,
    nonces: str | None = None,
    encode: Encode | None = None,
) -> list[Applicant]:
    """Read every row of a table; `names` and `nonces` are the columns of the files' names and of the nonces.

    Without the first, rows are named by their numbers; without the second, each row gets a fresh random nonce. `common`
    stands in the context of all. `encode` takes the place of the spec's. Raises RowsError naming file and row for a row
    that does not fit the spec, and for a name that is missing, too long or that of two rows; CertificateFormatError for
    a nonce that is too short.
    """
    rows = read_rows(path, spec=spec)
    plain = [feature.name for feature in spec.plain_features]
    sensitive = [feature.name for feature in spec.sensitive_features]
    applicants = []
    for number, row in enumerate(rows, start=1):
        with naming_row(path, number, row, spec):
            integers = (encode or spec.encode)(row)
        reference = "" if names is None else _cell(path, number, row, names)
        applicants.append(
            Applicant(
                row=number,
                name=str(number).zfill(len(str(len(rows)))) if names is None else file_name(path, number, reference),
                reference=reference,
                features={feature: row[feature] for feature in plain},
                integers=integers,
                context=_context(path, number, row, common, nonces),
                chosen=nonces is not None,
                sensitive=tuple(feature for feature in sensitive if feature in row),
            )
        )
    refuse_same_names(path, applicants)
    return applicants


def digest_of(applicants: Iterable[Applicant]) -> str:
    """Return the SHA-256 of what the run was asked for: names, features as they stand there, given nonces, receipts."""
    digest = hashlib.sha256()
    for one in applicants:
        nonce = one.context["nonce"] if one.chosen else None
        receipt = () if one.fixed is None else (one.fixed.receipt.digest,)
        digest.update(msgspec.json.encode((one.name, one.features, nonce, *receipt)) + b"\n")
    return digest.hexdigest()


def _context(
    path: Path, number: int, row: Mapping[str, Any], common: Mapping[str, str], nonces: str | None
) -> dict[str, str]:
    """Return what a row's certificate is made for."""
    nonce = token_hex(NONCE_BYTES) if nonces is None else _cell(path, number, row, nonces)
    try:
        return check_context({**common, "nonce": nonce}, f"{path}: row {number}, column {nonces!r}")
    except CertificateFormatError as error:
        raise RowsError(str(error)) from None


def _cell(path: Path, number: int, row: Mapping[str, Any], column: str) -> str:
    """Return the text of a row in a column; raises RowsError where there is none."""
    if column not in row:
        raise RowsError(f"{path}: row {number}: no column {column[:40]!r}")
    text = str(row[column]).strip()
    if not text:
        raise RowsError(f"{path}: row {number}, column {column[:40]!r}: empty")
    return text


def file_name(path: Path, number: int, reference: str) -> str:
    """Return a name that every file system takes: all but letters, digits and `_.-~` is written as %XX.

    Raises RowsError naming file and row for one that is too long.
    """
    name = quote(reference, safe="")
    name = f"%2E{name[1:]}" if name.startswith(".") else name
    if len(name) > MAX_NAME_BYTES:
        raise RowsError(f"{path}: row {number}: {reference[:20]!r}... is too long for the name of a file")
    return name


def refuse_same_names(path: Path, applicants: Sequence[Applicant]) -> None:
    """Raise RowsError naming two rows whose files would be the same, also where a system takes a for A."""
    seen: dict[str, int] = {}
    for one in applicants:
        if (other := seen.setdefault(one.name.casefold(), one.row)) != one.row:
            raise RowsError(f"{path}: rows {other} and {one.row} have the same name {one.reference[:40]!r}")
