"""The measurement of many verifications runs, and measures what it says."""

import pytest

from bench import many
from bench.harness import BenchError


def test_the_measurement_reports_times_for_one_of_many(monkeypatch):
    """Every call is timed for every size, with its target beside it, and the table has a line for each."""
    monkeypatch.setattr(many, "TARGETS", {("together", 3): 1.0})
    monkeypatch.setattr(many, "JOBS", (1,))
    monkeypatch.setattr(many, "BINARY", many.GOLDEN / "nothing")
    found = many.run(repeats=1, sizes=(1, 3))
    assert [(row["what"], row["n"], row["target_ms"]) for row in found["results"]] == [
        ("alone", 1, None),
        ("together", 1, None),
        ("whole", 1, None),
        ("alone", 3, None),
        ("together", 3, 1.0),
        ("whole", 3, None),
        ("command, --jobs 1", 3, None),
    ]
    assert all(0 < row["ms"] <= row["ms_max"] for row in found["results"])
    assert many.table(found).count("\n") == 1 + 7


def test_a_refusal_is_no_time(monkeypatch):
    """A call in which something is refused raises: the time of a refusal is not that of a verification."""
    monkeypatch.setattr(many, "MinRadius", lambda _: many_radius())
    with pytest.raises(BenchError, match="not verified"):
        many.calls(many.GOLDEN / many.CASE, 2)["whole"]()


def many_radius():
    """Return a policy that the published certificate does not meet."""
    from equiproof.verifier import MinRadius

    return MinRadius("1000")
