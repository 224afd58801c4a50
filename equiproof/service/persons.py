"""Decisions by person: how often one may apply, what the limit has refused, and whom an officer lets apply again.

Whoever applies with invented data again and again learns the model from the certificates
(docs/threats-to-secrets.md). The front end names a person by a pseudonym, a keyed hash whose key the service does not
have. It is kept sealed, and found by a digest under the vault's keys, so that the database alone names nobody.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass
from typing import Any, ClassVar

from sqlalchemy import Select, func, select, text
from sqlalchemy.orm import Session

from equiproof.circuits.exit_codes import MISUSED
from equiproof.service.links import DAY
from equiproof.service.overrides import MAX_NAME, MAX_REASON, checked
from equiproof.service.settings import PersonSettings
from equiproof.service.store.tables import Allowance, Decision, Person
from equiproof.service.vault import Vault

_LOCKS = text("select pg_advisory_xact_lock(hashtextextended(name, 1)) from unnest(cast(:names as text[])) name")


class PersonLimitError(ValueError):
    """A person who has had as many decisions as one may have; one line that names nobody."""

    exit_code: ClassVar[int] = MISUSED


class MissingPersonError(ValueError):
    """An application without a person, where there is a limit; one line."""

    exit_code: ClassVar[int] = MISUSED


class Persons:
    """The persons of one transaction's applications, with how many decisions each has had."""

    def __init__(
        self, session: Session, vault: Vault, limit: PersonSettings | None, pseudonyms: Collection[str], now: int
    ) -> None:
        """Count what the database has. Two transactions about one person wait for each other."""
        self._session, self._vault, self._limit = session, vault, limit
        self._digests = {one: _digests(vault, one) for one in pseudonyms}
        self._refused: Counter[str] = Counter()
        self._used: Counter[str] = Counter()
        if limit is None or not pseudonyms:
            return
        names = sorted(digest for digests in self._digests.values() for digest in digests)
        if session.get_bind().dialect.name != "sqlite":  # which lets one transaction write at a time
            session.connection().execute(_LOCKS, {"names": names})
        used = _used(session, names, now - limit.days * DAY)
        self._used.update({one: sum(used[it] for it in digests) for one, digests in self._digests.items()})

    def refuse(self, pseudonym: str | None) -> None:
        """Raise PersonLimitError for a person who may have no further decision, MissingPersonError for none."""
        if self._limit is None:
            return
        if pseudonym is None:
            raise MissingPersonError("person: it is missing; this service limits how often one person may apply")
        if self._used[pseudonym] >= self._limit.decisions:
            self._refused[pseudonym] += 1
            most = f"{self._limit.decisions} in {self._limit.days} days"
            raise PersonLimitError(f"person: has had as many decisions as one may, {most}; an officer can allow more")

    def row(self, pseudonym: str, decision: Decision) -> Person:
        """Count a decision, and return the row that says whose it is."""
        self._used[pseudonym] += 1
        sealed = self._vault.seal(pseudonym.encode(), about(decision.id))
        newest = self._digests[pseudonym][0]
        return Person(decision_id=decision.id, digest=newest, sealed=sealed, at=decision.received, refused=0)

    def keep_refused(self, now: int) -> int:
        """Write beside each person's last decision what was refused; return how many applications that were."""
        for pseudonym, number in self._refused.items():
            last = _by_digest(self._digests[pseudonym]).limit(1)
            if (row := self._session.scalars(last.with_for_update()).first()) is not None:
                row.refused += number
                row.refused_at = now
        self._session.flush()
        return self._refused.total()


@dataclass(frozen=True)
class Standing:
    """How a person stands: decisions of the settings' days less those that were allowed, and applications refused."""

    used: int
    refused: int
    refused_at: int | None


def standing_of(session: Session, person: Person, limit: PersonSettings | None, now: int) -> Standing:
    """Return how the person of a decision stands; without a limit, nothing is used."""
    used = 0 if limit is None else _used(session, [person.digest], now - limit.days * DAY)[person.digest]
    rows = list(session.scalars(_by_digest([person.digest]).where(Person.refused_at.is_not(None))))
    times = [row.refused_at for row in rows if row.refused_at is not None]
    return Standing(used, sum(row.refused for row in rows), max(times, default=None))


def others(session: Session, person: Person, most: int) -> list[Decision]:
    """Return the other decisions about the person of a decision, the newest first, and at most so many."""
    query = select(Decision).join(Person, Person.decision_id == Decision.id)
    query = query.where(Person.digest == person.digest, Person.decision_id != person.decision_id)
    return list(session.scalars(query.order_by(Decision.received.desc(), Decision.id.desc()).limit(most)))


def allow(session: Session, person: Person, reason: str, name: str, now: int) -> Allowance:
    """Let the person of a decision apply once more; raises OverrideError for a reason or a name that is none."""
    row = Allowance(
        decision_id=person.decision_id,
        reason=checked(reason, "reason", MAX_REASON),
        name=checked(name, "name", MAX_NAME),
        at=now,
    )
    session.add(row)
    session.flush()
    return row


def allowances(session: Session, person: Person) -> list[Allowance]:
    """Return what officers have allowed a person, the first one first."""
    query = select(Allowance).join(Person, Person.decision_id == Allowance.decision_id)
    return list(session.scalars(query.where(Person.digest == person.digest).order_by(Allowance.id)))


def refused_since(session: Session, since: int, most: int) -> tuple[int, list[Decision]]:
    """Return how many persons the limit has refused since a time, and the decision of each beside which that stands."""
    last = func.max(Person.refused_at).label("refused_at")
    each = select(Person.digest, last).where(Person.refused_at >= since).group_by(Person.digest).subquery()
    total = session.scalar(select(func.count()).select_from(each)) or 0
    query = select(Decision).join(Person, Person.decision_id == Decision.id)
    query = query.join(each, (each.c.digest == Person.digest) & (each.c.refused_at == Person.refused_at))
    return total, list(session.scalars(query.order_by(Person.refused_at.desc(), Decision.id).limit(most)))


def renew(row: Person, vault: Vault) -> None:
    """Take the digest of a person under the vault's newest key."""
    if row.sealed is not None:
        row.digest = _digests(vault, vault.open(row.sealed, about(row.decision_id)).decode())[0]


def digests_of(row: Person, vault: Vault) -> list[str]:
    """Return the digests of the person of a decision under each key of the vault; once erased, the one that is left."""
    if row.sealed is None:
        return [row.digest]
    return _digests(vault, vault.open(row.sealed, about(row.decision_id)).decode())


def about(decision_id: str) -> str:
    """Return what a person's box is about."""
    return f"{decision_id} person"


def _digests(vault: Vault, pseudonym: str) -> list[str]:
    """Return the digests of a pseudonym under each key of the vault, the newest first."""
    return vault.digests(b"person\n" + pseudonym.encode())


def _by_digest(digests: Collection[str]) -> Select[Any]:
    """Return the rows of a person, the newest first."""
    return select(Person).where(Person.digest.in_(digests)).order_by(Person.at.desc(), Person.decision_id)


def _used(session: Session, digests: Collection[str], since: int) -> Counter[str]:
    """Return by digest the decisions since a time, less those that officers have allowed since then."""
    of_those = select(Person.digest, func.count()).where(Person.digest.in_(digests)).group_by(Person.digest)
    made = session.execute(of_those.where(Person.at >= since))
    used = Counter({row[0]: row[1] for row in made})
    allowed = of_those.join(Allowance, Allowance.decision_id == Person.decision_id).where(Allowance.at >= since)
    used.subtract({row[0]: row[1] for row in session.execute(allowed)})
    return used
