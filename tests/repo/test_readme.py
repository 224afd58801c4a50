"""The README is run: its commands in order, its applicant, its Python."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.kept import kept, locked

ROOT = Path(__file__).resolve().parents[2]
README = (ROOT / "README.md").read_text()
GUIDE = (ROOT / "docs" / "guide.md").read_text()
VERIFIED = "The proof holds. The model is not confirmed yet. "
RESEARCH = ROOT / "research"
FINDINGS = ROOT / "findings"
PAGES = [
    path
    for folder in (ROOT.glob("*.md"), (ROOT / "docs").rglob("*.md"), RESEARCH.rglob("*.md"), FINDINGS.glob("*.md"))
    for path in sorted(folder)
]


def blocks(page: str, language: str) -> list[str]:
    """Return the fenced blocks of a page in a language."""
    return re.findall(rf"^```{language}\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)


def commands(page: str) -> list[str]:
    """Return the `equiproof` commands of a page, in order."""
    return [line for block in blocks(page, "sh") for line in block.splitlines() if line.startswith("equiproof ")]


def environment() -> dict[str, str]:
    """Put the environment's commands first, as after `make build`."""
    scripts = str(Path(sys.executable).parent)
    return {**os.environ, "PATH": f"{scripts}{os.pathsep}{os.environ['PATH']}", "PYTHONPATH": str(ROOT)}


def run(words: list[str], folder: Path, code: int = 0) -> str:
    """Run a command that must end with an exit code; return what it prints."""
    done = subprocess.run(words, cwd=folder, env=environment(), capture_output=True, text=True, check=False)
    assert done.returncode == code, f"{words}\n{done.stdout}{done.stderr}"
    return done.stdout


@pytest.fixture(scope="module")
def walked(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, str]]:
    """Run the README's commands in an empty folder; return a copy of the folder and each command's output.

    They are run anew whenever the README or a source changes.
    """
    place = kept("readme", "equiproof", "README.md", "examples/applicant.json", "tests/repo/test_readme.py")
    walk, said = place / "walk", place / "said.json"
    with locked(place / ".lock"):
        if not said.exists():
            shutil.rmtree(walk, ignore_errors=True)
            (walk / "examples").mkdir(parents=True)
            shutil.copy(ROOT / "examples" / "applicant.json", walk / "examples")
            outputs = {command.split()[1]: run(shlex.split(command), walk) for command in commands(README)}
            said.write_text(json.dumps(outputs))
    folder = tmp_path_factory.mktemp("readme") / "walk"
    return shutil.copytree(walk, folder), json.loads(said.read_text())


def test_six_lines_end_in_a_verified_certificate(walked: tuple[Path, dict[str, str]]) -> None:
    """The README's commands, typed as they stand, make and verify the README's first certificate."""
    _, outputs = walked
    assert list(outputs) == ["train", "commit", "setup", "prove", "bundle", "verify"]
    assert outputs["verify"].startswith(VERIFIED)


def test_the_applicant_needs_one_file(walked: tuple[Path, dict[str, str]], tmp_path: Path) -> None:
    """The README's last command verifies in a folder with nothing but the bundle."""
    shutil.copy(walked[0] / "my.equiproof", tmp_path)
    assert run(shlex.split(commands(README)[-1]), tmp_path).startswith(VERIFIED)


@pytest.mark.slow
def test_the_guide_is_run_where_the_readme_was(walked: tuple[Path, dict[str, str]], tmp_path: Path) -> None:
    """The guide's applicant is the README's, and each command of the guide succeeds, in order."""
    folder = tmp_path / "guide"
    folder.mkdir()
    (applicant,) = blocks(GUIDE, "json")
    assert json.loads(applicant) == json.loads((walked[0] / "examples" / "applicant.json").read_text())
    (folder / "applicant.json").write_text(applicant)
    named = json.loads(applicant) | {"application": "2026-11-0398"}
    (folder / "applicants.csv").write_text(",".join(named) + "\n" + ",".join(map(str, named.values())) + "\n")
    (folder / "common.json").write_text('{"date": "2026-11-23"}')
    done = commands(README)[:3]
    for command in commands(GUIDE):
        words = shlex.split(command)
        if words[1] in {"train", "commit", "setup"}:
            # The same three steps: what they made is taken over, so that nothing is trained twice.
            assert command.replace(" --dataset lending", "") == done.pop(0)
            shutil.copytree(walked[0] / "my", folder / "my", dirs_exist_ok=True)
        else:
            # The audit finds that the careless model is unfair to some, and says so by its exit code.
            run(words, folder, code=3 if words[1] == "audit" else 0)
    assert not done


@pytest.mark.slow
def test_the_python_example_runs_on_the_demo(tmp_path: Path) -> None:
    """The README's Python verifies the demo's fair applicant, and the demo leaves what the README says."""
    run(["equiproof", "demo", "--out", "demo"], tmp_path)
    left = {str(path.relative_to(tmp_path / "demo")) for path in (tmp_path / "demo").rglob("*") if path.is_file()}
    assert {
        "picture.png",
        "owner/commitment.json",
        "owner/opening.json",
        *(path for name in ("fair", "barely") for path in (f"queries/{name}.json", f"bundles/{name}.equiproof")),
        *(f"certificates/{name}.json" for name in ("fair", "barely", "forged")),
    } <= left
    assert "certificates/unfair.json" not in left
    (code,) = blocks(README, "python")
    printed = run([sys.executable, "-c", code], tmp_path)
    certificate = json.loads((tmp_path / "demo" / "certificates" / "fair.json").read_bytes())
    assert certificate["reading"]["radius_any"] in printed


def test_the_readme_is_short() -> None:
    """The README fits its reader's patience: 120 lines."""
    assert len(README.splitlines()) <= 120


def test_links_lead_somewhere() -> None:
    """Every relative link of the pages at the top, in docs, research and findings names a file of the repository."""
    for page in PAGES:
        for target in re.findall(r"\]\(([^)#\s]+)(?:#[^)]*)?\)", page.read_text()):
            if "://" not in target and not _left_out(page, target):
                assert (page.parent / target).exists(), f"{page.name}: {target}"


def _left_out(page: Path, target: str) -> bool:
    """Return whether a link leads into a folder that a source archive has not."""
    there = (page.parent / target).resolve()
    return any(not folder.is_dir() and there.is_relative_to(folder) for folder in (RESEARCH, FINDINGS))


def _anchors(page: Path) -> set[str]:
    """Return the anchors of a page's headings: lower case, hyphens for spaces, no other signs."""
    prose = re.sub(r"^```.*?^```$", "", page.read_text(), flags=re.MULTILINE | re.DOTALL)
    headings = re.findall(r"^#+ (.+)$", prose, re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def test_links_lead_to_a_heading() -> None:
    """Every relative link with an anchor names a heading of its page."""
    broken = []
    for page in PAGES:
        for target, anchor in re.findall(r"\]\(([^)#\s]*)#([^)\s]+)\)", page.read_text()):
            if "://" in target or _left_out(page, target):
                continue
            if anchor not in _anchors(page.parent / target if target else page):
                broken.append(f"{page.name}: {target}#{anchor}")
    assert not broken
