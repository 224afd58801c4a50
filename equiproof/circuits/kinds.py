"""The kinds of documents by format mark, for errors about a file of the wrong kind."""

from __future__ import annotations

from typing import Any

import msgspec

from equiproof.circuits import tables


class KindRow(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A kind of document in words, with a warning where it is not for everybody."""

    name: str
    warning: str = ""


_ROWS = tables.table("kinds", dict[str, KindRow])
KINDS = {mark: row.name for mark, row in _ROWS.items()}
"""Format mark -> the document in words."""


_VERIFIED_BY = {
    ("equiproof-gain", "equiproof-certificate"): ": verify it with `equiproof gain verify`",
    ("equiproof-certificate", "equiproof-gain"): ": verify it with `equiproof verify`",
}
"""The commands for certificates of either kind that were handed to the other one's."""


class _Marked(msgspec.Struct):
    """The one field of a document that gives its kind."""

    format: str


BUNDLE = "equiproof-bundle"
_ARCHIVE, _FIRST, _NAME_AT = b"PK\x03\x04", b"manifest.json", 30


def is_archive(data: bytes) -> bool:
    """Return whether `data` begins as a zip archive does, which no document of ours does: what may be a bundle."""
    return data.startswith(_ARCHIVE)


def kind_of(data: bytes) -> str:
    """Return the mark of a document's kind, that of a bundle for one; "" for anything that is not ours."""
    if is_archive(data):
        return BUNDLE if data[_NAME_AT:].startswith(_FIRST) else ""
    try:
        found = msgspec.json.decode(data, type=_Marked).format
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return ""
    return found if found in KINDS else ""


def mistaken(data: bytes, wanted: str) -> str:
    """Return words for the kind of `data` and the kind `wanted` (a mark); "" unless `data` is of another known kind."""
    found = kind_of(data)
    if found in ("", wanted):
        return ""
    return f"{_named(found)}, want {KINDS[wanted]}{_VERIFIED_BY.get((found, wanted), '')}"


def mistaken_for(mark: object, wanted: str) -> str:
    """Return words for the kind of a mark and for what is `wanted`, which has no mark; "" for an unknown mark."""
    return f"{_named(mark)}, want {wanted}" if isinstance(mark, str) and mark in KINDS else ""


def is_context(data: bytes) -> bool:
    """Return whether `data` may be a context, which has no mark: an object of texts, with a nonce."""
    try:
        return "nonce" in msgspec.json.decode(data, type=dict[str, str])
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return False


def is_raw_row(data: bytes) -> bool:
    """Return whether `data` is a flat JSON object without a format mark, as an applicant's raw features are."""
    try:
        row: dict[str, Any] = msgspec.json.decode(data, type=dict[str, str | int | float])
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return False
    return bool(row) and not {"format", "version", "blinding"} & set(row)


def _named(mark: str) -> str:
    """Return words for a kind of document, with a warning where it is a secret."""
    row = _ROWS[mark]
    return f"this is {row.name} ({row.warning})" if row.warning else f"this is {row.name}"
