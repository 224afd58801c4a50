"""Change the circuit in every small way and check that a Go test notices: `make mutations`.

First the mutants that research/mutants generates, all in one copy of go-gnark; then those that are listed by hand, a
copy each. Every outcome is kept at once in build/mutations/journal.jsonl. Exits 1 if a mutant survives without an
argument.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING

from research.mutations import build, few, listed, page, suite
from research.mutations.journal import JOURNAL, PART, Journal
from research.mutations.judge import NOTHING, judge
from research.mutations.survivors import argued

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping


@dataclass
class Progress:
    """Says what was found, how far the run is, and how long it still takes."""

    total: int
    start: float = field(default_factory=time.monotonic)
    done: int = 0

    def say(self, text: str) -> None:
        """Print one line."""
        self.done += 1
        left = (time.monotonic() - self.start) / self.done * (self.total - self.done) / 60
        print(f"{self.done}/{self.total}, {left:.0f} minutes left: {text}", flush=True)


def given() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(
        prog="mutations", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--resume", action="store_true", help="go on with the journal of a run that was stopped")
    parser.add_argument(
        "--again", action="store_true", help="after tests were added: try survivors without an argument again"
    )
    parser.add_argument("--page", action="store_true", help="only write the pages of what a stopped run has found")
    parser.add_argument("--file", default="", metavar="REGEX", help="generated mutants of files of such names only")
    parser.add_argument("--only", default="", metavar="TEXT", help="mutations by hand whose name holds this text")
    parser.add_argument(
        "--sample", type=int, metavar="N", help="N mutants that the page says are noticed; writes no page"
    )
    parser.add_argument("--seed", help="of the sample; without it the sample belongs to the sources")
    parser.add_argument("--workers", type=int, default=2, metavar="N", help="tests at one time")
    return parser.parse_args()


def judged(name: str, keys: Mapping[str, Callable[[], list[str]]], journal: Journal, workers: int) -> None:
    """Find the outcomes that the journal does not have."""
    missing = {key: find for key, find in keys.items() if key not in journal.known}
    print(f"{name}: {len(keys)}, of which {len(keys) - len(missing)} are known", flush=True)
    progress = Progress(len(missing))

    def one(key: str) -> tuple[str, list[str]]:
        return key, missing[key]()

    with ThreadPoolExecutor(workers) as pool:
        for key, outcome in pool.map(one, missing):
            journal.add(key, outcome)
            progress.say(f"{key}: {' by '.join(filter(None, outcome)) or NOTHING}")


def chosen(mutants: list[build.Mutant], options: argparse.Namespace) -> list[build.Mutant]:
    """Return the generated mutants to be tried."""
    mutants = [mutant for mutant in mutants if re.search(options.file, mutant.file)]
    if options.sample is None:
        return mutants
    whole, allowed = page.whole(), argued()
    open_ones = [mutant for mutant in mutants if mutant.file in whole and mutant.key not in allowed]
    source = random.Random(options.seed or build.digest())  # noqa: S311 -- a sample is no secret
    return source.sample(open_ones, min(options.sample, len(open_ones)))


def named(mutants: list[build.Mutant]) -> dict[str, build.Mutant]:
    """Return mutants by their keys in the journal."""
    return {f"{mutant.id} {mutant}": mutant for mutant in mutants}


def generated(options: argparse.Namespace, journal: Journal) -> list[build.Mutant]:
    """Try generated mutants; returns all that there are."""
    finder: Callable[[build.Mutant], list[str]]
    if options.sample is not None:
        mutants, some = few.ready(options.workers)
        finder = partial(few.judge, few=some)
    else:
        mutants, tests = suite.ready(options.resume or options.again, options.workers)
        finder = partial(judge, suite=tests)
    keys, allowed = named(chosen(mutants, options)), argued()
    for key, mutant in keys.items():
        if options.again and mutant.key not in allowed and journal.known.get(key, [""])[0] == NOTHING:
            del journal.known[key]
    finders = {key: partial(finder, mutant) for key, mutant in keys.items()}
    judged("generated mutants", finders, journal, options.workers)
    return mutants


def by_hand(options: argparse.Namespace, journal: Journal) -> dict[str, str]:
    """Try the mutations of the list; returns the test that fails for each, or nothing."""
    mutations = [mutation for mutation in listed.mutations() if options.only in mutation.name]
    finders = {mutation.name: partial(listed.judge, mutation) for mutation in mutations}
    judged("mutations by hand", finders, journal, options.workers)
    return {mutation.name: journal.known[mutation.name][0] for mutation in mutations}


def unargued(outcomes: Iterable[tuple[build.Mutant, str]], found: dict[str, str]) -> list[str]:
    """List the survivors that have no argument, generated ones as research/mutations/survivors.toml would have them."""
    allowed = argued()
    keys = sorted({mutant.key for mutant, how in outcomes if how == NOTHING and mutant.key not in allowed})
    rows = [f"{file}: {json.dumps(rest, ensure_ascii=False)}" for file, *rest in keys]
    return rows + [one.name for one in listed.mutations() if found.get(one.name) == "" and not one.argued]


def main() -> None:
    """Run what the command line names, and write the pages."""
    options = given()
    part = options.sample is not None or bool(options.only)
    journal = Journal(options.resume or options.page, options.again, PART if part else JOURNAL)
    mutants = build.mutants() if options.page or options.only else generated(options, journal)
    found = {} if options.page or options.file or options.sample is not None else by_hand(options, journal)
    outcomes = [(one, journal.known[key][0]) for key, one in named(mutants).items() if key in journal.known]
    if not part:
        page.write(page.table(mutants, outcomes), found or page.found_by_hand(), listed.mutations())
    survivors = unargued(outcomes, found)
    for name in survivors:
        print(f"survives without an argument: {name}")
    sys.exit(bool(survivors))


if __name__ == "__main__":
    main()
