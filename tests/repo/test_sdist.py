"""A source archive is the project: it builds the same wheel, and its tests run on its own copy of the package."""

import os
import shutil
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

from tests.repo.test_hygiene import repository_files
from tests.support import ROOT

pytestmark = pytest.mark.slow

BACKEND = "import sys, setuptools.build_meta as backend; print(getattr(backend, sys.argv[1])(sys.argv[2]))"
NOT_SHIPPED = {".gitattributes", ".gitignore", ".vscode/settings.json"}
"""Files of the checkout that speak to git or an editor alone."""

NOT_PRODUCT = ("research", "findings")
"""The folder that is no part of the product."""

TESTED = (
    "tests/repo/test_namespace.py",
    "tests/repo/test_imports.py",
    "tests/repo/test_readme.py::test_links_lead_somewhere",
    "tests/repo/test_readme.py::test_links_lead_to_a_heading",
    "tests/bench/test_headlines.py",
    "tests/circuits/test_spec.py",
    "tests/verifier/test_golden.py",
    "tests/cli/test_picture.py",
)


def run(folder: Path, *words: object, **environment: str) -> str:
    """Run a program in a folder, with the folder's own package first on Python's path; return its output.

    What the pytest that runs this test has in its environment is not the program's: one more `-v` would change what it
    prints, and as the worker of a run it would share keys with other runs.
    """
    inherited = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}
    done = subprocess.run(
        [*map(str, words)],
        cwd=folder,
        env=inherited | {"PYTHONPATH": str(folder)} | environment,
        capture_output=True,
        text=True,
        timeout=900,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    return done.stdout


def built(folder: Path, step: str, out: Path) -> Path:
    """Run a step of the build backend in a folder; return the archive that it leaves in `out`."""
    out.mkdir(exist_ok=True)
    return out / run(folder, sys.executable, "-c", BACKEND, step, out).splitlines()[-1]


@pytest.fixture(scope="module")
def checkout(tmp_path_factory) -> Path:
    """A copy of what git knows without its links: nothing that was built, and no list of an earlier build."""
    folder = tmp_path_factory.mktemp("checkout")
    for path in repository_files():
        target = folder / path.relative_to(ROOT)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(path, target)
    return folder


@pytest.fixture(scope="module")
def unpacked(checkout, tmp_path_factory) -> Path:
    """The source archive of that copy, unpacked elsewhere."""
    folder = tmp_path_factory.mktemp("unpacked")
    with tarfile.open(built(checkout, "build_sdist", folder / "dist")) as archive:
        assert not [member.name for member in archive if member.issym() or member.islnk()]
        archive.extractall(folder, filter="data")
    (found,) = (path for path in folder.iterdir() if path.name != "dist")
    return found


def files(folder: Path) -> set[str]:
    """Return the relative paths of all files below a folder; those that a build leaves are left out."""
    relative = (path.relative_to(folder) for path in folder.rglob("*") if path.is_file())
    return {
        path.as_posix()
        for path in relative
        if not {"__pycache__", "build"} & set(path.parts) and not any(part.endswith(".egg-info") for part in path.parts)
    }


def test_the_archive_holds_every_file_of_the_checkout(checkout, unpacked):
    """Nothing is missing but the research and findings about other software, and nothing is added."""
    wanted = {name for name in files(checkout) if name.partition("/")[0] not in NOT_PRODUCT} - NOT_SHIPPED
    assert files(unpacked) == wanted | {"PKG-INFO", "setup.cfg"}
    assert os.access(unpacked / ".ci" / "run", os.X_OK)


def test_the_archive_builds_the_wheel_of_the_checkout(checkout, unpacked, tmp_path):
    """Both wheels hold the same files, with the same content."""
    contents = []
    for number, folder in enumerate((checkout, unpacked)):
        with zipfile.ZipFile(built(folder, "build_wheel", tmp_path / str(number))) as wheel:
            contents.append({name: wheel.read(name) for name in wheel.namelist()})
    assert contents[0] == contents[1]
    wanted = ("cli/assets/model/network.npz", "verifier/EquiproofKeptVerifier.sol.in", "verifier/verify.py")
    assert {f"equiproof/{name}" for name in wanted} <= contents[0].keys()


def test_make_finds_everything_in_the_archive(unpacked):
    """`make build` has a rule for each of its sources there, and builds into the package."""
    plan = run(unpacked, "make", "-n", "build")
    assert "go build" in plan.replace("toolchain/go", "go")
    assert "-o ../equiproof/ffi/libequiproof.so" in plan
    assert "-m scripts.packages" in run(unpacked, "make", "-n", "wheel")


def test_the_archive_makes_its_own_packages(unpacked, tmp_path):
    """Packages are built there from the archive's own sources, as old as the archive, without what was built."""
    place = "from scripts.packages.sources import copied, moment; from pathlib import Path; "
    (unpacked / "equiproof" / "ffi" / "libequiproof.so").write_bytes(b"built")
    date = run(unpacked, sys.executable, "-c", f"{place} copied(Path({str(tmp_path / 'copy')!r})); print(moment())")
    assert int(date) == int((unpacked / "PKG-INFO").stat().st_mtime)
    assert files(tmp_path / "copy") == files(unpacked) - {"equiproof/ffi/libequiproof.so", "PKG-INFO", "setup.cfg"}
    (unpacked / "equiproof" / "ffi" / "libequiproof.so").unlink()


def test_the_tests_run_in_the_archive(unpacked):
    """Every test is found there, and some are run, on the archive's own package; what `make build` makes is copied."""
    for path in (ROOT / "equiproof" / "ffi").glob("*.so"):
        shutil.copy(path, unpacked / "equiproof" / "ffi")
    own = "import equiproof.verifier.verify as module; print(module.__file__)"
    assert Path(run(unpacked, sys.executable, "-c", own).strip()).is_relative_to(unpacked)
    collected = run(unpacked, sys.executable, "-m", "pytest", "--collect-only", "-q", "-n", "0")
    assert {line.partition("::")[0] for line in collected.splitlines() if "::" in line} == {
        path.relative_to(unpacked).as_posix() for path in (unpacked / "tests").rglob("test_*.py")
    }
    done = run(unpacked, sys.executable, "-m", "pytest", "-q", "-n", "0", *TESTED)
    assert " passed" in done.splitlines()[-1]
    assert "failed" not in done
