"""Corrections as a decision's page shows them: what was asked for, both decisions, and what was put right."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import date

from sqlalchemy.orm import Session

from equiproof.service.console import words
from equiproof.service.console.applicants import differing
from equiproof.service.console.guard import Permission, Visit
from equiproof.service.console.pages import zone_of
from equiproof.service.console.rows import Row, rows_of
from equiproof.service.corrections import Record, changed, corrections
from equiproof.service.store import queries
from equiproof.service.store.tables import Correction, CorrectionRequest, Decision
from equiproof.service.trail import Channel
from equiproof.verifier.words import isolated


@dataclass(frozen=True)
class Said:
    """Who filed or closed a request, and when; `key` is the API key that says so, "" for an account of the console."""

    name: str
    when: str
    key: str


@dataclass(frozen=True)
class Corrected:
    """A request for correction, and what closed it: `second` and `closed` are None while it is open.

    `certified` says of each decision whether it has a certificate. `names` are the details that were put right; `lines`
    are these with their values before and after, for roles that may see them, and as long as neither was erased. `way`
    is the number of the shown way of recourse that they follow.
    """

    first: Row
    second: Row | None
    certified: tuple[bool, bool]
    asked: str
    request: str = field(repr=False)
    filed: Said
    closed: Said | None
    names: list[str]
    lines: list[tuple[str, str, str]] = field(repr=False)
    way: int | None = None


def corrected(session: Session, visit: Visit, decision: Decision) -> list[Corrected]:
    """Return the corrections of a decision: the one that led to it, and the one that followed or was asked for."""
    return [_shown(session, visit, one) for one in corrections(session, decision.id)]


def _shown(session: Session, visit: Visit, one: Record) -> Corrected:
    zone, row = zone_of(visit.shared), one.correction
    ids = [one.request.decision_id, *([] if row is None else [row.second_id])]
    decisions = [session.get_one(Decision, identifier) for identifier in ids]
    rows = rows_of(session, visit.shared.models, decisions, zone, visit.now)
    visible = row is not None and visit.may(Permission.DETAILS) and all(one.sealed is not None for one in decisions)
    has_certificate = [queries.certificate(session, identifier) is not None for identifier in ids]
    return Corrected(
        first=rows[0],
        second=None if row is None else rows[1],
        certified=(has_certificate[0], has_certificate[-1]),
        asked=words.day(date.fromisoformat(one.request.asked)),
        request=one.request.request,
        filed=_said(one.request, zone),
        closed=None if row is None else _said(row, zone),
        names=[] if row is None else [isolated(words.foreign(name)) for name in changed(row)],
        lines=differing(session, visit, decisions[1], decisions[0]) if visible else [],
        way=None if row is None else row.way,
    )


def _said(row: Correction | CorrectionRequest, zone: words.Zone) -> Said:
    return Said(row.name, zone.when(row.at), row.actor if row.channel == Channel.KEY else "")
