"""Nothing is proven under a key that the owner did not make, and no byte of such a key is used."""

import hashlib
import json
import os
import shutil
import stat

import pytest

from equiproof.circuits.canonical import canonical_bytes
from equiproof.circuits.subcircuit import subcircuit
from equiproof.prover import KeyStore, KeyStoreError, Prover, StoredKey, prove, subcircuits
from equiproof.prover.owner import MARK_FILE, SECRET_VARIABLE, mark, ready_secret, require_mark
from equiproof.verifier.documents import KEY_FILE, PROVING_FILE, VERIFYING_FILE
from tests.support import changed

FINGERPRINT = hashlib.sha256(b"a key").hexdigest()


@pytest.fixture
def secret(tmp_path):
    """A file of an owner's secret that was just made."""
    path = tmp_path / "settings" / "owner.secret"
    ready_secret(path)
    return path


@pytest.fixture
def folder(tmp_path, secret):
    """A key's folder with the owner's mark."""
    path = tmp_path / "key"
    path.mkdir()
    (path / MARK_FILE).write_bytes(mark(FINGERPRINT, ready_secret(secret)))
    return path


def refused(folder, secret, why, fingerprint=FINGERPRINT):
    """Hold the check to one line that says why."""
    with pytest.raises(KeyStoreError, match=why) as caught:
        require_mark(folder, fingerprint, secret)
    assert "\n" not in str(caught.value)


def test_own_keys_are_known(folder, secret):
    """The mark of a key under the owner's secret is accepted, again and again, and the secret is not made anew."""
    before = secret.read_bytes()
    require_mark(folder, FINGERPRINT, secret)
    assert ready_secret(secret) == ready_secret(secret) == bytes.fromhex(before.decode())
    assert secret.read_bytes() == before
    assert stat.S_IMODE(secret.stat().st_mode) == 0o600


def test_other_keys_are_refused(folder, secret, tmp_path):
    """Refused: no mark, the mark of another key, another owner's mark, and a mark that cannot be checked."""
    other = hashlib.sha256(b"another key").hexdigest()
    refused(folder, secret, "was not made with the owner's secret", other)
    forged = json.loads((folder / MARK_FILE).read_bytes()) | {"fingerprint": other}
    (tmp_path / "forged").mkdir()
    (tmp_path / "forged" / MARK_FILE).write_bytes(canonical_bytes(forged))
    refused(tmp_path / "forged", secret, "was not made with the owner's secret", other)
    somebody = tmp_path / "somebody.secret"
    ready_secret(somebody)
    refused(folder, somebody, "was not made with the owner's secret")
    refused(folder, tmp_path / "none.secret", "name the file of the owner's secret, which is not at .*none.secret")
    (folder / MARK_FILE).unlink()
    refused(folder, secret, r"`equiproof setup --force`.* has no owner\.json, .* read the model")


@pytest.mark.parametrize("text", [b"", b"ab" * 31, b"ab" * 33, b"xy" * 32, b"\xff"])
def test_files_that_are_no_secret_are_refused(folder, secret, text):
    """A damaged secret is named; it is never taken for a short one."""
    secret.write_bytes(text)
    refused(folder, secret, r"owner\.secret: not an owner's secret: want 64 hexadecimal digits")


@pytest.mark.parametrize("mode", [0o644, 0o640, 0o606])
def test_a_secret_that_others_can_reach_is_refused(folder, secret, mode):
    """Who else can read the secret can mark keys."""
    secret.chmod(mode)
    refused(folder, secret, "others can read or change the owner's secret: `chmod 600` it")


def test_marks_are_read_strictly(folder, secret):
    """A mark is one byte string."""
    (folder / MARK_FILE).write_bytes((folder / MARK_FILE).read_bytes() + b"\n")
    refused(folder, secret, MARK_FILE)


def test_the_variable_names_the_usual_secret(folder, secret, monkeypatch, tmp_path):
    """Without a path the variable decides, and without it the user's settings."""
    monkeypatch.setenv(SECRET_VARIABLE, str(secret))
    require_mark(folder, FINGERPRINT, None)
    monkeypatch.delenv(SECRET_VARIABLE)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    refused(folder, None, "config/equiproof/owner.secret")
    (tmp_path / "config" / "equiproof").mkdir(parents=True)
    shutil.copy(secret, tmp_path / "config" / "equiproof" / "owner.secret")
    require_mark(folder, FINGERPRINT, None)


def test_a_worker_needs_the_folder_and_the_secret(loans, tmp_path):
    """Key folder and secret, copied to another place, prove there; the mark is for its owner's eyes only."""
    folder = tmp_path / "worker" / loans.key.folder.name
    shutil.copytree(loans.key.folder, folder)
    secret = tmp_path / "worker.secret"
    shutil.copy(os.environ[SECRET_VARIABLE], secret)
    assert stat.S_IMODE((folder / MARK_FILE).stat().st_mode) == 0o600
    key = KeyStore(tmp_path / "worker", secret).find(loans.spec, loans.opening.network.hidden, None)
    with Prover(loans.opening, key) as prover:
        assert prover.prove(loans.fair(seed=3)[0]).certificate.key.fingerprint == loans.key.document.fingerprint


def substituted(key, foreign, folder):
    """Copy a key's folder with the keys of somebody else's set-up of the same circuit, digests computed anew."""
    shutil.copytree(key.folder, folder)
    document = key.document
    for name, field in ((PROVING_FILE, "proving_key"), (VERIFYING_FILE, "verifying_key")):
        data = (foreign.folder / name).read_bytes()
        (folder / name).write_bytes(data)
        document = changed(document, **{field: hashlib.sha256(data).hexdigest()})
    (folder / KEY_FILE).write_bytes(canonical_bytes(document))
    return StoredKey(folder, document)


def test_a_substituted_key_is_refused_before_a_witness_is_filled(loans, foreign, tmp_path, monkeypatch):
    """Metadata and digests beside a substituted key agree, and its proofs would hold: only the mark tells.

    No byte of the proving key is read, and no witness is filled.
    """
    key = substituted(loans.key, foreign.key, tmp_path / "keys" / loans.key.folder.name)

    def never(*_, **__):
        raise AssertionError("a foreign key was used")

    monkeypatch.setattr(prove, "generate", never)
    monkeypatch.setattr("equiproof.prover.keys.load_proving", never)
    (key.folder / PROVING_FILE).unlink()
    with pytest.raises(KeyStoreError, match="was not made with the owner's secret"):
        Prover(loans.opening, key).__enter__()
    with pytest.raises(KeyStoreError, match="was not made with the owner's secret"):
        KeyStore(tmp_path / "keys").find(loans.spec, loans.opening.network.hidden, None)


def test_nothing_but_the_mark_stands_in_the_way(loans, foreign, tmp_path):
    """With a mark under the owner's secret the same substituted key proves: no other check tells whose it is.

    What its maker could read from the proofs is shown by TestKeyThatReadsAWeight of go-gnark/system.
    """
    key = substituted(loans.key, foreign.key, tmp_path / "keys" / loans.key.folder.name)
    (key.folder / MARK_FILE).write_bytes(mark(key.document.fingerprint, ready_secret(None)))
    with Prover(loans.opening, key) as prover:
        assert prover.prove(loans.fair(seed=3)[0]).certificate.key.fingerprint == key.document.fingerprint


def test_keys_of_sub_circuits_are_marked_too(loans, tmp_path, monkeypatch):
    """A sub-circuit's witness has the same secrets: without the mark nothing is proven."""
    circuit = subcircuit("minimum", loans.shape)
    key, made = subcircuits.find_or_make(tmp_path, circuit)
    assert made
    monkeypatch.setattr(subcircuits, "load_proving", lambda *_: pytest.fail("a foreign key was used"))
    (key.folder / MARK_FILE).unlink()
    with pytest.raises(KeyStoreError, match=r"has no owner\.json"):
        subcircuits.prove(key, {segment.name: [0] * len(segment.intervals) for segment in circuit.segments})
