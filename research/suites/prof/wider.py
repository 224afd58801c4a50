"""PROF's table IV: repairs for several sensitive features at once, and for a plain feature that may differ as well.

Measured as in :mod:`research.suites.prof.table`, with the fresh seeds. In the paper, hours per week may differ by 1 on
Adult; its choice for Bank and German is in a supplement that is not available, so those features are ours:
`campaign` and `month`, also by 1. Under a relaxed relation, similar inputs are all points of the grid between the ends,
too many to list; IDI-D and IDI-S are then measured on a sample of rows and of random inputs.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from bench.harness import table as markdown
from bench.parts import Options, Plan
from research.suites.prof import table as single
from research.suites.prof.table import FRESH, Asking, arrow, fall, mean

_MOVED = {"Adult": "hours-per-week", "Bank": "campaign", "German": "month"}

SEVERAL = tuple(
    Asking(name, features)
    for name, features in (
        ("COMPAS", ("sex", "race")),
        ("COMPAS", ("sex", "age")),
        ("COMPAS", ("race", "age")),
        ("Adult", ("sex", "race")),
        ("Adult", ("sex", "age")),
        ("Adult", ("race", "age")),
        ("German", ("sex", "age")),
    )
)
RELAXED = tuple(
    Asking(name, (feature,), ((_MOVED[name], "1"),))
    for name, feature in (
        ("Adult", "sex"), ("Adult", "age"), ("Adult", "race"), ("Bank", "age"), ("German", "sex"), ("German", "age"),
    )
)  # fmt: skip

PRINTED: Mapping[str, tuple[float, ...]] = {
    "COMPAS-sex-race": (19.0, 16.92, 0.0, 4.49, 0.0),
    "COMPAS-sex-age": (49.0, 51.65, 1.62, 12.71, 1.33),
    "COMPAS-race-age": (55.0, 55.54, 3.68, 13.56, 2.56),
    "Adult-sex-race": (7.0, 7.59, 1.78, 1.18, 0.39),
    "Adult-sex-age": (16.0, 23.01, 3.13, 4.31, 0.78),
    "Adult-race-age": (17.0, 23.01, 2.71, 4.20, 0.78),
    "German-sex-age": (4.0, 6.10, 0.0, 16.11, 0.0),
    "Adult-sex-hours-per-week": (3.0, 3.26, 1.22, 0.73, 0.18),
    "Adult-age-hours-per-week": (14.0, 21.98, 0.61, 3.73, 0.32),
    "Adult-race-hours-per-week": (2.0, 4.70, 1.20, 0.62, 0.32),
    "Bank-age-campaign": (2.0, 3.56, 0.11, 23.75, 2.75),
    "German-sex-month": (3.0, 3.10, 0.0, 7.98, 0.0),
    "German-age-month": (4.0, 3.50, 0.0, 9.35, 0.0),
}
"""What the paper prints, in percent: CUR before (0 after), then before and after IDI-D and IDI-S."""


def plan(data_dir: Path | None, options: Options, question: single.Question | None = None) -> Plan:
    """Return a part for every line of the table."""
    return single.plan(data_dir, options, question or replace(FRESH, seeds=FRESH.seeds[:2]), SEVERAL + RELAXED)


def table(results: Mapping[str, Any]) -> str:
    """Write one line per network and features, ours and the paper's."""
    lines = [_line(one, part) for one in SEVERAL + RELAXED if (part := results["parts"].get(one.part)) is not None]
    head = (
        "network, sensitive features", "may differ by 1", "similar inputs", "CUR %, before → after", "paper", "IDI-D %",
        "paper", "IDI-S %", "paper", "accuracy %", "one label alone %", "CPU seconds, largest",
    )  # fmt: skip
    return markdown(head, lines)


def summary(results: Mapping[str, Any]) -> str:
    """Write by how much the means fall for several features, and for relaxed ones."""
    rows = []
    for name, askings in (("several sensitive features", SEVERAL), ("another feature by 1", RELAXED)):
        parts = [results["parts"][one.part] for one in askings if one.part in results["parts"]]
        rows += [fall(name, parts)] if parts else []
    return markdown(single.FALLS, rows)


def _line(asking: Asking, part: Mapping[str, Any]) -> tuple[str, ...]:
    """Return one line of the table; means over the seeds."""
    printed, repairs = PRINTED[asking.part], part["repairs"]
    moved = ", ".join(name for name, _ in asking.relaxed)
    similar = f"{part['similar']} boxes" if moved else str(part["similar"])
    head = (f"{asking.name} ({part['network']}), {' and '.join(asking.sensitive)}", moved, similar)
    if any(one["after"] is None for one in repairs):
        return (*head, *["not repaired"] * 9)
    cells = {
        key: arrow(*(100 * mean(repairs, side, key) for side in ("before", "after")))
        for key in ("cur", "idi_d", "idi_s", "accuracy")
    }
    return (
        *head,
        cells["cur"],
        arrow(printed[0], 0.0),
        cells["idi_d"],
        arrow(*printed[1:3]),
        cells["idi_s"],
        arrow(*printed[3:5]),
        cells["accuracy"],
        f"{100 * mean(repairs, 'before', 'one_label'):.2f}",
        f"{max(one['cpu_s'] for one in repairs):.1f}",
    )
