"""What brings programs for operators' examples says what is missing, installs no server, and runs before tests."""

import shutil
import subprocess

import pytest

from tests.repo.targets import RUN_TESTS, needs
from tests.support import ROOT

SCRIPT = ROOT / "scripts" / "operations.sh"


def brought(folder, *programs, failing=()):
    """Run the script into a folder, where these programs are stand-ins that say what they were called with."""
    path = folder / "bin"
    path.mkdir()
    for name in ("sh", "mkdir", "rm"):
        (path / name).symlink_to(shutil.which(name))
    stands_in = {name: f'echo "{name} $*" >&2' for name in programs} | dict.fromkeys(failing, "exit 100")
    for name, says in (stands_in | {"id": "echo 1000"}).items():
        (path / name).write_text(f"#!/bin/sh\n{says}\n")
        (path / name).chmod(0o755)
    command = ["sh", SCRIPT, folder / "there"]
    return subprocess.run(command, env={"PATH": str(path)}, cwd=ROOT, capture_output=True, text=True, check=False)


def test_what_is_missing_is_told_in_a_line_each(tmp_path):
    """And make goes on."""
    done = brought(tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert [line.partition(", ")[0] for line in done.stdout.splitlines()] == [
        "operations: no promtool",
        "operations: no nginx",
    ]


def test_the_programs_alone_are_unpacked(tmp_path):
    """Nothing is installed, so that no server of the system's starts."""
    done = brought(tmp_path, "apt-get", "dpkg-deb", "tar")
    assert done.returncode == 0
    said = done.stderr.splitlines()
    assert not [line for line in said if "install" in line or "update" in line]
    unpacked = [line.rpartition(" ")[2] for line in said if line.startswith("tar -x")]
    assert unpacked == ["./usr/bin/promtool", "./usr/sbin/nginx"]


def test_what_cannot_be_had_is_told(tmp_path):
    """Without the network, one line for each."""
    done = brought(tmp_path, "dpkg-deb", failing=["apt-get"])
    assert done.returncode == 0
    assert "operations: apt-get could not download nginx: tests of nginx are skipped" in done.stdout


def test_what_is_there_is_left_alone(tmp_path):
    """On PATH."""
    done = brought(tmp_path, "apt-get", "dpkg-deb", "promtool", "nginx")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


@pytest.mark.parametrize("target", RUN_TESTS)
def test_tests_bring_them(target):
    """Whoever runs the tests by make has them first."""
    assert "operations" in needs(target)
