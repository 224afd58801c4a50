"""A log with entries about a box certificate, of its kind and of others, as witnesses saw it."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Any

from equiproof.verifier.entries import ENTRY, CommitmentEntry, box_entry, certificate_entry
from equiproof.verifier.notes import Signer
from tests.verifier.logs import ANNA, BEN, CARL, LOG, NOON, Log

SEEN = ((ANNA, NOON - 7200), (BEN, NOON - 60))
PINS: dict[str, Any] = {
    "key": LOG.verifier.text,
    "witnesses": [one.verifier.text for one in (ANNA, BEN, CARL)],
    "least": 2,
    "smallest_tree": 1,
    "max_days": None,
    "owner": None,
}
SINCE = "2026-03-04T11:59:00Z"
"""By when two of SEEN had seen it."""


def proofs(certificate: bytes, commitment: bytes, seen: Sequence[tuple[Signer, int]] = SEEN) -> dict[str, bytes]:
    """Return log proofs by what they are of: `box` is of the certificate's entry, `commitment` of the model's.

    The others are entries of other kinds with the same digest, and of another box certificate.
    """
    digest = hashlib.sha256(commitment).hexdigest()
    entries = {
        "commitment": CommitmentEntry(*ENTRY, "commitment", "Example Bank", digest, "2026-03-01"),
        "box": box_entry(certificate),
        "as a certificate": certificate_entry(certificate),
        "another box": box_entry(certificate + b"\n"),
        "the commitment as a box": box_entry(commitment),
    }
    log = Log([entry.data for entry in entries.values()])
    return {name: log.proof(place, seen).data for place, name in enumerate(entries)}
