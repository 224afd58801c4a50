"""The trust store holds keys by their fingerprint, and refuses folders whose files do not belong together."""

import os
import shutil

import pytest

from equiproof.circuits.canonical import canonical_bytes
from equiproof.verifier import CertificateFormatError, TrustStore, UntrustedKeyError, Verifier
from equiproof.verifier.documents import KEY_FILE, PROVING_FILE, VERIFYING_FILE
from tests.support import changed, no_policy


@pytest.fixture
def folder(loans, tmp_path):
    """A trust folder with one key as a relying party holds it: without the proving key."""
    shutil.copytree(loans.key.folder, tmp_path / "key")
    (tmp_path / "key" / PROVING_FILE).unlink()
    return tmp_path / "key"


def test_a_store_finds_its_keys(loans, folder):
    """A key is found by its fingerprint, with the verifying key's bytes."""
    key = TrustStore.open(folder.parent).find(loans.key.document.fingerprint)
    assert (key.document, key.verifying) == (loans.key.document, loans.key.verifying)


def test_other_fingerprints_are_not_trusted(folder, loans, foreign):
    """A fingerprint that is not in the store, a prefix included, is not trusted."""
    store = TrustStore.open(folder.parent)
    for other in (foreign.key.document.fingerprint, loans.key.document.fingerprint[:-1], "", "x" * 10_000):
        with pytest.raises(UntrustedKeyError, match="is not among the 1 trusted keys"):
            store.find(other)


def test_a_store_without_keys_is_refused(tmp_path):
    """A folder that does not exist or holds no key is refused as such."""
    with pytest.raises(CertificateFormatError, match="no such folder"):
        TrustStore.open(tmp_path / "none")
    with pytest.raises(
        CertificateFormatError, match="get the key folder from whoever published the commitment: this one holds no key"
    ):
        TrustStore.open(tmp_path)


def test_a_key_folder_is_a_store_of_itself(loans, folder):
    """One level too deep is no mistake: the key folder itself is taken as a store of that one key."""
    assert TrustStore.open(folder).find(loans.key.document.fingerprint).document == loans.key.document


def test_a_swapped_verifying_key_is_refused(folder, foreign):
    """A verifying key that the metadata does not name is refused."""
    (folder / VERIFYING_FILE).write_bytes(foreign.key.verifying)
    with pytest.raises(
        CertificateFormatError, match=r"verifying\.key: make or fetch the key again: this is not the key that key\.json"
    ):
        TrustStore.open(folder.parent)


def test_an_edited_verifying_key_is_refused(folder):
    """A verifying key that differs in one bit is refused, and so is a huge one."""
    data = bytearray((folder / VERIFYING_FILE).read_bytes())
    data[-1] ^= 1
    for lie in (bytes(data), bytes(data[:-1]), b"", bytes(1 << 20)):
        (folder / VERIFYING_FILE).write_bytes(lie)
        with pytest.raises(CertificateFormatError, match="not the key that"):
            TrustStore.open(folder.parent)


@pytest.mark.parametrize("name", [VERIFYING_FILE])
def test_a_missing_file_is_refused(folder, name):
    """A key folder without its verifying key is refused by the file's name."""
    (folder / name).unlink()
    with pytest.raises(CertificateFormatError, match=name):
        TrustStore.open(folder.parent)


@pytest.mark.parametrize(
    "change",
    [
        lambda data: data + b"\n",
        lambda data: data.replace(b'"constraints":', b'"constraints": '),
        lambda data: data.replace(b'"single-party"', b'"trusted"'),
        lambda data: data.replace(b'"version":2}', b'"version":3}'),
        lambda data: data.replace(b"equiproof-key", b"equiproof-kex"),
        lambda data: data.replace(b'"tools":', b'"extra":1,"tools":'),
        lambda data: b"",
        lambda data: b"{}",
        lambda data: b"\xff",
    ],
)
def test_edited_metadata_is_refused(folder, change):
    """Metadata in any but its canonical form is refused, naming the file."""
    path = folder / KEY_FILE
    path.write_bytes(change(path.read_bytes()))
    with pytest.raises(CertificateFormatError, match=r"key\.json"):
        TrustStore.open(folder.parent)


@pytest.mark.parametrize(
    "fields", [{"constraints": 1}, {"system_digest": "0" * 64}, {"tools": {}}, {"proving_key": "0" * 64}]
)
def test_an_edited_key_is_another_key(loans, folder, proven, fields):
    """Metadata that is canonical and edited has another fingerprint: the honest certificate names another key."""
    (folder / KEY_FILE).write_bytes(canonical_bytes(changed(loans.key.document, **fields)))
    with pytest.raises(UntrustedKeyError):
        Verifier(loans.commitment, TrustStore.open(folder.parent)).verify(proven.certificate, no_policy())


@pytest.mark.parametrize("name", [KEY_FILE, VERIFYING_FILE])
@pytest.mark.parametrize("make", [os.mkfifo, lambda path: path.symlink_to("/dev/zero"), lambda path: path.mkdir()])
def test_only_regular_files_are_read(folder, name, make):
    """A pipe, a device behind a link or a folder in a key file's place is refused at once, naming it."""
    (folder / name).unlink()
    make(folder / name)
    with pytest.raises(CertificateFormatError, match=f"{name}: not a regular file"):
        TrustStore.open(folder.parent)


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"hidden": (1,) * 60_000}, "hidden: 60000 layers, want 1 to 64"),
        ({"hidden": ()}, "hidden: 0 layers"),
        ({"hidden": (0, 4)}, "sizes of at least 1"),
        ({"hidden": (120, 121)}, "at most 240"),
        ({"bias_bits": (20,) * 60_000}, "bias_bits: 60000 widths"),
    ],
)
def test_shapes_without_a_circuit_are_refused(loans, folder, fields, message):
    """A key whose layers no circuit has is refused when it is read, in a line that does not repeat them."""
    shape = loans.key.document.shape
    lie = changed(shape, architecture=changed(shape.architecture, **fields))
    (folder / KEY_FILE).write_bytes(canonical_bytes(changed(loans.key.document, shape=lie)))
    with pytest.raises(CertificateFormatError, match=message) as refused:
        TrustStore.open(folder.parent)
    assert len(str(refused.value)) < 300


def test_half_written_folders_are_no_keys(folder):
    """A folder under its temporary name does not spoil the store."""
    half = folder.parent / ".key.abc123"
    half.mkdir()
    shutil.copy(folder / KEY_FILE, half)
    assert TrustStore.open(folder.parent)
