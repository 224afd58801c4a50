"""Which of our documents a file is, by its own format mark: told where another one is wanted."""

from __future__ import annotations

from typing import Any

import msgspec

KINDS = {
    "equiproof-audit": "the report of an audit",
    "equiproof-audits": "the reports of audits",
    "equiproof-certificate": "a certificate",
    "equiproof-circuit": "a sub-circuit",
    "equiproof-circuit-instance": "a sub-circuit's instance",
    "equiproof-circuit-key": "a sub-circuit's key metadata",
    "equiproof-circuit-proof": "a sub-circuit's proof",
    "equiproof-commitment": "a commitment",
    "equiproof-key": "a key's metadata",
    "equiproof-opening": "an opening",
    "equiproof-query": "a query file",
    "equiproof-results": "the results of a portfolio",
    "equiproof-shape": "a shape",
    "equiproof-spec": "a spec",
}
"""What each format mark stands for, in words."""


_SECRETS = {"equiproof-opening": " (secret: do not pass it on)", "equiproof-query": " (the applicant's own)"}


class _Marked(msgspec.Struct):
    """As much of a document as says what it is."""

    format: str


def mistaken(data: bytes, wanted: str) -> str:
    """Say which other document of ours `data` is, and which one is wanted (both by mark); "" where it is none."""
    try:
        found = msgspec.json.decode(data, type=_Marked).format
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return ""
    if found == wanted or found not in KINDS:
        return ""
    return f"{_named(found)}, want {KINDS[wanted]}"


def mistaken_for(mark: object, wanted: str) -> str:
    """Say which document of ours a format mark is of, and what is `wanted`, which has no mark; "" where it is none."""
    return f"{_named(mark)}, want {wanted}" if isinstance(mark, str) and mark in KINDS else ""


def is_raw_row(data: bytes) -> bool:
    """Tell whether `data` is a flat JSON object without a format mark: an applicant's raw features, by the look."""
    try:
        row: dict[str, Any] = msgspec.json.decode(data, type=dict[str, str | int | float])
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return False
    return bool(row) and not {"format", "version", "blinding"} & set(row)


def _named(mark: str) -> str:
    """Say what a document of ours is, and whether it is a secret."""
    return f"this is {KINDS[mark]}{_SECRETS.get(mark, '')}"
