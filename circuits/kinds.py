"""The kinds of documents by format mark, for errors about a file of the wrong kind."""

from __future__ import annotations

from typing import Any

import msgspec

KINDS = {
    "equiproof-audit": "the report of an audit",
    "equiproof-audits": "the reports of audits",
    "equiproof-ceremony": "a ceremony",
    "equiproof-ceremony-beacon": "a ceremony's beacon",
    "equiproof-ceremony-step": "a step of a ceremony",
    "equiproof-certificate": "a certificate",
    "equiproof-circuit": "a sub-circuit",
    "equiproof-circuit-instance": "a sub-circuit's instance",
    "equiproof-circuit-key": "a sub-circuit's key metadata",
    "equiproof-circuit-proof": "a sub-circuit's proof",
    "equiproof-commitment": "a commitment",
    "equiproof-key": "a key's metadata",
    "equiproof-key-mark": "the owner's mark of a key",
    "equiproof-opening": "an opening",
    "equiproof-policy": "a policy",
    "equiproof-powers": "the metadata of powers of tau",
    "equiproof-query": "a query file",
    "equiproof-results": "the results of a portfolio",
    "equiproof-shape": "a shape",
    "equiproof-spec": "a spec",
}
"""Format mark -> the document in words."""


_SECRETS = {"equiproof-opening": " (secret: do not pass it on)", "equiproof-query": " (the applicant's own)"}


class _Marked(msgspec.Struct):
    """The one field of a document that gives its kind."""

    format: str


def mistaken(data: bytes, wanted: str) -> str:
    """Return words for the kind of `data` and the kind `wanted` (a mark); "" unless `data` is of another known kind."""
    try:
        found = msgspec.json.decode(data, type=_Marked).format
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return ""
    if found == wanted or found not in KINDS:
        return ""
    return f"{_named(found)}, want {KINDS[wanted]}"


def mistaken_for(mark: object, wanted: str) -> str:
    """Return words for the kind of a mark and for what is `wanted`, which has no mark; "" for an unknown mark."""
    return f"{_named(mark)}, want {wanted}" if isinstance(mark, str) and mark in KINDS else ""


def is_raw_row(data: bytes) -> bool:
    """Return whether `data` is a flat JSON object without a format mark, as an applicant's raw features are."""
    try:
        row: dict[str, Any] = msgspec.json.decode(data, type=dict[str, str | int | float])
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return False
    return bool(row) and not {"format", "version", "blinding"} & set(row)


def _named(mark: str) -> str:
    """Return words for a kind of document, with a warning where it is a secret."""
    return f"this is {KINDS[mark]}{_SECRETS.get(mark, '')}"
