"""Why a certificate is not accepted, in words for people: each reason belongs to a class, and each class has one line.

A certificate is "not valid" where a check of it failed, and "not enough" where it may be true but is not what the
reader asked for. The technical reason stands behind.
"""

from __future__ import annotations

from typing import Any, Literal, get_args

from equiproof.verifier.errors import Reason
from equiproof.verifier.words import Words

Fault = Literal["file", "damaged", "proof", "words", "parts", "model", "query", "bad_key"]
Lack = Literal["context", "receipt", "key", "minimum", "log", "policy"]
Class = Fault | Lack

NOT_ENOUGH: tuple[Lack, ...] = get_args(Lack)

REASONS: dict[str, Class] = {
    Reason.UNREADABLE: "file",
    Reason.TOO_LONG: "file",
    Reason.NOT_JSON: "file",
    Reason.WRONG_FIELDS: "file",
    Reason.OTHER_FORMAT: "file",
    Reason.NOT_CANONICAL: "damaged",
    Reason.OUT_OF_RANGE: "damaged",
    Reason.BAD_ELEMENT: "damaged",
    Reason.NOT_BASE64: "damaged",
    Reason.REPEATED_NAME: "damaged",
    Reason.BAD_SPEC: "model",
    Reason.BAD_QUERY: "query",
    Reason.WEAK_NONCE: "context",
    Reason.BAD_SHAPE: "parts",
    Reason.NO_TRANSCRIPT: "key",
    Reason.KEY_BYTES_DIFFER: "parts",
    Reason.NO_KEYS: "key",
    Reason.NOT_A_BUNDLE: "file",
    Reason.WRONG_FILES: "file",
    Reason.FILE_DIFFERS: "damaged",
    Reason.NOT_A_LOG_PROOF: "log",
    Reason.WRONG_LENGTH: "proof",
    Reason.WRONG_COUNT: "proof",
    Reason.POINT_NOT_CANONICAL: "proof",
    Reason.COORDINATE_TOO_LARGE: "proof",
    Reason.OFF_CURVE: "proof",
    Reason.OUTSIDE_SUBGROUP: "proof",
    Reason.DEGENERATE_KEY: "bad_key",
    Reason.KEY_NOT_TRUSTED: "key",
    Reason.SETUP_DIFFERS: "parts",
    Reason.PROOF_SYSTEM_DIFFERS: "parts",
    Reason.MODEL_DIFFERS: "model",
    Reason.SPEC_DIFFERS: "parts",
    Reason.DOMAIN_DIFFERS: "parts",
    Reason.RANGES_DIFFER: "parts",
    Reason.SHAPE_DIFFERS: "parts",
    Reason.UNKNOWN_LABEL: "proof",
    Reason.RADIUS_TOO_LARGE: "proof",
    Reason.WORDS_DIFFER: "words",
    Reason.COMMITMENT_NOT_OPENED: "proof",
    Reason.RELATION_FAILS: "proof",
    Reason.PAIRINGS_DIFFER: "proof",
    Reason.CIRCUIT_DIFFERS: "proof",
    Reason.VALUES_DIFFER: "proof",
    "other-model": "model",
    "other-query": "query",
    "other-context": "context",
    "context-lacks": "context",
    "too-old": "context",
    "other-receipt": "receipt",
    "other-key": "key",
    "other-setup": "key",
    "other-proof-system": "key",
    "other-transcript": "key",
    "too-few-signers": "key",
    "radius-too-small": "minimum",
    "ranges-not-accepted": "minimum",
    "ranges-too-narrow": "minimum",
    "no-log-proof": "log",
    "other-log": "log",
    "not-in-log": "log",
    "too-few-witnesses": "log",
    "tree-too-small": "log",
    "log-too-old": "log",
    "other-entry": "log",
    "other-owner": "log",
    "no-policy-met": "policy",
}
"""Reason -> class. The reason of any other policy is of the class "policy"."""


def refusal(reason: str, technical: str, language: str = "en") -> dict[str, Any]:
    """Return the answer about a certificate that is not accepted, with nothing of what it claims.

    `technical` is the message of the error. Raises ValueError for an unknown language.
    """
    words = Words(language)
    kind = REASONS.get(reason, "policy")
    if kind == "file":
        outcome = "not-a-certificate"
        below = ["below.nothing"]
    elif kind in NOT_ENOUGH:
        outcome = "not-enough"
        below = [f"refused.{kind}"]
    else:
        outcome = "not-valid"
        below = [f"refused.{kind}", "below.means", "below.no_evidence", "below.do"]
    return {
        "language": language,
        "outcome": outcome,
        "heading": words.say(f"outcome.{outcome}"),
        "below": [words.say(name) for name in below],
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
