"""What the audit `recourse` says: the names of its figures, and sentences in English and German."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from equiproof.audits.records import Estimate, ReportFields
from equiproof.certify.digits import number

OUTCOMES = ("way", "none", "dependent", "undecided")
OUTCOME = "outcome"
"""The column of the findings with one of the outcomes."""

TODAY_CAPTION = "How rows are decided, over all listed values"
TODAY_COLUMNS = (
    "group", "rows", "granted for every value", "decided both ways", "a tie for some", "refused for every value",
)  # fmt: skip
"""The table of all rows, which begins with a line for all of them."""

REFUSED = "share refused for every listed value"
WAY = "share of those asked with a way"
NONE = "share of those asked whom no allowed change helps"
DEPENDENT = "share of those asked whose recourse depends on a sensitive value"
MEDIAN = "median cost of the cheapest way, of all asked"
MEAN = "mean cost of the cheapest way, of those with a way"
"""The names of figures; the differences of three of them are named by :func:`gap_of`."""

COMPARED = (WAY, NONE, MEDIAN)
"""The figures whose differences between groups are reported. Means are of different people, and have none."""

_SHORT = {WAY: "the share with a way", NONE: "the share whom nothing helps", MEDIAN: "the median cost"}
_KURZ = {WAY: "der Anteil mit einem Weg", NONE: "der Anteil, dem nichts hilft", MEDIAN: "der Median der Kosten"}


@dataclass(frozen=True)
class _Words:
    """What is said of differences: that one is shown, that none is, and what joins two features."""

    by: str
    none: str
    both: str


_ENGLISH = _Words("is shown to differ by", "No difference between groups is shown.", " and ")
_GERMAN = _Words("unterscheidet sich erwiesen nach", "Kein Unterschied zwischen Gruppen ist erwiesen.", " und ")


def gap_of(measure: str, by: str) -> str:
    """Return the name of the difference of a figure between the groups of some features."""
    return f"{measure}: difference by {by}"


@dataclass(frozen=True)
class Said:
    """What sentences say: how many were asked, by outcome; sensitive features; and what is shown to differ by which.

    `both` counts rows that are decided both ways. `shown` has a figure and the features by which it differs, `compared`
    is whether any difference has an interval.
    """

    asked: int
    both: int
    counts: Counter[str]
    features: tuple[str, ...]
    shown: tuple[tuple[str, str], ...]
    compared: bool

    @property
    def english(self) -> str:
        """Up to three sentences in English."""
        names = _joined(self.features, "and")
        others = {0: "", 1: f" One row is decided both ways by {names} and was not asked."}
        both = others.get(self.both, f" {number(self.both)} rows are decided both ways by {names} and were not asked.")
        if not self.asked:
            return f"Nobody was asked: no row is refused for every listed value.{both}"
        way, none, dependent, undecided = (number(self.counts[kind]) for kind in OUTCOMES)
        people = f"{number(self.asked)} refused {'person' if self.asked == 1 else 'people'} asked"
        first = f"Of {people}, recourse depends on {names} alone for {'nobody' if dependent == '0' else dependent}."
        verb = "is" if len(self.features) == 1 else "are"
        second = f" Whatever {names} {verb}, there is a way for {way} and none for {none}"
        also = "." if undecided == "0" else f"; undecided: {undecided}."
        return f"{first}{second}{also}{both}{self._differences(_SHORT, _ENGLISH)}"

    @property
    def german(self) -> str:
        """The same in German."""
        names = _joined(self.features, "und")
        others = {0: "", 1: f" Eine Zeile wird je nach {names} verschieden entschieden und wurde nicht gefragt."}
        both = others.get(
            self.both,
            f" {_german(self.both)} Zeilen werden je nach {names} verschieden entschieden und wurden nicht gefragt.",
        )
        if not self.asked:
            return f"Niemand wurde gefragt: Keine Zeile wird für jeden genannten Wert abgelehnt.{both}"
        way, none, dependent, undecided = (_german(self.counts[kind]) for kind in OUTCOMES)
        whom = "niemandem" if dependent == "0" else dependent
        people = f"{_german(self.asked)} gefragten Abgelehnten"
        first = f"Von {people} hängt es bei {whom} allein von {names} ab, ob etwas hilft."
        verb = "hat" if len(self.features) == 1 else "haben"
        second = f" Gleich welchen Wert {names} {verb}, gibt es für {way} einen Weg und für {none} keinen"
        also = "." if undecided == "0" else f"; unentschieden: {undecided}."
        return f"{first}{second}{also}{both}{self._differences(_KURZ, _GERMAN)}"

    def _differences(self, figures: dict[str, str], words: _Words) -> str:
        """Say which figures are shown to differ between groups; nothing where none could be compared."""
        if not self.compared:
            return ""
        parts = [f"{figures[measure]} {words.by} {by.replace(' and ', words.both)}" for measure, by in self.shown]
        text = "; ".join(parts)
        return f" {text[0].upper()}{text[1:]}." if parts else f" {words.none}"


def said(report: ReportFields) -> Said | None:
    """Return what a report says; None for a report of another form."""
    outcomes = [one.values.get(OUTCOME) for one in report.findings]
    today = next((one for one in report.tables if (one.caption, one.columns) == (TODAY_CAPTION, TODAY_COLUMNS)), None)
    if today is None or not today.rows or not all(one in OUTCOMES for one in outcomes):
        return None
    both = today.rows[0][TODAY_COLUMNS.index("decided both ways")]
    compared = [(*split, one) for one in report.estimates if (split := _split(one)) is not None]
    shown = [(measure, by) for measure, by, one in compared if differs(one)]
    return Said(
        len(outcomes),
        both if isinstance(both, int) else 0,
        Counter(str(one) for one in outcomes),
        report.sensitive_features,
        tuple(shown),
        any(one.lower is not None for _, _, one in compared),
    )


def differs(gap: Estimate) -> bool:
    """Return whether a difference is shown: its interval lies above 0."""
    return gap.lower is not None and gap.lower > 0


def _split(estimate: Estimate) -> tuple[str, str] | None:
    """Return the figure and the features of a difference; None for another estimate."""
    for measure in COMPARED:
        begin = gap_of(measure, "")
        if estimate.measure.startswith(begin):
            return measure, estimate.measure.removeprefix(begin)
    return None


def _joined(names: Iterable[str], word: str) -> str:
    """Return names of features in a row."""
    *first, last = (name.replace("_", " ") for name in names)
    return f"{', '.join(first)} {word} {last}" if first else last


def _german(count: int) -> str:
    """Return a count as German writes it."""
    return number(count).replace(",", ".")
