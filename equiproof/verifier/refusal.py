"""Why a certificate is not accepted, in words for people: each reason belongs to a class, and each class has one line.

A certificate is "not valid" where a check of it failed, and "not enough" where it may be true but is not what the
reader asked for. The technical reason stands behind.
"""

from __future__ import annotations

from typing import Any

from equiproof.verifier.lines import Lines
from equiproof.verifier.reasons import OUTCOMES, Class, shown_as
from equiproof.verifier.words import Words


def refusal(reason: str, technical: str, language: str = "en", kind: Class | None = None) -> dict[str, Any]:
    """Return the answer about a certificate that is not accepted, with nothing of what it claims.

    `technical` is the message of the error, and `kind` its class, which decides where the table lacks the reason.
    Raises ValueError for an unknown language.
    """
    words = Words(language)
    shown = shown_as(reason, kind)
    outcome = OUTCOMES[shown]
    lines = Lines("refusal", words, {"shown": shown, "outcome": outcome})
    (heading,) = lines.said("heading")
    return {
        "language": language,
        "outcome": outcome,
        "heading": heading,
        "below": lines.said("below"),
        "sentences": [],
        "bars_heading": None,
        "bars_note": None,
        "bars": [],
        "checked": [],
        "not_checked": [],
        "never_shown": [],
        "reason": reason,
        "technical": technical,
    }
