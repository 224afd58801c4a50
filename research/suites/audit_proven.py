"""What a gain certificate costs and shows, whose statement is the bound of the audit `pba` for one person.

Constraints: of compiled circuits, beside scheme `branch` for the same network, two slices and as many leaves. Gains:
how much of the gain that a value has on a person's own data is shown for everybody nearby, by keys of few and of many
leaves.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from bench.harness import median
from bench.harness import table as markdown
from bench.parts import BaseQuestion, Options, Plan
from bench.seeded import spec_of
from equiproof.audits.pba.copies import Arrays
from equiproof.audits.pba.preparation import PREPARATIONS, prepare
from equiproof.audits.pba.scores import Pair, Person, drawn, people
from equiproof.certify.gain import Case, GainError, most
from equiproof.certify.models.quantise import quantise
from equiproof.certify.network import QuantisedNetwork
from equiproof.circuits.shape import branch_shape, gain_shape
from equiproof.circuits.spec import Spec
from equiproof.prover.estimate import estimate
from research.suites.pba.suite import Model, trained

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

NETWORKS = tuple(Model("german", "age", hidden, "agnostic") for hidden in ((8, 2), (16, 8), (100, 50)))
EPOCHS = 60
RADII = ((1, 10), (1, 2))
"""In the spec's units, as fractions."""
LEAVES = (2, 32)


@dataclass(frozen=True)
class Question(BaseQuestion):
    """`points` people of each group; `seconds` for one search."""

    points: int = 4
    seconds: float = 10.0
    jobs: int = 1


def plan(data_dir: Path | None, options: Options) -> Plan:
    """Return a part for each shape, and one for each network. Raises BenchError for several processes: there is one."""
    options.one_by_one("audit-proven", "shapes")
    asked = options.of(Question())
    shapes = {f"shape-{'-'.join(map(str, (plain, *hidden, leaves)))}": partial(counted, plain, hidden, leaves)
              for plain, hidden, leaves in SHAPES}  # fmt: skip
    networks = {f"gains-{one.name}": partial(measured, data_dir, one, asked) for one in NETWORKS}
    return Plan(asked.as_data(), shapes | networks)


def counted(plain: int, hidden: tuple[int, ...], leaves: int) -> dict[str, Any]:
    """Count the constraints of scheme `branch` over two slices, and of relation `gain`, with as many leaves."""
    found: dict[str, Any] = {"kind": "shape", "plain": plain, "hidden": list(hidden), "leaves": leaves}
    for name, shape_of in (("branch", branch_shape), ("gain", gain_shape)):
        known = estimate(shape_of(spec_of(plain, 2), hidden, leaves))
        found |= {name: known.constraints, f"{name}_parts": dict(known.parts)}
    return found


def measured(data_dir: Path | None, model: Model, question: Question) -> dict[str, Any]:
    """Train a network, and search the largest gain of each person's own value over the other, at each radius."""
    data, how = prepare(model.dataset, data_dir), PREPARATIONS[model.dataset]
    trained_network, _ = trained(data, model, EPOCHS)
    network, pair = quantise(trained_network, data.spec), Pair(model.attribute, *how.attributes[model.attribute])
    rows, labels = [data.rows[row] for row in data.test], [data.labels[row] for row in data.test]
    chosen = drawn(people(Arrays(network), data.spec, rows, labels, pair), pair, question.points, question.seed)
    return {
        "kind": "gains",
        "data": f"{model.dataset} {model.attribute}",
        "hidden": list(model.hidden),
        "people": [person for one in chosen for person in _of_person(network, data.spec, one, question.seconds)],
    }


def _of_person(network: QuantisedNetwork, spec: Spec, person: Person, seconds: float) -> Sequence[dict[str, Any]]:
    """Return the gain on a person's own data, and the largest that is shown, in logits; None where none is."""
    case = Case(network, spec, person.query, person.own, person.other, person.decided or 0)
    unit, found = 1 << network.logit_fraction_bits, []
    for over, under in RADII:
        squared = spec.scale_unit**2 * over**2 // under**2
        for leaves in LEAVES:
            try:
                search = most(case, squared, max_leaves=leaves, max_seconds=seconds)
            except GainError:
                shown, above = None, None
            else:
                shown, above = (
                    search.evidence.least_gain / unit,
                    (case.gain if search.above is None else search.above) / unit,
                )
            found.append(
                {"radius": over / under, "leaves": leaves, "own": case.gain / unit, "shown": shown, "above": above}
            )
    return found


def constraints(results: Results) -> str:
    """Write one line per shape: constraints of scheme `branch` and of relation `gain`."""
    rows = []
    for part in (one for one in results["parts"].values() if one["kind"] == "shape"):
        growth = {name: count - part["branch_parts"].get(name, 0) for name, count in part["gain_parts"].items()}
        largest = sorted(growth, key=lambda name: -growth[name])[:3]
        rows.append(
            (
                f"{part['plain']} + 1, ({','.join(map(str, part['hidden']))})",
                str(part["leaves"]),
                f"{part['branch']:,}",
                f"{part['gain']:,}",
                f"{part['gain'] / part['branch']:.2f}",
                ", ".join(f"{name} {growth[name]:,}" for name in largest),
            )
        )
    return markdown(("columns, hidden layers", "leaves", "`branch`", "`gain`", "ratio", "what grows most"), rows)


def gains(results: Results) -> str:
    """Write one line per network, radius and number of leaves: what is shown of the gain on a person's own data."""
    rows = []
    for part in (one for one in results["parts"].values() if one["kind"] == "gains"):
        for radius, leaves in dict.fromkeys((one["radius"], one["leaves"]) for one in part["people"]):
            asked = [one for one in part["people"] if (one["radius"], one["leaves"]) == (radius, leaves)]
            known = [one for one in asked if one["shown"] is not None]
            rows.append(
                (
                    part["data"],
                    f"({','.join(map(str, part['hidden']))})",
                    f"{radius:g}",
                    str(leaves),
                    f"{len(known)} of {len(asked)}",
                    _number(one["own"] for one in known),
                    _number(one["own"] - one["shown"] for one in known),
                    _number(one["above"] - one["shown"] for one in known),
                    f"{sum(one['own'] > 0 for one in asked)}",
                    f"{sum(one['shown'] > 0 for one in known)}",
                )
            )
    head = (
        "data", "network", "radius", "leaves", "shown", "own gain", "less by", "open", "own gain above 0",
        "shown above 0",
    )  # fmt: skip
    return markdown(head, rows)


def _number(values: Any) -> str:
    """Return the median of numbers as text."""
    found = median(values, 3)
    return "" if found is None else f"{found:.3f}"
