"""Recourse of refused decisions: asked for once, searched and proven by a worker, and handed out within budgets.

A way tells about as much of the model as an exact radius. So ways are counted, for the person and for the model, when
they are handed out; where a budget is used up nothing is claimed to the applicant, and a none is handed out all the
same. What ends a search leaves as whatever happens to a decision does (:mod:`equiproof.service.leaving`).
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import ClassVar, Literal

import msgspec
from sqlalchemy import func, select, text
from sqlalchemy.orm import Session

from equiproof.circuits.allowed import Wish, allowed, is_listed, wanted_label
from equiproof.circuits.canonical import canonical_bytes
from equiproof.circuits.exit_codes import MISUSED
from equiproof.circuits.numbers import read_number
from equiproof.circuits.spec import Feature, Spec, SpecError
from equiproof.service import persons
from equiproof.service.decisions import RECOURSE, Holders, Sealed, announced, opened
from equiproof.service.keys import box_key_of
from equiproof.service.leaving import Left, interval
from equiproof.service.links import DAY
from equiproof.service.models import CommittedModel
from equiproof.service.overrides import MAX_NAME, MAX_REASON, checked
from equiproof.service.policy import may_leave, released_at
from equiproof.service.settings import PolicySettings, RecourseSettings, Settings
from equiproof.service.states import State
from equiproof.service.store.tables import Decision, Model, Person, Recourse, Transition
from equiproof.service.trail import Act, Who, note
from equiproof.service.vault import Vault
from equiproof.verifier.bars import put_right
from equiproof.verifier.documents import RawValue
from equiproof.verifier.opened_box import OpenedBox, parse_opened_box
from equiproof.verifier.recourse import Told

MARK = "recourse:"
"""What the argument of a job begins with that is about recourse; a decision's id follows."""

SHORT_OF_PERSON = "person"
SHORT_OF_MODEL = "model"
"""Why ways are withheld: that person, or that model, has no more of them."""

_LOCK = text("select pg_advisory_xact_lock(1163150666)")
"""On PostgreSQL one transaction counts ways at a time; SQLite has one writer as it is."""

Outcome = Literal["way", "none", "dependent", "undecided"]


class Stage(StrEnum):
    """Where recourse stands."""

    WAITING = "waiting"
    MADE = "made"
    FAILED = "failed"
    """For a reason that says nothing about the model; it can be asked for again."""


class RecourseError(ValueError):
    """Recourse that is not looked for; one line that says why."""

    exit_code: ClassVar[int] = MISUSED


class ErasedError(RecourseError):
    """The applicant's data have been erased."""


class WishesError(RecourseError):
    """Wishes that do not fit the rules; one line that names the feature."""


class ProvenBox(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A box certificate with its name, its opened box, and the features that it changes, none for a none's."""

    identity: str
    certificate: bytes
    opened: bytes
    changed: tuple[str, ...] = ()

    def __repr__(self) -> str:
        """Show nothing of the applicant's."""
        return "ProvenBox()"

    @property
    def box(self) -> OpenedBox:
        """The opened box."""
        return parse_opened_box(self.opened, "opened box")


class WitnessDocument(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A change that is granted for some sensitive values and not for others: for the owner alone."""

    changed: dict[str, RawValue]
    granted: dict[str, str]
    refused: dict[str, str]

    def __repr__(self) -> str:
        """Show nothing of the applicant's."""
        return "WitnessDocument()"


class Found(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a search has found: a box for each way or for the none, the witness, and why nothing is claimed.

    With `within` the box is that of a none of so many percent, and nothing is claimed beyond.
    """

    outcome: Outcome
    boxes: tuple[ProvenBox, ...] = ()
    witness: WitnessDocument | None = None
    why: str = ""
    within: int | None = None


class SealedRecourse(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What the vault keeps: the applicant's wishes, and what is handed out or shown to officers."""

    wishes: dict[str, Wish]
    boxes: tuple[ProvenBox, ...] = ()
    witness: WitnessDocument | None = None
    within: int | None = None

    def __repr__(self) -> str:
        """Show nothing of the applicant's."""
        return "SealedRecourse()"


@dataclass(frozen=True)
class Room:
    """How many ways may still be handed out for a decision, and what has the fewest left."""

    ways: int
    scarce: str


@dataclass(frozen=True)
class Opened:
    """A decision's recourse, opened: `told` is what its applicant is told, None before it ends."""

    row: Recourse
    kept: SealedRecourse = field(repr=False)
    told: Told | None = field(repr=False)

    def box(self, name: str) -> ProvenBox | None:
        """Return what is handed out under a name, None for nothing."""
        return dict(zip(self.names, self.kept.boxes, strict=True)).get(name)

    @property
    def names(self) -> list[str]:
        """The names of what is handed out: `none`, that of a `part`, or `way-1` and those that follow."""
        if self.row.outcome == "none":
            return ["none"]
        if self.kept.within is not None:
            return ["part"]
        return [f"way-{number}" for number in range(1, len(self.kept.boxes) + 1)]


def about(decision_id: str) -> str:
    """Return what the box of a decision's recourse is about."""
    return f"{decision_id} recourse"


def job_of(decision: Decision, row: Recourse) -> str:
    """Return the name of the job of a search; one that is asked for again is another job."""
    named = f"{decision.receipt}\n{row.asked}".encode()
    return hashlib.sha256(b"equiproof.service.recourse.v1\x00" + named).hexdigest()


def ask(
    session: Session,
    view: Left,
    model: CommittedModel,
    wishes: Mapping[str, Wish],
    holders: Holders,
    settings: Settings,
    now: int,
    by: Who,
) -> Recourse:
    """Have recourse looked for, with its job and its line of the trail; once a decision, and again where it failed.

    Raises RecourseError for a decision that is not refused, certified and free to leave as such, for one that has
    recourse, and where settings, rules or key are missing; ErasedError, WishesError; HeldError as `may_leave`.
    """
    decision = view.decision
    session.refresh(decision, with_for_update=True)
    row = session.get(Recourse, decision.id, with_for_update=True)
    _refuse(session, view, model, settings, row)
    if (sealed := opened(decision, holders.vault)) is None:
        raise ErasedError("the applicant's data have been erased")
    try:
        allowed(model.spec, sealed.query.row(model.spec), wishes)
    except SpecError as error:
        raise WishesError(str(error)) from None
    if row is None:
        session.add(row := Recourse(decision_id=decision.id))
    row.stage, row.asked, row.ended, row.reason = Stage.WAITING, now, None, ""
    row.sealed = _seal(holders.vault, decision.id, SealedRecourse(dict(wishes)))
    session.flush()
    holders.jobs.submit(session, {job_of(decision, row): MARK + decision.id})
    note(session, Act.RECOURSE, by, now, about=decision.id)
    return row


def refusal(session: Session, view: Left, model: CommittedModel, settings: Settings, row: Recourse | None) -> str:
    """Return why recourse of a decision cannot be asked for now, "" where it can."""
    try:
        _refuse(session, view, model, settings, row)
    except ValueError as error:
        return str(error)
    return "" if view.decision.sealed is not None else "the applicant's data have been erased"


def _refuse(session: Session, view: Left, model: CommittedModel, settings: Settings, row: Recourse | None) -> None:
    """Raise RecourseError, or HeldError, where recourse cannot be asked for."""
    decision, spec = view.decision, model.spec
    if row is not None and row.stage != Stage.FAILED:
        raise RecourseError("recourse of this decision has been asked for; ask how it stands")
    if view.state != State.CERTIFIED:
        raise RecourseError(f"recourse is for decisions that are refused and certified; this one is {view.state}")
    if decision.label == wanted_label(spec):
        raise RecourseError(f"recourse is for refused decisions; this one is decided {spec.labels[decision.label]!r}")
    may_leave(view.state, decision.label, view.certificate(session), settings.policy, view.person is not None)
    if settings.recourse is None:
        raise RecourseError("the operator has to allow it: the settings have no section `recourse`")
    if not spec.has_changes:
        raise RecourseError("the model's spec has no rules of change: `equiproof spec --changes` drafts them")
    if box_key_of(model.opening, Path(session.get_one(Model, model.id).keys)) is None:
        raise RecourseError("the model has no key of boxes beside its keys: `equiproof setup --box` makes one")


def waiting(session: Session, limit: int) -> dict[str, str]:
    """Return the jobs of recourse that waits, with their arguments, the longest waiting first."""
    query = select(Decision, Recourse).join(Recourse, Recourse.decision_id == Decision.id)
    query = query.where(Recourse.stage == Stage.WAITING).order_by(Recourse.asked, Decision.id).limit(limit)
    return {job_of(decision, row): MARK + decision.id for decision, row in session.execute(query)}


def settle(session: Session, row: Recourse, found: Found, vault: Vault, limits: RecourseSettings, now: int) -> None:
    """Write what was found, within the budgets; ways beyond them are dropped, and where none is left nothing claimed.

    `row` is locked and waits, and its decision's data are there.
    """
    decision = session.get_one(Decision, row.decision_id)
    wishes = dict(wishes_of(row, vault))
    boxes, outcome, why = found.boxes, found.outcome, found.why
    if outcome == "way":
        room = room_of(session, decision, vault, limits, now)
        boxes = boxes[: room.ways]
        row.ways = len(boxes)
        if not boxes:
            outcome, why = "undecided", room.scarce
    row.stage, row.ended, row.outcome, row.reason = Stage.MADE, now, outcome, why
    row.sealed = _seal(vault, decision.id, SealedRecourse(wishes, boxes, found.witness, found.within))
    _announce(session, decision, now, "made")


def fail(session: Session, row: Recourse, reason: str, now: int) -> None:
    """End a search for a reason that says nothing about the model."""
    row.stage, row.ended, row.reason = Stage.FAILED, now, reason
    _announce(session, session.get_one(Decision, row.decision_id), now, "failed")


def room_of(session: Session, decision: Decision, vault: Vault, limits: RecourseSettings, now: int) -> Room:
    """Return how many ways may still be handed out for a decision; two who count at once wait for each other."""
    if session.get_bind().dialect.name != "sqlite":
        session.execute(_LOCK)
    left = {
        SHORT_OF_MODEL: limits.model_ways - used_by_model(session, decision.model_id),
        SHORT_OF_PERSON: limits.person_ways - _used_by_person(session, decision, vault, now - limits.days * DAY),
    }
    scarce = min(left, key=lambda name: left[name])
    return Room(max(0, min(left[scarce], limits.ways)), scarce)


def used_by_model(session: Session, model_id: str) -> int:
    """Return how many ways of a model have been handed out."""
    query = select(func.sum(Recourse.ways)).join(Decision, Decision.id == Recourse.decision_id)
    return session.scalar(query.where(Decision.model_id == model_id)) or 0


def has_boxes(session: Session, model_id: str) -> bool:
    """Return whether box certificates of a model were made whose decisions may need their key."""
    query = select(Recourse.decision_id).join(Decision, Decision.id == Recourse.decision_id).limit(1)
    made = (Recourse.outcome.in_(("way", "none"))) & Recourse.sealed.is_not(None)
    return session.scalar(query.where(Decision.model_id == model_id, made)) is not None


def _used_by_person(session: Session, decision: Decision, vault: Vault, since: int) -> int:
    """Return how many ways the person of a decision has had since a time; of a decision without one, its own."""
    query = select(func.sum(Recourse.ways)).where(Recourse.ended >= since)
    if (person := session.get(Person, decision.id)) is None:
        return session.scalar(query.where(Recourse.decision_id == decision.id)) or 0
    named = select(Person.decision_id).where(Person.digest.in_(persons.digests_of(person, vault)))
    return session.scalar(query.where(Recourse.decision_id.in_(named))) or 0


def has_ended(row: Recourse, policy: PolicySettings, now: int) -> bool:
    """Return whether the end of a search has left by `now`."""
    return row.ended is not None and released_at(row.asked, row.ended, interval(policy)) <= now


def ended_at(row: Recourse, policy: PolicySettings) -> int:
    """Return when the end of a search leaves, or has left; `row` has ended."""
    if row.ended is None:
        raise ValueError("this search has not ended")
    return released_at(row.asked, row.ended, interval(policy))


def of_decision(session: Session, decision: Decision, spec: Spec, vault: Vault) -> Opened | None:
    """Return a decision's recourse, opened; None where there is none. Raises ErasedError, VaultError."""
    if (row := session.get(Recourse, decision.id)) is None:
        return None
    if row.sealed is None or (sealed := opened(decision, vault)) is None:
        raise ErasedError("the applicant's data have been erased, and recourse with them")
    kept = _kept(row, vault)
    return Opened(row, kept, _told(spec, sealed, row, kept))


def released_of(
    session: Session, decision: Decision, spec: Spec, vault: Vault, policy: PolicySettings, now: int
) -> Opened | None:
    """Return what is handed out of a decision's recourse, once its letter was released and its end has left, or None.

    Of one without a certificate, as where it depends on a sensitive feature, there is nothing. Raises ErasedError,
    VaultError.
    """
    row = session.get(Recourse, decision.id)
    if row is None or row.released is None or not has_ended(row, policy, now):
        return None
    found = of_decision(session, decision, spec, vault)
    return found if found is not None and found.told is not None and found.kept.boxes else None


def _told(spec: Spec, sealed: Sealed, row: Recourse, kept: SealedRecourse) -> Told | None:
    """Return what an applicant is told, None for what has not ended with an outcome."""
    outcomes: dict[str | None, Outcome] = {"way": "way", "none": "none", "dependent": "dependent"}
    if row.stage != Stage.MADE:
        return None
    return Told(
        outcomes.get(row.outcome, "undecided"),
        sealed.query.row(spec),
        spec.labels[wanted_label(spec)],
        tuple((box.changed, box.box.ends) for box in kept.boxes if row.outcome == "way"),
        wishes=kept.wishes,
        part=_part(spec, sealed.query.row(spec), kept),
        proofs=[box.identity for box in kept.boxes],
    )


def _part(
    spec: Spec, row: Mapping[str, RawValue | None], kept: SealedRecourse
) -> tuple[int, Mapping[str, tuple[RawValue, ...]]] | None:
    """Return of which part a none is, with the ends of its numbers; None for anything else."""
    if kept.within is None:
        return None
    ends = kept.boxes[0].box.ends
    return kept.within, {name: ends[name] for name in allowed(spec, row, kept.wishes).numbers}


def release(session: Session, row: Recourse, name: str, now: int, by: Who) -> None:
    """Let the letter leave, with its line of the trail; raises RecourseError for what has not been made, or has left.

    `row` is locked; `name` is the account's.
    """
    if row.stage != Stage.MADE or row.sealed is None:
        raise RecourseError("there is no letter to release: recourse has not been made, or was erased")
    if row.released is not None:
        raise RecourseError("the letter has been released")
    row.released, row.released_by = now, checked(name, "name", MAX_NAME)
    session.flush()
    _announce(session, session.get_one(Decision, row.decision_id), now, "released")
    note(session, Act.RECOURSE_RELEASED, by, now, about=row.decision_id)


def answer(session: Session, row: Recourse, words: str, name: str, now: int, by: Who) -> None:
    """Keep what a person says where recourse depends on a sensitive feature, with its line of the trail.

    `row` is locked. Raises RecourseError where nothing is open, OverrideError for words or a name that are none.
    """
    if not is_open(row):
        raise RecourseError("no review of recourse is open here")
    row.answer = checked(words, "answer", MAX_REASON)
    row.answered, row.answered_by = now, checked(name, "name", MAX_NAME)
    session.flush()
    note(session, Act.RECOURSE_ANSWER, by, now, about=row.decision_id)


def is_open(row: Recourse) -> bool:
    """Return whether a person has to answer: recourse depends on a sensitive feature, which is unfair."""
    return row.outcome == "dependent" and row.answered is None


def open_reviews(session: Session, limit: int) -> tuple[int, list[Decision]]:
    """Return how many reviews of recourse wait for a person, and their decisions, the longest open first."""
    query = select(Decision).join(Recourse, Recourse.decision_id == Decision.id)
    query = query.where(Recourse.outcome == "dependent", Recourse.answered.is_(None))
    count = session.scalar(select(func.count()).select_from(query.subquery())) or 0
    return count, list(session.scalars(query.order_by(Recourse.ended, Decision.id).limit(limit)))


def followed(
    found: Opened, first: tuple[Spec, Mapping[str, RawValue]], second: tuple[Spec, Mapping[str, RawValue]]
) -> int | None:
    """Return the number of the way that a second application follows, by what it changes of the first one; else None.

    A way is followed where exactly its features differ, and each lies in its box.
    """
    if found.row.outcome != "way":
        return None
    known = {feature.name: feature for feature in first[0].plain_features}
    changed = set(put_right(first, second))
    for number, box in enumerate(found.kept.boxes, start=1):
        ends = box.box.ends
        if changed == set(box.changed) and all(_lies(known[name], second[1].get(name), ends[name]) for name in changed):
            return number
    return None


def _lies(feature: Feature, value: RawValue | None, ends: Sequence[RawValue]) -> bool:
    """Return whether a value is in what a box has of a feature."""
    if value is None or not ends:
        return False
    if feature.kind == "numeric":
        low, high = (read_number(one) for one in ends)
        return low <= read_number(value) <= high
    if is_listed(feature):
        return value in ends
    low_place, place, high_place = (feature.domain.index(str(one)) for one in (ends[0], value, ends[-1]))
    return low_place <= place <= high_place


def wishes_of(row: Recourse, vault: Vault) -> Mapping[str, Wish]:
    """Return the wishes with which recourse was asked for; raises ErasedError, VaultError."""
    return _kept(row, vault).wishes


def _kept(row: Recourse, vault: Vault) -> SealedRecourse:
    if row.sealed is None:
        raise ErasedError("the applicant's data have been erased, and recourse with them")
    return msgspec.json.decode(vault.open(row.sealed, about(row.decision_id)), type=SealedRecourse)


def _seal(vault: Vault, decision_id: str, kept: SealedRecourse) -> bytes:
    return vault.seal(canonical_bytes(kept), about(decision_id))


def _announce(session: Session, decision: Decision, now: int, step: str) -> None:
    """Write what webhooks tell of recourse: that it was made, failed, or released, and not with which outcome."""
    changes = select(func.count()).where(Transition.decision_id == decision.id)
    number = (session.scalar(changes) or 0) - 1
    session.add_all(announced(session, decision, number, now, RECOURSE, recourse=step))
