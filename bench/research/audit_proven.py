"""What a certificate of one person's bound of persistent bias costs at most: docs/gain.md says what it states.

Constraints: a tree of K leaves over two copies of a network needs no more than scheme `branch` with 2 K leaves over two
slices, which is compiled and counted here. Leaves: how many signs have to be split to prove persistent bias where it is
there, with bounds of each copy of its own, as that circuit would have them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from bench.harness import table as markdown
from bench.parts import BaseQuestion, Options, Plan
from bench.research.pba.suite import Model, trained
from bench.seeded import spec_of
from equiproof.audits.pba.copies import Arrays
from equiproof.audits.pba.definition import SETTINGS, ask, checked_units, neighborhood, rivals
from equiproof.audits.pba.preparation import PREPARATIONS, prepare
from equiproof.audits.pba.scores import Pair, assess, drawn, people
from equiproof.audits.pba.search import Budget, judge
from equiproof.certify.models.quantise import quantise
from equiproof.circuits.shape import branch_shape
from equiproof.prover.estimate import estimate

Results = Mapping[str, Any]

SHAPES: tuple[tuple[int, tuple[int, ...], int], ...] = (
    (19, (8, 2), 4),
    (19, (8, 2), 16),
    (19, (8, 2), 64),
    (19, (16, 8), 4),
    (19, (16, 8), 16),
    (60, (32, 16), 16),
    (60, (100, 50), 4),
    (60, (100, 50), 8),
)
"""Plain columns, hidden layers and leaves; one sensitive column of two values."""

NETWORKS = tuple(
    Model(dataset, attribute, hidden, "agnostic")
    for dataset, attribute in (("german", "age"), ("adult", "sex"))
    for hidden in ((8, 2), (16, 8), (100, 50))
)
EPOCHS = {"german": 60, "adult": 10}
DELTAS = (1, 3)
MOST_LEAVES = 64


@dataclass(frozen=True)
class Question(BaseQuestion):
    """`points` people of each group; `seconds` for one question, whose tree has at most 64 leaves."""

    points: int = 20
    seconds: float = 10.0
    jobs: int = 1


def plan(data_dir: Path | None, options: Options) -> Plan:
    """Return a part for each shape, and one for each network. Raises BenchError for several processes: there is one."""
    options.one_by_one("audit-proven", "shapes")
    asked = options.of(Question())
    shapes = {f"shape-{'-'.join(map(str, (plain, *hidden, leaves)))}": partial(counted, plain, hidden, leaves)
              for plain, hidden, leaves in SHAPES}  # fmt: skip
    networks = {f"leaves-{one.name}": partial(measured, data_dir, one, asked) for one in NETWORKS}
    return Plan(asked.as_data(), shapes | networks)


def counted(plain: int, hidden: tuple[int, ...], leaves: int) -> dict[str, Any]:
    """Count the constraints of scheme `branch` over two slices with these leaves, and with twice as many."""
    found: dict[str, Any] = {}
    for name, capacity in (("one", leaves), ("two", 2 * leaves)):
        known = estimate(branch_shape(spec_of(plain, 2), hidden, capacity))
        found |= {name: known.constraints, f"{name}_parts": dict(known.parts)}
    return {"kind": "shape", "plain": plain, "hidden": list(hidden), "leaves": leaves, **found}


def measured(data_dir: Path | None, model: Model, question: Question) -> dict[str, Any]:
    """Train a network and count the leaves for everybody whose persistent bias the whole search proves."""
    data, how = prepare(model.dataset, data_dir), PREPARATIONS[model.dataset]
    attribute, groups = model.attribute, how.attributes[model.attribute]
    network, _ = trained(data, model, EPOCHS[model.dataset])
    arrays, pair = Arrays(quantise(network, data.spec)), Pair(attribute, *groups)
    units = checked_units(data.spec, how.units)
    rows, labels = [data.rows[row] for row in data.test], [data.labels[row] for row in data.test]
    chosen = drawn(people(arrays, data.spec, rows, labels, pair), pair, question.points, question.seed)
    budget = Budget(2 * MOST_LEAVES - 1, question.seconds)
    found: dict[str, list[int | None]] = {}
    for delta in DELTAS:
        kept = found.setdefault(str(delta), [])
        for person in chosen:
            label, box = person.decided or 0, neighborhood(data.spec, person.query, delta, units)
            own, other = data.spec.domain_table[person.own], data.spec.domain_table[person.other]
            known = assess(arrays, data.spec, person, delta, units, budget=Budget(300, question.seconds))
            for setting in (one for one in SETTINGS if known.biased(one) == "true"):
                (against,) = rivals(arrays.network, label)
                asked = ask(person.query, own, other, setting, (label, against), box)
                judged = judge(arrays, asked, budget=budget, style="paper", by_sign=True)
                kept.append((judged.parts + 1) // 2 if judged.answer == "true" else None)
    return {
        "kind": "leaves",
        "data": f"{model.dataset} {model.attribute}",
        "hidden": list(model.hidden),
        "people": len(chosen),
        "leaves": found,
    }


def constraints(results: Results) -> str:
    """Write one line per shape: constraints of a certificate today, and the most that the sketch needs."""
    rows = []
    for part in (one for one in results["parts"].values() if one["kind"] == "shape"):
        growth = {name: part["two_parts"][name] - count for name, count in part["one_parts"].items()}
        largest = sorted(growth, key=lambda name: -growth[name])[:3]
        rows.append(
            (
                f"{part['plain']} + 1, ({','.join(map(str, part['hidden']))})",
                str(part["leaves"]),
                f"{part['one']:,}",
                f"{part['two']:,}",
                f"{part['two'] / part['one']:.2f}",
                ", ".join(f"{name} {growth[name]:,}" for name in largest),
            )
        )
    head = ("columns, hidden layers", "leaves", "constraints today", "two copies, at most", "ratio", "what grows most")
    return markdown(head, rows)


def leaves(results: Results) -> str:
    """Write one line per network and delta: how many leaves proofs of persistent bias take."""
    rows = []
    for part in (one for one in results["parts"].values() if one["kind"] == "leaves"):
        for delta, found in part["leaves"].items():
            proven = sorted(one for one in found if one is not None)
            rows.append(
                (
                    part["data"],
                    f"({','.join(map(str, part['hidden']))})",
                    delta,
                    f"{len(found)} of {2 * part['people']}",
                    *(f"{sum(one <= most for one in proven)}" for most in (1, 8, MOST_LEAVES)),
                    str(len(found) - len(proven)),
                )
            )
    head = (
        "data", "network", "delta", "proven by the audit", "1 leaf", "up to 8", f"up to {MOST_LEAVES}",
        "more, or no time",
    )  # fmt: skip
    return markdown(head, rows)
