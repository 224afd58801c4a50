"""The kinds of documents by format mark, for errors about a file of the wrong kind."""

from __future__ import annotations

from typing import Any

import msgspec

KINDS = {
    "equiproof-audit": "the report of an audit",
    "equiproof-audits": "the reports of audits",
    "equiproof-calldata": "call data of a contract",
    "equiproof-ceremony": "a ceremony",
    "equiproof-ceremony-beacon": "a ceremony's beacon",
    "equiproof-ceremony-step": "a step of a ceremony",
    "equiproof-bundle": "a bundle",
    "equiproof-certificate": "a certificate",
    "equiproof-circuit": "a sub-circuit",
    "equiproof-circuit-instance": "a sub-circuit's instance",
    "equiproof-circuit-key": "a sub-circuit's key metadata",
    "equiproof-circuit-proof": "a sub-circuit's proof",
    "equiproof-commitment": "a commitment",
    "equiproof-contract": "the metadata of a contract",
    "equiproof-entry": "an entry of a register",
    "equiproof-gain": "a gain certificate",
    "equiproof-guardrail": "a guardrail",
    "equiproof-key": "a key's metadata",
    "equiproof-key-mark": "the owner's mark of a key",
    "equiproof-monitor": "the state of a log's monitor",
    "equiproof-lot-answer": "an answer of an audit by lot",
    "equiproof-lot-beacon": "the round that draws an audit by lot",
    "equiproof-lot-nonce": "what a party of an audit by lot sealed",
    "equiproof-lot-opening": "an opening of an audit by lot",
    "equiproof-lot-period": "a period of an audit by lot",
    "equiproof-lot-seal": "a seal of an audit by lot",
    "equiproof-opening": "an opening",
    "equiproof-package": "an evidence package",
    "equiproof-policy": "a policy",
    "equiproof-powers": "the metadata of powers of tau",
    "equiproof-proofs": "the manifest of a run of proofs",
    "equiproof-query": "a query file",
    "equiproof-receipt": "a receipt",
    "equiproof-report": "the report of a verification",
    "equiproof-results": "the results of a portfolio",
    "equiproof-shape": "a shape",
    "equiproof-spec": "a spec",
    "equiproof-witness": "the state of a witness",
}
"""Format mark -> the document in words."""


_VERIFY_COMMANDS = {
    ("equiproof-gain", "equiproof-certificate"): ": verify it with `equiproof gain verify`",
    ("equiproof-certificate", "equiproof-gain"): ": verify it with `equiproof verify`",
}
"""The commands for certificates of either kind that were handed to the other one's."""


_WARNINGS = {
    "equiproof-lot-nonce": " (secret: do not pass it on)",
    "equiproof-opening": " (secret: do not pass it on)",
    "equiproof-query": " (the applicant's own)",
    "equiproof-receipt": " (the applicant's own)",
}


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


def mistaken(data: bytes, mark: str) -> str:
    """Return words for the kind of `data` and for the kind of `mark`; "" unless `data` is of another known kind."""
    kind = kind_of(data)
    if kind in ("", mark):
        return ""
    return f"{_named(kind)}, want {KINDS[mark]}{_VERIFY_COMMANDS.get((kind, mark), '')}"


def mistaken_for(mark: object, document: str) -> str:
    """Return words for the kind of a mark and for the `document`, without one, that is wanted; "" if it is unknown."""
    return f"{_named(mark)}, want {document}" if isinstance(mark, str) and mark in KINDS else ""


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
    return f"this is {KINDS[mark]}{_WARNINGS.get(mark, '')}"
