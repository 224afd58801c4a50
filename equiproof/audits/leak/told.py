"""What the table of the audit `leak` says: its curves, and two sentences in English and German."""

from __future__ import annotations

from dataclasses import dataclass

from equiproof.audits.records import ReportFields
from equiproof.certify.digits import percent

SOURCES = ("rows", "chosen applications")
LABELS = "labels alone"
EXACT = "exact radii"
WAYS = "ways and nones"
CURVES = "Agreement of copies with the model, by the number of certificates"
COLUMNS = ("applications", "shown", "certificates", "agreement", "thresholds claimed", "thresholds known")
_MIDDLE = 100
"""The number of certificates that sentences speak of, if it was measured; else the largest one."""


@dataclass(frozen=True)
class Said:
    """What sentences say: a count, and the agreement at exact radii, at levels and from labels alone."""

    count: int
    levels: str
    exact: float
    shown: float
    labels: float

    @property
    def english(self) -> str:
        """Two sentences in English."""
        return (
            f"Whoever knows {self.count} certificates with exact radii can make a copy that decides "
            f"{percent(self.exact)} of people as the model does. If certificates show {self.levels}, it is "
            f"{percent(self.shown)}, and decisions alone give {percent(self.labels)}."
        )

    @property
    def german(self) -> str:
        """The same in German."""
        texts = self.levels.removeprefix("levels ").replace(".", ",").split(", ")
        levels = f"nur {'die Stufen' if len(texts) > 1 else 'die Stufe'} {' und '.join(texts)}"
        return (
            f"Wer {self.count} Zertifikate mit genauen Radien kennt, kann eine Kopie machen, die über "
            f"{_german(self.exact)} der Leute wie das Modell entscheidet. Zeigen die Zertifikate {levels}, sind es "
            f"{_german(self.shown)}; die Entscheidungen allein ergeben {_german(self.labels)}."
        )


def agreement_of(count: int, source: str, shown: str) -> str:
    """Return the name of the agreement of copies from so many certificates of a source, at what they show."""
    return f"agreement of a copy from {count} certificates of {source}: {shown}"


def said(report: ReportFields) -> Said | None:
    """Return what a report's table says of applicants from the rows; None for a report of another form."""
    own = next((one for one in report.tables if one.caption == CURVES and one.columns == COLUMNS), None)
    if own is None:
        return None
    curves: dict[str, dict[int, float]] = {}
    for source, shown, count, agreement, *_ in own.rows:
        if source == SOURCES[0] and shown != WAYS and isinstance(count, int) and isinstance(agreement, int | float):
            curves.setdefault(str(shown), {})[count] = float(agreement)
    levels = next((name for name in curves if name not in (LABELS, EXACT)), None)
    if levels is None or not {LABELS, EXACT} <= set(curves):
        return None
    count = spoken(set.intersection(*(set(points) for points in curves.values())))
    if count is None:
        return None
    return Said(count, levels, curves[EXACT][count], curves[levels][count], curves[LABELS][count])


def curves(report: ReportFields) -> dict[tuple[str, str], list[tuple[int, float]]]:
    """Return the points of each curve of a report, for a picture; nothing of another report."""
    found: dict[tuple[str, str], list[tuple[int, float]]] = {}
    for one in report.tables:
        if one.caption == CURVES and one.columns == COLUMNS:
            for source, shown, count, agreement, *_ in one.rows:
                if isinstance(count, int) and isinstance(agreement, int | float):
                    found.setdefault((str(source), str(shown)), []).append((count, float(agreement)))
    return found


def spoken(counts: set[int]) -> int | None:
    """Return the count that sentences speak of: the largest up to a hundred, else the least."""
    return max((count for count in counts if count <= _MIDDLE), default=min(counts, default=None))


def _german(share: float) -> str:
    """Return a share as German writes it."""
    return percent(share).replace(".", ",")
