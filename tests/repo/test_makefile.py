"""What make says before it begins something long."""

from __future__ import annotations

import os
import subprocess

import pytest

from tests.support import ROOT


def planned(*words: str) -> str:
    """Return the commands with which make would install the packages anew; none is run."""
    environment = {name: value for name, value in os.environ.items() if "TORCH_INDEX" not in name}
    command = ["make", "-n", "-W", "requirements/base.txt", ".venv/.stamps/packages", *words]
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=60, check=True)
    return done.stdout


@pytest.mark.parametrize("words", [[], ["TORCH_INDEX=https://example.org/cpu"]])
def test_the_size_of_a_download_is_told_before_it_begins(words: list[str]) -> None:
    """Before pip runs, make says how much torch brings and how to have less of it, or where it comes from instead."""
    said, _, installing = planned(*words).partition("-m pip")
    assert " install " in installing
    assert ("some 2.7 GB to fetch" in said, "TORCH_INDEX=address" in said) == ((not words,) * 2)
    assert ("torch comes from https://example.org/cpu" in said) == bool(words)
