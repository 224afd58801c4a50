"""The research imports the product and never the other way round."""

from graphlib import TopologicalSorter

import grimp

from tests.repo.test_imports import run_python

CONTRACTS = "research/pyproject.toml"
LINT = f"import sys; from importlinter.cli import lint_imports; sys.exit(lint_imports({CONTRACTS!r}, no_cache=True))"


def test_import_contracts_hold():
    """Every import contract of research/pyproject.toml is kept."""
    done = run_python(LINT)
    assert done.returncode == 0, done.stdout + done.stderr


def test_no_files_import_each_other_in_a_circle():
    """No chain of imports leads back to its file, those of the product included."""
    graph = grimp.build_graph("bench", "equiproof", "research", cache_dir=None)
    imports = {module: graph.find_modules_directly_imported_by(module) for module in graph.modules}
    TopologicalSorter(imports).prepare()  # raises CycleError, which names the files of a circle


def test_nothing_of_the_product_loads_the_research():
    """Importing the suites of the product loads no module of the research."""
    done = run_python("import sys, bench.suites; print([name for name in sys.modules if name.startswith('research')])")
    assert (done.returncode, done.stdout.splitlines()[-1]) == (0, "[]"), done.stderr
