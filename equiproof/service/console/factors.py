"""Security keys, the second factor of own accounts (WebAuthn): what a key is asked, and which answer counts.

Each challenge is a row that one browser has by a cookie, that is taken once, and that lives for five minutes. What a
key says is read by the library; which key it is, whose, and how often it has signed is compared with our own rows.
"""

from __future__ import annotations

import hashlib
import json
import secrets
import struct
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, ClassVar

import webauthn
from sqlalchemy import delete, func, select, update
from sqlalchemy.orm import Session
from webauthn.helpers import (
    parse_attestation_object,
    parse_authentication_credential_json,
    parse_registration_credential_json,
)
from webauthn.helpers.exceptions import WebAuthnException
from webauthn.helpers.structs import (
    AttestationFormat,
    AuthenticatorSelectionCriteria,
    PublicKeyCredentialDescriptor,
    ResidentKeyRequirement,
    UserVerificationRequirement,
)

from equiproof.circuits.exit_codes import MISUSED
from equiproof.circuits.names import complaint
from equiproof.service.console import once
from equiproof.service.console.officers import end_sessions
from equiproof.service.console.sessions import digest_of
from equiproof.service.settings import ConsoleSettings
from equiproof.service.sites import Site
from equiproof.service.store.tables import KeyStep, Officer, OfficerKey

STEP_TIME = 5 * 60_000_000
"""Microseconds."""

MAX_ANSWER = 1 << 14
"""Characters of what a key says, as JSON."""

MAX_KEYS = 10
MAX_NAME = 64
MAX_CREDENTIAL = 1023
"""Bytes of a credential's identifier (WebAuthn, section 4)."""

_UNREADABLE = (
    WebAuthnException,
    ValueError,
    TypeError,
    LookupError,
    AttributeError,
    ArithmeticError,
    RecursionError,
    struct.error,
)
"""What the library and those below it raise for answers of which they expect something else."""


class Purpose(StrEnum):
    """What follows an answer that holds."""

    SIGN_IN = "sign-in"
    """A session, by a key that the account has."""
    FIRST = "first"
    """A first key, and a session with it."""
    ADD = "add"
    """Another key of somebody who is signed in."""


class Fault(StrEnum):
    """Why a key's answer does not count, as the trail names it; factor_words.py has a sentence for each."""

    STEP = "step"
    """It was not asked in this browser, or too long ago, or was answered before."""
    ANSWER = "answer"
    """It does not hold: another challenge, site or signature, or none that can be read."""
    KEY = "key"
    """The account has no such key."""
    COUNT = "count"
    """The key has signed no more often than before: there may be a copy of it."""
    TAKEN = "taken"
    """The key stands here already."""
    MANY = "many"
    """The account has as many keys as one may have."""
    NAME = "name"
    """The name of the key cannot be read, or is missing."""
    LAST = "last"
    """It is the last key of an account that needs one."""
    CLOSED = "closed"
    """The account was closed meanwhile."""


@dataclass
class FactorError(Exception):
    """A key, or an answer of one, that is refused; `officer` is whose, "" where nobody is known."""

    exit_code: ClassVar[int] = MISUSED

    fault: Fault
    officer: str = ""

    def __str__(self) -> str:
        return str(self.fault)


def purpose_of(session: Session, officer: Officer, console: ConsoleSettings) -> Purpose | None:
    """Return what an account is asked for after its password; None where that is enough."""
    if console.second_factor == "off":
        return None
    if keys_of(session, officer.id):
        return Purpose.SIGN_IN
    return Purpose.FIRST if console.second_factor == "required" else None


def keys_of(session: Session, officer_id: str) -> list[OfficerKey]:
    """Return the keys of an account, the oldest first."""
    query = select(OfficerKey).where(OfficerKey.officer_id == officer_id)
    return list(session.scalars(query.order_by(OfficerKey.added, OfficerKey.hash)))


def counts(session: Session) -> dict[str, int]:
    """Return how many keys each account has that has any."""
    rows = session.execute(select(OfficerKey.officer_id, func.count()).group_by(OfficerKey.officer_id))
    return {row[0]: row[1] for row in rows}


def ask(session: Session, token: str, officer_id: str, purpose: Purpose, then: str, now: int) -> KeyStep:
    """Return a challenge for who has a token, instead of one before; those that have ended are removed by the way."""
    mine = digest_of(token)
    session.execute(delete(KeyStep).where((KeyStep.expires <= now) | (KeyStep.hash == mine)))
    step = KeyStep(
        hash=mine,
        officer_id=officer_id,
        purpose=purpose.value,
        challenge=secrets.token_hex(32),
        then=then,
        expires=now + STEP_TIME,
    )
    session.add(step)
    session.flush()
    return step


def waiting(session: Session, token: str, now: int) -> KeyStep | None:
    """Return the challenge of a sign-in that waits for its answer; None for any other token."""
    step = session.get(KeyStep, digest_of(token))
    return step if step is not None and now < step.expires and step.purpose != Purpose.ADD else None


def take(session: Session, token: str, purposes: tuple[Purpose, ...], now: int) -> KeyStep | None:
    """Return the challenge of a token, which nobody gets a second time; None for any other, and one that has ended."""
    step = session.get(KeyStep, digest_of(token))
    return once.take(session, KeyStep, token, now) if step is not None and step.purpose in purposes else None


def questions(session: Session, site: Site, step: KeyStep) -> str:
    """Return what a browser gives a key for a challenge, as JSON: a signature, or a new credential."""
    known = [PublicKeyCredentialDescriptor(id=key.credential) for key in keys_of(session, step.officer_id)]
    challenge = bytes.fromhex(step.challenge)
    if step.purpose == Purpose.SIGN_IN:
        options = webauthn.generate_authentication_options(
            rp_id=site.host,
            challenge=challenge,
            timeout=STEP_TIME // 1000,
            allow_credentials=known,
            user_verification=UserVerificationRequirement.PREFERRED,
        )
        return webauthn.options_to_json(options)
    wanted = AuthenticatorSelectionCriteria(
        resident_key=ResidentKeyRequirement.DISCOURAGED, user_verification=UserVerificationRequirement.PREFERRED
    )
    return webauthn.options_to_json(
        webauthn.generate_registration_options(
            rp_id=site.host,
            rp_name="Equiproof",
            user_id=bytes.fromhex(step.officer_id),
            user_name=session.get_one(Officer, step.officer_id).name,
            challenge=challenge,
            timeout=STEP_TIME // 1000,
            authenticator_selection=wanted,
            exclude_credentials=known,
        )
    )


def add(session: Session, site: Site, step: KeyStep, answer: str, name: str, now: int) -> OfficerKey:
    """Write the key that answers a challenge to its account; raises FactorError."""
    if not name or len(name) > MAX_NAME or complaint(name):
        raise FactorError(Fault.NAME, step.officer_id)
    if len(keys_of(session, step.officer_id)) >= MAX_KEYS:
        raise FactorError(Fault.MANY, step.officer_id)
    try:
        credential = parse_registration_credential_json(_document(answer))
        attested = parse_attestation_object(credential.response.attestation_object)
        # No maker's word is asked for, so that none of the forms with certificates is read.
        if attested.fmt not in (AttestationFormat.NONE, AttestationFormat.PACKED) or attested.att_stmt.x5c:
            raise ValueError("a form of attestation that was not asked for")
        found = webauthn.verify_registration_response(
            credential=credential,
            expected_challenge=bytes.fromhex(step.challenge),
            expected_rp_id=site.host,
            expected_origin=site.origin,
        )
        if not 0 < len(found.credential_id) <= MAX_CREDENTIAL:
            raise ValueError("an identifier of another length")
    except _UNREADABLE:
        raise FactorError(Fault.ANSWER, step.officer_id) from None
    key = OfficerKey(
        hash=_digest(found.credential_id),
        officer_id=step.officer_id,
        name=name,
        credential=found.credential_id,
        public_key=found.credential_public_key,
        count=found.sign_count,
        added=now,
    )
    if session.get(OfficerKey, key.hash) is not None:
        raise FactorError(Fault.TAKEN, step.officer_id)
    session.add(key)
    session.flush()
    return key


def prove(session: Session, site: Site, step: KeyStep, answer: str) -> OfficerKey:
    """Return the key of the account that has signed a challenge, and keep its count; raises FactorError."""
    try:
        credential = parse_authentication_credential_json(_document(answer))
    except _UNREADABLE:
        raise FactorError(Fault.ANSWER, step.officer_id) from None
    key = session.get(OfficerKey, _digest(credential.raw_id))
    if key is None or key.officer_id != step.officer_id:
        raise FactorError(Fault.KEY, step.officer_id)
    try:
        found = webauthn.verify_authentication_response(
            credential=credential,
            expected_challenge=bytes.fromhex(step.challenge),
            expected_rp_id=site.host,
            expected_origin=site.origin,
            credential_public_key=key.public_key,
            # Compared below, so that a copy of a key has a reason of its own.
            credential_current_sign_count=0,
        )
    except _UNREADABLE:
        raise FactorError(Fault.ANSWER, step.officer_id) from None
    count = found.new_sign_count
    kept = update(OfficerKey).where(OfficerKey.hash == key.hash)
    # The database compares, so that of two at once one is refused.
    kept = kept.where(OfficerKey.count == 0) if count == 0 else kept.where(OfficerKey.count < count)
    if not session.execute(kept.values(count=count).returning(OfficerKey.hash)).all():
        raise FactorError(Fault.COUNT, step.officer_id)
    return key


def remove(session: Session, officer_id: str, hash_of_key: str, console: ConsoleSettings) -> None:
    """Remove a key of an account; raises FactorError for none of its keys, and for the last one that it needs."""
    key = session.get(OfficerKey, hash_of_key)
    if key is None or key.officer_id != officer_id:
        raise FactorError(Fault.KEY, officer_id)
    # The account's row is held meanwhile: two removals at once leave one.
    session.execute(select(Officer.id).where(Officer.id == officer_id).with_for_update())
    count = session.scalar(select(func.count()).where(OfficerKey.officer_id == officer_id)) or 0
    if console.second_factor == "required" and count <= 1:
        raise FactorError(Fault.LAST, officer_id)
    session.delete(key)
    session.flush()


def forget(session: Session, officer: Officer) -> list[str]:
    """Remove all keys of an account and end its sessions; return the digests of the keys."""
    forgotten = [key.hash for key in keys_of(session, officer.id)]
    session.execute(delete(OfficerKey).where(OfficerKey.officer_id == officer.id))
    end_sessions(session, officer)
    return forgotten


def detail_of(hash_of_key: str) -> str:
    """Return how the trail names a key."""
    return f"key={hash_of_key[:16]}"


def _document(answer: str) -> dict[str, Any]:
    """Return the object that a browser has sent; raises ValueError and RecursionError."""
    if len(answer) > MAX_ANSWER:
        raise ValueError("too long")
    document = json.loads(answer)
    if not isinstance(document, dict):
        raise ValueError("no object")
    return document


def _digest(credential: bytes) -> str:
    return hashlib.sha256(credential).hexdigest()
