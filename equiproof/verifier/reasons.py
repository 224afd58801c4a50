"""The table of reasons: the class of each, the exit code of each class, and how a refusal is shown to people.

A class is the kind of error that a reason comes with. A row without `shown` is shown as its class is, and so is a
reason that the table lacks: relying parties write policies of their own, so an unknown reason of a policy is "not
enough", and one of any other class is "not valid".
"""

from __future__ import annotations

from typing import Literal

import msgspec

from equiproof.circuits import tables

Class = Literal["format", "key", "proof", "policy", "export", "package", "stamp"]
Outcome = Literal["not-a-certificate", "not-valid", "not-enough"]


class ClassRow(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What errors of a class have in common; `shown` names a sentence refused.* of words.json."""

    exit_code: int
    shown: str


class ReasonRow(msgspec.Struct, frozen=True, forbid_unknown_fields=True, rename={"kind": "class"}):
    """One reason. `also` is a second class of errors that come with the same reason."""

    kind: Class
    shown: str | None = None
    also: Class | None = None


class _Table(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """reasons.json: `shown` gives the outcome of each sentence."""

    classes: dict[Class, ClassRow]
    shown: dict[str, Outcome]
    reasons: dict[str, ReasonRow]


def _read() -> _Table:
    """Read the table; raises TableError where it names a class or a sentence that it lacks."""
    table = tables.table("reasons", _Table)
    for name, row in table.reasons.items():
        for kind in (row.kind, row.also):
            if kind is not None and kind not in table.classes:
                raise tables.TableError(f"reasons.json: {name}: no class {kind}")
        if row.shown is not None and row.shown not in table.shown:
            raise tables.TableError(f"reasons.json: {name}: no sentence {row.shown}")
    for name, of_class in table.classes.items():
        if of_class.shown not in table.shown:
            raise tables.TableError(f"reasons.json: class {name}: no sentence {of_class.shown}")
    return table


_TABLE = _read()
CLASSES = _TABLE.classes
REASONS = _TABLE.reasons
OUTCOMES = _TABLE.shown


def members(*classes: Class) -> dict[str, str]:
    """Return the reasons of some classes, in the table's order, by the names that an enumeration has for them."""
    named = (name for name, row in REASONS.items() if {row.kind, row.also} & set(classes))
    return {name.upper().replace("-", "_"): name for name in named}


def shown_as(reason: str, kind: Class | None) -> str:
    """Return the name of the sentence for a reason that an error of class `kind` came with.

    Where the class of a reason that the table lacks is unknown too, it is shown as a proof that does not hold.
    """
    row = REASONS.get(reason)
    if row is not None and row.shown is not None:
        return row.shown
    return CLASSES[row.kind if row is not None else kind or "proof"].shown
