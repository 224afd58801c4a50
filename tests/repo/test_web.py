"""What brings the packages of npm says what is missing, and installs what is pinned, once."""

import re
import shutil
import subprocess

import pytest

from tests.chain import chain
from tests.repo.targets import RUN_TESTS, needs
from tests.repo.test_hygiene import NPM_LOCKS
from tests.support import ROOT
from tests.web import web

SCRIPT = ROOT / "scripts" / "web.sh"
LOCK = '{"packages": {}}\n'


def brought(folder, *programs, user="1000", old=False):
    """Run the script where these programs are stand-ins that say what they were called with, and no others are."""
    path, package = folder / "bin", folder / "package"
    path.mkdir()
    (package / "node_modules").mkdir(parents=True)
    (package / "package-lock.json").write_text(LOCK)
    for name in ("sh", "cmp", "cp"):
        (path / name).symlink_to(shutil.which(name))
    stand_ins = {name: f'echo "{name} $*"' for name in programs} | {"id": f"echo {user}"}
    if "node" in programs:
        stand_ins["node"] = "exit 1" if old else "exit 0"
    for name, says in stand_ins.items():
        (path / name).write_text(f"#!/bin/sh\n{says}\n")
        (path / name).chmod(0o755)
    other = shutil.copytree(package, folder / "other")
    command = ["sh", SCRIPT, package, other]
    return subprocess.run(command, env={"PATH": str(path)}, cwd=ROOT, capture_output=True, text=True, check=False)


@pytest.mark.parametrize(
    ("programs", "old", "said"),
    [
        (
            (),
            False,
            "no node and npm, so tests that run in Node are skipped: apt install nodejs npm",
        ),
        (
            ("node", "apt-get"),
            False,
            "no node and npm, so tests that run in Node are skipped",
        ),
        (
            ("node", "npm"),
            True,
            "node is older than 20.19, so tests that run in Node are skipped",
        ),
    ],
)
def test_what_is_missing_is_told_in_one_line(tmp_path, programs, old, said):
    """Without root nothing of the system is installed: one line says what to install, and make goes on."""
    done = brought(tmp_path, *programs, old=old)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith(f"web: {said}")
    assert done.stdout.count("\n") == 1


def test_root_installs_what_is_missing(tmp_path):
    """As root on Debian, Node is installed by apt-get."""
    assert brought(tmp_path, "apt-get", user="0").stdout.startswith("web: installing nodejs npm\n")


def test_lock_files_are_installed_without_scripts_and_once(tmp_path):
    """npm installs what each lock file names, runs no script of it, and is not called again for the same lock file."""
    done = brought(tmp_path, "node", "npm")
    assert done.returncode == 0, done.stderr
    assert {"ci", "--ignore-scripts"} <= set(done.stdout.split())
    assert done.stdout.count("npm ci") == 2
    for folder in ("package", "other"):
        assert (tmp_path / folder / "node_modules" / ".installed").read_text() == LOCK
    (tmp_path / "again").mkdir()
    shutil.copytree(tmp_path / "package", tmp_path / "again" / "kept")
    again = subprocess.run(
        ["sh", SCRIPT, tmp_path / "again" / "kept"],
        env={"PATH": str(tmp_path / "bin")}, cwd=ROOT, capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert again.stdout == ""


def test_make_brings_every_folder_with_a_lock_file():
    """Whatever has a lock file of npm is installed by `make web`."""
    (folders,) = re.findall(r"^\t@sh scripts/web\.sh (.+)$", (ROOT / "Makefile").read_text(), re.MULTILINE)
    assert {ROOT / folder / "package-lock.json" for folder in folders.split()} == set(NPM_LOCKS)


def test_ci_never_skips_the_tests_of_the_package(monkeypatch):
    """Where packages are missing, a user's tests are skipped, and those of CI fail; both say how to have them."""
    for what in (web, chain):
        monkeypatch.setattr(what, "lacking", lambda: "no node")
        monkeypatch.setenv("CI", "true")
        with pytest.raises(pytest.fail.Exception, match="no node: `make web`"):
            what.refuse_or_skip()
        monkeypatch.delenv("CI")
        with pytest.raises(pytest.skip.Exception, match="no node: `make web`"):
            what.refuse_or_skip()


@pytest.mark.parametrize("target", [*RUN_TESTS, "fuzz"])
def test_tests_bring_the_packages(target):
    """Whoever runs the tests by make has the packages first."""
    assert "web" in needs(target)
