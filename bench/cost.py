"""What a constraint costs: `python -m bench.cost [--json]`.

For shapes of some six to ninety thousand constraints: seconds of one set-up, median seconds of a proof (the proof
alone, without search and witness), peak memory of a process that loads the key and proves, and size of the proving key.
The straight lines through them, by least squares of relative errors, are the constants of `prover/estimate.py`. Set-up
and proving run in a process each. Times are of this machine; nothing else should run.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import random
import resource
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from certify.network import Layer, QuantisedNetwork
from circuits.shape import traversal_shape
from circuits.spec import FORMAT, VERSION, Feature, Spec, checked
from prover import KeyStore, Proven, Prover
from prover.opening import Opening

SHAPES = (
    (18, 2, (4, 2), 2),
    (18, 2, (4, 2), 32),
    (18, 2, (8, 2), 64),
    (13, 53, (4, 2), 64),
    (18, 2, (8, 2), 128),
    (18, 2, (8, 2), 256),
)
"""(plain columns, values of the one sensitive feature, hidden layers, capacity)."""


def spec_of(plain: int, values: int) -> Spec:
    """Return a spec of numbers with one sensitive number of so many values."""
    features = [Feature(f"x{index}", "numeric", "scaled", sensitive=False) for index in range(plain)]
    domain = tuple(str(value) for value in range(values))
    features.append(Feature("group", "numeric", "scaled", sensitive=True, scale=str(values), domain=domain))
    return checked(Spec(FORMAT, VERSION, "cost", 10, 18, False, tuple(features), ("no", "yes"), 1))


def network_of(spec: Spec, hidden: tuple[int, ...]) -> QuantisedNetwork:
    """Return a seeded network that decides alike for every sensitive value at its origin."""
    rng = random.Random(0)  # noqa: S311 - weights for a benchmark
    sizes = (spec.plain_columns + spec.sensitive_columns, *hidden, spec.logits)
    layers, bits = [], spec.input_fraction_bits
    for depth, (inputs, outputs) in enumerate(pairwise(sizes)):
        bits += 12
        rows = [[round(rng.gauss(0, 1 << 12)) for _ in range(inputs)] for _ in range(outputs)]
        if depth == 0:
            rows = [[*row[: spec.plain_columns], *(0 for _ in row[spec.plain_columns :])] for row in rows]
        layers.append(Layer(tuple(map(tuple, rows)), tuple(round(rng.gauss(0, 1) * (1 << bits)) for _ in rows)))
    return QuantisedNetwork(tuple(layers), spec.input_fraction_bits, (12,) * len(layers))


def set_up(folder: str, shape: tuple[int, int, tuple[int, ...], int]) -> dict[str, Any]:
    """Make the keys of a shape in this process."""
    plain, values, hidden, capacity = shape
    begun = time.perf_counter()
    key = KeyStore(Path(folder)).setup(traversal_shape(spec_of(plain, values), hidden, capacity))
    return {
        "constraints": key.document.constraints,
        "setup_s": time.perf_counter() - begun,
        "key_mb": (key.folder / "proving.key").stat().st_size / 1e6,
    }


def prove(folder: str, shape: tuple[int, int, tuple[int, ...], int], rounds: int) -> dict[str, Any]:
    """Prove in this process, once to warm up and then so many times."""
    plain, values, hidden, _ = shape
    spec = spec_of(plain, values)
    opening = Opening.of(network_of(spec, hidden), spec, blinding=1)
    row = {feature.name: 0 for feature in spec.plain_features}
    with Prover(opening, KeyStore(Path(folder)).all()[0]) as prover:
        proven = [prover.prove(row) for _ in range(1 + rounds)][1:]
    seconds = [one.seconds["prove"] for one in proven if isinstance(one, Proven)]
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3
    return {"prove_s": statistics.median(seconds), "prove_s_spread": [min(seconds), max(seconds)], "peak_mb": peak}


def apart(call: Callable[..., dict[str, Any]], *arguments: Any) -> dict[str, Any]:
    """Run a call in a fresh process."""
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        return pool.apply(call, arguments)


def fit(results: list[dict[str, Any]], key: str) -> tuple[float, float]:
    """Return base and slope of the line through a cost, the relative errors of which are least in squares."""
    counts = np.array([result["constraints"] for result in results], dtype=float)
    costs = np.array([result[key] for result in results])
    system = np.column_stack([1 / costs, counts / costs])
    base, slope = np.linalg.lstsq(system, np.ones(len(costs)), rcond=None)[0]
    return float(base), float(slope)


def main() -> None:
    """Measure, fit and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=5, help="proofs per shape")
    parser.add_argument("--json", action="store_true", help="print one JSON object instead of the table")
    given = parser.parse_args()
    results = []
    for shape in SHAPES:
        with tempfile.TemporaryDirectory() as folder:
            result = apart(set_up, folder, shape) | apart(prove, folder, shape, given.rounds)
        results.append({"shape": shape, **result})
        print(f"{len(results)} of {len(SHAPES)} shapes", file=sys.stderr)
    lines = {key: fit(results, key) for key in ("setup_s", "prove_s", "peak_mb", "key_mb")}
    if given.json:
        print(json.dumps({"results": results, "lines": lines}))
        return
    print("| shape | constraints | set-up s | prove s (least, most) | peak MB | key MB |\n|---|---|---|---|---|---|")
    for result in results:
        low, high = result["prove_s_spread"]
        print(
            f"| {result['shape']} | {result['constraints']} | {result['setup_s']:.2f} "
            f"| {result['prove_s']:.3f} ({low:.3f}, {high:.3f}) | {result['peak_mb']:.0f} | {result['key_mb']:.2f} |"
        )
    for key, (base, slope) in lines.items():
        print(f"{key} = {base:.3g} + {slope:.3g} * constraints")


if __name__ == "__main__":
    main()
