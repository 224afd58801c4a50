"""`equiproof box`, and `setup --box`: what is typed, what comes out, and every mistake in one line."""

import hashlib
import json
import re
import time

import pytest

from equiproof.circuits.allowed import Wish
from equiproof.circuits.canonical import canonical_bytes
from equiproof.prover import Opening
from equiproof.verifier.checkpoint import cosign, parse_checkpoint
from equiproof.verifier.entries import ENTRY, CommitmentEntry, certificate_entry, commitment_digest, parse_entry
from equiproof.verifier.logged import shown_time
from tests import boxes
from tests.box_cases import BOX, OPENED, QUERY, REFUSAL, WISHES
from tests.boxes import CONTEXT, ENDS
from tests.pair_cases import fitting_pairs, in_wishes, write_pair
from tests.pins import FOLDER
from tests.register.log_folder import LogFolder
from tests.register.samples import LOG, WITNESS
from tests.support import LOANS, network

OPTIONS = {
    "prove": {
        "--opening", "--keys", "--label", "--out", "--box-out", "--context", "--disclose", "--owner-secret", "--force",
        "--json",
    },
    "verify-many": {
        "--commitment", "--keys", "--covers", "--transcript", "--signed-by", "--least-signers", "--log-proof",
        "--log-key", "--witnesses", "--least-witnesses", "--smallest-tree", "--max-log-age", "--log-owner", "--checker",
        "--jobs", "--out", "--force", "--language", "--json",
    },
    "verify": {
        "--commitment", "--keys", "--box", "--label", "--refusal", "--query", "--wishes", "--within", "--context",
        "--covers", "--transcript", "--signed-by", "--least-signers", "--log-proof", "--log-key", "--witnesses",
        "--least-witnesses", "--smallest-tree", "--max-log-age", "--log-owner", "--dated-by", "--checker",
        "--language", "--json",
    },
}  # fmt: skip


@pytest.fixture
def owner(tmp_path):
    """A folder with an owner's files, and a box that a certificate was made of by the command."""
    opening = boxes.opening()
    (tmp_path / "opening.json").write_bytes(opening.secret())
    (tmp_path / "commitment.json").write_bytes(opening.public())
    (tmp_path / "ends.json").write_text(json.dumps(ENDS))
    (tmp_path / "context.json").write_text(json.dumps(CONTEXT))
    return tmp_path


def prove(folder, *more, label="granted"):
    """Return the words of a proof."""
    return [
        "box", "prove", folder / "ends.json", "--opening", folder / "opening.json", "--keys",
        boxes.key().folder.parent, "--label", label, "--out", folder / "box.json", *more,
    ]  # fmt: skip


def verify(folder, *more, file="box.json"):
    """Return the words of a verification."""
    at = ["--commitment", folder / "commitment.json", "--keys", boxes.key().folder.parent]
    return ["box", "verify", folder / file, *at, *more]


@pytest.mark.parametrize("command", OPTIONS)
def test_the_options(cli, command):
    """Each command has these options, and no others."""
    done = cli("box", command, "--help")
    named = {word.strip(".,") for word in done.out.split() if word.startswith("--")}
    assert named - {"--help", "--log"} == OPTIONS[command]


def test_from_a_box_to_a_verified_certificate(cli, owner):
    """What is proven is verified, with the opened box and the context, in both languages."""
    opened = owner / "opened.json"
    done = cli(*prove(owner, "--box-out", opened, "--context", owner / "context.json", "--json"))
    document = done.document
    assert (document["verdict"], document["box"]) == ("box", str(opened))
    assert opened.stat().st_mode & 0o077 == 0
    asked = ("--box", opened, "--label", "granted", "--context", owner / "context.json")
    done = cli(*verify(owner, *asked))
    assert done.out.startswith("VERIFIED Everybody in the box of this certificate is decided granted")
    assert "29800 to 30400 EUR" in done.out
    done = cli(*verify(owner, *asked, "--language", "de"))
    assert "29800 bis 30400 EUR" in done.out
    found = cli(*verify(owner, "--json")).document
    assert found["box"] is None
    assert len(found["checks_not_made"]) == 6


def test_what_is_refused(cli, owner):
    """Another box, another label, a file of another kind: each in one line with its exit code."""
    opened = owner / "opened.json"
    cli(*prove(owner, "--box-out", opened))
    other = json.loads(opened.read_text())
    other["ends"]["savings"] = ["low", "high"]
    (owner / "other.json").write_bytes(canonical_bytes(other))
    cli(*verify(owner, "--box", owner / "other.json")).complaint(1, "another box than that in your file")
    cli(*verify(owner, "--label", "declined")).complaint(1, "you asked for 'declined'")
    cli(*verify(owner, file="opened.json")).complaint(2, "this is an opened box")
    words = ("--commitment", owner / "commitment.json", "--keys", boxes.key().folder.parent)
    cli("gain", "verify", owner / "box.json", *words).complaint(2, "equiproof box verify")


def test_from_a_box_to_a_dated_certificate(cli, owner):
    """Entry, log and proof by the commands of a log; the date is said, and an entry of another kind dates nothing."""
    cli(*prove(owner, "--box-out", owner / "opened.json"))
    made, proof, other = owner / "entry.json", owner / "box.dated.tlog-proof", owner / "other.tlog-proof"
    assert cli("log", "entry", "certificate", owner / "box.json", "--out", made).code == 0
    entry = parse_entry(made.read_bytes(), "entry")
    assert (entry.kind, entry.box) == ("box", hashlib.sha256((owner / "box.json").read_bytes()).hexdigest())
    log, now = LogFolder(owner / "log", LOG), int(time.time())
    digest = commitment_digest(boxes.commitment())
    model = CommitmentEntry(*ENTRY, "commitment", "North Bank", digest, "2026-03-01")
    log.append(entry.data, certificate_entry((owner / "box.json").read_bytes()).data, model.data)
    log.publish(cosign(WITNESS, parse_checkpoint(log.text()), now - 60))
    pinned = ("--log-key", LOG.verifier.text, "--witnesses", owner / "witness.pub")
    (owner / "witness.pub").write_text(f"{WITNESS.verifier.text}\n")
    for what, out in ((owner / "box.json", proof), (owner / "commitment.json", owner / "box.tlog-proof")):
        assert cli("log", "proof", log.root, what, "--log-key", LOG.verifier.text, "--out", out).code == 0
    cli("log", "proof", log.root, made, "--index", 1, "--log-key", LOG.verifier.text, "--out", other).complaint(2, "")
    found = cli(*verify(owner, *pinned, "--dated-by", proof, "--json")).document
    assert found["dated"] == shown_time(now - 60)
    assert "(entry 0 of 3) holds its file" in found["checks_made"][-1]
    assert not any("shows the same commitment" in line for line in found["checks_not_made"])
    assert cli(*verify(owner, *pinned, "--json")).document["dated"] is None
    cli(*verify(owner, *pinned, "--log-proof", proof)).complaint(1, "is a box entry, not a commitment")


def test_there_is_no_receipt_of_a_box(cli, owner):
    """Its files are refused by name wherever a decision's data or a receipt is wanted."""
    cli(*prove(owner, "--box-out", owner / "opened.json"))
    loans = FOLDER / "loans"
    trusted = ("--commitment", loans / "commitment.json", "--keys", loans / "keys")
    for file, named in (("box.json", "this is a box certificate"), ("opened.json", "this is an opened box")):
        new = ("receipt", "new", owner / file, "--opening", owner / "opening.json", "--out", owner / "receipt")
        cli(*new).complaint(2, named)
        cli("verify", loans / "certificate.json", *trusted, "--receipt", owner / file).complaint(
            2, named, "want a receipt"
        )
    assert not (owner / "receipt").exists()


def test_many(cli, owner):
    """Each in its folder, with its opened box; one that is broken is one of the results, on any number of processes."""
    for name in ("anna", "ben", "carl"):
        (owner / "all" / name).mkdir(parents=True)
        words = prove(owner, "--box-out", owner / "all" / name / "opened.json")
        cli(*[owner / "all" / name / "certificate.json" if word == owner / "box.json" else word for word in words])
    trusted = ("--commitment", owner / "commitment.json", "--keys", boxes.key().folder.parent)
    done = cli("box", "verify-many", owner / "all", *trusted)
    assert (done.code, done.out.splitlines()[0]) == (0, "VERIFIED 3 of 3 box certificates")
    assert "the options are those of `equiproof box verify`" in done.out
    opened = owner / "all" / "ben" / "opened.json"
    opened.write_bytes((owner / "all" / "anna" / "opened.json").read_bytes())
    done = cli("box", "verify-many", owner / "all", *trusted, "--jobs", 2, "--json", "--out", owner / "results.jsonl")
    assert (done.code, done.document["box_certificates"], done.document["verified"]) == (1, 3, 2)
    assert "certificates" not in done.document
    rows = [json.loads(line) for line in (owner / "results.jsonl").read_bytes().splitlines()]
    assert [row.get("opened") for row in rows] == [True, None, True]
    assert (rows[1]["reason"], "radius_squared" in rows[0]) == ("other-box", False)
    done = cli("verify-many", owner / "all", *trusted)
    done.complaint(2, "no certificate in it")


def test_a_box_that_is_not_decided_writes_nothing(cli, owner):
    """It exits 4, and says what to do."""
    cli(*prove(owner, "--box-out", owner / "opened.json", label="declined")).complaint(4, "make it smaller")
    assert not (owner / "box.json").exists()
    assert not (owner / "opened.json").exists()


def test_who_opens_the_box_is_asked_for(cli, owner):
    """Without the file of the opened box nobody could say what the certificate is about."""
    cli(*prove(owner)).complaint(2, "--box-out is missing")
    assert cli(*prove(owner, "--disclose", "--json")).document["box"] is None
    assert "29800 to 30400" in cli(*verify(owner)).out


def test_no_file_is_written_over_another_of_the_command(cli, owner):
    """The opened box is what nobody could make again: its file is no other one that is written or read."""
    for more, says in (
        (("--box-out", owner / "box.json"), "--out and --box-out name the same file"),
        (("--box-out", owner / "ends.json", "--force"), "box and --box-out name the same file"),
        (("--box-out", owner / "opening.json", "--force"), "--opening and --box-out name the same file"),
    ):
        cli(*prove(owner, *more)).complaint(2, says)
    assert json.loads((owner / "ends.json").read_text()) == {name: [*ends] for name, ends in ENDS.items()}
    assert not (owner / "box.json").exists()


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ('{"income": 5}', "'income': want a list, not number"),
        ('{"income": [1, null]}', "'income': field [1]: want text or a number, not null"),
        ('{"income": [true, false]}', "'income': field [0]: want text or a number"),
        ('{"income": {"from": 1}}', "'income': want a list, not an object"),
        ("[1]", "want an object, not a list"),
    ],
)
def test_ends_of_other_types_name_their_feature(cli, owner, text, says):
    """A list for each feature, of texts and numbers."""
    (owner / "ends.json").write_text(text)
    cli(*prove(owner, "--box-out", owner / "opened.json")).complaint(2, says)


def test_a_file_of_ours_is_no_box(cli, owner):
    """Its kind is named, as a field of it that has the wrong type would not help."""
    for name, says in (("opening.json", "this is an opening"), ("commitment.json", "this is a commitment")):
        (owner / "ends.json").write_bytes((owner / name).read_bytes())
        cli(*prove(owner, "--box-out", owner / "opened.json")).complaint(2, says, "want the ends of a box")


def test_keys_of_boxes(cli, owner):
    """They are made from an opening, or from a commitment and the model's sizes, and nothing else names them."""
    done = cli("setup", "--box", "--opening", owner / "opening.json", "--keys", owner / "keys", "--json")
    assert done.document["constraints"] == boxes.key().document.constraints
    named = ("setup", "--box", "--commitment", owner / "commitment.json", "--keys", owner / "named")
    assert cli(*named, "--predicates", "12,1").code == 0
    assert [path.name for path in (owner / "named").iterdir()] == [path.name for path in (owner / "keys").iterdir()]
    for more in (("--gain",), ("--hidden", "4"), ("--scheme", "traversal")):
        cli(*named, "--predicates", "12,1", *more).complaint(2, "--box: name the model")
    for words in (named, ("setup", "--box", "--keys", owner / "k"), (*named, "--opening", owner / "opening.json")):
        cli(*words).complaint(2, "--box: name the model")
    key = cli("status", owner / "keys").out
    assert "scheme box, 12+1 predicates, groth16-bn254" in key


def test_keys_of_boxes_of_networks(cli, tmp_path):
    """They have room for 16 leaves, or as many as are asked for; options of trees are refused by name."""
    opening, files = Opening.of(network(LOANS, (2,), 3), LOANS, 11), tmp_path
    (files / "opening.json").write_bytes(opening.secret())
    (files / "commitment.json").write_bytes(opening.public())
    of_opening = ("setup", "--box", "--opening", files / "opening.json", "--keys")
    of_sizes = ("setup", "--box", "--commitment", files / "commitment.json", "--hidden", "2", "--keys")
    assert cli(*of_opening, files / "keys").code == cli(*of_sizes, files / "named").code == 0
    (name,) = (path.name for path in (files / "keys").iterdir())
    assert re.fullmatch("branch-box-.*-k16-.*", name)
    assert [path.name for path in (files / "named").iterdir()] == [name]
    for words in (of_opening, of_sizes):
        cli(*words, files / "more", "--slots", "3").complaint(2, "those are of trees")
        cli(*words, files / "more", "--capacity", "1").complaint(2, "--capacity 4 or more")
    cli(*of_sizes, files / "more", "--predicates", "12,1").complaint(2, "--box: name the model")
    assert "scheme box, hidden layers 2, groth16-bn254" in cli("status", files).out


@pytest.fixture(scope="module")
def compared(tmp_path_factory):
    """Return a folder with the files of a pair that fits, and wishes that are wider."""
    folder = tmp_path_factory.mktemp("pairs")
    write_pair(folder, dict(fitting_pairs())["pair-way-under-wishes"])
    (folder / "wider.json").write_bytes(in_wishes({"income": Wish(to="60001")}))
    return folder


def pair_words(folder, *more, left_out=()):
    """Return the words of a verification of a pair."""
    given = {
        "--commitment": "commitment.json", "--keys": "keys", "--box": OPENED, "--refusal": REFUSAL, "--query": QUERY,
        "--wishes": WISHES,
    }  # fmt: skip
    options = [word for name, file in given.items() if name not in left_out for word in (name, folder / file)]
    return ["box", "verify", folder / BOX, *options, *more]


def test_a_box_is_compared_with_a_refusal(cli, compared):
    """It says what is enough, with everything that was checked, in both languages, and that the refusal is not."""
    done = cli(*pair_words(compared))
    assert done.out.startswith("VERIFIED It is enough that income is 31000 to 45000 EUR, with everything else as it is")
    assert "each change is one that the rules of the spec and the wishes allow" in done.out
    assert "the refusal's certificate holds" in done.out
    assert cli(*pair_words(compared, "--language", "de")).out.startswith("VERIFIZIERT Es genügt")
    document = cli(*pair_words(compared, "--json")).document
    assert document["answer"].startswith("It is enough")
    assert document["statement"].startswith("Everybody in the box")


@pytest.mark.parametrize("left_out", ["--box", "--refusal", "--query"])
def test_what_goes_together_is_given_together(cli, compared, left_out):
    """The opened box, the refusal and its query: one that lacks is named, before any file is read."""
    words = pair_words(compared, left_out=(left_out,))
    cli(*words).complaint(2, "give --box, --refusal and --query together")


def test_a_none_of_a_part(cli, tmp_path):
    """It is refused as one of all, with the option that compares it with a part, and then says which."""
    write_pair(tmp_path, dict(fitting_pairs())["pair-none-within-25"])
    words = pair_words(tmp_path, left_out=("--wishes",))
    cli(*words).complaint(1, "--within")
    cli(*words, "--within", "26").complaint(1, "the box lacks values of income")
    assert "goes at most 25 % of the way" in cli(*words, "--within", "25").out


def test_a_pair_that_does_not_fit(cli, compared):
    """Another label than its box has is refused; wishes that are wider than the rules are malformed."""
    other = json.loads((compared / REFUSAL).read_text())
    other["statement"]["label"] = 1
    (compared / "granted.json").write_bytes(canonical_bytes(other))
    words = pair_words(compared, left_out=("--wishes", "--refusal"))
    cli(*words, "--refusal", compared / "granted.json").complaint(1, "the box lacks values of income")
    words = pair_words(compared, "--wishes", compared / "wider.json", left_out=("--wishes",))
    cli(*words).complaint(2, "wishes: of income, narrow to")


def test_a_spec_with_drafted_rules(cli, tmp_path):
    """`spec --changes` writes rules and tells each guess; without it there are none."""
    rows = "\n".join(f"{1000 + 37 * row},{row + 20},{'fm'[row % 2]},{'no' if row % 5 else 'yes'}" for row in range(40))
    (tmp_path / "rows.csv").write_text(f"income,age,sex,decision\n{rows}\n")
    words = ["spec", tmp_path / "rows.csv", "--label", "decision", "--sensitive", "sex", "--out"]
    done = cli(*words, tmp_path / "with.json", "--changes")
    assert "may only go up: age" in done.out
    features = json.loads((tmp_path / "with.json").read_text())["features"]
    assert [one.get("changes", {}).get("direction") for one in features] == ["any", "up", None]
    cli(*words, tmp_path / "without.json")
    assert "changes" not in (tmp_path / "without.json").read_text()
