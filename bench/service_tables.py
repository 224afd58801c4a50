"""The tables of a soak, and the sizing that follows from it by arithmetic."""

from __future__ import annotations

import statistics
from collections.abc import Mapping
from typing import Any

from bench.harness import table

A_DAY = (1_000, 10_000, 100_000)
"""Decisions a day that the sizing is made for."""

BUSY = 0.5
"""Which share of the day provers work: decisions do not come evenly, and a queue that never empties is too long."""

DAY_SECONDS, YEAR_DAYS = 24 * 3600, 365


_HALVES = ("process", "first half, MB", "second half, MB")

GROWTH_DECISIONS = 10_000
"""What the growth of a process is stated for."""


def memory(found: Mapping[str, Any]) -> str:
    """Write the largest memory of each process in the first and in the second half of a soak."""
    return table(_HALVES, _halves(found["parts"]["steady"]))


def growing(found: Mapping[str, Any]) -> str:
    """Write the same, and what each process grows by."""
    part = found["parts"]["steady"]
    rows = [(*row, f"{growth(part, row[0]):+.2f}") for row in _halves(part)]
    return table((*_HALVES, "growth, MB for 10,000 decisions"), rows)


def _halves(part: Mapping[str, Any]) -> list[tuple[str, str, str]]:
    """Return each process with its largest memory in both halves."""
    rows = []
    for name, held in part["memory_mb"].items():
        half = len(held) // 2
        rows.append((name, f"{max(held[:half]):,.0f}", f"{max(held[half:]):,.0f}"))
    return rows


def growth(part: Mapping[str, Any], name: str) -> float:
    """Return the MB that a process grew for GROWTH_DECISIONS: the line of least squares through its looks.

    Those of the first quarter are left out, in which processes fill what they keep.
    """
    held: list[float] = part["memory_mb"][name]
    looks = range(len(held) // 4, len(held))
    slope = statistics.linear_regression(looks, held[looks.start :]).slope
    return slope * len(held) * GROWTH_DECISIONS / int(part["decisions"])


def busy(found: Mapping[str, Any]) -> str:
    """Write what a load that provers cannot follow came to."""
    part, asked = found["parts"]["steady"], found["question"]
    rows = [
        ("decisions, in all", f"{part['decisions']:,} in {asked['seconds']:,.0f} s"),
        ("decisions asked for, and made, a second", f"{asked['points']}, {part['per_s']:.1f}"),
        ("decisions that were asked for more than once", f"{part['again']:,}"),
        ("decisions in the database, and in the log", f"{part['decisions']:,}, {part['decisions']:,}"),
        ("certificates meanwhile", f"{part['certified']:,}"),
        ("one request for a decision, ms: median, p99", _pair(part["decide_ms"])),
    ]
    return table(("what", "found"), rows)


def times(found: Mapping[str, Any]) -> str:
    """Write how long requests and certificates took, and what each decision left on the disk."""
    part, asked = found["parts"]["steady"], found["question"]
    certified = part["certified_s"]
    rows = [
        ("decisions, in all", f"{part['decisions']:,} in {asked['seconds']:,.0f} s"),
        ("one request for a decision, ms: median, p99", _pair(part["decide_ms"])),
        ("decision to certificate, s: median, p95, longest",
         f"{certified['p50']:.2f}, {certified['p95']:.2f}, {certified['max']:.2f}"),
        ("one proof with its checks, s: median", f"{part['proof_s']:.2f}"),
        ("database, bytes a decision", f"{part['database_bytes']:,}"),
        ("public log, bytes a decision", f"{part['log_bytes']:,}"),
    ]  # fmt: skip
    return table(("what", "found"), rows)


def sizing(found: Mapping[str, Any]) -> str:
    """Write what so many decisions a day need, by arithmetic from a soak."""
    part = found["parts"]["steady"]
    held = {name: max(values) for name, values in part["memory_mb"].items()}
    prover = held.get("worker: below it", 0.0)
    others = sum(held.values()) - prover
    rows = []
    for count in A_DAY:
        provers = max(1, -(-round(count * part["proof_s"]) // round(BUSY * DAY_SECONDS)))
        disk = [f"{count * YEAR_DAYS * part[name] / 1e9:,.1f}" for name in ("database_bytes", "log_bytes")]
        rows.append((f"{count:,}", f"{provers}", f"{(others + provers * prover) / 1e3:,.1f}", *disk))
    return table(("decisions a day", "provers", "memory, GB", "database, GB a year", "public log, GB a year"), rows)


def _pair(ms: Mapping[str, float]) -> str:
    """Write the median and the 99th percentile."""
    return f"{ms['p50']:.1f}, {ms['p99']:.1f}"
