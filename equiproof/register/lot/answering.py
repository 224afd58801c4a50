"""The owner's answers: for each drawn receipt the receipt itself and a certificate about it, or "none"; all signed."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from pathlib import Path

import msgspec

from equiproof.circuits.canonical import read_regular
from equiproof.circuits.kinds import is_archive, kind_of
from equiproof.register.lot.documents import ANSWER, Answer, signed, time_text
from equiproof.register.lot.errors import LotError
from equiproof.register.lot.folder import PeriodFolder
from equiproof.register.lot.lottery import Drawn
from equiproof.verifier.bundle import MAX_BUNDLE_BYTES, parse_bundle
from equiproof.verifier.certificate import CERTIFICATE, Certificate, parse_certificate
from equiproof.verifier.errors import PolicyError
from equiproof.verifier.notes import Signer
from equiproof.verifier.receipt import RECEIPT, Receipt, parse_receipt


def answer(
    folder: PeriodFolder,
    receipts: Mapping[int, str],
    drawn: Drawn,
    owned: Path,
    groups: Mapping[str, str],
    signer: Signer,
    now: datetime,
) -> list[Answer]:
    """Return the answers from a folder of receipts, certificates and bundles, which may have folders in it.

    `receipts` are the digests of the drawn receipts by entry; `groups` name the group of a receipt by its digest. A
    receipt without a certificate that is about it is answered with "none". Raises LotError for a signer who is not the
    owner and where a group is named that the period does not disclose, CertificateFormatError for a malformed file.
    """
    if signer.verifier != folder.period.keys[0]:
        raise LotError(
            f"answer with the owner's key of this period: {signer.name} is not its owner, or has another key there"
        )
    receipt_of, certificates = _owned(owned)
    disclosed = folder.period.groups is not msgspec.UNSET
    if groups and not disclosed:
        raise LotError("leave the groups out: the period's file does not say that they are disclosed")
    answers = []
    for entry in drawn.entries:
        receipt = receipt_of.get(receipts[entry])
        certificate = None if receipt is None else _about(receipt, certificates)
        group = groups.get(receipts[entry], msgspec.UNSET)
        reply = Answer(*ANSWER, folder.period.digest.hex(), 1, time_text(now), "", entry, group=group)
        if receipt is not None and certificate is not None:
            reply = msgspec.structs.replace(reply, receipt=receipt, certificate=certificate)
        answers.append(signed(reply, signer))
    return answers


def _owned(folder: Path) -> tuple[dict[str, Receipt], dict[str, list[Certificate]]]:
    """Return the receipts of a folder by digest, and the certificates by query commitment."""
    receipts = dict[str, Receipt]()
    certificates = dict[str, list[Certificate]]()
    for path in sorted(folder.rglob("*")):
        if not path.is_file() or path.suffix not in (".json", ".equiproof") or path.name.startswith("."):
            continue
        data = read_regular(path, MAX_BUNDLE_BYTES)
        kind = CERTIFICATE[0] if is_archive(data) else kind_of(data)
        if kind == RECEIPT[0]:
            receipt = parse_receipt(data, str(path))
            receipts[receipt.digest] = receipt
        elif kind == CERTIFICATE[0]:
            inner = parse_bundle(data, str(path)).certificate if is_archive(data) else data
            certificate = parse_certificate(inner, str(path))
            # What an owner disclosed to an applicant is for nobody else, and no part of what is proven.
            public = msgspec.structs.replace(certificate, query=None)
            certificates.setdefault(certificate.statement.query_commitment, []).append(public)
    return receipts, certificates


def _about(receipt: Receipt, certificates: Mapping[str, list[Certificate]]) -> Certificate | None:
    """Return the certificate about a receipt with the largest radius; None for none."""
    about = []
    for one in certificates.get(receipt.query_commitment, []):
        try:
            receipt.refuse_other(one.to_statement())
        except PolicyError:
            continue
        about.append(one)
    # Of several the best one: the owner may have proven a decision again under a larger key.
    return max(about, key=lambda one: one.statement.radius_squared, default=None)
