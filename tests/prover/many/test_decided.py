"""Many decisions with receipts: made whole or not at all, and each certificate is about the very receipt."""

import json
import pickle
import shutil
import stat
from dataclasses import replace

import pytest

from equiproof.certify.data.rows import RowsError
from equiproof.certify.errors import RunError
from equiproof.certify.guardrail import FORMAT, VERSION, Condition, GuardrailFile
from equiproof.circuits.canonical import canonical_bytes
from equiproof.circuits.files import FileExistsRefusedError
from equiproof.prover import Opening
from equiproof.prover.many import decided as receipts
from equiproof.prover.many.decided import Behind, decide_all, read_decided
from equiproof.prover.many.engines import crew
from equiproof.prover.many.examine import Examiner
from equiproof.prover.many.run import Run
from equiproof.prover.many.task import Task, prove_row
from equiproof.verifier.certificate import parse_certificate
from equiproof.verifier.entries import parse_entry
from equiproof.verifier.errors import CertificateFormatError
from equiproof.verifier.receipt import parse_receipt
from equiproof.verifier.tlog_proof import TlogProof
from tests.prover.many.test_run import comparable
from tests.prover.many.world import go, told
from tests.support import LOANS, network

PERSON = 2
"""The row that the model treats unfairly."""


def silent(done, total):
    """Show nothing."""


@pytest.fixture(scope="module")
def march(many, tmp_path_factory):
    """The receipts of the table, as `receipt new` leaves them."""
    folder = tmp_path_factory.mktemp("receipts") / "march"
    labels = decide_all(Behind(many.owned.opening), many.applicants(), folder, silent)
    assert [row for row, label in labels.items() if label is None] == [PERSON]
    return folder


@pytest.fixture(scope="module")
def certified(many, march):
    """What a worker made for each of these decisions."""
    applicants = read_decided(march, many.owned.opening)
    tasks = (Task(one.row, one.features, one.context, one.fixed.blinding) for one in applicants)
    with crew("local", many.setting(), 1) as ready:
        return list(ready.engine(tasks))


@pytest.fixture
def mine(march, tmp_path):
    """A copy of the receipts, to be changed."""
    return shutil.copytree(march, tmp_path / "march")


def run_of(many, march, folder):
    """Return a run over decisions with receipts."""
    applicants = read_decided(march, many.owned.opening)
    return Run(folder, many.header(applicants), applicants, Examiner(many.owned.opening, many.owned.key))


def place(folder, row=1):
    """Return the folder of a row's decision."""
    return folder / "applicants" / f"2026%2F{row}"


def receipt_at(folder):
    """Read the receipt of a folder."""
    return parse_receipt((folder / "receipt.json").read_bytes(), "receipt.json")


def change(path, **fields):
    """Write a document with some of its fields replaced."""
    path.write_bytes(canonical_bytes(json.loads(path.read_bytes()) | fields))


def test_receipts_of_a_table_are_read_as_they_were_made(many, march):
    """Names, data and contexts are the table's; a folder of folders is read alike, as single decisions leave it."""
    read = read_decided(march, many.owned.opening)
    assert [replace(one, fixed=None) for one in read] == many.applicants()
    assert len({one.fixed.receipt.digest for one in read}) == len(read)
    assert read_decided(march / "applicants", many.owned.opening) == read
    assert "income" not in repr(read)
    assert str(read[0].fixed.blinding) not in repr(read)


def test_the_log_gets_all_entries_in_one_file(march):
    """A line for each row, in the order of the table; files with salt, data or blinding are for their owner only."""
    entries = (march / "entries.jsonl").read_bytes().splitlines()
    assert [parse_entry(line, "line").receipt for line in entries] == [
        receipt_at(place(march, row)).digest for row in range(1, 6)
    ]
    assert [(place(march, row) / "entry.json").read_bytes() for row in range(1, 6)] == entries
    modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in march.rglob("*.json*")}
    assert {name for name, mode in modes.items() if mode == 0o600} == {"receipt.json", "query.json", "context.json"}


def test_receipts_are_made_whole_or_not_at_all(many, march, tmp_path, monkeypatch):
    """Whatever ends it, no receipt is left of a table that was not finished; and none is ever written over."""
    before = (march / "entries.jsonl").read_bytes()
    with pytest.raises(FileExistsRefusedError):
        decide_all(Behind(many.owned.opening), many.applicants(), march, silent)
    assert (march / "entries.jsonl").read_bytes() == before

    def interrupted(done, total):
        if done == 3:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        decide_all(Behind(many.owned.opening), many.applicants(), tmp_path / "march", interrupted)
    assert list(tmp_path.iterdir()) == []


def test_processes_decide_as_one_does(many, march, tmp_path, monkeypatch):
    """In whatever order they end: the same labels by row, entries in the order of the table, receipts that are read."""
    monkeypatch.setattr(receipts, "_BATCH", 1)
    folder, ticks = tmp_path / "march", []
    labels = decide_all(Behind(many.owned.opening), many.applicants(), folder, lambda *done: ticks.append(done), jobs=3)
    assert list(labels.items()) == [(row, receipt_at(place(march, row)).label) for row in range(1, 6)]
    assert ticks == [(done, 5) for done in range(1, 6)]
    lines = (folder / "entries.jsonl").read_bytes().splitlines()
    assert lines == [(place(folder, row) / "entry.json").read_bytes() for row in range(1, 6)]
    assert [replace(one, fixed=None) for one in read_decided(folder, many.owned.opening)] == many.applicants()


def test_processes_that_are_interrupted_leave_nothing(many, tmp_path, monkeypatch):
    """No part of a folder, however far the others were."""
    monkeypatch.setattr(receipts, "_BATCH", 1)

    def interrupted(done, total):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        decide_all(Behind(many.owned.opening), many.applicants(), tmp_path / "march", interrupted, jobs=2)
    assert list(tmp_path.iterdir()) == []


def test_each_certificate_is_about_its_receipt(many, march, certified, tmp_path):
    """Receipt and files lie together; the manifest names every receipt, also that of a row without a certificate."""
    entries = go(run_of(many, march, tmp_path), told(certified))
    for row, entry in entries.items():
        receipt = receipt_at(place(march, row))
        assert entry.receipt == receipt.digest
        if row == PERSON:
            assert (entry.verdict, entry.files) == ("unfair", {})
            assert not place(tmp_path, row).exists()
            continue
        certificate = parse_certificate((place(tmp_path, row) / "certificate.json").read_bytes(), "certificate")
        receipt.refuse_other(certificate.to_statement())
        for name in ("receipt.json", "query.json", "context.json"):
            assert (place(tmp_path, row) / name).read_bytes() == (place(march, row) / name).read_bytes()
            assert stat.S_IMODE((place(tmp_path, row) / name).stat().st_mode) == 0o600
        assert f"2026%2F{row}/receipt.json" in entry.files


def test_a_run_with_receipts_is_resumed_with_the_same_ones(many, march, mine, certified, tmp_path):
    """A finished row is only read; new receipts of the same applicants are another run."""
    folder, asked = tmp_path / "out", []
    with pytest.raises(RunError, match="no worker finished"):
        go(run_of(many, march, folder), lambda tasks: (one for one in certified if one.row < 4))
    go(run_of(many, march, folder), told(certified, asked), resume=True)
    assert sorted(asked) == [4, 5]
    shutil.rmtree(mine)
    decide_all(Behind(many.owned.opening), many.applicants(), mine, silent)
    with pytest.raises(RunError, match="different applicants"):
        go(run_of(many, mine, folder), told(certified), resume=True)
    with pytest.raises(RunError, match="different applicants"):
        go(many.run(folder), told(certified), resume=True)


def test_a_certificate_about_something_else_is_refused(many, march, made, tmp_path):
    """A worker that draws a fresh blinding proves the same decision honestly, and it is not the receipt's."""
    with pytest.raises(RunError, match=r"row 1: a worker sent what does not hold: .*other data than the receipt"):
        go(run_of(many, march, tmp_path), told(made))
    assert list(tmp_path.iterdir()) == []


def test_a_certificate_with_another_decision_is_refused(many, march, certified, tmp_path):
    """Also where the receipt came to say something else after it was read: the last look is at the receipt itself."""
    run = run_of(many, march, tmp_path)
    first = run.applicants[0]
    for label, said in ((None, "a person decides"), (1 - first.fixed.receipt.label, "another decision")):
        receipt = parse_receipt(
            canonical_bytes(json.loads(canonical_bytes(first.fixed.receipt)) | {"label": label}), "receipt"
        )
        one = replace(first, fixed=replace(first.fixed, receipt=receipt))
        with pytest.raises(RunError, match=said):
            run.examiner.entry(one, certified[0], "now")


MISFITS = {
    "other data": (lambda at: shutil.copy(place(at, 3) / "query.json", place(at)), "other data than query.json"),
    "another blinding": (lambda at: change(place(at) / "query.json", blinding="00" * 32), "other data than query.json"),
    "another context": (lambda at: shutil.copy(place(at, 3) / "context.json", place(at)), "not for context.json"),
    "no decision": (lambda at: change(place(at) / "receipt.json", label=None), "another decision than the model's"),
    "another decision": (
        lambda at: change(place(at) / "receipt.json", label=1 - receipt_at(place(at)).label),
        "another decision than the model's",
    ),
    "a decision for a person's": (
        lambda at: change(place(at, PERSON) / "receipt.json", label=0),
        "another decision than the model's",
    ),
    "one receipt twice": (lambda at: shutil.copytree(place(at), place(at, 9)), "have the same receipt"),
    "another's log proof": (
        lambda at: (place(at) / "receipt.tlog-proof").write_bytes(
            TlogProof(0, (), b"checkpoint\n", (place(at, 3) / "entry.json").read_bytes()).data
        ),
        "about another entry than the receipt's",
    ),
    "no log proof": (lambda at: (place(at) / "receipt.tlog-proof").write_bytes(b"x"), "not a log proof"),
    "a name in control characters": (lambda at: shutil.move(place(at), place(at).with_name("a\nb")), "cannot be print"),
    "nobody": (lambda at: [shutil.rmtree(one) for one in (at / "applicants").iterdir()], "no decision with a receipt"),
}


@pytest.mark.parametrize("misfit", MISFITS)
def test_files_that_do_not_fit_their_receipt_are_named(many, mine, misfit):
    """Before anything is proven, one line names the file."""
    spoil, said = MISFITS[misfit]
    spoil(mine)
    with pytest.raises(RowsError, match=said):
        read_decided(mine, many.owned.opening)


def test_a_decision_without_its_files_is_named(many, mine):
    """A folder that is none of a decision, and a receipt that is none."""
    (place(mine) / "query.json").write_bytes(b"{}")
    with pytest.raises(CertificateFormatError, match=r"query\.json"):
        read_decided(mine, many.owned.opening)
    (place(mine) / "receipt.json").unlink()
    with pytest.raises(FileNotFoundError, match=r"receipt\.json"):
        read_decided(mine, many.owned.opening)


@pytest.fixture
def guarded(many, tmp_path):
    """Receipts made behind a guardrail whose only rule holds for the first row."""
    rows = many.applicants()
    first = str(rows[0].features["income"])
    assert [str(one.features["income"]) for one in rows].count(first) == 1
    rules = ((Condition("income", least=first, most=first),),)
    digests = many.owned.opening.digests()
    rule = GuardrailFile(
        *(FORMAT, VERSION, digests["model_commitment"], digests["spec_digest"], "refer", rules, "5a" * 32)
    )
    labels = decide_all(Behind(many.owned.opening, rule), rows, tmp_path / "guarded", silent)
    assert [row for row, label in labels.items() if label is None] == [1, PERSON]
    return tmp_path / "guarded", rule


def test_whom_a_rule_stops_has_no_certificate_and_stops_no_run(many, guarded, tmp_path):
    """The row is undecided, and no worker is asked about it; certificates of the others are about their receipts."""
    folder, rule = guarded
    applicants = read_decided(folder, many.owned.opening)
    assert {one.context["guardrail"] for one in applicants} == {rule.digest}
    assert [one.row for one in applicants if one.fixed.stopped] == [1]
    asked = []
    with crew("local", many.setting(), 1) as ready:

        def watched(tasks):
            return ready.engine(one for one in tasks if asked.append(one.row) is None)

        entries = go(run_of(many, folder, tmp_path / "out"), watched)
    assert asked == [PERSON, 3, 4, 5]
    assert (entries[1].verdict, entries[1].reason, entries[1].files) == ("undecided", "guardrail", {})
    assert {row: one.verdict for row, one in entries.items() if row != 1} == {
        PERSON: "unfair", 3: "fair", 4: "fair", 5: "fair",
    }  # fmt: skip
    assert not place(tmp_path / "out").exists()
    certificate = parse_certificate((place(tmp_path / "out", 3) / "certificate.json").read_bytes(), "certificate")
    receipt_at(place(folder, 3)).refuse_other(certificate.to_statement())


def test_only_behind_a_guardrail_a_decision_may_be_withheld(many, guarded):
    """A receipt with another label than the model's is refused there too."""
    folder, _ = guarded
    change(place(folder, 3) / "receipt.json", label=None)
    assert [one.row for one in read_decided(folder, many.owned.opening) if one.fixed.stopped] == [1, 3]
    change(place(folder, 4) / "receipt.json", label=1 - receipt_at(place(folder, 4)).label)
    with pytest.raises(RowsError, match="another decision than the model's"):
        read_decided(folder, many.owned.opening)


def test_receipts_of_another_model_are_refused(many, march):
    """Who decided with one model certifies no decision with another."""
    other = Opening.of(network(LOANS, (2, 2), 15), LOANS, blinding=7)
    with pytest.raises(RowsError, match="another model than the opening"):
        read_decided(march, other)


def test_more_decisions_than_rows_are_read_are_refused(many, march, monkeypatch):
    """The limit is that of a table."""
    monkeypatch.setattr(receipts, "MAX_ROWS", 4)
    with pytest.raises(RowsError, match="5 decisions; at most 4 are read"):
        read_decided(march, many.owned.opening)


def test_a_log_proof_goes_to_the_applicant(many, mine, certified, tmp_path):
    """It lies beside the receipt; one that is not there is not missed."""
    data = TlogProof(0, (), b"checkpoint\n", (place(mine) / "entry.json").read_bytes()).data
    (place(mine) / "receipt.tlog-proof").write_bytes(data)
    go(run_of(many, mine, tmp_path / "out"), told(certified))
    found = sorted(path.relative_to(tmp_path / "out" / "applicants") for path in (tmp_path / "out").rglob("*.tlog-*"))
    assert [str(path) for path in found] == ["2026%2F1/receipt.tlog-proof"]
    assert (tmp_path / "out" / "applicants" / found[0]).read_bytes() == data


def test_what_travels_to_a_worker(many, march):
    """A task has data, context and blinding of its row, as personal as each other; the receipt's salt stays here."""
    one = read_decided(march, many.owned.opening)[0]
    task = Task(one.row, one.features, one.context, one.fixed.blinding)
    assert one.fixed.receipt.salt.encode() not in pickle.dumps(task)
    assert str(one.fixed.blinding) not in repr(task)


@pytest.mark.slow
def test_two_jobs_give_certificates_about_the_receipts(many, march, certified, tmp_path):
    """The blinding reaches other processes as features do: the manifest is that of one job."""
    with crew("local", many.setting(), 2) as ready:
        go(run_of(many, march, tmp_path / "2"), ready.engine)
    go(run_of(many, march, tmp_path / "1"), told(certified))
    assert comparable(tmp_path / "2") == comparable(tmp_path / "1")


def test_the_worker_proves_with_the_given_blinding(many, march):
    """And with no other: the query file it sends back is the one of the decision, byte for byte."""
    one = read_decided(march, many.owned.opening)[2]
    made = prove_row(many.setting(), Task(one.row, one.features, one.context, one.fixed.blinding))
    assert made.query == (place(march, 3) / "query.json").read_bytes()
