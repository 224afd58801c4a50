"""The rooms import one way, and the verifier imports without the libraries of the owner's side."""

import json
import subprocess
import sys
from graphlib import TopologicalSorter
from pathlib import Path

import grimp
import pytest

ROOT = Path(__file__).resolve().parents[2]

# What a verifier may take from the circuits room: the meaning of a statement, none of its witnesses.
PUBLIC_CIRCUITS = (
    "assignments",
    "commitment",
    "field",
    "proof_systems",
    "reach",
    "shape",
    "spec",
    "statement",
    "units",
    "workers",
)

OWNER_SIDE = (
    "equiproof.certify",
    "equiproof.prover",
    "galois",
    "numba",
    "numpy",
    "pandas",
    "scipy",
    "sklearn",
    "torch",
)

LINT = "import sys; from importlinter.cli import lint_imports; sys.exit(lint_imports(no_cache=True))"

IMPORT_VERIFIER = """
import importlib, json, pkgutil, sys
import equiproof.verifier
for module in pkgutil.walk_packages(equiproof.verifier.__path__, "equiproof.verifier."):
    if not module.name.endswith("__main__"):
        importlib.import_module(module.name)
print(json.dumps(sorted({name.partition(".")[0] for name in sys.modules} | {*sys.modules})))
"""


def run_python(code: str) -> subprocess.CompletedProcess[str]:
    """Run code in a fresh interpreter that sees the rooms of this checkout."""
    return subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False)


def test_import_contracts_hold() -> None:
    """Every import contract of pyproject.toml is kept."""
    done = run_python(LINT)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.fixture(scope="module")
def graph() -> grimp.ImportGraph:
    """Return the imports of the package."""
    return grimp.build_graph("equiproof", cache_dir=None)


def test_verifier_takes_only_the_public_part_of_circuits(graph: grimp.ImportGraph) -> None:
    """The verifier reaches no module of circuits beyond spec, statement, shape, field, commitment and their needs."""
    roots = {f"equiproof.circuits.{name}" for name in PUBLIC_CIRCUITS} & graph.modules
    allowed = {"equiproof.circuits"} | roots
    for module in roots:
        allowed |= graph.find_upstream_modules(module)
    reached = graph.find_upstream_modules("equiproof.verifier", as_package=True)
    assert {module for module in reached if module.startswith("equiproof.circuits")} <= allowed


def test_importing_the_verifier_loads_no_library_of_the_owner() -> None:
    """All modules of the verifier load in a fresh interpreter without torch, numpy and what else proving needs."""
    done = run_python(IMPORT_VERIFIER)
    assert done.returncode == 0, done.stderr
    assert not set(json.loads(done.stdout.splitlines()[-1])) & set(OWNER_SIDE)


def test_no_files_import_each_other_in_a_circle() -> None:
    """No chain of imports leads back to its file, imports inside functions and for type checkers included."""
    graph = grimp.build_graph("bench", "equiproof", cache_dir=None)
    imports = {module: graph.find_modules_directly_imported_by(module) for module in graph.modules}
    TopologicalSorter(imports).prepare()  # raises CycleError, which names the files of a circle
