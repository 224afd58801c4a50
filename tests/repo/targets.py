"""What a target of the Makefile comes after."""

import re

from tests.support import ROOT

RUN_TESTS = ("test", "test-slow", "test-python", "test-all", "test-release")
"""The targets that run tests of every room."""


def needs(target: str) -> set[str]:
    """Return the targets that a documented one needs, by any number of steps."""
    match = re.search(rf"^{target}: ([a-z -]+) ##", (ROOT / "Makefile").read_text(), re.MULTILINE)
    named = match[1].split() if match else []
    return set(named).union(*map(needs, named))
