"""`equiproof bundle`, and `equiproof verify` of what it writes: one file, nothing by accident, nothing twice."""

import json
import os
import shutil
import stat

import pytest

from equiproof.verifier import parse_bundle
from tests.cli.world import listing

DIGITS = 64


def made(world, out, *more, own=True):
    """Return the words that make a bundle of the trip's certificate."""
    words = ["bundle", world.certificate, "--commitment", world.commitment, "--key", world.keys, "--out", out]
    applicant = ["--for-applicant", world.query, "--context", world.context] if own else []
    return [*words, *applicant, *more]


@pytest.fixture
def own(world, cli, tmp_path):
    """The applicant's own bundle."""
    path = tmp_path / "mine.equiproof"
    assert cli(*made(world, path)).code == 0
    return path


def test_one_file_is_enough(world, cli, own, tmp_path):
    """The bundle verifies elsewhere with nothing beside it, and shows the applicant's own values."""
    elsewhere = tmp_path / "elsewhere" / "attachment.equiproof"
    elsewhere.parent.mkdir()
    shutil.copy(own, elsewhere)
    document = cli("verify", elsewhere, "--json").document
    assert document["pinned"] == {"commitment": False, "key": False}
    assert document["setup"] is None
    assert set(document["intervals"]) == set(json.loads(world.query.read_bytes())["features"])
    assert "came with the certificate itself" in document["checks_not_made"][0]


def test_own_commitment_and_keys_are_pinned(world, cli, own):
    """With both given, the bundle is judged as the certificate is with the same options."""
    words = ["--commitment", world.commitment, "--keys", world.keys, "--json"]
    document = cli("verify", own, *words).document
    assert document["pinned"] == {"commitment": True, "key": True}
    assert document["setup"] == "single-party"
    alone = cli(*world.verify("--json", query=None, context=None)).document
    for name in ("certificate", "statement", "radius", "model_commitment", "key_fingerprint", "setup"):
        assert document[name] == alone[name]


def test_digits_pin_as_people_type_them(world, cli, own):
    """64 digits pin, in groups and capitals too; others refuse, and what has another length is misuse."""
    found = cli("verify", own, "--json").document
    model, key = found["model_commitment"], found["key_fingerprint"]
    typed = " ".join(model[at : at + 4] for at in range(0, DIGITS, 4)).upper()
    words = ["--model-commitment", typed, "--key-fingerprint", key, "--json"]
    assert cli("verify", own, *words).document["pinned"] == {"commitment": True, "key": True}
    cli("verify", own, "--model-commitment", "0" * DIGITS).complaint(1, "another model")
    cli("verify", own, "--key-fingerprint", "0" * DIGITS).complaint(1, "the policy requires 0000")
    cli("verify", own, "--model-commitment", model[:-1]).complaint(2, "--model-commitment: ")
    cli("verify", own, "--key-fingerprint", key + "0").complaint(2, "--key-fingerprint: want 64")


def test_secrets_are_in_the_applicants_own_only(world, cli, own, tmp_path):
    """The applicant's own is theirs alone on the disk; any other has no query, and no context that nobody named."""
    assert stat.S_IMODE(own.stat().st_mode) == 0o600
    public = tmp_path / "public.equiproof"
    outcome = cli("bundle", own, "--out", public, "--json")
    assert outcome.document["secret"] is False
    assert stat.S_IMODE(public.stat().st_mode) == 0o666 & ~umask() & 0o644
    bundle = parse_bundle(public.read_bytes(), "public")
    assert (bundle.query, bundle.context) == (None, None)
    assert cli("verify", public).code == 0
    direct = tmp_path / "direct.equiproof"
    assert cli(*made(world, direct, own=False)).code == 0
    assert direct.read_bytes() == public.read_bytes()
    named = tmp_path / "named.equiproof"
    assert cli(*made(world, named, "--context", world.context, own=False)).code == 0
    assert parse_bundle(named.read_bytes(), "named").context is not None


def umask():
    """Return the process's umask."""
    mask = os.umask(0)
    os.umask(mask)
    return mask


def test_what_a_certificate_discloses_is_taken_out(world, cli, tmp_path):
    """A bundle for anybody holds no data that the certificate discloses; the applicant's own keeps them."""
    certificate, query = tmp_path / "shown.json", tmp_path / "query.json"
    document = json.loads(world.certificate.read_bytes()) | {"query": json.loads(world.query.read_bytes())}
    certificate.write_text(json.dumps(document, separators=(",", ":"), sort_keys=True))
    shutil.copy(world.query, query)
    blinding = json.loads(world.query.read_bytes())["blinding"].encode()
    for name, more in (("public", []), ("mine", ["--for-applicant", query])):
        words = ["bundle", certificate, "--commitment", world.commitment, "--key", world.keys]
        out = tmp_path / f"{name}.equiproof"
        assert cli(*words, "--out", out, *more).code == 0
        assert (blinding in out.read_bytes()) == (name == "mine")


@pytest.mark.parametrize("changed", ["query", "context", "key", "commitment"])
def test_nothing_is_written_unless_it_verifies(world, cli, tmp_path, changed):
    """A certificate that does not fit what is put beside it is refused, and no file appears."""
    out = tmp_path / "mine.equiproof"
    words = made(world, out)
    if changed == "query":
        words[words.index(world.query)] = world.other_query
        cli(*words).complaint(1, "other data")
    elif changed == "context":
        other = tmp_path / "context.json"
        other.write_text('{"nonce": "another one, 16 characters"}')
        words[words.index(world.context)] = other
        cli(*words).complaint(1, "another context")
    else:
        wrong = {"key": world.commitment.parent, "commitment": world.key / "key.json"}[changed]
        words[words.index({"key": world.keys, "commitment": world.commitment}[changed])] = wrong
        cli(*words).complaint(2, wrong)
    assert not out.exists()


def test_no_file_is_overwritten_unasked(world, cli, own):
    """A file in the way stays, with --force it is replaced; another name than NAME.equiproof is misuse."""
    before = own.read_bytes()
    cli(*made(world, own, own=False)).complaint(2, own, "--force")
    assert own.read_bytes() == before
    assert cli(*made(world, own, "--force", own=False)).code == 0
    assert own.read_bytes() != before
    cli(*made(world, own.with_suffix(".zip"))).complaint(2, "--out", ".equiproof")
    assert set(listing(own.parent)) == {own.name}


def test_a_log_proof_is_carried(world, cli, tmp_path):
    """A log proof is found beside the certificate, or named, put into the bundle, and said not to be checked."""
    shutil.copy(world.certificate, tmp_path / "certificate.json")
    (tmp_path / "certificate.tlog-proof").write_bytes(b"anything\n")
    words = ["--commitment", world.commitment, "--key", world.keys]
    assert cli("bundle", tmp_path / "certificate.json", *words, "--out", tmp_path / "found.equiproof").code == 0
    more = ["--log-proof", tmp_path / "certificate.tlog-proof", "--out", tmp_path / "named.equiproof"]
    assert cli("bundle", world.certificate, *words, *more).code == 0
    assert (tmp_path / "found.equiproof").read_bytes() == (tmp_path / "named.equiproof").read_bytes()
    not_made = cli("verify", tmp_path / "found.equiproof", "--json").document["checks_not_made"]
    assert "a log proof came with it, and was not checked" in not_made[-1]


def test_policies_about_own_files_are_not_met_by_a_bundles(world, cli, own, tmp_path):
    """A policy file that wants the verifier's own query and context does not take those of the bundle."""
    for demand, option, path in (
        ({"query": True}, "--query", world.query),
        ({"context": {}}, "--context", world.context),
    ):
        policy = tmp_path / "policy.json"
        policy.write_text(json.dumps({"format": "equiproof-policy", "version": 2, "requires": demand}))
        cli("verify", own, "--policy", policy).complaint(2, policy, option)
        assert cli("verify", own, "--policy", policy, option, path).code == 0


def test_a_certificate_with_both_options_is_verified_as_ever(world, cli, tmp_path):
    """With commitment and keys given, files beside the certificate do not matter, not even two of a kind."""
    shutil.copy(world.certificate, tmp_path / "certificate.json")
    for name in ("one", "two"):
        shutil.copy(world.other_query, tmp_path / f"{name}.json")
    words = ["--commitment", world.commitment, "--keys", world.keys]
    assert cli("verify", tmp_path / "certificate.json", *words).code == 0
    cli("verify", tmp_path, *words).complaint(2, "one.json", "two.json", "--query")
    assert cli("verify", tmp_path, *words, "--query", world.query).code == 0


def test_what_is_missing_is_named(world, cli, tmp_path):
    """A certificate without its companions says which option gives them."""
    path = tmp_path / "certificate.json"
    shutil.copy(world.certificate, path)
    cli("verify", path).complaint(2, path, "no commitment beside the certificate (--commitment)")
    cli("verify", path, "--commitment", world.commitment).complaint(2, path, "beside the certificate (--keys)")
    cli("bundle", path, "--out", tmp_path / "b.equiproof").complaint(2, path, "(--commitment)")
    cli("verify", tmp_path / "none.equiproof").complaint(2, "none.equiproof")
    cli("verify", world.commitment).complaint(2, world.commitment, "want a certificate")
    cli("inspect", tmp_path / "none.equiproof").complaint(2)


@pytest.mark.parametrize("command", ["commit", "setup", "verify"])
def test_a_bundle_in_the_place_of_another_file_is_called_one(world, cli, own, tmp_path, command):
    """Where a document is wanted, the error says that it was given a bundle."""
    words = {
        "commit": ["commit", own, "--out", tmp_path / "owner"],
        "setup": ["setup", "--commitment", own, "--hidden", "3", "--keys", tmp_path / "keys"],
        "verify": ["verify", world.certificate, "--commitment", own, "--keys", world.keys],
    }[command]
    said = cli(*words)
    said.complaint(2, own)
    if command != "commit":
        assert "this is a bundle, want a commitment" in said.err
