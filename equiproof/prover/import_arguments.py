"""Arguments of an import that go together, and those that do not."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from numbers import Integral
from typing import Any

from equiproof.certify.data.frames import Frame, frame_of
from equiproof.certify.data.notation import Notation
from equiproof.certify.models.importing.errors import ModelImportError
from equiproof.certify.models.objects import decides
from equiproof.certify.models.own_decisions import DecisionsError, read_share
from equiproof.circuits.arguments import argument, not_texts
from equiproof.circuits.spec import Spec
from equiproof.prover.import_drafts import Decisions
from equiproof.prover.import_steps import Asked

_TEXTS = ("sensitive", "columns", "labels", "unused", "missing")
"""The arguments that are lists of texts."""


def _are_texts_by_name(value: Any) -> bool:
    """Return whether a mapping has texts."""
    return isinstance(value, Mapping) and all(isinstance(one, str) for one in value.values())


def _are_pairs_by_name(value: Any) -> bool:
    """Return whether a mapping has two ends by name."""
    return isinstance(value, Mapping) and all(_are_listed(one) and len(one) == 2 for one in value.values())


def _are_listed(value: Any) -> bool:
    """Return whether a value is a list, or the like, and no text."""
    return isinstance(value, Collection) and not isinstance(value, str)


_KINDS: Mapping[str, tuple[Callable[[Any], bool], object]] = {
    "classes": (_are_listed, ["no", "yes"]),
    "units": (lambda value: isinstance(value, str) or _are_texts_by_name(value), {"income": "EUR"}),
    "dates": (_are_texts_by_name, {"opened": "2000-01-01"}),
    "ranges": (_are_pairs_by_name, {"income": ("0", "9000")}),
    "weight_bits": (lambda value: _are_listed(value) and [isinstance(one, Integral) for one in value] == [True] * 2,
                    (24, 20)),
    "input_fraction_bits": (lambda value: isinstance(value, Integral), 12),
}  # fmt: skip
"""Of other arguments, whether a value is of their type, and an example."""


def refuse_types(given: Mapping[str, Any]) -> None:
    """Raise ModelImportError for an argument of another type than its own, such as a text in place of a list of texts.

    Arguments that are None are not given.
    """
    for name, value in given.items():
        if value is None:
            continue
        if name in _TEXTS:
            wrong = not_texts(name, value)
        else:
            is_right, example = _KINDS[name]
            wrong = None if is_right(value) else f"write it as in {argument(name, example)}, not as {repr(value)[:60]}"
        if wrong is not None:
            raise ModelImportError(wrong)


def decisions_of(decisions: Sequence[Any] | str | None, cut: str | float | None, frame: Frame | None) -> Decisions:
    """Return the given decisions, those of a column where its name is given; raises DecisionsError without rows."""
    if decisions is None and cut is not None:
        raise DecisionsError(f"give the scores that {argument('cut', cut)} is of, {argument('decisions')}")
    if decisions is None:
        return Decisions(None)
    if frame is None:
        raise DecisionsError(f"give the rows that were decided, {argument('rows')}: there is nothing to compare on")
    number = None if cut is None else str(cut)
    if not isinstance(decisions, str):
        return Decisions(list(decisions), "the decisions", number)
    if decisions not in frame.columns:
        raise DecisionsError(
            f"name a column of {frame.name} with {argument('decisions')}: it has no {decisions[:40]!r}"
        )
    frame = frame if cut is None else frame.in_plain([decisions])
    return Decisions([row[decisions] for row in frame.rows], f"column {decisions} of {frame.name}", number)


def asked_for(
    model: Any, own: Decisions, frame: Frame | None, allow_differing: str | float | None, *, meant: bool
) -> Asked:
    """Return whom a model is compared with; raises DecisionsError for a share with nothing to compare with."""
    asked = model if decides(model) else None
    if allow_differing is None:
        return Asked(asked, None, meant)
    if frame is None or (own.values is None and asked is None):
        raise DecisionsError(f"give what is compared, {argument('decisions')}, with {argument('allow_differing')}")
    return Asked(asked, read_share(str(allow_differing)), meant)


def frame_for(
    table: Any, rows: Any, units: Any, drafting: Mapping[str, Any], notation: Notation | None
) -> Frame | None:
    """Return the rows that a model decides: those of a table, or beside a spec those that are given, if any.

    Raises ModelImportError for arguments that go with a table where a spec is given, and the other way round.
    """
    if isinstance(table, Spec):
        if isinstance(units, Mapping):
            raise ModelImportError(
                f"say what the model takes, {argument('units', 'raw')} or 'spec': the spec has the units"
            )
        if name := next((name for name, value in drafting.items() if value), None):
            raise ModelImportError(f"leave {argument(name)} out: the spec says it; or give a table in its place")
        return None if rows is None else frame_of(rows, notation)
    if rows is not None:
        raise ModelImportError(f"leave {argument('rows')} out: those of the table are compared")
    if isinstance(units, str):
        raise ModelImportError(
            f"give the units of numbers by column, such as {argument('units', {'income': 'EUR'})}: with a table a "
            "model takes raw numbers"
        )
    return frame_of(table, notation)
