"""Measure suites, keep their results, and write docs/benchmarks.md and docs/benchmarks/ from them.

`python -m bench case NAME` measures one line of the paper's table here and now, and keeps nothing.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from pathlib import Path

from bench import kept, pages, parts
from bench.harness import BenchError
from bench.paper import case
from bench.parts import Options
from bench.research.suites import RESEARCH
from bench.suites import PRODUCT, SUITES
from equiproof.certify.data.dataset import DataError


def main(words: Sequence[str] | None = None) -> int:
    """Measure the named suites and write the pages, or measure one case; return the exit status."""
    words = sys.argv[1:] if words is None else words
    try:
        if words[:1] == ["case"]:
            case.main(words[1:])
        else:
            _suites(words)
    except (BenchError, DataError, OSError) as error:
        print(f"bench: {error}", file=sys.stderr)
        return 2
    return 0


def _suites(words: Sequence[str]) -> None:
    """Measure the suites that the words name, then write the pages."""
    parser = _parser()
    given = parser.parse_args(words)
    if unknown := set(given.suites) - SUITES.keys():
        parser.error(f"unknown suite {', '.join(sorted(unknown))}; the suites are {', '.join(SUITES)}")
    options = Options(
        given.points,
        given.seconds,
        given.jobs,
        tuple(name for name in given.parts.split(",") if name),
        given.resume,
        given.minutes,
        _seeds(given.seeds),
    )
    for name in [] if given.render else given.suites or PRODUCT:
        print(f"{name} ...", file=sys.stderr)
        _measure(name, given.data_dir and Path(given.data_dir), options)
    pages.write()


def _parser() -> argparse.ArgumentParser:
    """Return the parser of everything but `case`."""
    parser = argparse.ArgumentParser(
        prog="python -m bench", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "suites",
        nargs="*",
        metavar="SUITE",
        help=f"{', '.join(PRODUCT)} (all of these by default), or a research suite: {', '.join(RESEARCH)}",
    )
    parser.add_argument("--data-dir", type=Path, default=os.environ.get("EQUIPROOF_DATA"), help="the raw data sets")
    parser.add_argument("--render", action="store_true", help="measure nothing; write the pages from the kept results")
    in_parts = parser.add_argument_group(
        "suites measured in parts", ", ".join(name for name, suite in SUITES.items() if suite.plan)
    )
    in_parts.add_argument("--points", type=int, help="applicants of every part, or decisions a second")
    in_parts.add_argument("--seconds", type=float, help="time limit of one search, or length of a soak")
    in_parts.add_argument("--jobs", type=int, help="processes that search side by side")
    in_parts.add_argument("--parts", default="", help="measure these parts only, separated by commas")
    in_parts.add_argument("--resume", action="store_true", help="skip parts that are kept")
    in_parts.add_argument("--minutes", type=float, help="start no part after so many minutes")
    in_parts.add_argument("--seeds", default="", help="train from these seeds, separated by commas")
    return parser


def _seeds(text: str) -> tuple[int, ...]:
    """Read seeds; raises BenchError for anything but whole numbers from 0."""
    parts = [part.strip() for part in text.split(",") if part.strip()]
    if not all(part.isascii() and part.isdigit() and len(part) <= 9 for part in parts):
        raise BenchError(f"--seeds {text[:40]}: want whole numbers with commas, such as 0,1,2")
    return tuple(map(int, parts))


def _measure(name: str, data_dir: Path | None, options: Options) -> None:
    """Measure a suite and keep its results; raises BenchError for options of parts where the suite has no parts."""
    suite = SUITES[name]
    if suite.plan is not None:
        before = kept.load(name) if kept.is_kept(name) else None
        plan = suite.plan(data_dir, options)
        parts.measure(name, plan, options, before, lambda results: kept.keep(name, results), _report)
    elif suite.run is not None and options == Options():
        kept.keep(name, suite.run(data_dir, _report))
    else:
        raise BenchError(f"{name} is measured as a whole, without options")


def _report(done: int, total: int) -> None:
    """Print how far a suite is."""
    print(f"  {done} of {total}", file=sys.stderr)


if __name__ == "__main__":
    sys.exit(main())
