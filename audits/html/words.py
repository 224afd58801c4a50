"""Numbers and verdicts in words; bounds are rounded outward, so that they stay true."""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Mapping
from decimal import ROUND_CEILING, ROUND_FLOOR, ROUND_HALF_EVEN, Context, Decimal

from equiproof.audits.records import Cell, Estimate
from equiproof.audits.report import AuditReport

DIGITS = 4
"""Significant digits of the numbers on the page; the JSON documents have all digits."""

NOTHING = "–"

MARKS = {"fair": "✓", "unfair": "✕", "undecided": "?", "measured": "≈", "not applicable": "∅", "failed": "!"}
"""Signs next to the words, so that verdicts do not depend on color."""

REASONS = {
    "tie": "some value leads to a tie, which is no decision",
    "regions": "the limit on regions was reached",
    "leaves": "the limit on leaves was reached",
    "seconds": "the time limit was reached",
    "work": "the limit on work was reached",
    "digits": "the integers have too few digits to prove more",
}
"""The reasons of certification results in words."""

_ROUNDINGS = {"nearest": ROUND_HALF_EVEN, "down": ROUND_FLOOR, "up": ROUND_CEILING}


def number(value: float | Decimal, rounding: str = "nearest") -> str:
    """Return a number with four significant digits and grouped thousands; integers are written in full.

    `rounding` is "nearest", "down" (towards minus infinity) or "up". A float is read as the decimal in its document.
    """
    if isinstance(value, bool):
        return cell(value)
    if isinstance(value, int):
        return _signed(f"{value:,}" if abs(value) < 10**15 else str(value))
    exact = Decimal(float.__repr__(value)) if isinstance(value, float) else Decimal(value)
    if not exact.is_finite():
        return {True: "unlimited", False: "minus unlimited"}[exact > 0] if exact.is_infinite() else "not a number"
    rounded = Context(prec=DIGITS, rounding=_ROUNDINGS[rounding]).plus(exact)
    if rounded == 0:
        return "0"
    if -5 <= rounded.adjusted() < 12:
        text = f"{rounded:,f}"
        return _signed(text.rstrip("0").rstrip(".") if "." in text else text)
    return _signed(f"{rounded.normalize():e}".replace("e+", "e"))


def _signed(text: str) -> str:
    """Return a number with a typographic minus sign."""
    return text.replace("-", "−")


def cell(value: Cell) -> str:
    """Return a cell of a table as text: a dash for None, yes and no for booleans."""
    if value is None:
        return NOTHING
    if isinstance(value, bool):
        return "yes" if value else "no"
    return value if isinstance(value, str) else number(value)


def bounds(lower: float | None, upper: float | None) -> str:
    """Return bounds as text, rounded outward; an exactly known quantity is rounded to the nearest."""
    if lower is None and upper is None:
        return NOTHING
    if lower is None:
        return f"at most {number(upper or 0.0, 'up')}"
    if upper is None:
        return f"at least {number(lower, 'down')}"
    if lower == upper:
        return number(lower)
    return f"{number(lower, 'down')} to {number(upper, 'up')}"


def ends(estimate: Estimate) -> str:
    """Return the interval of an estimate, rounded outward, or a dash if it has none."""
    return NOTHING if estimate.lower is None or estimate.upper is None else bounds(estimate.lower, estimate.upper)


def count(how_many: int, what: str, several: str = "") -> str:
    """Write a number of things: "1 row", "2 rows"."""
    return f"{number(how_many)} {what if how_many == 1 else several or what + 's'}"


def said(report: AuditReport) -> str:
    """Return in one sentence what the verdict of an audit means."""
    sensitive = " and ".join(report.sensitive_features) or "the sensitive features"
    total, unfair = len(report.findings), len(report.having("unfair"))
    subjects = count(total, "case")
    if report.verdict == "fair":
        proven = f" Proven for all {subjects} examined." if total > 1 else " Proven in exact numbers."
        return f"This audit found no unfair treatment by {sensitive}.{proven}"
    if report.verdict == "unfair":
        sentence = (
            f"People who differ only in {sensitive}, and in what the audit lets vary with it, are treated differently"
        )
        return f"{sentence}: {_shown(unfair, total)}."
    known = f" Of single cases: {_shown(unfair, total)}." if unfair else ""
    if report.verdict == "undecided":
        return f"Undecided for the model as a whole: {report.reason}.{known}"
    return f"This audit only measures; it does not judge the model as a whole.{known}"


def _shown(unfair: int, total: int) -> str:
    """Return in words how many subjects have a counterexample."""
    if total == 1:
        return "shown by an example that was recomputed exactly"
    of = f"{number(unfair)} of {count(total, 'case')} ({share(unfair, total)})"
    return f"shown for {of} by {'an example that was' if unfair == 1 else 'examples that were'} recomputed exactly"


def share(part: int, total: int) -> str:
    """Return a share in percent; only a share of none or all is shown as 0% or 100%."""
    if not total:
        return NOTHING
    tenths = round(1000 * part / total)
    if part not in (0, total):
        tenths = min(max(tenths, 1), 999)
    return f"{tenths / 10:.1f}%"


def settings(values: Mapping[str, Cell]) -> list[tuple[str, str]]:
    """Return settings in the order of their names; numbers keep all digits, so that they can be used again."""
    return [
        (name, repr(value) if isinstance(value, float) else _whole(value)) for name, value in sorted(values.items())
    ]


def _whole(value: Cell) -> str:
    """Return a setting as it would be written in an option."""
    return cell(value) if value is None or isinstance(value, bool) else str(value)


def harmless(text: str) -> str:
    """Return text with invisible characters shown by number, since they could reorder or hide other text.

    Control, formatting, surrogate and private characters become "[U+202E]"; line breaks and tabs become blanks.
    """
    if text.isascii() and text.isprintable():
        return text
    return "".join(_shown_letter(letter) for letter in text)


def _shown_letter(letter: str) -> str:
    """Return one character, or its number if it is invisible."""
    if letter in "\n\r\t":
        return " "
    if unicodedata.category(letter) in ("Cc", "Cf", "Cs", "Co", "Zl", "Zp"):
        return f"[U+{ord(letter):04X}]"
    return letter


def seconds(value: float) -> str:
    """Write a time with its unit."""
    if math.isnan(value) or value < 0:
        return NOTHING
    return f"{value / 60:.1f} min" if value >= 120 else f"{number(value)} s"
