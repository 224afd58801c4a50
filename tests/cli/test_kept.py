"""Kept keys by the command line: set-up, the link that `prove` publishes, and verification beside it."""

from __future__ import annotations

import hashlib
import json
import random
import shutil

import pytest

from equiproof.circuits.exit_codes import EXHAUSTED
from equiproof.circuits.shape import gain_shape, shape_of
from equiproof.prover import KeyStore, Opening
from equiproof.verifier.archive import entries
from equiproof.verifier.documents import LINK_KEY_FILE
from equiproof.verifier.entries import parse_entry
from equiproof.verifier.link import LINK_FILE, load_link
from equiproof.verifier.notes import Signer
from tests.cli.world import command
from tests.conftest import CONTEXT
from tests.ensemble_small import ensemble
from tests.linked_case import store_of
from tests.prover.test_ensembles import SPEC, scaled
from tests.register.log_folder import LogFolder
from tests.support import LOANS, applicant, network

HIDDEN = (2, 2)
MANY = 3


@pytest.fixture(scope="module")
def owner(tmp_path_factory):
    """An owner's folder with a certificate under a kept key, its link beside the commitment, and those of many."""
    folder = tmp_path_factory.mktemp("owner")
    opening = Opening.of(network(LOANS, HIDDEN, 14), LOANS, blinding=5)
    (folder / "opening.json").write_bytes(opening.secret())
    (folder / "commitment.json").write_bytes(opening.public())
    (folder / "context.json").write_text(json.dumps(CONTEXT))
    rows = [applicant(LOANS, random.Random(seed)) for seed in range(MANY)]
    (folder / "rows.json").write_text(json.dumps(rows))
    (folder / "row.json").write_text(json.dumps(rows[0]))
    shutil.copytree(store_of(shape_of("branch", LOANS, HIDDEN, 4)), folder / "keys")
    (folder / "own").mkdir()
    made = command(*prove(folder, "--out", folder / "own" / "certificate.json"), "--query-out", folder / "query.json")
    assert made.code == 0, made.err
    assert f"link {folder / LINK_FILE}: publish it with the commitment" in made.out
    return folder


def prove(folder, *more, row="row.json"):
    """Return the words of a proof."""
    return ["prove", folder / row, "--opening", folder / "opening.json", "--keys", folder / "keys", *more]


def verify(folder, *more, name="verify", file="own/certificate.json"):
    """Return the words of a verification."""
    return [name, folder / file, "--commitment", folder / "commitment.json", "--keys", folder / "keys", *more]


def test_setup_makes_both_keys(cli, owner, tmp_path):
    """`setup --kept` says of both keys where they are; a second one says that the first is there."""
    words = ("setup", "--opening", owner / "opening.json", "--keys", tmp_path / "keys", "--kept", "--capacity", "4")
    document = cli(*words, "--json").document
    assert {key.document.shape.kept for key in KeyStore(tmp_path / "keys").all()} == {True}
    assert document["key"].split("/")[-1].startswith("branch-kept-")
    assert (tmp_path / "keys" / document["link"]["key"].split("/")[-1] / LINK_KEY_FILE).exists()
    assert document["link"]["constraints"] > 0
    cli(*words).complaint(2, "branch-kept-")


@pytest.mark.parametrize(
    ("more", "named"),
    [
        (("--box",), "leave out --kept: certificates about boxes open the model commitment themselves"),
        (("--proof-system", "plonk-bn254"), "leave out --kept: only groth16-bn254 has kept keys"),
        (("--catalogue",), "leave out --kept: --catalogue makes the keys that owners share"),
        (("--self-contained",), "leave out --kept: --self-contained is the other form"),
        (("--passed", "3"), "leave out passed nodes"),
    ],
)
def test_no_other_keys_are_kept(cli, owner, tmp_path, more, named):
    """Boxes, PLONK and the catalogue have no kept form, and the command says so at once, and why."""
    opening = ("--opening", owner / "opening.json")
    cli("setup", *opening, "--keys", tmp_path / "keys", "--kept", *more).complaint(2, named)
    assert not (tmp_path / "keys").exists()


def test_an_ensemble_that_visits_nodes(cli, tmp_path):
    """`setup --kept --passed` makes keys whose certificates hold beside their link; --passed alone is refused."""
    opening = Opening.of(ensemble(), LOANS, blinding=5)
    (tmp_path / "opening.json").write_bytes(opening.secret())
    (tmp_path / "commitment.json").write_bytes(opening.public())
    sizes = ("--slots", "4", "--rows", "9", "--capacity", "4")
    words = ("setup", "--opening", tmp_path / "opening.json", "--keys", tmp_path / "keys", *sizes)
    cli(*words, "--passed", "12").complaint(2, "--passed is of models that are kept")
    document = cli(*words, "--passed", "40", "--kept", "--json").document
    assert document["key"].split("/")[-1].startswith("trees-kept-d40-")
    for seed in range(40):
        (tmp_path / "row.json").write_text(json.dumps(applicant(LOANS, random.Random(seed))))
        made = cli(*prove(tmp_path, "--out", tmp_path / "certificate.json", "--query-out", tmp_path / "query.json"))
        if made.code == 0:
            break
    assert made.code == 0
    answer = cli(*verify(tmp_path, file="certificate.json"))
    assert answer.code == 0, answer.err


def test_balls_that_pass_more_nodes_than_the_key_has_room_for(cli, tmp_path):
    """An applicant whose own cell does is undecided, with the number; if only larger balls do, the radius shrinks."""
    opening = Opening.of(scaled(9, depth=4), SPEC, blinding=5)
    (tmp_path / "opening.json").write_bytes(opening.secret())
    (tmp_path / "commitment.json").write_bytes(opening.public())
    at = ("--opening", tmp_path / "opening.json", "--keys", tmp_path / "keys")
    assert cli("setup", *at, "--kept", "--passed", "4", "--capacity", "16").code == 0
    rows = [applicant(SPEC, random.Random(seed)) for seed in (0, 3, 5)]
    for number, row in enumerate(rows):
        (tmp_path / f"{number}.json").write_text(json.dumps(row))
    none, smaller, full = (
        cli(*prove(tmp_path, "--out", tmp_path / f"{name}.out", "--query-out", tmp_path / f"{name}.q", row=name))
        for name in ("0.json", "1.json", "2.json")
    )
    none.complaint(EXHAUSTED, "5 passed nodes are needed and there is room for 4")
    assert not (tmp_path / "0.json.out").exists()
    more = "a key with room for more passed nodes might prove more"
    assert [(made.code, more in made.out) for made in (smaller, full)] == [(0, True), (0, False)]
    assert cli(*verify(tmp_path, file="1.json.out")).code == 0
    (tmp_path / "rows.json").write_text(json.dumps(rows))
    folder = tmp_path / "many"
    assert cli(*prove(tmp_path, "--out-dir", folder, "--jobs", "1", row="rows.json")).code == EXHAUSTED
    _, *lines = map(json.loads, (folder / "manifest.jsonl").read_text().splitlines())
    assert [line["verdict"] for line in lines] == ["undecided", "fair", "fair"]
    assert (lines[0]["reason"], lines[0]["size"], "files" in lines[0]) == ("passed", 5, False)


def test_verify_finds_the_link(cli, owner, tmp_path):
    """The link beside the commitment is found, or the one beside the certificate, or --link names it."""
    for program in ("native", "python"):
        document = cli(*verify(owner, "--checker", program, "--json")).document
        assert document["link"]["key_fingerprint"] == load_link(owner / LINK_FILE).link_key.fingerprint
    elsewhere = tmp_path / "commitment.json"
    shutil.copy(owner / "commitment.json", elsewhere)
    words = ["verify", owner / "own" / "certificate.json", "--commitment", elsewhere, "--keys", owner / "keys"]
    cli(*words).complaint(1, "refused", "link.json", "--link")
    assert cli(*words, "--link", owner / LINK_FILE).code == 0
    shutil.copy(owner / "own" / "certificate.json", tmp_path / "certificate.json")
    shutil.copy(owner / LINK_FILE, tmp_path / "its-link.json")
    assert cli("verify", tmp_path / "certificate.json", "--keys", owner / "keys").code == 0
    # With the keys beside it, too, nothing is pinned but all is found.
    shutil.copytree(owner / "keys", tmp_path / "keys")
    document = cli("verify", tmp_path / "certificate.json", "--json").document
    assert document["pinned"] == {"commitment": False, "key": False}
    assert document["link"]["setup"] is None
    shutil.copy(owner / LINK_FILE, tmp_path / "twice.json")
    cli("verify", tmp_path / "certificate.json").complaint(2, "its-link.json", "twice.json", "--link")


def test_what_is_required_of_keys(cli, owner):
    """A fingerprint of the certificate key alone leaves the link's key open, and says so first."""
    link = load_link(owner / LINK_FILE)
    folder = owner / "beside"
    if not folder.exists():
        shutil.copytree(owner / "keys", folder / "keys")
        for name in ("commitment.json", LINK_FILE):
            shutil.copy(owner / name, folder / name)
        shutil.copy(owner / "own" / "certificate.json", folder / "certificate.json")
    words = ("verify", folder / "certificate.json", "--commitment", owner / "commitment.json")
    document = cli(*words, "--key-fingerprint", link.key, "--json").document
    assert "the link's key came with the certificate" in document["checks_not_made"][0]
    assert not document["pinned"]["key"]
    cli(*words, "--key-fingerprint", link.key, "--setup", "single-party").complaint(1, "refused", "set-up")


def test_a_damaged_link(cli, owner, tmp_path):
    """A link of another key, and bytes that are none, are refused in one line each."""
    bad = tmp_path / "link.json"
    bad.write_bytes((owner / LINK_FILE).read_bytes()[:-1])
    cli(*verify(owner, "--link", bad)).complaint(2, "link.json")
    document = json.loads((owner / LINK_FILE).read_text())
    document["shown"] = "0" * 64
    bad.write_text(json.dumps(document, sort_keys=True, separators=(",", ":")))
    cli(*verify(owner, "--link", bad)).complaint(1, "refused", "shows another value of its model")


def test_many(cli, owner, tmp_path):
    """Many are proven by workers and verified together beside the link."""
    folder = tmp_path / "many"
    words = prove(owner, "--out-dir", folder, "--jobs", "1", row="rows.json")
    assert cli(*words, "--json").code in (0, 3, 4)
    summary = cli(*verify(owner, "--json", name="verify-many", file=folder / "applicants")).document
    assert summary["verified"] == summary["certificates"] > 0
    again = cli(
        *verify(owner, "--json", "--link", owner / LINK_FILE, name="verify-many", file=folder / "applicants")
    ).document
    assert again["verified"] == summary["verified"]
    alone = tmp_path / "commitment.json"
    shutil.copy(owner / "commitment.json", alone)
    refused = cli("verify-many", folder / "applicants", "--commitment", alone, "--keys", owner / "keys", "--json")
    assert refused.code == 1
    assert {row["reason"] for row in refused.document["reasons"]} == {"no-link"}


def test_bundles_and_letters_of_many(cli, owner, tmp_path):
    """Each bundle has the link and its key, and is verified alone; a letter is about a certificate that was verified.

    The link need not be there before: the first run makes it.
    """
    fresh = tmp_path / "fresh"
    fresh.mkdir()
    for name in ("opening.json", "commitment.json", "rows.json"):
        shutil.copy(owner / name, fresh)
    shutil.copytree(owner / "keys", fresh / "keys")
    folder, letters = tmp_path / "bundled", ("--letters", "--lender", "Bank")
    words = prove(fresh, "--out-dir", folder, "--jobs", "1", row="rows.json")
    cli(*words, "--letters", "--lender", "a\u202eb").complaint(2, "lender")
    assert not (fresh / LINK_FILE).exists()
    made = cli(*words, "--bundles", *letters, "--json")
    assert made.code in (0, 3, 4)
    assert made.document["link"] == str(fresh / LINK_FILE)
    link = load_link(fresh / LINK_FILE)
    bundles = sorted((folder / "applicants").glob("*.equiproof"))
    assert bundles
    for path in bundles:
        files = dict(entries(path.read_bytes(), "it"))
        assert files["link.json"] == link.to_bytes()
        own = ("--commitment", owner / "commitment.json", "--keys", owner / "keys")
        assert cli("verify", path, *own, "--json").document["link"]["key_fingerprint"] == link.link_key.fingerprint
        assert "Bank" in path.with_suffix(".html").read_text()
    plain = tmp_path / "plain"
    said = cli(*prove(fresh, "--out-dir", plain, "--jobs", "1", row="rows.json"), *letters)
    assert f"  link {fresh / LINK_FILE}: publish it with the commitment" in said.out
    assert len(list(plain.glob("applicants/*/letter.html"))) == len(bundles)


def test_gains(cli, owner, tmp_path):
    """A gain certificate takes the same ways to its link."""
    shutil.copytree(store_of(gain_shape(LOANS, HIDDEN, 4)), tmp_path / "keys")
    for name in ("opening.json", "commitment.json", "row.json"):
        shutil.copy(owner / name, tmp_path / name)
    compared = ("--label", "declined", "--first", "sex=m", "--second", "sex=f", "--radius", "0")
    at = ("--opening", tmp_path / "opening.json", "--keys", tmp_path / "keys")
    made = cli("gain", "prove", tmp_path / "row.json", *at, *compared, "--out", tmp_path / "gain.json", "--disclose")
    assert made.code == 0, made.err
    assert f"link {tmp_path / LINK_FILE}" in made.out
    words = verify(tmp_path, name="gain", file="gain.json")
    words.insert(1, "verify")
    assert cli(*words).code == 0
    (tmp_path / LINK_FILE).rename(tmp_path / "keys" / LINK_FILE)
    cli(*words).complaint(1, "refused", "--link")
    assert cli(*words, "--link", tmp_path / "keys" / LINK_FILE).code == 0


def test_a_contract_takes_both_keys(cli, owner, tmp_path):
    """The key for links is found beside the kept one, or named; call data are made of certificates and of links."""
    kept, link_key = next((owner / "keys").glob("branch-kept-*")), next((owner / "keys").glob("link-*"))
    made = cli("keys", "solidity", kept, "--out", tmp_path / "contract", "--json").document
    link = load_link(owner / LINK_FILE)
    assert made["link"] == {"key": link.link_key.fingerprint, "setup": "single-party"}
    assert "whoever made it alone" in made["checks_not_made"][0]
    metadata = json.loads((tmp_path / "contract" / "contract.json").read_text())
    assert (metadata["key"], metadata["link_key"]) == (link.key, link.link_key.fingerprint)
    alone = shutil.copytree(kept, tmp_path / "alone" / "key")
    cli("keys", "solidity", alone).complaint(2, "--link-key", "no key for link-")
    assert cli("keys", "solidity", alone, "--link-key", link_key).code == 0
    source = (alone / "EquiproofKeptVerifier.sol").read_bytes()
    assert source == (tmp_path / "contract" / "EquiproofKeptVerifier.sol").read_bytes()
    for copy in "ab":
        shutil.copytree(link_key, alone.parent / copy)
    cli("keys", "solidity", alone, "--force").complaint(2, "--link-key", "are 2, such as a and b")
    call = cli("export", "calldata", owner / "own" / "certificate.json", "--json").document
    assert call["statement"]["shown"] == f"0x{link.shown}"
    registered = cli("export", "calldata", owner / LINK_FILE, "--json").document
    assert registered["call"] == cli("export", "calldata", owner / LINK_FILE).out.strip()
    assert registered["link"]["shown"] == call["statement"]["shown"]
    assert registered["link"]["point"] == call["proof"]["commitment"][:2]


def test_an_entry_of_the_link(cli, owner, tmp_path):
    """A register has an entry of key and link, and a log proof of the link's; a link of another commitment has none."""
    kept, link, out = next((owner / "keys").glob("branch-kept-*")), owner / LINK_FILE, tmp_path / "link.json"
    assert cli("log", "entry", "key", kept, "--owner", "Bank", "--out", tmp_path / "key.json").code == 0
    words = ("log", "entry", "link", link, "--owner", "Bank", "--out", out, "--commitment")
    other = tmp_path / "other.json"
    other.write_bytes(Opening.of(network(LOANS, HIDDEN, 14), LOANS, blinding=6).public())
    cli(*words, other).complaint(2, "--commitment", "another one")
    assert cli(*words, owner / "commitment.json").code == 0
    entry = parse_entry(out.read_bytes(), "entry")
    digests = [hashlib.sha256((owner / name).read_bytes()).hexdigest() for name in (LINK_FILE, "commitment.json")]
    assert (entry.owner, entry.link, entry.commitment, entry.key) == ("Bank", *digests, load_link(link).key)
    signer = Signer.new("bank.example/log")
    log = LogFolder(tmp_path / "log", signer)
    log.append(entry.data)
    (tmp_path / "log.pub").write_text(f"{signer.verifier.text}\n")
    words = ("log", "proof", tmp_path / "log", link, "--log-key", tmp_path / "log.pub")
    assert cli(*words, "--out", tmp_path / "link.tlog-proof").code == 0
    empty = LogFolder(tmp_path / "empty", signer)
    empty.publish()
    words = ("log", "proof", tmp_path / "empty", link, "--log-key", tmp_path / "log.pub")
    cli(*words, "--out", tmp_path / "none.tlog-proof").complaint(2, "log entry link")


@pytest.mark.parametrize("form", ["dsse", "vc"])
def test_an_export_names_the_link(cli, owner, tmp_path, form):
    """It is made with the link at hand, and checked beside the commitment's, or with the option; no other link does."""
    certificate, out, link = owner / "own" / "certificate.json", tmp_path / "out", owner / LINK_FILE
    pin = cli("identity", "new", "bank", "--out", tmp_path / "identity.key", "--json").document["fingerprint"]
    words = ("export", form, certificate, "--keys", owner / "keys", "--identity", tmp_path / "identity.key")
    cli(*words, "--out", out).complaint(2, "--link")
    assert not out.exists()
    assert cli(*words, "--out", out, "--link", link).code == 0
    asked = ("export", "check", out, "--identity-key", pin, "--keys", owner / "keys")
    assert cli(*asked, "--commitment", owner / "commitment.json").code == 0
    shutil.copy(owner / "commitment.json", tmp_path / "commitment.json")
    cli(*asked, "--commitment", tmp_path / "commitment.json").complaint(1, "refused", "--link")
    assert cli(*asked, "--commitment", tmp_path / "commitment.json", "--link", link).code == 0
    other = tmp_path / "other.json"
    document = json.loads(link.read_text())
    document["link_key"]["fingerprint"] = "ab" * 32
    other.write_text(json.dumps(document, sort_keys=True, separators=(",", ":")))
    named = cli(*asked, "--commitment", tmp_path / "commitment.json", "--link", other)
    named.complaint(1, "refused", "by another digest")


def test_a_bundle_has_the_link(cli, owner, tmp_path):
    """It holds the link beside the commitment and its key, and is verified alone; without them it is not made."""
    certificate, out = owner / "own" / "certificate.json", tmp_path / "a.equiproof"
    words = ("bundle", certificate, "--commitment", owner / "commitment.json", "--key", owner / "keys", "--out", out)
    assert cli(*words).code == 0
    assert {"link.json", "link/metadata.json", "link/verifying.key"} <= {
        name for name, _ in entries(out.read_bytes(), "it")
    }
    verified = cli("verify", out)
    assert verified.code == 0
    shutil.copy(owner / "commitment.json", tmp_path)
    words = ("bundle", certificate, "--commitment", tmp_path / "commitment.json", "--key", owner / "keys")
    cli(*words, "--out", tmp_path / "b.equiproof").complaint(1, "refused", "--link")
    assert not (tmp_path / "b.equiproof").exists()
