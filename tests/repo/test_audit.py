"""The audit distinguishes a finding, a clean answer and an unreachable database."""

import subprocess

import pytest

from tests.support import ROOT

CLEAN = "No known vulnerabilities found"
UNREACHABLE = "Dependency not found on PyPI and could not be audited: rich (15.0.0)"
GO_UNREACHABLE = "govulncheck: fetching vulnerabilities: no such host"


def program(path, says, code):
    """Write a program that says something and exits with a code."""
    path.write_text(f"#!/bin/sh\necho '{says}'\nexit {code}\n")
    path.chmod(0o755)
    return path


def audited(folder, python, go):
    """Run the audit with stand-ins for both programs."""
    words = ["sh", "scripts/audit.sh", program(folder / "python", *python), program(folder / "go", *go)]
    return subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=False)


def test_clean_answers_pass(tmp_path):
    """Clean answers, about Python and about two Go modules, exit 0 and say so."""
    done = audited(tmp_path, (CLEAN, 0), ("No vulnerabilities found.", 0))
    assert done.returncode == 0
    assert done.stdout.count("no known vulnerability") == 3


@pytest.mark.parametrize("which", ["python", "go"])
def test_a_finding_fails_and_is_shown(tmp_path, which):
    """A finding of either program exits 1, with what the program said."""
    answers = {"python": (CLEAN, 0), "go": (CLEAN, 0), which: ("GO-2026-0001: bad", 3)}
    done = audited(tmp_path, answers["python"], answers["go"])
    assert done.returncode == 1
    assert "GO-2026-0001: bad" in done.stdout


def test_a_database_out_of_reach_is_no_clean_answer(tmp_path):
    """Without a database nothing was checked: that is said, and is neither a finding nor a pass in words."""
    done = audited(tmp_path, (UNREACHABLE, 1), (GO_UNREACHABLE, 1))
    assert done.returncode == 0
    assert done.stdout.count("NOT CHECKED") == 3
    assert "no known vulnerability" not in done.stdout
