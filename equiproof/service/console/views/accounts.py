"""The accounts of the console, which admins open and close."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated

from fastapi import APIRouter, Depends, Path, Response
from fastapi.responses import RedirectResponse
from sqlalchemy.orm import Session

from equiproof.service.console import factors, officers
from equiproof.service.console.guard import HOME, Permission, Post, Visit, posting, visiting
from equiproof.service.console.officers import OfficerError, Role
from equiproof.service.console.pages import page
from equiproof.service.console.refusals import missing
from equiproof.service.console.speech import heard
from equiproof.service.store.tables import Officer
from equiproof.service.trail import Act, note

router = APIRouter(prefix="/officers")

Reads = Annotated[Visit, Depends(visiting(Permission.ACCOUNTS))]
Sent = Annotated[Post, Depends(posting(Permission.ACCOUNTS))]
Identifier = Annotated[str, Path(pattern="^[0-9a-f]{32}$")]


@router.get("")
def accounts(visit: Reads) -> Response:
    """List the accounts."""
    return _shown(visit)


@router.post("")
def add(sent: Sent) -> Response:
    """Open an account, and show its first password, once."""
    visit = sent.visit
    name = sent.fields.get("name", "").strip()
    password = officers.new_password()
    try:
        with visit.shared.database.transaction() as session:
            officer = officers.add_officer(session, name, _role(sent), password, visit.now)
            note(session, Act.ACCOUNT, visit.who, visit.now, about=officer.id, detail=f"role={officer.role}")
    except OfficerError as error:
        return _shown(visit, status=422, wrong=heard(str(error)))
    return _shown(visit, told=(name, password))


@router.post("/{officer_id}/password")
def new_password(officer_id: Identifier, sent: Sent) -> Response:
    """Give an account a fresh password, and show it, once; its sessions end."""
    visit = sent.visit
    password = officers.new_password()
    try:
        with visit.shared.database.transaction() as session:
            officer = _officer(session, officer_id)
            officers.set_password(session, officer, password)
            note(session, Act.ACCOUNT_PASSWORD, visit.who, visit.now, about=officer_id)
    except OfficerError as error:
        return _shown(visit, status=422, wrong=heard(str(error)))
    return _shown(visit, told=(officer.name, password))


@router.post("/{officer_id}/role")
def role(officer_id: Identifier, sent: Sent) -> Response:
    """Change what an account may do."""

    def change(session: Session, officer: Officer) -> None:
        officers.set_role(session, officer, _role(sent))

    return _changed(sent, officer_id, Act.ACCOUNT_ROLE, change)


@router.post("/{officer_id}/close")
def close(officer_id: Identifier, sent: Sent) -> Response:
    """Close an account; its sessions end."""

    def change(session: Session, officer: Officer) -> None:
        officers.disable(session, officer, sent.visit.now)

    return _changed(sent, officer_id, Act.ACCOUNT_CLOSED, change)


@router.post("/{officer_id}/open")
def open_again(officer_id: Identifier, sent: Sent) -> Response:
    """Open an account again."""
    return _changed(sent, officer_id, Act.ACCOUNT_OPENED, lambda _, officer: officers.enable(officer))


def _changed(sent: Post, officer_id: str, act: Act, change: Callable[[Session, Officer], None]) -> Response:
    """Make a change with its line of the trail, and show the accounts again."""
    visit = sent.visit
    try:
        with visit.shared.database.transaction() as session:
            officer = _officer(session, officer_id)
            change(session, officer)
            note(session, act, visit.who, visit.now, about=officer_id, detail=f"role={officer.role}")
    except OfficerError as error:
        return _shown(visit, status=422, wrong=heard(str(error)))
    return RedirectResponse(f"{HOME}officers", 303)


def _shown(visit: Visit, *, status: int = 200, wrong: str = "", told: tuple[str, str] | None = None) -> Response:
    with visit.shared.database.reading() as session:
        accounts = officers.officers(session)
        keys = None if visit.shared.settings.console.second_factor == "off" else factors.counts(session)
    return page(
        visit, "officers", status=status, officers=accounts, keys=keys, roles=list(Role), wrong=wrong, told=told
    )


def _role(sent: Post) -> Role:
    """Return the role that a form names; raises OfficerError."""
    name = sent.fields.get("role", "")
    if name not in list(Role):
        raise OfficerError("role: choose one")
    return Role(name)


def _officer(session: Session, officer_id: str) -> Officer:
    """Return an account; raises PageError."""
    officer = session.get(Officer, officer_id)
    if officer is None:
        raise missing()
    return officer
