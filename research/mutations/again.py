"""After tests are added: mutants that the kept results call unnoticed are tried once more.

Only in files that stand as in the commit of the results, so that each is the mutant that was drawn; types were asked
then, and say the same. Its row is marked with the commit whose tests tried it. Results and page are written after each:
a run that is stopped loses nothing. Where some tests alone are asked, what they do not notice stays as it was.
"""

from __future__ import annotations

import json
import time
from concurrent.futures import ThreadPoolExecutor
from threading import Lock
from typing import TYPE_CHECKING, Any

from research.mutations import verifiers_page
from research.mutations.build import ROOT, run
from research.mutations.trial import COUNTED

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from research.mutations.trial import Outcome, Suite

NAMED = ("file", "line", "at", "kind", "variant", "before", "after")
"""What tells a mutant from all others of a source that stands as it was."""


def open_still(one: dict[str, Any]) -> bool:
    """Return whether a result is of a mutant that is neither noticed nor argued."""
    return one["how"] not in COUNTED and verifiers_page.key(one) not in verifiers_page.argued()


def unchanged(rows: list[dict[str, Any]], commit: str) -> list[dict[str, Any]]:
    """Return the results of files that stand as in a commit."""
    files = sorted({one["file"] for one in rows})
    changed = set(run(ROOT, "git", "diff", "--name-only", commit, "--", *files).split()) if files else set()
    return [one for one in rows if one["file"] not in changed]


def tried_again(
    suite: Suite, rows: list[dict[str, Any]], end: float, keep: Callable[[dict[str, Any], Outcome], None]
) -> None:
    """Try the mutants of some results; none is begun after `end`, a time of the monotonic clock."""
    mutants = {tuple(getattr(one, name) for name in NAMED): one for one in suite.population()}
    for one in rows:
        mutant = mutants.get(tuple(one[name] for name in NAMED))
        if mutant is not None and time.monotonic() <= end:
            keep(one, suite.judge(mutant))


def again(
    ready: Mapping[str, Callable[[Sequence[str]], Suite]], file: str, end: float, tests: Sequence[str]
) -> list[dict[str, Any]]:
    """Try again what is open of some languages, in files whose names hold a text; returns what is open still.

    `tests` are those that are asked, as pytest names them; none are all.
    """
    results: dict[str, Any] = json.loads(verifiers_page.RESULTS.read_text(encoding="utf-8"))
    commit, one_at_a_time = run(ROOT, "git", "rev-parse", "HEAD").strip(), Lock()

    def keep(one: dict[str, Any], outcome: Outcome) -> None:
        print(f"{outcome.how}: {one['file']}:{one['line']} `{one['before']}` {outcome.test}", flush=True)
        if tests and outcome.how not in COUNTED:
            return
        with one_at_a_time:
            one.update(how=outcome.how, again=commit)
            verifiers_page.keep(results)
            verifiers_page.write()

    def one_language(language: str) -> None:
        own = [one for one in results["mutants"] if one["language"] == language and file in one["file"]]
        rows = unchanged([one for one in own if open_still(one)], results["commit"])
        if rows:
            tried_again(ready[language](tests), rows, end, keep)

    with ThreadPoolExecutor(max(1, len(ready))) as pool:
        list(pool.map(one_language, ready))
    return [one for one in results["mutants"] if open_still(one)]
