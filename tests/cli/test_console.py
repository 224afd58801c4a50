"""Progress on a terminal says how far work has come, and says nothing anywhere else."""

import io
import os
import re
from contextlib import redirect_stderr, redirect_stdout

import pytest

from equiproof.cli import console


class Screen(io.StringIO):
    """A terminal that keeps all that was written."""

    def isatty(self):
        """Be one."""
        return True


@pytest.fixture
def terminal(monkeypatch):
    """A terminal whose last screen can be read, for standard error."""
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "100")
    return Screen()


def shown(terminal):
    """Return the last screen, without colours."""
    return re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]", "", terminal.getvalue().rpartition("\r")[2])


def test_stages_show_a_bar_while_their_number_is_known(terminal):
    """Half of the bar stands at stage 2 of 4; a stage that stands alone has no end."""
    with redirect_stderr(terminal), console.stages("checking", quiet=False) as report:
        report("second of four", 2, 4)
        half = shown(terminal)
        report("alone")
        alone = shown(terminal)
    assert "second of four" in half
    assert half.partition("╺")[0].count("━") == 20, half
    assert "alone" in alone
    assert alone.count("━") == 40, "a bar without an end pulses over its whole length"


def test_nothing_is_shown_beside_json(terminal):
    """Quiet work writes nothing."""
    with redirect_stderr(terminal), console.stages("checking", quiet=True) as report:
        report("second of four", 2, 4)
    assert not terminal.getvalue()


@pytest.mark.parametrize("write", [console.show, console.remark])
def test_a_text_of_anothers_moves_no_cursor(write):
    """Signs that go back on a line are left out, and tabs are blanks."""
    with redirect_stdout(Screen()) as written, redirect_stderr(written):
        write("granted\b\b\r\a\v\fto\tall")
    assert written.getvalue() == "grantedto       all\n"


def test_a_reader_that_has_gone_ends_the_command():
    """As other programs do it, and without a line about it, for both streams."""
    for redirect, write in ((redirect_stdout, console.show), (redirect_stderr, console.remark)):
        read, written = os.pipe()
        os.close(read)
        with os.fdopen(written, "w") as stream, redirect(stream), pytest.raises(SystemExit) as ended:
            write("one line")
        assert ended.value.code == 1
