"""The static binary says in German what `equiproof verify` says, to the byte: tests/golden/german.json."""

import pytest

from tests.cli.test_german import CASES, forged, lines, listed
from tests.static.build import said
from tests.support import ROOT


@pytest.mark.parametrize("name", [*CASES, "a forged proof"])
def test_what_is_said(program, name, tmp_path):
    """The same lines and the same exit code."""
    words = CASES[name] if name in CASES else forged(tmp_path)
    words = [word for word in words if word != "verify"]
    found = said(program, *words, "--language", "de", folder=ROOT if name in CASES else tmp_path)
    assert lines(*found) == listed()[name]
