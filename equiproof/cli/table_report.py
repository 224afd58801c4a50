"""What a verification of counts by group says: as data, as text, and as a page for screen and paper."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from equiproof.circuits.tables import say

if TYPE_CHECKING:
    from equiproof.verifier.verify_table import GroupCounts, TableFigures, VerifiedTable
    from equiproof.verifier.words import Words

_DECIMALS = 4
"""The decimals of a rate."""


class Demand(NamedTuple):
    """What is required of counts, and in words what that is, how much, what was found, and whether it is met."""

    of: str
    what: str
    required: str
    found: str
    met: bool

    @property
    def sentence(self) -> str:
        """The demand in words."""
        if self.met:
            return say("table.met", what=self.what, required=self.required, found=self.found)
        return say("table.unmet", what=self.what, required=self.required, found=self.found)


def demands_of(
    figures: TableFigures,
    words: Words,
    required: tuple[int | None, int | None, Fraction | None, Fraction | None],
) -> list[Demand]:
    """Return what is required of counts, and whether it is met."""
    least_rows, least_group, impact, odds = required
    sizes = [group.rows for group in figures.by_group.values()]
    found = []
    counted = (
        ("rows", say("table.what_rows"), least_rows, sum(sizes)),
        ("group", say("table.what_group"), least_group, min(sizes)),
    )
    for of, what, least, actual in counted:
        if least is not None:
            wanted = say("table.at_least", number=words.number(Fraction(least)))
            found.append(Demand(of, what, wanted, words.number(Fraction(actual)), actual >= least))
    if impact is not None:
        own = figures.impact
        # Where nobody has the label, no group has it less often; but one group alone is compared with none.
        met = len(sizes) > 1 and (own is None or own >= impact)
        wanted = say("table.at_least", number=_shown(impact, words))
        found.append(Demand("impact", say("table.what_impact"), wanted, _shown(own, words), met))
    if odds is not None:
        own = figures.odds_difference
        met = own is not None and own <= odds
        wanted = say("table.at_most", number=_shown(odds, words))
        found.append(Demand("odds", say("table.what_odds"), wanted, _shown(own, words), met))
    return found


def _shown(share: Fraction | None, words: Words) -> str:
    """Write a share with few decimals, rounded."""
    return "-" if share is None else words.number(Fraction(round(share * 10**_DECIMALS), 10**_DECIMALS))


class Line(NamedTuple):
    """A group as people read it: its rate with an interval for a population, in words and as numbers from 0 to 1."""

    name: str
    sentence: str
    ties: str
    rate: float
    low: float
    high: float


@dataclass(frozen=True)
class TableReport:
    """Counts that hold, the label that is counted, and what was demanded of them."""

    verified: VerifiedTable
    label: str
    words: Words
    demands: list[Demand]

    @property
    def figures(self) -> TableFigures:
        """The figures of the label."""
        return self.verified.figures_of(self.label)

    @property
    def sentence(self) -> str:
        """What was verified."""
        from equiproof.circuits.text import plain

        asked = self.verified.challenge
        rows = self.words.number(Fraction(len(asked.rows)))
        return say("table.decides", rows=rows, by=plain(", ".join(asked.by)))

    @property
    def parts(self) -> list[tuple[str, list[Line]]]:
        """All rows by group, and those of each true label, below a heading each."""
        from equiproof.circuits.text import plain

        label, figures = plain(self.label), self.figures
        found = [(say("table.decided", label=label), self._lines(figures.by_group))]
        for truth, groups in figures.by_label.items():
            found.append((say("table.decided_of", label=label, truth=plain(truth)), self._lines(groups)))
        return found

    @property
    def measures(self) -> list[str]:
        """What the rates say of groups beside each other."""
        figures = self.figures
        found = [
            say("table.impact", share=_shown(figures.impact, self.words)),
            say("table.parity", share=_shown(figures.parity_difference, self.words)),
        ]
        if figures.odds_difference is not None:
            found.append(say("table.odds", share=_shown(figures.odds_difference, self.words)))
        return found

    @property
    def open(self) -> list[str]:
        """What the proof leaves open."""
        found = [
            say("table.open_rows"),
            say("table.open_population"),
            say("unproven.same_commitment"),
            say("unproven.owner_decides"),
        ]
        return found + ([say("unproven.single_party_setup")] if self.verified.key.setup == "single-party" else [])

    def _lines(self, groups: dict[str, GroupCounts]) -> list[Line]:
        """Return groups as people read them."""
        from equiproof.audits.intervals import wilson
        from equiproof.circuits.text import plain

        found = []
        for name, group in groups.items():
            low, high = wilson(group.granted, group.rows)
            count, rows, tied = (self.words.number(Fraction(one)) for one in (group.granted, group.rows, group.tied))
            ends = [_shown(Fraction(end), self.words) for end in (low, high)]
            rate = _shown(group.rate, self.words)
            sentence = say("table.rate", count=count, rows=rows, rate=rate, low=ends[0], high=ends[1])
            ties = say("table.ties", count=tied) if group.tied else ""
            found.append(Line(plain(name), sentence, ties, float(group.rate), low, high))
        return found

    def text(self) -> str:
        """Return the report for a terminal."""
        lines = [
            say("technical.verified", sentence=self.sentence),
            "  " + say("technical.model", digits=self.verified.challenge.model_commitment),
        ]
        for heading, groups in self.parts:
            width = max(len(one.name) for one in groups)
            lines += ["", heading]
            for one in groups:
                lines.append(f"  {one.name:{width}}  {one.sentence}")
                lines += [f"  {'':{width}}  {one.ties}"] * bool(one.ties)
        lines += ["", *self.measures, *(one.sentence for one in self.demands)]
        return "\n".join([*lines, "", say("technical.not_checked"), *(f"  - {line}" for line in self.open)])

    def document(self) -> dict[str, Any]:
        """Return the report as JSON data: counts are exact, shares as fractions in text."""

        def counts(groups: dict[str, GroupCounts]) -> dict[str, Any]:
            return {
                name: {"rows": group.rows, "counted": group.granted, "tied": group.tied, "rate": str(group.rate)}
                for name, group in groups.items()
            }

        verified, figures = self.verified, self.figures
        return {
            "status": "verified",
            "model_commitment": verified.challenge.model_commitment,
            "challenge": verified.challenge.digest,
            "label": self.label,
            "rows": len(verified.challenge.rows),
            "by": list(verified.challenge.by),
            "groups": counts(figures.by_group),
            "true_labels": {true: counts(groups) for true, groups in figures.by_label.items()},
            "disparate_impact": None if figures.impact is None else str(figures.impact),
            "parity_difference": str(figures.parity_difference),
            "odds_difference": None if figures.odds_difference is None else str(figures.odds_difference),
            "demands": [
                {"of": one.of, "required": one.required, "found": one.found, "met": one.met} for one in self.demands
            ],
            "key": verified.key.fingerprint,
            "setup": verified.key.setup,
            "checker": verified.checker,
            "not_checked": self.open,
        }

    def page(self) -> str:
        """Return one page without scripts: bars of rates by group with their counts, and what stays open."""
        from equiproof.verifier.letter_parts import element, items, text, whole_page

        asked = self.verified.challenge
        verdicts = "".join(element("p", text(one.sentence), "met" if one.met else "unmet") for one in self.demands)
        panels = [_panel(heading, element("ul", "".join(map(_bar, groups)), "bars")) for heading, groups in self.parts]
        facts = (
            (say("technical.model", digits=""), asked.model_commitment),
            (say("technical.key", digits=""), self.verified.key.fingerprint),
            (say("table.digest"), asked.digest),
        )
        digests = "".join(element("dt", text(name.strip())) + element("dd", digits) for name, digits in facts)
        heading = say("technical.verified", sentence=self.sentence)
        body = "\n".join(
            (
                element("header", element("span", "Equiproof", "brand"), "top"),
                "<main>" + element("h1", text(heading)),
                _panel("", "".join(element("p", text(one)) for one in self.measures) + verdicts),
                *panels,
                _panel(say("technical.not_checked"), element("ul", items(self.open))),
                _panel("", element("dl", digests, "digits")) + "</main>",
            )
        )
        style = Path(__file__).parent / "assets" / "table.css"
        return whole_page(self.words.language, text(heading), style, element("div", body, "wrap"), private=False)


def _panel(heading: str, inner: str) -> str:
    """Return a section, with a heading where it has one."""
    from equiproof.verifier.letter_parts import element, text

    return element("section", (element("h2", text(heading)) if heading else "") + inner, "panel")


def _bar(line: Line) -> str:
    """Return a group's rate as a bar from 0 to 1, above the band of its interval."""
    from equiproof.verifier.letter_parts import element, text

    low, rate = (f"{100 * share:.2f}" for share in (line.low, line.rate))
    width = f"{100 * (line.high - line.low):.2f}"
    drawn = (
        '<svg viewBox="0 0 100 12" preserveAspectRatio="none" aria-hidden="true" focusable="false">'
        '<rect class="track" x="0" y="4" width="100" height="4"/>'
        f'<rect class="rate" x="0" y="4" width="{rate}" height="4"/>'
        f'<rect class="band" x="{low}" y="1" width="{width}" height="10"/></svg>'
    )
    ties = element("p", text(line.ties), "soft") if line.ties else ""
    return element("li", element("strong", text(line.name)) + drawn + element("p", text(line.sentence)) + ties)
