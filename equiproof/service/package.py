"""The evidence package of a certified decision: everything that shows it later, offline, in one file.

What two programs say of the certificate is asked of a process of its own: the one that answers requests loads neither
the Go library nor checks proofs.
"""

from __future__ import annotations

import subprocess
import sys
from datetime import UTC, datetime, timedelta
from typing import Any, ClassVar

from sqlalchemy import select
from sqlalchemy.orm import Session

from equiproof.circuits.canonical import canonical_bytes
from equiproof.circuits.exit_codes import MISUSED
from equiproof.prover.receipts import GUARDRAIL
from equiproof.service.bundled import bundle_of, link_proof_of
from equiproof.service.corrections import Record, changed, corrections
from equiproof.service.decisions import MICROSECONDS, opened
from equiproof.service.leaving import Left
from equiproof.service.models import CommittedModel
from equiproof.service.recourses import released_of
from equiproof.service.settings import PolicySettings, Settings
from equiproof.service.store.tables import Correction, Decision, Letter, RecourseLetter
from equiproof.service.vault import Vault
from equiproof.verifier.logged import shown_time
from equiproof.verifier.package import Package, PackagedCorrection, parse_package
from equiproof.verifier.policy_file import POLICY
from equiproof.verifier.report import parse_report

REPORT_SECONDS = 60


class EvidenceError(ValueError):
    """A decision about which there is no package; one line that says why."""

    exit_code: ClassVar[int] = MISUSED


class RefusedEvidenceError(EvidenceError):
    """A certificate that is kept and does not verify: a package about it would show the opposite."""


def evidence(session: Session, model: CommittedModel, view: Left, vault: Vault, settings: Settings, now: int) -> bytes:
    """Return the package's file of a decision, as it has left; `now` is in microseconds since 1970.

    Its bundle has the applicant's recourse, once the letter about it was released. The log proof of a kept key's link
    is the one beside the link.

    Raises EvidenceError without a certificate, once the data have been erased, and where no program could check it;
    RefusedEvidenceError where one refuses the certificate, or says that it misses the service's policy.
    """
    decision = view.decision
    certificate = view.certificate(session)
    sealed = opened(decision, vault)
    if certificate is None:
        raise EvidenceError("no certificate, so no package")
    if sealed is None:
        raise EvidenceError("the applicant's data have been erased")
    letters = session.scalars(select(Letter).where(Letter.decision_id == decision.id).order_by(Letter.language))
    released = released_of(session, decision, model.spec, vault, settings.policy, now)
    of_recourse = session.scalars(select(RecourseLetter).where(RecourseLetter.decision_id == decision.id))
    until = datetime.fromtimestamp(decision.received // MICROSECONDS, UTC)
    package = Package(
        decision=decision.id,
        made=shown_time(now // MICROSECONDS),
        keep_until=(until + timedelta(days=settings.retention.applicant_days)).date().isoformat(),
        letters=(
            *((letter.language, letter.digest) for letter in letters),
            *((f"recourse-{letter.language}", letter.digest) for letter in of_recourse),
        ),
        bundle=bundle_of(session, model, decision, certificate, sealed, released).to_bytes(),
        policy=policy_file(settings.policy, sealed.context.get(GUARDRAIL)),
        certificate_proof=certificate.proof,
        link_proof=link_proof_of(session, model, certificate),
        corrections=tuple(
            _correction(session, decision, one, closed)
            for one in corrections(session, decision.id)
            if (closed := one.correction) is not None
        ),
    )
    whole = _reported(package.to_bytes())
    _refuse_refused(parse_package(whole, "package"), decision)
    return whole


def _correction(session: Session, decision: Decision, one: Record, row: Correction) -> PackagedCorrection:
    """Return a record that is closed as the package of one of its decisions has it."""
    is_first = row.decision_id == decision.id
    other = session.get_one(Decision, row.second_id if is_first else row.decision_id)
    return PackagedCorrection(
        place="first" if is_first else "second",
        other=other.id,
        other_receipt=other.receipt,
        asked=one.request.asked,
        request=one.request.request,
        changed=tuple(changed(row)),
        name=row.name,
        recorded=shown_time(row.at // MICROSECONDS),
    )


def policy_file(policy: PolicySettings, guardrail: str | None = None) -> bytes:
    """Return what the service requires of every certificate, as a policy file.

    `guardrail` is the digest of the one that the decision was made behind, which the context must name.
    """
    requires: dict[str, Any] = {"query": True, "context": {} if guardrail is None else {"has": {GUARDRAIL: guardrail}}}
    if policy.min_radius is not None:
        requires["min_radius"] = policy.min_radius
    return canonical_bytes({"format": POLICY[0], "version": POLICY[1], "requires": requires})


def _reported(package: bytes) -> bytes:
    """Return a package with the reports of both programs; raises EvidenceError where they could not be made."""
    words = [sys.executable, "-m", "equiproof.verifier.package_reports"]
    try:
        done = subprocess.run(words, input=package, capture_output=True, timeout=REPORT_SECONDS, check=False)  # noqa: S603 -- words of ours
    except (OSError, subprocess.TimeoutExpired):
        raise EvidenceError("the programs that check certificates did not answer") from None
    if done.returncode:
        raise EvidenceError("the programs that check certificates failed")
    return done.stdout


def _refuse_refused(package: Package, decision: Decision) -> None:
    """Raise RefusedEvidenceError where a report of the package refuses its certificate."""
    for data in (package.native_report, package.python_report):
        if data is None:
            continue
        report = parse_report(data, "report")
        if report.verdict == "refused":
            raise RefusedEvidenceError(
                f"the {report.checker} verifier refuses the certificate that is kept ({report.reason}); "
                f"the decision stays {decision.state}"
            )
