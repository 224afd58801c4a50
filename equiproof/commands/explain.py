"""`equiproof certify --explain`: what each capacity gives an applicant, and what its key and proof cost."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from equiproof import inspection
from equiproof.commands.common import (
    counterexample_json,
    distance_text,
    explain,
    radius_text,
    tell,
    told_in_units,
)
from equiproof.commands.inspect import COST_HEADER, MEASURED, cost_cells
from equiproof.commands.portfolio import worst
from equiproof.console import bar

if TYPE_CHECKING:
    from certify.results import Limits
    from certify.search import Counterexample
    from certify.trade import Trade
    from circuits.schemes import Scheme
    from prover.opening import Opening

LARGEST = 64
"""The largest capacity that is explained where no budget is given; with more slices, the fifth that they fit."""

_STEPS = 5
_APPLICANTS = 8
"""Of a file with more applicants, the first ones."""


def explain_capacities(
    owned: Opening, queries: Sequence[tuple[int, ...]], limits: Limits, largest: int | None, *, as_json: bool
) -> int:
    """Print the trade of each capacity up to a largest one; return the exit code of the worst verdict."""
    from certify.capacity import capacities
    from certify.trade import trade
    from circuits.shape import least_capacity

    spec, scheme = owned.spec, limits.scheme
    least = least_capacity(scheme, len(spec.domain_table))
    shown = queries[:_APPLICANTS]
    found: list[Trade | Counterexample] = []
    with told_in_units(spec), bar("searching", quiet=as_json) as tick:
        steps = capacities(scheme, spec, largest or max(LARGEST, least << (_STEPS - 1)))
        for query in shown:
            found.append(trade(owned.network, spec, query, scheme, steps, max_seconds=limits.max_seconds))
            tick(len(found), len(shown))
    costs, beyond = inspection.costs(scheme, spec, owned.network.hidden, steps)
    rows = [_row(owned, number, one, scheme) for number, one in enumerate(found, start=1)]
    document = {
        "scheme": scheme,
        "capacities": [inspection.describe_cost(cost) for cost in costs],
        "beyond": beyond or None,
        "rows": rows,
    }
    tell(as_json=as_json, document=document, text=_text(owned, found, document, len(queries)))
    return worst(row["verdict"] for row in rows)


def _row(owned: Opening, number: int, found: Trade | Counterexample, scheme: Scheme) -> dict[str, Any]:
    """Return what is known of one applicant as data."""
    from certify.search import Counterexample
    from circuits.schemes import counted

    if isinstance(found, Counterexample):
        return {"row": number, **counterexample_json(owned, found)}
    spec, upper = owned.spec, found.upper
    return {
        "row": number,
        "verdict": "fair",
        "label": spec.labels[found.label],
        "upper": None if upper is None else {"radius": distance_text(spec, upper, up=True), "squared": str(upper)},
        "complete": found.complete,
        "capacities": [
            {
                "capacity": offer.capacity,
                "radius": radius_text(spec, offer.radius_squared),
                "radius_squared": offer.radius_squared,
                counted(scheme): offer.size,
                "share": None if (share := found.share(offer)) is None else round(share, 6),
            }
            for offer in found.offers
        ],
    }


def _text(owned: Opening, found: Sequence[Trade | Counterexample], document: dict[str, Any], applicants: int) -> str:
    """Lay out one applicant's table, or that of the costs and that of several applicants' radii."""
    from certify.search import Counterexample

    if applicants > 1:
        return "\n".join(_several(document, applicants))
    (only,), (row,) = found, document["rows"]
    return explain(owned, only) if isinstance(only, Counterexample) else "\n".join(_one(row, document))


def _one(row: dict[str, Any], document: dict[str, Any]) -> list[str]:
    """Lay out what each capacity gives one applicant beside what it costs."""
    rows = "leaves" if document["scheme"] == "branch" else "regions"
    costs = {cost["capacity"]: cost_cells(cost) for cost in document["capacities"]}
    width = max(len(offer["radius"]) for offer in row["capacities"])
    lines = [
        f"FAIR: {row['label']}. {_boundary(row)}",
        f"  scheme {document['scheme']}: the largest radius found with evidence of at most K {rows}, and its cost",
        f"  {'K':>6}  {'radius':>{width}}{'share':>8}{rows:>9}{COST_HEADER}",
    ]
    lines += [
        f"  {offer['capacity']:>6}  {offer['radius']:>{width}}{_share(offer):>8}{offer[rows]:>9}"
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
    lines.append(f"  {'row':>4}" + "".join(f"{'K = ' + str(step['capacity']):>{width + 9}}" for step in steps))
    for row in rows:
        cells = "".join(f"  {offer['radius']:>{width}}{_share(offer):>7}" for offer in row.get("capacities", ()))
        lines.append(f"  {row['row']:>4}{cells or '  ' + row['verdict'].upper()}")
    return lines + _notes(document)


def _boundary(row: dict[str, Any]) -> str:
    """Say where the decision is known to end."""
    if row["upper"] is None:
        return "No point that is decided otherwise is known."
    return f"The boundary of the decision is {row['upper']['radius']} away at most."


def _share(offer: dict[str, Any]) -> str:
    """Write a share of the largest radius, never more than it is."""
    return "-" if offer["share"] is None else f"{math.floor(1000 * offer['share']) / 10:.1f}%"


def _notes(document: dict[str, Any]) -> list[str]:
    """Say what the columns mean."""
    lines = ["share: of the largest radius that the nearest known boundary of the decision allows"]
    if not all(row.get("complete", True) for row in document["rows"]):
        budget = "--max-leaves" if document["scheme"] == "branch" else "--max-regions"
        lines.append(f"more room ({budget}) or time (--max-seconds) may give more")
    if document["beyond"]:
        lines.append(f"no further: {document['beyond']}")
    return [*lines, *([MEASURED] if document["capacities"] else [])]
