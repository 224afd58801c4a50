"""Folders of tests are left out only where nothing that they use has changed."""

import os
import subprocess
import sys

import pytest

from scripts import unchanged
from tests.support import ROOT

TREE = {
    "tests/conftest.py": "from equiproof import base\n",
    "tests/chain/test_one.py": "import tests.shared\n",
    "tests/shared.py": "def late():\n    from equiproof.verifier import check\n",
    "tests/audits/test_two.py": 'COMMAND = ["python", "-m", "equiproof.program"]\n',
    "tests/browser/test_three.py": "from equiproof.other import named\n",
    "research/tests/suites/test_four.py": 'PLACE = "equiproof.named.late"\n',
    "equiproof/__init__.py": "",
    "equiproof/base.py": "",
    "equiproof/verifier/__init__.py": "",
    "equiproof/verifier/check.py": "from . import beside\nfrom ..ffi import backend\n",
    "equiproof/verifier/beside.py": "",
    "equiproof/verifier/texts/words.json": "{}",
    "equiproof/program/__init__.py": "",
    "equiproof/program/__main__.py": "import equiproof.program.inner",
    "equiproof/program/inner.py": "",
    "equiproof/ffi/backend.py": "",
    "equiproof/other.py": "",
    "equiproof/named/late.py": "",
    "equiproof/nobody.py": "",
    "docs/page.md": "",
}
EVERY = {*unchanged.FOLDERS}
MUTATIONS = "research/tests/mutations"
"""It reads all sources."""


@pytest.fixture
def tree(tmp_path):
    """A small checkout with tests in four of the folders."""
    for name, text in TREE.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    return tmp_path


@pytest.mark.parametrize(
    ("file", "concerned"),
    [
        ("docs/page.md", set()),
        ("equiproof/nobody.py", {MUTATIONS}),
        ("tests/cli/test_other.py", {MUTATIONS}),
        ("tests/chain/test_one.py", {MUTATIONS, "tests/chain"}),
        ("tests/chain/data.json", {MUTATIONS, "tests/chain"}),
        ("tests/shared.py", {MUTATIONS, "tests/chain"}),
        ("equiproof/verifier/check.py", {MUTATIONS, "tests/chain"}),
        ("equiproof/verifier/beside.py", {MUTATIONS, "tests/chain"}),
        ("equiproof/verifier/texts/words.json", {MUTATIONS, "tests/chain"}),
        ("equiproof/program/inner.py", {MUTATIONS, "tests/audits"}),
        ("equiproof/other.py", {MUTATIONS, "tests/browser"}),
        ("equiproof/other/named.py", {MUTATIONS, "tests/browser"}),
        ("equiproof/named/late.py", {MUTATIONS, "research/tests/suites"}),
        ("contracts/one.sol", {"tests/chain"}),
        ("go-gnark/relation/one.go", {MUTATIONS, "tests/chain"}),
        ("web/page/one.ts", {MUTATIONS, "tests/browser", "tests/chain"}),
        ("equiproof/base.py", EVERY - {"research/tests/suites"}),
        ("pyproject.toml", EVERY),
        ("tests/vectors/one.json", EVERY),
    ],
)
def test_what_a_folder_uses_concerns_it(tree, file, concerned):
    """Modules by any steps, wherever they are imported or named; data of packages; what is driven; nothing else."""
    assert EVERY - set(unchanged.unchanged(tree, [file])) == concerned


def test_changes_are_those_since_the_revision(tree):
    """Committed and not, new files and files that are gone; a revision that git does not have is refused in a line."""

    def git(*words):
        names = ["-c", "user.name=one", "-c", "user.email=one@example.org"]
        subprocess.run(["git", *names, *words], cwd=tree, check=True, capture_output=True)

    git("init", "-q")
    git("add", ".")
    git("commit", "-q", "-m", "one")
    assert unchanged.changed(tree, "HEAD") == []
    (tree / "equiproof" / "nobody.py").unlink()
    git("commit", "-q", "-a", "-m", "two")
    (tree / "equiproof" / "base.py").write_text("a = 1\n")
    (tree / "equiproof" / "ä new.py").write_text("")
    assert unchanged.changed(tree, "HEAD") == ["equiproof/base.py", "equiproof/ä new.py"]
    assert unchanged.changed(tree, "HEAD~1") == ["equiproof/base.py", "equiproof/nobody.py", "equiproof/ä new.py"]
    assert unchanged.left_main(tree) is None
    git("update-ref", "refs/remotes/origin/main", "HEAD~1")
    assert unchanged.changed(tree, unchanged.left_main(tree)) == unchanged.changed(tree, "HEAD~1")
    with pytest.raises(SystemExit, match=r"Name a revision that git has, SINCE=REV: HEAD~9 is none \("):
        unchanged.changed(tree, "HEAD~9")


def test_files_of_tests_that_changed_are_named(tree, monkeypatch, capsys):
    """They run on every day; modules and data have no turns."""
    monkeypatch.setattr(unchanged, "ROOT", tree)
    in_go = ["go-gnark/shape/shape.go", "go-gnark/shape/shape_test.go", "go-log/main_test.go"]
    files = ["tests/shared.json", "tests/chain/test_one.py"]
    monkeypatch.setattr(unchanged, "changed", lambda _root, since: [since, *in_go, *files])
    monkeypatch.setattr(sys, "argv", ["unchanged", "--since", "HEAD"])
    unchanged.main()
    said = capsys.readouterr().out.splitlines()
    assert [line for line in said if line.startswith("--whole")] == ["--whole=tests/chain/test_one.py"]
    assert "--ignore=tests/audits" in said
    assert "--ignore=tests/chain" not in said
    monkeypatch.setattr(sys, "argv", ["unchanged", "--since", "HEAD", "--go"])
    unchanged.main()
    assert capsys.readouterr().out.split() == in_go[1:]


def test_the_table_names_what_is_there():
    """A folder that was renamed would never be left out, and a source would never be looked at."""
    research = (ROOT / "research").is_dir()
    places = {*unchanged.ALWAYS, unchanged.NATIVE[0], *unchanged.NATIVE[1], *unchanged.FOLDERS}
    places |= {place for of in unchanged.FOLDERS.values() for place in of}
    missing = {place for place in places if not (ROOT / place).exists()}
    assert {place for place in missing if research or not place.startswith("research")} == set()


LOADED = """
import sys, pytest
assert pytest.main(["--collect-only", "-q", "-p", "no:cacheprovider", sys.argv[1]]) == 0
print("loaded", *sorted({f for f in (getattr(m, "__file__", None) for m in sys.modules.values()) if f}), sep="\\n")
"""


def test_no_module_is_loaded_that_was_not_seen():
    """What the collection of a folder loads from this checkout is among what its files are said to use."""
    done = subprocess.run(
        [sys.executable, "-c", LOADED, "tests/chain"],
        cwd=ROOT,
        env=os.environ | {"PYTHONPATH": str(ROOT), "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"},
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
    )
    files = done.stdout.partition("\nloaded\n")[2].splitlines()
    here = {file[len(f"{ROOT}/") :] for file in files if file.startswith(f"{ROOT}/") and ".venv" not in file}
    used = unchanged.Sources(ROOT).used("tests/chain")
    assert len(here) > 50
    assert {file for file in here if file.endswith(".py")} - used == set()
