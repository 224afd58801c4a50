"""Reading and writing of reports as canonical JSON."""

from __future__ import annotations

from typing import Any, TypeVar

import msgspec
import rfc8785

from equiproof.audits.errors import AuditError

T = TypeVar("T")


def canonical(document: msgspec.Struct) -> str:
    """Return a document as canonical JSON; numpy scalars become plain numbers.

    Raises AuditError for values that JSON cannot represent, and for numbers that some JSON readers would change.
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
        # Names in a document may contain line breaks.
        raise AuditError(
            f"{where}: give the file as the audit wrote it: not a valid {form[0]}: {' '.join(str(error).split())}"
        ) from None
    if (document.format, document.version) != form:
        version = f"{document.format[:40]!r} version {document.version}"
        raise AuditError(f"{where}: give {form[0]!r} version {form[1]}: this is {version}")
    return document  # type: ignore[no-any-return]  # msgspec has checked it


def _plain(value: Any) -> Any:
    """Return a scalar of numpy as a plain number; raises TypeError for anything else."""
    item = getattr(value, "item", None)
    if item is None or getattr(value, "shape", None) != ():
        raise TypeError(f"JSON cannot hold a value of type {type(value).__name__}")
    return item()
