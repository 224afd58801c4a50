"""Results as a notebook shows them: the verdicts counted, the radii, and the applicants that matter most."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from typing import TYPE_CHECKING

from equiproof.certify.digits import number, part

if TYPE_CHECKING:
    from equiproof.certify.many.point import PointResult
    from equiproof.certify.many.summary import Run

_MAX_ROWS = 8
_SEVERITY_ORDER = ("unfair", "undecided", "fair")


def shown(results: Run) -> str:
    """Return results as HTML without style or script: everything that a document says is escaped."""
    total = len(results.points)
    counts = [(verdict, len(results.having(verdict))) for verdict in ("fair", "unfair", "undecided")]
    lengths = sorted(point.radius for point in results.having("fair") if point.radius is not None)
    lines = [f"<b>{number(total)} applicants, {escape(results.spec.name)}</b>"]
    lines.append(
        table(("verdict", "applicants", "share"), [(name, number(many), part(many, total)) for name, many in counts])
    )
    if lengths:
        low, middle, high = (lengths[(len(lengths) - 1) * quarter // 4] for quarter in (1, 2, 3))
        lines.append(
            f"<p>Certified radius of the fair, in the spec's units: {number(middle, 'down')} in the middle, "
            f"{number(low, 'down')} and {number(high, 'down')} at the quartiles.</p>"
        )
    ranked = sorted(
        results.points, key=lambda point: (_SEVERITY_ORDER.index(point.verdict), point.radius or 0, point.row)
    )
    lines.append(table(("row", "verdict", "decision", "radius", "why"), map(_line, ranked[:_MAX_ROWS])))
    if total > _MAX_ROWS:
        lines.append(f"<p>The worst {_MAX_ROWS} of {number(total)}; <code>to_frame()</code> has all.</p>")
    return "\n".join(lines)


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a table as HTML; its texts are escaped."""
    heads = "".join(f"<th>{escape(name)}</th>" for name in head)
    body = "".join(f"<tr>{''.join(f'<td>{escape(cell)}</td>' for cell in row)}</tr>" for row in rows)
    return f"<table><thead><tr>{heads}</tr></thead><tbody>{body}</tbody></table>"


def _line(point: PointResult) -> tuple[str, ...]:
    """Return an applicant: of the unfair the decisions under each sensitive value."""
    decisions = " / ".join(dict.fromkeys(case.label or "a tie" for case in point.cases))
    radius = "" if point.radius is None else number(point.radius, "down")
    return str(point.row), point.verdict, point.label or decisions, radius, point.reason or ""
