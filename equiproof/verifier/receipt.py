"""A receipt: what an applicant is given when a decision is made, before anybody knows whether it will be looked at.

It fixes the model, the applicant's data, the context and the decision. The register holds its digest alone, which the
salt keeps from being guessed. A certificate that is made later is about a receipt, or is not.
"""

from __future__ import annotations

import hashlib
import re
from datetime import datetime
from functools import cached_property

from equiproof.circuits import field
from equiproof.circuits.canonical import canonical_bytes
from equiproof.circuits.statement import Statement
from equiproof.circuits.tables import say
from equiproof.verifier.documents import Document, element, parse_document
from equiproof.verifier.entries import ENTRY, DecisionEntry, is_digits
from equiproof.verifier.errors import CertificateFormatError, PolicyError, Reason

RECEIPT = ("equiproof-receipt", 1)
OTHER_RECEIPT = "other-receipt"

_TIME = re.compile("[1-9][0-9]{3}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}Z")
_COMMITTED_FIELDS = ("model_commitment", "query_commitment", "context_digest")
"""The field elements of a receipt."""


class Receipt(Document, frozen=True, forbid_unknown_fields=True, dict=True):
    """A receipt; `label` is an index of the spec's labels, or None where a person decides.

    `salt` is 32 random bytes in hexadecimal, `time` is in UTC, such as 2026-03-04T10:00:00Z.
    """

    model_commitment: str
    query_commitment: str
    context_digest: str
    label: int | None
    time: str
    salt: str

    def __repr__(self) -> str:
        """Show the time; the salt stays out of logs and tracebacks."""
        return f"Receipt(time={self.time!r})"

    @cached_property
    def digest(self) -> str:
        """The SHA-256 of the canonical receipt, in hexadecimal: what the register holds."""
        return hashlib.sha256(canonical_bytes(self)).hexdigest()

    def entry(self) -> DecisionEntry:
        """Return the entry of this receipt in the register."""
        return DecisionEntry(*ENTRY, "decision", self.digest)

    def refuse_other(self, statement: Statement) -> None:
        """Raise PolicyError unless a certificate's statement is about this receipt."""
        others = say("receipt.other_model"), say("receipt.other_data"), say("receipt.other_context")
        for name, other in zip(_COMMITTED_FIELDS, others, strict=True):
            if field.to_hex(getattr(statement, name)) != getattr(self, name):
                raise PolicyError(say("receipt.about_other", other=other), OTHER_RECEIPT)
        if self.label is None:
            raise PolicyError(say("receipt.decided_by_person"), OTHER_RECEIPT)
        if statement.label != self.label:
            raise PolicyError(say("receipt.decision_differs"), OTHER_RECEIPT)


def parse_receipt(data: bytes, where: str) -> Receipt:
    """Read a receipt; raises CertificateFormatError naming `where` and the field."""
    receipt = parse_document(data, Receipt, RECEIPT, where, only_canonical=True)
    for name in _COMMITTED_FIELDS:
        element(getattr(receipt, name), f"{where}: field {name}")
    if receipt.label is not None and not 0 <= receipt.label < 1 << 14:
        raise CertificateFormatError(say("receipt.label_out_of_bounds", where=where), Reason.OUT_OF_RANGE)
    if not is_time(receipt.time):
        raise CertificateFormatError(say("receipt.time_malformed", where=where), Reason.WRONG_FIELDS)
    if not is_digits(receipt.salt):
        raise CertificateFormatError(f"{where}: field salt: want 64 lower-case hexadecimal digits", Reason.WRONG_FIELDS)
    return receipt


def is_time(text: str) -> bool:
    """Return whether a text is an instant in UTC, from the year 1000 on, in its one spelling."""
    try:
        return bool(_TIME.fullmatch(text)) and bool(datetime.fromisoformat(text))
    except ValueError:
        return False
