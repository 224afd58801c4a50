"""Examples, notebook and the page on Python are run, and do what they say."""

from __future__ import annotations

import ast
import importlib
import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import equiproof
from equiproof.certify.many.results import Results

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = ROOT / "examples"
NOTEBOOKS = ("certify.ipynb", "pipeline.ipynb")


def _python(*words: object, cwd: Path) -> str:
    """Run Python in a folder, as after `make build`, and return its standard output; it must succeed."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "MPLBACKEND": "Agg", "COLUMNS": "120"}
    command = [sys.executable, *map(str, words)]
    done = subprocess.run(command, cwd=cwd, env=environment, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stderr == ""
    return done.stdout


def _refused(*words: object, cwd: Path) -> str:
    """Run Python in a folder and return the one line with which it ends; it must fail without a traceback."""
    command, environment = [sys.executable, *map(str, words)], {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(command, cwd=cwd, env=environment, capture_output=True, text=True, timeout=300, check=False)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (1, "", 1), done.stderr
    return done.stderr


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """Run the lender's example once; return its folder and what it said."""
    folder = tmp_path_factory.mktemp("example")
    return folder, _python(EXAMPLES / "certificate.py", "out", cwd=folder)


def test_every_example_is_tested() -> None:
    """No script or notebook stands beside those that are run here."""
    found = {path.name for path in EXAMPLES.iterdir() if path.suffix in {".py", ".ipynb"}}
    assert found == {"applicant.py", "certificate.py", "fair_training.py", "portfolio.py", "thin_files.py", *NOTEBOOKS}


@pytest.mark.slow
def test_the_portfolio_is_certified(tmp_path: Path) -> None:
    """The example leaves the results that it summarises, a picture, and a file to resume from."""
    said = _python(EXAMPLES / "portfolio.py", "out", cwd=tmp_path)
    results = Results.from_json((tmp_path / "out" / "results.json").read_bytes())
    assert len(results) == 200
    assert results.summary() in said
    assert results.having("fair")
    assert (tmp_path / "out" / "radii.png").read_bytes().startswith(b"\x89PNG")
    assert len((tmp_path / "out" / "run.jsonl").read_bytes().splitlines()) == 201


@pytest.mark.slow
def test_the_lender_makes_a_certificate(certificate: tuple[Path, str]) -> None:
    """The example ends with a verified certificate and keeps the model in a file of the owner's."""
    folder, said = certificate
    reading = json.loads((folder / "out" / "public" / "certificate.json").read_bytes())["reading"]
    assert reading["radius_any"] in said
    assert (folder / "out" / "secret" / "opening.json").stat().st_mode & 0o077 == 0


@pytest.mark.slow
def test_the_applicant_verifies_with_the_verifier_alone(certificate: tuple[Path, str]) -> None:
    """The applicant's example needs no secret, no proving key and no room but the verifier."""
    folder, _ = certificate
    (proving,) = (folder / "out" / "public" / "keys").glob("*/proving.key")
    proving.unlink()
    said = _python(EXAMPLES / "applicant.py", "out", cwd=folder)
    assert said.startswith("No change of sex, and no change of the other features closer than ")
    assert "A policy that asks for more is refused" in said
    tree = ast.parse((EXAMPLES / "applicant.py").read_text())
    imported = [node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)]
    assert {node.module for node in imported} == {"__future__", "pathlib", "equiproof", "equiproof.verifier"}
    public = [alias.name for node in imported if node.module == "equiproof" for alias in node.names]
    assert {getattr(equiproof, name).__module__.split(".")[1] for name in public} == {"verifier"}


@pytest.mark.slow
def test_the_lender_overwrites_no_opening(certificate: tuple[Path, str]) -> None:
    """Run again in the same folder, the lender's example refuses in one line, and the opening stays."""
    folder, _ = certificate
    opening = folder / "out" / "secret" / "opening.json"
    before = opening.read_bytes()
    said = _refused(EXAMPLES / "certificate.py", "out", cwd=folder)
    assert "out/secret/opening.json exists" in said
    assert opening.read_bytes() == before


@pytest.mark.slow
def test_somebody_without_a_score_gets_a_certificate(tmp_path: Path) -> None:
    """The letter says that the score is not stated; the query file leaves it out."""
    said = _python(EXAMPLES / "thin_files.py", "out", cwd=tmp_path)
    assert "No change of sex" in said
    assert "score" not in json.loads((tmp_path / "out" / "query.json").read_bytes())["features"]
    assert "not stated" in (tmp_path / "out" / "letter.html").read_text()


def test_the_applicant_needs_the_lenders_files(tmp_path: Path) -> None:
    """Before the lender's example has run, the applicant's says so in one line."""
    said = _refused(EXAMPLES / "applicant.py", "nofolder", cwd=tmp_path)
    assert "nofolder/public/certificate.json is missing: run examples/certificate.py first" in said


@pytest.mark.slow
def test_fair_training_is_compared(tmp_path: Path) -> None:
    """Both networks are judged on the same hundred applicants, and the fair one has weight decay."""
    lines = _python(EXAMPLES / "fair_training.py", cwd=tmp_path).splitlines()
    rows = {name: line for line in lines for name in ("fair", "unfair", "undecided") if line.split()[:1] == [name]}
    counts = [list(map(int, line.split()[1:])) for line in rows.values()]
    assert [sum(column) for column in zip(*counts, strict=True)] == [100, 100]
    (decays,) = [line.split()[2:] for line in lines if line.startswith("weight decay ")]
    assert float(decays[0]) == 0 < float(decays[1])


@pytest.mark.slow
@pytest.mark.parametrize("name", NOTEBOOKS)
def test_a_notebook_runs_and_stores_what_it_shows(tmp_path: Path, name: str) -> None:
    """The cells run in order without a server; what is stored beneath them is of the same kinds and begins alike."""
    path = EXAMPLES / name
    made = json.loads(_python(Path(__file__).with_name("notebook.py"), path, cwd=tmp_path))
    for cell in json.loads(path.read_text())["cells"]:
        if cell["cell_type"] == "code":
            assert cell["execution_count"] is None
            stored, fresh = cell["outputs"], made[cell["id"]]
            assert [_kinds(output) for output in stored] == [_kinds(output) for output in fresh], cell["id"]
            assert [_beginnings(_text(output)) for output in stored] == [_beginnings(_text(one)) for one in fresh]


@pytest.mark.parametrize(("name", "least"), [("certify.ipynb", 2), ("pipeline.ipynb", 1)])
def test_a_stored_notebook_shows_tables_and_pictures_and_no_machine(name: str, least: int) -> None:
    """Every cell has an output, pictures and tables among them, and none names a folder of whoever made it."""
    text = (EXAMPLES / name).read_text()
    notebook = json.loads(text)
    assert notebook["nbformat"] == 4
    assert len({cell["id"] for cell in notebook["cells"]}) == len(notebook["cells"])
    outputs = [cell["outputs"] for cell in notebook["cells"] if cell["cell_type"] == "code"]
    assert all(outputs)
    kinds = [kind for output in outputs for one in output for kind in _kinds(one)]
    assert min(kinds.count("image/png"), kinds.count("text/html")) >= least
    assert not re.search(r"/(home|work|root|tmp|usr)/|<Figure|0x[0-9a-f]{6}", text)
    assert len(text) < 200_000


def _kinds(output: dict[str, Any]) -> list[str]:
    """Return what an output is: a stream, or the types of its data."""
    return sorted(output["data"]) if "data" in output else [output["output_type"]]


def _text(output: dict[str, Any]) -> str:
    """Return the text of an output without markup; pictures have none."""
    lines = output["text"] if "text" in output else output["data"].get("text/html", [])
    return re.sub(r"<[^>]+>", " ", "".join(lines))


def _beginnings(text: str) -> list[list[str]]:
    """Return each line's first words without numbers: trained networks differ a little from machine to machine."""
    return [re.sub(r"[\d.,%()]+", "", line).split()[:1] for line in text.splitlines()]


PYTHON_PAGE = (ROOT / "docs" / "python.md").read_text()


@pytest.mark.slow
def test_the_page_on_python_runs(tmp_path: Path) -> None:
    """The blocks of docs/python.md run in order in one folder: they verify, certify, prove, and verify again."""
    (tmp_path / "tests").symlink_to(ROOT / "tests")
    blocks = re.findall(r"^```python\n(.*?)^```$", PYTHON_PAGE, re.MULTILINE | re.DOTALL)
    assert len(blocks) > 6
    said = _python("-c", "\n".join(blocks), cwd=tmp_path)
    assert "the policy requires 100" in said
    assert "row 41: feature 'income': 'plenty' is not a number" in said
    lines = said.splitlines()
    assert lines[0].startswith("No change of ")
    assert sum(line.startswith("No change of sex") for line in lines) >= 1
    assert (tmp_path / "owner" / "opening.json").stat().st_mode & 0o077 == 0
    assert (tmp_path / "radii.png").exists()


def test_the_page_on_python_lists_the_public_names() -> None:
    """The table of names is `equiproof.__all__`, with the policies that it leaves to the page on them."""
    table = PYTHON_PAGE.partition("\n## Public names\n")[2].partition("\n## ")[0]
    cells = re.findall(r"^\| (`[^|]*) \|", table, re.MULTILINE)
    names = {name for cell in cells for name in re.findall(r"`(\w+)`", cell)}
    policies = set(importlib.import_module("equiproof.verifier.policies").__all__)
    page = (ROOT / "docs" / "policies.md").read_text(encoding="utf-8")
    assert names - policies == set(equiproof.__all__) - policies
    assert not [name for name in policies & set(equiproof.__all__) if f"`{name}" not in page]
