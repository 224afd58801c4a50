"""`python -m bench`: run suites, keep their results, and write the tables and figures of docs/benchmarks.md."""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path

from bench import document
from bench.harness import BenchError
from bench.suites import SUITES, blocks


def main() -> int:
    """Measure what was asked for, then write the page."""
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    parser.add_argument("suites", nargs="*", metavar="SUITE", help=f"of {', '.join(SUITES)}; all of them by default")
    parser.add_argument("--data-dir", type=Path, default=os.environ.get("EQUIPROOF_DATA"), help="the raw data sets")
    parser.add_argument("--render", action="store_true", help="measure nothing, write the page from the kept results")
    given = parser.parse_args()
    if unknown := set(given.suites) - SUITES.keys():
        parser.error(f"no suite is called {', '.join(sorted(unknown))}; there are {', '.join(SUITES)}")
    try:
        for name in [] if given.render else given.suites or SUITES:
            print(f"{name} ...", file=sys.stderr)
            document.keep(name, SUITES[name].run(given.data_dir and Path(given.data_dir), _tell))
        write_page()
    except (BenchError, OSError) as error:
        print(f"bench: {error}", file=sys.stderr)
        return 2
    return 0


def write_page() -> None:
    """Write the page's blocks and figures from the kept results."""
    kept = {name: document.load(name) for name in SUITES}
    made = {block: text for name, results in kept.items() for block, text in blocks(name, results).items()}
    document.PAGE.write_text(document.render(made, document.PAGE.read_text(encoding="utf-8")), encoding="utf-8")
    document.FIGURES.mkdir(exist_ok=True)
    for name, results in kept.items():
        for figure, draw in SUITES[name].figures.items():
            draw(results, document.FIGURES / f"{figure}.svg")


def _tell(done: int, total: int) -> None:
    """Say how far a suite is."""
    print(f"  {done} of {total}", file=sys.stderr)


if __name__ == "__main__":
    sys.exit(main())
