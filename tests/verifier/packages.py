"""Evidence packages about the published certificate, with a log and witnesses in memory."""

from __future__ import annotations

from datetime import UTC, datetime
from functools import cache
from typing import Any

from equiproof.circuits.canonical import canonical_bytes
from equiproof.verifier import MinRadius, parse_bundle
from equiproof.verifier.bundle import Bundle
from equiproof.verifier.entries import certificate_entry
from equiproof.verifier.listed import digest
from equiproof.verifier.logged import LogPins
from equiproof.verifier.package import Package
from equiproof.verifier.package_check import Reader
from equiproof.verifier.package_reports import report_of
from equiproof.verifier.receipt import Receipt
from equiproof.verifier.report import parse_report
from tests.support import changed
from tests.vectors.generate.log import AT, RECEIPTS, RECEIVED, REGISTER
from tests.vectors.vector import CONTEXT, QUERY, bundle_base, certificate_base
from tests.verifier.logs import ANNA, BEN, CARL, LOG, Log

POLICY = b'{"format":"equiproof-policy","requires":{"context":{},"min_radius":"0.1","query":true},"version":2}'
LETTER, CARD = b"<!doctype html>", b"# Model card"
WITNESSES = (ANNA.verifier, BEN.verifier, CARL.verifier)


def at(day: str) -> int:
    """Return noon of a day, in POSIX seconds."""
    return int(datetime.fromisoformat(f"{day}T12:00:00").replace(tzinfo=UTC).timestamp())


MADE = at("2026-03-04")
SEEN = ((ANNA, MADE), (BEN, MADE + 60))
LATER = at("2036-03-04")
PINS = LogPins(LOG.verifier, WITNESSES, 2)


def own_bundle(receipt: Receipt | None = RECEIVED, **parts: bytes | None) -> bytes:
    """Return the applicant's own bundle with receipt and log proofs; `parts` replace others."""
    files = certificate_base("loans")
    found = vars(parse_bundle(bundle_base("loans"), "bundle")) | {
        "query": files[QUERY],
        "context": files[CONTEXT],
        "log_proof": REGISTER.proof(AT, SEEN).data,
        "receipt": None if receipt is None else canonical_bytes(receipt),
        "receipt_proof": REGISTER.proof(RECEIPTS, SEEN).data if receipt == RECEIVED else None,
    }
    return Bundle(**(found | parts)).to_bytes()


def certificate_proof(cosigners: Any = SEEN, certificate: bytes | None = None) -> bytes:
    """Return the log proof of the certificate's entry, or of another one's."""
    entry = certificate_entry(certificate or certificate_base("loans")["certificate.json"])
    return Log([*REGISTER.entries, entry.data]).proof(len(REGISTER.entries), cosigners).data


def package(**parts: Any) -> Package:
    """Return a package as a service makes it, with parts replaced."""
    bundle = parts.pop("bundle", None) or own_bundle()
    policy = parts.get("policy", POLICY)
    found = {
        "decision": "7f3a",
        "made": "2026-03-04T12:10:00Z",
        "keep_until": "2028-04-18",
        "policy": policy,
        "letters": (("en", digest(LETTER)),),
        "model_card": digest(CARD),
        "native_report": None,
        "python_report": None,
        "certificate_proof": certificate_proof(),
    }
    return Package(bundle=bundle, **(found | parts))


def reader(now: int = LATER, **fields: Any) -> Reader:
    """Return who reads it, with a log and witnesses pinned."""
    return Reader(MinRadius("0"), now, **({"pins": PINS} | fields))


@cache
def _said(checker: Any) -> bytes:
    """Return the report that a program made then."""
    return report_of(own_bundle(), POLICY, checker, MADE)


def reported(checker: Any = "python", **fields: Any) -> bytes:
    """Return a report as it was made then, with fields changed."""
    made = _said(checker)
    return canonical_bytes(changed(parse_report(made, "report"), **fields)) if fields else made
