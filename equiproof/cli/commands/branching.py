"""What `equiproof certify` prints for one applicant by scheme branch: an interval that holds the largest radius."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import typer

from equiproof.circuits.exit_codes import UNFAIR
from equiproof.cli.commands.boundary import inside_out
from equiproof.cli.commands.common import counterexample_text, moves, tell
from equiproof.cli.console import spinner

if TYPE_CHECKING:
    from equiproof.certify.many.point import Limits
    from equiproof.circuits.spec import Spec
    from equiproof.prover.opening import Opening

_ENDED = {
    "leaves": "the budget of {leaves} leaves ended the search: --max-leaves",
    "seconds": "the budget of {seconds:g} seconds ended the search: --max-seconds",
    "work": "the budget of work, about a minute's, ended the search: --max-seconds allows more",
    "digits": "the integers of a proof have too few digits for a larger radius",
}


def certify_branch(owned: Opening, query: tuple[int, ...], limits: Limits, *, as_json: bool) -> None:
    """Search and print; ends the command with exit code 3 where the applicant is treated unfairly."""
    from equiproof.certify import documents
    from equiproof.certify.single import branch_and_bound
    from equiproof.certify.traversal.search import Counterexample

    spec = owned.spec
    with documents.in_spec_units(spec), spinner("searching", quiet=as_json) as tick:
        outcome = branch_and_bound(
            owned.network,
            spec,
            query,
            limits,
            progress=lambda leaves, radius: tick(
                f"searching: {leaves} leaves, radius {documents.radius_text(spec, radius)}"
            ),
        )
    if isinstance(outcome, Counterexample):
        document = documents.counterexample(spec, owned.network, outcome)
        tell(as_json=as_json, document=document, text=counterexample_text(document))
        raise typer.Exit(UNFAIR)
    document = documents.branch_search(spec, outcome)
    tell(as_json=as_json, document=document, text=_text(spec, query, document, limits))


def _text(spec: Spec, query: tuple[int, ...], document: dict[str, Any], limits: Limits) -> str:
    """Write what was found, and what ended the search."""
    exact = document["exact"]
    radius = document["radius"]
    lines = [
        f"FAIR up to radius {radius}, in the spec's units: {document['label']}",
        *moves(spec, document["radius_squared"], query),
        f"  {document['leaves']} leaves over {document['slices']} values of the sensitive features",
        f"  a key of capacity K = {document['capacity']} proves this",
        *inside_out(exact["lower"]["radius"], radius, exact, None),
    ]
    lines.append("  no larger radius can be certified" if document["ended"] is None else ended(document, limits))
    return "\n".join(lines)


def ended(document: dict[str, Any], limits: Limits) -> str:
    """Say what ended a search before the largest radius."""
    return "  " + _ENDED[document["ended"]].format(leaves=limits.max_leaves, seconds=limits.max_seconds or 0)
