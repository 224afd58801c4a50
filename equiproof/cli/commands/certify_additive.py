"""What `equiproof certify` does with additive models and ensembles: radii, and the room that a key needs for them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from equiproof.circuits.exit_codes import UNFAIR
from equiproof.circuits.schemes import DEFAULT_SCHEME, MAX_LEAVES, Scheme
from equiproof.cli.commands.additive import own_sizes, refuse_network
from equiproof.cli.commands.boundary import inside_out
from equiproof.cli.commands.branching import ended
from equiproof.cli.commands.common import counterexample_text, moves, tell
from equiproof.cli.console import spinner

if TYPE_CHECKING:
    from equiproof.certify.many.point import Limits
    from equiproof.certify.trees.scored import ScoreSearch
    from equiproof.circuits.spec import Spec
    from equiproof.prover.opening import Opening

RoomCapacity = Annotated[
    int | None,
    typer.Option(
        "--capacity",
        help="Additive models and trees: also show the radius that a key of K leaves proves, within --slots and "
        "--rows if given.",
        min=1,
        metavar="K",
    ),
]
RoomSlots = Annotated[
    int | None,
    typer.Option(
        "--slots",
        help="Additive models and trees: also show the radius that a key of V slots proves, within --capacity and "
        "--rows if given.",
        min=1,
        metavar="V",
    ),
]
RoomRows = Annotated[
    int | None,
    typer.Option(
        "--rows",
        help="Trees of several splits: also show the radius that a key of A rows proves, within --slots if given.",
        min=1,
        metavar="A",
    ),
]

Asked = tuple[int | None, int | None, int | None]
"""The options --slots, --rows and --capacity."""


def own_scheme(owned: Opening, opening: Path, scheme: Scheme, room: Asked) -> Scheme:
    """Return the scheme for a model; raises typer's own error for an option that is for the other kind of model."""
    if owned.own_scheme is None:
        refuse_network(scheme, opening)
        if room != (None, None, None):
            raise typer.BadParameter(
                f"{opening} holds a network: --slots, --rows and --capacity go with an additive model or an ensemble"
            )
        return scheme
    if scheme not in (DEFAULT_SCHEME, owned.own_scheme):
        raise typer.BadParameter(f"{opening} holds {owned.kind}, want --scheme trees, not {scheme}")
    own_sizes(owned.sizes, room[0], room[1])
    return owned.own_scheme


def additive_limits(max_leaves: int | None, max_seconds: float | None, room: Asked) -> Limits:
    """Return the limits of a search; a room of slots or rows alone has as many leaves as the search."""
    from equiproof.certify.many.point import Limits

    slots, rows, capacity = room
    most = max(max_leaves or MAX_LEAVES, capacity or 1)
    return Limits(
        scheme="trees",
        max_leaves=most,
        max_seconds=max_seconds,
        capacity=most if capacity is None and (slots, rows) != (None, None) else capacity,
        slots=slots,
        rows=rows,
    )


def certify_additive(owned: Opening, query: tuple[int, ...], limits: Limits, *, as_json: bool) -> None:
    """Search and print; ends the command with exit code 3 where the applicant is treated unfairly."""
    from equiproof.certify import documents
    from equiproof.certify.single import score
    from equiproof.certify.traversal.search import Counterexample

    spec = owned.spec
    with documents.in_spec_units(spec), spinner("searching", quiet=as_json) as tick:
        outcome = score(
            owned.score,
            spec,
            query,
            limits,
            progress=lambda leaves, radius: tick(
                f"searching: {leaves} leaves, radius {documents.radius_text(spec, radius)}"
            ),
        )
    if isinstance(outcome, Counterexample):
        document = documents.counterexample(spec, owned.model, outcome)
        tell(as_json=as_json, document=document, text=counterexample_text(document))
        raise typer.Exit(UNFAIR)
    with documents.in_spec_units(spec):
        document = documents.score_search(spec, outcome) | {"room": _within(spec, outcome, limits)}
    tell(as_json=as_json, document=document, text="\n".join(_text(spec, query, document, limits)))


def _key(room: dict[str, Any]) -> str:
    """Name the room of a key."""
    from equiproof.certify.trees.scored import Room

    return Room(room["slots"], room["rows"], room["capacity"]).words


def _within(spec: Spec, search: ScoreSearch, limits: Limits) -> dict[str, Any] | None:
    """Return the radius that fits the slots, rows and leaves that were asked about."""
    from equiproof.certify.documents import radius_text
    from equiproof.certify.trees.scored import Room, evidence_in

    if limits.capacity is None:
        return None
    room = Room(limits.slots, limits.rows, limits.capacity)
    fits = evidence_in(search, room)
    return room._asdict() | {
        "radius": radius_text(spec, fits.radius_squared),
        "radius_squared": fits.radius_squared,
        "leaves": len(fits.leaves),
    }


def _text(spec: Spec, query: tuple[int, ...], document: dict[str, Any], limits: Limits) -> list[str]:
    """Write what was found, what a key needs for it, and what ended the search."""
    exact = document["exact"]
    radius = document["radius"]
    flip = document["flip"]
    room = document["room"]
    lines = [
        f"FAIR up to radius {radius}, in the spec's units: {document['label']}",
        *moves(spec, document["radius_squared"], query),
        f"  {document['leaves']} leaves over {document['slots']} thresholds within the radius",
        f"  a key of {_key(document)} proves this",
    ]
    if room is not None:
        lines.append(f"  a key of {_key(room)} proves radius {room['radius']}")
    nearest = None if flip is None else flip["distance"]
    lines += inside_out(exact["lower"]["radius"], radius, exact, nearest, jumps=True)
    lines.append("  no larger radius can be certified" if document["ended"] is None else ended(document, limits))
    return lines
