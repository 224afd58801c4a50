"""Figures of the paper's evaluation, from the results of `bench.paper.measure`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from bench.drawing import figure
from bench.paper.cases import PAPER
from bench.paper.printed import TABLE_1

Result = Mapping[str, Any]
_COLORS = {"printed": "0.7", "unfair": "tab:orange", "fair": "tab:blue"}
_BINS = 24


def times(results: Sequence[Result], path: Path) -> None:
    """Draw the online time of every model and the printed one, on a logarithmic axis (figure 7a)."""
    found = _by_case(results)
    with figure(path, 1, 1, width=7.5) as panels:
        axes = panels[0][0]
        for place, case in enumerate(PAPER):
            heights = {"printed": 60 * TABLE_1[case.name].online_min}
            heights |= {kind: found[case.name, kind]["online_s"] for kind in ("unfair", "fair")}
            for offset, (kind, height) in enumerate(heights.items()):
                label = {"printed": "FairProof, printed"}.get(kind, f"measured, {kind}") if place == 0 else None
                axes.bar(place + 0.27 * (offset - 1), height, 0.25, color=_COLORS[kind], label=label)
        axes.set(yscale="log", ylabel="seconds per certificate, online", ylim=(0.05, 2000))
        axes.set_xticks(range(len(PAPER)), [case.title for case in PAPER], fontsize=8)
        axes.legend(fontsize=8, ncols=3, loc="upper center")


def distributions(results: Sequence[Result], path: Path) -> None:
    """Draw the spread of proving and verifying over the points (figures 13 and 14): box, median, all points within."""
    found = _by_case(results)
    with figure(path, 1, 2, width=5.2) as panels:
        for axes, name, label in zip(
            panels[0], ("prove_s", "verify_ms"), ("prove, seconds", "verify, milliseconds"), strict=True
        ):
            for place, case in enumerate(PAPER):
                for offset, kind in ((-0.17, "unfair"), (0.17, "fair")):
                    values = found[case.name, kind][f"{name}_all"]
                    box = axes.boxplot(
                        values, positions=[place + offset], widths=0.28, whis=(0, 100), patch_artist=True
                    )
                    box["boxes"][0].set_facecolor(_COLORS[kind])
                    box["medians"][0].set_color("black")
            axes.set(ylabel=label, ylim=(0, None))
            axes.set_xticks(range(len(PAPER)), [case.title.replace(" ", "\n") for case in PAPER], fontsize=7)
        for kind in ("unfair", "fair"):
            panels[0][0].bar(0, 0, color=_COLORS[kind], label=kind)
        panels[0][0].legend(fontsize=8, loc="upper left")


def histograms(results: Sequence[Result], path: Path) -> None:
    """Draw the radii of fair and unfair variants (figures 6 and 9 to 12); unfair points are the bar left of 0."""
    found = _by_case(results)
    with figure(path, 2, 3) as panels:
        for axes, case in zip(panels.flat, PAPER, strict=True):
            pair = {kind: found[case.name, kind] for kind in ("unfair", "fair")}
            most = max(max(one["radius_all"], default=0.0) for one in pair.values()) or 1.0
            step = most / _BINS
            edges = [step * number for number in range(_BINS + 1)]
            for offset, (kind, one) in enumerate(pair.items()):
                axes.hist(one["radius_all"], bins=edges, color=_COLORS[kind], alpha=0.6, label=kind)
                axes.bar(-step * (2.2 - offset), one["unfair_points"], step, color=_COLORS[kind], hatch="///")
            axes.set(title=case.title, xlabel="radius, standardised units", ylabel="applicants")
        panels[0][0].legend(fontsize=8)


def _by_case(results: Sequence[Result]) -> dict[tuple[str, str], Result]:
    """Return the results by case and variant."""
    return {(result["case"], result["variant"]): result for result in results}
