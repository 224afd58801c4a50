"""What `equiproof certify --exact` adds: how far the decision really holds, as an interval of exact rationals."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from equiproof.commands.common import distance_text, in_words, radius_text, sensitive_values
from equiproof.console import spinner

if TYPE_CHECKING:
    from certify.exact import ExactSearch
    from circuits.spec import Spec
    from prover.opening import Opening


def find_exact(
    owned: Opening, query: Sequence[int], max_regions: int, max_seconds: float, *, quiet: bool
) -> ExactSearch:
    """Return the interval that the budget allows, for a query that is known to have a label."""
    from certify.exact import ExactBudgetError, exact_search
    from certify.search import Counterexample

    def told(found: ExactSearch) -> None:
        tick(f"searching: {found.regions} regions, boundary at {_span(owned.spec, found)}")

    with spinner("searching", quiet=quiet) as tick:
        try:
            found = exact_search(
                owned.network,
                query,
                owned.spec.domain_table,
                max_radius_squared=owned.spec.max_radius_squared,
                max_regions=max_regions,
                max_seconds=max_seconds,
                progress=told,
            )
        except ExactBudgetError as error:
            # The certified radius stands whatever is known of the true one.
            return error.found
    if isinstance(found, Counterexample):
        raise TypeError("this query has no label")
    return found


def exact_json(spec: Spec, found: ExactSearch) -> dict[str, Any]:
    """Return the interval as data; squared distances and points are rationals "n/d" in grid units."""
    witness = found.witness
    return {
        "complete": found.complete,
        "at_least": found.capped,
        "lower": {"radius": distance_text(spec, found.lower, up=False), "squared": str(found.lower)},
        "upper": None
        if found.upper is None
        else {"radius": distance_text(spec, found.upper, up=True), "squared": str(found.upper)},
        "radius_squared": found.radius_squared,
        "regions": found.regions,
        "programs": found.programs,
        "witness": None
        if witness is None
        else {
            "sensitive": sensitive_values(spec, witness.slice),
            "point": [str(value) for value in witness.point],
        },
    }


def exact_text(spec: Spec, radius_squared: int, found: ExactSearch, flip: str | None) -> str:
    """Order the radii: what is certified, where the boundary of the decision is, and the first grid point beyond."""
    reached = distance_text(spec, radius_squared, up=False)
    lines = [
        "  from the inside out:",
        f"    certified                      {radius_text(spec, radius_squared)} ({reached} over the grid's points)",
        f"    the boundary of the decision   {_span(spec, found)}",
    ]
    if flip is not None:
        lines.append(f"    first point seen that flips    {flip}")
    if found.witness is not None:
        values = in_words(sensitive_values(spec, found.witness.slice))
        place = "on the boundary" if found.complete else "at its far end at the latest"
        lines.append(f"  {place} the model decides neither way for {values}")
    if not found.complete:
        lines.append(f"  the budget ended after {found.regions} regions")
    return "\n".join(lines)


def _span(spec: Spec, found: ExactSearch) -> str:
    """Write the interval, as one number where both ends agree."""
    lower = distance_text(spec, found.lower, up=False)
    if found.upper is None:
        return f"at least {lower}"
    return lower if found.lower == found.upper else f"between {lower} and {distance_text(spec, found.upper, up=True)}"
