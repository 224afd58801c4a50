"""What `equiproof certify --exact` adds: how far the decision really holds, as an interval of exact rationals."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from equiproof.commands.common import distance_text, in_words, radius_text, sensitive_values
from equiproof.console import spinner

if TYPE_CHECKING:
    from fractions import Fraction

    from certify.exact import ExactSearch, Witness
    from certify.results import Limits
    from circuits.spec import Spec
    from prover.opening import Opening


def find_exact(owned: Opening, query: Sequence[int], limits: Limits, *, quiet: bool) -> ExactSearch:
    """Return the interval that the budget allows, for a query that is known to have a label."""
    from certify.exact import interval_under
    from certify.search import Counterexample

    def told(found: ExactSearch) -> None:
        tick(f"searching: {found.regions} regions, boundary at {_span(owned.spec, found.lower, found.upper)}")

    with spinner("searching", quiet=quiet) as tick:
        # Where seconds end first, the certified radius stands whatever is known of the true one.
        found = interval_under(
            owned.network,
            owned.spec,
            query,
            max_regions=limits.max_regions,
            max_seconds=limits.max_seconds,
            progress=told,
        )
    if isinstance(found, Counterexample):
        raise TypeError("this query has no label")
    return found


def exact_json(spec: Spec, found: ExactSearch) -> dict[str, Any]:
    """Return the interval as data; squared distances and points are rationals "n/d" in grid units."""
    return {
        **ends_json(spec, (found.lower, found.upper), found.witness),
        "complete": found.complete,
        "at_least": found.capped,
        "radius_squared": found.radius_squared,
        "regions": found.regions,
        "programs": found.programs,
    }


def ends_json(spec: Spec, ends: tuple[Fraction, Fraction | None], witness: Witness | None) -> dict[str, Any]:
    """Return the ends of an interval, and the point on the boundary that its upper end is the distance of, as data."""
    lower, upper = ends
    return {
        "lower": {"radius": distance_text(spec, lower, up=False), "squared": str(lower)},
        "upper": None if upper is None else {"radius": distance_text(spec, upper, up=True), "squared": str(upper)},
        "witness": None
        if witness is None
        else {
            "sensitive": sensitive_values(spec, witness.slice),
            "point": [str(value) for value in witness.point],
        },
    }


def exact_text(spec: Spec, radius_squared: int, found: ExactSearch, flip: str | None) -> str:
    """Order the radii: what is certified, where the boundary of the decision is, and the first grid point beyond."""
    lines = inside_out(spec, radius_squared, (found.lower, found.upper), found.witness, flip)
    if not found.complete:
        lines.append(f"  the budget ended after {found.regions} regions")
    return "\n".join(lines)


def inside_out(
    spec: Spec, radius_squared: int, ends: tuple[Fraction, Fraction | None], witness: Witness | None, flip: str | None
) -> list[str]:
    """Return lines from the inside out; `ends` are squared distances between which the boundary is."""
    reached = distance_text(spec, radius_squared, up=False)
    lines = [
        "  from the inside out:",
        f"    certified                      {radius_text(spec, radius_squared)} ({reached} over the grid's points)",
        f"    the boundary of the decision   {_span(spec, *ends)}",
    ]
    if flip is not None:
        lines.append(f"    first point seen that flips    {flip}")
    if witness is not None:
        values = in_words(sensitive_values(spec, witness.slice))
        place = "on the boundary" if ends[0] == ends[1] else "at its far end at the latest"
        lines.append(f"  {place} the model decides neither way for {values}")
    return lines


def _span(spec: Spec, lower: Fraction, upper: Fraction | None) -> str:
    """Write the interval, as one number where both ends agree."""
    low = distance_text(spec, lower, up=False)
    if upper is None:
        return f"at least {low}"
    return low if lower == upper else f"between {low} and {distance_text(spec, upper, up=True)}"
