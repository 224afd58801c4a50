"""docs/models.md is run: its Python, its commands and its file of domains, in the order of the page."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
import textwrap
from importlib.util import find_spec
from pathlib import Path

import pytest

from equiproof.certify.data.cleaning import MISSING_MARKS

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "models.md").read_text()


def _blocks() -> list[str]:
    """Return the indented blocks of the page, dedented; a blank line inside code does not end it."""
    unfenced = re.sub(r"^```.*?^```$", "", PAGE, flags=re.MULTILINE | re.DOTALL)
    runs = re.findall(r"(?:^    .*\n(?:\n(?=    ))?)+", unfenced, re.MULTILINE)
    return [textwrap.dedent(run).strip() for run in runs]


def _run(folder: Path, *words: str) -> str:
    """Run a command as a reader would."""
    scripts = str(Path(sys.executable).parent)
    environment = os.environ | {"PATH": f"{scripts}{os.pathsep}{os.environ['PATH']}", "PYTHONPATH": str(ROOT)}
    done = subprocess.run(words, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{words}\n{done.stdout}{done.stderr}"
    return done.stdout


def _pieces() -> list[str]:
    """Return each block, with the commands below Python as pieces of their own."""
    return [piece for block in _blocks() for piece in re.split(r"\n\n(?=equiproof )|\n(?=equiproof )", block)]


def test_the_page_lists_the_texts_that_count_as_missing() -> None:
    """All of them, and no other, in one row."""
    (row,) = re.findall(r"^\| (`na`.*?), in capitals too \|", PAGE, re.MULTILINE)
    assert sorted(re.findall("`([^`]+)`", row)) == sorted(MISSING_MARKS)


@pytest.mark.slow
def test_the_page_runs_as_it_stands(tmp_path: Path) -> None:
    """Every block of the page does what the page says; each model ends in a folder, two of them in a commitment."""
    said = []
    for piece in _pieces():
        if piece.startswith("{"):
            (tmp_path / "domains.json").write_text(json.dumps(json.loads(piece)))
        elif piece.startswith("equiproof "):
            said.append(_run(tmp_path, *shlex.split(piece)))
        else:
            _run(tmp_path, sys.executable, "-W", "ignore", "-c", piece)
    assert [text.split()[0] for text in said] == ["compared", "NOT", "NOT", "NOT", "DRAFTED"]
    assert [text.count("IMPORTED") for text in said] == [0, 1, 0, 1, 0]
    assert [text.count("COMMITTED") for text in said] == [1, 0, 1, 0, 0]
    assert "of 500 labels differ" in said[0]
    assert all((tmp_path / name / "import.json").exists() for name in ("from-sklearn", "from-onnx", "from-domains"))


@pytest.mark.slow
def test_the_keras_block_runs_where_keras_is(tmp_path: Path) -> None:
    """The fenced block makes a file that its command imports."""
    if find_spec("keras") is None:
        pytest.skip("Keras is not installed: it is no dependency of this project")
    (code,) = re.findall(r"^```python\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
    (command,) = re.findall(r"^```sh\n(equiproof import keras.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
    _run(tmp_path, sys.executable, "-W", "ignore", "-c", code)
    assert _run(tmp_path, *shlex.split(command)).splitlines()[1].startswith("IMPORTED keras.onnx")
