"""What a prover's child process does: load opening and key once, and prove one decision after the other."""

from __future__ import annotations

import os
import resource
import signal
from contextlib import suppress
from dataclasses import dataclass, field
from functools import lru_cache
from multiprocessing import parent_process
from pathlib import Path
from threading import Thread
from typing import Literal

from equiproof.certify.branch import PrecisionError
from equiproof.certify.errors import CapacityError, SearchBudgetError
from equiproof.certify.models.ensembles.gaps import BetweenError
from equiproof.certify.traversal.search import Counterexample
from equiproof.circuits import field as elements
from equiproof.circuits.canonical import DocumentError, read_regular
from equiproof.ffi.errors import BackendError
from equiproof.prover.errors import KeyStoreError
from equiproof.prover.keys import KeyStore, StoredKey
from equiproof.prover.linking import OwnLink, standing
from equiproof.prover.opening import Opening, OpeningError, load_opening
from equiproof.prover.prove import Prover
from equiproof.prover.receipts import BETWEEN
from equiproof.service.decisions import Sealed
from equiproof.service.findings import CounterexampleDocument, sides_of
from equiproof.service.keys import links_beside
from equiproof.verifier import (
    AllOf,
    CertificateFormatError,
    ForContext,
    ForQuery,
    ForReceipt,
    TrustStore,
    VerificationError,
    Verifier,
)
from equiproof.verifier.certificate import parse_certificate
from equiproof.verifier.documents import parse_commitment
from equiproof.verifier.programs import Checker
from equiproof.verifier.trust import TrustedKey, TrustedLinkKey

Verdict = Literal["fair", "unfair", "undecided", "failed", "unready"]
"""`unready`: nothing was tried, since opening or key cannot be used; mended, the same decision can be proven."""

PROGRAMS: tuple[Checker, ...] = ("native", "python")
"""Both must verify a certificate before it is kept; they share no code."""

NICENESS = 19
"""How far provers stand back behind what answers requests: as far as there is."""

AUTOGROUP = Path("/proc/self/autogroup")
"""Where Linux has the priority of a session among the others, where it shares the time among sessions first."""


@dataclass(frozen=True)
class Order:
    """A decision to prove: where opening and keys are, and what was fixed when it was made.

    `first` is the file of a certificate of it that the log has an entry of, which is then the decision's. `decision` is
    its id, by which its prover is ended. `model`, `request` and `trace` are for numbers, lines and spans: its name, the
    id of the request that asked for the decision, and the name of that request's span.
    """

    opening: Path
    keys: Path
    max_seconds: float
    kept: Sealed = field(repr=False)
    first: Path | None = None
    model: str = ""
    request: str | None = None
    trace: str | None = None
    decision: str = ""


@dataclass(frozen=True)
class Outcome:
    """What became of it: the certificate of a fair decision, else why there is none.

    `reason` may be shown to the lender's programs; `detail` is for the worker's log, and neither holds personal data.
    """

    verdict: Verdict
    certificate: bytes = field(default=b"", repr=False)
    key_fingerprint: str = ""
    reason: str = ""
    detail: str = ""
    found: CounterexampleDocument | None = field(default=None, repr=False)


def begin(megabytes: int, *, stands_back: bool = True) -> None:
    """Make this process a prover's: behind others if wanted, of limited memory, and gone when its parent is."""
    # Ctrl-C and SIGTERM reach whole groups; the parent lets the proof end, and then ends its children.
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_IGN)
    if stands_back:
        _stand_back()
    # Memory that may be written: of addresses alone Go reserves far more than it uses.
    limit = megabytes * 10**6
    _, most = resource.getrlimit(resource.RLIMIT_DATA)
    resource.setrlimit(resource.RLIMIT_DATA, (limit if most < 0 else min(limit, most), most))
    Thread(target=_end_with_parent, daemon=True).start()


def _stand_back() -> None:
    """Leave the processors to all others: with a session of its own, since in the worker's it would have its share."""
    os.setsid()
    os.nice(NICENESS)
    if hasattr(os, "SCHED_IDLE"):
        os.sched_setscheduler(0, os.SCHED_IDLE, os.sched_param(0))
    with suppress(OSError):
        AUTOGROUP.write_text(f"{NICENESS}\n", encoding="ascii")


def _end_with_parent() -> None:
    """End this process when the worker ends, killed or not: nobody would read its proofs."""
    if (parent := parent_process()) is not None:
        parent.join()
        os._exit(1)


def prove(order: Order) -> Outcome:
    """Prove one decision; a key, an opening or a proof that is not usable is an outcome too."""
    try:
        prover = ready(order.opening, order.keys)
    except (KeyStoreError, OpeningError, BackendError, OSError) as error:
        return Outcome("unready", reason="waits: model or key of the service cannot be used", detail=str(error))
    if order.first is not None:
        return _known(prover.opening, order, order.first)
    try:
        return _proven(prover, order)
    except SearchBudgetError:
        return Outcome("undecided", reason=f"the search ended at {order.max_seconds:g} s with nothing proven")
    except CapacityError as error:
        # How many there are tells of the model, so that the worker's log alone has it.
        needed = f"it needs {error.needed} {error.words}, and the key has room for {error.capacity}"
        return Outcome("undecided", reason=f"this application needs more {error.words} than the key has", detail=needed)
    except PrecisionError:
        return Outcome("undecided", reason="the search ended where its numbers have no more digits")
    except BetweenError:
        return Outcome("undecided", reason=BETWEEN)
    except (VerificationError, CertificateFormatError) as error:
        return Outcome("failed", reason="the certificate does not hold and was not kept", detail=str(error))
    except (KeyStoreError, OpeningError, BackendError, OSError) as error:
        return Outcome("failed", reason="model or key of the service was of no use", detail=str(error))


def _proven(prover: Prover, order: Order) -> Outcome:
    """Prove one decision, and have both programs verify the certificate."""
    sealed = order.kept
    outcome = prover.prove(
        sealed.query.row(prover.opening.spec),
        sealed.context,
        blinding=elements.from_hex(sealed.query.blinding),
        max_seconds=order.max_seconds,
    )
    if isinstance(outcome, Counterexample):
        sides = sides_of(prover.opening, outcome.kind, list(zip(outcome.slices, outcome.labels, strict=True)))
        reason = "the model decides otherwise for a value of a sensitive feature"
        return Outcome("unfair", reason=reason, found=sides)
    certificate = outcome.certificate.to_bytes()
    verify(certificate, prover.opening, prover.key, prover.link, sealed)
    return Outcome("fair", certificate, prover.key.document.fingerprint)


def _known(opening: Opening, order: Order, path: Path) -> Outcome:
    """Have both programs verify a certificate that there is, under the key that it names."""
    try:
        certificate = read_regular(path)
        named = parse_certificate(certificate, str(path)).key.fingerprint
        key = next((one for one in KeyStore(order.keys).all() if one.document.fingerprint == named), None)
        if key is None:
            raise KeyStoreError(f"{order.keys}: copy the key {named[:16]}... there too: it is not in this folder")
        verify(certificate, opening, key, standing(opening, key, links_beside(order.opening)), order.kept)
    except (VerificationError, CertificateFormatError, DocumentError, KeyStoreError, BackendError, OSError) as error:
        detail = f"mend or remove {path}, then `equiproof service again`: {error}"
        return Outcome("failed", reason="the certificate that the log has an entry of is of no use", detail=detail)
    return Outcome("fair", certificate, named)


def verify(certificate: bytes, opening: Opening, key: StoredKey, own: OwnLink | None, sealed: Sealed) -> None:
    """Verify a certificate as its applicant will, by each program; raises VerificationError.

    `own` is the link of a kept key.
    """
    commitment = parse_commitment(opening.public(), "commitment")
    links = [] if own is None else [TrustedLinkKey(own.link_key.document, own.link_key.verifying)]
    trusted = TrustStore([TrustedKey(key.document, key.verifying)], links)
    link = None if own is None else own.document
    policy = AllOf(ForQuery(sealed.query), ForContext(sealed.context), ForReceipt(sealed.receipt))
    for program in PROGRAMS:
        Verifier(commitment, trusted, program, link=link).verify(certificate, policy)


@lru_cache(maxsize=4)
def ready(opening: Path, keys: Path) -> Prover:
    """Load opening and key, once for this process."""
    owned = load_opening(opening)
    links = links_beside(opening)
    return Prover(owned, KeyStore(keys).find_for(owned, links=links), links)
