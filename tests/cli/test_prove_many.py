"""`equiproof prove --out-dir`: many applicants, one folder, one exit code."""

import json
import os
import signal
import subprocess
import time
from pathlib import Path

import pytest

from equiproof.circuits.exit_codes import EXHAUSTED, INTERRUPTED, MISUSED, OK, UNFAIR
from equiproof.cli.commands.prove_many import _cost
from equiproof.prover.many import engines
from equiproof.prover.many.forecast import Forecast
from equiproof.prover.many.task import Made
from tests.cli.world import SCRIPT, listing


@pytest.fixture
def table(world, tmp_path):
    """A table of two applicants whom the model treats fairly, and between them one whom it does not."""
    path = tmp_path / "rows.jsonl"
    rows = [json.loads(file.read_text()) for file in (world.row, world.unfair, world.other_row)]
    texts = [json.dumps({"application": f"2026/{number}", **row}) for number, row in enumerate(rows, start=1)]
    path.write_text("\n".join(texts) + "\n")
    return path


@pytest.fixture
def common(tmp_path):
    """A context without a nonce."""
    path = tmp_path / "common.json"
    path.write_text('{"policy": "tests", "date": "2026-01-31"}')
    return path


def words(world, table, folder, *more):
    """Return the words of a run into a folder."""
    options = ["--opening", world.opening, "--keys", world.keys, "--out-dir", folder]
    return ["prove", table, *options, *([] if "--jobs" in more else ["--jobs", "1"]), *more]


def test_a_table_becomes_a_folder_for_each_applicant(cli, world, table, common, tmp_path):
    """The summary counts, `verify` takes each folder, and a second run needs --resume and makes nothing again."""
    folder = tmp_path / "out"
    asked = words(world, table, folder, "--id", "application", "--context", common)
    outcome = cli(*asked)
    assert outcome.code == UNFAIR
    assert outcome.out.splitlines()[:2] == ["PROVEN 2 of 3 rows", "  1 unfair: rows 2"]
    assert outcome.err == "3 rows, less than a minute on 2 cores, " + outcome.err.rpartition(", ")[2]
    names = sorted(path.name for path in (folder / "applicants").iterdir())
    assert names == ["2026%2F1", "2026%2F3"]
    given = folder / "applicants" / "2026%2F3"
    checked = cli("verify", given, "--commitment", world.commitment, "--keys", world.keys, "--json")
    assert checked.code == OK
    assert json.loads((given / "context.json").read_text()).keys() == {"policy", "date", "nonce"}
    before = listing(folder)
    cli(*asked).complaint(MISUSED, "manifest.jsonl exists; go on with --resume, or name another folder")
    again = cli(*asked, "--resume", "--json")
    assert again.code == UNFAIR
    assert again.document == {
        "rows": 3, "fair": 2, "unfair": 1, "undecided": 0, "unfair_rows": [2], "undecided_rows": [],
        "folder": str(folder),
    }  # fmt: skip
    assert listing(folder) == before


def test_bundles_and_letters(cli, world, table, common, tmp_path):
    """Each applicant has one file, theirs alone, that verifies; the letter beside it names the application."""
    folder = tmp_path / "out"
    more = ("--id", "application", "--context", common, "--bundles", "--letters", "--lender", "Example Lending")
    assert cli(*words(world, table, folder, *more)).code == UNFAIR
    files = sorted((folder / "applicants").iterdir())
    assert [path.name for path in files] == [
        "2026%2F1.equiproof", "2026%2F1.html", "2026%2F3.equiproof", "2026%2F3.html",
    ]  # fmt: skip
    assert {path.stat().st_mode & 0o777 for path in files} == {0o600}
    assert cli("verify", files[0], "--commitment", world.commitment, "--keys", world.keys).code == OK
    assert "2026/3" in files[3].read_text()
    assert "Example Lending" in files[3].read_text()
    kept = [json.loads(line) for line in (folder / "manifest.jsonl").read_bytes().splitlines()]
    assert kept[0]["letter"] == {"lender": "Example Lending", "link": "", "language": "en"}
    assert set(kept[1]["files"]) == {files[0].name, files[1].name}


def test_letters_beside_files_and_nonces_of_applicants(cli, world, table, tmp_path):
    """Without bundles the letter lies in the applicant's folder; a nonce of the table is in the context."""
    lines = [json.loads(line) | {"chosen": f"chosen-by-applicant-{n}"} for n, line in enumerate(table.open())]
    table.write_text("\n".join(map(json.dumps, lines)))
    folder = tmp_path / "out"
    more = ("--nonce", "chosen", "--letters", "--lender", "Example Lending", "--language", "de")
    assert cli(*words(world, table, folder, *more)).code == UNFAIR
    given = folder / "applicants" / "1"
    assert {path.name for path in given.iterdir()} == {
        "certificate.json", "query.json", "context.json", "letter.html",
    }  # fmt: skip
    assert json.loads((given / "context.json").read_text()) == {"nonce": "chosen-by-applicant-0"}


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (("--out", "c.json"), "--out is for one applicant, without --out-dir"),
        (("--force",), "--force is for one applicant"),
        (("--jobs", "0"), "--jobs: want at least 1"),
        (("--letters",), "--letters needs your name: --lender"),
        (("--lender", "x"), "--lender and --link are for letters: --letters"),
        (("--letters", "--lender", "x", "--language", "tlh"), "'tlh' is not one of"),
        (("--letters", "--lender", "a\u202eb"), "lender "),
        (("--id", "number"), "row 1: no column 'number'"),
        (("--engine", "spark://x"), "want local or dask://ADDRESS"),
        (("--capacity", "2"), "no key for this model"),
    ],
)
def test_a_mistake_is_found_before_anything_begins(cli, world, table, tmp_path, more, said):
    """One line says what is wrong, and no file is left."""
    folder = tmp_path / "out"
    error = cli(*words(world, table, folder, *more)).complaint(MISUSED)
    assert said in error
    assert not folder.exists() or not list(folder.iterdir())


def test_one_applicant_takes_no_options_of_many(cli, world, tmp_path):
    """Nothing is ignored silently, and both files are asked for."""
    cli(*world.prove(tmp_path, "--resume")).complaint(MISUSED, "--resume is for many: --out-dir")
    cli("prove", world.row, "--opening", world.opening, "--keys", world.keys, "--out", tmp_path / "c.json").complaint(
        MISUSED, "--query-out is missing"
    )
    assert list(tmp_path.iterdir()) == []


def test_a_nonce_for_all_is_refused(cli, world, table, tmp_path):
    """An applicant who knows their own nonce would know everybody's."""
    outcome = cli(*words(world, table, tmp_path / "out", "--context", world.context))
    outcome.complaint(MISUSED, f"{world.context}: field nonce: each applicant has one of their own")


def test_a_bad_row_among_good_ones_is_named(cli, world, table, tmp_path):
    """Row 3 of three: nothing was searched or proven before."""
    table.write_text(table.read_text().replace('"age"', '"aeg"').replace('"aeg"', '"age"', 2))
    cli(*words(world, table, tmp_path / "out")).complaint(MISUSED, "row 3", "age")
    assert not (tmp_path / "out").exists()


def test_a_folder_that_cannot_be_written_is_named(cli, world, table, tmp_path):
    """Before the forecast."""
    (tmp_path / "out").write_text("a file")
    cli(*words(world, table, tmp_path / "out")).complaint(MISUSED, tmp_path / "out")


def test_an_undecided_row_is_no_unfair_one(cli, world, table, tmp_path, monkeypatch):
    """Unfair rows weigh more than undecided ones: 3 before 4."""
    original = engines.prove_row

    def ended(setting, task):
        made = original(setting, task)
        return made if made.verdict == "unfair" else Made(task.row, "undecided", {}, reason="digits")

    monkeypatch.setattr(engines, "prove_row", ended)
    outcome = cli(*words(world, table, tmp_path / "all"))
    assert (outcome.code, outcome.out.splitlines()[:3]) == (
        UNFAIR, ["PROVEN 0 of 3 rows", "  1 unfair: rows 2", "  2 undecided: rows 1, 3"]
    )  # fmt: skip
    table.write_text(table.read_text().splitlines()[0])
    assert cli(*words(world, table, tmp_path / "one")).code == EXHAUSTED


def test_the_forecast_in_words():
    """Orders of magnitude, in a unit that fits."""
    said = [
        _cost(Forecast(rows, seconds, 812.3, more), 2)
        for rows, seconds, more in ((1, 3, False), (1000, 420, False), (10**6, 172_000, False), (50, 6000, True))
    ]
    assert said == [
        "1 row, less than a minute on 2 cores, 812 MB of memory",
        "1,000 rows, about 7 minutes on 2 cores, 812 MB of memory",
        "1,000,000 rows, about 48 hours on 2 cores, 812 MB of memory",
        "50 rows, more than 100 minutes on 2 cores, 812 MB of memory",
    ]


@pytest.mark.slow
@pytest.mark.parametrize("stop", [signal.SIGINT, signal.SIGKILL])
def test_a_run_that_was_stopped_goes_on(cli, world, table, tmp_path, stop):
    """After Ctrl-C or kill -9, no worker is left, finished rows stay, and --resume says how many."""
    text = table.read_text()
    table.write_text(text * 4)
    folder = tmp_path / "out"
    asked = list(map(str, words(world, table, folder, "--jobs", "2")))
    process = subprocess.Popen(
        [SCRIPT, *asked], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),  # noqa: PLW1509  # shells may ignore it
    )  # fmt: skip
    manifest = folder / "manifest.jsonl"
    while not manifest.exists() or manifest.read_bytes().count(b"\n") < 3:
        assert process.poll() is None, process.communicate()
        time.sleep(0.02)
    process.send_signal(stop)
    _, said = process.communicate()
    assert process.returncode == (INTERRUPTED if stop == signal.SIGINT else -stop)
    kept = manifest.read_bytes().count(b"\n") - 1
    if stop == signal.SIGINT:
        assert f"{kept} of 12 rows are kept; --resume proves the others\n" in said
    for _ in range(100):
        try:
            os.killpg(process.pid, 0)
        except ProcessLookupError:
            break
        time.sleep(0.1)
    else:
        raise AssertionError("a worker is left")
    outcome = cli(*asked, "--resume")
    assert outcome.code == UNFAIR
    assert f"{kept} of 12 rows are kept\n" in outcome.err
    assert outcome.out.startswith("PROVEN 8 of 12 rows\n")
    assert len({json.loads(line)["row"] for line in manifest.read_bytes().splitlines()[1:]}) == 12


@pytest.mark.slow
def test_a_worker_that_was_killed_is_replaced_and_said(cli, world, table, tmp_path):
    """Killed with -9, it costs its own row, which another one proves: the run goes on, and one line says so."""
    table.write_text(table.read_text() * 4)
    asked = list(map(str, words(world, table, tmp_path / "out", "--jobs", "2")))
    process = subprocess.Popen([SCRIPT, *asked], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    manifest = tmp_path / "out" / "manifest.jsonl"
    while not manifest.exists() or manifest.read_bytes().count(b"\n") < 3:
        assert process.poll() is None, process.communicate()
        time.sleep(0.02)
    children = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
    os.kill(int(children[0]), signal.SIGKILL)
    said, noted = process.communicate()
    assert (process.returncode, said.splitlines()[0]) == (UNFAIR, "PROVEN 8 of 12 rows")
    assert noted.splitlines()[1:] == [
        "1 process was ended from outside, perhaps for lack of memory (fewer --jobs take less), and replaced"
    ]
    assert len({json.loads(line)["row"] for line in manifest.read_bytes().splitlines()[1:]}) == 12
