"""What lies beside a certificate is found by its kind, never by a guess, and is pinned by nobody."""

import dataclasses
import json
import os
import shutil

import msgspec
import pytest

from equiproof.circuits.canonical import canonical_bytes
from equiproof.verifier import (
    AllOf,
    CertificateFormatError,
    ForContext,
    ForQuery,
    KeyIs,
    Pins,
    TrustStore,
    VerificationError,
    parse_bundle,
    verify_bundle,
)
from equiproof.verifier.bundle import README
from equiproof.verifier.documents import load_commitment, load_query
from equiproof.verifier.facts import ABOUT_FOUND_CONTEXT, ABOUT_FOUND_QUERY, ABOUT_LOG, ABOUT_QUERY
from equiproof.verifier.link import load_link
from equiproof.verifier.presented import MAX_FILES, link_key_beside, links_in, of_bundle, present, receipt_of
from tests.support import ROOT, no_policy
from tests.vectors.vector import bundle_base
from tests.verifier.packages import own_bundle
from tests.verifier.test_receipt import OWN

GOLDEN = ROOT / "tests" / "golden"
NOTHING = {"commitment": None, "key": None, "query": None, "context": None, "log_proof": None}


@pytest.fixture
def folder(tmp_path):
    """A folder with a certificate and all that belongs to it, under names of its own."""
    home = tmp_path / "mail"
    shutil.copytree(GOLDEN / "loans" / "keys" / "key", home / "attachments" / "of the lender")
    for name, other in (("certificate", "decision"), ("commitment", "model"), ("query", "me"), ("context", "case")):
        shutil.copy(GOLDEN / "loans" / f"{name}.json", home / f"{other}.json")
    return home


def parts(presented):
    """Return which parts were found."""
    return {name for name in NOTHING if getattr(presented, name) is not None}


def refused(path, given=()):
    """Return the error of what is presented there."""
    with pytest.raises(CertificateFormatError) as caught:
        present(path, given)
    assert "\n" not in str(caught.value)
    return caught.value


def test_everything_is_found_by_its_kind(folder):
    """Names do not matter: a folder and a certificate in it give the same, all of it and nothing else."""
    (folder / "notes.json").write_text('{"format": "equiproof-spec"}')
    (folder / "broken.json").write_bytes(b"\xff{")
    (folder / "row.json").write_text('{"income": 3000}')
    (folder / ".hidden.json").write_bytes((GOLDEN / "rates" / "commitment.json").read_bytes())
    (folder / "decision.tlog-proof").write_bytes(b"anything")
    found = present(folder)
    assert found == present(folder / "decision.json")
    assert parts(found) == set(NOTHING)
    verified = found.verify(no_policy())
    assert verified.pins == Pins(commitment=False, key=False)
    assert verified.not_made[-1] == ABOUT_LOG


@pytest.mark.parametrize(
    ("name", "given", "option"),
    [("model", "commitment", "--commitment"), ("me", "query", "--query"), ("case", "context", "--context")],
)
def test_two_of_one_kind_are_named(folder, name, given, option):
    """Two candidates are an error that names both and the option; whoever gives the part itself is not asked."""
    shutil.copy(folder / f"{name}.json", folder / "another.json")
    error = refused(folder / "decision.json")
    assert error.reason == "wrong-files"
    for word in (f"{name}.json", "another.json", option):
        assert word in str(error)
    assert parts(present(folder / "decision.json", {given})) == {"commitment", "key", "query", "context"} - {given}


def test_two_certificates_are_named(folder):
    """A folder with two certificates is no answer; each of them by itself is one."""
    shutil.copy(GOLDEN / "rates" / "certificate.json", folder / "other.json")
    error = refused(folder)
    assert "decision.json" in str(error)
    assert "other.json" in str(error)
    assert present(folder / "decision.json").verify(no_policy())


def test_the_key_is_the_one_that_the_certificate_names(folder):
    """Other keys beside it, and unfinished ones, are passed over; a second copy is an error that names both."""
    shutil.copytree(GOLDEN / "rates" / "keys" / "key", folder / "keys" / "rates")
    shutil.copytree(folder / "attachments" / "of the lender", folder / "keys" / ".unfinished")
    assert present(folder).key == present(GOLDEN / "loans").key
    shutil.copytree(folder / "attachments" / "of the lender", folder / "keys" / "loans")
    error = refused(folder)
    assert error.reason == "wrong-files"
    assert str(folder / "attachments") in str(error)
    assert "--keys" in str(error)
    assert present(folder, {"key"}).key is None


def test_keys_are_not_looked_for_further_down(folder):
    """A key three folders below is not beside the certificate."""
    (folder / "a" / "b").mkdir(parents=True)
    (folder / "attachments").rename(folder / "a" / "b" / "c")
    assert present(folder).key is None
    with pytest.raises(CertificateFormatError, match=r"no key e5a8de546948c870\.\.\. beside the certificate") as caught:
        present(folder).verify(no_policy())
    assert caught.value.reason == "no-keys"
    assert present(folder).verify(no_policy(), keys=TrustStore.open(GOLDEN / "loans" / "keys")).pins.key


@pytest.mark.parametrize("file", ["key.json", "verifying.key"])
def test_a_broken_key_is_not_the_certificates(folder, file):
    """Metadata of other bytes are another key's; bytes that the metadata do not name are an error that says so."""
    path = folder / "attachments" / "of the lender" / file
    path.write_bytes(path.read_bytes() + b" ")
    if file == "key.json":
        assert present(folder).key is None
    else:
        error = refused(folder)
        assert (error.reason, str(path) in str(error)) == ("key-bytes-differ", True)


@pytest.mark.parametrize("name", ["decision", "model", "me", "case"])
def test_a_malformed_file_is_named_by_its_path(folder, name):
    """Whichever it is, whether it is found beside the certificate or in its folder."""
    path = folder / f"{name}.json"
    document = json.loads(path.read_bytes())
    path.write_bytes(canonical_bytes(document | {"nonce": ""} if name == "case" else document | {"unknown": 1}))
    for place in (folder, folder / "decision.json"):
        assert str(refused(place)).startswith(f"{path}: ")


def test_a_malformed_bundle_is_named_by_its_path(tmp_path):
    """So are the files within it."""
    path = tmp_path / "mine.equiproof"
    path.write_bytes(bundle_base("loans") + b" ")
    assert str(refused(path)).startswith(f"{path}: ")
    bundle = parse_bundle(bundle_base("loans"), "own")
    for field in ("certificate", "commitment", "key", "query", "context"):
        name = "key/metadata" if field == "key" else field
        path.write_bytes(dataclasses.replace(bundle, **{field: b"{}"}).to_bytes())
        assert str(refused(path)).startswith(f"{path}: {name}.json: "), field


def test_an_unpacked_bundle_is_a_folder(tmp_path):
    """The files of a bundle, unpacked, are what the bundle is."""
    bundle = parse_bundle(bundle_base("loans"), "own")
    for name, content in bundle.files():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(content)
    path = tmp_path / "mine.equiproof"
    path.write_bytes(bundle_base("loans"))
    assert present(tmp_path) == present(path)


def test_no_certificate(tmp_path):
    """A folder without a certificate says so, and points to bundles where there are any."""
    assert "no certificate in this folder" in str(refused(tmp_path))
    (tmp_path / "mine.equiproof").write_bytes(bundle_base("loans"))
    assert "*.equiproof" in str(refused(tmp_path))
    with pytest.raises(FileNotFoundError):
        present(tmp_path / "none")


def test_a_certificate_alone(tmp_path, folder):
    """Alone, nothing beside a certificate is looked at; a certificate with nothing beside it lacks its commitment."""
    for name in ("model", "me", "case"):
        shutil.copy(folder / f"{name}.json", folder / f"{name}-2.json")
    assert parts(present(folder / "decision.json", alone=True)) == set()
    shutil.copy(folder / "decision.json", tmp_path / "alone.json")
    with pytest.raises(CertificateFormatError, match="no commitment beside the certificate"):
        present(tmp_path / "alone.json").verify(no_policy())


def test_pipes_and_crowds(folder):
    """Nothing waits for a pipe that is called like a document, and a folder of too many files is not read through."""
    os.mkfifo(folder / "pipe.json")
    os.mkfifo(folder / "decision.tlog-proof")
    assert parts(present(folder)) == {"commitment", "key", "query", "context"}
    for number in range(MAX_FILES):
        (folder / f"{number}.json").touch()
    assert f"more than {MAX_FILES} files" in str(refused(folder))


def test_what_came_along_must_fit(folder):
    """A query or a context that is another's refuses the certificate, although nobody asked for it."""
    query = json.loads((folder / "me.json").read_bytes())
    query["features"]["income"] += 1000
    (folder / "me.json").write_bytes(json.dumps(query, separators=(",", ":"), sort_keys=True).encode())
    with pytest.raises(VerificationError, match="other data than the query file that came with it") as caught:
        present(folder).verify(no_policy())
    assert caught.value.reason == "other-query"
    (folder / "case.json").write_text('{"nonce": "another one, 16 characters"}')
    with pytest.raises(VerificationError) as caught:
        present(folder, {"query"}).verify(no_policy())
    assert caught.value.reason == "other-context"


def test_what_came_along_is_not_the_readers_own(folder):
    """Query and context are checked and stay open, until the reader gives files of their own."""
    verified = present(folder).verify(no_policy())
    assert {ABOUT_FOUND_QUERY, ABOUT_FOUND_CONTEXT} <= set(verified.not_made)
    assert "it is about the data in the query file that came with it" in verified.made
    own = ForQuery(load_query(folder / "me.json"))
    verified = present(folder, {"query"}).verify(own)
    assert not {ABOUT_FOUND_QUERY, ABOUT_QUERY} & set(verified.not_made)
    context = ForContext(json.loads((folder / "case.json").read_bytes()))
    verified = present(folder, {"query", "context"}).verify(AllOf(own, context))
    assert not {ABOUT_FOUND_CONTEXT, ABOUT_QUERY} & set(verified.not_made)


def test_given_parts_decide_over_those_of_a_bundle():
    """Own commitment and keys are pinned and used, whatever the bundle holds."""
    commitment, keys = load_commitment(GOLDEN / "loans" / "commitment.json"), TrustStore.open(GOLDEN / "loans" / "keys")
    own = bundle_base("loans")
    assert verify_bundle(own, no_policy(), commitment, keys).pins == Pins()
    assert verify_bundle(own, no_policy(), commitment).pins == Pins(key=False)
    assert verify_bundle(own, no_policy(), keys=keys).pins == Pins(commitment=False)
    with pytest.raises(VerificationError, match="not among the 1 trusted keys"):
        verify_bundle(bundle_base("forged"), no_policy(), commitment, keys)


def test_public_leaves_nothing_of_the_applicants(folder):
    """Query, context and disclosed data are gone; the certificate is the same one, and verifies."""
    whole = present(folder)
    disclosed = msgspec.structs.replace(whole.certificate, query=whole.query)
    (folder / "decision.json").write_bytes(disclosed.to_bytes())
    public = present(folder).public()
    assert (public.query, public.context, public.certificate.query) == (None, None, None)
    assert public.certificate == whole.certificate
    data = public.bundle().to_bytes()
    assert b"58058" not in data
    assert whole.query.blinding.encode() not in data
    assert verify_bundle(data, no_policy()).identity == whole.verify(no_policy()).identity


def test_a_bundle_needs_commitment_and_key(folder):
    """What lacks one of them is no bundle, and the error names the option."""
    with pytest.raises(CertificateFormatError, match=r"no commitment \(--commitment\) beside"):
        present(folder, {"commitment"}).bundle()
    with pytest.raises(CertificateFormatError, match=r"no key \(--key\) beside"):
        present(folder, {"key"}).bundle()


def test_a_key_by_its_digits(folder):
    """The fingerprint in a policy pins the key that came along, and refuses any other."""
    assert present(folder).verify(KeyIs(present(folder).key.document.fingerprint)).pins.key
    with pytest.raises(VerificationError):
        present(folder).verify(KeyIs("0" * 64))


def test_a_receipt_is_found_with_its_proof(folder):
    """By its kind; its log proof bears its name. It is left out where the reader has one, and two are refused."""
    assert (present(folder).receipt, receipt_of(folder)) == (None, None)
    (folder / "got.json").write_bytes(canonical_bytes(OWN))
    found = present(folder)
    assert (found.receipt, found.receipt_proof, receipt_of(folder)) == (OWN, None, (OWN, None))
    (folder / "got.tlog-proof").write_bytes(b"anything")
    found = present(folder)
    assert (found.receipt, found.receipt_proof, receipt_of(folder)) == (OWN, b"anything", (OWN, b"anything"))
    without = present(folder, ["receipt"])
    assert (without.receipt, without.receipt_proof) == (None, None)
    (folder / "other.json").write_bytes(canonical_bytes(OWN))
    assert "--receipt" in str(refused(folder))
    with pytest.raises(CertificateFormatError, match=r"got\.json"):
        receipt_of(folder)


@pytest.mark.parametrize(("name", "kind"), [("model", "commitment"), ("me", "query"), ("got", "receipt")])
def test_a_broken_part_is_named_by_its_path(folder, name, kind):
    """As the reader can find it."""
    path = folder / f"{name}.json"
    path.write_text(f'{{"format": "equiproof-{kind}", "version": 2}}')
    assert str(refused(folder)).startswith(f"{path}: ")


def test_a_broken_bundle_is_named_by_its_path(tmp_path):
    """And a key that is missing by the first 16 digits of its fingerprint."""
    path = tmp_path / "some.equiproof"
    path.write_bytes(bundle_base("loans")[:-1])
    assert str(refused(path)).startswith(f"{path}: ")
    shutil.copy(GOLDEN / "loans" / "certificate.json", tmp_path)
    alone = present(tmp_path / "certificate.json")
    digits = alone.certificate.key.fingerprint
    with pytest.raises(CertificateFormatError, match=rf"\b{digits[:16]}(?![0-9a-f])"):
        alone.verify(no_policy(), commitment=load_commitment(GOLDEN / "loans" / "commitment.json"))


def test_a_bundle_that_was_read_is_written_again():
    """Every part is there, signatures of the key and the receipt too; what is written has the README."""
    for signatures in (None, b"unread"):
        data = own_bundle(signatures=signatures)
        assert of_bundle(parse_bundle(data, "b"), "b").bundle() == dataclasses.replace(
            parse_bundle(data, "b"), readme=README
        )


@pytest.mark.parametrize("way", ["", "keys", "keys/key", "a/b/c"])
def test_keys_are_found_up_to_two_folders_below(folder, way):
    """Beside the certificate, or as a key store has them; no deeper."""
    store = folder / "attachments" / "of the lender"
    place = folder / way
    place.mkdir(parents=True, exist_ok=True)
    for file in list(store.iterdir()):
        file.rename(place / file.name)
    if way == "a/b/c":
        assert present(folder).key is None
    else:
        assert present(folder).key is not None
        present(folder).verify(no_policy())


@pytest.fixture
def linked(tmp_path):
    """A folder with a certificate of a kept key, its link, and both keys in folders of their own."""
    return shutil.copytree(GOLDEN / "loans-kept", tmp_path / "mail")


def test_a_link_and_its_key_are_found_by_their_kind(linked):
    """What is presented makes a bundle, and what the bundle holds is the same."""
    (linked / "link.json").rename(linked / "which.json")
    found = present(linked)
    link = load_link(linked / "which.json")
    assert found.link == link
    assert found.link_key.document.fingerprint == link.link_key.fingerprint
    assert links_in(linked) == (link,)
    for near in (linked, linked / "certificate.json"):
        assert link_key_beside(near, link) == found.link_key
    again = of_bundle(parse_bundle(found.bundle().to_bytes(), "bundle"), "bundle")
    assert (again.link, again.link_key) == (found.link, found.link_key)
    assert again.certificate == found.certificate


def test_two_links_of_one_key_are_named(linked):
    """They may be of two models; a link of another key is not the certificate's."""
    shutil.copy(linked / "link.json", linked / "second.json")
    message = str(refused(linked))
    assert "link.json" in message
    assert "second.json" in message
    assert "--link" in message
    other = json.loads((linked / "link.json").read_bytes()) | {"key": "0" * 63 + "1"}
    (linked / "second.json").write_bytes(canonical_bytes(other))
    assert present(linked).link == load_link(linked / "link.json")
    assert len(links_in(linked)) == 2


def test_without_its_link_a_kept_certificate_makes_no_bundle(linked):
    """Nor without the key of the link: nobody could verify it."""
    found = present(linked)
    for lacking in ({"link": None}, {"link_key": None}):
        with pytest.raises(CertificateFormatError) as caught:
            dataclasses.replace(found, **lacking).bundle()
        assert caught.value.reason == "wrong-files"
    shutil.rmtree(linked / "keys" / "link")
    assert present(linked).link_key is None
    assert link_key_beside(linked, found.link) is None
