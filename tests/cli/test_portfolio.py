"""`certify` with many rows: a summary, a file of results, a file to resume from, and the worst verdict as exit code."""

import json
import os
import random
import signal
import stat
import subprocess
import time

import msgspec
import pytest

from equiproof.certify.data import load
from equiproof.certify.many.certifier import Certifier
from equiproof.certify.many.results import Results
from equiproof.prover.opening import Opening
from tests.cli.world import SCRIPT, Outcome
from tests.support import RATES, applicant, network

COUNT = 12


@pytest.fixture(scope="module")
def applicants(world, tmp_path_factory):
    """A file of a dozen rows, the last of which the model treats unfairly."""
    data = load("lending")
    rows = [dict(data.rows[index]) for index in data.test[:COUNT]]
    path = tmp_path_factory.mktemp("rows") / "rows.json"
    path.write_text(json.dumps([*rows[:-1], json.loads(world.unfair.read_bytes())]))
    return path


@pytest.fixture(scope="module")
def fair(applicants, world, tmp_path_factory):
    """Those of the rows that are treated fairly."""
    rows = json.loads(applicants.read_bytes())
    results = Certifier(world.owned.network, world.owned.spec, scheme="traversal", progress=False).certify(rows)
    path = tmp_path_factory.mktemp("fair") / "rows.json"
    path.write_text(json.dumps([rows[point.row - 1] for point in results.having("fair")]))
    return path


def untimed(results):
    """Return the points without what the machine decides."""
    return [msgspec.structs.replace(point, seconds=0.0) for point in results]


def test_results_are_those_of_the_certifier(world, cli, applicants, tmp_path):
    """The file that is written, the JSON that is printed and the Python interface agree; the file is the owner's."""
    out = tmp_path / "results.json"
    outcome = cli(*world.certify("--out", out, "--json", row=applicants))
    assert (outcome.code, outcome.err) == (3, "")
    rows = json.loads(applicants.read_bytes())
    known = Certifier(world.owned.network, world.owned.spec, scheme="traversal", progress=False).certify(rows)
    assert untimed(Results.from_json(out.read_bytes())) == untimed(known)
    assert outcome.document == json.loads(out.read_bytes())
    assert stat.S_IMODE(out.stat().st_mode) == 0o600


def test_the_summary_names_the_rows_that_are_not_fair(world, cli, applicants, tmp_path):
    """Text has the summary, the unfair rows by number, and where the rest is."""
    out = tmp_path / "results.json"
    outcome = cli(*world.certify("--out", out, row=applicants))
    results = Results.from_json(out.read_bytes())
    assert " ".join(outcome.out.split()).startswith(" ".join(results.summary().split()))
    assert max(map(len, outcome.out.splitlines()[:-1])) <= 80 < max(map(len, results.summary().splitlines()))
    rows = ", ".join(str(point.row) for point in results.having("unfair"))
    assert f"unfair rows: {rows}\n" in outcome.out
    assert str(COUNT) in rows
    assert outcome.out.endswith(f"every row is in {out}\n")


def test_the_exit_code_is_the_worst_verdict(world, cli, applicants, fair):
    """0 where all are fair, 4 where a budget ended and nobody is unfair, 3 where somebody is."""
    assert cli(*world.certify(row=fair)).code == 0
    few = cli(*world.certify("--max-regions", "2", row=fair))
    assert few.code == 4
    assert "ended by the budget of regions" in few.out
    assert cli(*world.certify("--max-regions", "2", row=applicants)).code == 3


def test_a_resumed_run_is_the_same_run(world, cli, applicants, tmp_path):
    """A run with two processes and a file to resume from finds the same twice, the second time for free."""
    run, first, second = tmp_path / "run.jsonl", tmp_path / "1.json", tmp_path / "2.json"
    assert cli(*world.certify("--jobs", "2", "--resume", run, "--out", first, row=applicants)).code == 3
    kept = run.read_bytes()
    outcome = cli(*world.certify("--resume", run, "--out", second, row=applicants))
    assert (outcome.code, outcome.err) == (3, "")
    assert run.read_bytes() == kept
    assert first.read_bytes() == second.read_bytes()


def test_ctrl_c_ends_a_run_with_130(tmp_path):
    """One line and no traceback, whatever the number of processes; finished rows are kept, and no results written."""
    rng = random.Random(2)
    rows, opening, run, out = (tmp_path / name for name in ("rows.json", "opening.json", "run.jsonl", "results.json"))
    rows.write_text(json.dumps([applicant(RATES, rng) for _ in range(20)]))
    opening.write_bytes(Opening.of(network(RATES, (24, 16), 4, sensitivity=0.02), RATES, blinding=5).secret())
    words = [
        "certify",
        rows,
        "--opening",
        opening,
        "--jobs",
        "2",
        "--resume",
        run,
        "--out",
        out,
        "--scheme",
        "traversal",
        "--max-regions",
        "600",
    ]
    process = subprocess.Popen(
        [SCRIPT, *map(str, words)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),  # noqa: PLW1509  # shells may ignore it
    )
    while not run.exists() or run.read_bytes().count(b"\n") < 3:
        assert process.poll() is None, process.communicate()
        time.sleep(0.02)
    os.killpg(process.pid, signal.SIGINT)
    outcome = Outcome(process.wait(60), *process.communicate())
    assert outcome.complaint(130) == "equiproof: interrupted\n"
    assert (run.read_bytes().count(b"\n") >= 3, out.exists()) == (True, False)


def test_nothing_is_overwritten_unasked(world, cli, fair, tmp_path):
    """A file in the way of the results is refused before any search, and overwritten with --force."""
    out, run = tmp_path / "results.json", tmp_path / "run.jsonl"
    out.write_text("mine")
    cli(*world.certify("--out", out, "--resume", run, row=fair)).complaint(2, out, "--force")
    assert (out.read_text(), run.exists()) == ("mine", False)
    assert cli(*world.certify("--out", out, "--force", row=fair)).code == 0
    assert len(Results.from_json(out.read_bytes())) == len(json.loads(fair.read_bytes()))


def test_a_file_of_another_run_is_refused_in_one_line(world, cli, fair, tmp_path):
    """Other limits, or a file that is something else: exit 2, and the file stays."""
    run = tmp_path / "run.jsonl"
    assert cli(*world.certify("--resume", run, row=fair)).code == 0
    cli(*world.certify("--resume", run, "--exact", row=fair)).complaint(2, run, "exact")
    other = tmp_path / "opening.json"
    other.write_bytes(world.opening.read_bytes())
    cli(*world.certify("--resume", other, row=fair)).complaint(2, other, "no file to resume from")
    assert other.read_bytes() == world.opening.read_bytes()


def test_one_row_with_a_file_of_results_is_a_run_too(world, cli, tmp_path):
    """A single applicant has a file of results where one is asked for, and the report where none is."""
    out = tmp_path / "results.json"
    assert cli(*world.certify("--out", out)).code == 0
    assert len(Results.from_json(out.read_bytes())) == 1
    assert cli(*world.certify()).out.startswith("FAIR")


@pytest.mark.parametrize("jobs", ["0", "-2", "x"])
def test_a_number_of_jobs_that_is_none_is_refused(world, cli, fair, jobs):
    """Processes are counted from 1, or -1 for one per processor."""
    cli(*world.certify("--jobs", jobs, row=fair)).complaint(2, "jobs")


def test_a_bad_row_is_named_before_any_search(world, cli, applicants, tmp_path):
    """File, row and feature are named, and no file is begun."""
    rows = json.loads(applicants.read_bytes())
    del rows[3]["income"]
    bad, run = tmp_path / "rows.json", tmp_path / "run.jsonl"
    bad.write_text(json.dumps(rows))
    cli(*world.certify("--resume", run, row=bad)).complaint(2, bad, "row 4", "income")
    assert not run.exists()
