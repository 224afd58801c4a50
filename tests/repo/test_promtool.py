"""What brings promtool says what is missing, installs no server, and is brought before the tests."""

import shutil
import subprocess

import pytest

from tests.repo.targets import RUN_TESTS, needs
from tests.support import ROOT

SCRIPT = ROOT / "scripts" / "promtool.sh"


def brought(folder, *programs):
    """Run the script into a folder, where these programs are stand-ins that say what they were called with."""
    path = folder / "bin"
    path.mkdir()
    for name in ("sh", "mkdir", "rm"):
        (path / name).symlink_to(shutil.which(name))
    for name, says in ({name: f'echo "{name} $*" >&2' for name in programs} | {"id": "echo 1000"}).items():
        (path / name).write_text(f"#!/bin/sh\n{says}\n")
        (path / name).chmod(0o755)
    command = ["sh", SCRIPT, folder / "there"]
    return subprocess.run(command, env={"PATH": str(path)}, cwd=ROOT, capture_output=True, text=True, check=False)


def test_what_is_missing_is_told_in_one_line(tmp_path):
    """And make goes on."""
    done = brought(tmp_path)
    assert (done.returncode, done.stderr, done.stdout.count("\n")) == (0, "", 1)
    assert done.stdout.startswith("promtool: no promtool, so tests of the alert rules are skipped: apt install")


def test_the_program_alone_is_unpacked(tmp_path):
    """Nothing is installed, so that no server of the system's starts."""
    done = brought(tmp_path, "apt-get", "dpkg-deb", "tar")
    assert done.returncode == 0
    assert not [line for line in done.stderr.splitlines() if "install" in line or "update" in line]
    assert any(line.startswith("tar -x") and line.endswith("./usr/bin/promtool") for line in done.stderr.splitlines())


def test_what_is_there_is_left_alone(tmp_path):
    """On PATH."""
    done = brought(tmp_path, "apt-get", "dpkg-deb", "promtool")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


@pytest.mark.parametrize("target", RUN_TESTS)
def test_tests_bring_it(target):
    """Whoever runs the tests by make has it first."""
    assert "promtool" in needs(target)
