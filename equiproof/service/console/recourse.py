"""Recourse as a decision's page shows it: where it stands, what it says, and what an officer can do about it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from sqlalchemy.orm import Session

from equiproof.circuits.spec import Spec
from equiproof.circuits.tables import spoken
from equiproof.service import recourses
from equiproof.service.console import words
from equiproof.service.console.guard import Permission, Visit
from equiproof.service.console.pages import zone_of
from equiproof.service.console.speech import heard, say
from equiproof.service.decisions import Sealed
from equiproof.service.leaving import left
from equiproof.service.models import CommittedModel
from equiproof.service.recourses import SHORT_OF_MODEL, SHORT_OF_PERSON, ErasedError, Opened, Stage, WitnessDocument
from equiproof.service.store.tables import Decision, Recourse
from equiproof.verifier.documents import RawValue
from equiproof.verifier.recourse import in_words
from equiproof.verifier.words import isolated, shown_name

_WHY = {
    SHORT_OF_PERSON: "ways were found and are withheld: this person has been shown as many as one may",
    SHORT_OF_MODEL: "ways were found and are withheld: the model’s budget is used up (recourse.model_ways in the "
    "settings)",
    "seconds": "the search ended before anything was found; give the model more seconds",
    "room": "the key of boxes has too little room",
    "sets": "the model asks for sets of a category’s values, and that category may change",
    "ends": "whoever is decided otherwise lies between the steps of the rules, or beyond a way’s end",
}
"""Why nothing is claimed, for the lender's own people."""


@dataclass(frozen=True)
class ShownRecourse:
    """What the page shows of recourse; `stage` is "" where nobody has asked.

    `sentences` and the witness are for roles that may see details. `why` is the reason that nothing is claimed, or of
    a failure. `leaves` is when client programs and the applicant know of the end, "" where they do. `files` are the
    names of certificates and boxes.
    """

    stage: str = ""
    outcome: str = ""
    asked: str = ""
    ended: str = ""
    leaves: str = ""
    sentences: list[str] = field(default_factory=list, repr=False)
    files: list[str] = field(default_factory=list)
    why: str = ""
    witness: str = field(default="", repr=False)
    released: str = ""
    released_by: str = ""
    answer: str = field(default="", repr=False)
    answered: str = ""
    answered_by: str = ""
    may_ask: bool = False
    may_release: bool = False
    may_answer: bool = False


def shown(session: Session, visit: Visit, decision: Decision, visible: Sealed | None) -> ShownRecourse | None:
    """Return what a page shows, None where nobody has asked and nobody can ask; raises VaultError."""
    model = visit.shared.models.of(session, decision.model_id)
    row = session.get(Recourse, decision.id)
    settings, decides = visit.shared.settings, visit.may(Permission.DECIDE)
    # As client programs know it: that there is recourse would tell them of a certificate that has not left.
    (view,) = left(session, [decision], settings.policy, visit.now)
    may_ask = decides and not recourses.refusal(session, view, model, settings, row)
    if row is None:
        return ShownRecourse(may_ask=True) if may_ask else None
    zone = zone_of(visit.shared)
    found = None if visible is None else _opened(session, visit, decision, model)
    has_left = recourses.has_ended(row, settings.policy, visit.now)
    is_made, is_there = row.stage == Stage.MADE, row.sealed is not None
    return ShownRecourse(
        stage=row.stage,
        outcome=row.outcome or "",
        asked=zone.when(row.asked),
        ended="" if row.ended is None else zone.when(row.ended),
        leaves="" if row.ended is None or has_left else zone.exact(recourses.ended_at(row, settings.policy), visit.now),
        sentences=[] if found is None else _sentences(model.spec, found),
        files=[] if found is None or found.told is None else found.names,
        why=heard(_WHY.get(row.reason, row.reason)),
        witness="" if found is None or found.kept.witness is None else _witness(model.spec, found.kept.witness),
        released="" if row.released is None else zone.when(row.released),
        released_by=row.released_by or "",
        answer=row.answer or "",
        answered="" if row.answered is None else zone.when(row.answered),
        answered_by=row.answered_by or "",
        may_ask=may_ask,
        may_release=decides and is_made and is_there and row.released is None,
        may_answer=decides and recourses.is_open(row),
    )


def _opened(session: Session, visit: Visit, decision: Decision, model: CommittedModel) -> Opened | None:
    try:
        return recourses.of_decision(session, decision, model.spec, visit.shared.holders.vault)
    except ErasedError:
        return None


def _sentences(spec: Spec, found: Opened) -> list[str]:
    """Return what the applicant is told."""
    if found.told is None:
        return []
    said = in_words(spec, found.told, spoken())
    return [*(way["sentence"] for way in said["ways"]), *said["sentences"]]


def _witness(spec: Spec, witness: WitnessDocument) -> str:
    """Return a witness in words: the change, whom it helps, and whom not."""
    changed, granted, refused = (
        _listed(spec, values) for values in (witness.changed, witness.granted, witness.refused)
    )
    return say(
        "{changed} is granted to {granted}, and not to {refused}", changed=changed, granted=granted, refused=refused
    )


def _listed(spec: Spec, values: Mapping[str, RawValue]) -> str:
    """Return values by the names of their features."""
    known = {feature.name: feature for feature in spec.features}
    return words.reader().joined(
        [f"{isolated(shown_name(spec, known[name]))} = {isolated(str(value))}" for name, value in values.items()]
    )
