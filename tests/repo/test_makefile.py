"""What make says and installs before it begins something long, and that what it builds is the same everywhere."""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from scripts import pin_requirements
from tests.support import ROOT


def planned(*words: str) -> str:
    """Return the commands that make would run for these words; none is run.

    Tests that `make test` runs inherit its own variables, by which make says which folder it enters.
    """
    above = ("TORCH_INDEX", "MAKEFLAGS", "MAKELEVEL", "MFLAGS")
    environment = {name: value for name, value in os.environ.items() if not any(word in name for word in above)}
    done = subprocess.run(
        ["make", "-n", *words], cwd=ROOT, env=environment, capture_output=True, text=True, timeout=60, check=True
    )
    return done.stdout


@pytest.mark.parametrize("words", [[], ["TORCH_INDEX=https://example.org/cpu"]])
def test_the_size_of_a_download_is_shown_before_it_begins(words: list[str]) -> None:
    """Before pip brings torch, make says how much that is and how to have less of it, or that no hash is checked."""
    plan = planned("-W", "requirements/train.txt", ".venv/.stamps/packages", *words)
    said, _, installing = plan.partition("torch==" if words else "-r requirements/dev.txt")
    assert installing
    assert ("some 2.7 GB to download" in said, "TORCH_INDEX=address" in said) == ((not words,) * 2)
    assert ("torch comes from https://example.org/cpu: its hash is not checked" in said) == bool(words)


@pytest.mark.parametrize("words", [[], ["TORCH_INDEX=https://example.org/cpu"]])
def test_only_a_torch_of_another_index_comes_without_a_hash(words: list[str]) -> None:
    """Every call of pip that brings packages requires hashes, but those that name torch and its other index."""
    plan = planned("-W", "requirements/base.txt", "-W", "requirements/train.txt", ".venv/.stamps/packages", *words)
    calls = [
        line for line in plan.splitlines() if "-m pip" in line and " install " in line and "--editable" not in line
    ]
    bare = [line.split()[-1] for line in calls if "--require-hashes" not in line]
    torch = pin_requirements.read(ROOT / "requirements" / "train.txt")["torch"]
    assert bare == ([f"torch=={torch.version}"] * 2 if words else [])
    assert len(calls) == (4 if words else 2)


def test_a_contributor_needs_no_torch() -> None:
    """`make dev` installs every pinned package but torch, each with its hashes; `make test-short` needs no more."""
    pins = [ROOT / "requirements" / f"{name}.txt" for name in ("base", "prove", "demo", "train", "audit", "dev")]
    (line,) = [line for line in (ROOT / "Makefile").read_text().splitlines() if line.startswith("WITHOUT_TORCH :=")]
    program = line.partition("'")[2].partition("'")[0]
    done = subprocess.run(["awk", program, *map(str, pins)], capture_output=True, text=True, check=True)
    whole = set().union(*(pin_requirements.read(path) for path in pins))
    kept = set(re.findall(r"^([A-Za-z0-9_.-]+)(?:\[\w+\])?==", done.stdout, re.MULTILINE))
    assert whole - kept == {"torch"}
    assert done.stdout.count("--hash=") >= len(kept)
    assert not re.search(r"^-r|^(?:nvidia|triton|cuda)", done.stdout, re.MULTILINE)
    stale = ["-W", "requirements/base.txt", "-W", "requirements/dev.txt", "STAMPS=build/none"]
    for target in ("dev", "test-short"):
        plan = planned(*stale, target)
        assert "-r build/none/dev.txt" in plan
        assert "gpu.txt" not in plan
    assert "gpu.txt" in planned(*stale, "build")


def test_packages_are_built_without_what_trains_or_tests() -> None:
    """`make wheel` installs requirements/release.txt alone, whose pins are those of contributors too."""
    plan = planned("-W", "requirements/base.txt", "-W", "requirements/release.txt", "STAMPS=build/none", "wheel")
    assert "--require-hashes -r requirements/release.txt" in plan
    assert len(re.findall(r" -r requirements/", plan)) == 1
    release = pin_requirements.read(ROOT / "requirements" / "release.txt")
    others = [pin_requirements.read(path) for path in (ROOT / "requirements").glob("*.txt") if path.stem != "release"]
    assert release
    assert all(pin in [one[name] for one in others if name in one] for name, pin in release.items())


def test_the_demo_installs_no_more_than_it_needs() -> None:
    """`make demo` installs requirements/demo.txt; training, which the demo does on request, needs everything."""
    stale = ["-W", "requirements/base.txt", "-W", "requirements/train.txt"]
    small, trained = planned(*stale, "demo"), planned(*stale, "demo", "TRAIN=1")
    assert "-r requirements/demo.txt" in small
    assert "-r requirements/dev.txt" not in small
    assert "-r requirements/dev.txt" in trained
    assert "--train" in trained
    assert "--train" not in small


def test_the_service_demo_runs_with_the_form() -> None:
    """`make serve-demo` builds what proves, what keeps the log, applicants' page, and starts everything at once."""
    plan = planned("serve-demo", "SERVE_OUT=there")
    assert "node web/applicant/build.mjs" in plan
    assert plan.endswith("equiproof service demo --out there --form examples/lender/lender.py\n")
    assert (ROOT / "examples" / "lender" / "lender.py").is_file()


def test_costly_tests_have_turns_in_the_tests_of_a_day_alone() -> None:
    """`make test` says to Python and to Go of how many days a costly test has one; whoever runs all tests does not."""
    daily = planned("test")
    assert "export EQUIPROOF_TURNS=12 " in daily
    assert "--turns 12" in daily
    for words in (["test", "WHOLE=yes"], ["test-all"], ["test-release"]):
        plan = planned(*words)
        assert "go test" in plan
        assert "EQUIPROOF_TURNS" not in plan
        assert "--turns" not in plan


@pytest.mark.parametrize(
    "program", ["equiproof/ffi/libequiproof.so", "equiproof/ffi/equiproof-log", "dist/equiproof-verify"]
)
def test_a_sentence_that_changes_builds_what_says_it(program: str) -> None:
    """The tables are built into every program of Go, so a changed one makes each of them out of date."""
    assert "go build" in planned("-W", "go-gnark/verify/tables/messages.json", program)


@pytest.mark.slow
def test_the_library_has_the_same_bytes_in_every_folder(tmp_path: Path) -> None:
    """Built in two folders, with CC unset and with CC=gcc, the library's SHA-256 is the same."""
    if shutil.which("gcc") is None:
        pytest.skip("no gcc")
    found = set()
    for folder, compiler in ((tmp_path / "one", {}), (tmp_path / "another" / "deeper", {"CC": "gcc"})):
        for name in ("go-gnark", "equiproof/ffi", "scripts", "requirements"):
            shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("*.so", "*.o"))
        shutil.copy(ROOT / "Makefile", folder)
        (folder / ".venv").symlink_to(ROOT / ".venv")
        environment = {name: value for name, value in os.environ.items() if name not in ("CC", "MAKEFLAGS")} | compiler
        library = folder / "equiproof" / "ffi" / "libequiproof.so"
        subprocess.run(["make", "equiproof/ffi/libequiproof.so"], cwd=folder, env=environment, check=True, timeout=900)
        found.add(hashlib.sha256(library.read_bytes()).hexdigest())
    assert len(found) == 1
