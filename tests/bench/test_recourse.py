"""What becomes of refused applicants: the parts, what is measured of a model, and the table of it."""

import json

import pytest

from bench import kept, recourse
from bench.harness import BenchError
from bench.parts import Options
from bench.recourse_models import LARGER, Case
from tests.recourse_cases import ROW, key, opening


def test_every_model_is_a_part():
    """Nine models that the target is of, and the larger ones; a name is one that --parts takes. Searches are alone."""
    parts = recourse.plan(None, Options()).parts
    assert len(parts) == 9 + len(LARGER)
    assert "lending-network-64-64" in parts
    assert not any("," in name for name in parts)
    with pytest.raises(BenchError, match="one by one"):
        recourse.plan(None, Options(jobs=2))


def test_rows_are_asked_and_some_are_proven():
    """Who is refused for every value is asked, up to so many; who is granted is not."""
    made = opening()
    granted = {**ROW, "housing": "own"}
    case = Case("small", "a score", made, key().document.shape, (granted, ROW, ROW, ROW))
    found = recourse.measured(case, key(), 2, 5.0)
    assert (found["refused"], found["asked"], found["way"], found["undecided"]) == (3, 2, 2, 0)
    assert 0 < found["search_s"] <= found["search_max_s"] + 1e-3
    assert found["whole_s"] > 0
    line = recourse.table({"parts": {"small": found}}).splitlines()[-1]
    assert line.startswith("| small, a score | 3 | 0 | 2 | 2 | 0 | 0 | 0 | 100.0 % |")


def test_the_kept_results_have_every_part():
    """The table has a line for each."""
    results = json.loads((kept.RESULTS / "recourse.json").read_text())
    assert set(results["parts"]) == set(recourse.plan(None, Options()).parts)
    assert len(recourse.table(results).splitlines()) == 2 + len(results["parts"])
