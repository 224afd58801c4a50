"""`python -m bench`: run suites, keep their results, and write the tables and figures of docs/benchmarks.md."""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path

from bench import document, parts
from bench.harness import BenchError
from bench.parts import Options
from bench.suites import SUITES, blocks


def main() -> int:
    """Measure what was asked for, then write the page."""
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    parser.add_argument("suites", nargs="*", metavar="SUITE", help=f"of {', '.join(SUITES)}; all of them by default")
    parser.add_argument("--data-dir", type=Path, default=os.environ.get("EQUIPROOF_DATA"), help="the raw data sets")
    parser.add_argument("--render", action="store_true", help="measure nothing, write the page from the kept results")
    parted = parser.add_argument_group(f"suites in parts: {', '.join(n for n, suite in SUITES.items() if suite.plan)}")
    parted.add_argument("--points", type=int, help="applicants of every part")
    parted.add_argument("--seconds", type=float, help="the most that one search may take")
    parted.add_argument("--jobs", type=int, help="processes that search side by side")
    parted.add_argument("--parts", default="", help="some parts, separated by commas; all by default")
    parted.add_argument("--resume", action="store_true", help="leave out parts that are kept")
    parted.add_argument("--minutes", type=float, help="begin no part after so long")
    given = parser.parse_args()
    if unknown := set(given.suites) - SUITES.keys():
        parser.error(f"no suite is called {', '.join(sorted(unknown))}; there are {', '.join(SUITES)}")
    try:
        options = Options(
            given.points,
            given.seconds,
            given.jobs,
            tuple(name for name in given.parts.split(",") if name),
            given.resume,
            given.minutes,
        )
        for name in [] if given.render else given.suites or SUITES:
            print(f"{name} ...", file=sys.stderr)
            _measure(name, given.data_dir and Path(given.data_dir), options)
        write_page()
    except (BenchError, OSError) as error:
        print(f"bench: {error}", file=sys.stderr)
        return 2
    return 0


def _measure(name: str, data_dir: Path | None, options: Options) -> None:
    """Measure a suite and keep its results; raises BenchError for options of parts where there are none."""
    suite = SUITES[name]
    if suite.plan is not None:
        kept = document.load(name) if document.is_kept(name) else None
        plan = suite.plan(data_dir, options)
        parts.measure(name, plan, options, kept, lambda results: document.keep(name, results), _tell)
    elif suite.run is not None and options == Options():
        document.keep(name, suite.run(data_dir, _tell))
    else:
        raise BenchError(f"{name} is measured as a whole, without options")


def write_page() -> None:
    """Write the page's blocks and figures from the kept results."""
    kept = {name: document.load(name) if document.is_kept(name) else None for name in SUITES}
    made = {block: text for name, results in kept.items() for block, text in blocks(name, results).items()}
    document.PAGE.write_text(document.render(made, document.PAGE.read_text(encoding="utf-8")), encoding="utf-8")
    document.FIGURES.mkdir(exist_ok=True)
    for name, results in kept.items():
        if results is not None:
            for figure, draw in SUITES[name].figures.items():
                draw(results, document.FIGURES / f"{figure}.svg")


def _tell(done: int, total: int) -> None:
    """Say how far a suite is."""
    print(f"  {done} of {total}", file=sys.stderr)


if __name__ == "__main__":
    sys.exit(main())
