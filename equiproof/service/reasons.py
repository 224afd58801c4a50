"""The lender's tables of reasons, one for each model that has one, and the reasons of a decision's recourse."""

from __future__ import annotations

import dataclasses
from contextlib import suppress
from pathlib import Path

from sqlalchemy.orm import Session

from equiproof.circuits.canonical import read_limited
from equiproof.service.models import CommittedModel, ModelError, Models, all_models
from equiproof.service.settings import Settings
from equiproof.service.store.tables import Model
from equiproof.verifier.letter import LetterError
from equiproof.verifier.reason_codes import ReasonCodes, ReasonCodesError, parse_reason_codes
from equiproof.verifier.recourse import Told
from equiproof.verifier.words import Words


def codes_of(model: CommittedModel, settings: Settings) -> ReasonCodes | None:
    """Return the table of a model, None without one; raises OSError, and ReasonCodesError for one that does not fit."""
    tables = {} if settings.recourse is None else settings.recourse.reasons
    if (file := tables.get(model.name)) is None or not model.spec.has_changes:
        return None
    return parse_reason_codes(read_limited(Path(file)), file, model.spec)


def with_reasons(session: Session, told: Told, model: CommittedModel, settings: Settings, language: str) -> Told:
    """Return what an applicant is told, with the reasons that certificates back.

    Wishes leave out reasons, so that under them none is given. Raises LetterError where the table cannot be used; one
    that was made for a later model of the name has none for decisions of this one.
    """
    if told.wishes:
        return told
    try:
        codes = codes_of(model, settings)
    except (OSError, ReasonCodesError) as error:
        if session.get_one(Model, model.id).retired is not None:
            return told
        raise LetterError(f"the table of reasons: {error}") from None
    if codes is None:
        return told
    return dataclasses.replace(told, reasons=codes.of((changed for changed, _ in told.ways), Words(language)))


def refuse_misfits(session: Session, models: Models, settings: Settings) -> tuple[int, list[str]]:
    """Return how many models that decide have a table that fits, and the names of models that are not here yet.

    Raises OSError, and ReasonCodesError for a table that does not fit its model. Of an opening that cannot be read
    other checks tell.
    """
    rows = {row.name: row for row in all_models(session) if row.retired is None}
    wanted = [] if settings.recourse is None else sorted(settings.recourse.reasons)
    for name in wanted:
        with suppress(ModelError):
            if name in rows:
                codes_of(models.of(session, rows[name].id), settings)
    waiting = [name for name in wanted if name not in rows]
    return len(wanted) - len(waiting), waiting
