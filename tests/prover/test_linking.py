"""The owner of a kept model makes one link for a key, and publishes no second one."""

from __future__ import annotations

import shutil
from dataclasses import replace

import pytest

from equiproof.circuits.link_shape import link_shape
from equiproof.circuits.shape import kept_shape, shape_of
from equiproof.prover import KeyStore, Opening, Prover
from equiproof.prover.errors import KeyStoreError
from equiproof.prover.linking import KeptModel
from equiproof.prover.opening import parse_opening
from equiproof.prover.owner import MARK_FILE
from equiproof.verifier.documents import LINK_KEY_FILE, PROVING_FILE
from equiproof.verifier.link import LINK_FILE, MAX_LINK_BYTES
from tests.linked_case import KeptSetting, store_of
from tests.support import LOANS, changed, network

HIDDEN = (2, 2)
SHAPES = tuple(shape_of("branch", LOANS, HIDDEN, capacity) for capacity in (8, 4))


@pytest.fixture(scope="module")
def store():
    """Two kept keys of one architecture, and the key of their links."""
    return store_of(*SHAPES)


@pytest.fixture
def owner(store, tmp_path):
    """A committed network whose owner has published nothing yet."""
    return KeptSetting(Opening.of(network(LOANS, HIDDEN, 14), LOANS, blinding=5), store, tmp_path)


@pytest.fixture
def own_store(store, tmp_path):
    """A copy of the store, to change."""
    return shutil.copytree(store, tmp_path / "keys")


def test_one_key_of_links_serves_both_capacities(store):
    """A set-up makes both keys, and a second capacity of the architecture takes the link's key that is there."""
    folders = [folder for folder in store.iterdir() if (folder / LINK_KEY_FILE).exists()]
    assert len(folders) == 1
    assert len(KeyStore(store).all()) == len(SHAPES)
    key = KeyStore(store).find_link_key(link_shape(SHAPES[0]))
    assert key.document.shape == link_shape(kept_shape(SHAPES[1]))


def test_force_keeps_the_key_of_links(own_store):
    """Making a key again leaves that of its links, and so what was published, unless this is damaged."""
    keys = KeyStore(own_store)
    before = keys.find_link_key(link_shape(SHAPES[1]))
    keys.setup(kept_shape(SHAPES[1]), force=True)
    assert keys.find_link_key(link_shape(SHAPES[1])).document == before.document
    (before.folder / MARK_FILE).unlink()
    with pytest.raises(KeyStoreError, match=r"owner\.json"):
        keys.find_link_key(link_shape(SHAPES[1]))
    keys.setup(kept_shape(SHAPES[1]), force=True)
    assert keys.find_link_key(link_shape(SHAPES[1])).document != before.document


def test_the_link_is_made_once(owner):
    """The first prover writes it; a later one, with the opening read from its file, takes it as it is."""
    link, (first,) = owner.prove()
    path = owner.published / LINK_FILE
    data = path.read_bytes()
    assert data == link.to_bytes()
    assert len(data) <= MAX_LINK_BYTES
    restored = parse_opening(owner.opening.secret(), "opening.json")
    again, (second,) = owner.prove(opening=restored)
    assert (again, path.read_bytes()) == (link, data)
    assert sorted(file.name for file in owner.published.iterdir()) == [LINK_FILE]
    # One point in all certificates, and everything else anew.
    proofs = [proven.certificate.proof_bytes for proven in (first, second)]
    assert len({proof[132:164] for proof in proofs}) == 1
    assert {proof[132:164] for proof in proofs} == {link.point_bytes}
    assert len({proof[164:196] for proof in proofs}) == 2
    assert first.certificate.statement.shown == second.certificate.statement.shown == link.shown


def test_each_key_has_its_own(owner):
    """A second key of the same model has another point, and a file of its own."""
    (first, _), (second, _) = owner.prove(), owner.prove(place=1)
    assert first.key != second.key
    assert first.point != second.point
    assert first.shown != second.shown
    assert len(list(owner.published.iterdir())) == 2


def test_two_keys_at_once(owner, monkeypatch):
    """A key whose link is made while another key's is published has a file of its own, and no second one."""
    made = KeptModel._made

    def overtaken(model, link_key):
        monkeypatch.setattr(KeptModel, "_made", made)
        owner.prove(place=1)
        return made(model, link_key)

    monkeypatch.setattr(KeptModel, "_made", overtaken)
    link, _ = owner.prove()
    assert sorted(file.name for file in owner.published.iterdir()) == [f"link-{link.key[:16]}.json", LINK_FILE]
    assert owner.prove()[0] == link


def test_a_link_that_names_another_key_of_links(owner):
    """A link that nobody can check under the key that it names is refused before anything is proven beside it."""
    link, _ = owner.prove()
    path = owner.published / LINK_FILE
    for reference in (
        changed(link.link_key, fingerprint="0" * 64),
        changed(link.link_key, setup="ceremony"),
    ):
        path.write_bytes(changed(link, link_key=reference).to_bytes())
        with pytest.raises(KeyStoreError, match="under another key"):
            owner.prove()


def test_hidden_files_are_not_published(owner):
    """Whoever verifies passes over hidden files, so that a link in one is not there for its owner, either."""
    link, _ = owner.prove()
    (owner.published / LINK_FILE).rename(owner.published / ".link.json")
    again, _ = owner.prove()
    assert (owner.published / LINK_FILE).exists()
    assert (again.point, again.shown) == (link.point, link.shown)


def test_another_link_is_never_published(owner):
    """Where a link of this key is of another opening, or has another point, nothing is proven."""
    link, _ = owner.prove()
    path = owner.published / LINK_FILE
    other = Opening.of(owner.opening.network, LOANS, blinding=6)
    with pytest.raises(KeyStoreError, match="two links of one key"):
        owner.prove(opening=other)
    path.write_bytes(changed(link, point=f"{1:064x}").to_bytes())
    with pytest.raises(KeyStoreError, match="two links of one key"):
        owner.prove()


def test_a_damaged_link_is_noticed_before_it_is_used(owner):
    """A link whose proof does not hold is refused, and so is one that cannot be read."""
    link, _ = owner.prove()
    other, _ = owner.prove(place=1)
    path = owner.published / LINK_FILE
    path.write_bytes(changed(link, proof=other.proof).to_bytes())
    with pytest.raises(KeyStoreError, match="move it away, and one of the same point is made: its proof does not hold"):
        owner.prove()
    path.write_bytes(changed(link, shown="f" * 64).to_bytes())
    with pytest.raises(KeyStoreError, match="field shown"):
        owner.prove()


def test_no_key_of_links_no_certificate(owner, own_store):
    """The owner proves links under a marked key only, and not at all without one."""
    link_key = KeyStore(own_store).find_link_key(link_shape(SHAPES[0]))
    changed_owner = replace(owner, store=own_store)
    mark = (link_key.folder / MARK_FILE).read_bytes()
    (link_key.folder / MARK_FILE).unlink()
    with pytest.raises(KeyStoreError, match=r"owner\.json"):
        changed_owner.prove()
    (link_key.folder / MARK_FILE).write_bytes(mark)
    proving = link_key.folder / PROVING_FILE
    proving.write_bytes(proving.read_bytes()[:-1] + b"\x00")
    with pytest.raises(KeyStoreError, match="damaged"):
        changed_owner.prove()
    shutil.rmtree(link_key.folder)
    with pytest.raises(KeyStoreError, match="none for links"):
        changed_owner.prove()


def test_a_prover_without_links_refuses_a_kept_key(owner):
    """What knows no links says so before it loads anything."""
    with pytest.raises(KeyStoreError, match="setup --self-contained"):
        Prover(owner.opening, owner.keys[0])


def test_secrets_are_not_shown(owner):
    """Mask and blinding of a kept model are in no repr."""
    owner.prove()
    with Prover(owner.opening, owner.keys[0], owner.published) as prover:
        model = prover._kept.model
        shown = f"{model!r} {model.secrets!r} {prover.link!r}"
    for secret in (model.blinding, int.from_bytes(model.mask, "big")):
        assert str(secret) not in shown
    assert "blinding" not in shown
