"""The report of growth finds what is long and what grew, in every language, and never fails."""

import subprocess
import sys

from scripts import growth
from tests.support import ROOT

GO = """package one

func (a *Arith) Long(x int) int {
\treturn x
}

func short() int { return 1 }

type T struct {
}
"""

TYPESCRIPT = """export function first(x: number): number {
  return x;
}

async function second() {
}
"""


def test_functions_of_every_language_are_measured():
    """Name, first line and length are those of the source; one-liners and types are no functions to measure."""
    python = "class A:\n    def one(self):\n        def two():\n            pass\n        return two\n"
    assert sorted(growth.python_functions(python), key=lambda one: one.line) == [
        growth.Function(2, "one", 4),
        growth.Function(3, "two", 2),
    ]
    assert list(growth.braced_functions(GO)) == [growth.Function(3, "Long", 3)]
    assert list(growth.braced_functions(TYPESCRIPT)) == [
        growth.Function(1, "first", 3),
        growth.Function(5, "second", 2),
    ]


def test_every_language_has_sources():
    """The patterns reach the packages, both Go modules and the TypeScript; tests and generated files are left out."""
    paths = {name: set(growth.sources(language)) for name, language in growth.LANGUAGES.items()}
    assert "equiproof/circuits/spec.py" in paths["Python"]
    assert {"go-gnark/gadget/bounded/bounded.go", "go-log/internal/command/command.go"} <= paths["Go"]
    assert "web/verifier/src/verify.ts" in paths["TypeScript"]
    assert not [name for name in paths["Go"] if name.endswith("_test.go")]


def test_what_is_long_is_listed_first(monkeypatch):
    """The longest rows stand first; the head counts all of them."""
    rows = [(length, f"file {length}") for length in range(1, growth.SHOWN + 3)]
    head, *shown = growth.listed("files", rows)
    assert head == f"files: {len(rows)}"
    assert len(shown) == growth.SHOWN
    assert shown[0].split() == [str(len(rows)), "file", str(len(rows))]
    monkeypatch.setitem(growth.LANGUAGES, "Python", growth.Language(("equiproof/*.py",), 1, 1, growth.python_functions))
    assert any(line.startswith("Python functions above 1 lines: ") for line in growth.report("HEAD"))


def test_growth_is_that_of_the_working_tree(tmp_path, monkeypatch):
    """Lines added less lines removed, under the new name of a renamed file; an unknown revision shows no growth."""
    monkeypatch.setattr(growth, "ROOT", tmp_path)
    git = ["git", "-c", "user.name=one", "-c", "user.email=one@lender.example", "-C", str(tmp_path)]
    old = tmp_path / "old.py"
    old.write_text("".join(f"line_{number} = 1\n" for number in range(30)))
    for words in (["init", "-q"], ["add", "-A"], ["commit", "-qm", "one"], ["mv", "old.py", "new.py"]):
        subprocess.run([*git, *words], check=True)
    (tmp_path / "new.py").write_text((tmp_path / "new.py").read_text() + "a = 1\nb = 2\n")
    assert growth.added("HEAD") == {"new.py": 2}
    assert growth.added("no-such-revision") == {}


def test_the_report_never_fails():
    """`make lint` ends with it: the report judges nothing, and least of all an unknown revision."""
    program = [sys.executable, "-m", "scripts.growth", "--since", "no-such-revision"]
    done = subprocess.run(program, cwd=ROOT, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("growth (a report, no limit):\n")
