"""Remove the circuit's constraints one at a time and check that a Go test fails: `make mutations`.

tests/soundness/mutations.toml lists the mutations. Each is applied to a copy of go-gnark; a copy that does not compile
is a mistake in the list. The tests of the packages that it touches run first, then all. The score and every survivor,
with the argument for it, go to docs/mutations.md. Exits 1 if a mutation without such an argument survives.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SOURCES = ROOT / "go-gnark"
LIST = ROOT / "tests" / "soundness" / "mutations.toml"
PAGE = ROOT / "docs" / "mutations.md"

UNCHECKED = """
// Unchecked gives a wire bounds that nothing proves.
func (a *Arith) Unchecked(wire frontend.Variable, bits int, signed bool) Int {
	lo, hi := new(big.Int), new(big.Int).Lsh(big.NewInt(1), uint(bits))
	if signed {
		hi.Rsh(hi, 1)
		lo.Neg(hi)
	}
	return a.make(wire, lo, hi.Sub(hi, big.NewInt(1)))
}
"""
"""Appended to the copy's package bounded, for wires that keep their bounds and lose the check."""

COUNTS = "ConstraintCounts"
"""Tests of these names count: a mutation that only changes how many constraints there are has not been noticed."""

_TOP = """\
# Constraints removed one at a time

`make mutations` writes this page. It shows that the tests protect the circuit: each line removes or weakens one
constraint in a copy of the circuit and runs the Go tests. The test that counts constraints is left out, since it would
notice every change. Of {count} mutations, {killed} make a test fail; the third column names the first one. Rule ids are
defined in [relation.md](relation.md) and [relation-branch.md](relation-branch.md).

| rule | mutation | first test that fails |
|---|---|---|"""
"""How the page begins."""

Edit = tuple[str, str, str]


@dataclass(frozen=True)
class Mutation:
    """One constraint taken out: edits (file, text that stands there once, text instead), and why it may survive."""

    name: str
    rule: str
    edits: tuple[Edit, ...]
    argued: str


@dataclass(frozen=True)
class Outcome:
    """Which Go test failed first; None for a mutation that no test notices."""

    mutation: Mutation
    killed_by: str | None


def mutations() -> list[Mutation]:
    """Read the list."""
    entries = tomllib.loads(LIST.read_text(encoding="utf-8"))["mutation"]
    return [
        Mutation(
            entry["name"],
            entry["rule"],
            tuple(tuple(edit) for edit in entry["edits"])
            if "edits" in entry
            else unchecked(entry["unchecked"].split()),
            entry.get("argued", ""),
        )
        for entry in entries
    ]


def unchecked(names: list[str]) -> tuple[Edit, ...]:
    """Return the edits after which the wires of these names keep their bounds and lose their checks."""
    cases = ", ".join(f'"{name}"' for name in names)
    loop = "\tfor _, wire := range t.wires[name] {\n"
    edits = []
    for check, call in (("a.Signed(wire, bits)", "wire, bits, true"), ("a.Bit(wire)", "wire, 1, false")):
        line = f"\t\tvalues = append(values, {check})\n"
        bare = f"values = append(values, a.Unchecked({call}))"
        switch = f"\t\tswitch name {{\n\t\tcase {cases}:\n\t\t\t{bare}\n\t\t\tcontinue\n\t\t}}\n"
        edits.append(("relation/traversal.go", loop + line, loop + switch + line))
    return tuple(edits)


def mutate(folder: Path, mutation: Mutation) -> None:
    """Apply a mutation to a copy; raises SystemExit for a text that does not stand there exactly once."""
    bounded = folder / "gadget" / "bounded" / "bounded.go"
    bounded.write_text(bounded.read_text(encoding="utf-8") + UNCHECKED, encoding="utf-8")
    for name, old, new in mutation.edits:
        path = folder / name
        text = path.read_text(encoding="utf-8")
        if text.count(old) != 1:
            sys.exit(f"{LIST.name}: {mutation.name}: {name} holds {old[:60]!r} {text.count(old)} times, want once")
        path.write_text(text.replace(old, new), encoding="utf-8")


def go(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run go in a copy."""
    program = os.environ.get("GO", "go")
    return subprocess.run([program, *arguments], cwd=folder, capture_output=True, text=True, check=False)


def judge(mutation: Mutation) -> Outcome:
    """Apply a mutation to a fresh copy and run the tests until one fails."""
    with tempfile.TemporaryDirectory() as parent:
        folder = Path(parent) / "go-gnark"
        shutil.copytree(SOURCES, folder)
        shutil.copytree(
            ROOT / "equiproof" / "ffi", Path(parent) / "equiproof" / "ffi", ignore=shutil.ignore_patterns("*.so", "*.o")
        )
        shutil.copytree(ROOT / "tests" / "vectors", Path(parent) / "tests" / "vectors")
        mutate(folder, mutation)
        built = go(folder, "build", "./gadget/...", "./relation/...", "./system/...")
        if built.returncode:
            sys.exit(f"{LIST.name}: {mutation.name}: does not compile: {built.stderr.strip()[:500]}")
        touched = sorted({f"./{Path(name).parent}" for name, _, _ in mutation.edits})
        for packages in (touched, ["./..."]):
            tested = go(folder, "test", "-vet=off", "-skip", COUNTS, *packages)
            if tested.returncode:
                failed = re.search(r"--- FAIL: (\S+)", tested.stdout)
                return Outcome(mutation, failed[1] if failed else "a package does not run")
    return Outcome(mutation, None)


def page(outcomes: list[Outcome]) -> str:
    """Write the outcomes as a page of the documentation."""
    killed = sum(outcome.killed_by is not None for outcome in outcomes)
    lines = [_TOP.format(count=len(outcomes), killed=killed)]
    for outcome in outcomes:
        test = f"`{outcome.killed_by}`" if outcome.killed_by else "survives"
        lines.append(f"| {outcome.mutation.rule} | {outcome.mutation.name} | {test} |")
    survivors = [outcome for outcome in outcomes if outcome.killed_by is None]
    lines += ["", "## Survivors", "", *([] if survivors else ["None."])]
    for outcome in survivors:
        lines.append(f"- *{outcome.mutation.name}*: {outcome.mutation.argued or 'NO ARGUMENT'}.")
    return "\n".join(lines) + "\n"


def main() -> None:
    """Run the mutations."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="", help="mutations whose name holds this text; writes no page")
    given = parser.parse_args()
    chosen = [mutation for mutation in mutations() if given.only in mutation.name]
    outcomes = []
    for number, mutation in enumerate(chosen, start=1):
        outcomes.append(judge(mutation))
        verdict = outcomes[-1].killed_by or "SURVIVES"
        print(f"{number:>3}/{len(chosen)} {mutation.rule:<13} {mutation.name}: {verdict}", flush=True)
    if not given.only:
        PAGE.write_text(page(outcomes), encoding="utf-8")
    sys.exit(any(outcome.killed_by is None and not outcome.mutation.argued for outcome in outcomes))


if __name__ == "__main__":
    main()
