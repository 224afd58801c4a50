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
from equiproof.circuits.tables import in_language, say
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
        return say(
            "report.bound",
            share=tenths(self.found.at_least, period.receipts),
            space=NO_BREAK,
            receipts=self.count(period.receipts),
            period=shown_period(period.name),
            radius=self.radius,
            confidence=self.percent(period.confidence),
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
        text = say(
            "report.drawn_and_certified",
            drawn=self.count(period.drawn),
            certified=every,
            features=self.sensitive(values=True),
        )
        if counts["none"]:
            text += " " + say("report.answers_without_certificate", count=self.count(counts["none"]))
        if counts["left-out"]:
            text += " " + say("report.answers_missing", count=self.count(counts["left-out"]))
        if counts["refused"]:
            text += " " + say("report.answers_refused", count=self.count(counts["refused"]))
        return text

    @property
    def promised(self) -> tuple[str, str]:
        """What the owner promised, and whether that is shown."""
        promised = self.percent(exact(self.found.period.policy.share))
        return say("report.promise", share=promised), (
            say("report.promise_kept") if self.found.kept else say("report.promise_missed")
        )

    @property
    def answered(self) -> str:
        """When the owner answered, by its own word, and by when it should have."""
        time = self.found.answered
        due = self.found.period.policy.due
        text = say("report.unsigned") if time is None else say("report.signed_at", time=_time(time))
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
            together = say("report.numbers_drew", count=drawn)
            when = f"sealed by {_time(max(lot.times['sealed']))}; opened by {_time(max(lot.times['opened']))}"
        else:
            chance = say("report.sealed_before_beacon")
            together = say("report.value_drew", count=drawn)
            which = f"round {self.count(period.round_number)} of drand’s quicknet"
            when = f"sealed by {_time(max(lot.times['sealed']))}; {which}"
        return [
            (say("report.receipts_made"), ""),
            (say("report.period_closed", receipts=receipts), "; ".join(closed)),
            (chance, when),
            (together, say("report.anybody_can_draw")),
            (say("report.answered"), self.answered),
        ]

    @property
    def means(self) -> tuple[str, Facts]:
        """What the radius means: a sentence, and how far each detail could differ."""
        spec = self.found.commitment.spec
        least = exact(self.found.period.policy.min_radius)
        facts = [
            (self.name(spec, feature), moved_alone(spec, feature, least, self.words) or say("reading.not_at_all"))
            for feature in spec.plain_features
        ]
        sensitive = self.sensitive(values=False)
        sentence = say("report.counts_if", features=sensitive)
        return sentence, facts

    @property
    def never(self) -> list[str]:
        """What this does not show, whatever it shows."""
        sensitive = self.sensitive(values=False)
        groups = [] if self.groups else [say("report.undisclosed_groups")]
        return [
            say("report.unseen_decisions"),
            say("report.invented_receipts"),
            say("report.true_details"),
            say("report.true_letters"),
            *groups,
            say("report.proxies", features=sensitive),
        ]

    @property
    def open(self) -> list[str]:
        """What the reader could have checked and did not, each with how to mend it; and what the keys leave open."""
        lot = self.found
        pins = self.pins
        register = say("unproven.register_key")
        witnesses = say("unproven.register_witnesses")
        return [
            *([] if pins.log else [register]),
            *([] if pins.auditors else [say("unproven.auditor")]),
            *([] if pins.least else [witnesses]),
            *([in_language(ABOUT_SETUP)] if lot.left_open[ABOUT_SETUP] else []),
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
        return say("report.listed_values", count=len(shown), first=shown[0], last=shown[-1])


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
