"""The trail: who did what and when, one line after the other, each chained to the one before.

A line is written in the transaction of its act, so that neither stays without the other; what is only shown, and what
changes a file, is done once its line is written. Lines hold identifiers: of accounts, keys, decisions and models, of an
address its digest under the vault's key, and no name or word of an applicant. The database refuses to change or delete
a line, and :mod:`equiproof.service.trail_check` notices where that was done all the same.
"""

from __future__ import annotations

import hashlib
import os
from dataclasses import dataclass
from enum import StrEnum

from sqlalchemy import delete, func, select, text
from sqlalchemy.orm import Session

from equiproof.circuits.canonical import canonical_bytes
from equiproof.service.settings import Settings
from equiproof.service.store.tables import TrailLine
from equiproof.service.vault import Vault

TAG = b"equiproof.trail\x00"
BEGINNING = "0" * 64
"""What stands for the line before the first one."""

DAY = 24 * 3600 * 1_000_000
ADDRESS_DIGITS = 32

_LOCK = text("select pg_advisory_xact_lock(1163150665)")
"""On PostgreSQL one transaction writes lines at a time; SQLite has one writer as it is."""


class Act(StrEnum):
    """What was done; the page of the trail has words for each."""

    SIGN_IN = "sign-in"
    SIGN_IN_FAILED = "sign-in-failed"
    SIGN_OUT = "sign-out"
    PASSWORD = "password"  # noqa: S105 -- an act
    DETAILS = "details"
    LETTER = "letter"
    PACKAGE = "package"
    BUNDLE = "bundle"
    RECEIPT = "receipt"
    OVERRIDE = "override"
    ALLOWANCE = "allowance"
    AGAIN = "again"
    CANCEL = "cancel"
    CORRECTION_REQUEST = "correction-request"
    CORRECTION = "correction"
    RECOURSE = "recourse"
    RECOURSE_READ = "recourse-read"
    RECOURSE_BOX = "recourse-box"
    RECOURSE_LETTER = "recourse-letter"
    RECOURSE_RELEASED = "recourse-released"
    RECOURSE_ANSWER = "recourse-answer"
    LINK = "link"
    LINKS_REVOKED = "links-revoked"
    ACCOUNT = "account"
    ACCOUNT_PASSWORD = "account-password"  # noqa: S105 -- an act
    ACCOUNT_ROLE = "account-role"
    ACCOUNT_CLOSED = "account-closed"
    ACCOUNT_OPENED = "account-opened"
    SECURITY_KEY = "security-key"
    SECURITY_KEY_REMOVED = "security-key-removed"
    KEY = "key"
    KEY_REVOKED = "key-revoked"
    MODEL = "model"
    PURGE = "purge"
    ERASE = "erase"
    HOLD = "hold"
    ROTATE = "rotate"
    VAULT_KEY = "vault-key"
    SETTINGS = "settings"
    EXPORT = "export"
    PRUNE = "prune"
    PUBLISH = "publish"


class Channel(StrEnum):
    """By what somebody did it: a session of the console, an API key, an applicant's link, a command, a process."""

    SESSION = "session"
    KEY = "key"
    LINK = "link"
    COMMAND = "command"
    PROCESS = "process"


@dataclass(frozen=True)
class Who:
    """Who did it: the id of an account or of a key, or a user of the operating system; "" where nobody is known.

    `address` is the digest of the address that a request came from.
    """

    channel: Channel
    actor: str
    address: str = ""


BY_LINK = Who(Channel.LINK, "")
"""Applicants: neither they nor their addresses are told apart, and the decision is named."""


def user(channel: Channel) -> Who:
    """Return the user whom this process runs as; the environment, which anybody may set, is not asked."""
    return Who(channel, f"uid-{os.getuid()}")


def address_digest(vault: Vault, address: str) -> str:
    """Return what lines hold of an address: without the vault's key no guess can be checked."""
    return address_digests(vault, address)[0]


def address_digests(vault: Vault, address: str) -> list[str]:
    """Return the digests of an address under each key of the vault, the newest first."""
    return [one[:ADDRESS_DIGITS] for one in vault.digests(b"address\n" + address.encode())]


def note(session: Session, act: Act, who: Who, now: int, about: str = "", detail: str = "") -> TrailLine:
    """Write a line; `now` is in microseconds since 1970, `about` the id of what it was done to.

    Other transactions that write lines wait until this one ends: call it last.
    """
    _alone(session)
    last = last_line(session)
    row = TrailLine(
        number=last.number + 1 if last else 1,
        at=now,
        act=act.value,
        channel=who.channel.value,
        actor=who.actor,
        about=about,
        detail=detail,
        address=who.address,
        before=last.hash if last else BEGINNING,
    )
    row.hash = hash_of(row)
    session.add(row)
    session.flush()
    return row


def note_settings(session: Session, settings: Settings, vault: Vault, now: int) -> None:
    """Write a line where the settings, or the vault's keys, are others than when a service last started.

    Its detail is a digest under the vault's key, since settings may hold a database's password.
    """
    _alone(session)
    digests = vault.digests(b"settings\n" + canonical_bytes(settings))
    query = select(TrailLine.detail).where(TrailLine.act == Act.SETTINGS).order_by(TrailLine.number.desc()).limit(1)
    if session.scalar(query) != digests[0]:
        note(session, Act.SETTINGS, user(Channel.PROCESS), now, detail=digests[0])


def prune(session: Session, days: int, who: Who, now: int) -> int:
    """Delete the lines before the first one that is younger than so many days; return how many.

    A line says up to which one, and holds that one's hash, so that what stays can be checked.
    """
    _alone(session)
    young = session.scalar(select(func.min(TrailLine.number)).where(TrailLine.at >= now - days * DAY))
    query = select(TrailLine).order_by(TrailLine.number.desc()).limit(1)
    last = session.scalars(query if young is None else query.where(TrailLine.number < young)).first()
    if last is None:
        return 0
    note(session, Act.PRUNE, who, now, about=str(last.number), detail=last.hash)
    count = session.scalar(select(func.count()).where(TrailLine.number <= last.number)) or 0
    session.execute(delete(TrailLine).where(TrailLine.number <= last.number))
    return count


def hash_of(row: TrailLine) -> str:
    """Return the hash of a line with that of the line before it, in hexadecimal."""
    return hashlib.sha256(TAG + canonical_bytes(document(row))).hexdigest()


def document(row: TrailLine) -> dict[str, int | str]:
    """Return a line as plain values, without its hash."""
    return {
        "number": row.number,
        "at": row.at,
        "act": row.act,
        "channel": row.channel,
        "actor": row.actor,
        "about": row.about,
        "detail": row.detail,
        "address": row.address,
        "before": row.before,
    }


def last_line(session: Session) -> TrailLine | None:
    """Return the newest line, or None."""
    return session.scalars(select(TrailLine).order_by(TrailLine.number.desc()).limit(1)).first()


def _alone(session: Session) -> None:
    """Wait until no other transaction writes lines."""
    if session.get_bind().dialect.name != "sqlite":
        session.execute(_LOCK)
