"""Pages about the service itself: queue and cost, models and keys."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Response
from sqlalchemy.orm import Session

from equiproof.circuits.schemes import counted, scheme_of
from equiproof.circuits.spec import Spec
from equiproof.service.console import words
from equiproof.service.console.guard import GRANTS, Permission, Visit, visiting
from equiproof.service.console.keys import keys_of
from equiproof.service.console.pages import page, zone_of
from equiproof.service.console.rows import BADGES, rows_of, spec_of
from equiproof.service.console.speech import say
from equiproof.service.recourses import used_by_model
from equiproof.service.settings import ConsoleSettings
from equiproof.service.states import State
from equiproof.service.store import overview, queries
from equiproof.service.store.overview import Filter, Speed
from equiproof.service.store.tables import Model
from equiproof.verifier.answer import KeyMaking
from equiproof.verifier.words import isolated, shown_name

HEARTBEAT_LIMIT = 60 * words.SECOND
"""A worker whose heartbeat is older has stopped."""

MAX_LISTED = 50
HOUR = 3600 * words.SECOND

router = APIRouter()

Read = Annotated[Visit, Depends(visiting(Permission.READ))]


@dataclass(frozen=True)
class Key:
    """A key of a model: `made` says by whom, `warns` what that leaves open."""

    fingerprint: str
    made: str
    warns: str
    room: str
    certificates: int


@dataclass(frozen=True)
class Shown:
    """A model: `sensitive` are the features with their values; `entry` is its place in the log.

    `ways` are those of recourse that were handed out, and how many may be; None where the settings allow none.
    """

    name: str
    commitment: str
    since: str
    retired: str
    entry: int | None
    labels: list[str]
    sensitive: list[str]
    decisions: int
    ways: tuple[int, int] | None
    keys: list[Key]


@router.get("/queue")
def queue(visit: Read) -> Response:
    """Show what waits, how fast certificates come, what they cost, and what needs somebody."""
    shared = visit.shared
    zone = zone_of(visit.shared)
    midnight, _ = zone.span(zone.at(visit.now).date())
    with shared.database.reading() as session:
        speed = overview.speed(session, midnight)
        stuck = overview.in_states(session, (State.FAILED, State.UNDECIDED), MAX_LISTED)
        oldest = queries.oldest_waiting(session)
        values: dict[str, Any] = {
            "waiting": queries.waiting(session),
            "silence": queries.without_certificate(session, visit.now, oldest),
            "proving": overview.count(session, Filter(state=State.CERTIFYING)),
            "workers": overview.workers(session, visit.now - HEARTBEAT_LIMIT).alive,
            "stuck": rows_of(session, shared.models, stuck, zone, visit.now),
        }
    settings = shared.settings
    return page(
        visit,
        "queue",
        about=BADGES,
        oldest=None if oldest is None else visit.now - oldest,
        alarm=settings.alarm_minutes * 60 * words.SECOND,
        largest=settings.limits.largest_queue,
        speed=speed,
        cost=_cost(speed, settings.console),
        **values,
    )


@router.get("/keys")
def keys(visit: Read) -> Response:
    """Show the models that decide or have decided, with their keys, and who may do what."""
    shared = visit.shared
    with shared.database.reading() as session:
        models = [_model(visit, session, row, decisions) for row, decisions in overview.models(session)]
    return page(visit, "keys", models=models, granted=GRANTS)


def _cost(speed: Speed, console: ConsoleSettings) -> str | None:
    """Return what a thousand certificates like those of today cost, at the price of the settings; rounded up."""
    if console.hour_price is None or not speed.count:
        return None
    thousand = Fraction(console.hour_price) * speed.proving * 1000 / HOUR / speed.count
    amount = Fraction(-(-thousand.numerator * 100 // thousand.denominator), 100)
    return f"{words.reader().number(amount)}{words.reader().unit(console.currency)}"


def _model(visit: Visit, session: Session, row: Model, decisions: int) -> Shown:
    """Return a model's lines; without its opening, those of the table."""
    zone = zone_of(visit.shared)
    spec = spec_of(session, visit.shared.models, row.id)
    numbers = overview.certificates_by_key(session, row.id)
    limits = visit.shared.settings.recourse
    keys = {
        key.fingerprint: Key(
            key.fingerprint,
            *_making(KeyMaking.of(key)),
            say(f"{{n}} {counted(scheme_of(key.shape.scheme))}", n=words.number(key.shape.capacity)),
            numbers.pop(key.fingerprint, 0),
        )
        for key in keys_of(row)
    }
    gone = [Key(fingerprint, say("no longer in its folder"), "", "", number) for fingerprint, number in numbers.items()]
    return Shown(
        row.name,
        row.commitment,
        zone.when(row.created),
        "" if row.retired is None else zone.when(row.retired),
        row.entry,
        [isolated(label) for label in spec.labels] if spec else [],
        _sensitive(spec) if spec else [],
        decisions,
        None if limits is None else (used_by_model(session, row.id), limits.model_ways),
        [*keys.values(), *gone],
    )


def _sensitive(spec: Spec) -> list[str]:
    """Return the sensitive features with their values."""
    return [
        f"{isolated(shown_name(spec, one))} ({', '.join(isolated(value) for value in one.domain[:MAX_LISTED])})"
        for one in spec.sensitive_features
    ]


def _making(by: KeyMaking) -> tuple[str, str]:
    """Return by whom a key was made, and what that leaves open."""
    if by.setup == "ceremony":
        return (
            say("ceremony, {n} parties", n=words.number(by.parties)),
            say("forged only if all parties of a phase worked together"),
        )
    if by.setup == "universal":
        return (
            say("computed from public data of others"),
            say("forged only if all who made those data worked together"),
        )
    return say("one party alone"), say("whoever ran the set-up could forge; every certificate says so")
