"""`equiproof certify --explain`: the radius that each capacity gives an applicant, and what its key and proof cost."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from equiproof.cli.commands.common import counterexample_text, tell
from equiproof.cli.commands.inspect import COST_HEADER, MEASURED, cost_cells
from equiproof.cli.commands.portfolio import worst
from equiproof.cli.console import bar

if TYPE_CHECKING:
    from equiproof.certify.many.point import Limits
    from equiproof.prover.opening import Opening

APPLICANTS = 8
"""How many applicants of a file are explained: the first ones."""


def explain_capacities(
    owned: Opening, queries: Sequence[tuple[int, ...]], limits: Limits, largest: int | None, *, as_json: bool
) -> int:
    """Print what each capacity up to a largest one gives; return the exit code of the worst verdict."""
    from equiproof.certify.documents import in_spec_units
    from equiproof.cli.commands.explain_rooms import explain_rooms
    from equiproof.prover.inspection import explain

    if owned.own_scheme is not None:
        return explain_rooms(owned, queries[:APPLICANTS], len(queries), limits, largest, as_json=as_json)
    with in_spec_units(owned.spec), bar("searching", quiet=as_json) as tick:
        document = explain(
            owned.network,
            owned.spec,
            queries[:APPLICANTS],
            scheme=limits.scheme,
            largest=largest,
            max_seconds=limits.max_seconds,
            progress=tick,
        )
    tell(as_json=as_json, document=document, text=_text(document, len(queries)))
    return worst(row["verdict"] for row in document["rows"])


def _text(document: dict[str, Any], applicants: int) -> str:
    """Lay out one applicant's table, or the table of costs and that of several applicants' radii."""
    if applicants > 1:
        return "\n".join(_several(document, applicants))
    (row,) = document["rows"]
    return "\n".join(_one(row, document)) if row["verdict"] == "fair" else counterexample_text(row)


def _one(row: dict[str, Any], document: dict[str, Any]) -> list[str]:
    """Lay out what each capacity gives one applicant beside what it costs."""
    rows = "leaves" if document["scheme"] == "branch" else "regions"
    costs = {cost["capacity"]: cost_cells(cost) for cost in document["capacities"]}
    width = max(len(offer["radius"]) for offer in row["capacities"])
    lines = [
        f"FAIR: {row['label']}. {_boundary(row)}",
        f"  scheme {document['scheme']}: the largest radius found with evidence of at most K {rows}, and its cost",
        f"  {'K':>6}  {'radius':>{width}}{'share':>9}{rows:>9}{COST_HEADER}",
    ]
    lines += [
        f"  {offer['capacity']:>6}  {offer['radius']:>{width}} {_share(offer):>8}{offer[rows]:>9}"
        f"{costs.get(offer['capacity'], '')}"
        for offer in row["capacities"]
    ]
    return lines + _notes(document)


def _several(document: dict[str, Any], applicants: int) -> list[str]:
    """Lay out what each capacity costs, and what it gives each of several applicants."""
    rows = document["rows"]
    lines = [f"  {'K':>6}{COST_HEADER}"]
    lines += [f"  {cost['capacity']:>6}{cost_cells(cost)}" for cost in document["capacities"]]
    which = f"the first {len(rows)} of {applicants} applicants" if len(rows) < applicants else "each applicant"
    lines.append(f"scheme {document['scheme']}: the largest radius found for {which}")
    steps: list[dict[str, Any]] = next((row["capacities"] for row in rows if row["verdict"] == "fair"), [])
    width = max((len(offer["radius"]) for row in rows for offer in row.get("capacities", ())), default=0)
    lines.append(f"  {'row':>4}" + "".join(f"{'K = ' + str(step['capacity']):>{width + 11}}" for step in steps))
    for row in rows:
        cells = "".join(f"  {offer['radius']:>{width}} {_share(offer):>8}" for offer in row.get("capacities", ()))
        lines.append(f"  {row['row']:>4}{cells or '  ' + row['verdict'].upper()}")
    return lines + _notes(document)


def _boundary(row: dict[str, Any]) -> str:
    """Say where the decision is known to end."""
    if row["upper"] is None:
        return "No point with another decision is known."
    return f"The boundary of the decision is {row['upper']['radius']} away at most."


def _share(offer: dict[str, Any]) -> str:
    """Write a share of the largest radius, never more than it is."""
    from equiproof.certify.digits import percent

    return "-" if offer["share"] is None else percent(offer["share"], "down")


def _notes(document: dict[str, Any]) -> list[str]:
    """Say what the columns mean."""
    lines = ["share: of the largest radius that the nearest known boundary of the decision allows"]
    if not all(row.get("complete", True) for row in document["rows"]):
        budget = "--max-leaves" if document["scheme"] == "branch" else "--max-regions"
        lines.append(f"more room ({budget}) or time (--max-seconds) may give more")
    if document["beyond"]:
        lines.append(f"no further: {document['beyond']}")
    return [*lines, *([MEASURED] if document["capacities"] else [])]
