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
from equiproof.circuits.tables import say, spoken
from equiproof.register.lot.check import Found, Judgement, Pins
from equiproof.verifier.bars import moved_alone
from equiproof.verifier.reports import given, said, some, yes
from equiproof.verifier.words import NO_BREAK, Words, isolated, shown_name

_MOST_LISTED = 6
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
        """Return the report in the language that is spoken, in which it is then read."""
        return cls(lot, pins, Words(spoken()))

    @property
    def sentence(self) -> str:
        """What the lot shows."""
        period = self.found.period
        return say(
            "report.bound",
            share=tenths(self.found.at_least, period.receipts).replace(".", self.words.say("number.point")),
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
        every = self.count(certified)
        if certified == period.drawn:
            every = say("report.all_certified", certified=every)
        facts = {
            "uncertified": some(counts["none"]),
            "unanswered": some(counts["left-out"]),
            "refused": some(counts["refused"]),
        }
        lines = said(
            "lot",
            "drawn",
            facts,
            drawn=self.count(period.drawn),
            certified=every,
            features=self.sensitive(values=True),
            without=self.count(counts["none"]),
            missing=self.count(counts["left-out"]),
            refused=self.count(counts["refused"]),
        )
        return " ".join(lines)

    @property
    def promised(self) -> tuple[str, str]:
        """What the owner promised, and whether that is shown."""
        share = self.percent(exact(self.found.period.policy.share))
        promise, kept = said("lot", "promised", {"kept": yes(self.found.kept)}, share=share)
        return promise, kept

    @property
    def answered(self) -> str:
        """When the owner answered, by its own word, and by when it should have."""
        time, due = self.found.answered, self.found.period.policy.due
        facts = {"signed": yes(time), "due": "late" if self.found.late else "met"}
        values = {"time": self.time(time)} if time else {}
        if isinstance(due, msgspec.UnsetType):
            facts["due"] = "unnamed"
        else:
            values["day"] = self.day(date.fromisoformat(due))
        return " ".join(said("lot", "answered", facts, **values))

    @property
    def steps(self) -> list[tuple[str, str]]:
        """How the receipts were drawn, each step with its details."""
        lot = self.found
        period = self.found.period
        receipts = self.count(period.receipts)
        closed = [say("report.register_size", size=self.count(period.size))]
        closed += [say("report.your_witnesses", witnesses=len(lot.witnessed))] if lot.witnessed else []
        chance, together = said("lot", "draw", {"by": period.by}, count=self.count(period.drawn))
        sealed = self.time(max(lot.times["sealed"]))
        if period.by == "nonces":
            when = say("report.sealed_and_opened", sealed=sealed, opened=self.time(max(lot.times["opened"])))
        else:
            when = say("report.sealed_before_round", sealed=sealed, round=self.count(period.round_number))
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
            (self.name(spec, feature), moved_alone(feature, least, self.words) or say("reading.not_at_all"))
            for feature in spec.plain_features
        ]
        sensitive = self.sensitive(values=False)
        sentence = say("report.counts_if", features=sensitive)
        return sentence, facts

    @property
    def never(self) -> list[str]:
        """What this does not show, whatever it shows."""
        groups = {"groups": some(len(self.groups))}
        return said("lot", "never", groups, features=self.sensitive(values=False))

    @property
    def open(self) -> list[str]:
        """What the reader could have checked and did not, each with how to mend it; and what the keys leave open."""
        pins = self.pins
        facts = {
            "log_key": given(pins.log),
            "auditors": given(pins.auditors),
            "witnesses": "asked" if pins.least else "none",
            "forgeable": yes(self.found.forgeable),
        }
        return said("lot", "open", facts)

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

    def time(self, text: str) -> str:
        """Return a time of the files as people write it, in UTC."""
        time = datetime.fromisoformat(text)
        return f"{self.day(time)}, {time:%H:%M}{NO_BREAK}UTC"

    def day(self, day: date) -> str:
        """Return a day as people write it."""
        return self.words.day(day)

    def name(self, spec: Spec, feature: Any) -> str:
        """Return a feature's name as it is shown."""
        return self.words.word(shown_name(spec, feature, self.words.language))

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
    return isolated(name) if _PERIOD.fullmatch(name) else Words(spoken()).quoted(name)


def tenths(part: int, whole: int) -> str:
    """Return a share in percent with one decimal, cut."""
    cut = part * 1000 // whole
    return f"{cut // 10}.{cut % 10}"


def plain(text: str) -> str:
    """Return a text without what isolates names and keeps blanks."""
    return text.replace("\u2068", "").replace("\u2069", "").replace(NO_BREAK, " ")
