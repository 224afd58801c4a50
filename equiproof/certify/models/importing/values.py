"""The values of a category: those of a spec, and how a model writes them.

A value that the two spell differently would silently count as one that the model never saw. So it is refused unless the
owner says what it is.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping, Sequence

from equiproof.certify.models.importing.errors import ModelImportError, listed, shown
from equiproof.circuits.arguments import argument
from equiproof.circuits.spec import Spec

Values = Mapping[str, Mapping[str, str]]
"""By feature and value of the spec, the model's value; "" for one that the model does not have."""


def matched(name: str, ours: Sequence[str], theirs: Sequence[str], given: Mapping[str, str]) -> dict[str, str | None]:
    """Return the model's value for each value of the spec, None for one that the owner says it does not have.

    Raises ModelImportError with both lists for a value that the model does not know, and where it knows none of them.
    """
    if stranger := next((value for value in given if value not in ours), None):
        raise ModelImportError(f"values: {shown(name, 40)!r} has no {shown(stranger, 40)!r} in the spec")
    values: dict[str, str | None] = {}
    for value in ours:
        named = given.get(value, value)
        if named not in theirs and (named or value not in given):
            raise ModelImportError(_refusal(name, named, ours, theirs))
        values[value] = named if named in theirs else None
    if all(value is None for value in values.values()):
        raise ModelImportError(
            f"feature {shown(name, 40)!r}: the model has no value of the spec; it has {_listed(theirs)}, the spec "
            f"{_listed(ours)}: train it on the spec's values"
        )
    return values


def refuse_unused(values: Values, spec: Spec, read: Sequence[str]) -> None:
    """Raise ModelImportError for a feature that the spec lacks, or whose values the model does not hold itself."""
    names = [feature.name for feature in spec.features]
    for name in values:
        if name not in names:
            raise ModelImportError(f"values: the spec has no feature {shown(name, 40)!r}; it has {_listed(names)}")
        if name not in read:
            raise ModelImportError(
                f"values: leave out what is said of it: the model has no list of values of {shown(name, 40)!r}"
            )


def _refusal(name: str, value: str, ours: Sequence[str], theirs: Sequence[str]) -> str:
    """Return words for a value that the model does not have, with the nearest that it has."""
    near = difflib.get_close_matches(value, theirs, 1, 0.5)
    example = argument("values", {shown(name, 40): {shown(value, 40): shown(near[0], 40) if near else ""}})
    hint = f"; nearest is {shown(near[0], 40)!r}" if near else ""
    return (
        f"feature {shown(name, 40)!r}: say what {shown(value, 40)!r} is to the model with {example} "
        f"(empty for unknown): it has {_listed(theirs)}, the spec {_listed(ours)}{hint}"
    )


def _listed(values: Iterable[str]) -> str:
    """Return a bounded number of values in quotation marks."""
    return listed(values, 5, lambda value: repr(shown(value, 24)), 100)
