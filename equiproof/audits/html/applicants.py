"""One card per applicant: the results of certification and of every audit for the same row, worst first."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from equiproof.audits.brief import finding_words, judges
from equiproof.audits.dated import shown
from equiproof.audits.errors import AuditError
from equiproof.audits.html import words
from equiproof.audits.html.bars import Bar, bar
from equiproof.audits.html.decoding import TIE, Pair, pair
from equiproof.audits.meanings import reading
from equiproof.audits.presentation import in_words
from equiproof.audits.records import LOGIT_BITS, Finding
from equiproof.audits.report import AuditReport
from equiproof.certify.many.point import NearFlip, PointResult
from equiproof.certify.many.results import Results
from equiproof.circuits.names import after_number
from equiproof.circuits.spec import Feature, Spec, SpecError
from equiproof.circuits.units import in_units, interval, kept_to, radius_of_any

Rows = Sequence[Mapping[str, Any]]

_MAX_BITS = 4096
"""More binary places are no number of them; a document may say anything."""

_ORDER = ("unfair", "undecided", "fair", "measured")


@dataclass(frozen=True)
class Move:
    """How far a feature alone may move, with the applicant's own value and a picture of it if that is known."""

    name: str
    text: str
    bar: Bar | None = None


@dataclass(frozen=True)
class Certified:
    """The certification of a row in words.

    `flips` are the sensitive values with their decisions, `ranges` the ranges to which the spec restricts neighbors.
    """

    verdict: str
    meaning: str
    radius: str = ""
    ending: str = ""
    moves: tuple[Move, ...] = ()
    ranges: tuple[Move, ...] = ()
    nearest: str = ""
    limit: str = ""
    reason: str = ""
    flips: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True)
class ShownFinding:
    """A finding of one audit, its bounds and own values in words, its counterexample side by side.

    `said` is the word for its verdict; `judges` is false where the audit only measures.
    """

    audit: str
    finding: Finding
    said: str
    judges: bool
    bounds: str
    measures: str
    group: str
    values: tuple[tuple[str, str], ...]
    pair: Pair | None


@dataclass
class Person:
    """All results for one row."""

    row: int
    given: tuple[tuple[str, str], ...] = ()
    certified: Certified | None = None
    findings: list[ShownFinding] = field(default_factory=list)
    size: float = float("inf")

    @property
    def verdicts(self) -> tuple[tuple[str, str], ...]:
        """The verdicts on the row, by source; an audit that only measures gives none."""
        verdicts = [] if self.certified is None else [("certification", self.certified.verdict)]
        return (*verdicts, *((one.audit, one.finding.verdict) for one in self.findings if one.judges))

    @property
    def verdict(self) -> str:
        """The worst verdict on the row, "measured" if there is none."""
        return min((verdict for _, verdict in self.verdicts), key=_ORDER.index, default="measured")

    @property
    def key(self) -> tuple[int, float, int]:
        """The sort key of the card: worst verdict first, then smallest radius."""
        return _ORDER.index(self.verdict), self.size, self.row


def refuse_rows(rows: Rows, spec: Spec | None, results: Results | None) -> None:
    """Raise AuditError for rows that the spec does not encode, and for results on rows that are missing."""
    if not rows:
        return
    if spec is None:
        raise AuditError("rows: the spec is needed to read them: add --spec or --results")
    for number, row in enumerate(rows, start=1):
        try:
            spec.encode(row)
        except SpecError as error:
            raise AuditError(f"row {number}: {error}") from None
    beyond = [point.row for point in results or () if point.row > len(rows)]
    if beyond:
        raise AuditError(
            f"results: row {beyond[0]} is certified, but there are only {len(rows)} rows: give the same rows"
        )
    if results is not None and len(results) < len(rows):
        raise AuditError(
            f"results: {len(results)} rows are certified, but {len(rows):,} are audited: certify the same rows"
        )


def refuse_other_rows(results: Results | None, decided: Mapping[int, str | None]) -> None:
    """Raise AuditError where a certified decision is not that of the audited row of the same number.

    `decided` are decisions of audited rows by number; where a row is certified as fair, all of its decisions are one.
    """
    for point in results or ():
        if point.verdict == "fair" and point.row in decided and decided[point.row] != point.label:
            raise AuditError(
                f"results: of other rows: row {point.row} is certified as {words.harmless(str(point.label))}, and the "
                f"audited row {point.row} is decided otherwise; certify the same rows, in the same order"
            )


def refuse_other_people(rows: Rows, reports: Sequence[AuditReport], spec: Spec | None) -> None:
    """Raise AuditError for rows that are not those of the audit `groups`, as far as their categories show it."""
    kinds = {} if spec is None else {feature.name: feature.kind for feature in spec.sensitive_features}
    findings = [one for report in reports if report.audit == "groups" for one in report.findings if one.row]
    for finding in findings if rows else ():
        number = finding.row or 0
        row = rows[number - 1] if number <= len(rows) else {}
        known = [(name, value) for name, value in finding.group if kinds.get(name) == "categorical" and name in row]
        if number > len(rows) or any(str(row[name]) != value for name, value in known):
            raise AuditError(
                f"rows: row {number} is not the audited row {number}: give the rows of the audit, in the same order"
            )


def audited_decisions(reports: Sequence[AuditReport]) -> dict[int, str | None]:
    """Return the decisions of rows that saved reports state, by row."""
    return {
        one.row: None if (decision := one.values["decision"]) is None else str(decision)
        for report in reports
        for one in report.findings
        if report.audit == "groups" and one.row is not None and "decision" in one.values
    }


def chosen(reports: Sequence[AuditReport], results: Results | None, most: int) -> tuple[set[int], int]:
    """Return the rows that get a card, worst first, and the total number of rows."""
    known: dict[int, Person] = {}
    for point in results or ():
        known[point.row] = Person(point.row, certified=Certified(point.verdict, ""), size=_size(point))
    for report in reports:
        judging = judges(report)
        for one in report.findings:
            if one.row is not None:
                person = known.setdefault(one.row, Person(one.row))
                person.findings.append(ShownFinding(report.audit, one, "", judging, "", "", "", (), None))
    ranked = sorted(known.values(), key=lambda person: person.key)
    return {person.row for person in ranked[:most]}, len(ranked)


def people(
    reports: Sequence[AuditReport], results: Results | None, spec: Spec | None, rows: Rows, shown: set[int]
) -> list[Person]:
    """Return the cards of some rows, worst first."""
    known: dict[int, Person] = {}
    for point in results or ():
        if point.row in shown and results is not None:
            row = rows[point.row - 1] if rows else None
            certified = certification(point, results.spec, row)
            known[point.row] = Person(point.row, certified=certified, size=_size(point))
    for report in reports:
        for one in report.findings:
            if one.row in shown and one.row is not None:
                known.setdefault(one.row, Person(one.row)).findings.append(shown_finding(report, one, spec))
    for person in known.values():
        if spec is not None and person.row <= len(rows):
            person.given = _given(spec, rows[person.row - 1])
    return sorted(known.values(), key=lambda person: person.key)


def shown_finding(report: AuditReport, finding: Finding, spec: Spec | None) -> ShownFinding:
    """Return a finding in words."""
    verdict = finding_words(report)[finding.verdict]
    return ShownFinding(
        report.audit,
        finding,
        verdict,
        judges(report),
        words.bounds(finding.lower, finding.upper),
        report.measures,
        in_words(finding.group),
        tuple((name, words.cell(value, name)) for name, value in finding.values.items() if value is not None),
        None
        if finding.counterexample is None
        else pair(finding.counterexample, spec, _bits(report), reading(report.model.spec_name)),
    )


def _bits(report: AuditReport) -> int | None:
    """Return the binary places of a report's logits, if it states them."""
    bits = report.settings.get(LOGIT_BITS)
    return bits if isinstance(bits, int) and 0 <= bits <= _MAX_BITS else None


def _ending(point: PointResult, spec: Spec) -> str:
    """Say why no larger radius is stated where it is not the decision that changes."""
    if not point.capped:
        return ""
    return (
        "ends where another value of a category begins"
        if point.ends_at_a_value(spec)
        else "the largest that certificates state"
    )


def certification(point: PointResult, spec: Spec, row: Mapping[str, Any] | None) -> Certified:
    """Return a point of the results in words."""
    sensitive = " and ".join(feature.name for feature in spec.sensitive_features)
    meaning = {
        "fair": f"The decision is {point.label}, whatever the value of {sensitive}.",
        "unfair": f"A change of {sensitive} alone changes the decision.",
        "undecided": "Neither proven fair nor shown to be unfair.",
    }[point.verdict]
    squared = point.radius_squared if point.verdict != "unfair" else None
    radius = Fraction(0) if squared is None else radius_of_any(spec, squared)
    return Certified(
        point.verdict,
        meaning,
        radius="" if point.radius is None else f"{point.radius:f}",
        ending=_ending(point, spec),
        moves=tuple(_move(spec, feature, squared, row) for feature in spec.plain_features)
        if radius and squared is not None
        else (),
        ranges=tuple(Move(feature.name, kept_to(spec, feature)) for feature in spec.plain_features)
        if radius and spec.use_ranges
        else (),
        nearest=_nearest(point.flip),
        limit=_limit(point),
        reason="" if point.reason is None else words.REASONS[point.reason],
        flips=tuple((in_words(case.sensitive), TIE if case.label is None else case.label) for case in point.cases),
    )


def _move(spec: Spec, feature: Feature, squared: int, row: Mapping[str, Any] | None) -> Move:
    """Return how far a feature alone may move."""
    radius = radius_of_any(spec, squared)
    if row is None:
        return Move(feature.name, in_units(feature, radius))
    own = row[feature.name]
    picture = None if own is None else bar(spec, feature, squared, own)
    return Move(feature.name, interval(spec, feature, radius, own), picture)


def _nearest(flip: NearFlip | None) -> str:
    """Return the nearest different decision that the search found, in words."""
    if flip is None:
        return ""
    decision = TIE if flip.label is None else f"decision {flip.label}"
    return f"{flip.distance:f} away, with {in_words(flip.sensitive)}: {decision}. A closer one may exist."


def _limit(point: PointResult) -> str:
    """Return the bounds of the distance to the decision boundary in words."""
    if point.exact is None:
        return ""
    upper = "an unknown distance" if point.exact.upper is None else f"{point.exact.upper:f}"
    return f"between {point.exact.lower:f} and {upper}"


def _given(spec: Spec, row: Mapping[str, Any]) -> tuple[tuple[str, str], ...]:
    """Return the raw values of a row that the spec names: dates, or what stands there with its unit."""
    read = reading(spec.name)
    return tuple(
        (feature.name, read(_shown(feature, row[feature.name]))) for feature in spec.features if feature.name in row
    )


def _shown(feature: Feature, value: object) -> str:
    """Return a value of a row as people read it."""
    has_unit = value is not None and not isinstance(feature.start, str)
    return shown(feature, value) + (after_number(feature.unit) if has_unit else "")


def _size(point: PointResult) -> float:
    """Return the radius as a sort key, 0 if there is none."""
    return 0.0 if point.radius is None else float(point.radius)
