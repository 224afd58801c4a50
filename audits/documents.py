"""The one JSON form of reports, and its reader."""

from __future__ import annotations

from typing import Any, TypeVar

import msgspec
import rfc8785

from audits.errors import AuditError

T = TypeVar("T")


def canonical(document: msgspec.Struct) -> str:
    """Return a document as canonical JSON, numbers of numpy among them.

    Raises AuditError for a number that JSON does not hold everywhere, and for values that it has not at all.
    """
    try:
        return rfc8785.dumps(msgspec.to_builtins(document, enc_hook=_plain)).decode()
    except (rfc8785.CanonicalizationError, TypeError, UnicodeError, RecursionError) as error:
        raise AuditError(f"{type(document).__name__}: {' '.join(str(error).split())}") from None


def decoded(text: str | bytes, kind: type[T], form: tuple[str, int], where: str) -> T:
    """Read a document of one kind, format and version; raises AuditError naming `where`."""
    try:
        document: Any = msgspec.json.decode(text, type=kind)
    except (msgspec.MsgspecError, UnicodeError, RecursionError, ValueError) as error:
        # A document's own names may break a line.
        raise AuditError(f"{where}: no {form[0]}: {' '.join(str(error).split())}") from None
    if (document.format, document.version) != form:
        found = f"{document.format[:40]!r} version {document.version}"
        raise AuditError(f"{where}: this is {found}, not {form[0]!r} version {form[1]}")
    return document  # type: ignore[no-any-return]  # msgspec has checked it


def _plain(value: Any) -> Any:
    """Return a scalar of numpy as a plain number; raises TypeError for anything else."""
    item = getattr(value, "item", None)
    if item is None or getattr(value, "shape", None) != ():
        raise TypeError(f"a value of type {type(value).__name__} has no place in JSON")
    return item()
