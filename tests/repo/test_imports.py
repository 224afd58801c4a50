"""The rooms import one way, and the verifier imports without the libraries of the owner's side."""

import ast
import json
import subprocess
import sys
from collections.abc import Iterator
from graphlib import TopologicalSorter
from pathlib import Path

import grimp
import pytest

ROOT = Path(__file__).resolve().parents[2]

# What a verifier may take from the circuits room: the meaning of a statement, none of its witnesses.
PUBLIC_CIRCUITS = (
    "allowed",
    "assignments",
    "commitment",
    "field",
    "kept",
    "link_shape",
    "policy_rows",
    "proof_systems",
    "reach",
    "shape",
    "spec",
    "statement",
    "table",
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

IMPORT_LOT = """
import sys
import equiproof.cli.main, equiproof.cli.commands.lot, equiproof.register.lot.check, equiproof.register.lot.report
print({"email.message", "html.entities", "http.client", "importlib.metadata", "rich", "ssl"} & {*sys.modules})
"""

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


def test_an_audit_by_lot_from_a_folder_loads_only_what_it_needs() -> None:
    """HTTP, TLS, what reads an installation's metadata, writes a page or draws a bar are loaded where they are used.

    A folder's check does without their memory, which its limit has no room for.
    """
    done = run_python(IMPORT_LOT)
    assert (done.stdout, done.stderr) == ("set()\n", "")


def test_no_module_of_another_room_imports_audits_on_import(graph: grimp.ImportGraph) -> None:
    """Audits are imported inside functions, when a command that needs them runs, or for a type checker alone."""
    importing = {
        importer
        for audit in graph.modules
        if audit.startswith("equiproof.audits")
        for importer in graph.find_modules_that_directly_import(audit)
        if not importer.startswith("equiproof.audits")
    }
    assert importing, "the command line imports audits"
    at_once = {module for module in importing if "equiproof.audits" in _imported_at_once(module)}
    assert not at_once


def _imported_at_once(module: str) -> str:
    """Return the imports of a module, line by line, that are made when it is imported."""
    path = (ROOT / module.replace(".", "/")).with_suffix(".py")
    path = path if path.is_file() else path.with_suffix("") / "__init__.py"
    return "\n".join(_at_once(ast.parse(path.read_text(encoding="utf-8")).body))


def _at_once(body: list[ast.stmt]) -> Iterator[str]:
    """Yield the imports of statements that run when their module is imported."""
    for node in body:
        if isinstance(node, ast.Import | ast.ImportFrom):
            yield ast.unparse(node)
        elif isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
            yield from _at_once(node.orelse)
        elif not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield from _at_once([inner for inner in ast.iter_child_nodes(node) if isinstance(inner, ast.stmt)])


def test_no_files_import_each_other_in_a_circle() -> None:
    """No chain of imports leads back to its file, imports inside functions and for type checkers included."""
    graph = grimp.build_graph("bench", "equiproof", cache_dir=None)
    imports = {module: graph.find_modules_directly_imported_by(module) for module in graph.modules}
    TopologicalSorter(imports).prepare()  # raises CycleError, which names the files of a circle
