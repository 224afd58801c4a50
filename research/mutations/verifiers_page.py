"""The page that publishes what the tests of the verifiers are worth, and the results that it is made from."""

from __future__ import annotations

import json
import tomllib
from collections import Counter
from pathlib import Path
from textwrap import fill
from typing import TYPE_CHECKING, Any

from research.mutations.sample import score, wilson
from research.mutations.trial import COUNTED, HOWS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

HERE = Path(__file__).resolve().parent
RESULTS = HERE / "verifiers.json"
PAGE = HERE / "verifiers.md"
SURVIVORS = HERE / "verifiers.toml"
NAMES = {"python": "Python", "typescript": "TypeScript"}

_TOP = """\
# Changes of the verifiers that tests must notice

`python -m research.mutations.verifiers` writes this page; [mutations.md](mutations.md) is about the circuits. A mutant
is a verifier with one small change; a test must fail. Mutated are `equiproof/verifier`, five files of
`equiproof/circuits` and `web/verifier/src`.

A place is where one kind of change can be made. Places are drawn by file, in proportion, and one change of each is
tried, in an order that is drawn too: where a run ends early, what it tried is still a sample. What is drawn depends on
the seed `{seed}` alone. The sources are those of commit `{commit}`.

- **Python.** The changes are mutmut's and three more: a statement that only calls something or raises is left out; the
  condition of an `if` is turned, and so is that of a comprehension. The tests are those of `tests/verifier` and
  `tests/circuits` that are quick, need no public data, and run the changed lines, by themselves or in a fixture, until
  forty seconds of processor time are over. They are collected once; each mutant is tried in a process forked from
  there, in which its functions are changed. A mutant of what runs on import is tried in a copy, in a process of its
  own, with the tests of all definitions too, and so is one that survives and whose lines ran while tests were
  collected. What runs only in a process that a test starts is not seen.
- **TypeScript.** The changes are StrykerJS's, all in one copy, each behind a switch. The tests are those of `tests/web`
  that run the place, in processes forked as above. Tests that fail with no mutant switched on judge how sources are
  written or built: they do not count.

Types, docstrings, sentences and imports are not changed: sentences are judged by [mutants of the tables](tables.md). A
test that reads the text of a source judges how that is written: it does not count.

A mutant is noticed where a test fails, or where nothing loads. What no test notices is given to the type
checker, which is part of every judgement: `make web` builds with tsc, and `make lint` runs mypy. Where types do not
fit, it is noticed as well; what both say of unused code does not count. One that only runs out of time, or that no test
runs, is not. After tests are added, what was not noticed is tried once more, in files that have not changed since:
`make mutations-verifiers AGAIN=1`. With `TESTS=...` these tests alone are asked: what they do not notice stays as it
was. Scores are shares of those tried that are noticed, with Wilson's interval of 95 %.
"""


def key(one: dict[str, Any]) -> tuple[str, ...]:
    """Name a mutant by what stands there, so that lines may move."""
    return one["file"], one["kind"], one["before"], one["after"]


def arguments() -> list[dict[str, Any]]:
    """Read the arguments, research/mutations/verifiers.toml: a reason, and the mutants that may survive by it."""
    if not SURVIVORS.exists():
        return []
    entries: list[dict[str, Any]] = tomllib.loads(SURVIVORS.read_text(encoding="utf-8")).get("survivor", [])
    return entries


def argued() -> set[tuple[str, ...]]:
    """Return the keys of mutants that may survive."""
    return {(one["file"], *mutant) for one in arguments() for mutant in one["mutants"]}


def keep(results: dict[str, Any]) -> None:
    """Keep results; of a mutant that is noticed only what is counted, and which commit tried it again."""
    counted = ("language", "file", "line", "at", "kind", "variant", "how", "again")
    named = [(one, counted if one["how"] in COUNTED else (*counted, "before", "after")) for one in results["mutants"]]
    mutants = [{name: one[name] for name in names if name in one} for one, names in named]
    rows = ",\n".join(json.dumps(one, ensure_ascii=False) for one in mutants)
    head = json.dumps({name: value for name, value in results.items() if name != "mutants"}, ensure_ascii=False)
    RESULTS.write_text(f'{head[:-1]}, "mutants": [\n{rows}\n]}}\n', encoding="utf-8")


def _table(
    title: str, mutants: list[dict[str, Any]], of: Callable[[dict[str, Any]], str], places: dict[str, int] | None
) -> str:
    """Write a table: a row for each file or kind, and one for all."""
    rows: dict[str, list[dict[str, Any]]] = {}
    for one in mutants:
        rows.setdefault(of(one), []).append(one)
    heads = [title, *(["places"] if places else []), "tried", *HOWS, "score"]
    lines = ["| " + " | ".join(heads) + " |", "|---|" + "---:|" * (len(heads) - 1)]
    for name, some in [*sorted(rows.items()), ("all", mutants)]:
        count = Counter(one["how"] for one in some)
        size = [] if not places else [sum(places.values()) if name == "all" else places[name]]
        cells = [*size, len(some), *(count[how] for how in HOWS), score([one["how"] in COUNTED for one in some])]
        label = f"`{name}`" if places and name != "all" else name
        lines.append(f"| {label} | " + " | ".join(map(str, cells)) + " |")
    return "\n".join(lines)


def _survivors(mutants: Iterable[dict[str, Any]]) -> str:
    """List what is not noticed: by its reason, then without one."""
    rest = {key(one): one for one in mutants if one["how"] not in COUNTED}
    text = ""
    for one in arguments():
        keys = [(one["file"], *mutant) for mutant in one["mutants"]]
        rows = [_row(rest.pop(name)) for name in keys if name in rest]
        if rows:
            text += f"\n{one['reason'].strip()}\n\n" + "".join(rows)
    if rest:
        text += "\nWithout an argument:\n\n" + "".join(map(_row, rest.values()))
    return text


def _row(one: dict[str, Any]) -> str:
    where = f"`{one['file']}`, line {one['line']}, {one['how']}"
    return f"- {where}: {one['kind']}, `{one['before']}` becomes `{one['after']}`\n"


def _said(mutants: list[dict[str, Any]], places: int) -> str:
    """Say what a sample says of all places: as it was tried first, since what is tried again has tests of its own."""
    first = [one["how"] in COUNTED and "again" not in one for one in mutants]
    low, high = wilson(sum(first), len(first))
    text = f"Of {places} places {len(first)} were tried; by this sample between {low:.1f} % and {high:.1f} % of all are"
    found = {one["again"][:12] for one in mutants if "again" in one and one["how"] in COUNTED}
    if not found:
        return f"{text} noticed."
    now = sum(one["how"] in COUNTED for one in mutants)
    commits = ", ".join(f"`{commit}`" for commit in sorted(found))
    said = (
        f"{text} noticed by the tests of that commit: {sum(first)} were, {100 * sum(first) / len(first):.1f} %. These"
        f" were not tried again. Of the {len(first) - sum(first)} others, tests that were added since notice"
        f" {now - sum(first)} (commits {commits}), so that it is {now} of {len(first)}, {100 * now / len(first):.1f} %."
        " The tables count these too; since tests were written for them, their scores say less of places that were not"
        " tried."
    )
    return fill(said, 120, break_on_hyphens=False)


def page(results: dict[str, Any]) -> str:
    """Return the page of results."""
    text = _TOP.format(seed=results["seed"], commit=results["commit"][:12])
    for language, places in results["places"].items():
        mutants = [one for one in results["mutants"] if one["language"] == language]
        text += f"\n## {NAMES[language]}\n\n{_said(mutants, sum(places.values()))}\n\n"
        text += _table("file", mutants, lambda one: one["file"], places) + "\n\n"
        text += _table("change", mutants, lambda one: one["kind"], None) + "\n"
        text += f"\n### What is not noticed\n{_survivors(mutants)}"
    return text


def write() -> None:
    """Write the page of the results that are kept."""
    PAGE.write_text(page(json.loads(RESULTS.read_text(encoding="utf-8"))), encoding="utf-8")
