"""The tutorials are run: every block of a page in order, in one folder, and what it shows is what is printed."""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.world import command
from tests.support import ROOT

TUTORIALS = ROOT / "docs" / "tutorials"
PUBLISHED = ROOT / "tests" / "golden" / "loans"
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
EXIT = re.compile(r"  # exits with (\d+)$")


def walk(page: str) -> None:
    """Run a page in the working folder: Python, commands with their exit codes; lines shown are printed, in order.

    A block of JSON is the applicant's file.
    """
    printed = ""
    for language, text in BLOCK.findall((TUTORIALS / page).read_text(encoding="utf-8")):
        if language == "python":
            subprocess.run([sys.executable, "-c", text], check=True, capture_output=True, timeout=300)
        elif language == "json":
            Path("applicant.json").write_text(text, encoding="utf-8")
        elif language == "sh":
            printed = ""
            for line in text.splitlines():
                exits = EXIT.search(line)
                program, *words = shlex.split(line, comments=True)
                assert program == "equiproof", line
                done = command(*words)
                assert done.code == (int(exits[1]) if exits else 0), f"{line}\n{done.out}{done.err}"
                printed += done.out + done.err
        else:
            assert language == "text"
            shown = [line for line in text.splitlines() if line]
            left = iter(printed.splitlines())
            assert [line for line in shown if line not in left] == [], printed


def test_a_certificate_that_was_sent_is_verified(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The page's commands verify a published bundle, ask too much of it, and refuse one with another byte."""
    for name in ("commitment.json", "query.json"):
        shutil.copy(PUBLISHED / name, tmp_path)
    shutil.copytree(PUBLISHED / "keys", tmp_path / "keys")
    bundle = (ROOT / "tests" / "vectors" / "bundles" / "base" / "loans.equiproof").read_bytes()
    (tmp_path / "decision.equiproof").write_bytes(bundle)
    place = bundle.index(b'"label":"granted"') + len('"label":"')
    (tmp_path / "changed.equiproof").write_bytes(bundle[:place] + b"h" + bundle[place + 1 :])
    monkeypatch.chdir(tmp_path)
    walk("verify.md")


@pytest.mark.slow
def test_a_booster_lends_fairly(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The page's table, boosters, key, proof and letter are made, and the applicant verifies."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)
    walk("booster.md")
    assert (tmp_path / "letter.html").is_file()


@pytest.mark.slow
def test_an_audit_has_a_proven_figure(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The page's model is audited, one person's gain is proven, and the supervisor verifies it and asks too much."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)
    walk("audit.md")
    assert (tmp_path / "page.html").is_file()


def test_every_tutorial_is_run() -> None:
    """No page of the folder is left out above."""
    assert {path.name for path in TUTORIALS.glob("*.md")} == {"audit.md", "booster.md", "verify.md"}
