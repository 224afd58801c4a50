"""The example of an audit of one's own: installed as a package, found by its entry point, run by the command line."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from equiproof.audits.context import AuditContext
from equiproof.audits.plugin import Broken, installed
from equiproof.audits.runner import AuditRun, run_all
from equiproof.certify.network import Layer, QuantisedNetwork
from equiproof.prover.opening import Opening
from tests.audits.made import ROWS
from tests.certify.hand_made import by_income, by_sex
from tests.support import LOANS

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Install the example into a folder of its own, as pip does, without the network."""
    source, target = tmp_path_factory.mktemp("source") / "package", tmp_path_factory.mktemp("site")
    shutil.copytree(ROOT / "examples" / "audit-plugin", source)
    options = ["--quiet", "--no-deps", "--no-build-isolation", "--no-index", "--disable-pip-version-check"]
    command = [sys.executable, "-m", "pip", "install", *options, "--target", str(target), str(source)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return target


@pytest.fixture
def audits(package: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, object]:
    """The audits that are found with the package on the path."""
    monkeypatch.syspath_prepend(str(package))
    return dict(installed())


RICH = ({"income": 55000, "housing": "own", "sex": "f"},)
"""More than two units above the mean."""


def half_blind() -> QuantisedNetwork:
    """Look at sex, where it moves the income by a unit of its scale: it matters to nobody with more than that."""
    layers = by_income().layers
    (first,) = layers[0].weights
    return QuantisedNetwork((Layer(((*first[:-1], 1),), layers[0].biases), layers[1]), 10, (0, 0))


def judged(audits: dict[str, object], network: QuantisedNetwork, **options: str) -> AuditRun:
    """Run the example alone."""
    context = AuditContext(network=network, spec=LOANS, commitment="ab" * 32, rows=RICH)
    return run_all(context, audits, ["blindness"], options={"blindness": options})  # type: ignore[arg-type]


def test_the_example_is_found_beside_the_projects_own(audits: dict[str, object]) -> None:
    """Installing the package is all that it takes."""
    assert not isinstance(audits["blindness"], Broken)
    assert {"groups", "blindness"} <= set(audits)


@pytest.mark.parametrize(
    ("network", "verdict"), [(by_income(), "fair"), (by_sex(), "unfair"), (half_blind(), "undecided")]
)
def test_the_example_judges_as_it_says(audits: dict[str, object], network: QuantisedNetwork, verdict: str) -> None:
    """A model without weights on sex is fair, one that decides by sex unfair, one that could and does not undecided."""
    done = judged(audits, network)
    assert done.failures == ()
    (report,) = done.reports
    assert report.verdict == verdict
    assert [finding.counterexample is not None for finding in report] == [verdict == "unfair"]


def test_the_example_has_an_option(audits: dict[str, object]) -> None:
    """Without anybody to try, a model that decides by sex stays undecided."""
    (report,) = judged(audits, by_sex(), people="0").reports
    assert report.reason == "1 of 1 neurons see sensitive features, and none of 0 rows is decided otherwise"


@pytest.mark.slow
def test_the_command_line_runs_the_example(package: Path, tmp_path: Path) -> None:
    """The program lists it, and its verdict is the exit code."""
    opening, rows = tmp_path / "opening.json", tmp_path / "rows.json"
    opening.write_bytes(Opening.of(by_sex(), LOANS, blinding=5).secret())
    rows.write_text(json.dumps(ROWS))
    environment = {**os.environ, "PYTHONPATH": f"{ROOT}{os.pathsep}{package}"}
    words = [sys.executable, "-m", "equiproof", "audit", "run", "blindness", "--opening", opening, "--rows", rows]
    done = subprocess.run(
        [*map(str, words), "--json"], env=environment, capture_output=True, text=True, timeout=120, check=False
    )
    assert (done.returncode, done.stderr) == (3, "")
    assert json.loads(done.stdout)["reports"][0]["audit"] == "blindness"


@pytest.mark.slow
def test_the_page_on_audits_runs(tmp_path: Path) -> None:
    """The blocks of docs/audits.md run in order, and both ways to measure say the same."""
    page = (ROOT / "docs" / "audits.md").read_text()
    blocks = re.findall(r"^```python\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    assert len(blocks) == 3
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "MPLBACKEND": "Agg"}
    command = [sys.executable, "-c", "\n".join(blocks)]
    done = subprocess.run(
        command, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=300, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert (tmp_path / "groups.png").read_bytes().startswith(b"\x89PNG")
    assert re.search(r"^  counterfactual share .*\n    sex = female ", done.stdout, re.MULTILINE)
    assert "counterfactual share (('sex', 'female'),) " in done.stdout
