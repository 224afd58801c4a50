"""The command of a collection: measure suites, keep their results, and write the pages that show them."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from pathlib import Path

from bench import kept, pages, parts
from bench.harness import BenchError
from bench.parts import Options
from bench.suite import Collection


def run(collection: Collection, words: Sequence[str], about: str) -> None:
    """Measure the suites that the words name, then write the pages; `about` is what the help says of the command."""
    parser = _parser(collection, about)
    given = parser.parse_args(words)
    if unknown := set(given.suites) - collection.suites.keys():
        parser.error(f"unknown suite {', '.join(sorted(unknown))}; the suites are {', '.join(collection.suites)}")
    chosen = given.suites or collection.default
    if not (chosen or given.render):
        parser.error(f"name a suite: {', '.join(collection.suites)}")
    options = Options(
        given.points,
        given.seconds,
        given.jobs,
        tuple(name for name in given.parts.split(",") if name),
        given.resume,
        given.minutes,
        _seeds(given.seeds),
        given.kills,
    )
    for name in [] if given.render else chosen:
        print(f"{name} ...", file=sys.stderr)
        _measure(collection, name, given.data_dir and Path(given.data_dir), options)
    pages.write(collection)


def _parser(collection: Collection, about: str) -> argparse.ArgumentParser:
    """Return the parser of the command line."""
    parser = argparse.ArgumentParser(
        prog=f"python -m {collection.name}", description=about, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "suites",
        nargs="*",
        metavar="SUITE",
        help=", ".join(collection.suites) + (" (default: all)" if collection.default else ""),
    )
    parser.add_argument("--data-dir", type=Path, default=os.environ.get("EQUIPROOF_DATA"), help="the raw data sets")
    parser.add_argument("--render", action="store_true", help="measure nothing; write the pages from the kept results")
    in_parts = parser.add_argument_group(
        "suites measured in parts", ", ".join(name for name, suite in collection.suites.items() if suite.plan)
    )
    in_parts.add_argument("--points", "--rate", type=int, help="applicants of every part, or decisions a second")
    in_parts.add_argument(
        "--seconds", type=float, help="time limit of one search, length of a soak, or pause between kills"
    )
    in_parts.add_argument("--kills", type=int, help="how many processes are killed on each database")
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


def _measure(collection: Collection, name: str, data_dir: Path | None, options: Options) -> None:
    """Measure a suite and keep its results; raises BenchError for options of parts where the suite has no parts."""
    suite, folder = collection.suites[name], collection.results
    if suite.plan is not None:
        before = kept.load(name, folder) if kept.is_kept(name, folder) else None
        plan = suite.plan(data_dir, options)
        parts.measure(name, plan, options, before, lambda results: kept.keep(name, results, folder), _report)
    elif suite.run is not None and options == Options():
        kept.keep(name, suite.run(data_dir, _report), folder)
    else:
        raise BenchError(f"{name} is measured as a whole, without options")


def _report(done: int, total: int) -> None:
    """Print how far a suite is."""
    print(f"  {done} of {total}", file=sys.stderr)
