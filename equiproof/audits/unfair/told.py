"""What the audit `unfair` says: the names of its columns, and a sentence in English and German."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from equiproof.audits.records import ReportFields
from equiproof.certify.digits import percent

SUBJECT = "the whole domain"
COURSE = "How the bounds of the unfair share close in"
COLUMNS = ("boxes", "open boxes", "least share", "largest share")
DENSITY = "density"
UNIFORM, ROWS = "uniform", "rows"
DENSITIES = (UNIFORM, ROWS)

_WEIGHED = {UNIFORM: "every applicant counted alike", ROWS: "values weighed as often as the rows have them"}
_GEWICHTET = {UNIFORM: "alle gleich gezählt", ROWS: "Werte so oft gezählt wie in den Zeilen"}


@dataclass(frozen=True)
class Said:
    """What sentences say: the bounds of the share, the sensitive features, and how applicants are weighed."""

    lower: float
    upper: float
    features: tuple[str, ...]
    density: str

    @property
    def english(self) -> str:
        """A sentence in English."""
        names = _joined(self.features, "and")
        of = f"of all possible applicants, {_WEIGHED[self.density]}"
        if not self.upper:
            return f"The decision never changes with {names} alone: this is proven {of}."
        least, most = self._ends()
        share = f"exactly {least}" if self.lower == self.upper else f"at least {least} and at most {most}"
        return f"The decision changes with {names} alone for {share} {of}."

    @property
    def german(self) -> str:
        """The same in German."""
        names = _joined(self.features, "und")
        of = f"aller möglichen Antragstellenden ({_GEWICHTET[self.density]})"
        if not self.upper:
            return f"Allein durch {names} ändert sich die Entscheidung nie: Das ist für alle erwiesen, {of}."
        least, most = (end.replace(".", ",") for end in self._ends())
        share = f"genau {least}" if self.lower == self.upper else f"mindestens {least} und höchstens {most}"
        return f"Allein durch {names} ändert sich die Entscheidung bei {share} {of}."

    def _ends(self) -> tuple[str, str]:
        """Return both ends, rounded outward."""
        return percent(self.lower, "down"), percent(self.upper, "up")


def said(report: ReportFields) -> Said | None:
    """Return what a report says; None for a report of another form."""
    density = str(report.settings.get(DENSITY))
    if len(report.findings) != 1 or density not in DENSITIES:
        return None
    (one,) = report.findings
    if one.subject != SUBJECT or one.lower is None or one.upper is None:
        return None
    return Said(one.lower, one.upper, report.sensitive_features, density)


def _joined(names: Sequence[str], word: str) -> str:
    """Return names of features in a row."""
    *first, last = (name.replace("_", " ") for name in names)
    return f"{', '.join(first)} {word} {last}" if first else last
