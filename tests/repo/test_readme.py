"""The README is run: its commands in order, its applicant, its Python."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
README = (ROOT / "README.md").read_text()


def _blocks() -> list[str]:
    """Return the indented blocks of the README, dedented; a blank line inside code does not end it."""
    runs = re.findall(r"(?:^    .*\n(?:\n(?=    ))?)+", README, re.MULTILINE)
    return [textwrap.dedent(run).strip() for run in runs]


def _environment() -> dict[str, str]:
    """Put the environment's commands first, as after `make build`."""
    scripts = str(Path(sys.executable).parent)
    return {**os.environ, "PATH": f"{scripts}{os.pathsep}{os.environ['PATH']}", "PYTHONPATH": str(ROOT)}


def _commands() -> list[str]:
    """Return the commands of the walk-through, continued lines joined."""
    joined = "\n".join(_blocks()).replace("\\\n", " ")
    return [line for line in joined.splitlines() if line.startswith("equiproof ")]


@pytest.fixture(scope="module")
def walked(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, str]]:
    """Run the walk-through once in an empty folder; return the folder and each command's output."""
    folder = tmp_path_factory.mktemp("readme")
    (block,) = [block for block in _blocks() if block.startswith("{")]
    applicant, _ = json.JSONDecoder().raw_decode(block)
    (folder / "applicant.json").write_text(json.dumps(applicant))
    outputs = {}
    for command in _commands():
        done = subprocess.run(
            shlex.split(command), cwd=folder, env=_environment(), capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, f"{command}\n{done.stdout}{done.stderr}"
        outputs[command.split()[1]] = done.stdout
    return folder, outputs


def test_the_walk_through_ends_in_a_verified_certificate(walked: tuple[Path, dict[str, str]]) -> None:
    """The README's commands, typed as they stand, make and verify the README's first certificate."""
    _, outputs = walked
    assert list(outputs) == ["train", "commit", "setup", "certify", "prove", "verify"]
    assert outputs["certify"].startswith("FAIR")
    assert outputs["verify"].startswith("VERIFIED")
    assert "data in the query file" in outputs["verify"]


def test_the_verifier_needs_no_proving_key(walked: tuple[Path, dict[str, str]]) -> None:
    """The applicant verifies with the key folder that lacks proving.key."""
    folder, _ = walked
    for proving in (folder / "my" / "keys").glob("*/proving.key"):
        proving.unlink()
    command = next(command for command in _commands() if command.split()[1] == "verify")
    done = subprocess.run(shlex.split(command), cwd=folder, env=_environment(), capture_output=True, check=False)
    assert done.returncode == 0


def test_the_python_example_runs_on_the_demo(tmp_path: Path) -> None:
    """The README's Python verifies the demo's fair applicant, and the demo leaves what the README says."""
    command = ["equiproof", "demo", "--out", "demo"]
    done = subprocess.run(command, cwd=tmp_path, env=_environment(), capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    left = {str(path.relative_to(tmp_path / "demo")) for path in (tmp_path / "demo").rglob("*") if path.is_file()}
    assert {
        "picture.png",
        "owner/commitment.json",
        "owner/opening.json",
        *(f"queries/{name}.json" for name in ("fair", "barely")),
        *(f"certificates/{name}.json" for name in ("fair", "barely", "forged")),
    } <= left
    assert "certificates/unfair.json" not in left
    (code,) = [block for block in _blocks() if block.startswith("from pathlib")]
    ran = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, env=_environment(), capture_output=True, text=True, check=False
    )
    assert ran.returncode == 0, ran.stderr
    certificate = json.loads((tmp_path / "demo" / "certificates" / "fair.json").read_bytes())
    assert certificate["reading"]["radius_any"] in ran.stdout


def test_links_lead_somewhere() -> None:
    """Every relative link of README and docs names a file of the repository."""
    for page in [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]:
        for target in re.findall(r"\]\(([^)#\s]+)(?:#[^)]*)?\)", page.read_text()):
            if "://" not in target:
                assert (page.parent / target).exists(), f"{page.name}: {target}"
