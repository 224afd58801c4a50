"""What brings PostgreSQL says what is missing, starts no server of the system's, and never lets CI skip its tests."""

import shutil
import subprocess

import pytest

from bench import postgres
from tests.repo.targets import RUN_TESTS, needs
from tests.service import databases
from tests.support import ROOT

SCRIPT = ROOT / "scripts" / "postgres.sh"


def brought(folder, *programs, user="1000"):
    """Run the script below a folder, where these programs are stand-ins that say what they were called with."""
    path = folder / "bin"
    path.mkdir()
    for name in ("sh", "mkdir"):
        (path / name).symlink_to(shutil.which(name))
    for name, says in ({name: f'echo "{name} $*" >&2' for name in programs} | {"id": f"echo {user}"}).items():
        (path / name).write_text(f"#!/bin/sh\n{says}\n")
        (path / name).chmod(0o755)
    command = ["sh", SCRIPT, folder]
    return subprocess.run(command, env={"PATH": str(path)}, cwd=ROOT, capture_output=True, text=True, check=False)


@pytest.mark.parametrize("programs", [(), ("apt-get",)])
def test_what_is_missing_is_told_in_one_line(tmp_path, programs):
    """Without root nothing of the system is installed: one line says what to install, and make goes on."""
    done = brought(tmp_path, *programs)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("postgres: no PostgreSQL server, so tests on it are skipped: apt install postgresql")
    assert done.stdout.count("\n") == 1


def test_root_installs_it_without_a_server_of_the_systems(tmp_path):
    """As root on Debian the package is installed, and told to make no cluster."""
    done = brought(tmp_path, "apt-get", user="0")
    assert "apt-get -qq install -y --no-install-recommends postgresql" in done.stderr.splitlines()[1]
    (told,) = (tmp_path / "etc" / "postgresql-common" / "createcluster.d").iterdir()
    assert told.read_text() == "create_main_cluster = false\n"


@pytest.mark.parametrize("place", ["path", "usr/lib/postgresql/15/bin"])
def test_what_is_there_is_left_alone(tmp_path, place):
    """On PATH, or where Debian has it."""
    if place == "path":
        done = brought(tmp_path, "apt-get", "initdb", user="0")
    else:
        (tmp_path / place).mkdir(parents=True)
        shutil.copy(shutil.which("true"), tmp_path / place / "initdb")
        done = brought(tmp_path, "apt-get", user="0")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_ci_never_skips_the_tests_on_postgresql(monkeypatch):
    """Where the server is missing, a user's tests are skipped, and those of CI fail; both say how to have one."""
    monkeypatch.setattr(postgres, "programs", lambda: None)
    monkeypatch.setenv("CI", "true")
    with pytest.raises(pytest.fail.Exception, match="no PostgreSQL server: `make postgres`"):
        databases.refuse_or_skip()
    monkeypatch.delenv("CI")
    with pytest.raises(pytest.skip.Exception, match="no PostgreSQL server: `make postgres`"):
        databases.refuse_or_skip()


@pytest.mark.parametrize("target", RUN_TESTS)
def test_tests_bring_the_server(target):
    """Whoever runs the tests by make has the server's programs first."""
    assert "postgres" in needs(target)
