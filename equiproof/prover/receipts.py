"""Receipts: what is fixed when a decision is made, so that a certificate made later is about that very decision.

The blinding of the applicant's data and the context are drawn here, with the salt of the receipt. `Prover.prove` takes
both as they were: a certificate with other ones would be about another receipt.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from dataclasses import field as dataclass_field
from datetime import UTC, datetime
from secrets import token_hex
from typing import Any

from equiproof.certify.guardrail import GuardrailError, GuardrailFile
from equiproof.certify.models.ensembles.gaps import BetweenError, refuse_between
from equiproof.circuits import field
from equiproof.circuits.canonical import canonical_bytes
from equiproof.circuits.commitment import query_commitment
from equiproof.circuits.statement import context_digest
from equiproof.prover.features import plain_features
from equiproof.prover.opening import Opening
from equiproof.verifier.documents import QUERY, QueryDocument, check_context
from equiproof.verifier.receipt import RECEIPT, Receipt

SALT_BYTES = 32

RECEIPT_FILE = "receipt.json"
QUERY_FILE = "query.json"
CONTEXT_FILE = "context.json"
ENTRY_FILE = "entry.json"
PROOF_FILE = "receipt.tlog-proof"

SECRET_FILES = (RECEIPT_FILE, QUERY_FILE, CONTEXT_FILE)

GUARDRAIL = "guardrail"
"""The name in a context under which the digest of the guardrail stands that a decision was made behind."""

BETWEEN = "a value lies between a threshold of the model and its rounding"


@dataclass(frozen=True)
class Decided:
    """A decision as it was made: the receipt, and what it is a digest of. The repr shows none of the applicant's data.

    `entry` are the bytes for the log, which say nothing without the receipt. `referred` says why a person decides
    whatever the model says, as :func:`referral` does.
    """

    receipt: Receipt
    query: QueryDocument = dataclass_field(repr=False)
    context: dict[str, str] = dataclass_field(repr=False)
    referred: str = ""

    @property
    def entry(self) -> bytes:
        """The entry for the log."""
        return self.receipt.entry().data

    def files(self) -> dict[str, bytes]:
        """Return the files of a decision by name; all but the entry are the applicant's and the owner's alone."""
        return {
            RECEIPT_FILE: canonical_bytes(self.receipt),
            QUERY_FILE: canonical_bytes(self.query),
            CONTEXT_FILE: canonical_bytes(self.context),
            ENTRY_FILE: self.entry,
        }


def decide(
    opening: Opening,
    row: Mapping[str, Any],
    context: Mapping[str, str],
    now: datetime | None = None,
    guardrail: GuardrailFile | None = None,
) -> Decided:
    """Decide about one applicant by the committed integers, and make the receipt.

    `row` has the raw non-sensitive features; `context` is what a certificate will be made for, with its nonce; `now` is
    the time, that of the machine where it is left out. The label is None, a person decides, where the values of the
    sensitive features lead to different decisions or one of them to a tie: no certificate could state a label then. It
    is None too where :func:`referral` gives a reason. The digest of a guardrail is added to the context. Raises
    SpecError for a row that does not fit the spec, CertificateFormatError for a context without a nonce, GuardrailError
    for the guardrail of another model.
    """
    if guardrail is not None:
        context = {**context, GUARDRAIL: _digest_for(guardrail, opening)}
    made_for = check_context(dict(context), "context")
    spec = opening.spec
    blinding = field.random()
    integers = spec.encode(row)
    referred = referral(opening, row, guardrail)
    receipt = Receipt(
        *RECEIPT,
        model_commitment=field.to_hex(opening.commitment),
        query_commitment=field.to_hex(query_commitment(spec.input_bits, blinding, integers)),
        context_digest=field.to_hex(context_digest(made_for)),
        label=None if referred else label_of(opening, integers),
        time=(now or datetime.now(UTC)).astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
        salt=token_hex(SALT_BYTES),
    )
    query = QueryDocument(*QUERY, plain_features(spec, row), field.to_hex(blinding))
    return Decided(receipt, query, made_for, referred)


def referral(opening: Opening, row: Mapping[str, Any], guardrail: GuardrailFile | None = None) -> str:
    """Return why a person decides about a raw row that fits the spec whatever the model says, or "".

    The reason is that the row lies in a gap of an ensemble, or that a rule of the guardrail stops it; it holds nothing
    of the applicant's.
    """
    try:
        refuse_between(opening.gaps, opening.spec, row)
    except BetweenError:
        return BETWEEN
    if guardrail is not None and (number := guardrail.stops(row)) is not None:
        return f"rule {number} of the guardrail"
    return ""


def _digest_for(guardrail: GuardrailFile, opening: Opening) -> str:
    """Return the digest of a model's own guardrail; raises GuardrailError for that of another model."""
    if guardrail.commitment != field.to_hex(opening.commitment):
        raise GuardrailError("the guardrail is that of another model: make one for this commitment")
    return guardrail.digest


def label_of(opening: Opening, integers: tuple[int, ...]) -> int | None:
    """Return the one label of a query of n_x integers under all sensitive values; None for several, or for a tie."""
    labels = {opening.model.decide((*integers, *assignment)) for assignment in opening.spec.domain_table}
    return labels.pop() if len(labels) == 1 else None
