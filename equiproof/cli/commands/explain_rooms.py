"""`equiproof certify --explain` with an additive model or an ensemble: what the room of a key gives, and its cost."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from equiproof.cli.commands.common import counterexample_text, tell
from equiproof.cli.commands.inspect import COST_HEADER, MEASURED, cost_cells, room_cells, room_header
from equiproof.cli.commands.portfolio import worst
from equiproof.cli.console import bar

if TYPE_CHECKING:
    from equiproof.certify.many.point import Limits
    from equiproof.prover.opening import Opening


def explain_rooms(
    owned: Opening,
    queries: Sequence[tuple[int, ...]],
    applicants: int,
    limits: Limits,
    largest: int | None,
    *,
    as_json: bool,
) -> int:
    """Print what each room gives the first of some applicants; return the exit code of the worst verdict."""
    from equiproof.prover.score_inspection import explain_score, rooms_of

    rooms = rooms_of(owned.score, limits.slots, limits.rows, largest)
    with bar("searching", quiet=as_json) as tick:
        document = explain_score(owned.score, owned.spec, queries, rooms, max_seconds=limits.max_seconds, progress=tick)
    tell(as_json=as_json, document=document, text="\n".join(_text(document, applicants)))
    return worst(row["verdict"] for row in document["rows"])


def _text(document: dict[str, Any], applicants: int) -> list[str]:
    """Lay out one applicant's table, or the table of costs and that of several applicants' radii."""
    rows = document["rows"]
    if applicants == 1 and rows[0]["verdict"] != "fair":
        return counterexample_text(rows[0]).splitlines()
    return [*(_one(rows[0], document) if applicants == 1 else _several(document, applicants)), *_notes(document)]


def _one(row: dict[str, Any], document: dict[str, Any]) -> list[str]:
    """Lay out what each room gives one applicant beside what it costs."""
    costs = {_room(cost): cost_cells(cost) for cost in document["capacities"]}
    width = max((len(offer["radius"]) for offer in row["capacities"]), default=0)
    rows = row["needed"]["rows"] is not None
    lines = [
        f"FAIR: {row['label']}. {_needed(row)}",
        f"  scheme trees: the largest radius found with V slots{', A rows' if rows else ''} and K leaves, and its cost",
        f"  {room_header(rows=rows)}  {'radius':>{width}}{'share':>9}{'leaves':>9}{COST_HEADER}",
    ]
    return lines + [
        f"  {room_cells(offer)}  {offer['radius']:>{width}} {_share(offer):>8}"
        f"{offer['leaves']:>9}{costs.get(_room(offer), '')}"
        for offer in row["capacities"]
    ]


def _several(document: dict[str, Any], applicants: int) -> list[str]:
    """Lay out what each room costs, and what it gives each of several applicants, a line for each V and A."""
    rows = document["rows"]
    live = any(offer["rows"] is not None for row in rows for offer in row.get("capacities", ()))
    lines = [f"  {room_header(rows=live)}{COST_HEADER}"]
    lines += [f"  {room_cells(cost)}{cost_cells(cost)}" for cost in document["capacities"]]
    which = f"the first {len(rows)} of {applicants} applicants" if len(rows) < applicants else "each applicant"
    lines.append(f"scheme trees: the largest radius found for {which}")
    steps = sorted({offer["capacity"] for row in rows for offer in row.get("capacities", ())})
    width = max((len(offer["radius"]) for row in rows for offer in row.get("capacities", ())), default=0)
    header = f"  {'row':>4}{'V':>6}{'A' if live else '':>{6 * live}}"
    lines.append(header + "".join(f"{'K = ' + str(step):>{width + 2}}" for step in steps))
    for row in rows:
        if row["verdict"] != "fair":
            lines.append(f"  {row['row']:>4}  {row['verdict'].upper()}")
            continue
        radius_in = {_room(offer): offer["radius"] for offer in row["capacities"]}
        for slots, live_rows in dict.fromkeys(room[:2] for room in radius_in):
            cells = (f"{radius_in.get((slots, live_rows, step), '-'):>{width + 2}}" for step in steps)
            own = "" if live_rows is None else f"{live_rows:>6}"
            lines.append(f"  {row['row']:>4}{slots:>6}{own}{''.join(cells)}")
    return lines


def _needed(row: dict[str, Any]) -> str:
    """Say what the full radius needs, and where the decision is known to end."""
    needs = row["needed"]
    upper = row["upper"]
    end = (
        "No point with another decision is known."
        if upper is None
        else (f"The boundary of the decision is {upper['radius']} away at most.")
    )
    live = "" if needs["rows"] is None else f"A = {needs['rows']}, "
    full = f"the full radius needs V = {needs['slots']}, {live}K = {1 << (needs['leaves'] - 1).bit_length()}"
    return f"{end}\n  {full}" if needs["complete"] else end


def _room(entry: dict[str, Any]) -> tuple[int, int | None, int]:
    """Return the slots, rows and leaves of an entry."""
    return entry["slots"], entry["rows"], entry["capacity"]


def _share(offer: dict[str, Any]) -> str:
    """Write a share of the largest radius, never more than it is."""
    from equiproof.certify.digits import percent

    return "-" if offer["share"] is None else percent(offer["share"], "down")


def _notes(document: dict[str, Any]) -> list[str]:
    """Say what the columns mean."""
    lines = ["share: of the largest radius that the nearest known boundary of the decision allows"]
    lines += [f"no cost is shown for some: {document['beyond']}"] if document["beyond"] else []
    return [*lines, *([MEASURED] if document["capacities"] else [])]
