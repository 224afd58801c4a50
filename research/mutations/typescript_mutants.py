"""Mutants of the TypeScript verifier: StrykerJS puts all of them into one copy, each behind a switch."""

from __future__ import annotations

import json
import shutil
import sys
import tempfile
from dataclasses import asdict, dataclass
from difflib import SequenceMatcher
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from research.mutations.build import ROOT, run
from research.mutations.contexts import users
from research.mutations.sample import Mutant
from research.mutations.trial import PATIENCE, UNREACHED, Outcome, Served, failing, measured, ordered, outcome_of
from research.mutations.typed import FOLDER as TYPED
from research.mutations.typed import TSC, complaint_of, refuse_complaints

if TYPE_CHECKING:
    from collections.abc import Sequence

PACKAGE = "web/verifier"
TESTS = "tests/web"
LEFT_OUT = ("test_package.py",)
"""Files of tests that judge how the package is built and installed."""

SWITCH = "__STRYKER_ACTIVE_MUTANT__"
"""The variable by which StrykerJS switches a mutant on."""

HERE = Path(__file__).resolve().parent
KINDS = {
    "ArithmeticOperator": "other operator",
    "ArrayDeclaration": "list emptied",
    "ArrowFunction": "function gives nothing",
    "AssignmentOperator": "other assignment",
    "BlockStatement": "block emptied",
    "BooleanLiteral": "other truth value",
    "ConditionalExpression": "condition fixed",
    "EqualityOperator": "other comparison",
    "LogicalOperator": "other conjunction",
    "MethodExpression": "other method",
    "ObjectLiteral": "object emptied",
    "OptionalChaining": "demanded, not optional",
    "Regex": "other pattern",
    "StringLiteral": "other string",
    "UnaryOperator": "other sign",
    "UpdateOperator": "other step",
}

UNMUTATED = (".d.ts", "/fields.ts", "/reasons.ts")
"""How names end of files that hold no code, or that builds write."""


def files() -> list[str]:
    """Name the sources that are mutated."""
    paths = sorted((ROOT / PACKAGE / "src").rglob("*.ts"))
    return [path.relative_to(ROOT).as_posix() for path in paths if not path.as_posix().endswith(UNMUTATED)]


@dataclass(frozen=True)
class Suite:
    """The tests of the copy, mutants with their switches, and by test its seconds and the switches that it passes.

    Changes are by switch: the bytes of a source that are replaced, from one to before another, and by what.
    """

    folder: Path
    served: Served
    switches: dict[Mutant, str]
    seconds: dict[str, float]
    reached: dict[str, frozenset[str]]
    changes: dict[str, tuple[int, int, str]]

    def population(self) -> list[Mutant]:
        """List the mutants of the sources as they are."""
        return list(self.switches)

    def of(self, mutant: Mutant) -> list[str]:
        """Return the tests that run a mutant, in the order in which they are tried."""
        return ordered((test for test, ran in self.reached.items() if self.switches[mutant] in ran), self.seconds)

    def judge(self, mutant: Mutant) -> Outcome:
        """Run the tests with a mutant switched on."""
        tests = self.of(mutant)
        if not tests:
            return Outcome(UNREACHED)
        limit = PATIENCE + 10 * max(self.seconds[test] for test in tests)
        return self.served.outcome_of(tests, limit, {SWITCH: self.switches[mutant]})

    def complaint(self, mutant: Mutant) -> str:
        """Return the first error of types that a mutant makes, or nothing."""
        place, file = self.folder / TYPED, mutant.file.removeprefix(f"{PACKAGE}/")
        start, end, after = self.changes[self.switches[mutant]]
        text = (place / file).read_bytes()
        return complaint_of(place, TSC, file, text[:start] + after.encode() + text[end:])


def _lines(before: str, after: str) -> dict[int, int]:
    """Return for each line of a changed text the line of the text before, as near as can be."""
    nearest, last = {}, 1
    blocks = SequenceMatcher(None, before.splitlines(), after.splitlines(), autojunk=False).get_matching_blocks()
    matched = {block.b + at + 1: block.a + at + 1 for block in blocks for at in range(block.size)}
    for line in range(1, after.count("\n") + 2):
        last = matched.get(line, last)
        nearest[line] = last
    return nearest


def _mutants(listed: dict[str, Any]) -> dict[Mutant, str]:
    """Read what instrument.mjs prints; strings of more than one word, and templates, are sentences."""
    switches: dict[Mutant, str] = {}
    lines = {
        name: _lines((ROOT / PACKAGE / "src" / name).read_text(encoding="utf-8"), text)
        for name, text in listed["texts"].items()
    }
    variants: dict[tuple[str, int, int, str], int] = {}
    for one in listed["mutants"]:
        if one["kind"] == "StringLiteral" and (one["before"].startswith("`") or " " in one["before"]):
            continue
        line, kind = lines[one["file"]][one["line"]], KINDS[one["kind"]]
        place = one["file"], one["line"], one["at"], kind
        variants[place] = variants.get(place, -1) + 1
        before, after = _short(one["before"]), _short(one["after"])
        file = f"{PACKAGE}/src/{one['file']}"
        switches[Mutant(file, line, one["at"], kind, before, after, variants[place], (line, line))] = one["id"]
    return switches


def _short(text: str) -> str:
    head = " ".join(text.split())
    return head if len(head) <= 100 else head[:97] + "..."


def ready(tests: Sequence[str] = ()) -> Suite:
    """Make the copy with all mutants, and measure the tests in it: some, as pytest names them, or all."""
    tests = tests or _modules()
    folder, kept = measured("typescript", partial(_measured, tests=tests), tests)
    switches = {Mutant(**{**one, "lines": tuple(one["lines"])}): switch for one, switch in kept["switches"]}
    reached = {test: frozenset(numbers) for test, numbers in kept["reached"].items()}
    changes = {switch: (start, end, after) for switch, (start, end, after) in kept["changes"].items()}
    return Suite(folder, Served(folder, tests), switches, kept["seconds"], reached, changes)


def _modules() -> list[str]:
    """Name the files of tests."""
    paths = [path for path in sorted((ROOT / TESTS).glob("test_*.py")) if path.name not in LEFT_OUT]
    return [path.relative_to(ROOT).as_posix() for path in paths]


def _measured(folder: Path, tests: Sequence[str]) -> dict[str, Any]:
    for name, place in (("instrument.mjs", "instrument.mjs"), ("build_mutants.mjs", "build.mjs")):
        shutil.copy(HERE / name, folder / PACKAGE / place)
    listed = json.loads(run(folder / PACKAGE, "node", "instrument.mjs"))
    switches = _mutants(listed)
    _for_types(folder, listed["texts"])
    with tempfile.TemporaryDirectory() as place:
        numbers, noted = Path(place) / "reached", Path(place) / "tests.json"
        numbers.mkdir()
        environment = {
            "NODE_OPTIONS": f"--import={HERE / 'reached.mjs'}",
            "EQUIPROOF_REACHED": str(numbers),
            "EQUIPROOF_CONTEXT": str(Path(place) / "context"),
            "EQUIPROOF_TESTS": str(noted),
            # All tests share a driver: one that is slow on a busy machine must not be the end of all that follow.
            "EQUIPROOF_PATIENCE": "1200",
        }
        done = outcome_of(folder, tests, 3600, (), ("-p", "research.mutations.contexts"), environment)
        ran = json.loads(noted.read_text(encoding="utf-8"))
        pairs = [pair for one in numbers.iterdir() for pair in json.loads(one.read_text(encoding="utf-8"))]
    # A test that fails with no mutant switched on judges the sources' text, or how they are built.
    left, using = failing(done), users(ran)
    for name in sorted(left):
        print(f"mutations: left out, since it fails without a mutant: {name}", file=sys.stderr)
    reached: dict[str, set[str]] = {name: set() for name in ran["tests"] if name not in left}
    for context, ids in pairs:
        for test in using(context) & reached.keys():
            reached[test].update(ids)
    pairs_of = [(asdict(mutant), switch) for mutant, switch in switches.items()]
    changes = {one["id"]: (*one["bytes"], one["after"]) for one in listed["mutants"]}
    seconds = {name: ran["tests"][name]["clock"] for name in reached}
    kept = {test: sorted(ids) for test, ids in reached.items()}
    found = {"switches": pairs_of, "seconds": seconds, "reached": kept, "left out": sorted(left)}
    return found | {"changes": {switch: changes[switch] for switch in switches.values()}}


def _for_types(folder: Path, texts: dict[str, str]) -> None:
    """Put the sources without switches where the type checker sees them, sentences in place of their ids."""
    place = folder / TYPED
    run(folder / PACKAGE, "node", "tables.mjs")
    shutil.copytree(folder / PACKAGE / "src", place / "src")
    shutil.copy(folder / PACKAGE / "tsconfig.json", place)
    (place / "node_modules").symlink_to((folder / PACKAGE / "node_modules").resolve())
    for name, text in texts.items():
        (place / "src" / name).write_text(text, encoding="utf-8")
    refuse_complaints(place, TSC)
