"""The mutations that research/mutations/mutations.toml lists by hand: each is applied to a copy of go-gnark and built.

A copy that does not compile is a mistake in the list. The tests of the packages that it touches run first, then all.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
from dataclasses import dataclass
from pathlib import Path

from research.mutations.build import BESIDE, ROOT, SOURCES, TESTED, go
from research.mutations.suite import COUNTING

LIST = Path(__file__).with_name("mutations.toml")

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

Edit = tuple[str, str, str]


@dataclass(frozen=True)
class Mutation:
    """One constraint taken out: edits (file, text that stands there once, text instead), and why it may survive."""

    name: str
    rule: str
    edits: tuple[Edit, ...]
    argued: str


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


def command(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run go in a copy."""
    return subprocess.run([go(), *arguments], cwd=folder, capture_output=True, text=True, check=False)


def judge(mutation: Mutation) -> list[str]:
    """Apply a mutation to a fresh copy and run the tests until one fails; returns its name, or an empty one."""
    with tempfile.TemporaryDirectory() as parent:
        folder = Path(parent) / "go-gnark"
        shutil.copytree(SOURCES, folder)
        for name in BESIDE:
            shutil.copytree(ROOT / name, Path(parent) / name)
        mutate(folder, mutation)
        built = command(folder, "build", "./gadget/...", "./relation/...", "./system/...")
        if built.returncode:
            sys.exit(f"{LIST.name}: {mutation.name}: does not compile: {built.stderr.strip()[:500]}")
        touched = sorted({f"./{Path(name).parent}" for name, _, _ in mutation.edits})
        for packages in (touched, TESTED):
            tested = command(folder, "test", "-vet=off", "-skip", COUNTING.pattern, *packages)
            if tested.returncode:
                failed = re.search(r"--- FAIL: (\S+)", tested.stdout)
                return [failed[1] if failed else "a package does not run"]
    return [""]
