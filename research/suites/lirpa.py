"""The radius that linear relaxation proves: CROWN and alpha-CROWN of auto_LiRPA, on the deep networks of Fairify.

It is a reference from outside for the radius of scheme `branch`: the same committed integers, the same applicants as in
`bench.branch.fairify`, the same ball: l2, over the columns that are not sensitive, at every assignment of the sensitive
ones. The largest radius that each method proves is bisected below `most`, the kept upper bound of the exact radius.
Their bounds are floating point and no proof to the last digit. Each proven ball is attacked with random points and
with gradient descent, and the least margin found may not lie below the bound; no ball beyond `most` may be proven.

auto_LiRPA needs an environment of its own: version 0.7.1 from its repository (the registry has 0.3), PyTorch below 2.9,
and what `equiproof.prover` imports. In recent PyTorch (2.15) the gradient of `clamp` is zero at its ends, where the
slopes of alpha-CROWN begin, so that nothing is optimised. Run `python -m research.suites.lirpa --data-dir DATA --out
FILE` there.
"""

from __future__ import annotations

import argparse
import contextlib
import importlib
import io
import json
import random
import statistics
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from importlib.metadata import version
from itertools import accumulate
from pathlib import Path
from typing import Any

import torch

from bench import kept
from bench.fairify_networks import draw, folder_in, load
from bench.harness import BenchError
from equiproof.certify.network import QuantisedNetwork
from equiproof.circuits.spec import Spec
from equiproof.prover.opening import commit

NETWORKS = ("AC-7", "BM-8", "GC-5", "AC-12")
METHODS = {"crown": "CROWN", "alpha": "CROWN-Optimized"}
PRECISION = 0.005
"""The relative precision of a bisected radius."""

COMPARED = 2000
"""The integer points where a floating-point network is compared with the exact one."""

ROUNDING = 1e-9
"""What a sampled margin may lie below a bound, by rounding."""

CAP = 16.0
"""The largest radius that is stated; an upper bound of it is no counterexample."""

BEYOND = 1e-4
"""No bound may prove a ball this much larger than `most`, which is kept with four digits."""


@dataclass(frozen=True)
class Point:
    """A fair applicant: the radii that are proven, the upper bound, and what the attack on the proven balls found.

    `slack` is the least margin found in a ball minus its lower bound, over all balls; a sound bound has none below 0.
    """

    applicant: int
    crown: float
    alpha: float
    most: float
    slack: float
    crown_s: float
    alpha_s: float


class Slice:
    """A network in floating point with the sensitive columns fixed: their part is in the biases of layer 1."""

    def __init__(self, network: QuantisedNetwork, sensitive: Sequence[int], plain: int, iterations: int) -> None:
        lirpa: Any = importlib.import_module("auto_LiRPA")
        self._tensor, self._ball = lirpa.BoundedTensor, lirpa.PerturbationLpNorm
        self.model = _as_floats(network, sensitive, plain)
        options = {
            "optimize_bound_args": {
                "iteration": iterations,
                "lr_alpha": 0.1,
                "fix_interm_bounds": False,
                "start_save_best": -1.0,
                "stop_criterion_func": lambda bound: bound > 0,
            }
        }
        self._bounded = lirpa.BoundedModule(self.model, torch.zeros(1, plain), bound_opts=options)

    def margins(self, points: torch.Tensor, sign: int) -> torch.Tensor:
        """Return the margin of the decision at every point: the logit towards its sign."""
        found: torch.Tensor = self.model(points)[:, 0] * sign
        return found

    def bound(self, centre: torch.Tensor, sign: int, radius: float, method: str) -> float:
        """Return a method's lower bound of the margin over a ball."""
        ball = self._tensor(centre[None], self._ball(norm=2, eps=radius))
        towards = torch.full((1, 1, 1), float(sign))
        # The optimisation prints where it stops.
        with contextlib.redirect_stdout(io.StringIO()):
            try:
                lower, _ = self._bounded.compute_bounds((ball,), C=towards, method=method, bound_upper=False)
            except KeyError:
                # It fails where a layer that was stable at first no longer is: it has no slopes for that layer.
                for node in self._bounded.get_enabled_opt_act():
                    node.opt_end()
                lower, _ = self._bounded.compute_bounds((ball,), C=towards, method="CROWN", bound_upper=False)
        return float(lower.detach())


@dataclass(frozen=True)
class Case:
    """An applicant's decision: every slice of the network, the columns, and the sign of the logit."""

    slices: Sequence[Slice]
    centre: torch.Tensor
    sign: int

    def proven(self, radius: float, method: str) -> bool:
        """Tell whether a method proves the decision over the ball at every slice."""
        return all(one.bound(self.centre, self.sign, radius, method) > 0 for one in self.slices)

    def largest(self, method: str, least: float, most: float) -> tuple[float, float]:
        """Bisect the proven radius from `least`, which is proven, up to `most`; return it and the seconds."""
        begun = time.perf_counter()
        low, high = least, most
        if self.proven(most, method):
            low = most
        while high - low > PRECISION * high:
            middle = (low + high) / 2
            low, high = (middle, high) if self.proven(middle, method) else (low, middle)
        return low, time.perf_counter() - begun

    def slack(self, radius: float, method: str) -> float:
        """Return the least margin that is found in a ball minus the method's bound, over the slices."""
        return min(
            _attacked(one, self.centre, self.sign, radius) - one.bound(self.centre, self.sign, radius, method)
            for one in self.slices
        )


def _as_floats(network: QuantisedNetwork, sensitive: Sequence[int], plain: int) -> torch.nn.Sequential:
    """Return the committed integers over their scales, which are powers of two and change no decision."""
    scales = accumulate((network.input_fraction_bits, *network.weight_fraction_bits))
    next(scales)
    modules: list[torch.nn.Module] = []
    for layer, bits, scale in zip(network.layers, network.weight_fraction_bits, scales, strict=True):
        weights, biases = layer.weights, layer.biases
        if not modules:
            fixed = [sum(w * s for w, s in zip(row[plain:], sensitive, strict=True)) for row in weights]
            weights = tuple(row[:plain] for row in weights)
            biases = tuple(bias + part for bias, part in zip(biases, fixed, strict=True))
        linear = torch.nn.Linear(len(weights[0]), len(biases))
        linear.weight.data = torch.tensor([[weight / (1 << bits) for weight in row] for row in weights])
        linear.bias.data = torch.tensor([bias / (1 << scale) for bias in biases])
        modules += [linear, torch.nn.ReLU()]
    return torch.nn.Sequential(*modules[:-1]).requires_grad_(False)


def compared(network: QuantisedNetwork, spec: Spec, slices: Sequence[Slice], rng: random.Random) -> int:
    """Compare decisions at random integer points around random applicants; raises BenchError for a difference."""
    for number in range(COMPARED):
        reach = rng.choice((0.01, 0.1, 1.0))
        query = [round(one + rng.gauss(0.0, reach) * spec.scale_unit) for one in draw(spec, rng)]
        for one, sensitive in zip(slices, spec.domain_table, strict=True):
            (logit,) = network.logits((*query, *sensitive))
            if float(one.margins(_columns(spec, query)[None], 1)) * logit < 0:
                raise BenchError(f"point {number}: the network in floating point decides otherwise")
    return COMPARED * len(slices)


def _columns(spec: Spec, query: Sequence[int]) -> torch.Tensor:
    """Return a query in the spec's units."""
    return torch.tensor([one / spec.scale_unit for one in query])


def _attacked(one: Slice, centre: torch.Tensor, sign: int, radius: float, *, steps: int = 50) -> float:
    """Return the least margin at 4000 random points of a ball, half of them on its sphere, and below the worst 50."""
    directions = torch.nn.functional.normalize(torch.randn(4000, len(centre)))
    lengths = torch.rand(4000, 1) ** (1 / len(centre))
    lengths[::2] = 1.0
    margins = one.margins(centre + directions * lengths * radius, sign)
    least = float(margins.min())
    offsets = (directions * lengths * radius)[margins.argsort()[:50]]
    for step in range(steps):
        offsets = offsets.detach().requires_grad_()
        margins = one.margins(centre + offsets, sign)
        least = min(least, float(margins.detach().min()))
        (slope,) = torch.autograd.grad(margins.sum(), offsets)
        moved = offsets - torch.nn.functional.normalize(slope) * radius * 0.3 * (1 - step / steps)
        offsets = moved * (radius / moved.norm(dim=1, keepdim=True)).clamp(max=1.0)
    return least


def around(case: Case, applicant: int, most: float) -> Point:
    """Bisect both methods around an applicant; raises BenchError if a proven ball is refuted."""
    top = min(most + BEYOND, CAP)
    crown, crown_s = case.largest(METHODS["crown"], 0.0, top)
    alpha, alpha_s = case.largest(METHODS["alpha"], crown, top)
    if max(crown, alpha) == top < CAP:
        raise BenchError(f"applicant {applicant}: a ball with another decision in it is proven")
    slack = min(case.slack(radius, METHODS[name]) for name, radius in (("crown", crown), ("alpha", alpha)))
    if slack < -ROUNDING:
        raise BenchError(f"applicant {applicant}: a point of a proven ball lies {-slack:g} below its bound")
    return Point(applicant, crown, alpha, most, slack, round(crown_s, 3), round(alpha_s, 3))


def measure(data_dir: Path | None, name: str, points: int, iterations: int) -> list[Point]:
    """Measure the first fair applicants of a network."""
    imported = load(folder_in(data_dir), name)
    opening = commit(imported.quantised, imported.spec)
    network, spec = opening.network, opening.spec
    slices = [Slice(network, sensitive, spec.plain_columns, iterations) for sensitive in spec.domain_table]
    count = compared(network, spec, slices, random.Random(f"{name} compared"))  # noqa: S311 - points of a benchmark
    print(f"{name}: decisions agree at {count} integer points", flush=True)
    results, rng = kept.load("fairify"), random.Random(name)  # noqa: S311 - applicants for a benchmark
    queries = [draw(spec, rng) for _ in range(results["question"]["points"])]
    mosts = results["parts"][name]["most_all"]
    found: list[Point] = []
    for query in queries:
        labels = {network.decide((*query, *sensitive)) for sensitive in spec.domain_table}
        if len(labels) > 1 or None in labels:
            continue
        case = Case(slices, _columns(spec, query), 1 if labels == {1} else -1)
        found.append(around(case, len(found), mosts[len(found)]))
        print(name, json.dumps(asdict(found[-1])), flush=True)
        if len(found) == points:
            break
    return found


def summary(points: Sequence[Point]) -> dict[str, float]:
    """Return the median share of the upper bound that each method proves, and the least slack."""
    return {
        **{name: statistics.median(getattr(point, name) / point.most for point in points) for name in METHODS},
        "slack": min(point.slack for point in points),
    }


def main() -> None:
    """Measure the named networks and write the radii."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data-dir", type=Path, help="the folder that holds fairify_nets")
    parser.add_argument("--out", type=Path, required=True, help="the JSON file to write")
    parser.add_argument("--networks", default=",".join(NETWORKS), help="names, separated by commas")
    parser.add_argument("--points", type=int, default=10, help="fair applicants of each network")
    parser.add_argument("--iterations", type=int, default=50, help="steps of alpha-CROWN for each bound")
    given = parser.parse_args()
    torch.set_num_threads(1)
    torch.set_default_dtype(torch.float64)
    torch.manual_seed(1)
    versions = {package: version(package) for package in ("auto_LiRPA", "torch")}
    results: dict[str, Any] = {**versions, "iterations": given.iterations, "parts": {}}
    for name in given.networks.split(","):
        points = measure(given.data_dir, name, given.points, given.iterations)
        results["parts"][name] = [asdict(point) for point in points]
        given.out.write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")
        print(name, {key: round(value, 6) for key, value in summary(points).items()}, flush=True)


if __name__ == "__main__":
    main()
