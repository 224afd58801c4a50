"""What a lot shows, in words: the sentence, what it rests on, and what it does not show.

Numbers that promise something are cut, never rounded up. Names are the owner's and stand isolated, as words.py has it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime
from fractions import Fraction
from typing import Any

import msgspec

from equiproof.circuits.numbers import exact
from equiproof.circuits.spec import Spec
from equiproof.register.lot.check import Found, Judgement, Pins
from equiproof.verifier.bars import moved_alone
from equiproof.verifier.facts import ABOUT_SETUP
from equiproof.verifier.words import NO_BREAK, Words, isolated, shown_name

_MOST_LISTED = 6
_MONTHS = Words("en").say("letter.months").split()
_PERIOD = re.compile("[A-Za-z][A-Za-z0-9-]{0,19}( [0-9]{4})?|[0-9]{4}(-[A-Za-z0-9]{1,8}){0,2}")

Facts = list[tuple[str, str]]


@dataclass(frozen=True)
class Report:
    """What is said of a period; `pins` are what the reader had from elsewhere."""

    found: Found
    pins: Pins
    words: Words

    @classmethod
    def of(cls, lot: Found, pins: Pins) -> Report:
        """Return the report in English."""
        return cls(lot, pins, Words("en"))

    @property
    def sentence(self) -> str:
        """What the lot shows."""
        period = self.found.period
        return (
            f"At least {tenths(self.found.at_least, period.receipts)}{NO_BREAK}% of the {self.count(period.receipts)} "
            f"decisions of {shown_period(period.name)} carry a certificate of radius {self.radius} or more, with "
            f"{self.percent(period.confidence)} confidence."
        )

    @property
    def radius(self) -> str:
        """The least radius of the period."""
        return self.words.number(exact(self.found.period.policy.min_radius))

    @property
    def drawn(self) -> str:
        """How many were drawn, and how many of them have a certificate; for the others, why not."""
        period = self.found.period
        certified = self.found.certified
        counts = Counter(one.verdict for one in self.found.judgements)
        every = f"All {self.count(certified)}" if certified == period.drawn else self.count(certified)
        text = (
            f"{self.count(period.drawn)} were drawn by lot. {every} have a valid certificate: for those details, the "
            f"decision does not depend on {self.sensitive(values=True)}."
        )
        if counts["none"]:
            text += f" For {self.count(counts['none'])}, the lender had none."
        if counts["left-out"]:
            text += f" For {self.count(counts['left-out'])}, the lender gave no answer."
        if counts["refused"]:
            text += f" For {self.count(counts['refused'])}, it gave an answer that does not hold."
        return text

    @property
    def promised(self) -> tuple[str, str]:
        """What the owner promised, and whether that is shown."""
        promised = self.percent(exact(self.found.period.policy.share))
        return f"The lender’s policy for this period promised {promised}.", (
            "That is shown." if self.found.kept else "That is not shown."
        )

    @property
    def answered(self) -> str:
        """When the owner answered, by its own word, and by when it should have."""
        time = self.found.answered
        due = self.found.period.policy.due
        text = (
            "No answer is signed." if time is None else f"The lender signed its answers by {_time(time)}, as it states."
        )
        if isinstance(due, msgspec.UnsetType):
            return f"{text} The period names no day by which they were due."
        return f"{text} They were due by {_day(date.fromisoformat(due))}{': late' if self.found.late else ''}."

    @property
    def steps(self) -> list[tuple[str, str]]:
        """How the receipts were drawn, each step with its details."""
        lot = self.found
        period = self.found.period
        receipts = self.count(period.receipts)
        closed = [f"register size {self.count(period.size)}"]
        closed += [f"{len(lot.witnessed)} of your witnesses"] if lot.witnessed else []
        drawn = self.count(period.drawn)
        if period.by == "nonces":
            chance = "Auditor and lender each put down a sealed number, then opened it. Neither could choose the draw; "
            chance += "not opening would have shown."
            together = f"All these numbers together drew {drawn} receipts."
            when = f"sealed by {_time(max(lot.times['sealed']))}; opened by {_time(max(lot.times['opened']))}"
        else:
            chance = "Auditor and lender sealed the period before a public random value came out, which they had named."
            together = f"That value drew {drawn} receipts."
            which = f"round {self.count(period.round_number)} of drand’s quicknet"
            when = f"sealed by {_time(max(lot.times['sealed']))}; {which}"
        return [
            ("Every decision left a receipt in the public register when it was made.", ""),
            (f"The period was closed: {receipts} receipts, fixed.", "; ".join(closed)),
            (chance, when),
            (together, "anybody can draw again"),
            ("The lender answered each with a certificate, or with “none”.", self.answered),
        ]

    @property
    def means(self) -> tuple[str, Facts]:
        """What the radius means: a sentence, and how far each detail could differ."""
        spec = self.found.commitment.spec
        least = exact(self.found.period.policy.min_radius)
        facts = [
            (self.name(spec, feature), moved_alone(spec, feature, least, self.words) or "not at all")
            for feature in spec.plain_features
        ]
        sensitive = self.sensitive(values=False)
        sentence = (
            f"A certificate counts if the decision is the same for every listed value of {sensitive}, and if any one "
            "detail could differ at least this far:"
        )
        return sentence, facts

    @property
    def never(self) -> list[str]:
        """What this does not show, whatever it shows."""
        sensitive = self.sensitive(values=False)
        groups = [] if self.groups else ["How often each group was refused. The lender discloses no groups."]
        return [
            "Decisions that left no receipt. Only the applicant concerned can notice, by the own receipt.",
            "Receipts of people who never applied. Invented ones would thin out the share.",
            "Whether the details in a certificate are the true ones.",
            "Whether the letters said what the model decided.",
            *groups,
            f"Whether other details stand in for {sensitive}.",
        ]

    @property
    def open(self) -> list[str]:
        """What the reader could have checked and did not, each with how to mend it; and what the keys leave open."""
        lot = self.found
        pins = self.pins
        register = "that this is the register that everybody sees: its key came with the period (--log-key)"
        witnesses = "that others saw the same register: no witness was asked (--witnesses)"
        return [
            *([] if pins.log else [register]),
            *([] if pins.auditors else ["that the auditor is one that you know (--auditor)"]),
            *([] if pins.least else [witnesses]),
            *([ABOUT_SETUP] if lot.left_open[ABOUT_SETUP] else []),
        ]

    @property
    def groups(self) -> list[tuple[str, int, int, Counter[str]]]:
        """By group, as the owner names them: how many were drawn, how many are certified, and their decisions."""
        rows: dict[str, list[Judgement]] = {}
        for one in self.found.judgements:
            if one.group:
                rows.setdefault(one.group, []).append(one)
        return [
            (
                group,
                len(some),
                sum(one.verdict == "certified" for one in some),
                Counter(one.label for one in some if one.label),
            )
            for group, some in sorted(rows.items())
        ]

    @property
    def document(self) -> dict[str, Any]:
        """All of it for programs."""
        lot = self.found
        period = self.found.period
        return {
            "period": period.name,
            "owner": period.owner,
            "digest": period.digest.hex(),
            "sentence": plain(self.sentence),
            "receipts": period.receipts,
            "first": period.first,
            "last": period.last,
            "drawn": period.drawn,
            "certified": lot.certified,
            "at_least": lot.at_least,
            "share_percent": tenths(lot.at_least, period.receipts),
            "confidence": period.policy.confidence,
            "min_radius": period.policy.min_radius,
            "promised": period.policy.share,
            "promise_shown": lot.kept,
            "all_answers_hold": lot.honest,
            "seed": lot.drawn.seed.hex(),
            "by": period.by,
            "due": None if isinstance(period.policy.due, msgspec.UnsetType) else period.policy.due,
            "answered": lot.answered,
            "late": lot.late,
            "witnesses": lot.witnessed,
            "answers": [
                {"entry": one.entry, "receipt": one.receipt, "verdict": one.verdict}
                | ({"why": one.why} if one.why else {})
                | ({"label": one.label} if one.label else {})
                | ({"group": one.group} if one.group else {})
                for one in lot.judgements
            ],
            "groups_by": period.groups if self.groups else None,
            "does_not_show": [plain(text) for text in self.never],
            "checks_not_made": self.open,
        }

    def count(self, number: int) -> str:
        """Return a count with its digits in groups."""
        return self.words.number(Fraction(number))

    def percent(self, share: Fraction) -> str:
        """Return a share that somebody stated as decimal text."""
        return f"{self.words.number(share * 100)}{NO_BREAK}%"

    def name(self, spec: Spec, feature: Any) -> str:
        """Return a feature's name as it is shown."""
        return self.words.word(shown_name(spec, feature))

    def sensitive(self, *, values: bool) -> str:
        """Return the sensitive features, with their listed values or without."""
        spec = self.found.commitment.spec
        return self.words.joined(
            [
                self.name(spec, one) + (f" ({self._values(one.domain)})" if values else "")
                for one in spec.sensitive_features
            ]
        )

    def _values(self, domain: Sequence[str]) -> str:
        """Return the values of a sensitive feature, of many the first and the last."""
        shown = [self.words.word(value) for value in domain]
        if len(shown) <= _MOST_LISTED:
            return ", ".join(shown)
        return f"{len(shown)} listed values from {shown[0]} to {shown[-1]}"


def shown_period(name: str) -> str:
    """Return a period's name as it stands in a sentence: in quotation marks unless it is one word, or one and a year.

    It is the owner's own and may be long: "March. All of them" must not be read as a part of the sentence.
    """
    return isolated(name) if _PERIOD.fullmatch(name) else Words("en").quoted(name)


def _time(text: str) -> str:
    """Return a time of the files as people write it, in UTC."""
    time = datetime.fromisoformat(text)
    return f"{_day(time)}, {time:%H:%M}{NO_BREAK}UTC"


def _day(day: date) -> str:
    """Return a day as people write it."""
    return f"{day.day}{NO_BREAK}{_MONTHS[day.month - 1]} {day.year}"


def tenths(part: int, whole: int) -> str:
    """Return a share in percent with one decimal, cut."""
    cut = part * 1000 // whole
    return f"{cut // 10}.{cut % 10}"


def plain(text: str) -> str:
    """Return a text without what isolates names and keeps blanks."""
    return text.replace("\u2068", "").replace("\u2069", "").replace(NO_BREAK, " ")
