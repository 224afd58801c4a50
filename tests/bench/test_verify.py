"""The measurement of verification runs, and measures what it says."""

import pytest

from bench import verify


def test_the_measurement_reports_medians_and_targets(monkeypatch):
    """Every call of a certificate is timed, with its target beside it, and the table has a line for each."""
    monkeypatch.setattr(verify, "CERTIFICATES", ("loans",))
    monkeypatch.setattr(verify, "CHECKERS", ("native",))
    found = verify.run(repeats=2)
    assert [(row["what"], row["target_ms"]) for row in found["results"]] == [
        ("check", 5),
        ("verify", 50),
        ("command", 500),
    ]
    assert all(0 < row["ms"] <= row["ms_max"] for row in found["results"])
    assert verify.table(found).count("\n") == 1 + 3


def test_a_command_that_does_not_verify_is_no_time(tmp_path):
    """A certificate that is refused raises: the time of a refusal is not that of a verification."""
    with pytest.raises(Exception, match="returned non-zero exit status 2"):
        verify.command(tmp_path, "native")
