"""The measurement of verification runs, and measures what it says."""

import json

import pytest

from bench import verify


def test_the_measurement_reports_medians_and_targets(monkeypatch, capsys):
    """`python -m bench.verify --json` prints one object: the machine, and each time with its target."""
    monkeypatch.setattr(verify, "CASES", ("loans",))
    monkeypatch.setattr(verify, "CHECKERS", ("native",))
    monkeypatch.setattr("sys.argv", ["verify", "--repeats", "1", "--json"])
    verify.main()
    document = json.loads(capsys.readouterr().out)
    assert set(document) == {"machine", "repeats", "results"}
    assert [(row["what"], row["target_ms"]) for row in document["results"]] == [
        ("check", 5),
        ("verify", 50),
        ("command", 500),
    ]
    assert all(0 < row["median_ms"] <= row["max_ms"] for row in document["results"])


def test_a_command_that_does_not_verify_is_no_time(tmp_path):
    """A case that is refused raises: the time of a refusal is not that of a verification."""
    with pytest.raises(Exception, match="returned non-zero exit status 2"):
        verify.command(tmp_path, "native")
