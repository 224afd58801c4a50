"""Where the walk ends: the radii that scheme `traversal` certifies on larger networks, and the sizes of its circuits.

Networks are trained here; for a few test applicants of each, one search gives the radius of every capacity. The radius
to compare with is the walk's own full radius if the largest capacity reaches it. Otherwise it is an upper bound on any
radius: the nearest point with another decision that exact search or its attack found.
"""

from __future__ import annotations

import math
import random
import statistics
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench.harness import BenchError, Progress, machine, nothing
from bench.harness import table as markdown
from equiproof.certify.data import load
from equiproof.certify.data.dataset import Dataset
from equiproof.certify.models.quantise import quantise
from equiproof.certify.models.training import DEFAULTS, Settings, train
from equiproof.certify.network import QuantisedNetwork
from equiproof.certify.traversal.exact import ExactSearch, interval_under
from equiproof.certify.traversal.search import Search, search
from equiproof.circuits.shape import traversal_shape
from equiproof.circuits.spec import Spec
from equiproof.prover.estimate import TooLargeError, estimate, products

_TRIES = 20
"""The most rows drawn for each applicant wanted: some are treated unfairly."""


@dataclass(frozen=True)
class Question:
    """Networks of these hidden layers on these data sets, and the number of fair applicants of each.

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
    where a data set is missing.
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
    """Return the constraints of a capacity's circuit, or its products, a lower bound, if it is too large to compile.

    `counted` distinguishes the two. Raises MalformedInputError where integers outgrow the field.
    """
    shape = traversal_shape(spec, hidden, capacity)
    try:
        return {"capacity": capacity, "constraints": estimate(shape).constraints, "counted": True}
    except TooLargeError:
        return {"capacity": capacity, "constraints": products(shape), "counted": False}


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
    """Return an upper bound on any certified squared radius, the smallest known after some seconds; None if unknown.

    It is rounded up; without a flip below the cap, it is the cap.
    """
    found = interval_under(network, spec, query, max_regions=1 << 20, max_seconds=seconds)
    if not isinstance(found, ExactSearch):
        raise BenchError("two searches disagree whether an applicant is fair")
    if found.capped:
        return spec.max_radius_squared
    return None if found.upper is None else math.ceil(found.upper)


def _in_units(spec: Spec, radius_squared: int) -> float:
    """Return a radius in the spec's units."""
    return math.sqrt(radius_squared) / spec.scale_unit


def shares(network: Mapping[str, Any]) -> list[float | None]:
    """Return for each capacity the median share of the radius to compare with; None if that is unknown for everyone."""
    known = [one for one in network["applicants"] if one["reference"]]
    if not known:
        return [None] * len(network["shapes"])
    columns = zip(*([radius / one["reference"] for radius in one["radii"]] for one in known), strict=True)
    return [statistics.median(column) for column in columns]


def table(results: Mapping[str, Any]) -> str:
    """Write radius and constraints by capacity as Markdown, with a conclusion."""
    capacities, rows = results["capacities"], []
    for network in results["networks"]:
        people = network["applicants"]
        cells = [
            f"{'?' if share is None else f'{share:.0%}'} for {_count(shape)}"
            for share, shape in zip(shares(network), network["shapes"], strict=True)
        ]
        full = sum(one["full"] for one in people)
        rows.append((_title(network), str(network["neurons"]), f"{full} of {len(people)}", *cells))
    head = ("network", "neurons", f"full at {capacities[-1]}", *(f"K = {capacity}" for capacity in capacities))
    return "\n\n".join((markdown(head, rows), _SAID, _conclusion(results)))


_SAID = (
    "Each cell: the median share of the full radius that K regions certify, and the constraints of a circuit for them. "
    "Where the largest K does not reach the full radius, the share is of an upper bound on it, found by exact search "
    "or attack."
)


def _conclusion(results: Mapping[str, Any]) -> str:
    """Name the networks that the walk certifies well within a circuit of a million constraints, and the others."""
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
            " On those, far more regions lie within the radius, and the products of each grow with the fourth power of "
            "the width (docs/adr/0002): more capacity does not help, and scheme `branch` is needed."
        )
    return text


_AFFORDABLE = 1_000_000
_WELL = 0.9


def _title(network: Mapping[str, Any]) -> str:
    """Return data set and hidden layers."""
    return f"{network['dataset']} ({', '.join(map(str, network['hidden']))})"


def _count(shape: Mapping[str, Any]) -> str:
    """Write the constraints of a circuit; those that only the products bound are marked."""
    return ("" if shape.get("counted", True) else "at least ") + _short(shape["constraints"])


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
