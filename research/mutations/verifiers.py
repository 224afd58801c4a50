"""Change the verifiers in Python and TypeScript in small ways and check that a test notices.

mutmut and StrykerJS make the mutants; a sample by file is tried, with the tests that run what is changed, one mutant of
each language at a time; what they do not notice is given to mypy or tsc. Each outcome is kept at once in
build/mutations/verifiers.jsonl, and what is not noticed is listed. A run of both languages and all files writes
research/mutations/verifiers.json and the page verifiers.md, and exits 1 if a mutant survives without an argument; with
--since, --file or --language neither. With --again both are changed where tests notice more (again.py).
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict
from functools import partial
from math import inf
from random import Random
from threading import Lock
from typing import TYPE_CHECKING, Any

from research.mutations import python_mutants, typescript_mutants, verifiers_page
from research.mutations.again import again, open_still
from research.mutations.build import FOLDER, ROOT, run
from research.mutations.sample import Mutant, sampled
from research.mutations.trial import COUNTED, UNTYPED, Outcome, Suite, state

if TYPE_CHECKING:
    from pathlib import Path

LANGUAGES = {"python": python_mutants, "typescript": typescript_mutants}


def given() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(
        prog="verifiers", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--language", choices=LANGUAGES, action="append", help="one of them; by default both")
    parser.add_argument("--sample", type=int, default=1000, metavar="N", help="mutants of each language")
    parser.add_argument("--seed", default="1", help="which sample")
    parser.add_argument(
        "--minutes",
        type=float,
        default=inf,
        metavar="M",
        help="after so many, no mutant is begun: what was tried by then is a sample too, since its order is drawn",
    )
    parser.add_argument(
        "--since",
        nargs="?",
        const="",
        metavar="REV",
        help="mutants of files that changed since this commit, by default origin/main or the last one but one; no page",
    )
    parser.add_argument("--file", default="", metavar="TEXT", help="files whose names hold this text; no page")
    parser.add_argument("--resume", action="store_true", help="go on with a run that was stopped")
    parser.add_argument(
        "--again",
        action="store_true",
        help="after tests were added: try what the kept results call unnoticed, unless argued, in files that stand as "
        "they were; --language and --file choose some, and --minutes ends it; the page says so",
    )
    parser.add_argument(
        "--tests",
        nargs="+",
        default=[],
        metavar="NAME",
        help="with --again: ask these tests alone, named as pytest does; what they do not notice stays as it was",
    )
    parser.add_argument("--page", action="store_true", help="only write the page of the results that are kept")
    options = parser.parse_args()
    if options.tests and not options.again:
        parser.error("--tests goes with --again: a sample is of all tests")
    if options.again and (options.resume or options.since is not None):
        parser.error("--again is of the results that are kept: give it without --resume and --since")
    return options


def partial_run(options: argparse.Namespace) -> bool:
    """Return whether files or a language are left out by what the command line names."""
    return options.since is not None or bool(options.file or options.language)


def changed(since: str) -> set[str]:
    """Name the files that differ from a commit; without one, from origin/main or else the last commit but one."""
    bases = run(ROOT, "git", "for-each-ref", "--format=%(refname)", "refs/remotes/origin/main").split()
    bases += run(ROOT, "git", "rev-list", "--max-count=2", "HEAD").split()[1:]
    if not (since or bases):
        print("mutations: the checkout has one commit alone: name another with --since", file=sys.stderr)
        return set()
    return set(run(ROOT, "git", "diff", "--name-only", since or bases[0], "--").split())


def wanted(mutants: list[Mutant], options: argparse.Namespace) -> list[Mutant]:
    """Choose the mutants that the command line names."""
    if options.since is not None:
        files = changed(options.since)
        mutants = [one for one in mutants if one.file in files]
    mutants = [one for one in mutants if options.file in one.file]
    chosen = sampled(mutants, options.sample, options.seed) if mutants else []
    Random(options.seed).shuffle(chosen)  # noqa: S311 -- a sample is no secret
    return chosen


class Journal:
    """Outcomes by language and mutant, one line each, on the disk before the next one is looked for.

    The first line is the seed and the commit; a run with another seed, or of other sources, starts anew.
    """

    def __init__(self, path: Path, head: dict[str, str], resume: bool) -> None:
        self.outcomes: dict[str, dict[str, Any]] = {}
        self._path, self._one = path, Lock()
        lines = path.read_text(encoding="utf-8").splitlines() if resume and path.exists() else []
        if lines and json.loads(lines[0]) != head:
            sys.exit("mutations: the sources or the seed are not those of the last run: start without --resume")
        self.outcomes = {self.key(line["language"], line): line for line in map(json.loads, lines[1:])}
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("".join(json.dumps(line) + "\n" for line in (head, *self.outcomes.values())), encoding="utf-8")

    @staticmethod
    def key(language: str, mutant: dict[str, Any]) -> str:
        """Name a mutant."""
        return json.dumps([language, *(mutant[name] for name in ("file", "line", "at", "kind", "variant"))])

    def add(self, language: str, mutant: Mutant, outcome: Outcome, seconds: float) -> None:
        """Keep an outcome."""
        result = {"how": outcome.how, "test": outcome.test, "seconds": round(seconds, 1)}
        line = {"language": language, **asdict(mutant), **result}
        with self._one, self._path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(line) + "\n")
            file.flush()
            os.fsync(file.fileno())
            self.outcomes[self.key(language, line)] = line


def tried(language: str, options: argparse.Namespace, journal: Journal) -> dict[str, int]:
    """Try the sample of one language; returns how many places each file has."""
    end = time.monotonic() + 60 * options.minutes
    suite: Suite = LANGUAGES[language].ready()
    mutants = suite.population()
    chosen = wanted(mutants, options)
    missing = [one for one in chosen if Journal.key(language, asdict(one)) not in journal.outcomes]
    for mutant in missing:
        start = time.monotonic()
        if start > end:
            break
        outcome = suite.judge(mutant)
        if outcome.how not in COUNTED and (said := suite.complaint(mutant)):
            outcome = Outcome(UNTYPED, said)
        seconds = time.monotonic() - start
        journal.add(language, mutant, outcome, seconds)
        print(f"{language} {outcome.how}, {seconds:.0f} s: {mutant} {outcome.test}", flush=True)
    places: dict[str, set[tuple[int, int, str]]] = {}
    for one in mutants:
        places.setdefault(one.file, set()).add((one.line, one.at, one.kind))
    return {file: len(those) for file, those in places.items()}


def main() -> None:
    """Run what the command line names."""
    options = given()
    if options.page:
        verifiers_page.write()
        return
    languages = options.language or list(LANGUAGES)
    if options.again:
        ready = {language: LANGUAGES[language].ready for language in languages}
        sys.exit(bool(again(ready, options.file, time.monotonic() + 60 * options.minutes, options.tests)))
    if options.since is not None:
        files = changed(options.since)
        languages = [language for language in languages if files & set(LANGUAGES[language].files())]
    head = {"commit": run(ROOT, "git", "rev-parse", "HEAD").strip(), "state": state(), "seed": options.seed}
    journal = Journal(FOLDER / "verifiers.jsonl", head, options.resume)
    with ThreadPoolExecutor(max(1, len(languages))) as pool:
        tries = pool.map(partial(tried, options=options, journal=journal), languages)
        places = dict(zip(languages, tries, strict=True))
    order = ("language", "file", "line", "at")
    results = sorted(journal.outcomes.values(), key=lambda one: [one[name] for name in order])
    open_ones = [one for one in results if open_still(one)]
    for one in open_ones:
        print(f"{one['how']}: {one['file']}:{one['line']} {one['kind']}: `{one['before']}` becomes `{one['after']}`")
    if not partial_run(options):
        verifiers_page.keep({**head, "places": places, "mutants": results})
        verifiers_page.write()
        sys.exit(bool(open_ones))


if __name__ == "__main__":
    main()
