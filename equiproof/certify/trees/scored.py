"""Models of scheme `trees`, additive ones and ensembles: the searches of both behind one name, and the room of keys.

A key has room for V slots, the thresholds that are closer to an applicant than the radius; for A rows, an ensemble's
live nodes; and for K leaves.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from equiproof.certify.branch.budget import MAX_WORK
from equiproof.certify.ensemble import EnsembleModel, ScoredModel
from equiproof.certify.traversal.search import Counterexample
from equiproof.certify.trees.ensemble_evidence import EnsembleEvidence
from equiproof.certify.trees.ensemble_search import MAX_BOXES, EnsembleSearch, ensemble_search
from equiproof.certify.trees.evidence import AdditiveEvidence
from equiproof.certify.trees.search import AdditiveSearch, additive_search
from equiproof.circuits.spec import Box, Spec

ScoreSearch = AdditiveSearch | EnsembleSearch


class Room(NamedTuple):
    """What a key holds: V slots and, of an ensemble alone, A rows (None: any number of either), and K leaves."""

    slots: int | None
    rows: int | None
    capacity: int

    @property
    def words(self) -> str:
        """Slots and rows as far as there are numbers of them, and the leaves."""
        named = ((self.slots, f"V = {self.slots} slots"), (self.rows, f"A = {self.rows} rows"))
        held = ", ".join(words for count, words in named if count is not None)
        return f"{held}{' and ' if held else ''}capacity K = {self.capacity}"


def score_search(
    model: ScoredModel,
    query: Sequence[int],
    table: Sequence[Sequence[int]],
    *,
    max_radius_squared: int,
    max_leaves: int,
    max_seconds: float | None = None,
    progress: Callable[[int, int], None] | None = None,
    box: Box | None = None,
) -> ScoreSearch | Counterexample:
    """Search around a query of n_x integers on the S slices of a table of shape (S, n_s), as the model's own search.

    That is :func:`equiproof.certify.trees.search.additive_search` or
    :func:`equiproof.certify.trees.ensemble_search.ensemble_search`; both check the evidence that they return.
    """
    own = ensemble_search if isinstance(model, EnsembleModel) else additive_search
    return own(
        model,  # type: ignore[arg-type]  # each search has the model of its kind
        query,
        table,
        max_radius_squared=max_radius_squared,
        max_leaves=max_leaves,
        max_seconds=max_seconds,
        progress=progress,
        box=box,
    )


def search_under(
    model: ScoredModel,
    spec: Spec,
    query: Sequence[int],
    *,
    max_leaves: int,
    max_seconds: float | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> ScoreSearch | Counterexample:
    """Search as :func:`score_search`; table, ranges and largest radius are those of a spec."""
    return score_search(
        model,
        query,
        spec.domain_table,
        max_radius_squared=spec.max_radius_squared,
        max_leaves=max_leaves,
        max_seconds=max_seconds,
        progress=progress,
        box=spec.box,
    )


def evidence_in(
    search: ScoreSearch, room: Room, *, max_seconds: float | None = None, parts: int = 1
) -> AdditiveEvidence | EnsembleEvidence:
    """Return checked evidence of the largest radius that is found for a room, never beyond that of the search.

    Without `max_seconds` it has this part of a search's work. Raises CapacityError for room that not even the query
    alone fits.
    """
    slots, rows, capacity = room
    if isinstance(search, EnsembleSearch):
        return search.evidence_within(capacity, slots, rows, max_seconds=max_seconds, max_work=MAX_BOXES // parts)
    return search.evidence_within(capacity, slots, max_seconds=max_seconds, max_work=MAX_WORK // parts)


def rows_of(search: ScoreSearch) -> int | None:
    """Return the live nodes of an ensemble's evidence, None for an additive model."""
    return search.rows if isinstance(search, EnsembleSearch) else None
