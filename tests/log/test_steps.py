"""-v and --log of the writer: what it does step by step, as other commands do, and nothing of anybody."""

import re
import signal
import stat

import pytest

from equiproof.circuits.exit_codes import FORKED, MISUSED
from equiproof.cli.steps import FIRST_LINE
from equiproof.register.program import VARIABLE
from equiproof.verifier.notes import Signer
from tests.cli.test_steps import LINE
from tests.cli.world import shell
from tests.log.running import ORIGIN, SIGNER, entry, index_of, name, posted

WITNESS = f"http://127.0.0.1:1:{Signer.new('witness-of-mrs-doe').verifier.text}"


def steps_of(path):
    """Return command, step and the rest of each line of a log, all of which have the form of a line."""
    first, *lines = path.read_text(encoding="utf-8").splitlines()
    assert f"{first}\n".encode() == FIRST_LINE
    assert all(LINE.fullmatch(line) for line in lines), lines
    found = [re.search(r'command="log (\w+)" step=("[^"]+"|\S+)(.*)', line) for line in lines]
    return [(one[1], one[2].strip('"'), re.sub(r" seconds=\d+\.\d\d", "", one[3]).strip()) for one in found]


def test_every_command_says_its_steps(log, tmp_path):
    """In one log of a day: each step with its counts, the end with its exit code, and no word of what went in."""
    day, other, key = tmp_path / "day.log", tmp_path / "other", log.folder.with_suffix(".key")
    assert log.said("init", other, "--origin", ORIGIN, "--key", key, "--log", day)[0] == 0
    given = b"".join(entry(number) + b"\n" for number in range(300))
    assert log.said("append", log.folder, "-", "--witness", WITNESS, "--log", day, given=given)[0] == 0
    with log.serving("--log", day, "--host", "host-of-mrs-doe.example") as served:
        assert index_of(posted(served.client(), entry(300)), entry(300)) == 300
        served.process.send_signal(signal.SIGTERM)
        assert served.stopped() == (0, "")
    assert log.said("checkpoint", log.folder, "--log", day)[0] == 0
    assert log.said("append", log.folder, tmp_path / "entry-of-mrs-doe.json", "--log", day)[0] == MISUSED
    (log.folder / "tile/0/000").write_bytes(b"")
    assert log.said("append", log.folder, "-", "--log", day)[0] == MISUSED
    found = steps_of(day)
    assert found[:8] == [
        ("init", "making the folder", ""),
        ("init", "end", "exit=0"),
        ("append", "checking the folder", "entries=0"),
        ("append", "appending", "entries=300"),
        ("append", "publishing", "entries=300 witnesses_asked=0 witnesses_signed=0"),
        ("append", "end", "exit=0"),
        ("serve", "checking the folder", "entries=300"),
        ("serve", "listening", "at=tcp"),
    ]
    assert ("serve", "serving", "entries=301") in found
    assert found[-4:] == [
        ("checkpoint", "reading the checkpoint", ""),
        ("checkpoint", "end", "exit=0"),
        ("append", "end", "exit=2"),
        ("append", "end", "exit=2"),
    ]
    assert stat.S_IMODE(day.stat().st_mode) == 0o600
    written = re.sub(r"time=\S+ pid=\d+", "", day.read_text(encoding="utf-8"))
    said = [ORIGIN, "doe", str(tmp_path), "127.0.0.1", SIGNER.verifier.text, SIGNER.text, log.folder.name + "/"]
    said += [part for number in range(301) for part in (name(entry(number)), entry(number).decode()[40:104])]
    assert [one for one in said if one in written] == []


def test_a_fork_is_an_end_of_its_own(log, tmp_path):
    """The code of a log that must not go on is in its steps too."""
    day, old = tmp_path / "day.log", (log.folder / ".state/treeState").read_bytes()
    log.append(*map(entry, range(3)))
    (log.folder / ".state/treeState").write_bytes(old)
    assert log.said("append", log.folder, "-", "--log", day)[0] == FORKED
    assert steps_of(day) == [("append", "end", f"exit={FORKED}")]


def test_v_says_the_steps_on_standard_error(log):
    """Standard output stays as it is without -v; of many entries it is said now and then how far they are."""
    code, out, err = log.said("append", log.folder, "-", "-v", given=b"".join(entry(n) + b"\n" for n in range(4500)))
    assert (code, out.count("\n")) == (0, 4500)
    assert [re.sub(r"\d+\.\d\d s", "T", line) for line in err.splitlines()] == [
        "equiproof-log: append: checking the folder: T, entries 0",
        "equiproof-log: append: appending: T, entries 4096",
        "equiproof-log: append: appending: T, entries 4500",
        "equiproof-log: append: publishing: T, entries 4500, witnesses_asked 0, witnesses_signed 0",
        "equiproof-log: append: end: T, exit 0",
    ]
    assert log.said("checkpoint", log.folder, "-v=1")[2].startswith("equiproof-log: Option '-v' takes no argument.")


@pytest.mark.parametrize("content", [b"my notes\n", FIRST_LINE[:-1], b"# equiproof log, version 10\n"])
def test_a_file_that_is_no_log_stays_as_it_is(log, tmp_path, content):
    """Nothing is appended to another file, in the words of the other commands, and nothing is done."""
    other = tmp_path / "notes.txt"
    other.write_bytes(content)
    words = ("append", log.folder, "-", "--log", other)
    said = (
        f"equiproof-log: {other}: name another file: this is not a log of this program, so nothing is appended to it\n"
    )
    assert log.said(*words, given=entry(0)) == (MISUSED, "", said)
    assert other.read_bytes() == content
    assert log.said(*words[:-1], tmp_path)[::2] == (MISUSED, f"equiproof-log: {tmp_path}: is a directory\n")
    assert log.checkpoint().size == 0


def test_python_begins_and_the_program_goes_on(log, tmp_path, monkeypatch):
    """`equiproof log append -v --log FILE`: one log, from the options to the exit code."""
    monkeypatch.setenv(VARIABLE, str(log.program))
    path, day = tmp_path / "entry.json", tmp_path / "day.log"
    path.write_bytes(entry(0))
    done = shell("log", "append", log.folder, path, "-v", "--log", day)
    assert (done.code, done.out) == (0, f"0 {name(entry(0))}\n")
    assert [(command, step) for command, step, _ in steps_of(day)] == [
        ("append", "begin"),
        ("append", "checking the folder"),
        ("append", "appending"),
        ("append", "publishing"),
        ("append", "end"),
    ]
    assert re.match(r"equiproof: log append: begin.*\nequiproof-log: append: checking", done.err)
