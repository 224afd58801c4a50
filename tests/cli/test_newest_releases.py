"""Files that the newest releases write today, on rows of a new seed, are decided as by the libraries themselves.

The files of tests/vectors/models are of one seed and stay. Here the seed is the day of the last commit, or what
EQUIPROOF_SAMPLE says.
"""

import csv
import json
import shutil
import subprocess
import zlib
from pathlib import Path

import pytest

from tests.kept import kept, locked
from tests.sampling import day
from tests.support import ROOT

pytestmark = pytest.mark.slow

PINS = "scripts/newest_models.txt"
PYTHONS = ("3.13", "3.12")
"""The newest Python that all of the libraries have wheels for comes first."""
LIBRARIES = ("xgboost", "lightgbm", "interpret", "catboost", "onnx")
SEXES = ("female", "male")


def run(*words, seconds=600):
    """Run a program, and return what became of it."""
    command = [str(word) for word in words]
    return subprocess.run(command, capture_output=True, text=True, timeout=seconds, check=False)


def python():
    """Return a new Python of this machine, or skip the test; a name may stand for one that is not installed."""
    for version in PYTHONS:
        of_pyenv = sorted((Path.home() / ".pyenv" / "versions").glob(f"{version}.*/bin/python"))
        for program in (shutil.which(f"python{version}"), *of_pyenv):
            if program and run(program, "-c", "import ensurepip, venv").returncode == 0:
                return program
    pytest.skip(f"no Python {' or '.join(PYTHONS)} is on this machine")


@pytest.fixture(scope="module")
def libraries():
    """Return the Python of an environment with the pinned releases, which is kept between runs."""
    folder = kept("newest", PINS)
    with locked(folder / ".lock"):
        done, own = folder / "done", folder / "venv" / "bin" / "python"
        if not done.exists():
            assert run(python(), "-m", "venv", "--clear", folder / "venv").returncode == 0
            install = (own, "-m", "pip", "install", "--quiet", "--no-deps", "--no-compile")
            asked = run(*install, "--retries", 1, "--constraint", ROOT / PINS, "six")
            if asked.returncode:
                pytest.skip(f"no package index answers: {asked.stderr.strip().splitlines()[-1]}")
            installed = run(*install, "--requirement", ROOT / PINS)
            assert installed.returncode == 0, installed.stderr
            done.touch()
    return own


def write(path, columns):
    """Write columns as a CSV file."""
    with path.open("w", newline="") as stream:
        writer = csv.writer(stream)
        writer.writerow(columns)
        writer.writerows(zip(*columns.values(), strict=True))
    return path


def options(file):
    """Return what an import must be told about a file, besides spec and decisions."""
    if file.endswith(".onnx"):
        return ("--columns", "income,debt,sex")
    return tuple(word for one in SEXES if "blank" in file for word in ("--values", f'sex:" {one}"={one}'))


def test_no_row_is_decided_otherwise_than_by_the_library(libraries, cli, tmp_path):
    """Each library trains, writes and decides on its own Python; import compares its file with its decisions."""
    models, seed = tmp_path / "models", zlib.crc32(day().encode())
    trained = run(libraries, "-W", "ignore", ROOT / "scripts" / "newest_models.py", models, seed, *LIBRARIES)
    assert trained.returncode == 0, trained.stderr
    decisions = json.loads((models / "decisions.json").read_bytes())
    rows = decisions.pop("rows")
    applicants = rows | {"sex": [SEXES[int(sex)] for sex in rows["sex"]]}
    labels = {file: own["labels"] for file, own in decisions.items()}
    assert {path.name for path in models.iterdir()} == {"decisions.json", *labels}
    assert {file.partition("-")[0] for file in labels} == {"xgboost", "lightgbm", "interpret", "catboost", "sklearn"}
    table = write(tmp_path / "table.csv", applicants | {"granted": next(iter(labels.values()))})
    spec, compared = tmp_path / "spec.json", write(tmp_path / "rows.csv", applicants | labels)
    drafted = cli("spec", table, "--label", "granted", "--labels", "0,1", "--sensitive", "sex", "--out", spec)
    assert drafted.code == 0, drafted.err
    said = {}
    for file in labels:
        given = ("--spec", spec, "--rows", compared, "--decisions", file, *options(file))
        outcome = cli("import", models / file, *given, "--out", tmp_path / "imported" / file, "--json")
        counts = json.loads(outcome.out)["compared"] if outcome.code == 0 else {}
        if (counts.get("rows"), counts.get("differing"), counts.get("differing_integers")) != (len(rows["sex"]), 0, 0):
            said[file] = outcome.err or counts
    assert not said, f"seed {seed}"
