"""PROF's table II and table III: fairness and accuracy before and after repair, one sensitive feature at a time.

Per network and feature: 100 repair points and the rows to keep are drawn from the training rows of a random split, as
in the paper; the repair takes the paper's symbolic sets. All counts are exact, on the integers that are committed. CUR
is over the repair points, IDI-D over all rows, IDI-S over 100,000 random inputs, accuracy over the test rows.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from bench.harness import apart
from bench.harness import table as markdown
from bench.parts import BaseQuestion, Options, Plan
from equiproof.audits.prof.metrics import SAMPLES, accuracy, instances, sampled
from equiproof.audits.prof.repair import DEFAULTS, Repaired, Settings, repair
from equiproof.audits.prof.similar import Similarity
from equiproof.certify.network import QuantisedNetwork
from research.suites.prof.nets import NETWORKS, Loaded, load_network

Integers = npt.NDArray[np.int64]

POINTS = 100
FEWEST = 500
RATES = ("cur", "idi_d", "idi_s")
TOGETHER = ("Adult", "German", "Bank")

FALLS = ("networks", "CUR after, largest", "IDI-D falls by", "IDI-S falls by", "accuracy lost, points",
         "CPU seconds per repair, mean (max)")  # fmt: skip

PRINTED: Mapping[str, tuple[float, ...]] = {
    "COMPAS-sex": (5.0, 6.25, 0.0, 1.76, 0.0, 73.85, 72.06),
    "COMPAS-race": (9.0, 8.77, 0.0, 2.73, 0.0, 73.85, 72.47),
    "COMPAS-age": (42.0, 44.86, 0.49, 10.94, 0.96, 73.85, 70.28),
    "Adult-sex": (3.0, 2.74, 0.79, 0.65, 0.12, 85.24, 82.50),
    "Adult-race": (2.0, 4.15, 1.48, 0.53, 0.30, 85.24, 82.05),
    "Adult-age": (14.0, 21.64, 0.83, 3.65, 0.26, 85.24, 83.67),
    "German-sex": (3.0, 2.60, 0.0, 7.43, 0.0, 72.67, 69.67),
    "German-age": (4.0, 2.90, 0.0, 8.77, 0.0, 72.67, 69.67),
    "Bank-age": (1.0, 1.12, 0.29, 6.67, 1.31, 89.53, 89.35),
}
"""What the paper prints, in percent: CUR before (0 after), then before and after IDI-D, IDI-S and accuracy."""


@dataclass(frozen=True)
class Question(BaseQuestion):
    """`points` repair points for every seed of `seeds`; `seconds` bound the choice of labels of step 2.

    `seed` draws the random inputs, `training` starts the network that is trained here. Where similar inputs cannot be
    listed, IDI-D and IDI-S cover as many rows and inputs as give `boxes` boxes of similar ones, at least FEWEST.
    """

    points: int = POINTS
    seconds: float = 12.0
    jobs: int = 1
    seeds: tuple[int, ...] = (2025, 2026, 2027)
    training: int = 0
    samples: int = SAMPLES
    boxes: int = 10_000
    settings: Settings = DEFAULTS


FRESH = Question(seed=2, seeds=(3101, 3102, 3103), training=1)
"""Splits, repair points, rows to keep, random inputs and starting weights that no setting was chosen by."""


@dataclass(frozen=True)
class Asking:
    """The repair of one part: a network, its sensitive features, and plain features that may differ as well."""

    name: str
    sensitive: tuple[str, ...]
    relaxed: tuple[tuple[str, str], ...] = ()

    @property
    def part(self) -> str:
        """The part's name."""
        return "-".join((self.name, *self.sensitive, *(name for name, _ in self.relaxed)))


SINGLE = tuple(Asking(name, (feature,)) for name, listed in NETWORKS.items() for feature in listed.sensitive)


def plan(
    data_dir: Path | None, options: Options, question: Question | None = None, askings: Sequence[Asking] = SINGLE
) -> Plan:
    """Return a part for every repair."""
    asked = options.of(question or Question())
    return Plan(asked.as_data(), {one.part: partial(apart, measured, one, asked, data_dir) for one in askings})


def measured(asking: Asking, question: Question, data_dir: Path | None) -> dict[str, Any]:
    """Measure one repair with all seeds."""
    loaded = load_network(asking.name, asking.sensitive, data_dir, question.training)
    look = Look(loaded, Similarity.of(loaded.spec, dict(asking.relaxed)), *drawn(asking, loaded, question))
    before = look.rates(loaded.network)
    return {
        "network": NETWORKS[asking.name].network,
        "hidden": list(loaded.network.hidden),
        "rows": len(loaded.rows),
        "similar": len(loaded.spec.domain_table),
        "looked_at": [len(look.queries), len(look.samples)],
        "repairs": [_repaired(asking.name, look, before, seed, question) for seed in question.seeds],
    }


def drawn(asking: Asking, loaded: Loaded, question: Question) -> tuple[Integers, Integers]:
    """Return the queries of IDI-D and of IDI-S: all rows and many inputs, or a sample of both for relaxed features."""
    queries = loaded.inputs[:, : loaded.spec.plain_columns]
    if not asking.relaxed:
        return queries, sampled(loaded.spec, question.samples, question.seed, loaded.rows)
    count = max(FEWEST, question.boxes // len(loaded.spec.domain_table))
    generator = np.random.Generator(np.random.PCG64(question.seed))
    some = generator.choice(len(queries), min(count, len(queries)), replace=False)
    return queries[some], sampled(loaded.spec, count, question.seed, loaded.rows)


@dataclass(frozen=True, eq=False)
class Split:
    """The split of one seed: the repair points, and inputs with labels of the rows to keep and of the test rows."""

    queries: list[tuple[int, ...]]
    kept: tuple[Integers, Integers]
    test: tuple[Integers, Integers]

    @classmethod
    def of(cls, name: str, loaded: Loaded, seed: int, points: int) -> Split:
        """Draw the split of a network's rows."""
        rng, listed = np.random.Generator(np.random.PCG64(seed)), NETWORKS[name]
        order = rng.permutation(len(loaded.rows))
        cut = round(listed.trained_share * len(order))
        train, test = order[:cut], order[cut:]
        chosen = rng.choice(train, points, replace=False)
        kept = rng.choice(train, min(listed.kept_rows, len(train)), replace=False)
        queries = [tuple(row[: loaded.spec.plain_columns]) for row in loaded.inputs[chosen].tolist()]
        return cls(queries, *((loaded.inputs[rows], loaded.labels[rows]) for rows in (kept, test)))


@dataclass(frozen=True, eq=False)
class Look:
    """A network's data, the relation, and the queries of IDI-D and of IDI-S, (n, n_x) each."""

    loaded: Loaded
    similarity: Similarity
    queries: Integers
    samples: Integers

    def rates(self, network: QuantisedNetwork) -> dict[str, float]:
        """Return what does not depend on the split: IDI-D and IDI-S."""
        return {
            "idi_d": instances(network, self.similarity, self.queries).share,
            "idi_s": instances(network, self.similarity, self.samples).share,
        }

    def own(self, network: QuantisedNetwork, split: Split) -> dict[str, float]:
        """Return what depends on the split: CUR, accuracy, and the share that would be right by one label alone."""
        loaded, labels = self.loaded, split.test[1]
        return {
            "cur": instances(network, self.similarity, np.array(split.queries)).share,
            "accuracy": accuracy(network, *split.test),
            "one_label": float(max(np.mean(labels == label) for label in range(len(loaded.spec.labels)))),
        }


def _repaired(name: str, look: Look, before: Mapping[str, float], seed: int, question: Question) -> dict[str, Any]:
    """Draw the split of one seed, repair, and measure the result."""
    loaded, split = look.loaded, Split.of(name, look.loaded, seed, question.points)
    begun, wall = time.process_time(), time.perf_counter()
    settings = replace(question.settings, seconds=question.seconds, seed=seed)
    made = repair(loaded.network, look.similarity, split.queries, split.kept, settings)
    spent = {"cpu_s": round(time.process_time() - begun, 2), "wall_s": round(time.perf_counter() - wall, 2)}
    record = {"seed": seed, **spent, "before": {**before, **look.own(loaded.network, split)}}
    if not isinstance(made, Repaired):
        return record | {"after": None, "reason": made.reason}
    after = look.rates(made.network) | look.own(made.network, split)
    return record | {
        "after": after,
        "change": made.change.objective,
        "sets": made.sets,
        "rounds": made.rounds,
        "passes": made.passes,
        "constant": made.constant,
        "fairness_loss": 1.0 if made.calibrated is None else made.calibrated.fairness[1],
    }


def mean(repairs: Sequence[Mapping[str, Any]], side: str, name: str) -> float:
    """Return the mean over the seeds."""
    return statistics.fmean(one[side][name] for one in repairs)


def table(results: Mapping[str, Any]) -> str:
    """Write one line per network and feature, ours and the paper's."""
    rows = [_line(name, part) for name, part in results["parts"].items()]
    head = (
        "network, sensitive feature", "CUR %, before → after", "paper", "IDI-D %", "paper", "IDI-S %", "paper",
        "accuracy %", "paper", "one label alone %", "CPU seconds, median (max)",
    )  # fmt: skip
    return markdown(head, rows)


def summary(results: Mapping[str, Any]) -> str:
    """Write by how much the means fall, over Adult, German and Bank together and over all nine."""
    parts = results["parts"]
    groups = {
        " + ".join(TOGETHER): [part for name, part in parts.items() if name.partition("-")[0] in TOGETHER],
        "all": list(parts.values()),
    }
    rows = [fall(name, held) for name, held in groups.items() if held]
    return markdown(FALLS, rows)


def fall(name: str, parts: Sequence[Mapping[str, Any]]) -> tuple[str, ...]:
    """Return one line of the summary: ratios of means, each network and feature counting alike.

    Failed repairs are left out, and counted.
    """
    made = [part for part in parts if all(one["after"] is not None for one in part["repairs"])]
    if len(made) < len(parts):
        name += f" ({len(parts) - len(made)} of {len(parts)} not repaired)"
    if not made:
        return (name, *["-"] * 5)
    before, after = (
        {key: statistics.fmean(mean(part["repairs"], side, key) for part in made) for key in (*RATES, "accuracy")}
        for side in ("before", "after")
    )
    seconds = [one["cpu_s"] for part in parts for one in part["repairs"]]
    return (
        name,
        f"{100 * max(one['after']['cur'] for part in made for one in part['repairs']):.2f} %",
        *(f"{100 * (1 - after[key] / before[key]):.1f} %" if before[key] else "-" for key in RATES[1:]),
        f"{100 * (before['accuracy'] - after['accuracy']):.2f}",
        f"{statistics.fmean(seconds):.1f} ({max(seconds):.1f})",
    )


def _line(name: str, part: Mapping[str, Any]) -> tuple[str, ...]:
    """Return one line of the table; means over the seeds."""
    domain, _, feature = name.partition("-")
    printed, repairs = PRINTED[name], part["repairs"]
    if any(one["after"] is None for one in repairs):
        return (f"{domain} ({part['network']}), {feature}", *["not repaired"] * 10)
    pairs = {key: [100 * mean(repairs, side, key) for side in ("before", "after")] for key in (*RATES, "accuracy")}
    seconds = [one["cpu_s"] for one in repairs]
    return (
        f"{domain} ({part['network']}), {feature}",
        arrow(*pairs["cur"]),
        arrow(printed[0], 0.0),
        arrow(*pairs["idi_d"]),
        arrow(*printed[1:3]),
        arrow(*pairs["idi_s"]),
        arrow(*printed[3:5]),
        arrow(*pairs["accuracy"]),
        arrow(*printed[5:7]),
        f"{100 * mean(repairs, 'before', 'one_label'):.2f}",
        f"{statistics.median(seconds):.1f} ({max(seconds):.1f})",
    )


def arrow(before: float, after: float) -> str:
    """Write two percentages."""
    return f"{before:.2f} → {after:.2f}"
