"""What a prover's child process does for recourse: search, prove each box, and have two programs verify them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Literal

from equiproof.certify.people import BoxError
from equiproof.certify.recourse.search import NotRefusedError, Witness
from equiproof.circuits.allowed import Wish, wanted_label
from equiproof.circuits.assignments import values_of_row
from equiproof.circuits.canonical import canonical_bytes
from equiproof.circuits.spec import Spec
from equiproof.ffi.errors import BackendError
from equiproof.prover.box import BoxProver, NotDecidedError, RoomError
from equiproof.prover.errors import KeyStoreError
from equiproof.prover.keys import KeyStore, StoredKey
from equiproof.prover.opening import Opening, OpeningError, load_opening
from equiproof.prover.recourse import proven, recourse
from equiproof.service.decisions import Sealed
from equiproof.service.recourses import Found, ProvenBox, WitnessDocument
from equiproof.service.worker.child import PROGRAMS
from equiproof.verifier import CertificateFormatError, ForContext, TrustStore, VerificationError
from equiproof.verifier.certificate import parse_certificate
from equiproof.verifier.documents import parse_commitment
from equiproof.verifier.pair import Refusal
from equiproof.verifier.trust import TrustedKey
from equiproof.verifier.verify_box import BoxVerifier
from equiproof.verifier.wishes import WISHES, WishesDocument


@dataclass(frozen=True)
class RecourseOrder:
    """A search: where opening and keys are, the decision with its certificate, the wishes, and how many ways to prove.

    With no ways to prove a none is proven all the same. `trace` names the span of the decision's request, `model` the
    model for whoever watches.
    """

    opening: Path
    keys: Path
    max_seconds: float
    kept: Sealed = field(repr=False)
    certificate: bytes = field(repr=False)
    wishes: Mapping[str, Wish] = field(repr=False)
    most: int
    trace: str | None = None
    decision: str = ""
    model: str = ""


@dataclass(frozen=True)
class Looked:
    """What became of a search; `reason` may be shown to the lender's programs, `detail` is for the worker's log."""

    verdict: Literal["found", "failed", "unready"]
    found: Found | None = field(default=None, repr=False)
    reason: str = ""
    detail: str = ""


def look(order: RecourseOrder) -> Looked:
    """Search one decision's recourse; a key, an opening or a proof that is not usable is an outcome too."""
    try:
        opening, key = ready(order.opening, order.keys)
    except (KeyStoreError, OpeningError, BackendError, OSError) as error:
        return Looked("unready", reason="waits: model or key of boxes cannot be used", detail=str(error))
    try:
        return Looked("found", _found(opening, key, order))
    except (NotRefusedError, NotDecidedError, RoomError, BoxError) as error:
        return Looked("failed", reason="what was found has no proof", detail=type(error).__name__)
    except (VerificationError, CertificateFormatError) as error:
        return Looked("failed", reason="a box certificate does not hold and was not kept", detail=str(error))
    except (KeyStoreError, BackendError, OSError) as error:
        return Looked("failed", reason="model or key of boxes was of no use", detail=str(error))


def _found(opening: Opening, key: StoredKey, order: RecourseOrder) -> Found:
    """Search, and prove what is found for the context of the decision, so that it fits the decision's certificate."""
    spec, sealed = opening.spec, order.kept
    row = sealed.query.row(spec)
    found = recourse(opening, row, wishes=order.wishes, key=key, most=order.most, seconds=order.max_seconds)
    wanted = spec.labels[wanted_label(spec)]
    boxes = []
    with BoxProver(opening, key) as prover:
        for number, made in enumerate(proven(prover, found, wanted, sealed.context)):
            changed = found.ways[number].changed if found.ways else ()
            box = ProvenBox(made.identity, made.certificate.to_bytes(), canonical_bytes(made.opened), changed)
            label = wanted if found.ways else spec.labels[found.refused]
            verify(box, opening, key, order, label, within=found.within)
            boxes.append(box)
    witness = None if found.witness is None else _document(spec, found.witness)
    return Found(found.outcome, tuple(boxes), witness, found.why or "", found.within)


def _document(spec: Spec, witness: Witness) -> WitnessDocument:
    """Return a witness in raw values, with the sensitive values on both sides."""
    changed = {name: witness.values[name] for name in witness.changed}
    return WitnessDocument(changed, values_of_row(spec, witness.granted), values_of_row(spec, witness.refused))


def verify(
    box: ProvenBox, opening: Opening, key: StoredKey, order: RecourseOrder, label: str, *, within: int | None = None
) -> None:
    """Verify a box certificate as its holder will, with the decision's certificate, by each program.

    `within` is the part that a none is of. Raises VerificationError.
    """
    commitment = parse_commitment(opening.public(), "commitment")
    trusted = TrustStore([TrustedKey(key.document, key.verifying)])
    wishes = WishesDocument(*WISHES, wishes=dict(order.wishes))
    refusal = Refusal(parse_certificate(order.certificate, "refusal"), order.kept.query, wishes, within)
    for program in PROGRAMS:
        verifier = BoxVerifier(commitment, trusted, program)
        policy = ForContext(order.kept.context)
        verifier.verify(box.certificate, policy, opened=box.box, label=label, refusal=refusal)


@lru_cache(maxsize=4)
def ready(opening: Path, keys: Path) -> tuple[Opening, StoredKey]:
    """Load an opening, and find its key of boxes, once for this process."""
    owned = load_opening(opening)
    return owned, KeyStore(keys).find_box(owned)
