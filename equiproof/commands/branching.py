"""What `equiproof certify` tells by scheme branch of one applicant: an interval that holds the largest radius."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Any

import typer

from equiproof import failures
from equiproof.commands.boundary import ends_json, inside_out
from equiproof.commands.common import counterexample_json, explain, moves, radius_text, ranges_of, tell, told_in_units
from equiproof.console import spinner

if TYPE_CHECKING:
    from certify.branch import BranchSearch
    from certify.results import Limits
    from circuits.spec import Spec
    from prover.opening import Opening

_ENDED = {
    "leaves": "the budget of {leaves} leaves ended the search: --max-leaves",
    "seconds": "the budget of {seconds:g} seconds ended the search: --max-seconds",
    "digits": "the integers of a proof have too few digits for more",
}


def certify_branch(owned: Opening, query: tuple[int, ...], limits: Limits, *, as_json: bool) -> None:
    """Search, check in the clear and report; ends the command with 3 where the applicant is treated unfairly."""
    from certify.branch import check, parameters_of, search_under
    from certify.search import Counterexample

    spec, parameters = owned.spec, parameters_of(owned.spec, owned.network.hidden)
    with told_in_units(spec), spinner("searching", quiet=as_json) as tick:
        found = search_under(
            owned.network,
            spec,
            query,
            max_leaves=limits.max_leaves,
            max_seconds=limits.max_seconds,
            progress=lambda leaves, radius: tick(f"searching: {leaves} leaves, radius {radius_text(spec, radius)}"),
        )
    if isinstance(found, Counterexample):
        tell(as_json=as_json, document=counterexample_json(owned, found), text=explain(owned, found))
        raise typer.Exit(failures.UNFAIR)
    check(found.evidence, parameters, owned.network, query, spec.domain_table, spec.box)
    tell(as_json=as_json, document=_document(spec, found), text=_text(spec, found, limits))


def _ends(found: BranchSearch) -> tuple[Fraction, Fraction | None]:
    """Return the squared distances between which the boundary of the decision is."""
    return Fraction(found.radius_squared), found.upper


def _capacity(found: BranchSearch) -> int:
    """Return the least capacity with room for the evidence."""
    return 1 << (found.leaves - 1).bit_length()


def _document(spec: Spec, found: BranchSearch) -> dict[str, Any]:
    """Return a search as data."""
    from verifier.reading import Reading

    return {
        "verdict": "fair",
        "scheme": "branch",
        "label": spec.labels[found.label],
        "radius": radius_text(spec, found.radius_squared),
        "radius_squared": found.radius_squared,
        "ranges": ranges_of(Reading.of(spec, found.label, found.radius_squared)),
        "leaves": found.leaves,
        "slices": found.slice_count,
        "capacity": _capacity(found),
        "ended": found.ended,
        "exact": {
            **ends_json(spec, _ends(found), found.witness),
            "complete": found.complete,
            "at_least": found.capped,
            "programs": found.programs,
        },
    }


def _text(spec: Spec, found: BranchSearch, limits: Limits) -> str:
    """Say what was found, and what kept more from being found."""
    lines = [
        f"FAIR up to radius {radius_text(spec, found.radius_squared)}, in the spec's units: {spec.labels[found.label]}",
        *moves(spec, found.radius_squared),
        f"  {found.leaves} leaves over {found.slice_count} values of the sensitive features",
        f"  a key of capacity K = {_capacity(found)} proves this",
        *inside_out(spec, found.radius_squared, _ends(found), found.witness, None),
    ]
    if found.ended is None:
        lines.append("  no larger radius can be certified")
    else:
        lines.append(f"  {_ENDED[found.ended].format(leaves=limits.max_leaves, seconds=limits.max_seconds)}")
    return "\n".join(lines)
