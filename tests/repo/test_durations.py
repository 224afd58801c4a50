"""`make durations`: processor time goes to the test or set-up that took it, and a later run replaces its own files."""

import json
import os
import subprocess
import sys
from types import SimpleNamespace

import pytest

from tests import durations
from tests.support import ROOT

BARE = os.environ | {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}

SAMPLE = """
import subprocess, sys, time

import pytest

def burn(seconds):
    end = time.process_time() + seconds
    while time.process_time() < end:
        pass

@pytest.fixture(scope="module")
def base():
    burn(0.4)

@pytest.fixture
def late(request):
    request.getfixturevalue("base")
    burn(0.3)

@pytest.mark.parametrize("case", [1, 2])
def test_burns(case, late):
    burn(0.25)

def test_asks_a_child():
    subprocess.run([sys.executable, "-c", "import time\\nwhile time.process_time() < 0.5: pass"], check=True)

def test_waits():
    time.sleep(0.5)
"""


@pytest.mark.parametrize("workers", [[], ["-p", "xdist.plugin", "-n", "1"]])
def test_time_goes_to_what_took_it(tmp_path, workers):
    """Nested set-ups, cases and children are told apart, in one process and in workers; waiting costs nothing."""
    (tmp_path / "tests").mkdir()
    (tmp_path / "pytest.ini").touch()
    (tmp_path / "tests" / "test_sample.py").write_text(SAMPLE)
    words = [
        "-m",
        "pytest",
        "-q",
        "-p",
        "tests.durations",
        "--durations-folder",
        tmp_path / "out",
        "--rootdir",
        tmp_path,
    ]
    asked = [sys.executable, *words, "-p", "no:cacheprovider", *workers, tmp_path / "tests"]
    done = subprocess.run(
        [str(word) for word in asked], cwd=ROOT, env=BARE, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    (file,) = json.loads((tmp_path / "out" / "durations.json").read_text()).values()
    assert file["cases"] == 4
    assert file["tests"]["test_burns"] == [2, pytest.approx(0.5, abs=0.2)]
    assert file["tests"]["test_asks_a_child"] == [1, pytest.approx(0.5, abs=0.3)]
    assert "test_waits" not in file["tests"]
    setups = {name.partition("::")[2]: entry for name, entry in file["set-ups"].items() if name != durations.OTHERS}
    assert setups["base"] == [1, pytest.approx(0.4, abs=0.15)]
    assert setups["late"] == [2, pytest.approx(0.6, abs=0.2)]
    said = (tmp_path / "out" / "durations.md").read_text()
    assert "| tests/test_sample.py::test_burns | 2 | 0." in said
    assert "| all | 4 | 1 | 1 | 2 |" in said


@pytest.mark.skipif(sys.platform != "linux", reason="children that run are looked up in /proc")
def test_what_a_child_does_is_counted_while_it_runs():
    """A browser's or a server's work goes to the test that asked for it, and is not counted anew at its end."""
    code = "import time\nwhile time.process_time() < 0.4: pass\nprint(flush=True)\ninput()"
    before = durations.processor_seconds()
    with subprocess.Popen(
        [sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as child:
        child.stdout.readline()
        running = durations.processor_seconds() - before
        child.communicate("\n")
    ended = durations.processor_seconds() - before
    assert running > 0.35
    assert ended < running + 0.3


def report(nodeid, seconds, when="call"):
    """Return what a report of a phase tells."""
    return SimpleNamespace(nodeid=nodeid, when=when, processor=seconds, fixtures=[])


def test_a_run_replaces_its_own_files_and_drops_those_that_are_gone(tmp_path):
    """The files of an earlier run stay, unless they were measured again or no longer exist."""
    table = durations.Table()
    table.add(report("tests/a.py::test_one", 3.0))
    table.add(report("tests/a.py::test_one", 1.0, "setup"))
    (tmp_path / "tests").mkdir()
    for name in ("a", "b"):
        (tmp_path / "tests" / f"{name}.py").touch()
    old = {f"tests/{name}.py": {"date": "2026-01-01"} for name in ("a", "b", "gone")}
    files = durations.merged(old, table.kept("2026-02-02"), tmp_path)
    assert list(files) == ["tests/a.py", "tests/b.py"]
    assert files["tests/b.py"] == {"date": "2026-01-01"}
    assert files["tests/a.py"]["tests"] == {"test_one": [1, 3.0], "others": [0, 0]}
    assert files["tests/a.py"]["set-ups"] == {"others": [1, 1.0]}


def test_workers_begin_with_what_costs_most():
    """What was never measured comes first, then the most expensive files; the tests of a file stay as they are."""
    files = {
        "a.py": {"tests": {"x": [1, 2.0]}, "set-ups": {"y": [1, 1.5]}},
        "b.py": {"tests": {"x": [9, 3.0]}, "set-ups": {}},
    }
    items = [SimpleNamespace(nodeid=name) for name in ("b.py::2", "b.py::1", "a.py::1", "new.py::2", "new.py::1")]
    durations.costliest_first(items, files)
    assert [item.nodeid for item in items] == ["new.py::2", "new.py::1", "a.py::1", "b.py::2", "b.py::1"]


def test_the_committed_page_shows_the_committed_table():
    """Nobody edits the page: it is what the table beside it says, and the machine that it was measured on."""
    shown = (ROOT / "tests" / "durations.md").read_text()
    machine = next(line for line in shown.splitlines() if line.startswith("Measured ")).partition(", last on ")[2]
    files = json.loads((ROOT / "tests" / "durations.json").read_text())
    assert shown == durations.page(files, machine.removesuffix("."))


@pytest.mark.parametrize(
    ("path", "folder"),
    [
        ("tests/cli/test_help.py", "tests/cli"),
        ("tests/service/console/test_page.py", "tests/service"),
        ("tests/certify/models/test_a.py", "tests/certify/models"),
        ("tests/certify/test_a.py", "tests/certify"),
    ],
)
def test_files_are_counted_in_folders(path, folder):
    """Rooms are folders; that of certification is counted by its parts."""
    assert durations.folder_of(path) == folder
