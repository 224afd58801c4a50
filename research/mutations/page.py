"""The pages that publish the score: mutations.md, and one each for argued survivors and for the list by hand."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

from research.mutations.judge import HOWS, NOTHING, SAME
from research.mutations.survivors import arguments

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from research.mutations.build import Mutant
    from research.mutations.listed import Mutation

HERE = Path(__file__).resolve().parent
PAGE = HERE / "mutations.md"
ARGUED = HERE / "mutations-argued.md"
LISTED = HERE / "mutations-listed.md"
# Files that changed after they were last tried; a trial of one, `--file NAME`, ends with its name taken out of here.
WAITING: frozenset[str] = frozenset(
    {
        "gadget/additive/sets.go",
        "gadget/commitment/commitment.go",
        "gadget/kept/scores.go",
        "gadget/kept/words.go",
        "gadget/table/table.go",
        "gadget/trees/nodes.go",
        "gadget/trees/visited.go",
        "relation/additive.go",
        "relation/additive_layout.go",
        "relation/branch.go",
        "relation/branch_layout.go",
        "relation/claims.go",
        "relation/keeper.go",
        "relation/layout.go",
        "relation/link.go",
        "relation/table.go",
        "relation/traversal.go",
        "relation/trees.go",
        "relation/trees_layout.go",
        "relation/visited.go",
        "subcircuit/document.go",
    }
)
ROW = re.compile(r"^\| `([\w/.]+)` \| (\d+) \| (\d+) " + r"\| (\d+) " * len(HOWS) + r"\|$", re.MULTILINE)

_TOP = """\
# Changes of the circuit that the tests must notice

`make mutations` writes this page, [the argued survivors](mutations-argued.md) and
[the list by hand](mutations-listed.md). A mutant is the circuit with one small change; the Go tests must notice it.

**Generated.** `research/mutants` finds every place of `gadget`, `relation` and `subcircuit` where one of these changes
keeps the types right:

- a statement that asserts, or that adds to what is asserted, is deleted;
- a range check is dropped, and its wire keeps its bounds;
- an index becomes its neighbor;
- an operand of a constraint becomes 0, a list its neighbors, anything else the next argument of its type;
- a width is off by one, in both directions; a loop leaves its last pass out;
- a condition always or never holds; of a conjunction or disjunction only one half counts.

Functions that write no constraints are left out: names for errors, the record of constraints by part, hints. All
mutants are in one copy of the sources behind a switch, so that each package's tests are built once. By their
documentation, Gremlins, go-mutesting and Ooze build and run the tests anew for each mutant, and change expressions and
statements of Go without knowing wires and their bounds. Slow tests are run by their parts, those that reach the mutant.
Tests that only count constraints, or only judge the structure of random shapes, are not run. A mutant is noticed in one
of these ways, of which the first counts:

- *false passes*: it accepts a witness that the circuit refuses. This is what an attacker would use.
- *honest refused*: it refuses a witness that the circuit accepts.
- *no circuit*: it does not compile as a circuit, or crashes.
- *otherwise*: another test fails, such as one of bounds, of the layout or of what the commitment covers.

Once it is noticed in a later way, a false witness that passes is only looked for in tests that are quick. Of those that
no test notices, some are the *same circuit*: the constraint systems of 32 shapes and of all their sub-circuits are
byte for byte what they were, since only bounds, or checks while compiling, are different. What *survives* is noticed by
nothing; [each is argued](mutations-argued.md): why nothing false gets through.

Of {count} mutants in {files} files {tried} were tried: {killed} are noticed, {same} are the same circuit, and {survive}
survive. {waiting}By hand, {listed} subtler changes are listed in `mutations.toml` beside this page, of which
{found} are noticed.

| file | mutants | tried | {hows} |
|---|---|---|{lines}|
"""

_ARGUED = """\
# Mutants that survive, and why

`make mutations` writes this page from `survivors.toml` beside it; [mutations.md](mutations.md) says what a mutant is.
No Go test notices these changes. For each group the reason says why no false statement gets a proof by it. Rule ids are
defined in [relation.md](../../docs/relation.md) and [relation-branch.md](../../docs/relation-branch.md).
"""

_LISTED = """\
# Changes of the circuit that are listed by hand

`make mutations` writes this page from `mutations.toml` beside it: each line removes or weakens a constraint in a way
that [generated mutants](mutations.md) do not. The last column names the first test that fails. Rule ids are defined in
[relation.md](../../docs/relation.md), [relation-branch.md](../../docs/relation-branch.md) and
[relation-kept.md](../../docs/relation-kept.md).

| rule | mutation | first test that fails |
|---|---|---|"""


def rows() -> dict[str, list[int]]:
    """Read the table of the page as it is: for each file its mutants, those tried, and then how they are noticed."""
    found = ROW.findall(PAGE.read_text(encoding="utf-8"))
    return {name: list(map(int, numbers)) for name, *numbers in found}


def whole() -> set[str]:
    """Name the files of the page of which every mutant was tried."""
    return {file for file, row in rows().items() if row[0] == row[1]}


def table(mutants: Iterable[Mutant], outcomes: Iterable[tuple[Mutant, str]]) -> dict[str, list[int]]:
    """Make the rows of the page: of files with outcomes from these, of others as the page has them."""
    counts: dict[str, Counter[str]] = {}
    for mutant, how in outcomes:
        counts.setdefault(mutant.file, Counter())[how] += 1
    fresh = {file: [count.total(), *(count[how] for how in HOWS)] for file, count in counts.items()}
    kept = {file: row[1:] for file, row in rows().items() if file not in WAITING}
    untried = [0] * (len(HOWS) + 1)
    sizes = Counter(mutant.file for mutant in mutants)
    return {file: [size, *fresh.get(file, kept.get(file, untried))] for file, size in sorted(sizes.items())}


def write(table: Mapping[str, list[int]], listed: Mapping[str, str], mutations: list[Mutation]) -> None:
    """Write the pages: rows by file, and for each mutation by hand the test that fails, or nothing."""
    totals = [sum(row[column] for row in table.values()) for column in range(len(HOWS) + 2)]
    survive, same = totals[2 + HOWS.index(NOTHING)], totals[2 + HOWS.index(SAME)]
    by_hand = {"listed": len(mutations), "found": sum(bool(test) for test in listed.values())}
    head = {"hows": " | ".join(HOWS), "lines": "|".join(["---"] * len(HOWS))}
    numbers = {"count": totals[0], "tried": totals[1], "killed": totals[1] - survive - same, "files": len(table)}
    untried = totals[0] - totals[1]
    waiting = f"The other {untried} are of files that changed and wait to be tried again. " if untried else ""
    text = _TOP.format(survive=survive, same=same, waiting=waiting, **numbers, **by_hand, **head)
    lines = [f"| `{name}` | {' | '.join(map(str, table[name]))} |" for name in table]
    lines.append(f"| all | {' | '.join(map(str, totals))} |")
    PAGE.write_text(text + "\n".join(lines) + "\n", encoding="utf-8")
    ARGUED.write_text(argued_page(), encoding="utf-8")
    LISTED.write_text(listed_page(listed, mutations), encoding="utf-8")


def argued_page() -> str:
    """Write the arguments by file."""
    lines, last = [_ARGUED], ""
    for argument in sorted(arguments(), key=lambda argument: argument.file):
        if argument.file != last:
            lines += [f"## {argument.file}", ""]
            last = argument.file
        lines += [argument.reason, ""]
        lines += [f"- {function}, in `{place}`: `{change}`" for function, place, change in argument.mutants]
        lines.append("")
    return "\n".join(lines).rstrip() + "\n"


def listed_page(listed: Mapping[str, str], mutations: list[Mutation]) -> str:
    """Write the outcomes of the list by hand."""
    lines = [_LISTED]
    for mutation in mutations:
        test = listed[mutation.name]
        lines.append(f"| {mutation.rule} | {mutation.name} | {f'`{test}`' if test else 'survives'} |")
    lines += [f"\n*{one.name}* survives: {one.argued}." for one in mutations if not listed[one.name]]
    return "\n".join(lines) + "\n"


def found_by_hand() -> dict[str, str]:
    """Read the list's page as it is: for each mutation the test that fails, or nothing."""
    found = re.findall(r"^\| R-[\w-]+ \| (.+) \| (.+) \|$", LISTED.read_text(encoding="utf-8"), re.MULTILINE)
    return {name: "" if test == "survives" else test.strip("`") for name, test in found}
