"""The cost of the programme against features, weights, and open values; and a comparison of three methods."""

from __future__ import annotations

import time
from collections.abc import Mapping
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np

from bench.harness import table as markdown
from equiproof.audits.fvgm.enumeration import enumerated
from equiproof.audits.fvgm.linear import Linear
from equiproof.audits.fvgm.network import BOOLEAN, Chance, Choice, Network
from equiproof.audits.fvgm.programme import acceptance, cells

FEATURES = (10, 20, 40, 80, 160, 320)
WEIGHTS = (10, 100, 1_000, 10_000, 100_000)
OPEN = (0, 2, 4, 6, 8, 10)
SMALL = (4, 6, 8, 10, 12)
BASE = 40
LARGEST = 100


def chained(features: int, reach: int, seed: int, group: bool = True) -> Network:
    """Return a chain of Boolean features, each with the same number of predecessors as parents, and the group."""
    generator = np.random.default_rng(seed)
    chances = []
    for place in range(features):
        parents = (["group"] if group else []) + [f"x{i}" for i in range(max(0, place - reach), place)]
        shares = generator.integers(1, 100, 2 ** len(parents)).tolist()
        rows = tuple((1 - Fraction(p, 100), Fraction(p, 100)) for p in shares)
        chances.append(Chance(f"x{place}", BOOLEAN, tuple(parents), rows))
    return Network((Choice("group", BOOLEAN),), tuple(chances))


def weighted(network: Network, largest: int, seed: int) -> Linear:
    """Return random weights from -largest to largest, and the threshold in the middle of what can be reached."""
    generator = np.random.default_rng(seed)
    weights = {name: int(generator.integers(-largest, largest + 1)) for name in network.values}
    return Linear.boolean(weights, sum(weights.values()) // 2)


def timed(linear: Linear, network: Network, repeats: int = 5) -> float:
    """Return the CPU seconds of the programme for one group, the least of some runs."""
    found = []
    for _ in range(repeats):
        begun = time.process_time()
        acceptance(linear, network, {"group": "1"})
        found.append(time.process_time() - begun)
    return min(found)


def curves(seed: int) -> dict[str, Any]:
    """Vary features, weights, and open values around a base of 40 features without edges and weights up to 100."""

    def point(value: int, network: Network, largest: int) -> dict[str, Any]:
        linear = weighted(network, largest, seed)
        return {"value": value, "cells": cells(linear, network), "seconds": round(timed(linear, network), 6)}

    return {
        "features": [point(n, chained(n, 0, seed), LARGEST) for n in FEATURES],
        "weights": [point(w, chained(BASE, 0, seed), w) for w in WEIGHTS],
        "open values": [point(k, chained(BASE, k, seed), LARGEST) for k in OPEN],
    }


def three_ways(seed: int) -> dict[str, Any]:
    """Time the network, independence, exact arithmetic and enumeration on the same classifiers, and compare."""
    found = []
    for features in SMALL:
        network = chained(features, 2, seed)
        linear = weighted(network, LARGEST, seed)
        flat = chained(features, 0, seed, group=False)
        begun = time.process_time()
        truth = enumerated(lambda values, c=linear, n=network: c.accepts(values, n), network, {"group": "1"})  # type: ignore[misc]
        by_enumeration = time.process_time() - begun
        begun = time.process_time()
        exact = acceptance(linear, network, {"group": "1"}, arithmetic="exact")
        exactly = time.process_time() - begun
        near = acceptance(linear, network, {"group": "1"})
        found.append(
            {
                "features": features,
                "network_s": round(timed(linear, network), 6),
                "independent_s": round(timed(linear, flat), 6),
                "exact_s": round(exactly, 6),
                "enumeration_s": round(by_enumeration, 6),
                "equal": exact.low == truth,
                "enclosed": near.low <= truth <= near.high,
                "width": float(near.high - near.low),
            }
        )
    return {"cases": found}


def ways_table(results: Mapping[str, Any]) -> str:
    """Write one line per number of features."""
    rows = [
        (
            str(case["features"]),
            *(f"{1000 * case[name]:.2f}" for name in ("network_s", "independent_s", "exact_s", "enumeration_s")),
            "yes" if case["equal"] and case["enclosed"] else "NO",
            f"{case['width']:.0e}",
        )
        for case in results["parts"].get("three-ways", {"cases": ()})["cases"]
    ]
    head = (
        "features", "network, ms", "independence, ms", "network, exact, ms", "enumeration, ms", "all agree",
        "width of the floats' bounds",
    )  # fmt: skip
    return markdown(head, rows)


def curve_table(results: Mapping[str, Any]) -> str:
    """Write one line per point, with the factors by which numbers and time grew since the point before."""
    rows = []
    for name, points in results["parts"].get("cost", {}).items():
        for point, before in zip(points, [None, *points], strict=False):
            grown = ["-"] * 2 if before is None else [f"{point[k] / before[k]:.1f}" for k in ("cells", "seconds")]
            rows.append(
                (
                    name,
                    f"{point['value']:,}",
                    f"{point['cells']:,}",
                    grown[0],
                    f"{1000 * point['seconds']:.2f}",
                    grown[1],
                )
            )
    head = ("varied", "value", "numbers kept at most", "times the last", "CPU, ms", "times the last")
    return markdown(head, rows)


def plot(results: Mapping[str, Any], path: Path) -> None:
    """Draw the three curves."""
    from bench.drawing import figure

    with figure(path, 1, 3) as panels:
        for axes, (name, points) in zip(panels[0], results["parts"]["cost"].items(), strict=True):
            axes.plot([p["value"] for p in points], [1000 * p["seconds"] for p in points], "o-")
            axes.set(xlabel={"weights": "largest weight"}.get(name, name), ylabel="CPU, ms", yscale="log")
            if name != "open values":
                axes.set(xscale="log")
