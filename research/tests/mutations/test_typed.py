"""Type checkers are given sources with one file changed."""

import shutil

import pytest

from research.mutations import typed
from tests.support import ROOT

PYTHON = "def least(values: list[int], known: bool = True) -> int:\n    return min(values) if known else 0\n"
TYPESCRIPT = (
    "import { one } from './other.js';\nexport const least = (value: number): number => (value < one ? one : 0);\n"
)


@pytest.fixture(scope="module")
def python(tmp_path_factory):
    """A folder with a package that mypy accepts, and how mypy is run."""
    folder = tmp_path_factory.mktemp("python")
    (folder / "equiproof").mkdir()
    (folder / "equiproof" / "__init__.py").touch()
    (folder / "equiproof" / "a.py").write_text(PYTHON)
    (folder / "equiproof" / "b.py").write_text(
        "from equiproof.a import least\n\nLEAST = least([1])  # type: ignore[arg-type]\n"
    )
    shutil.copy(ROOT / "pyproject.toml", folder)
    return folder, typed.MYPY, "equiproof/a.py", PYTHON


@pytest.fixture
def typescript(tmp_path):
    """A folder with modules that tsc accepts, and how tsc is run."""
    package = ROOT / "web" / "verifier"
    if shutil.which("node") is None or not (package / "node_modules" / "typescript").is_dir():
        pytest.skip("no node or no packages in web/verifier/node_modules")
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "a.ts").write_text(TYPESCRIPT)
    (tmp_path / "src" / "other.ts").write_text("export const one = 1;\n")
    shutil.copy(package / "tsconfig.json", tmp_path)
    (tmp_path / "node_modules").symlink_to(package / "node_modules")
    return tmp_path, typed.TSC, "src/a.ts", TYPESCRIPT


@pytest.mark.parametrize(
    ("language", "before", "after", "says"),
    [
        ("python", "min(values)", "min(None)", 'equiproof/a.py:2: error: No overload variant of "min"'),
        ("python", "list[int]", "list[str]", "equiproof/a.py:2: error: Incompatible return value type"),
        ("python", "known else", "(known) or True else", ""),
        ("python", "else 0", "else 1", ""),
        ("typescript", "one : 0", "one : ''", "src/a.ts(2,70): error TS2322: Type 'string'"),
        ("typescript", "one ? one : 0", "2 ? 1 : 0", ""),
    ],
)
def test_what_does_not_fit_is_said(request, language, before, after, says):
    """A value of another type is an error; a condition that is fixed, an ignored error or an unused import is none."""
    folder, words, file, text = request.getfixturevalue(language)
    typed.refuse_complaints(folder, words)
    found = typed.complaint_of(folder, words, file, text.replace(before, after).encode())
    assert found.startswith(says) if says else found == ""
    assert (folder / file).read_text() == text


def test_changes_of_one_second_are_told_apart(python):
    """Texts of one length that follow each other are each judged, though mypy goes by the date and the length."""
    folder, words, file, text = python
    wrong = text.replace("min(values)", "min( None )")
    for changed, fits in ((text.replace("0", "1"), True), (wrong, False), (text, True), (wrong, False)):
        assert (typed.complaint_of(folder, words, file, changed.encode()) == "") == fits


def test_sources_that_do_not_fit_end_the_program(typescript):
    """Without a mutant, and so does a checker that ends before it has looked at them."""
    folder, words, file, _ = typescript
    (folder / file).write_text("export const least: number = '';\n")
    with pytest.raises(SystemExit, match=r"types do not fit without a mutant: src/a\.ts\(1,14\): error"):
        typed.refuse_complaints(folder, words)
    with pytest.raises(SystemExit, match=r"mutations: node .* fails: error TS5023"):
        typed.complaint(folder, [*words, "--no-such-option"])
