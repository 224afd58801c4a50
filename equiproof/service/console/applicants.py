"""What an applicant gave, as people read it, and what the same person gave in other applications."""

from __future__ import annotations

from dataclasses import dataclass, field

from sqlalchemy.orm import Session

from equiproof.circuits.spec import Spec
from equiproof.service import persons
from equiproof.service.console import words
from equiproof.service.console.guard import Permission, Visit
from equiproof.service.console.pages import zone_of
from equiproof.service.console.rows import Row, rows_of
from equiproof.service.decisions import Sealed, opened
from equiproof.service.store.tables import Allowance, Decision, Person
from equiproof.verifier.bars import own_value
from equiproof.verifier.words import isolated, shown_name

MAX_OTHERS = 20
"""Of more applications of one person, the newest are shown."""


@dataclass(frozen=True)
class Other:
    """Another application of the same person: `lines` are the details that differ, with both values, there and here."""

    row: Row
    when: str
    lines: list[tuple[str, str, str]] = field(repr=False)


@dataclass(frozen=True)
class SamePerson:
    """What a decision's page shows of its person: `most` decisions in `days` days, None without a limit.

    `used` counts those that officers have allowed beyond as none; `refused` are applications that the limit refused,
    the last one at `refused_at`.
    """

    others: list[Other]
    most: int | None
    days: int
    used: int
    refused: int
    refused_at: str
    allowances: list[Allowance]
    may_allow: bool


def details_of(spec: Spec, sealed: Sealed) -> list[tuple[str, str]]:
    """Return the applicant's details as people read them."""
    values = sealed.query.features
    return [
        (isolated(shown_name(spec, feature)), own_value(feature, values.get(feature.name), words.reader()))
        for feature in spec.plain_features
    ]


def same_person(session: Session, visit: Visit, decision: Decision, visible: Sealed | None) -> SamePerson | None:
    """Return what is shown of the person of a decision, or None where it names nobody; `visible` are its details."""
    person = session.get(Person, decision.id)
    if person is None:
        return None
    shared = visit.shared
    limit = shared.settings.persons
    zone = zone_of(shared)
    standing = persons.standing_of(session, person, limit, visit.now)
    decisions = persons.others(session, person, MAX_OTHERS)
    rows = rows_of(session, shared.models, decisions, zone, visit.now)
    return SamePerson(
        others=[
            Other(row, zone.when(one.received), [] if visible is None else differing(session, visit, decision, one))
            for row, one in zip(rows, decisions, strict=True)
        ],
        most=None if limit is None else limit.decisions,
        days=0 if limit is None else limit.days,
        used=standing.used,
        refused=standing.refused,
        refused_at="" if standing.refused_at is None else zone.when(standing.refused_at),
        allowances=persons.allowances(session, person),
        may_allow=limit is not None and standing.used >= limit.decisions and visit.may(Permission.DECIDE),
    )


def differing(session: Session, visit: Visit, here: Decision, there: Decision) -> list[tuple[str, str, str]]:
    """Return the details that two decisions do not share, with the value of each, "" where its model takes none."""
    both = [_shown(session, visit, one) for one in (there, here)]
    names = dict.fromkeys(name for details in both for name in details)
    lines = [(name, *(details.get(name, "") for details in both)) for name in names]
    return [(name, first, second) for name, first, second in lines if first != second]


def _shown(session: Session, visit: Visit, decision: Decision) -> dict[str, str]:
    """Return a decision's details by name; none once they have been erased."""
    sealed = opened(decision, visit.shared.holders.vault)
    spec = visit.shared.models.of(session, decision.model_id).spec
    return {} if sealed is None else dict(details_of(spec, sealed))
