"""The letter about recourse: made from what was found, and kept as it left once a person has released it."""

from __future__ import annotations

import dataclasses
import hashlib
from datetime import UTC, datetime

from sqlalchemy.orm import Session

from equiproof.service import recourses
from equiproof.service.decisions import MICROSECONDS
from equiproof.service.letters import sender_of
from equiproof.service.models import CommittedModel
from equiproof.service.policy import HeldError
from equiproof.service.reasons import with_reasons
from equiproof.service.settings import Settings
from equiproof.service.store.tables import Decision, RecourseLetter
from equiproof.service.vault import Vault
from equiproof.verifier.recourse import letter

UNRELEASED_REASON = "an officer releases the letter first"


def letter_of(
    session: Session, model: CommittedModel, decision: Decision, vault: Vault, language: str, settings: Settings
) -> bytes:
    """Return the letter as one HTML page; the first one in a language is kept, and then the same bytes for everybody.

    Raises HeldError where nobody has released it, or it was erased, ErasedError, LetterError, VaultError.
    """
    found = recourses.of_decision(session, decision, model.spec, vault)
    if found is None or found.told is None or found.row.released is None:
        raise HeldError(UNRELEASED_REASON)
    # Of two who ask for the first one at once, the other waits here and then finds it.
    session.refresh(found.row, with_for_update=True)
    row = session.get(RecourseLetter, (decision.id, language))
    if row is not None:
        if row.sealed is None:
            raise HeldError("the letter has been erased")
        return vault.open(row.sealed, about(decision.id, language))
    page = preview(session, model, decision, found, language, settings)
    session.add(
        RecourseLetter(
            decision_id=decision.id,
            language=language,
            sealed=vault.seal(page, about(decision.id, language)),
            digest=hashlib.sha256(page).hexdigest(),
            made=found.row.released,
        )
    )
    session.flush()
    return page


def preview(
    session: Session,
    model: CommittedModel,
    decision: Decision,
    found: recourses.Opened,
    language: str,
    settings: Settings,
) -> bytes:
    """Return the letter as it would leave, for officers; raises HeldError for recourse that has not been made.

    Raises LetterError for a table of reasons that cannot be used.
    """
    if found.told is None:
        raise HeldError("recourse has not been made")
    at = datetime.fromtimestamp(recourses.ended_at(found.row, settings.policy) // MICROSECONDS, UTC)
    sender = dataclasses.replace(sender_of(session, decision, settings), day=at.date(), replaces=None)
    told = with_reasons(session, found.told, model, settings, language)
    return letter(model.spec, told, sender, language).encode()


def about(decision_id: str, language: str) -> str:
    """Return what the box of a letter about recourse is about."""
    return f"{decision_id} recourse letter {language}"
