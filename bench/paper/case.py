"""`python -m bench case`: measure one line of the paper's table here and now."""

from __future__ import annotations

import argparse
import json
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from bench.paper.cases import CASES, find
from bench.paper.measure import DEFAULT_POINTS, DEFAULT_SEED, Question, measure


def main(words: Sequence[str]) -> None:
    """Measure the case that the words name and print its medians; raises BenchError as :func:`measure`."""
    given = _parser().parse_args(words)
    question = Question(find(given.case), given.variant, given.points, given.seed, given.capacity, given.wider)
    measured = measure(question, given.data_dir and Path(given.data_dir))
    figures = {name: value for name, value in measured.items() if not name.endswith("_all")}
    print(json.dumps(figures) if given.json else text(figures))


def _parser() -> argparse.ArgumentParser:
    """Return the parser of `case`."""
    parser = argparse.ArgumentParser(
        prog="python -m bench case",
        description="Train, commit, set up, prove and verify one model of the paper on random applicants.",
    )
    parser.add_argument("case", metavar="CASE", help=f"one of {', '.join(CASES)}")
    parser.add_argument("--variant", choices=("fair", "unfair"), default="fair", help="with weight decay, or without")
    parser.add_argument("--points", type=int, default=DEFAULT_POINTS, help="random test rows (default %(default)s)")
    parser.add_argument("--seed", type=int, default=DEFAULT_SEED, help="chooses the rows (default %(default)s)")
    parser.add_argument("--capacity", type=int, help="capacity of the key, instead of the case's own")
    parser.add_argument(
        "--no-wider", dest="wider", action="store_false", help="do not prove points beyond the key under wider keys"
    )
    parser.add_argument("--data-dir", default=os.environ.get("EQUIPROOF_DATA"), help="the raw data sets")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    return parser


def text(figures: Mapping[str, Any]) -> str:
    """Write one figure per line, with its quartiles and largest value where it is a median."""
    lines = []
    for name, value in figures.items():
        if name.endswith(("_q1", "_q3", "_max")):
            continue
        low, high, most = (figures.get(f"{name}_{part}") for part in ("q1", "q3", "max"))
        spread = "" if low is None else f"  (quartiles {low} and {high}, largest {most})"
        lines.append(f"{name:<20}{value}{spread}")
    return "\n".join(lines)
