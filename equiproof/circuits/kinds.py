"""The kinds of documents by format mark, for errors about a file of the wrong kind."""

from __future__ import annotations

from typing import Any

import msgspec

from equiproof.circuits import tables
from equiproof.circuits.tables import say


class KindRow(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A kind of document in words, in English and German, with a warning where it is not for everybody."""

    name: str
    german: str
    warning: str = ""
    german_warning: str = ""

    @property
    def spoken(self) -> tuple[str, str]:
        """The name and the warning in the language that is spoken."""
        return (self.german, self.german_warning) if tables.spoken() == "de" else (self.name, self.warning)


_ROWS = tables.table("kinds", dict[str, KindRow])
KINDS = {mark: row.name for mark, row in _ROWS.items()}
"""Format mark -> the document in words."""


_VERIFY_COMMANDS = {
    "equiproof-gain": "equiproof gain verify",
    "equiproof-certificate": "equiproof verify",
    "equiproof-box": "equiproof box verify",
}
"""The commands for certificates of one kind that were handed to another one's."""


class _Marked(msgspec.Struct):
    """The one field of a document that gives its kind."""

    format: str


BUNDLE = "equiproof-bundle"
_ARCHIVE = b"PK\x03\x04"
_FIRST_NAME = b"manifest.json"
_NAME_AT = 30
"""Where the first name of an archive begins: behind 30 bytes of an entry's header (APPNOTE.TXT of PKWARE, 4.3.7)."""


def is_archive(data: bytes) -> bool:
    """Return whether `data` begins as a zip archive does, which no document of ours does: what may be a bundle."""
    return data.startswith(_ARCHIVE)


def kind_of(data: bytes) -> str:
    """Return the mark of a document's kind, that of a bundle for one; "" for anything that is not ours."""
    if is_archive(data):
        return BUNDLE if data[_NAME_AT:].startswith(_FIRST_NAME) else ""
    try:
        mark = msgspec.json.decode(data, type=_Marked).format
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return ""
    return mark if mark in KINDS else ""


def called(mark: str) -> str:
    """Return what the documents of a format mark are called, in the language that is spoken."""
    return _ROWS[mark].spoken[0]


def mistaken(data: bytes, mark: str) -> str:
    """Return words for the kind of `data` and for the kind of `mark`; "" unless `data` is of another known kind."""
    kind = kind_of(data)
    if kind in ("", mark):
        return ""
    command = _VERIFY_COMMANDS.get(kind) if mark in _VERIFY_COMMANDS else None
    remedy = "" if command is None else say("format.verify_by", command=command)
    return say("format.kind_wanted", stated=_named(kind), kind=called(mark)) + remedy


def mistaken_for(mark: object, document: str) -> str:
    """Return words for the kind of a mark and for the `document`, without one, that is wanted; "" if it is unknown."""
    if not isinstance(mark, str) or mark not in KINDS:
        return ""
    return say("format.kind_wanted", stated=_named(mark), kind=document)


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
    # A damaged document of ours may be flat as well, and must not be called raw features.
    return bool(row) and not {"format", "version", "blinding"} & set(row)


def _named(mark: str) -> str:
    """Return words for a kind of document, with a warning where it is a secret."""
    name, warning = _ROWS[mark].spoken
    return say("format.kind_warned", kind=name, warning=warning) if warning else say("format.kind", kind=name)
