"""The tables of the suites `pba` and `pba-people`: seconds, shares under every measure, and gaps."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from bench.harness import table as markdown
from research.suites.pba.paper import printed
from research.suites.pba.suite import PAPER_SECONDS

Results = Mapping[str, Any]
Gap = tuple[float, float, float]
"""A difference of two shares, with the ends of its interval."""

OTHERS = ("SP", "EO", "CFA", "RB observed")


def seconds(results: Results) -> str:
    """Write one line per size and delta: seconds of a person's question, and the paper's."""
    rows = []
    for hidden, paper in PAPER_SECONDS.items():
        parts = [part for part in results["parts"].values() if tuple(part["hidden"]) == hidden]
        for number, theirs in enumerate(paper, start=1):
            found = [part["deltas"][str(number)] for part in parts]
            if not found:
                continue
            people = [sum(one["answers"].values()) // 2 for one in found]
            mean = math.fsum(one["processor_mean_s"] * n for one, n in zip(found, people, strict=True)) / sum(people)
            answers = {name: sum(one["answers"][name] for one in found) for name in ("true", "false", "unknown")}
            paper_true = sum(one["paper_true"] for one in found)
            middles = sorted(one["processor_s"] for one in found)
            rows.append(
                (
                    f"({','.join(map(str, hidden))})",
                    str(number),
                    f"{len(found)}, {sum(people)}",
                    f"{mean:.3f}",
                    f"{middles[0]:.3f} to {middles[-1]:.3f}",
                    f"{max(one['processor_s_max'] for one in found):.2f}",
                    f"{max(one['clock_s'] for one in found):.3f}",
                    f"{theirs:.2f}",
                    f"{answers['true']} / {answers['false']} / {answers['unknown']}",
                    f"{paper_true} of {answers['true']}",
                )
            )
    head = (
        "network", "delta", "models, people", "mean seconds of a person", "medians of the models", "largest",
        "largest median by the clock", "paper, a point", "proven / refuted / open", "proven by the paper's program too",
    )  # fmt: skip
    return markdown(head, rows)


def scores(results: Results) -> str:
    """Write one line per network: every measure of both groups, with the intervals of PBA."""
    rows = []
    for part in results["parts"].values():
        one = part["deltas"]["1"]["shares"]
        rows.append(
            (
                f"{part['dataset']} {part['attribute']}",
                f"({','.join(map(str, part['hidden']))}) {part['mode']}",
                " / ".join(part["groups"]),
                f"{part['accuracy']:.1%}",
                *(_both(part["baselines"], name, part["groups"]) for name in OTHERS[:3]),
                _both(one, "RB observed", part["groups"]),
                _intervals(one, "PBA observed", part["groups"]),
                _printed(part),
                *(_both(part["deltas"][delta]["shares"], "PBA observed", part["groups"]) for delta in "23"),
                _both(one, "PBA flipped", part["groups"]),
            )
        )
    head = (
        "data, attribute", "network", "groups", "accuracy", "SP", "EO", "CFA", "RB, delta 1", "PBA observed, delta 1",
        "the paper's", "delta 2", "delta 3", "PBA flipped, delta 1",
    )  # fmt: skip
    return markdown(head, rows)


def finding(results: Results) -> str:
    """Write one line per data set and attribute: is the gap of PBA larger than those of the other measures?"""
    rows = []
    attributes = dict.fromkeys((part["dataset"], part["attribute"]) for part in results["parts"].values())
    for attribute in attributes:
        parts = [part for part in results["parts"].values() if (part["dataset"], part["attribute"]) == attribute]
        gaps = [{name: _gap(part, name) for name in (*OTHERS, "PBA observed")} for part in parts]
        pba = [one["PBA observed"] for one in gaps]
        cells = [_median_gap(one[name] for one in gaps) for name in (*OTHERS, "PBA observed")]
        real = sum(low > 0 for _, low, _ in pba)
        above = [sum(one["PBA observed"][1] > one[name][2] for one in gaps) for name in OTHERS]
        all_others = sum(all(one["PBA observed"][1] > one[name][2] for name in OTHERS) for one in gaps)
        rows.append(
            (
                " ".join(attribute), str(len(parts)), *cells, f"{real} of {len(parts)}",
                ", ".join(f"{name.split()[0]} {count}" for name, count in zip(OTHERS, above, strict=True)),
                f"{all_others} of {len(parts)}",
            )
        )  # fmt: skip
    head = (
        "data, attribute", "models", *(f"median gap of {name.split()[0]}" for name in (*OTHERS, "PBA")),
        "PBA gap above 0", "PBA gap above that of", "above all four",
    )  # fmt: skip
    return markdown(head, rows)


def gaps(results: Results) -> str:
    """Write one line per network: the gap between both groups under every measure, with its interval, at delta 1."""
    rows = []
    for part in results["parts"].values():
        found = {name: _gap(part, name) for name in (*OTHERS, "PBA observed")}
        gap, low, high = found["PBA observed"]
        looked_at = [_of(part["deltas"]["1"]["shares"], "PBA observed", group)["n"] for group in part["groups"]]
        below = [name.split()[0] for name in OTHERS if low > found[name][2]]
        rows.append(
            (
                f"{part['dataset']} {part['attribute']}",
                f"({','.join(map(str, part['hidden']))}) {part['mode']}",
                " / ".join(map(str, looked_at)),
                *(_ends(*found[name]) for name in OTHERS),
                _ends(gap, low, high),
                ", ".join(below) if len(below) < len(OTHERS) else "all four",
            )
        )
    head = (
        "data, attribute", "network", "people", *(f"gap of {name.split()[0]}" for name in (*OTHERS, "PBA")),
        "PBA's is above that of",
    )  # fmt: skip
    return markdown(head, rows)


def _ends(gap: float, low: float, high: float) -> str:
    """Write a gap with its interval in percent."""
    return f"{100 * gap:.0f} [{100 * low:.0f}, {100 * high:.0f}]"


def newcombe(first: Mapping[str, Any], second: Mapping[str, Any]) -> Gap:
    """Return the absolute difference of two shares with an interval from their Wilson intervals (Newcombe 1998, 10).

    The ends are those of the absolute difference: from 0 where the signed interval holds 0. Without rows in a group
    the interval is [0, 1].
    """
    if first["value"] is None or second["value"] is None:
        return 0.0, 0.0, 1.0
    high, low = (first, second) if first["value"] >= second["value"] else (second, first)
    gap = high["value"] - low["value"]
    below = math.hypot(high["value"] - high["lower"], low["upper"] - low["value"])
    above = math.hypot(high["upper"] - high["value"], low["value"] - low["lower"])
    return gap, max(0.0, gap - below), max(gap + above, below - gap)


def _gap(part: Mapping[str, Any], measure: str) -> Gap:
    """Return the gap between both groups under a measure, at delta 1 where it has one."""
    estimates = part["baselines"] if measure in OTHERS[:3] else part["deltas"]["1"]["shares"]
    first, second = (_of(estimates, measure, group) for group in part["groups"])
    return newcombe(first, second)


def _median_gap(gaps: Iterable[Gap]) -> str:
    """Write the median of gaps."""
    values = sorted(gap for gap, _, _ in gaps)
    middle = len(values) // 2
    return f"{values[middle] if len(values) % 2 else (values[middle - 1] + values[middle]) / 2:.1%}"


def _of(estimates: Sequence[Mapping[str, Any]], measure: str, group: str) -> Mapping[str, Any]:
    """Return the estimate of a measure and group."""
    return next(one for one in estimates if one["measure"] == measure and one["group"] == group)


def _both(estimates: Sequence[Mapping[str, Any]], measure: str, groups: Sequence[str]) -> str:
    """Write a measure of both groups."""
    return " / ".join(_share(_of(estimates, measure, group)["value"]) for group in groups)


def _intervals(estimates: Sequence[Mapping[str, Any]], measure: str, groups: Sequence[str]) -> str:
    """Write a measure of both groups with its interval and the number of people."""
    found = [_of(estimates, measure, group) for group in groups]
    return " / ".join(f"{_share(one['value'])} [{_share(one['lower'])}, {_share(one['upper'])}] of {one['n']}"
                      for one in found)  # fmt: skip


def _printed(part: Mapping[str, Any]) -> str:
    """Write the shares of PBA observed at delta 1 that the paper prints."""
    found = printed(part) or (None, None)
    return " / ".join(_share(None if value is None else value / 100) for value in found)


def _share(value: float | None) -> str:
    """Write a share in percent."""
    return "-" if value is None else f"{100 * value:.0f}%"
