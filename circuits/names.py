"""Names that people read in a verified statement: text that cannot be mistaken for other text."""

from __future__ import annotations

import re
import unicodedata

LONGEST = 200

_OVERLAYS = re.compile("[\u02b0-\u02ff\u0334-\u0338]")
"""Marks that pass for punctuation, or strike a letter through."""

_INVISIBLE = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\u3164\ufe00-\ufe0f\uffa0\U000e0100-\U000e01ef]"
)
"""Characters that count as printable and show nothing: two names that differ in them look the same."""

_ALIKE = frozenset(
    {"LATIN", "GREEK", "CYRILLIC", "ARMENIAN", "CHEROKEE", "COPTIC", "LISU", "FULLWIDTH", "MATHEMATICAL"}
)
"""Scripts with letters that look like another's, as the first word of a letter's Unicode name."""


def complaint(text: str) -> str | None:
    """Return what is wrong with a name (blank, too long, unprintable, easily confused, quoted), or None."""
    if not text or len(text) > LONGEST or not text.isprintable():
        return f"must be 1 to {LONGEST} printable characters"
    if text != " ".join(text.split()) or _INVISIBLE.search(text):
        return "holds blanks or marks that cannot be seen"
    if len(scripts(text)) > 1 or _OVERLAYS.search(text) or unicodedata.normalize("NFKC", text) != text:
        return "mixes scripts that look alike, or is not in normal form (NFKC)"
    if '"' in text or any(unicodedata.category(letter) in ("Pi", "Pf") for letter in text):
        return "holds quotation marks, which would seem to end it inside a sentence"
    return None


def unit_complaint(text: str) -> str | None:
    """Return what is wrong with a unit that could be read as part of the number before it or as a remark, or None."""
    if re.search(r"[0-9,;()]", text):
        return "holds digits, commas or parentheses: a unit is a name such as EUR/month"
    return None


def scripts(text: str) -> set[str]:
    """Return the scripts of a text that look like another."""
    if text.isascii():
        return {"LATIN"} if any(map(str.isalpha, text)) else set()
    return {name for letter in text if (name := unicodedata.name(letter, "").split(" ")[0]) in _ALIKE}
