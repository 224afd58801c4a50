"""The suite of everyday commands: what it measures, and what its table says."""

import pytest

from bench import everyday
from bench.harness import BenchError


def test_a_command_takes_processor_time_and_has_to_end_as_expected():
    """The seconds are those of the process; another exit code is no measurement."""
    seconds = everyday.cpu_seconds(("--version",))
    assert seconds is not None
    assert seconds > 0
    with pytest.raises(BenchError, match="ended with 0"):
        everyday.cpu_seconds(("--version",), code=2)


def test_the_table_says_what_was_not_measured_and_what_was_stopped():
    """An earlier build has a figure, was stopped, refused what this one does, or was not measured."""
    row = {"what": "predict", "target_s": 0.4, "now_s": 1.25}
    rows = [row, {**row, "then_s": None}, {**row, "then_s": 36.04}, {**row, "then_refused": True}]
    lines = everyday.table({"results": rows, "limit_s": 240}).splitlines()[2:]
    assert [line.split(" | ")[1] for line in lines] == ["not measured", "more than 240", "36.0", "refused"]
