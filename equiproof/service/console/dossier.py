"""One decision with everything that the console shows of it; applicants' details only for roles that may see them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from sqlalchemy.orm import Session

from equiproof.circuits.spec import Feature, Spec
from equiproof.service.console import cases, words
from equiproof.service.console.applicants import SamePerson, details_of, same_person
from equiproof.service.console.corrected import Corrected, corrected
from equiproof.service.console.guard import Permission, Visit
from equiproof.service.console.keys import making
from equiproof.service.console.pages import zone_of
from equiproof.service.console.recourse import ShownRecourse
from equiproof.service.console.recourse import shown as recourse_shown
from equiproof.service.console.rows import Row, rows_of
from equiproof.service.console.speech import heard, say
from equiproof.service.console.timeline import Step, steps
from equiproof.service.decisions import Sealed, history, opened
from equiproof.service.findings import finding_of
from equiproof.service.leaving import left
from equiproof.service.models import CommittedModel
from equiproof.service.overrides import is_open, standing
from equiproof.service.policy import HeldError, may_leave, too_small
from equiproof.service.settings import PolicySettings
from equiproof.service.states import State
from equiproof.service.store import overview, queries
from equiproof.service.store.tables import Certificate, Decision, Model, Override
from equiproof.verifier.answer import Findings, Pinned, answer
from equiproof.verifier.words import isolated, shown_name

RETRIABLE_STATES = frozenset({State.UNDECIDED, State.FAILED})
"""Ends that a second proof may change."""


@dataclass(frozen=True)
class Line:
    """A detail in both cases of a comparison; `differs` says that its values are not the same."""

    name: str
    first: str
    second: str
    differs: bool = False


@dataclass(frozen=True)
class Versus:
    """Two cases side by side: what they are called, what is decided, with which scores, and every detail of both.

    `names` are the features that differ, in words, one or `several`. `at` are places on a line of scores, None for
    models with several. `every` lists all combinations of sensitive values with their decisions, where there are more
    than two.
    """

    names: str
    several: bool
    titles: tuple[str, str]
    labels: tuple[str, str]
    scores: tuple[str, str] | None
    at: tuple[int, int] | None
    lines: list[Line]
    every: list[tuple[str, str]]


@dataclass(frozen=True)
class Dossier:
    """What a decision's page shows; `answer` is that of its certificate, `erased` says that the details are gone.

    `least` is the policy's least radius where that of the certificate is below it. `held` says why no letter may leave
    without a certificate, "" where one may. `referred` says why a person decides whatever the model says, "" where only
    sensitive values are the reason. `leaves` is when client programs and the applicant know what is shown, "" where
    they do. `person` is None for an application that names nobody. `may_ask` says that a request for correction can be
    filed, `may_correct` that one is open and can be closed. `recourse` is None where there is none and none to ask for.
    """

    row: Row
    when: str
    model: str
    sensitive: str
    labels: tuple[str, ...]
    model_label: str | None
    steps: list[Step]
    overrides: list[Override]
    may_decide: bool
    may_repeat: bool
    least: str | None
    referred: str
    receipt: str
    leaves: str
    erased: bool
    held: str = ""
    details: list[tuple[str, str]] = field(default_factory=list, repr=False)
    answer: dict[str, Any] | None = field(default=None, repr=False)
    radius: str = ""
    versus: Versus | None = field(default=None, repr=False)
    person: SamePerson | None = field(default=None, repr=False)
    corrections: list[Corrected] = field(default_factory=list, repr=False)
    may_ask: bool = False
    may_correct: bool = False
    recourse: ShownRecourse | None = field(default=None, repr=False)


def dossier_of(session: Session, visit: Visit, decision: Decision) -> Dossier:
    """Put a decision's page together; raises VaultError, and as `Models.of` does."""
    shared = visit.shared
    zone = zone_of(visit.shared)
    spec = _model(session, visit, decision).spec
    sealed = opened(decision, shared.holders.vault)
    visible = sealed if visit.may(Permission.DETAILS) else None
    certificate = queries.certificate(session, decision.id)
    policy = shared.settings.policy
    (row,) = rows_of(session, shared.models, [decision], zone, visit.now)
    (view,) = left(session, [decision], policy, visit.now)
    return Dossier(
        row=row,
        when=zone.when(decision.received),
        model=_model(session, visit, decision).name,
        sensitive=_sensitive(spec),
        labels=spec.labels,
        model_label=None if decision.label is None else spec.labels[decision.label],
        steps=steps(session, decision, _sensitive(spec), spec, zone, visit.now),
        overrides=overview.overrides(session, decision.id),
        may_decide=visit.may(Permission.DECIDE) and is_open(session, decision, policy),
        may_repeat=visit.may(Permission.AGAIN)
        and row.state in RETRIABLE_STATES
        and not row.by
        and decision.sealed is not None,
        least=policy.min_radius if certificate is not None and too_small(certificate, policy) else None,
        referred=heard(history(session, decision.id)[0].reason),
        receipt=decision.receipt,
        leaves="" if view.whole else zone.exact(view.leaves, visit.now),
        erased=decision.sealed is None,
        held="" if certificate is not None else _held(session, decision, policy),
        details=[] if visible is None else details_of(spec, visible),
        answer=None if certificate is None else _answer(session, spec, certificate, decision, visible),
        radius="" if certificate is None else row.stands,
        versus=_versus(session, visit, decision, sealed) if decision.state == State.REVIEW else None,
        person=same_person(session, visit, decision, visible),
        corrections=(pairs := corrected(session, visit, decision)),
        may_ask=(may := visit.may(Permission.DECIDE) and decision.sealed is not None)
        and not any(pair.first.id == decision.id for pair in pairs),
        may_correct=may and any(pair.first.id == decision.id and pair.closed is None for pair in pairs),
        recourse=recourse_shown(session, visit, decision, visible),
    )


def _held(session: Session, decision: Decision, policy: PolicySettings) -> str:
    """Return why the applicant of a decision without a certificate gets no letter now, "" where nothing holds it."""
    try:
        may_leave(State(decision.state), decision.label, None, policy, standing(session, decision.id) is not None)
    except HeldError as error:
        return heard(str(error))
    return ""


def _model(session: Session, visit: Visit, decision: Decision) -> CommittedModel:
    return visit.shared.models.of(session, decision.model_id)


def _sensitive(spec: Spec) -> str:
    """Return the names of the sensitive features in words."""
    names = [words.reader().word(shown_name(spec, feature)) for feature in spec.sensitive_features]
    return words.reader().joined(names)


def _answer(
    session: Session, spec: Spec, certificate: Certificate, decision: Decision, visible: Sealed | None
) -> dict[str, Any]:
    """Return the words and bars of a certificate, in the lender's own voice; without details, bars have no place."""
    model = session.get_one(Model, decision.model_id)
    findings = Findings(
        spec=spec,
        label=decision.label or 0,
        radius_squared=int(certificate.radius_squared, 16),
        key=making(model, certificate.key_fingerprint),
        pins=Pinned("given", key=True),
        query=None if visible is None else dict(visible.query.features),
    )
    words_and_bars = answer(findings, words.reader().language, "letter") | {
        "key": findings.key,
        "fingerprint": certificate.key_fingerprint,
    }
    if visible is not None:
        drawn = zip(words_and_bars["bars"], spec.plain_features, strict=True)
        words_and_bars["bars"] = [bar | {"own": _with_unit(bar["own"], feature, visible)} for bar, feature in drawn]
    return words_and_bars


def _with_unit(own: str, feature: Feature, sealed: Sealed) -> str:
    """Return the own value of a bar, a number with its unit, which the words of a certificate leave to its pictures."""
    value = sealed.query.features.get(feature.name)
    is_number = feature.kind == "numeric" and value is not None and own == words.reader().number(Fraction(str(value)))
    return own + words.reader().unit(feature.unit) if is_number else own


def _versus(session: Session, visit: Visit, decision: Decision, sealed: Sealed | None) -> Versus | None:
    """Return the two cases of a review; scores and details are for those who may see details."""
    opening = _model(session, visit, decision).opening
    has_details = sealed is not None and visit.may(Permission.DETAILS)
    spec = opening.spec
    finding = finding_of(session, decision, visit.shared.holders.vault)
    features = None if sealed is None else sealed.query.row(spec)
    every = [] if features is None else cases.computed(opening, features)
    both = cases.compared([] if finding is None else cases.of_finding(opening, finding, features)) or cases.compared(
        every
    )
    if both is None:
        return None
    lines = _lines(spec, both)
    if has_details and sealed is not None:
        lines += [Line(name, value, value) for name, value in details_of(spec, sealed)]
    return Versus(
        names=_differing(spec, both.differ),
        several=sum(both.differ) > 1,
        titles=(_title(spec, both, both.first), _title(spec, both, both.second)),
        labels=(_label(spec, both.first), _label(spec, both.second)),
        scores=(cases.scores(spec, both.first), cases.scores(spec, both.second)) if has_details else None,
        at=cases.axis(both) if has_details else None,
        lines=lines,
        every=[(", ".join(case.values), _label(spec, case)) for case in every] if len(every) > 2 else [],
    )


def _lines(spec: Spec, both: cases.Compared) -> list[Line]:
    """Return the sensitive features of both cases, those that differ first, and what is decided."""
    named = zip(spec.sensitive_features, both.first.values, both.second.values, both.differ, strict=True)
    lines = [
        Line(isolated(shown_name(spec, feature)), isolated(one), isolated(other), differs=differs)
        for feature, one, other, differs in named
    ]
    decided = Line(say("decision"), _label(spec, both.first), _label(spec, both.second), differs=True)
    return [*sorted(lines, key=lambda line: not line.differs), decided]


def _differing(spec: Spec, differ: Sequence[bool]) -> str:
    """Return the names of the features that differ, in words."""
    features = (one for one, differs in zip(spec.sensitive_features, differ, strict=True) if differs)
    return words.reader().joined([words.reader().word(shown_name(spec, feature)) for feature in features])


def _title(spec: Spec, both: cases.Compared, case: cases.Case) -> str:
    """Return a case by the values that differ."""
    named = zip(spec.sensitive_features, case.values, both.differ, strict=True)
    return ", ".join(
        f"{isolated(shown_name(spec, feature))} = {isolated(value)}" for feature, value, differs in named if differs
    )


def _label(spec: Spec, case: cases.Case) -> str:
    """Return what is decided in a case."""
    return say("no decision: a tie") if case.label is None else isolated(spec.labels[case.label])
