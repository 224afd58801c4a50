"""Who uses the console: names, roles, and digests of passwords by Argon2id.

Passwords are compared in Unicode's form NFKC, as NIST SP 800-63B asks. A name that nobody has costs as long as one that
somebody has, so that times tell no names.
"""

from __future__ import annotations

import secrets
import unicodedata
from enum import StrEnum
from threading import BoundedSemaphore
from typing import ClassVar

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError
from sqlalchemy import func, select
from sqlalchemy.orm import Session

from equiproof.circuits.exit_codes import MISUSED
from equiproof.circuits.names import complaint, escaped
from equiproof.service.store.tables import KeyStep, Login, Officer

MIN_PASSWORD = 12
MAX_PASSWORD = 128
MAX_NAME = 64
_GROUPS = 5
_GROUP = 4
_ALPHABET = "abcdefghjkmnpqrstuvwxyz23456789"
"""Without signs that are taken for one another; 20 of them have 99 bits."""

_HASHING_TURNS = BoundedSemaphore(2)
"""Each computation takes 64 MiB: more requests than these wait for their turn."""

_hasher = PasswordHasher()
_nobody = _hasher.hash(secrets.token_hex(16))


class Role(StrEnum):
    """What an officer may do; guard.py has the permissions."""

    OFFICER = "officer"
    AUDITOR = "auditor"
    ADMIN = "admin"


class OfficerError(ValueError):
    """An account that cannot be made or changed; one line."""

    exit_code: ClassVar[int] = MISUSED


def new_password() -> str:
    """Return a fresh password, to be shown once."""
    return "-".join("".join(secrets.choice(_ALPHABET) for _ in range(_GROUP)) for _ in range(_GROUPS))


def add_officer(session: Session, name: str, role: Role, password: str, now: int) -> Officer:
    """Write an account; raises OfficerError for a name that is taken or unreadable, and for a weak password."""
    _refuse_name(session, name)
    digest = _digest(name, password)
    officer = Officer(id=secrets.token_hex(16), name=name, password=digest, role=Role(role).value, created=now)
    session.add(officer)
    session.flush()
    return officer


def joined(session: Session, issuer: str, subject: str, name: str, role: Role, now: int) -> Officer:
    """Return the account of a provider's subject, with the role and name of now; a new one for a new subject.

    No account is found by its name: one of somebody else's would be taken over. Raises OfficerError for a name that
    another account has, or that cannot be read.
    """
    officer = session.scalars(select(Officer).where(Officer.issuer == issuer, Officer.subject == subject)).first()
    _refuse_name(session, name, officer)
    if officer is not None:
        officer.name, officer.role = name, role.value
        return officer
    officer = Officer(id=secrets.token_hex(16), name=name, password="", role=role.value, created=now)
    officer.issuer, officer.subject = issuer, subject
    session.add(officer)
    session.flush()
    return officer


def set_password(session: Session, officer: Officer, password: str) -> None:
    """Give an account another password, and end its sessions; raises OfficerError for a weak one, and a provider's."""
    if officer.issuer is not None:
        raise OfficerError(f"{officer.name} signs in by the provider, and has no password here")
    officer.password = _digest(officer.name, password)
    end_sessions(session, officer)


def set_role(session: Session, officer: Officer, role: Role) -> None:
    """Change what an account may do, from its next request on.

    Raises OfficerError for the last admin, and for an account of a provider, whose role is told at each sign-in.
    """
    if officer.issuer is not None:
        raise OfficerError(f"{officer.name} has the role that the provider says: change it there")
    if role != Role.ADMIN:
        _refuse_last(session, officer)
    officer.role = role.value


def disable(session: Session, officer: Officer, now: int) -> None:
    """Close an account and end its sessions; raises OfficerError for the last admin."""
    _refuse_last(session, officer)
    officer.disabled = officer.disabled or now
    end_sessions(session, officer)


def enable(officer: Officer) -> None:
    """Open an account again."""
    officer.disabled = None


def end_sessions(session: Session, officer: Officer) -> None:
    """End the sessions of an account, and the sign-ins that wait for a key of it."""
    for table in (Login, KeyStep):
        for row in session.scalars(select(table).where(table.officer_id == officer.id)):
            session.delete(row)


def officers(session: Session) -> list[Officer]:
    """Return all accounts by name."""
    return list(session.scalars(select(Officer).order_by(Officer.name)))


def named(session: Session, name: str) -> Officer | None:
    """Return the account of a name, whatever its capitals."""
    return session.scalars(select(Officer).where(func.lower(Officer.name) == name.lower())).first()


def opens(officer: Officer | None, password: str) -> bool:
    """Return whether a password is that of an open account; takes as long without an account.

    Call it outside of transactions: it computes for a long time, and on SQLite others would wait.
    """
    digest = _nobody if officer is None or officer.issuer is not None else officer.password
    with _HASHING_TURNS:
        try:
            _hasher.verify(digest, _normal(password))
        except (VerificationError, InvalidHashError):
            return False
    return officer is not None and officer.issuer is None and officer.disabled is None


def _digest(name: str, password: str) -> str:
    """Return the digest of a new password; raises OfficerError for a weak one."""
    plain = _normal(password)
    if not MIN_PASSWORD <= len(plain) <= MAX_PASSWORD:
        raise OfficerError(f"password: want {MIN_PASSWORD} to {MAX_PASSWORD} characters")
    if len(set(plain)) < MIN_PASSWORD // 2 or name.lower() in plain.lower():
        raise OfficerError("password: too easy to guess: it repeats itself, or holds the name")
    with _HASHING_TURNS:
        return _hasher.hash(plain)


def _normal(password: str) -> str:
    return unicodedata.normalize("NFKC", password)


def _refuse_name(session: Session, name: str, whose: Officer | None = None) -> None:
    """Raise OfficerError for a name that is unreadable, too long, or that of another account than `whose`."""
    if wrong := complaint(name[: MAX_NAME + 1]):
        raise OfficerError(f"name '{escaped(name[:MAX_NAME])}' {wrong.message}")
    if len(name) > MAX_NAME:
        raise OfficerError(f"name: want at most {MAX_NAME} characters")
    if named(session, name) not in (None, whose):
        raise OfficerError(f"name '{name}': an account has it already")


def _refuse_last(session: Session, officer: Officer) -> None:
    """Raise OfficerError where nobody could open accounts without this one, should the provider be away."""
    if officer.issuer is not None:
        return
    admins = select(func.count()).where(
        Officer.role == Role.ADMIN.value,
        Officer.disabled.is_(None),
        Officer.issuer.is_(None),
        Officer.id != officer.id,
    )
    if officer.role == Role.ADMIN and officer.disabled is None and not session.scalar(admins):
        raise OfficerError(f"{officer.name} is the last admin: make another one first")
