"""Where the walk ends: which radii scheme `traversal` certifies of larger networks, and what its circuits would take.

Networks are trained here; for a handful of test applicants of each, one search tells the radius of every capacity. The
radius to compare with is the walk's own full radius where the largest capacity reaches it; where not, an upper bound on
any radius, the nearest point that exact search or its attack found not to be decided alike.
"""

from __future__ import annotations

import math
import random
import statistics
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench.formula import constraints, widest
from bench.harness import BenchError, Progress, machine, nothing
from bench.harness import table as markdown
from certify.data.dataset import Dataset, load
from certify.exact import ExactSearch, interval_under
from certify.network import QuantisedNetwork
from certify.quantise import quantise
from certify.search import Search, search
from certify.training import DEFAULTS, Settings, train
from circuits.shape import traversal_shape
from circuits.spec import Spec

MAX_BITS = 250
"""What integers of a circuit may have at most."""

_TRIES = 20
"""How many rows are drawn at most for each applicant that is wanted: some are treated unfairly."""


@dataclass(frozen=True)
class Question:
    """What is walked: networks of these hidden layers on these data sets, and so many fair applicants of each.

    `seconds` bounds the exact search for the radius to compare with.
    """

    datasets: tuple[str, ...] = ("german", "adult")
    hidden: tuple[tuple[int, ...], ...] = ((4, 2), (8, 4), (16, 8), (32, 16), (64, 64))
    capacities: tuple[int, ...] = (32, 128, 512, 2048, 8192)
    applicants: int = 5
    seed: int = 1
    decay: float = 0.005
    seconds: float = 20.0
    settings: Settings = DEFAULTS


DEFAULT = Question()


def run(data_dir: Path | None, progress: Progress = nothing, *, question: Question = DEFAULT) -> dict[str, Any]:
    """Train, walk and compare; `progress` is called after every network with (done, all).

    Returns `machine`, the question, and under `networks` one record each: `shapes` with the constraints of every
    capacity, `applicants` with their radii. Raises BenchError where too few applicants are treated fairly, DataError
    where a data set is not there.
    """
    networks = []
    for name in question.datasets:
        data = load(name, data_dir)
        for hidden in question.hidden:
            networks.append(_walked(data, hidden, question))
            progress(len(networks), len(question.datasets) * len(question.hidden))
    return {
        "suite": "walk",
        "machine": machine(),
        "capacities": list(question.capacities),
        "seed": question.seed,
        "weight_decay": question.decay,
        "seconds": question.seconds,
        "networks": networks,
    }


def _walked(data: Dataset, hidden: tuple[int, ...], question: Question) -> dict[str, Any]:
    """Train one network and walk around applicants."""
    floats, report = train(data, hidden, decay=question.decay, settings=question.settings)
    network = quantise(floats, data.spec)
    return {
        "dataset": data.name,
        "hidden": list(hidden),
        "neurons": sum(hidden),
        "accuracy": report.accuracy[1],
        "shapes": [_shape(data.spec, hidden, capacity) for capacity in question.capacities],
        "applicants": list(_applicants(data, network, question)),
    }


def _shape(spec: Spec, hidden: tuple[int, ...], capacity: int) -> dict[str, Any]:
    """Return what a circuit of a capacity takes, by the formula.

    `compiles` says whether its integers are narrow enough; how long compiling takes is another matter.
    """
    shape = traversal_shape(spec, hidden, capacity)
    count = constraints(shape)
    return {
        "capacity": capacity,
        "constraints": count,
        "compiles": widest(shape) <= MAX_BITS,
    }


def _applicants(data: Dataset, network: QuantisedNetwork, question: Question) -> Iterator[dict[str, Any]]:
    """Yield the radii of the first applicants of a random order that are treated fairly themselves."""
    tries = min(len(data.test), _TRIES * question.applicants)
    found = 0
    for index in random.Random(question.seed).sample(data.test, tries):  # noqa: S311 - a sample, no secret
        query = data.spec.encode(data.rows[index])
        walk = search(
            network,
            query,
            data.spec.domain_table,
            max_radius_squared=data.spec.max_radius_squared,
            max_regions=max(question.capacities),
        )
        if isinstance(walk, Search):
            yield _radii(data.spec, network, query, walk, question)
            found += 1
        if found == question.applicants:
            return
    raise BenchError(f"{data.name}: {found} of {tries} test rows are treated fairly, want {question.applicants}")


def _radii(
    spec: Spec, network: QuantisedNetwork, query: Sequence[int], walk: Search, question: Question
) -> dict[str, Any]:
    """Return the radius of every capacity in the spec's units, and the one to compare with."""
    reference = walk.radius_squared if walk.complete else _upper(spec, network, query, question.seconds)
    radii = [_in_units(spec, walk.radius_for(capacity)) for capacity in question.capacities]
    return {
        "radii": radii,
        "regions": walk.needed,
        "full": walk.complete,
        "reference": None if reference is None else _in_units(spec, reference),
    }


def _upper(spec: Spec, network: QuantisedNetwork, query: Sequence[int], seconds: float) -> int | None:
    """Return a squared radius that no certificate can pass, the smallest known after some seconds; None where none is.

    It is rounded up, and the cap where no flip lies below it.
    """
    found = interval_under(network, spec, query, max_regions=1 << 20, max_seconds=seconds)
    if not isinstance(found, ExactSearch):
        raise BenchError("an applicant is fair to one search and not to the other")
    if found.capped:
        return spec.max_radius_squared
    return None if found.upper is None else math.ceil(found.upper)


def _in_units(spec: Spec, radius_squared: int) -> float:
    """Return a radius in the spec's units."""
    return math.sqrt(radius_squared) / spec.scale_unit


def shares(network: Mapping[str, Any]) -> list[float | None]:
    """Return for each capacity the median share of the radius to compare with; None where no applicant has one."""
    known = [one for one in network["applicants"] if one["reference"]]
    if not known:
        return [None] * len(network["shapes"])
    columns = zip(*([radius / one["reference"] for radius in one["radii"]] for one in known), strict=True)
    return [statistics.median(column) for column in columns]


def table(results: Mapping[str, Any]) -> str:
    """Write radius and constraints by capacity as Markdown, with what follows from them."""
    capacities, rows = results["capacities"], []
    for network in results["networks"]:
        people = network["applicants"]
        cells = [
            f"{'?' if share is None else f'{share:.0%}'} for {_short(shape['constraints'])}"
            for share, shape in zip(shares(network), network["shapes"], strict=True)
        ]
        full = sum(one["full"] for one in people)
        rows.append((_title(network), str(network["neurons"]), f"{full} of {len(people)}", *cells))
    head = ("network", "neurons", f"full at {capacities[-1]}", *(f"K = {capacity}" for capacity in capacities))
    return "\n\n".join((markdown(head, rows), _SAID, _conclusion(results)))


_SAID = (
    "Each cell: the median share of the full radius that K regions certify, and the constraints of a circuit for them. "
    "Where the largest K does not reach the full radius, the share is of an upper bound on it, found by exact search "
    "or attack. Constraints are counted by `bench/formula.py`; nobody compiled the large ones."
)


def _conclusion(results: Mapping[str, Any]) -> str:
    """Say which networks the walk certifies well within a circuit of a million constraints, and which not."""
    kept: list[str] = []
    lost: list[str] = []
    for network in results["networks"]:
        best = [
            share
            for share, shape in zip(shares(network), network["shapes"], strict=True)
            if share is not None and shape["constraints"] <= _AFFORDABLE
        ]
        (kept if best and max(best) >= _WELL else lost).append(_title(network))
    text = f"Within {_short(_AFFORDABLE)} constraints the walk certifies at least {_WELL:.0%} of the radius of "
    text += f"{', '.join(kept) or 'no network'}, and less of {', '.join(lost) or 'none'}."
    if lost:
        text += (
            " There far more regions lie within the radius, and the products of each grow with the fourth power of the "
            "width (docs/adr/0002): more capacity does not help, another scheme has to."
        )
    return text


_AFFORDABLE = 1_000_000
_WELL = 0.9


def _title(network: Mapping[str, Any]) -> str:
    """Return data set and hidden layers."""
    return f"{network['dataset']} ({', '.join(map(str, network['hidden']))})"


def _short(count: int) -> str:
    """Write a count with two or three digits."""
    for unit, size in (("G", 10**9), ("M", 10**6), ("k", 10**3)):
        if count >= size:
            return f"{count / size:.3g} {unit}"
    return str(count)


def plot(results: Mapping[str, Any], path: Path) -> None:
    """Draw the share of the radius against capacity and against constraints, a column per data set, as an SVG file."""
    from bench.drawing import figure

    datasets = list(dict.fromkeys(network["dataset"] for network in results["networks"]))
    with figure(path, 2, len(datasets)) as panels:
        for column, dataset in enumerate(datasets):
            for network in results["networks"]:
                if network["dataset"] != dataset:
                    continue
                found = [math.nan if share is None else 100 * share for share in shares(network)]
                counts = [shape["constraints"] for shape in network["shapes"]]
                label = ", ".join(map(str, network["hidden"]))
                panels[0][column].plot(results["capacities"], found, "o-", label=f"({label})")
                panels[1][column].plot(counts, found, "o-", label=f"({label})")
            panels[0][column].set_xlabel(f"{dataset}: regions K, logarithmic")
            panels[1][column].set_xlabel(f"{dataset}: constraints, logarithmic")
            for panel in (panels[0][column], panels[1][column]):
                panel.set_xscale("log")
                panel.set_ylim(0, 105)
                panel.set_ylabel("certified share of the radius, %")
        panels[0][0].legend(fontsize="small", title="hidden layers")
