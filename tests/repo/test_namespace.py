"""Everything installed lies in the package `equiproof`, and each module has one name."""

import ast
import importlib
import importlib.util
import json
import re
import shutil
import subprocess
import sys
import tomllib
import zipfile

import pytest

import equiproof
from scripts import shipped_tables
from tests.support import ROOT

ROOMS = ("audits", "certify", "circuits", "cli", "ffi", "prover", "register", "service", "verifier")
LINKS = ("certify", "circuits", "ffi", "prover", "verifier")
"""The top-level names that are links to rooms."""
PYTHON = ("bench", "docs", "equiproof", "examples", "research", "scripts", "tests")

TABLES = "go-gnark/verify/tables"

# Imports every module of the rooms but audits from a folder, and from nowhere else. Entrances of processes, builders
# and steps of migrations run when they are imported: they are left out too.
EVERY = """
import importlib, pathlib, sys
root = pathlib.Path(sys.argv[1])
sys.path.insert(0, str(root))
for path in sorted(root.glob("equiproof/**/*.py")):
    parts = path.relative_to(root).with_suffix("").parts
    if not {"__main__", "_build", "audits", "migrations"} & {*parts}:
        name = ".".join(parts).removesuffix(".__init__")
        loaded = importlib.import_module(name)
        assert loaded.__file__ == str(path), loaded.__file__
        print(name)
print("loaded", *(name for name in sys.modules if name.startswith("equiproof.audits")))
"""

# With no package of others in sight: what a fresh environment has right after the wheel alone is unpacked into it.
EMPTY = """
import sys
sys.path[:] = [path for path in sys.path if "site-packages" not in path and "dist-packages" not in path]
sys.path.insert(0, sys.argv[1])
import equiproof
print(equiproof.__file__)
print(" ".join(name for name in dir(equiproof) if not name.startswith("_")))
"""


def sources():
    """Yield every Python file of the project."""
    for folder in PYTHON:
        yield from sorted((ROOT / folder).rglob("*.py"))


def imported(tree):
    """Yield the absolute module names that a syntax tree imports, wherever they stand."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.level == 0 and node.module:
            yield node.module


def test_rooms_are_folders_of_the_package():
    """Each room is a real folder inside the package, and the list of them is complete."""
    rooms = {path.parent for path in (ROOT / "equiproof").glob("*/__init__.py")}
    assert {path.name for path in rooms} == set(ROOMS)
    assert not [path for path in (ROOT / "equiproof").rglob("*") if path.is_symlink()]


def test_the_top_level_names_are_links_to_rooms():
    """git has the five names as links to their rooms, and no other link; an unpacked source archive has none."""
    command = ["git", "ls-files", "-s", "-z"]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    if listed.returncode != 0 or not (ROOT / ".git").exists():
        pytest.skip("not a git checkout")
    links = {line.partition("\t")[2] for line in listed.stdout.split("\0") if line.startswith("120000")}
    assert links == set(LINKS)
    for name in LINKS:
        path = ROOT / name
        target = path.readlink().as_posix() if path.is_symlink() else path.read_text(encoding="utf-8")
        assert target == f"equiproof/{name}"


def test_the_links_are_left_out_of_searches_and_types():
    """What would follow links is configured not to: the language server, and in a checkout the search of an editor."""
    tool = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]
    assert set(LINKS) <= set(tool["pyright"]["exclude"])
    if (ROOT / ".git").exists():
        settings = ROOT / ".vscode" / "settings.json"
        assert json.loads(settings.read_text(encoding="utf-8"))["search.followSymlinks"] is False


@pytest.fixture(scope="module")
def imported_copy(tmp_path_factory):
    """A fresh interpreter that imported every room but audits, from a copy as a clone without links has it."""
    if importlib.util.find_spec("torch") is None:
        pytest.skip("no torch: `make dev` leaves it out, and some modules train with it")
    folder = tmp_path_factory.mktemp("copy")
    # What is compiled already is copied as well, as old as its source, but for files that another worker is writing.
    shutil.copytree(ROOT / "equiproof", folder / "equiproof", ignore=shutil.ignore_patterns("*.pyc.*"))
    shutil.copytree(ROOT / TABLES, folder / TABLES)
    for name in LINKS:
        (folder / name).write_text(f"equiproof/{name}", encoding="utf-8")
    program = [sys.executable, "-B", "-P", "-c", EVERY, str(folder)]
    done = subprocess.run(program, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_a_copy_whose_links_are_text_is_imported(imported_copy):
    """A clone without the right to make links has text files there: every module behind them is found all the same."""
    names = imported_copy.splitlines()[:-1]
    assert {f"equiproof.{room}" for room in ROOMS if room != "audits"} <= set(names)
    assert len(names) > 400


def test_importing_every_other_room_loads_no_audit(imported_copy):
    """All modules of all other rooms load in a fresh interpreter, the command line's too, and bring no audit."""
    assert imported_copy.splitlines()[-1] == "loaded"


NAMES = rf"(?:{'|'.join(ROOMS)})\b"
LIKELY = re.compile(rf"\bfrom\s+{NAMES}|\bimport\b[^\n]*(?<![.\w]){NAMES}")
"""What a file has that imports a room by its bare name, and many a file that does not: those are not parsed."""


def test_no_module_is_imported_by_a_bare_name():
    """No file imports a room without the package: a module loaded under two names is two modules."""
    texts = {path: path.read_text(encoding="utf-8").replace("\\\n", " ") for path in sources()}
    bare = [
        f"{path.relative_to(ROOT)}: {name}"
        for path, text in texts.items()
        if LIKELY.search(text)
        for name in imported(ast.parse(text))
        if name.partition(".")[0] in ROOMS
    ]
    assert not bare


@pytest.mark.parametrize(
    "text",
    ["import certify", "import os, ffi.backend", "from verifier import verify", "if x:\n    import os; import prover"],
)
def test_a_bare_name_is_found(text):
    """Files that import one are among those that are parsed, and the name is read."""
    assert LIKELY.search(text)
    assert any(name.partition(".")[0] in ROOMS for name in imported(ast.parse(text)))


def test_no_module_of_a_room_is_loaded_under_a_bare_name():
    """What this run of the tests has loaded has one name each."""
    assert not sorted(name for name in sys.modules if name.partition(".")[0] in ROOMS)


@pytest.mark.parametrize("package", ["equiproof", "equiproof.prover"])
def test_public_names_are_found_and_listed(package):
    """Each public name is imported on use and listed for completion; another one is an AttributeError."""
    module = importlib.import_module(package)
    for name in module.__all__:
        assert getattr(module, name).__name__ == name
        assert getattr(module, name).__module__.startswith("equiproof.")
    assert set(module.__all__) <= set(dir(module))
    with pytest.raises(AttributeError, match=f"module '{package}' has no attribute 'Verifyer'"):
        _ = module.Verifyer


def test_a_public_name_is_the_name_of_its_room():
    """The package offers the very class that the room does."""
    assert equiproof.Verifier is importlib.import_module("equiproof.verifier").Verifier


def test_every_policy_is_a_public_name():
    """The policies of the verifier are all there by name."""
    policy = importlib.import_module("equiproof.verifier.policy")
    policies = {name for name, kind in vars(policy).items() if isinstance(kind, type) and hasattr(kind, "check")}
    assert policies - {"Policy"} <= set(equiproof.__all__)


def test_the_package_alone_is_shipped_and_judged():
    """Packages, types and import contracts are those of one package, and of the benchmarks, which are in no wheel."""
    tool = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]
    assert tool["setuptools"]["packages"]["find"]["include"] == ["equiproof", "equiproof.*"]
    assert tool["mypy"]["packages"] == tool["importlinter"]["root_packages"] == ["bench", "equiproof"]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    """A wheel of this checkout, made in a copy: a build leaves files behind that the next one would pack."""
    folder = tmp_path_factory.mktemp("wheel")
    for name in ("LICENSE", "README.md", "pyproject.toml"):
        shutil.copy(ROOT / name, folder)
    shutil.copytree(ROOT / "equiproof", folder / "equiproof", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copytree(ROOT / TABLES, folder / TABLES)
    (folder / "scripts").mkdir()
    shutil.copy(ROOT / "scripts" / "shipped_tables.py", folder / "scripts")
    build = "from setuptools.build_meta import build_wheel; print(build_wheel('.'))"
    done = subprocess.run([sys.executable, "-c", build], cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return folder / done.stdout.splitlines()[-1]


def test_the_wheel_holds_one_package(wheel):
    """The wheel installs `equiproof` and nothing beside it, with every module of every room."""
    names = zipfile.ZipFile(wheel).namelist()
    assert {name.partition("/")[0] for name in names if ".dist-info/" not in name} == {"equiproof"}
    for room in ROOMS:
        modules = {path.relative_to(ROOT).as_posix() for path in (ROOT / "equiproof" / room).rglob("*.py")}
        assert modules <= set(names)
    data = {"equiproof/py.typed", *(f"equiproof/circuits/tables/{name}" for name in shipped_tables.NAMES)}
    data |= {"equiproof/register/lot/page.css"}
    pages = (ROOT / "equiproof" / "service" / "console" / "templates").glob("*.html")
    data |= {"equiproof/service/console/style.css", *(path.relative_to(ROOT).as_posix() for path in pages)}
    data |= {"equiproof/verifier/bundle_readme.txt", "equiproof/verifier/letter.css"}
    assert data <= set(names)


def test_the_package_is_imported_from_the_wheel_in_an_empty_environment(wheel, tmp_path):
    """`import equiproof` needs nothing but the wheel, and lists its public names."""
    zipfile.ZipFile(wheel).extractall(tmp_path / "site")
    program = [sys.executable, "-I", "-S", "-c", EMPTY, str(tmp_path / "site")]
    done = subprocess.run(program, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    where, names = done.stdout.splitlines()
    assert where.startswith(str(tmp_path))
    assert set(equiproof.__all__) <= set(names.split())
