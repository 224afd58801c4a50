"""The page of the trail, and its lines as files, for auditors."""

from __future__ import annotations

import re
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import date
from typing import Annotated
from urllib.parse import urlencode

from fastapi import APIRouter, Depends, Query, Response

from equiproof.circuits.tables import LANGUAGES
from equiproof.service.console import officers, trail_words
from equiproof.service.console.guard import HOME, Permission, Post, Visit, posting, visiting
from equiproof.service.console.languages import language_of
from equiproof.service.console.pages import page, zone_of
from equiproof.service.console.refusals import missing
from equiproof.service.console.views.decision import attached
from equiproof.service.store.tables import TrailLine
from equiproof.service.trail import ADDRESS_DIGITS, Act, Channel, address_digests, note
from equiproof.service.trail_reading import Form, Wanted, listed, written

PAGE_SIZE = 50
KINDS = {Form.JSONL: "application/jsonl", Form.CSV: "text/csv; charset=utf-8"}

DIGEST = re.compile(f"[0-9a-f]{{{ADDRESS_DIGITS}}}")

router = APIRouter(prefix="/trail")

Reads = Annotated[Visit, Depends(visiting(Permission.TRAIL))]
Sent = Annotated[Post, Depends(posting(Permission.TRAIL))]
Text = Annotated[str, Query(max_length=128)]


@dataclass(frozen=True)
class Line:
    """A line as the page shows it; `decision` is the id of a decision that has a page, "" for another thing."""

    number: int
    when: str
    who: str
    by: str
    what: str
    about: str
    decision: str
    detail: str


@router.get("")
def trail(
    visit: Reads,
    officer: Text = "",
    act: Text = "",
    decision: Text = "",
    day: Text = "",
    address: Text = "",
    cursor: Text = "",
    language: Text = "",
) -> Response:
    """Show the newest lines, or those of an account, an act, a decision, a day or an address."""
    language = language_of(language)
    given = {"officer": officer, "act": act, "decision": decision.strip(), "day": day, "address": address.strip()}
    wanted = _wanted(visit, given)
    with visit.shared.database.reading() as session:
        rows, after = listed(session, wanted, cursor, PAGE_SIZE)
        accounts = officers.officers(session)
    names = {one.id: one.name for one in accounts}
    other = next(one for one in LANGUAGES if one != language)
    return page(
        visit,
        "trail",
        language=language,
        other=f"{HOME}trail?{urlencode(given | {'language': other})}",
        say=trail_words.texts(language),
        accounts=accounts,
        acts=[(one.value, trail_words.act(one.value, language)) for one in Act],
        given=given,
        lines=[_line(visit, row, names, language) for row in rows],
        following=f"{HOME}trail?{urlencode(given | {'language': language, 'cursor': after})}" if after else "",
        beginning=f"{HOME}trail?{urlencode(given | {'language': language})}" if cursor else "",
    )


@router.post("/{form}")
def export(form: str, sent: Sent) -> Response:
    """Return the lines that the page shows, on all of its pages, as a file; the trail has a line of this too."""
    if form not in list(Form):
        raise missing()
    visit = sent.visit
    wanted = _wanted(visit, sent.fields)
    with visit.shared.database.transaction() as session:
        note(session, Act.EXPORT, visit.who, visit.now, detail=f"form={form}")
        body = written(session, wanted, Form(form))
    return attached(body, KINDS[Form(form)], f"trail.{form}")


def _wanted(visit: Visit, given: Mapping[str, str]) -> Wanted:
    """Return which lines a form wants; what is no act and no day is as good as none."""
    act = given.get("act", "")
    since, until = None, None
    with suppress(ValueError, OverflowError):
        since, until = zone_of(visit.shared).span(max(date.fromisoformat(given.get("day", "")), date(1970, 1, 2)))
    return Wanted(
        actor=given.get("officer", ""),
        act=Act(act) if act in list(Act) else None,
        about=given.get("decision", ""),
        since=since,
        until=until,
        addresses=_digests(visit, given.get("address", "")),
    )


def _digests(visit: Visit, address: str) -> list[str] | None:
    """Return what lines may have of an address, or of the digest of one; of anything else, nothing."""
    if not address:
        return None
    if DIGEST.fullmatch(address):
        return [address]
    origin = visit.shared.origins.of(address, ())
    return address_digests(visit.shared.holders.vault, origin) if origin else []


def _line(visit: Visit, row: TrailLine, names: Mapping[str, str], language: str) -> Line:
    """Return a line in words; accounts are shown by the names that they have now."""
    about_decision = len(row.about) == 32 and row.about not in names and row.act != Act.MODEL
    return Line(
        row.number,
        zone_of(visit.shared).stamp(row.at, language),
        names.get(row.actor, row.actor) if row.channel == Channel.SESSION else row.actor,
        trail_words.channel(row.channel, language),
        trail_words.act(row.act, language),
        names.get(row.about, row.about),
        row.about if about_decision else "",
        "" if row.act == Act.SETTINGS else row.detail.replace(",", ", "),
    )
