"""OCEAN (Parmentier and Vidal, ICML 2021), by constraint programming, on the same rows at the same costs.

Its distance is the sum of all differences: a whole unit of a number counts 1, a change of a category 1. Rules of change
with these costs let every feature change, so that both answer one question: the cheapest change that is granted.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from itertools import islice, product
from math import prod
from pathlib import Path
from typing import Any

from bench.harness import on_one_thread, spread
from bench.harness import table as markdown
from bench.parts import BaseQuestion, Options, Plan
from bench.sample import shuffled
from equiproof.certify.data.dataset import Row
from equiproof.certify.recourse.asked import Asked, Cheapest
from equiproof.certify.recourse.ensembles import cheapest
from equiproof.certify.recourse.moves import movers
from equiproof.circuits.allowed import allowed
from equiproof.circuits.categories import choices_of
from equiproof.ffi import search as native
from research.suites.ocean import call
from research.suites.ocean.models import SETTINGS, Case, trained

TREES, DEPTH = 100, 3

MAX_CELLS = 20_000
"""How many cells are tried one by one at most."""


@dataclass(frozen=True)
class Question(BaseQuestion):
    """The first refused ones of random test rows; `seconds` limits OCEAN's search for each."""

    points: int = 30
    seconds: float = 60.0
    jobs: int = 1
    models: tuple[str, ...] = tuple(SETTINGS)


def plan(data_dir: Path | None, options: Options, question: Question | None = None) -> Plan:
    """Return a part for every model. Raises BenchError for several processes, since searches are timed."""
    options.one_by_one("ocean", "searches")
    asked = options.of(question or Question())
    parts = {name: partial(on_one_thread, measured, name, asked, data_dir) for name in asked.models}
    return Plan(asked.as_data(), parts)


def measured(name: str, question: Question, data_dir: Path | None) -> dict[str, Any]:
    """Train a model, and ask both about its refused rows, one after the other."""
    python = call.environment()
    case = trained(name, TREES, DEPTH, data_dir)
    refused = (number for number in shuffled(list(case.test), question.seed) if case.score(case.rows[number]) < 0)
    lines = []
    with call.running(python, case.model_file(), case.question(), question.seconds) as rival:
        for number in islice(refused, question.points):
            row = case.rows[number]
            theirs = rival.answer(case.columns([row])[0].tolist())
            lines.append({"row": number, **judged(case, row, theirs), **ours(case, row), "least": least(case, row)})
    sizes = {"nodes": case.model.nodes.sizes[1], "inputs": len(case.inputs)}
    return {**sizes, "compared": dict(case.compared), **rival.head, **summary(lines), "rows": lines}


def ours(case: Case, row: Row) -> dict[str, Any]:
    """Return what our search finds for a row: cost, whether it flips both decisions, and CPU seconds.

    `native_s` are those of them that the native search takes; the others price the changes and write its question.
    """
    begun = time.process_time()
    with native_seconds() as spent:
        found = searched(case, row)
    times = {"search_s": round(time.process_time() - begun, 4), "native_s": round(sum(spent), 4)}
    if found.taken is None:
        return {"cost": None, "complete": found.complete, "flips": False, **times}
    shown = dict(row) | {name: value for option in found.taken for name, value in option.shown.items()}
    whole = {name: int(value) if isinstance(row[name], int) else value for name, value in shown.items()}
    return {
        "cost": _written(cost(case, row, whole)),
        "complete": found.complete and found.cost == cost(case, row, whole),
        "flips": flips(case, whole),
        **times,
    }


@contextmanager
def native_seconds() -> Iterator[list[float]]:
    """Collect the CPU seconds of every native search."""
    own, spent = native.nearest, list[float]()

    def timed(*arguments: Any, **named: Any) -> Any:
        begun = time.process_time()
        try:
            return own(*arguments, **named)
        finally:
            spent.append(time.process_time() - begun)

    native.nearest = timed
    try:
        yield spent
    finally:
        native.nearest = own


def searched(case: Case, row: Row) -> Cheapest:
    """Return the cheapest change of a row."""
    spec = case.spec
    changing = movers(spec, allowed(spec, row, {}))
    asked = Asked(spec.encode(row), spec.domain_table[:1], 1, changing, choices_of(spec))
    return cheapest(case.model, asked)


def judged(case: Case, row: Row, theirs: Mapping[str, Any]) -> dict[str, Any]:
    """Return what OCEAN found, with its cost computed again from its answer and whether that flips both decisions."""
    found = {"status": theirs["status"], "ocean_s": round(theirs["cpu_s"], 4), "ocean_cost": None, "ocean_flips": False}
    if theirs["point"] is None:
        return found
    other = case.row(theirs["point"])
    return found | {"ocean_cost": _written(cost(case, row, other)), "ocean_flips": flips(case, other)}


def cost(case: Case, row: Row, other: Row) -> Fraction:
    """Return the cost of becoming another row."""
    total = Fraction(0)
    for feature in case.spec.plain_features:
        one, new = row[feature.name], other[feature.name]
        total += abs(Fraction(new) - Fraction(one)) if feature.kind == "numeric" else int(one != new)
    return total


def flips(case: Case, row: Row) -> bool:
    """Return whether a row is granted by the library, and by the committed integers."""
    return bool(case.granted(case.columns([row]))[0]) and case.score(row) > 0


def least(case: Case, row: Row) -> int | None:
    """Return the least cost of a granted cell by trying them all; None where they are more than MAX_CELLS.

    The model's splits make intervals of whole numbers; each is at the price of its nearest one. Decisions are the
    library's own.
    """
    values = [_nearest(case, row, feature.name) for feature in case.spec.plain_features]
    if prod(map(len, values)) > MAX_CELLS:
        return None
    names = [feature.name for feature in case.spec.plain_features]
    cells = [dict(zip(names, cell, strict=True)) for cell in product(*values)]
    granted = case.granted(case.columns(cells))
    prices = [int(cost(case, row, cell)) for cell, is_granted in zip(cells, granted, strict=True) if is_granted]
    return min(prices, default=None)


def _nearest(case: Case, row: Row, name: str) -> list[Any]:
    """Return the values of a feature that the model tells apart, of an interval the one nearest to the row's."""
    feature = next(one for one in case.spec.plain_features if one.name == name)
    if feature.kind == "categorical":
        return list(feature.domain)
    own, ends = int(row[name]), case.ends.get(name, [])
    return sorted({own, *(end for end in ends if end < own), *(end + 1 for end in ends if end >= own)})


def summary(lines: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Count the rows of one model; those that OCEAN calls optimal and that are wrong are listed by number."""
    optimal = [one for one in lines if one["status"] == "OPTIMAL"]
    tried = [one for one in lines if one["least"] is not None]
    spreads = {name: spread(name, [one[name] for one in lines], 4) for name in ("ocean_s", "search_s", "native_s")}
    return {
        "points": len(lines),
        "optimal": len(optimal),
        "complete": sum(one["complete"] and one["flips"] for one in lines),
        "equal": sum(one["ocean_flips"] and one["ocean_cost"] == one["cost"] for one in lines),
        "unflipped": [one["row"] for one in optimal if not one["ocean_flips"]],
        "dearer": [one["row"] for one in optimal if _more(one["ocean_cost"], one["cost"])],
        "ours_dearer": [one["row"] for one in lines if one["ocean_flips"] and _more(one["cost"], one["ocean_cost"])],
        "tried": len(tried),
        "least": sum(one["least"] == one["cost"] for one in tried),
        **spreads["ocean_s"],
        **spreads["search_s"],
        **spreads["native_s"],
        "ratio": ratio(lines, "search_s"),
        "native_ratio": ratio(lines, "native_s"),
    }


def ratio(lines: Sequence[Mapping[str, Any]], name: str) -> float | None:
    """Return how many times as long OCEAN takes as our search, or as the native part of it, at the median."""
    theirs, own = (statistics.median(one[key] for one in lines) if lines else 0 for key in ("ocean_s", name))
    return round(theirs / own, 1) if own else None


def _more(one: float | None, other: float | None) -> bool:
    """Return whether a cost is more than another one, as none at all is."""
    return other is not None and (one is None or one > other)


def _written(number: Fraction) -> int | float:
    """Return a cost as JSON has it."""
    return int(number) if number.denominator == 1 else float(number)


def table(results: Mapping[str, Any]) -> str:
    """Write one line per model."""
    head = (
        "model", "thresholds", "columns", "rows", "OCEAN optimal", "equal costs", "optimal, no flip", "optimal, dearer",
        "ours dearer", "equal to all cells", "OCEAN s", "search s", "of it native, s", "ratio", "native ratio",
    )  # fmt: skip
    return markdown(head, [_line(name, part) for name, part in results["parts"].items()])


def _line(name: str, part: Mapping[str, Any]) -> list[str]:
    """Return the line of one model."""
    return [
        name,
        str(part["compared"]["thresholds"]),
        str(part["inputs"]),
        *(str(part[key]) for key in ("points", "optimal", "equal")),
        *(_listed(part[key]) for key in ("unflipped", "dearer", "ours_dearer")),
        f"{part['least']} of {part['tried']}" if part["tried"] else "-",
        *(f"{part[key]:g} / {part[f'{key}_max']:g}" for key in ("ocean_s", "search_s", "native_s")),
        *(f"{part[key]:g}" for key in ("ratio", "native_ratio")),
    ]


def _listed(rows: Sequence[int]) -> str:
    """Write how many rows there are, and their numbers."""
    return f"{len(rows)}: {', '.join(map(str, rows))}" if rows else "0"
