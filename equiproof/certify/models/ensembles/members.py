"""What a model file may hold: the members that a reader knows, and the releases that its tests have seen.

A member that a reader does not know may change decisions, as XGBoost's `weight_drop` did when it moved. So it is
refused by name, and not passed over.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import TypeVar

import msgspec

from equiproof.certify.models.importing.errors import ModelImportError, shown

Document = TypeVar("Document")


def decoded(data: bytes, kind: type[Document], library: str, release: str) -> Document:
    """Return a JSON document of a kind whose structs forbid members that they do not list.

    `release` is the newest one of the library that was tested. Raises ModelImportError naming the member and where it
    stands.
    """
    try:
        return msgspec.json.decode(data, type=kind)
    except (msgspec.MsgspecError, UnicodeError, RecursionError) as error:
        words = shown(str(error), 160)
        if isinstance(error, msgspec.ValidationError) and "unknown field" in words:
            raise ModelImportError(
                f"save the model with {library} {release}, the newest release tested: its file has a member that could "
                f"change decisions and is not known here ({words})"
            ) from None
        raise ModelImportError(f"not a JSON model file of {library}: {words}") from None


def refuse_unknown(names: Iterable[str], known: Collection[str], where: str, library: str, release: str) -> None:
    """Raise ModelImportError for the first of the names that is not known."""
    if stranger := next((name for name in names if name not in known), None):
        raise ModelImportError(
            f"save the model with {library} {release}, the newest release tested: {where} has {shown(stranger)!r}, "
            "which could change decisions and is not known here"
        )


def newer(version: Sequence[int], newest: Sequence[int], library: str) -> tuple[str, ...]:
    """Return a note where a file is of a later version than the newest one tested."""
    if tuple(version) <= tuple(newest):
        return ()
    written, tested = (".".join(map(str, one)) for one in (version, newest))
    note = f"the file is of {library} {written}, and {tested} is the newest that was tested: compare your own decisions"
    return (note,)
