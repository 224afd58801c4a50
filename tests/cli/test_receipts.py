"""`equiproof receipt new`, and the certificate that is made later about that very receipt."""

import hashlib
import json

import msgspec
import pytest

from equiproof.certify.guardrail import FORMAT, VERSION, Condition, GuardrailFile
from equiproof.circuits.exit_codes import MISUSED, REFUSED, UNFAIR
from equiproof.prover.opening import load_opening
from equiproof.verifier.bundle import parse_bundle
from equiproof.verifier.certificate import parse_certificate
from equiproof.verifier.entries import parse_entry
from equiproof.verifier.receipt import parse_receipt
from tests.cli.world import World, command
from tests.register.log_folder import LogFolder
from tests.register.samples import LOG, OTHER_LOG, decisions


@pytest.fixture(scope="module")
def decided(world: World, tmp_path_factory):
    """The folder of a decision about the first applicant."""
    folder = tmp_path_factory.mktemp("decided") / "decision"
    outcome = command("receipt", "new", world.row, "--opening", world.opening, "--out", folder, "--json")
    assert outcome.code == 0, outcome.err
    assert outcome.document["receipt"] == receipt_of(folder).digest
    return folder


def receipt_of(folder):
    """Read the receipt of a decision."""
    return parse_receipt((folder / "receipt.json").read_bytes(), "receipt.json")


def proof(world, folder, out, *more, **changed):
    """Return the words of a proof about a decision."""
    at = {"row": folder / "query.json", "context": folder / "context.json"} | changed
    keys = ("--opening", changed.get("opening", world.opening), "--keys", world.keys)
    return ["prove", at["row"], *keys, "--context", at["context"], "--out", out, *more]


def test_what_a_decision_leaves(decided):
    """Receipt, query and context are for two people's eyes; the entry, which says nothing, is for everybody's."""
    modes = {path.name: path.stat().st_mode & 0o777 for path in decided.iterdir()}
    assert modes == {"receipt.json": 0o600, "query.json": 0o600, "context.json": 0o600, "entry.json": 0o644}
    assert parse_entry((decided / "entry.json").read_bytes(), "entry").receipt == receipt_of(decided).digest
    assert len(json.loads((decided / "context.json").read_bytes())["nonce"]) >= 16


def test_the_certificate_is_about_the_receipt(world, decided, tmp_path, cli):
    """With query file and context of the decision the statement is the receipt's, and it verifies with those files."""
    out = tmp_path / "certificate.json"
    outcome = cli(*proof(world, decided, out, "--receipt", decided / "receipt.json", "--json"))
    assert outcome.code == 0, outcome.err
    assert [path.name for path in tmp_path.iterdir()] == ["certificate.json"]
    receipt_of(decided).refuse_other(parse_certificate(out.read_bytes(), "certificate").to_statement())
    files = {"certificate": out, "query": decided / "query.json", "context": decided / "context.json"}
    assert cli(*world.verify(**files)).code == 0


def test_a_certificate_about_something_else_is_not_written(world, decided, tmp_path, cli):
    """Another context, fresh blinding or another model: the receipt is of none of these, and no file is left."""
    receipt = ("--receipt", decided / "receipt.json")
    out = tmp_path / "certificate.json"
    said = cli(*proof(world, decided, out, *receipt, context=world.context))
    said.complaint(REFUSED, "another context than the receipt")
    fresh = ("--query-out", tmp_path / "query.json")
    said = cli(*proof(world, decided, out, *receipt, *fresh, row=world.row))
    said.complaint(REFUSED, "other data than the receipt")
    assert not list(tmp_path.iterdir())


@pytest.mark.slow
def test_an_owner_who_certifies_with_another_model(world, decided, tmp_path):
    """The other model is committed and proven honestly: its certificate is not about the receipt."""
    other = tmp_path / "other"
    assert command("commit", world.model, "--out", other).code == 0
    out = tmp_path / "certificate.json"
    words = proof(world, decided, out, "--receipt", decided / "receipt.json", opening=other / "opening.json")
    command(*words).complaint(REFUSED, "another model than the receipt")
    assert not out.exists()


def test_a_person_decides_about_the_unfairly_treated(world, tmp_path, cli):
    """Where sensitive values lead to different decisions the receipt says so, and no certificate follows."""
    folder = tmp_path / "decision"
    outcome = cli("receipt", "new", world.unfair, "--opening", world.opening, "--out", folder)
    assert "a person decides" in outcome.out
    assert receipt_of(folder).label is None
    assert cli(*proof(world, folder, tmp_path / "c.json", "--receipt", folder / "receipt.json")).code == 3


@pytest.fixture
def guardrail(world, tmp_path):
    """A guardrail of the model whose only rule holds for the first applicant."""
    owned = load_opening(world.opening)
    row = json.loads(world.row.read_bytes())
    feature = next(one.name for one in owned.spec.plain_features if one.kind == "numeric")
    end = str(row[feature])
    digests = owned.digests()
    rules = ((Condition(feature, least=end, most=end),),)
    return GuardrailFile(
        *(FORMAT, VERSION, digests["model_commitment"], digests["spec_digest"], "refer", rules, "5a" * 32)
    )


def test_a_person_decides_about_whom_a_rule_stops(world, guardrail, tmp_path, cli):
    """The receipt has no label and its context the file's SHA-256, also of one whom no rule stops."""
    path = tmp_path / "guardrail.json"
    path.write_bytes(guardrail.to_bytes())
    new = ("receipt", "new", world.row, "--opening", world.opening, "--guardrail", path)
    outcome = cli(*new, "--out", tmp_path / "one")
    assert "decision: a person decides: rule 1 of the guardrail" in outcome.out
    assert receipt_of(tmp_path / "one").label is None
    named = {"guardrail": hashlib.sha256(path.read_bytes()).hexdigest()}
    assert json.loads((tmp_path / "one" / "context.json").read_bytes()).items() >= named.items()
    many = cli(*new, "--out-dir", tmp_path / "many", "--json")
    assert (many.document["rows"], many.document["person_rows"]) == (1, [1])
    other = tmp_path / "other.json"
    other.write_bytes(msgspec.structs.replace(guardrail, rules=()).to_bytes())
    assert cli(*new[:-1], other, "--out", tmp_path / "free").code == 0
    assert receipt_of(tmp_path / "free").label is not None


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"commitment": "00" * 32}, "field commitment: of another model than the opening"),
        ({"commitment": ""}, "field commitment: of no committed model"),
        ({"action": "refuse"}, "field action: want refer"),
        (
            {"spec_digest": "00" * 32},
            "field spec_digest: make the guardrail again for this model: it was made for another spec",
        ),
    ],
)
def test_a_guardrail_that_does_not_fit_decides_nothing(world, guardrail, tmp_path, cli, change, said):
    """One line names file and field, and no folder is made."""
    path = tmp_path / "guardrail.json"
    path.write_bytes(msgspec.structs.replace(guardrail, **change).to_bytes())
    new = ("receipt", "new", world.row, "--opening", world.opening, "--guardrail", path, "--out", tmp_path / "one")
    cli(*new).complaint(MISUSED, path, said)
    assert not (tmp_path / "one").exists()


def test_receipt_and_commitment_are_proven_and_verified(world, decided, tmp_path, cli):
    """All the way: both entries in a log, both log proofs, and a verification that demands log and receipt."""
    entry, keys = tmp_path / "entry.json", ("--log-key", LOG.verifier.text)
    announced = ("log", "entry", "commitment", world.commitment, "--owner", "North", "--from", "2026-03-01")
    assert cli(*announced, "--out", entry).code == 0
    log = LogFolder(tmp_path / "log", LOG)
    log.append(entry.read_bytes(), *decisions(0, 300), (decided / "entry.json").read_bytes())
    for name in ("receipt.json", "query.json", "context.json"):
        (tmp_path / name).write_bytes((decided / name).read_bytes())
    certificate, about = tmp_path / "certificate.json", tmp_path / "receipt.json"
    assert cli(*proof(world, decided, certificate, "--receipt", about)).code == 0
    for what, name in ((world.commitment, "certificate"), (about, "receipt")):
        assert cli("log", "proof", log.root, what, *keys, "--out", tmp_path / f"{name}.tlog-proof").code == 0
    files = {"certificate": certificate, "query": tmp_path / "query.json", "context": tmp_path / "context.json"}
    demands = ("--receipt", about, "--log-proof", tmp_path / "certificate.tlog-proof", *keys)
    verified = cli(*world.verify(*demands, "--json", **files))
    assert verified.code == 0, verified.err
    assert any("log" in check for check in verified.document["checks_made"])
    other = ("--log-key", OTHER_LOG.verifier.text)
    assert cli(*world.verify(*demands[:-2], *other, **files)).code == REFUSED


def test_misuse_of_receipts_is_one_line(world, decided, tmp_path, cli):
    """A folder in the way, a context that is none, and options that do not go together."""
    new = ("receipt", "new", world.row, "--opening", world.opening, "--out")
    cli(*new, decided).complaint(MISUSED, decided, "exists; name another folder: receipts are made once")
    cli(*new[:-1]).complaint(MISUSED, "one applicant takes --out, many --out-dir")
    cli(*new, tmp_path / "d", "--out-dir", tmp_path / "e").complaint(MISUSED, "give one of them")
    cli(*new, tmp_path / "d", "--id", "age").complaint(MISUSED, "--id is for many: --out-dir")
    short = tmp_path / "context.json"
    short.write_text('{"nonce":"short"}')
    cli(*new, tmp_path / "d", "--context", short).complaint(MISUSED, short, "nonce")
    both = proof(world, decided, tmp_path / "c.json", "--query-out", tmp_path / "q.json")
    cli(*both).complaint(MISUSED, "if it is of a receipt, leave out --query-out")
    cli(*proof(world, decided, tmp_path / "c.json", row=world.row)).complaint(MISUSED, "--query-out is missing")
    cli(*proof(world, decided, tmp_path / "c.json", "--receipt", world.query)).complaint(MISUSED, world.query, "query")


def receipts_of(world, folder):
    """Return the words that make the receipts of a folder's table."""
    options = ("--opening", world.opening, "--id", "number", "--context", folder / "common.json")
    return ("receipt", "new", folder / "rows.jsonl", *options)


@pytest.fixture(scope="module")
def march(world: World, tmp_path_factory):
    """The receipts of a table: two applicants whom the model treats fairly, and between them one whom it does not."""
    folder = tmp_path_factory.mktemp("many")
    table, common = folder / "rows.jsonl", folder / "common.json"
    rows = [json.loads(file.read_text()) for file in (world.row, world.unfair, world.other_row)]
    table.write_text("".join(json.dumps({"number": f"2026/{at}", **row}) + "\n" for at, row in enumerate(rows, 1)))
    common.write_text('{"policy":"tests"}')
    outcome = command(*receipts_of(world, folder), "--out-dir", folder / "march", "--json")
    assert outcome.code == 0, outcome.err
    said = outcome.document
    assert (said["rows"], said["person"], said["person_rows"], sum(said["labels"].values())) == (3, 1, [2], 2)
    return folder / "march"


def test_the_receipts_of_a_table(world, march, tmp_path, cli):
    """The summary counts those that are left to a person; nothing is ever written over."""
    assert sorted(path.name for path in march.iterdir()) == ["applicants", "entries.jsonl"]
    words = receipts_of(world, march.parent)
    outcome = cli(*words, "--out-dir", tmp_path / "again")
    assert outcome.code == 0
    assert outcome.out.startswith("RECEIPTS 3: ")
    assert outcome.out.splitlines()[1] == "  1 left to a person: rows 2"
    cli(*words, "--out-dir", march).complaint(MISUSED, march, "exists; name another folder")
    cli(*words, "--out-dir", tmp_path / "x", "--nonce", "no").complaint(MISUSED, "row 1: no column 'no'")
    assert [path.name for path in tmp_path.iterdir()] == ["again"]


def many(world, march, out, *more):
    """Return the words that prove the decisions of a folder."""
    return ["prove", march, "--opening", world.opening, "--keys", world.keys, "--jobs", "1", "--out-dir", out, *more]


def test_many_certificates_are_about_their_receipts(world, march, tmp_path, cli):
    """Receipts of a table, their log proofs, the certificates, and what an applicant checks."""
    log = LogFolder(tmp_path / "log", LOG)
    log.append(*decisions(0, 3), *(march / "entries.jsonl").read_bytes().splitlines())
    given = march / "applicants" / "2026%2F3"
    proved = ("log", "proof", log.root, given / "receipt.json", "--log-key", LOG.verifier.text)
    assert cli(*proved, "--out", given / "receipt.tlog-proof").code == 0
    outcome = cli(*many(world, march, tmp_path / "out"))
    assert outcome.code == UNFAIR, outcome.err
    assert outcome.out.splitlines()[:2] == ["PROVEN 2 of 3 rows", "  1 unfair: rows 2"]
    folders = {path.name: {file.name for file in path.iterdir()} for path in (tmp_path / "out/applicants").iterdir()}
    own = {"certificate.json", "query.json", "context.json", "receipt.json"}
    assert folders == {"2026%2F1": own, "2026%2F3": {*own, "receipt.tlog-proof"}}
    at = tmp_path / "out" / "applicants" / "2026%2F3"
    pinned = ("--commitment", world.commitment, "--keys", world.keys, "--receipt", at / "receipt.json", "--json")
    assert cli("verify", at, *pinned).code == 0
    entries = [json.loads(line) for line in (tmp_path / "out" / "manifest.jsonl").read_bytes().splitlines()[1:]]
    digests = [receipt_of(march / "applicants" / f"2026%2F{row}").digest for row in (1, 2, 3)]
    assert [one["receipt"] for one in entries] == digests
    assert cli(*many(world, march, tmp_path / "out", "--resume")).code == UNFAIR


@pytest.mark.slow
def test_bundles_hold_receipts(world, march, tmp_path, cli):
    """The own bundle of an applicant has everything in one file, and it verifies against the receipt."""
    letter = ("--bundles", "--letters", "--lender", "North")
    assert cli(*many(world, march, tmp_path / "out", *letter)).code == UNFAIR
    bundle = tmp_path / "out" / "applicants" / "2026%2F1.equiproof"
    assert (
        parse_bundle(bundle.read_bytes(), "bundle").receipt
        == (march / "applicants" / "2026%2F1" / "receipt.json").read_bytes()
    )
    pinned = ("--commitment", world.commitment, "--keys", world.keys)
    assert cli("verify", bundle, *pinned).code == 0
    other = march / "applicants" / "2026%2F3" / "receipt.json"
    cli("verify", bundle, *pinned, "--receipt", other).complaint(REFUSED, "other data than the receipt")


def test_what_a_folder_of_receipts_has_fixed_is_not_given_again(world, march, tmp_path, cli):
    """Names, nonces and contexts are those of the decisions; nothing is left behind."""
    common = march.parent / "common.json"
    for option, value in (("--id", "number"), ("--nonce", "number"), ("--context", common)):
        said = cli(*many(world, march, tmp_path / "out", option, value))
        said.complaint(MISUSED, f"{option} is for a table", march)
    assert not list(tmp_path.iterdir())
