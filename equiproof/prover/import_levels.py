"""The levels of an imported model: drafted from the rows it is imported with, given as texts, or none at all."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from typing import Literal

import msgspec

from equiproof.certify.leak.draft import LevelError, draft_for
from equiproof.certify.models.importing.imported import Imported
from equiproof.certify.padding import without_columns
from equiproof.circuits.arguments import argument
from equiproof.circuits.spec import checked
from equiproof.prover.import_steps import Bound, GivenRows

Levels = Literal["draft", "exact"] | Sequence[str]
"""What certificates may show: levels that are drafted, exact radii, or these levels as decimal texts, least first."""


def with_levels(
    bound: Bound, rows: GivenRows | None, levels: Levels, progress: Callable[[int, int], None] | None = None
) -> tuple[Bound, tuple[str, ...]]:
    """Return a bound model whose spec has levels, and a note for each proposal of a draft.

    `progress` is called with the draft's steps done and all. Raises LevelError where rows are missing or do not do,
    SpecError for texts that are no levels.
    """
    if levels == "exact":
        return _under(bound, msgspec.UNSET), ()
    if levels != "draft":
        return _under(bound, tuple(levels)), ()
    if rows is None:
        raise LevelError(f"levels: a draft is made from rows: give some, or the levels, {argument('levels', ['0.25'])}")
    if len(bound.spec.labels) != 2:
        raise LevelError(f"levels: a draft is for two labels: give the levels, {argument('levels', ['0.25'])}")
    queries = [bound.spec.encode(row) for row in rows.rows]
    if isinstance(bound, Imported):
        model, spec = without_columns(bound.quantised, bound.spec)
        draft = draft_for(model, spec, [query[: spec.plain_columns] for query in queries], progress=progress)
    else:
        draft = draft_for(bound.model, bound.spec, queries, progress=progress)
    return _under(bound, draft.chosen.levels), tuple(draft.lines(bound.spec))


def _under(bound: Bound, levels: tuple[str, ...] | msgspec.UnsetType) -> Bound:
    """Return the model under its spec with other levels; no number of the model depends on them."""
    spec = checked(msgspec.structs.replace(bound.spec, levels=levels))
    return dataclasses.replace(bound, spec=spec)
