"""Exact radii in the rows' own distance: do they grow, and what would a proof of them cost?

The distance is that of the training rows' covariance (Mahalanobis), alone and with a share of the identity. It is
scaled to determinant 1, so that balls of equal radii have equal volumes in both distances. Radii are exact, in
plaintext, and without the ranges of the spec.

A proof would need nothing new: a network in other coordinates is a network, its first weights are sums of the committed
ones times public numbers, which cost no constraint of a rank-1 system, and they are wider. What is counted is a key of
scheme `branch` for weights of that width.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from math import sqrt
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from bench.harness import median
from bench.harness import table as markdown
from bench.parts import BaseQuestion, Options, Plan
from bench.sample import sample_test_rows
from equiproof.certify.data import load
from equiproof.certify.data.dataset import Dataset
from equiproof.certify.models.quantise import quantise
from equiproof.certify.models.training import train
from equiproof.certify.network import QuantisedNetwork
from equiproof.certify.traversal.exact import ExactSearch
from equiproof.certify.traversal.metric import Metric, metric_search
from equiproof.certify.traversal.search import Counterexample
from equiproof.circuits.shape import branch_shape
from equiproof.circuits.spec import Spec
from equiproof.prover.estimate import estimate

PLACES = 6
"""The decimals of a matrix."""

LEAVES = 16
MAX_REGIONS = 1 << 16


@dataclass(frozen=True)
class Question(BaseQuestion):
    """Random test applicants of networks with these hidden layers; `shares` are those of the identity, in percent."""

    points: int = 100
    seconds: float = 60.0
    jobs: int = 1
    hidden: tuple[int, ...] = (16,)
    datasets: tuple[str, ...] = ("german", "adult")
    shares: tuple[int, ...] = (0, 10)


def plan(data_dir: Path | None, options: Options, question: Question | None = None) -> Plan:
    """Return a part for every data set and share of the identity."""
    asked = options.of(question or Question())
    parts = {
        f"{dataset}-{share}": partial(measured, dataset, share, asked, data_dir)
        for dataset in asked.datasets
        for share in asked.shares
    }
    return Plan(asked.as_data(), parts)


def measured(dataset: str, share: int, question: Question, data_dir: Path | None) -> dict[str, Any]:
    """Compare the radii of the applicants in both distances, and count the constraints of both keys."""
    data = load(dataset, data_dir)
    network = quantise(train(data, question.hidden)[0], data.spec)
    metric = Metric.of(covariance(data, share))
    round_one = Metric.of(
        [[int(row == column) for column in range(metric.columns)] for row in range(metric.columns)], 0
    )
    unfair = open_ = grew = shrank = 0
    ratios = []
    for number in sample_test_rows(data, question.points, question.seed):
        query = data.spec.encode(data.rows[number])
        plain = _searched(network, data.spec, query, round_one, question.seconds)
        own = _searched(network, data.spec, query, metric, question.seconds)
        if plain is None or own is None:
            unfair += 1
        elif plain.upper is None or own.upper is None or not (plain.complete and own.complete):
            open_ += 1
        else:
            grew += own.lower > plain.upper
            shrank += own.upper < plain.lower
            ratios.append(sqrt(own.lower / plain.lower) if plain.lower else 1.0)
    return {
        "dataset": dataset,
        "share": share,
        "columns": metric.columns,
        "eccentricity": round(eccentricity(metric), 2),
        "slack": float(metric.slack),
        "unfair": unfair,
        "open": open_,
        "grew": grew,
        "shrank": shrank,
        "ratio": median(ratios, 3),
        "least_ratio": round(min(ratios), 3) if ratios else None,
        "most_ratio": round(max(ratios), 3) if ratios else None,
        **_cost(network, data, metric, question.hidden),
    }


def covariance(data: Dataset, share: int) -> list[list[str]]:
    """Return the covariance of the training rows' columns with so many percent of the identity, of determinant 1.

    The identity has the same trace. Entries are decimals, in the spec's units. Without a share of it, columns that
    determine each other, such as those of one category, leave no positive-definite matrix.
    """
    rows = np.array([data.spec.encode(data.rows[number]) for number in data.train]) / data.spec.scale_unit
    own = np.cov(rows.T)
    mixed = (1 - share / 100) * own + share / 100 * np.trace(own) / len(own) * np.eye(len(own))
    scaled = mixed / np.exp(np.linalg.slogdet(mixed)[1] / len(own))
    return [[f"{scaled[min(a, b), max(a, b)]:.{PLACES}f}" for b in range(len(own))] for a in range(len(own))]


def eccentricity(metric: Metric) -> float:
    """Return the longest half-axis of a ball over its shortest one."""
    values = np.linalg.eigvalsh(np.array([[float(cell) for cell in row] for row in metric.matrix]))
    return sqrt(values[-1] / values[0])


def _searched(
    network: QuantisedNetwork, spec: Spec, query: tuple[int, ...], metric: Metric, seconds: float
) -> ExactSearch | None:
    """Search around an applicant; None where the sensitive features alone decide."""
    found = metric_search(
        network,
        query,
        spec.domain_table,
        metric,
        max_radius_squared=spec.max_radius_squared,
        max_regions=MAX_REGIONS,
        max_seconds=seconds,
    )
    return None if isinstance(found, Counterexample) else found


def _cost(network: QuantisedNetwork, data: Dataset, metric: Metric, hidden: tuple[int, ...]) -> dict[str, int]:
    """Count the constraints of a key, and of one for weights as wide as those in the other coordinates."""
    turned = metric.around(network, (0,) * metric.columns)
    width, own = (max(_bits(one), data.spec.weight_bits[0]) for one in (turned, network))
    wider = msgspec.structs.replace(data.spec, weight_bits=(width, data.spec.weight_bits[1]))
    return {
        "bits": own,
        "turned_bits": width,
        "constraints": estimate(branch_shape(data.spec, hidden, LEAVES)).constraints,
        "turned_constraints": estimate(branch_shape(wider, hidden, LEAVES)).constraints,
    }


def _bits(network: QuantisedNetwork) -> int:
    """Return the signed width of the first layer's weights."""
    return 1 + max(abs(weight) for row in network.layers[0].weights for weight in row).bit_length()


def table(results: Mapping[str, Any]) -> str:
    """Write a line for every part."""
    head = (
        "data set", "columns", "identity", "longest over shortest axis", "radii that grow", "shrink", "open", "unfair",
        "radius over ordinary radius: median (least, largest)", "slack of the factor", "first weights, bits",
        "constraints",
    )  # fmt: skip
    return markdown(head, map(_line, results["parts"].values()))


def _line(part: Mapping[str, Any]) -> tuple[str, ...]:
    """Write the figures of a part."""
    known = part["grew"] + part["shrank"]
    ratio = "-" if part["ratio"] is None else f"{part['ratio']:.3f} ({part['least_ratio']}, {part['most_ratio']})"
    more = part["turned_constraints"] / part["constraints"] - 1
    return (
        part["dataset"],
        str(part["columns"]),
        f"{part['share']} %",
        f"{part['eccentricity']:.1f}",
        f"{part['grew']} of {known}",
        str(part["shrank"]),
        str(part["open"]),
        str(part["unfair"]),
        ratio,
        f"{100 * part['slack']:.2f} %",
        f"{part['bits']}, then {part['turned_bits']}",
        f"{part['constraints']:,}, then {part['turned_constraints']:,} (+ {100 * more:.0f} %)",
    )
