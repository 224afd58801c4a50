"""The first page: what waits for a person, and the decisions of a day."""

from __future__ import annotations

from datetime import date
from typing import Annotated, Any
from urllib.parse import urlencode

from fastapi import APIRouter, Depends, Query, Response

from equiproof.service import persons
from equiproof.service.console import words
from equiproof.service.console.guard import HOME, Permission, Visit, visiting
from equiproof.service.console.pages import page, zone_of
from equiproof.service.console.rows import BADGES, rows_of
from equiproof.service.corrections import open_requests
from equiproof.service.recourses import open_reviews
from equiproof.service.states import State
from equiproof.service.store import overview
from equiproof.service.store.overview import Filter

PAGE_SIZE = 50
MAX_WAITING = 100

router = APIRouter()

Read = Annotated[Visit, Depends(visiting(Permission.READ))]
Text = Annotated[str, Query(max_length=128)]


@router.get("/")
def today(visit: Read, q: Text = "", state: Text = "", day: Text = "", cursor: Text = "") -> Response:
    """Show what waits, whatever its day, and the decisions of a day; words in the reference look in all days."""
    shared = visit.shared
    zone = zone_of(visit.shared)
    present = zone.at(visit.now).date()
    date = _day(day, present)
    since, until = zone.span(date)
    q = q.strip()
    only = State(state) if state in list(State) else None
    scope = Filter(reference=q) if q else Filter(since, until)
    others = Filter(scope.since, scope.until, only, q, waiting_too=bool(q or only == State.REVIEW))
    with shared.database.reading() as session:
        waiting, waits = overview.for_a_person(session, MAX_WAITING)
        asked, corrected = open_requests(session, MAX_WAITING)
        unfair, depending = open_reviews(session, MAX_WAITING)
        limited, last_ones = persons.refused_since(session, zone.span(present)[0], MAX_WAITING)
        decisions, after = overview.listed(session, others, cursor, PAGE_SIZE)
        values: dict[str, Any] = {
            "counts": overview.counts(session, Filter(since, until)),
            "total": overview.count(session, Filter(since, until)),
            "waiting": waiting,
            "waits": rows_of(session, shared.models, waits, zone, visit.now),
            "asked": asked,
            "corrected": rows_of(session, shared.models, corrected, zone, visit.now),
            "unfair": unfair,
            "depending": rows_of(session, shared.models, depending, zone, visit.now),
            "limited": limited,
            "limits": rows_of(session, shared.models, last_ones, zone, visit.now),
            "rows": rows_of(session, shared.models, decisions, zone, visit.now),
            "others": overview.count(session, others),
        }
    following = urlencode({"q": q, "state": only or "", "day": date, "cursor": after or ""})
    return page(
        visit,
        "today",
        heading=words.weekday(date),
        is_today=date == present,
        about=BADGES,
        query=q,
        state=only,
        day=date.isoformat(),
        following=f"{HOME}?{following}" if after else "",
        further=bool(cursor),
        **values,
    )


def _day(text: str, present: date) -> date:
    """Return the day of a form, the present one for what is none, or lies ahead."""
    try:
        return min(max(date.fromisoformat(text), date(1970, 1, 2)), present)
    except ValueError:
        return present
