"""A kept model in the service: its link is there before the first certificate, and in every bundle and package."""

import random
import shutil

import pytest

from equiproof.circuits.shape import kept_shape, shape_of
from equiproof.prover import KeyStore, Opening
from equiproof.prover.errors import KeyStoreError
from equiproof.prover.linking import published
from equiproof.prover.published import published_link
from equiproof.service.checking import check, unready
from equiproof.service.clock import now
from equiproof.service.compared import compare, described
from equiproof.service.jobs import durable
from equiproof.service.keys import key_of
from equiproof.service.models import Files, ModelError, add_model
from equiproof.service.public_log import PublicLog
from equiproof.service.settings import load_settings
from equiproof.service.store.database import Database
from equiproof.service.store.tables import Certificate, Decision
from equiproof.service.vault import make_vault
from equiproof.service.worker.certifying import Certifying
from equiproof.service.worker.child import prove, ready
from equiproof.verifier import MinRadius, parse_bundle
from equiproof.verifier.documents import parse_commitment
from equiproof.verifier.entries import link_entry
from equiproof.verifier.link import LINK_FILE, load_link, parse_link
from equiproof.verifier.package import parse_package
from equiproof.verifier.package_check import Reader, check_package
from equiproof.verifier.presented import verify_bundle
from tests.cli.world import command
from tests.linked_case import store_of
from tests.service.test_rollover import entries, log, step  # noqa: F401 -- fixtures
from tests.support import LOANS, applicant, changed, network

HIDDEN = (2, 2)
SMALL, LARGE = (kept_shape(shape_of("branch", LOANS, HIDDEN, capacity)) for capacity in (4, 8))
ANYTHING = MinRadius("0")


@pytest.fixture(scope="module")
def store():
    """A folder with two kept keys of one model, and the key of their links."""
    return store_of(shape_of("branch", LOANS, HIDDEN, 4), shape_of("branch", LOANS, HIDDEN, 8))


@pytest.fixture
def owner(tmp_path, store):
    """An owner's folder: the opening, and the smaller of the keys with that of links; nothing is published."""
    ready.cache_clear()
    folder = tmp_path / "owner"
    folder.mkdir()
    (folder / "opening.json").write_bytes(owned().secret())
    (folder / "keys").mkdir()
    for path in store.iterdir():
        if path.is_dir() and path.name != folder_of(store, LARGE).name:
            shutil.copytree(path, folder / "keys" / path.name)
    yield folder
    ready.cache_clear()


def owned():
    """Return the model."""
    return Opening.of(network(LOANS, HIDDEN, 14), LOANS, blinding=5)


def folder_of(store, shape):
    """Return the folder of the key of a shape."""
    (found,) = (key.folder for key in KeyStore(store).all() if key.document.shape == shape)
    return found


def publish(owner):
    """Publish the link of the best key, as `equiproof service model add` does; return its file."""
    return published(owned(), KeyStore(owner / "keys").find_for(owned()), owner).path


def rotate(owner, store):
    """Put the larger key beside the other one."""
    found = folder_of(store, LARGE)
    shutil.copytree(found, owner / "keys" / found.name)


class Lender:
    """A service with the kept model, whose provers are this process."""

    def __init__(self, service, owner):
        self.service = service
        self.said = []
        self._drawn = random.Random(3)
        with service.shared.database.transaction() as session:
            add_model(session, "loans", Files(owner / "opening.json", owner / "keys"), service.clock())

    def decided(self):
        """Return a decision that the model takes alike for all, in the state that it has."""
        while (made := self.service.post(applicant(LOANS, self._drawn)).json())["state"] != "decided":
            pass
        return made["id"]

    def proven(self, decision):
        """Have a prover that has just begun prove a decision; return the state then."""
        ready.cache_clear()
        shared = self.service.shared
        Certifying(shared.database, shared.holders.vault, prove, self.service.clock, self.said.append)(decision)
        with shared.database.reading() as session:
            return session.get_one(Decision, decision).state

    def certified(self):
        """Return a decision with a certificate, and the fingerprint of its key."""
        while self.proven(decision := self.decided()) != "certified":
            assert self.said == []
        with self.service.shared.database.reading() as session:
            return decision, session.get_one(Certificate, decision).key_fingerprint

    def paper(self, decision, name):
        """Return a paper's answer."""
        return self.service.get(f"/v1/decisions/{decision}/{name}")


@pytest.fixture
def lender(service, owner):
    """The service with the model."""
    return Lender(service, owner)


@pytest.mark.parametrize("address", ["sqlite"], indirect=True)
def test_no_certificate_before_the_link_and_all_with_it(lender, owner, store):
    """Without the link decisions wait; bundle and package have it with its key, and are verified alone."""
    waiting = lender.decided()
    assert lender.proven(waiting) == "decided"
    assert "link of the kept key" in lender.said.pop()
    assert lender.service.get("/v1/models").json()["models"][0]["links"] == []
    link = load_link(publish(owner))
    decision, fingerprint = lender.certified()
    assert fingerprint == link.key
    bundle = lender.paper(decision, "bundle").content
    parts = parse_bundle(bundle, "bundle")
    assert parse_link(parts.link, "link") == link
    for program in ("native", "python"):
        assert verify_bundle(bundle, ANYTHING, checker=program).link_key.fingerprint == link.link_key.fingerprint
    (owner / "link.tlog-proof").write_bytes(b"proof")
    answer = lender.paper(decision, "package")
    assert answer.status_code == 200, answer.text
    package = parse_package(answer.content, "package")
    assert package.link_proof == b"proof"
    checked = check_package(package, "package", Reader(ANYTHING, lender.service.clock() // 10**6))
    assert [(one.checker, one.verdict) for one in checked.reports] == [("native", "verified"), ("python", "verified")]
    assert lender.paper(decision, "letter").status_code == 200
    (model,) = lender.service.get("/v1/models").json()["models"]
    assert [one["point"] for one in model["links"]] == [link.point]


@pytest.mark.parametrize("address", ["sqlite"], indirect=True)
def test_a_rotation_of_keys_waits_for_the_new_link(lender, owner, store):
    """The earlier key goes on until the new one's link is published; each bundle has the link of its certificate."""
    first = load_link(publish(owner))
    before, _ = lender.certified()
    rotate(owner, store)
    assert lender.certified()[1] == first.key
    second = load_link(publish(owner))
    assert (second.model_commitment, second.key != first.key) == (first.model_commitment, True)
    after, fingerprint = lender.certified()
    assert fingerprint == second.key
    for decision, link in ((before, first), (after, second)):
        bundle = lender.paper(decision, "bundle").content
        assert parse_link(parse_bundle(bundle, "bundle").link, "link") == link
        verify_bundle(bundle, ANYTHING)
    assert len(lender.service.get("/v1/models").json()["models"][0]["links"]) == 2
    # The first key's link is lost: its bundle is not handed out without it, and the other's is.
    (owner / LINK_FILE).rename(owner / "away")
    assert lender.paper(before, "bundle").json()["type"] == "urn:equiproof:no-model"
    assert lender.paper(after, "bundle").status_code == 200
    (owner / "else").mkdir()
    shutil.copy(owner / "opening.json", owner / "else")
    files = Files(owner / "else" / "opening.json", owner / "keys")
    with lender.service.shared.database.transaction() as session, pytest.raises(ModelError, match="copy the link"):
        add_model(session, "loans", files, lender.service.clock())


@pytest.mark.parametrize("address", ["sqlite"], indirect=True)
def test_the_log_is_told_of_the_link(lender, owner, store, log, step):  # noqa: F811
    """Once it is published, once for each key; the comparison with the database knows it, and no other one."""
    step()
    assert {entry.kind for entry in entries(log)} == {"commitment", "retire"}
    first = load_link(publish(owner))
    step()
    rotate(owner, store)
    second = load_link(publish(owner))
    step()
    step()
    kinds = [entry.kind for entry in entries(log)]
    assert [kinds.count(kind) for kind in ("key", "link")] == [2, 2]
    commitment = parse_commitment(owned().public(), "commitment")
    own = [link_entry("North Bank", link, commitment) for link in (first, second)]
    assert [entry for entry in entries(log) if entry.kind == "link"] == own
    other = link_entry("North Bank", changed(first, shown=f"{7:064x}"), commitment)
    log.folder.append(other.data)
    public = PublicLog(str(log.folder.root), log.pins, log.append)
    strange = compare(lender.service.shared.database, public, "North Bank").strange
    assert [(described(entry), entry) for _, entry in strange] == [(f"link {other.link} of North Bank", other)]


def test_two_links_of_one_key_stop_the_owner(owner, store):
    """Those of two keys stand beside each other; of two of one key, neither is chosen."""
    first = publish(owner)
    rotate(owner, store)
    second = publish(owner)
    assert published_link(owner, load_link(first).key)[0] == first
    shutil.copy(second, owner / "again.json")
    assert key_of(owned(), owner / "keys", owner) is None
    with pytest.raises(KeyStoreError, match="both are links of one key"):
        KeyStore(owner / "keys").find_for(owned(), links=owner)


@pytest.fixture
def settings(owner, sqlite_template):
    """The settings of a service with the model and its link."""
    make_vault(owner / "vault.keys", "first")
    (owner / "service.toml").write_text('vault = "vault.keys"\n[lender]\nname = "North Bank"\n')
    shutil.copy(sqlite_template, owner / "service.db")
    found = load_settings(owner / "service.toml")
    durable.migrate(found.database)
    publish(owner)
    with Database(found.database) as database, database.transaction() as session:
        add_model(session, "loans", Files(owner / "opening.json", owner / "keys"), now())
    return found


def of_model(lines):
    """Return the line about the model."""
    (found,) = (line for line in lines if line.text.startswith("model loans"))
    return found


def test_the_check_compares_link_commitment_and_opening(settings, owner, store):
    """Whatever is wrong with it is said before the first job: at the start all but the proof, and by `check` that."""
    path = owner / LINK_FILE
    link = load_link(path)
    line = of_model(check(settings))
    assert line.good
    assert f"link {path} under {owner / 'keys'}" in line.text
    assert not list(unready(settings))
    rotate(owner, store)
    with_other = load_link(publish(owner))
    shutil.rmtree(folder_of(owner / "keys", LARGE))
    (owner / f"link-{with_other.key[:16]}.json").unlink()
    for lie, said, at_start in (
        ({"model_commitment": f"{7:064x}"}, "another model or opening", True),
        ({"spec_digest": f"{7:064x}"}, "another model or opening", True),
        ({"shown": f"{7:064x}"}, "another model or opening", True),
        ({"point": with_other.point}, "another model or opening", True),
        ({"key": with_other.key}, "it is not there", True),
        ({"link_key": changed(link.link_key, fingerprint="ab" * 32)}, "another key than", True),
        ({"proof": with_other.proof}, "its proof does not hold", False),
    ):
        path.write_bytes(changed(link, **lie).to_bytes())
        found = of_model(check(settings))
        assert not found.good, lie
        assert said in found.text, (lie, found.text)
        assert bool(list(unready(settings))) == at_start, lie
    path.write_bytes(link.to_bytes())
    shutil.copy(path, owner / "twice.json")
    assert "both are links of one key" in of_model(unready(settings)).text
    (owner / "twice.json").unlink()
    path.unlink()
    assert "it is not there" in of_model(unready(settings)).text


def test_model_add_makes_the_link(settings, owner, monkeypatch):
    """Where there is none; told again, it stays, and with a new key there is one more."""
    monkeypatch.chdir(owner)
    (owner / LINK_FILE).unlink()
    words = ("service", "model", "add", "loans", "--opening", "opening.json", "--keys", "keys", "--json")
    made = command(*words).document
    assert made["link"] == str(owner / LINK_FILE)
    before = (owner / LINK_FILE).read_bytes()
    assert command(*words).document == made
    assert (owner / LINK_FILE).read_bytes() == before
    assert "publish it with the commitment" in command(*words[:-1]).out
    assert of_model(check(settings)).good
