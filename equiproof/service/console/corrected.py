"""Corrections as a decision's page shows them: both decisions, and what was put right."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import date

from sqlalchemy.orm import Session

from equiproof.service.console import words
from equiproof.service.console.applicants import differing
from equiproof.service.console.guard import Permission, Visit
from equiproof.service.console.pages import zone_of
from equiproof.service.console.rows import Row, rows_of
from equiproof.service.corrections import changed, corrections
from equiproof.service.store import queries
from equiproof.service.store.tables import Correction, Decision
from equiproof.verifier.words import isolated


@dataclass(frozen=True)
class Corrected:
    """A pair of decisions: `certified` says of each whether it has a certificate.

    `names` are the details that were put right; `lines` are these with their values before and after, for roles that
    may see them, and as long as neither was erased.
    """

    first: Row
    second: Row
    certified: tuple[bool, bool]
    asked: str
    request: str = field(repr=False)
    name: str
    when: str
    names: list[str]
    lines: list[tuple[str, str, str]] = field(repr=False)


def corrected(session: Session, visit: Visit, decision: Decision) -> list[Corrected]:
    """Return the corrections of a decision: the one that led to it, and the one that followed."""
    return [_shown(session, visit, row) for row in corrections(session, decision.id)]


def _shown(session: Session, visit: Visit, row: Correction) -> Corrected:
    zone = zone_of(visit.shared)
    both = session.get_one(Decision, row.decision_id), session.get_one(Decision, row.second_id)
    first, second = rows_of(session, visit.shared.models, both, zone, visit.now)
    visible = visit.may(Permission.DETAILS) and all(one.sealed is not None for one in both)
    has_certificate = [queries.certificate(session, one.id) is not None for one in both]
    return Corrected(
        first=first,
        second=second,
        certified=(has_certificate[0], has_certificate[1]),
        asked=words.day(date.fromisoformat(row.asked)),
        request=row.request,
        name=row.name,
        when=zone.when(row.at),
        names=[isolated(words.foreign(name)) for name in changed(row)],
        lines=differing(session, visit, both[1], both[0]) if visible else [],
    )
