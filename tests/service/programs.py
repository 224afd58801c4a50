"""Programs of the system that the examples for operators are tried with."""

import shutil

from tests import node
from tests.support import ROOT


def brought(name: str) -> str:
    """Return where a program is that `make operations` brings; without it the test is skipped, and in CI it fails."""
    found = shutil.which(name) or shutil.which(name, path=ROOT / "build" / "operations")
    node.refuse_or_skip(None if found else f"no {name}", "operations")
    assert found is not None
    return found
