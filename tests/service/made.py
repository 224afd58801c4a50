"""Certificates that no prover made: right in form and in what they state, with a proof of zeros."""

import hashlib

from equiproof.circuits import field as elements
from equiproof.circuits.canonical import canonical_bytes
from equiproof.circuits.proof_systems import DEFAULT_PROOF_SYSTEM, PROOF_BYTES
from equiproof.circuits.shape import shape_of
from equiproof.circuits.statement import Statement
from equiproof.prover.version import tools
from equiproof.service import attempts
from equiproof.service.decisions import advance, opened
from equiproof.service.states import State
from equiproof.service.store.tables import Certificate, Decision
from equiproof.service.trail import Channel, Who
from equiproof.verifier.certificate import KeyReference, make_certificate
from equiproof.verifier.documents import KEY, KEY_FILE, VERIFYING_FILE, KeyDocument
from tests.support import LOANS

OFFICER = Who(Channel.SESSION, "0" * 32)
"""Somebody who decides as a person."""

VERIFYING = b"no key that anything verifies under"

KEY_DOCUMENT = KeyDocument(
    *KEY,
    shape=shape_of("traversal", LOANS, (2,), 4),
    setup="single-party",
    proof_system=DEFAULT_PROOF_SYSTEM,
    system_digest="cd" * 32,
    constraints=1,
    verifying_key=hashlib.sha256(VERIFYING).hexdigest(),
    proving_key="ef" * 32,
    tools=tools(),
)


def key(folder):
    """Write a key's folder: right in form, with bytes that are no key."""
    folder.mkdir(parents=True)
    (folder / KEY_FILE).write_bytes(canonical_bytes(KEY_DOCUMENT))
    (folder / VERIFYING_FILE).write_bytes(VERIFYING)


def row(decision_id, *, label=0, receipt=None, radius=LOANS.max_radius_squared, spec=LOANS):
    """Return a certificate's row."""
    named = ("model_commitment", "query_commitment", "context_digest")
    parts = {name: elements.from_hex(getattr(receipt, name)) if receipt else 1 for name in named}
    statement = Statement(**parts, spec_digest=1, domain_digest=1, label=label, radius_squared=radius)
    named, system = KeyReference(KEY_DOCUMENT.fingerprint, KEY_DOCUMENT.setup), DEFAULT_PROOF_SYSTEM
    made = make_certificate(statement, spec, named, system, bytes(PROOF_BYTES[system]), tools(), None)
    return Certificate(
        decision_id=decision_id,
        body=made.to_bytes(),
        key_fingerprint=KEY_DOCUMENT.fingerprint,
        radius_squared=str(radius),
        made=1,
    )


def end(service, decision_id, state, reason="", spec=LOANS):
    """Bring a decision to a state through a prover's hands; a certified one gets its certificate."""
    with service.shared.database.transaction() as session:
        decision = session.get(Decision, decision_id)
        advance(session, decision, State.CERTIFYING, "", service.clock())
        if state == State.CERTIFIED:
            kept = opened(decision, service.shared.holders.vault)
            session.add(row(decision_id, label=decision.label, receipt=kept.receipt, spec=spec))
        advance(session, decision, state, reason, service.clock())


def begin(service, decision_id, worker="worker", forecast=12.5):
    """Have a worker's prover begin with a decision."""
    with service.shared.database.transaction() as session:
        advance(session, session.get(Decision, decision_id), State.CERTIFYING, "", service.clock())
        attempts.begun(session, decision_id, worker, forecast, service.clock())
