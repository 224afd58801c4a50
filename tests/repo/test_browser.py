"""What brings the browser says what is missing, installs one pinned release, and never lets CI skip the tests."""

import re
import shutil
import subprocess

import pytest

from tests.browser import browser
from tests.repo.targets import RUN_TESTS, needs
from tests.support import ROOT

SCRIPT = ROOT / "scripts" / "browser.sh"


def brought(folder, *programs, user="1000"):
    """Run the script where these programs are stand-ins that say what they were called with, and no others are."""
    path = folder / "bin"
    path.mkdir()
    for name in ("sh", "mkdir"):
        (path / name).symlink_to(shutil.which(name))
    stand_ins = {name: f'echo "{name} $*"' for name in programs} | {"id": f"echo {user}"}
    for name, says in stand_ins.items():
        (path / name).write_text(f"#!/bin/sh\n{says}\n")
        (path / name).chmod(0o755)
    command = ["sh", SCRIPT, folder / "browser"]
    return subprocess.run(command, env={"PATH": str(path)}, cwd=ROOT, capture_output=True, text=True, check=False)


@pytest.mark.parametrize(
    ("programs", "said"),
    [
        ((), "no Chromium, so tests of pages are skipped: apt install chromium"),
        (("apt-get",), "no Chromium, so tests of pages are skipped: apt install chromium"),
        (("chromium",), "no node and npm, so tests of pages are skipped: apt install nodejs npm"),
    ],
)
def test_what_is_missing_is_told_in_one_line(tmp_path, programs, said):
    """Without root nothing of the system is installed: one line says what to install, and make goes on."""
    done = brought(tmp_path, *programs)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith(f"browser: {said}")
    assert done.stdout.count("\n") == 1


def test_root_installs_what_is_missing(tmp_path):
    """As root on Debian, the browser and Node are installed by apt-get."""
    said = brought(tmp_path, "apt-get", user="0").stdout
    assert said.startswith("browser: installing chromium fonts-liberation nodejs npm, some minutes\n")


def test_one_release_is_installed_without_scripts_or_lock_file(tmp_path):
    """npm is asked for the release that the page on dependencies names, for no script of it and for no lock file."""
    done = brought(tmp_path, "chromium", "node", "npm")
    assert done.returncode == 0, done.stderr
    (release,) = re.findall(r"^release=(\S+)$", SCRIPT.read_text(), re.MULTILINE)
    assert f"playwright-core@{release}" in done.stdout
    assert {"--ignore-scripts", "--no-package-lock", "--no-save"} <= set(done.stdout.split())
    page = (ROOT / "docs" / "dependencies.md").read_text()
    assert re.search(rf"^\| playwright-core, of npm \|.*\| {re.escape(release)} \|$", page, re.MULTILINE)


def test_ci_never_skips_the_tests_of_pages(monkeypatch):
    """Where a browser is missing, a user's tests are skipped, and those of CI fail; both say how to have one."""
    monkeypatch.setattr(browser, "lacking", lambda: "no Chromium")
    monkeypatch.setenv("CI", "true")
    with pytest.raises(pytest.fail.Exception, match="no Chromium: `make browser`"):
        browser.refuse_or_skip()
    monkeypatch.delenv("CI")
    with pytest.raises(pytest.skip.Exception, match="no Chromium: `make browser`"):
        browser.refuse_or_skip()


@pytest.mark.parametrize("target", RUN_TESTS)
def test_tests_bring_the_browser(target):
    """Whoever runs the tests by make has the browser first."""
    assert "browser" in needs(target)
