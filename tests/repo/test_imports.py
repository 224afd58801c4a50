"""The rooms import one way, and the verifier imports without the libraries of the owner's side."""

import json
import subprocess
import sys
from pathlib import Path

import grimp
import pytest

ROOT = Path(__file__).resolve().parents[2]

# What a verifier may take from the circuits room: the meaning of a statement, none of its witnesses.
PUBLIC_CIRCUITS = ("commitment", "field", "shape", "spec", "statement", "units")

OWNER_SIDE = ("certify", "galois", "numba", "numpy", "pandas", "prover", "scipy", "sklearn", "torch")

LINT = "import sys; from importlinter.cli import lint_imports; sys.exit(lint_imports(no_cache=True))"

IMPORT_VERIFIER = """
import importlib, json, pkgutil, sys
import verifier
for module in pkgutil.walk_packages(verifier.__path__, "verifier."):
    if not module.name.endswith("__main__"):
        importlib.import_module(module.name)
print(json.dumps(sorted({name.partition(".")[0] for name in sys.modules})))
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
    """Return the imports among verifier, circuits and certify."""
    return grimp.build_graph("verifier", "circuits", "certify", cache_dir=None)


def test_verifier_takes_only_the_public_part_of_circuits(graph: grimp.ImportGraph) -> None:
    """The verifier reaches no module of circuits beyond spec, statement, shape, field, commitment and their needs."""
    roots = {f"circuits.{name}" for name in PUBLIC_CIRCUITS} & graph.modules
    allowed = {"circuits"} | roots
    for module in roots:
        allowed |= graph.find_upstream_modules(module)
    reached = graph.find_upstream_modules("verifier", as_package=True)
    assert {module for module in reached if module.startswith("circuits")} <= allowed


def test_importing_the_verifier_loads_no_library_of_the_owner() -> None:
    """All modules of the verifier load in a fresh interpreter without torch, numpy and what else proving needs."""
    done = run_python(IMPORT_VERIFIER)
    assert done.returncode == 0, done.stderr
    assert not set(json.loads(done.stdout.splitlines()[-1])) & set(OWNER_SIDE)
