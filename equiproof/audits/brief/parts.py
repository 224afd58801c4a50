"""The parts of a report's first screen, and the words that all audits share."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

import msgspec

from equiproof.audits.measures import interval_of, value_of
from equiproof.audits.records import Estimate, Model, ReportFields
from equiproof.certify.digits import number
from equiproof.certify.many.point import Assignment
from equiproof.certify.models.comparison import Comparison

Tag = Literal["cases found", "no case found", "undecided", "measures only", "not applicable", "failed"]

_ORDER: tuple[Tag, ...] = (
    "cases found", "undecided", "failed", "no case found", "measures only", "not applicable",
)  # fmt: skip
_NUMBER_WORDS = [
    "none",
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "eleven",
    "twelve",
]


class Ended(Protocol):
    """An audit that ended without a report."""

    @property
    def audit(self) -> str:
        """Its name."""

    @property
    def outcome(self) -> Literal["failed", "not applicable"]:
        """How it ended."""

    @property
    def reason(self) -> str:
        """Why, in one line."""


class Run(Protocol):
    """The audits of one model, as far as the first screen reads them."""

    @property
    def model(self) -> Model:
        """The model that was audited."""

    @property
    def reports(self) -> Sequence[ReportFields]:
        """The reports."""

    @property
    def failures(self) -> Sequence[Ended]:
        """The audits without one."""

    @property
    def compared(self) -> Comparison | msgspec.UnsetType | None:
        """What is known of a comparison with the owner's own decisions."""


@dataclass(frozen=True)
class Figure:
    """A number that is read first, and what it is; `estimate` is the one whose interval stands in brackets, if any."""

    value: str
    what: str
    estimate: Estimate | None = None


@dataclass(frozen=True)
class Brief:
    """An audit in short: its outcome, the question that it asks, the answer in a sentence, at most three numbers."""

    audit: str
    tag: Tag
    question: str
    answer: str
    figures: tuple[Figure, ...] = ()

    @property
    def rank(self) -> int:
        """The place of its outcome among others: what needs an answer comes first."""
        return _ORDER.index(self.tag)


@dataclass(frozen=True)
class Step:
    """Something to do next; `link` stands between the other two parts and leads to `target`, a part of the page."""

    before: str
    link: str = ""
    after: str = ""
    target: str = ""

    def __str__(self) -> str:
        return f"{self.before}{self.link}{self.after}"


def shown(name: str) -> str:
    """Return the name of a feature as people read it."""
    return name.replace("_", " ")


def joined(names: Sequence[str], word: str = "and") -> str:
    """Return names in a row: "sex", "sex and race", "sex, race and age"."""
    *first, last = map(shown, names)
    return f"{', '.join(first)} {word} {last}" if first else last


def sensitive(report: ReportFields, word: str = "and") -> str:
    """Return the sensitive features of a report in words."""
    return joined(report.sensitive_features, word) if report.sensitive_features else "a sensitive feature"


def does(report: ReportFields) -> str:
    """Return the verb that goes with the sensitive features."""
    return "Do" if len(report.sensitive_features) > 1 else "Does"


def counted(how_many: int) -> str:
    """Return a small number as a word."""
    return _NUMBER_WORDS[how_many] if how_many < len(_NUMBER_WORDS) else number(how_many)


def capital(text: str) -> str:
    """Return a text that begins with a capital letter."""
    return text[:1].upper() + text[1:]


def grouped(group: Assignment) -> str:
    """Return a group as "sex = female"."""
    return ", ".join(f"{shown(name)} = {value}" for name, value in group)


def ends(estimate: Estimate) -> str:
    """Return the interval of a share in brackets and whole percents, or nothing if it has none."""
    if estimate.lower is None or estimate.upper is None or estimate.confidence >= 1 or estimate.method == "exact":
        return ""
    return f" ({interval_of(estimate, places=0)})"


def named(estimates: Iterable[Estimate], begins: str) -> list[Estimate]:
    """Return the estimates that have a value and whose measure begins with a text."""
    return [one for one in estimates if one.measure.startswith(begins) and one.value is not None]


def apart(estimates: Iterable[Estimate], begins: str) -> list[Estimate]:
    """Return of two or more groups those with the least and the largest value of one measure, in the report's order.

    Of several measures, such as the rates of three labels, and of several features it is the one whose groups are
    furthest apart: groups of different features overlap. Groups of one feature come before those of several. Small
    groups are left to the report: the rate of a few people is chance.
    """
    candidates = [one for one in named(estimates, begins) if one.group and not one.small]
    for fits in ([one for one in candidates if len(one.group) == 1], candidates):
        by_kind: dict[tuple[str, ...], list[Estimate]] = {}
        for one in fits:
            by_kind.setdefault((one.measure, *(name for name, _ in one.group)), []).append(one)
        several = [own for own in by_kind.values() if len({one.group for one in own}) > 1]
        if several:
            widest = max(several, key=_spread)
            extremes = [min(widest, key=_value), max(reversed(widest), key=_value)]
            return sorted(extremes, key=widest.index)
    return candidates[:1]


def figure(estimate: Estimate, what: str) -> Figure:
    """Return an estimate as a figure with its interval."""
    interval = ends(estimate)
    return Figure(value_of(estimate), f"{what}{interval}", estimate if interval else None)


def of(some: int, total: int) -> str:
    """Return a part of a number of things."""
    return f"{number(some)} of {number(total)}"


def _spread(estimates: Sequence[Estimate]) -> float:
    """Return the largest value minus the least one."""
    values = [_value(one) for one in estimates]
    return max(values) - min(values)


def _value(estimate: Estimate) -> float:
    """Return the value of an estimate that has one."""
    return estimate.value or 0.0
