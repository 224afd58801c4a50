"""-v and --log say what a command does, with times, and nothing of applicants or of what is secret."""

import json
import re
import stat

import pytest

from equiproof.certify.data import load
from equiproof.cli import steps
from equiproof.cli.everyday import _tree
from equiproof.cli.main import _commands
from equiproof.cli.steps import FIRST_LINE
from tests.cli.world import HIDDEN

LINE = re.compile(
    r"time=\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ pid=\d+ command=(\"[a-z -]+\"|[a-z-]+) step=(\"[^\"]+\"|[^ \"]+)"
    r"( [a-z_]+=(\"[^\"]*\"|[^ \"]*))*"
)


def lines_of(log):
    """Return the lines of a log behind the first, each of which has the form of a line."""
    first, *lines = log.read_text().splitlines()
    assert f"{first}\n".encode() == FIRST_LINE
    assert all(LINE.fullmatch(line) for line in lines), lines
    return lines


def numbers(document):
    """Return every number and text in a JSON document that is long enough to be looked for."""
    if isinstance(document, dict):
        return [found for value in document.values() for found in numbers(value)]
    if isinstance(document, list):
        return [found for value in document for found in numbers(value)]
    return [text for text in [str(document)] if len(text) > 3]


def test_every_command_takes_both(cli):
    """Each command of the tree explains -v and --log."""

    commands = dict(_tree(_commands()))
    assert len(commands) > 30
    for words in commands:
        said = cli(*words.split(), "--help").out
        assert "\n  -v " in said, words
        assert "\n  --log FILE " in said, words


def test_the_log_of_a_day_holds_nothing_of_anybody(world, cli, tmp_path):
    """Train, commit, certify, prove, prove many: neither values, blindings, digests, paths nor messages of errors."""
    log, spec = tmp_path / "day.log", world.owned.spec
    rows = [json.loads(path.read_bytes()) for path in (world.row, world.other_row, world.unfair)]
    table = tmp_path / "mueller-of-upper-street.json"
    table.write_text(json.dumps([row | {"case": f"case-of-mrs-{n}-doe"} for n, row in enumerate(rows)]))
    common = tmp_path / "common.json"
    common.write_text('{"policy": "policy-text-7391"}')
    opening, keys = ["--opening", world.opening], ["--keys", world.keys]
    one = ["--context", world.context, "--out", tmp_path / "c.json", "--query-out", tmp_path / "q.json"]
    many = ["--out-dir", tmp_path / "many", "--id", "case", "--context", common, "--jobs", 1, "--letters"]
    commands = [
        (0, ["commit", world.model, "--out", tmp_path / "owner"]),
        (0, ["certify", world.row, *opening, "--scheme", "traversal"]),
        (3, ["certify", table, *opening, "--scheme", "traversal", "--out", tmp_path / "results.json"]),
        (0, ["prove", world.row, *opening, *keys, *one]),
        (3, ["prove", table, *opening, *keys, *many, "--lender", "Bank of Secrets"]),
        (2, ["certify", tmp_path / "mueller.json", *opening]),
        (2, ["certify", world.row, *opening, "--max-regions", 7]),
        (0, ["verify", tmp_path / "c.json", "--commitment", world.commitment, *keys, "--query", tmp_path / "q.json"]),
    ]
    for code, words in commands:
        assert cli(*words, "--log", log).code == code, words
    lines = lines_of(log)
    ends = [line for line in lines if " step=end " in line]
    assert [int(re.search(r" exit=(\d+)", line)[1]) for line in ends] == [code for code, _ in commands]
    assert all(re.search(r" seconds=\d+\.\d\d ", line) for line in ends)
    assert "error=BadParameter" in ends[6]
    assert any("command=prove step=prove seconds=" in line for line in lines)
    written = "\n".join(re.sub(r"^time=\S+ pid=\d+ ", "", line) for line in lines)
    (many_query,) = (tmp_path / "many" / "applicants").glob("case-of-mrs-0*/query.json")
    private = [numbers(json.loads(path.read_bytes())) for path in (
        world.opening, tmp_path / "q.json", many_query, world.context, tmp_path / "owner" / "opening.json", common,
    )]  # fmt: skip
    secrets = {text for found in private for text in found} - numbers_of_public(spec)
    secrets |= {str(value) for row in rows for value in row.values() if len(str(value)) > 3}
    secrets |= {"mrs", "doe", "mueller", "Bank", str(tmp_path), world.opening.name, "policy-text"}
    assert len(secrets) > 40
    assert sorted(text for text in secrets if text in written) == []


def numbers_of_public(spec):
    """Return what the spec says, which everybody may know: names of formats and features are words of commands too."""
    import msgspec

    return set(numbers(json.loads(msgspec.json.encode(spec)))) | {"equiproof-opening", "equiproof-query"}


@pytest.mark.slow
def test_training_is_logged_by_steps_alone(cli, tmp_path):
    """The log of `train` names the step and its time, and no value of any row."""
    log = tmp_path / "train.log"
    assert cli("train", "--hidden", HIDDEN, "--out", tmp_path / "model", "--log", log).code == 0
    assert [re.search(r"step=(\"[^\"]*\"|\S+)", line)[1] for line in lines_of(log)] == [
        "begin",
        '"training lending"',
        "end",
    ]
    written = re.sub(r"time=\S+ pid=\d+", "", log.read_text())
    values = {str(value) for row in load("lending").rows for value in row.values() if len(str(value)) > 3}
    assert len(values) > 500
    assert not [value for value in values if re.search(rf"\b{re.escape(value)}\b", written)]


def test_v_says_the_steps_on_standard_error(world, cli):
    """Standard output stays as it is without -v."""
    words = ["certify", world.row, "--opening", world.opening, "--scheme", "traversal"]
    quiet, aloud = cli(*words), cli(*words, "-v")
    assert aloud.out == quiet.out
    assert quiet.err == ""
    lines = aloud.err.splitlines()
    assert lines[0] == "equiproof: certify: begin: options --opening,--scheme"
    assert any(re.fullmatch(r"equiproof: certify: searching: \d+\.\d\d s", line) for line in lines)
    assert re.fullmatch(r"equiproof: certify: end: \d+\.\d\d s, exit 0", lines[-1])


def test_a_log_is_appended_to_and_private(world, cli, tmp_path):
    """Two commands are in one log, which only its owner reads."""
    log = tmp_path / "a.log"
    for _ in range(2):
        assert cli("data", "list", "--log", log).code == 0
    assert sum('command="data list" step=begin' in line for line in lines_of(log)) == 2
    assert stat.S_IMODE(log.stat().st_mode) == 0o600


@pytest.mark.parametrize("content", [b"my notes\n", FIRST_LINE[:-1], b"# equiproof log, version 10\n"])
def test_a_file_that_is_no_log_stays_as_it_is(world, cli, tmp_path, content):
    """Nothing is appended to another file, and the command does not begin."""
    other = tmp_path / "notes.txt"
    other.write_bytes(content)
    cli("data", "list", "--log", other).complaint(2, other, "not a log")
    assert other.read_bytes() == content
    cli("data", "list", "--log", tmp_path).complaint(2, tmp_path)
    cli("data", "list", "--log", tmp_path / "none" / "a.log").complaint(2, "none")


def test_a_log_that_fills_the_disk_ends_nothing(monkeypatch, tmp_path):
    """Lines that cannot be written any more are lost, and the command goes on."""
    import errno

    with steps.running("prove", tmp_path / "a.log", None) as record:

        def full(*_):
            raise OSError(errno.ENOSPC, "No space left on device")

        monkeypatch.setattr(steps.os, "write", full)
        record.note("proving", 1.0)
        monkeypatch.undo()
    assert (tmp_path / "a.log").read_bytes() == FIRST_LINE


def test_values_cannot_break_a_line(tmp_path):
    """Quotation marks and line ends in a name stay inside one value."""
    with steps.running("x", tmp_path / "a.log", None) as record:
        record.note('a "b"\nstep=end', done=1, of=2)
    (line,) = lines_of(tmp_path / "a.log")
    assert line.endswith("step=\"a 'b' step=end\" done=1 of=2")


def test_stages_are_logged_without_the_names_of_people(tmp_path):
    """A stage that names who contributed is logged without the name."""
    from equiproof.cli.console import stages

    with steps.running("ceremony verify", tmp_path / "a.log", None), stages("checking", quiet=True) as report:
        report("checking step 1 of 2 (alice@example.org)", 1, 2)
    assert "step 1 of 2" in (tmp_path / "a.log").read_text()
    assert "alice" not in (tmp_path / "a.log").read_text()


def test_progress_is_logged_now_and_then(tmp_path, monkeypatch):
    """Of many ticks the last one is a line; others only where time has passed."""
    with steps.running("prove", tmp_path / "a.log", None):
        tick = steps.at_times("proving")
        for done in range(1, 101):
            tick(done, 100)
    (line,) = lines_of(tmp_path / "a.log")
    assert line.endswith("done=100 of=100")
