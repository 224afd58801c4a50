"""Progress on a terminal says how far work has come, and says nothing anywhere else."""

import io

import pytest
from rich.console import Console

from equiproof.cli import console


@pytest.fixture
def terminal(monkeypatch):
    """Standard error as a terminal whose last screen can be read."""
    written = io.StringIO()
    monkeypatch.setattr(console, "err", Console(file=written, force_terminal=True, width=100, color_system=None))
    return written


def test_stages_show_a_bar_while_their_number_is_known(terminal):
    """Half of the bar stands at stage 2 of 4; a stage that stands alone has no end."""
    with console.stages("checking", quiet=False) as report:
        report("second of four", 2, 4)
        half = shown(terminal)
        report("alone")
        alone = shown(terminal)
    assert "second of four" in half
    assert half.count("━") == 20, half
    assert "alone" in alone
    assert alone.count("━") == 40, "a bar without an end pulses over its whole length"


def test_nothing_is_shown_beside_json(terminal):
    """Quiet work writes nothing."""
    with console.stages("checking", quiet=True) as report:
        report("second of four", 2, 4)
    assert not terminal.getvalue()


def shown(terminal):
    """Return the last screen."""
    return terminal.getvalue().rpartition("\r")[2]
