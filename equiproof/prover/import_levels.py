"""The levels of an imported model: drafted from the rows it is imported with, given as texts, or none at all."""

from __future__ import annotations

import dataclasses
import random
from collections.abc import Callable, Sequence
from typing import Literal

import msgspec

from equiproof.certify.ensemble import ScoredModel
from equiproof.certify.leak.candidates import LevelError
from equiproof.certify.leak.draft import APPLICANTS, HELD_OUT, draft_for
from equiproof.certify.leak.gain_draft import draft_gains, guess_note, guessed_gain
from equiproof.certify.leak.reached import refuse_unreached
from equiproof.certify.leak.spread import spread_level, spread_note
from equiproof.certify.models.importing.imported import Imported
from equiproof.certify.network import QuantisedNetwork
from equiproof.certify.padding import without_columns
from equiproof.circuits.arguments import argument, not_texts
from equiproof.circuits.levels import Listed
from equiproof.circuits.spec import Spec, SpecError, checked
from equiproof.prover.import_steps import Bound, GivenRows

Levels = Literal["draft", "exact"] | Sequence[str]
"""What certificates may show: levels that are drafted, exact radii, or these levels as decimal texts, least first."""

GainLevels = Literal["draft"] | Sequence[str]
"""What gain certificates may show: levels that are drafted, or these as decimal texts in log odds, least first."""

_MOST_ROWS = APPLICANTS + HELD_OUT
"""Rows beyond these are neither searched nor compared, so they are not encoded."""

Progress = Callable[[int, int], None]
"""Takes the steps of a draft that are done, and all."""


def with_levels(
    bound: Bound,
    rows: GivenRows | None,
    levels: Levels | None,
    gain_levels: GainLevels | None = None,
    progress: Progress | None = None,
) -> tuple[Bound, tuple[str, ...]]:
    """Return a bound model whose spec has levels, and a note for each proposal of a draft.

    None keeps the levels of the spec; where it has none, they are drafted, or the level of the spread is taken where
    rows are missing or do not do. "exact" leaves out levels of gains as well. These are the spec's unless others
    are given; where it has none, those of a network are drafted where its levels are. Raises LevelError for a draft
    that is asked for and cannot be made, and for levels of which no row reaches the first; SpecError for texts that are
    no levels, and for levels of gains beside exact radii.
    """
    _refuse_numbers("levels", levels, ("draft", "exact"))
    _refuse_numbers("gain_levels", gain_levels, ("draft",))
    notes: tuple[str, ...] = ()
    if levels is None:
        bound, notes = proposed(bound, rows, progress)
    elif levels == "exact":
        bound = _under(bound, levels=msgspec.UNSET, gain_levels=msgspec.UNSET)
    elif levels == "draft":
        bound, notes = _drafted(bound, rows, progress)
    else:
        bound = _under(bound, levels=tuple(levels))
        _refuse_unreached(bound, rows)
    if gain_levels is None and notes and bound.spec.gain_levels is msgspec.UNSET:
        bound, more = _proposed_gains(bound, rows)
    elif gain_levels == "draft":
        # Refuses levels of gains beside exact radii before anything is searched.
        bound, more = _drafted_gains(_under(bound, gain_levels=(guessed_gain(bound.spec),)), rows)
    else:
        more = ()
        bound = bound if gain_levels is None else _under(bound, gain_levels=tuple(gain_levels))
    return bound, (*notes, *more)


def _refuse_numbers(name: str, given: object, words: Sequence[str]) -> None:
    """Raise SpecError for levels that are neither texts nor one of these words."""
    if given is None or (isinstance(given, str) and given in words):
        return
    if (wrong := not_texts(name, given)) is not None:
        raise SpecError(wrong)


def proposed(bound: Bound, rows: GivenRows | None, progress: Progress | None) -> tuple[Bound, tuple[str, ...]]:
    """Return a model with the levels that nobody asked for, and notes on them; see :func:`with_levels`."""
    if bound.spec.levels is not msgspec.UNSET:
        _refuse_unreached(bound, rows)
        return bound, ()
    try:
        return _drafted(bound, rows, progress)
    except LevelError as error:
        level = spread_level(bound.spec)
        note = spread_note(bound.spec, level, str(error).removeprefix("levels: "))
        return _under(bound, levels=(level,)), (note,)


def _drafted(bound: Bound, rows: GivenRows | None, progress: Progress | None) -> tuple[Bound, tuple[str, ...]]:
    """Return a model under drafted levels, and the lines of the draft; raises LevelError where there is none."""
    if rows is None:
        raise LevelError(f"levels: a draft is made from rows: give some, or the levels, {argument('levels', ['0.25'])}")
    if len(bound.spec.labels) != 2:
        raise LevelError(f"levels: a draft is for two labels: give the levels, {argument('levels', ['0.25'])}")
    draft = draft_for(*_searched(bound, rows), progress=progress)
    return _under(bound, levels=draft.levels), tuple(draft.lines(bound.spec))


def _proposed_gains(bound: Bound, rows: GivenRows | None) -> tuple[Bound, tuple[str, ...]]:
    """Return a model with the levels of gains that nobody asked for, and notes on them; only networks have gains."""
    if not isinstance(bound, Imported):
        return bound, ()
    try:
        return _drafted_gains(bound, rows)
    except LevelError as error:
        level = guessed_gain(bound.spec)
        note = guess_note(level, str(error).removeprefix("gain_levels: "))
        return _under(bound, gain_levels=(level,)), (note,)


def _drafted_gains(bound: Bound, rows: GivenRows | None) -> tuple[Bound, tuple[str, ...]]:
    """Return a model under drafted levels of gains, and a note; raises LevelError where there are none."""
    if not isinstance(bound, Imported):
        raise LevelError("gain_levels: leave them out: gain certificates are for networks")
    named = argument("gain_levels", ["0.5"])
    if rows is None:
        raise LevelError(f"gain_levels: a draft is made from rows: give some, or the levels, {named}")
    if not bound.spec.levels:
        raise AssertionError("a spec without levels has none of gains")
    model, spec, queries = _searched(bound, rows)
    if not isinstance(model, QuantisedNetwork):
        raise AssertionError("a network is searched as one")
    draft = draft_gains(model, spec, queries, bound.spec.levels)
    return _under(bound, gain_levels=draft.levels or msgspec.UNSET), (draft.note,)


def _refuse_unreached(bound: Bound, rows: GivenRows | None) -> None:
    """Raise LevelError where no row reaches the first level of the spec."""
    if rows is not None and bound.spec.levels:
        refuse_unreached(*_searched(bound, rows), bound.spec.levels)


def _searched(bound: Bound, rows: GivenRows) -> tuple[QuantisedNetwork | ScoredModel, Spec, Sequence[tuple[int, ...]]]:
    """Return the model and the spec without padding, and the queries of the rows, at most as many as a draft takes."""
    of_many = len(rows.rows) > _MOST_ROWS
    drawn = random.Random(0).sample(rows.rows, _MOST_ROWS) if of_many else rows.rows  # noqa: S311  # not a secret
    queries = [bound.spec.encode(row) for row in drawn]
    if not isinstance(bound, Imported):
        return bound.model, bound.spec, queries
    model, spec = without_columns(bound.quantised, bound.spec)
    return model, spec, [query[: spec.plain_columns] for query in queries]


def _under(bound: Bound, **levels: Listed) -> Bound:
    """Return the model under its spec with other levels; no number of the model depends on them."""
    spec = checked(msgspec.structs.replace(bound.spec, **levels))
    return dataclasses.replace(bound, spec=spec)
