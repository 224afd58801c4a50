"""A run keeps what holds, and only that; whatever ended it, the next one goes on from there."""

import csv
import dataclasses
import json
import os
import pickle
import shutil
import signal
import stat
import subprocess
import sys
from dataclasses import replace

import pytest

from equiproof.certify.errors import RunError
from equiproof.circuits import journal
from equiproof.circuits.files import FileExistsRefusedError
from equiproof.prover.errors import KeyStoreError
from equiproof.prover.many import engines, run
from equiproof.prover.many.engines import crew
from equiproof.prover.many.task import Made, Task, prove_row
from equiproof.verifier import AllOf, ForContext, ForQuery, Verifier, parse_context
from equiproof.verifier.documents import load_query
from tests.prover.many.world import VERDICTS, go, lines, told
from tests.support import ROOT, changed, trusting


def comparable(folder):
    """Return a manifest's lines in the order of the rows, without times, and what follows from blindings and proofs."""
    documents = [json.loads(line) for line in lines(folder)]
    for one in documents[1:]:
        one["files"] = sorted(one.get("files", {}))
        for name in ("seconds", "finished", "certificate"):
            one.pop(name, None)
    return [documents[0], *sorted(documents[1:], key=lambda one: one["row"])]


def test_every_fair_row_has_a_certificate_that_verifies(many, made, tmp_path):
    """Files lie in a folder of the applicant's, all but the certificate for their owner only, named by the manifest."""
    entries = go(many.run(tmp_path / "out"), told(made))
    assert tuple(entries[row].verdict for row in sorted(entries)) == VERDICTS
    verifier = Verifier(many.owned.commitment, trusting(many.owned.key))
    for one in many.applicants():
        folder = tmp_path / "out" / "applicants" / one.name
        assert folder.is_dir() == (entries[one.row].verdict == "fair")
        if folder.is_dir():
            context = parse_context((folder / "context.json").read_bytes(), "context.json")
            assert context == one.context
            policy = AllOf(ForQuery(load_query(folder / "query.json")), ForContext(context))
            verified = verifier.verify((folder / "certificate.json").read_bytes(), policy)
            assert verified.identity == entries[one.row].certificate
            modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in folder.iterdir()}
            assert {name for name, mode in modes.items() if mode == 0o600} == {"query.json", "context.json"}
    assert stat.S_IMODE((tmp_path / "out" / "manifest.jsonl").stat().st_mode) == 0o600


def test_a_counterexample_is_the_owners_alone(many, made, tmp_path):
    """The manifest has the decisions under each sensitive value; nothing of them is among what applicants get."""
    entries = go(many.run(tmp_path), told(made))
    (unfair,) = (entry for entry in entries.values() if entry.verdict == "unfair")
    assert {case["label"] for case in unfair.cases} == {"declined", "granted"}
    assert unfair.files == {}
    given = "".join(path.read_text() for path in (tmp_path / "applicants").rglob("*.json"))
    assert not any(logit in given for case in unfair.cases for logit in case["integer_logits"])


def test_what_a_key_has_no_room_for_is_in_the_manifest(many, made, tmp_path):
    """The row says what is missing, and how many are needed; it has no files."""
    without = Made(1, "undecided", {}, reason="rows", size=38)
    entry = go(many.run(tmp_path), told([without, *(one for one in made if one.row != 1)]))[1]
    assert (entry.verdict, entry.reason, entry.size, entry.files) == ("undecided", "rows", 38, {})


def test_an_ended_budget_is_undecided(many, loans, tmp_path):
    """Scheme traversal without time decides nothing; the row counts, and has no file."""
    setting = replace(many.setting(max_seconds=0.0), key=loans.key.folder, fingerprint=loans.key.document.fingerprint)
    one = many.applicants()[0]
    made = prove_row(setting, Task(one.row, one.features, one.context))
    engines.forget()
    assert (made.verdict, made.reason, made.certificate) == ("undecided", "seconds", b"")
    entry = many.run(tmp_path).examiner.entry(one, made, "now")
    assert (entry.verdict, entry.reason, entry.files) == ("undecided", "seconds", {})


def altered(made, row, **fields):
    """Return what was made, with some of one row replaced."""
    return [dataclasses.replace(one, **fields) if one.row == row else one for one in made]


def edited(data, **fields):
    """Return a certificate's bytes with some of its statement replaced."""
    document = json.loads(data)
    document["statement"] |= fields
    return json.dumps(document, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()


LIES = {
    "another applicant's": lambda made: altered(made, 3, certificate=made[0].certificate, query=made[0].query),
    "another applicant's certificate": lambda made: altered(made, 3, certificate=made[0].certificate),
    "another radius": lambda made: altered(made, 3, certificate=edited(made[2].certificate, radius_squared=9)),
    "another label": lambda made: altered(made, 3, certificate=edited(made[2].certificate, label=5)),
    "no certificate": lambda made: altered(made, 3, certificate=b"", query=b""),
    "no query file": lambda made: altered(made, 3, query=b"{}"),
}


@pytest.mark.parametrize("lie", LIES)
def test_nothing_is_kept_on_a_workers_word(many, made, tmp_path, lie):
    """The coordinator verifies every certificate; what does not hold ends the run with nothing of the row written."""
    with pytest.raises(RunError, match=r"row 3: a worker sent what does not hold"):
        go(many.run(tmp_path), told(LIES[lie](made)))
    assert [json.loads(line)["row"] for line in lines(tmp_path)[1:]] == [1, 2]
    assert sorted(path.name for path in (tmp_path / "applicants").iterdir()) == ["2026%2F1"]


def test_a_certificate_for_another_context_is_refused(many, made, tmp_path):
    """An old certificate with an old nonce is no certificate of this run."""
    table = list(csv.reader(many.table.open()))
    table[1][1] = "another-nonce-of-applicant-1"
    path = tmp_path / "rows.csv"
    with path.open("w", newline="") as file:
        csv.writer(file).writerows(table)
    with pytest.raises(RunError, match=r"row 1: .*another statement"):
        go(replace(many, table=path).run(tmp_path / "out"), told(made))


def test_a_row_that_no_worker_finishes_is_named_at_the_end(many, made, tmp_path):
    """All other rows are kept."""
    with pytest.raises(RunError, match=r"^no worker finished 1 row \(4\): .*memory; try again with --resume"):
        go(many.run(tmp_path), lambda tasks: (one for one in made if one.row != 4))
    asked = []
    go(many.run(tmp_path), told(made, asked), resume=True)
    assert asked == [4]


def test_a_finished_run_is_only_read(many, made, tmp_path):
    """Resuming it makes nothing again and changes no byte."""
    go(many.run(tmp_path), told(made))
    before, asked = lines(tmp_path), []
    go(many.run(tmp_path), told(made, asked), resume=True)
    assert (asked, lines(tmp_path)) == ([], before)


def test_a_row_whose_file_is_gone_is_made_again(many, made, tmp_path):
    """The disk may have lost a file that the manifest names: then the row does not count."""
    go(many.run(tmp_path), told(made))
    (tmp_path / "applicants" / "2026%2F3" / "query.json").unlink()
    asked = []
    go(many.run(tmp_path), told(made, asked), resume=True)
    assert asked == [3]
    assert (tmp_path / "applicants" / "2026%2F3" / "query.json").exists()


def test_a_row_whose_file_was_changed_stops_the_run(many, made, tmp_path):
    """Somebody's change is neither kept nor written over."""
    go(many.run(tmp_path), told(made))
    path = tmp_path / "applicants" / "2026%2F3" / "certificate.json"
    path.write_bytes(b"mine")
    with pytest.raises(RunError, match=r"certificate\.json: not the file that the manifest names"):
        go(many.run(tmp_path), told(made), resume=True)
    assert path.read_bytes() == b"mine"


@pytest.mark.parametrize("field", ["model_commitment", "key", "applicants", "context", "bundles", "letter", "disclose"])
def test_another_run_is_not_resumed(many, made, tmp_path, field):
    """One folder has certificates of one model, under one key, for one table."""
    go(many.run(tmp_path), told(made))
    ours = many.run(tmp_path)
    other = {"context": {}, "bundles": True, "letter": {"lender": "x"}, "disclose": True}.get(field, "00")
    with pytest.raises(RunError, match=rf"belongs to another run \(different {field.replace('_', ' ')}\)"):
        go(replace(ours, header=changed(ours.header, **{field: other})), told(made), resume=True)


def test_two_runs_on_one_folder_are_refused(many, made, tmp_path):
    """The second one ends at once, and the first one does not notice."""
    with many.run(tmp_path).manifest(resume=False) as manifest:
        with (
            pytest.raises(RunError, match="another run is writing to it"),
            many.run(tmp_path).manifest(resume=True),
        ):
            pass
        many.run(tmp_path).go(manifest, told(made), run.plain_files, lambda *_: None)


def test_a_folder_with_anything_in_it_is_refused(many, tmp_path):
    """No file is taken for ours, or written over; a folder of another kind is not resumed either."""
    (tmp_path / "letter.txt").write_text("mine")
    for resume in (False, True):
        with pytest.raises(FileExistsRefusedError), many.run(tmp_path).manifest(resume=resume):
            pass
    assert [path.name for path in tmp_path.iterdir()] == ["letter.txt"]


def test_a_run_that_made_nothing_leaves_nothing_in_the_way(many, tmp_path):
    """A cluster that does not answer costs no --resume."""
    with many.run(tmp_path).manifest(resume=False):
        pass
    assert list(tmp_path.iterdir()) == []


def test_a_manifest_that_was_edited_is_refused_with_its_line(many, made, tmp_path):
    """A line is canonical JSON of known fields."""
    go(many.run(tmp_path), told(made))
    path = tmp_path / "manifest.jsonl"
    path.write_bytes(path.read_bytes().replace(b'"row":2', b'"row": 2'))
    with pytest.raises(RunError, match=r"manifest\.jsonl: name another folder \(--out-dir\): line 3: "):
        go(many.run(tmp_path), told(made), resume=True)


@pytest.mark.parametrize("on_the_disk", [True, False])
def test_a_row_counts_once_its_line_is_on_the_disk(many, made, tmp_path, monkeypatch, on_the_disk):
    """Ctrl-C while a line is written: what is said to be kept is what the next run finds, neither more nor less."""
    write = journal.Journal.append

    def interrupted(lines, line):
        if b'"row"' in line:
            if on_the_disk:
                write(lines, line)
            raise KeyboardInterrupt
        write(lines, line)

    one = many.run(tmp_path / "out")
    with one.manifest(resume=False) as manifest:
        monkeypatch.setattr(journal.Journal, "append", interrupted)
        with pytest.raises(KeyboardInterrupt):
            one.go(manifest, told(made), run.plain_files, lambda verdicts, total: None)
        kept = set(manifest.entries)
    assert len(kept) == on_the_disk
    with one.manifest(resume=True) as manifest:
        assert set(manifest.entries) == kept


DEATHS = [("fsync", count) for count in range(1, 10)] + [("rename", 1), ("rename", 2)]

DYING = """
import os, pathlib, pickle, signal, sys
from equiproof.prover.many.run import plain_files
from tests.prover.many.world import go, told
many, made, folder, deaths = pickle.loads(sys.stdin.buffer.read())
def dying(original, left):
    def call(*arguments, **named):
        left[0] -= 1
        if not left[0]:
            os.kill(os.getpid(), signal.SIGKILL)
        return original(*arguments, **named)
    return call
for name, count in deaths:
    if not os.fork():
        owner = os if name == "fsync" else pathlib.Path
        setattr(owner, name, dying(getattr(owner, name), [count]))
        go(many.run(folder / f"{name}-{count}"), told(made))
        os._exit(0)
    print(os.waitstatus_to_exitcode(os.wait()[1]))
"""
"""Runs in child processes, each of which is killed at the n-th call of a system function."""


@pytest.mark.slow
def test_a_run_that_is_killed_anywhere_goes_on(many, made, tmp_path):
    """Whatever the moment: no row that counts is made again, and in the end every file is there and nothing else."""
    given = pickle.dumps((many, made, tmp_path, DEATHS))
    done = subprocess.run(
        [sys.executable, "-c", DYING],
        input=given,
        capture_output=True,
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")])},
        check=True,
    )
    assert done.stdout.split() == [str(-signal.SIGKILL).encode()] * len(DEATHS)
    go(many.run(tmp_path / "whole"), told(made))
    wanted = sorted(path.relative_to(tmp_path / "whole") for path in (tmp_path / "whole").rglob("*"))
    for name, count in DEATHS:
        folder, asked = tmp_path / f"{name}-{count}", []
        kept = [json.loads(line)["row"] for line in lines(folder)[1:]] if (folder / "manifest.jsonl").exists() else []
        go(many.run(folder), told(made, asked), resume=True)
        assert sorted([*kept, *asked]) == [1, 2, 3, 4, 5], (name, count)
        assert sorted(path.relative_to(folder) for path in folder.rglob("*")) == wanted, (name, count)
        assert comparable(folder) == comparable(tmp_path / "whole")


@pytest.mark.slow
def test_one_job_and_two_give_the_same_manifest(many, tmp_path):
    """But for times, blindings, proofs and their digests, and for the order of the lines."""
    for jobs in (1, 2):
        with crew("local", many.setting(), jobs) as ready:
            assert ready.jobs == jobs
            go(many.run(tmp_path / str(jobs)), ready.engine)
    assert comparable(tmp_path / "1") == comparable(tmp_path / "2")


def test_a_worker_takes_nothing_but_what_the_coordinator_saw(many, tmp_path):
    """Another opening, another key, another version, or a key without the owner's mark: none is used."""
    one = many.applicants()[0]
    task = Task(one.row, one.features, one.context)
    other = tmp_path / "opening.json"
    other.write_bytes(many.opening.read_bytes() + b"\n")
    key = shutil.copytree(many.owned.key.folder, tmp_path / "key")
    (key / "owner.json").unlink()
    for wrong, error, said in (
        ({"opening": other}, RunError, "another opening"),
        ({"fingerprint": "00" * 32}, RunError, "another key"),
        ({"versions": (("equiproof", "0.0"),)}, RunError, "the worker has equiproof"),
        ({"key": key}, KeyStoreError, "has no owner.json"),
    ):
        with pytest.raises(error, match=said):
            prove_row(replace(many.setting(), **wrong), task)


def test_nothing_secret_travels(many):
    """A setting has places and digests, no weight, blinding or key."""
    told_to_workers = pickle.dumps(many.setting())
    opening = json.loads(many.opening.read_bytes())
    assert opening["blinding"].encode() not in told_to_workers
    assert len(told_to_workers) < 2000


def test_an_unknown_engine_is_refused(many):
    """The error names those that there are."""
    with pytest.raises(RunError, match=r"want local or dask://ADDRESS"), crew("spark://x:1", many.setting(), 1):
        pass
