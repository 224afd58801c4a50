"""The key store finds the key of a model, and refuses damaged keys and keys of another circuit."""

import hashlib
import os
import shutil
import subprocess
import sys

import pytest

from equiproof.circuits.canonical import canonical_bytes
from equiproof.circuits.files import FileExistsRefusedError
from equiproof.circuits.shape import traversal_shape
from equiproof.ffi.errors import BackendError, MalformedInputError, UnsatisfiedError
from equiproof.prover import KeyStore, KeyStoreError, Prover, StoredKey
from equiproof.prover.keys import prove_with
from equiproof.verifier.documents import KEY_FILE, PROVING_FILE, VERIFYING_FILE, parse_key
from tests.support import LOANS, ROOT, changed, marked

HIDDEN = (2, 2)


@pytest.fixture
def store(loans, cramped, rates, tmp_path):
    """A store of three keys, a copy that a test may damage."""
    for key in (loans.key, cramped.key, rates.key):
        shutil.copytree(key.folder, tmp_path / key.folder.name)
    return tmp_path


def damaged(path):
    """Change one byte in the middle of a file."""
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    path.write_bytes(bytes(data))


def test_the_metadata_names_what_was_made(loans):
    """A key's metadata has its shape, its set-up, and the digests of both files."""
    document = parse_key((loans.key.folder / KEY_FILE).read_bytes(), "key.json")
    assert document == loans.key.document
    assert document.shape == traversal_shape(LOANS, HIDDEN, 8)
    assert document.setup == "single-party"
    for name, digest in ((VERIFYING_FILE, document.verifying_key), (PROVING_FILE, document.proving_key)):
        assert hashlib.sha256((loans.key.folder / name).read_bytes()).hexdigest() == digest


def test_every_set_up_makes_other_keys(loans, foreign):
    """Two set-ups of one shape share the circuit and nothing else."""
    assert loans.key.document.system_digest == foreign.key.document.system_digest
    assert loans.key.document.verifying_key != foreign.key.document.verifying_key
    assert loans.key.document.fingerprint != foreign.key.document.fingerprint


def test_the_largest_capacity_is_found(store):
    """Without a wish, a model's key of the largest capacity is found; with one, that of the capacity."""
    keys = KeyStore(store)
    assert keys.find(LOANS, HIDDEN, None).document.shape.capacity == 8
    assert keys.find(LOANS, HIDDEN, 2).document.shape.capacity == 2
    with pytest.raises(KeyStoreError, match=r"needs --hidden \S+ --capacity 4; there are .*K = 8.*`equiproof setup`"):
        keys.find(LOANS, HIDDEN, 4)


def test_a_key_of_a_scheme_is_found(store, loans_tree, tmp_path):
    """Of equal capacities the key of scheme `branch` is found; a scheme that is asked for is found or said to miss."""
    both = tmp_path / "both"
    for folder in (loans_tree.key.folder, *(key.folder for key in KeyStore(store).all())):
        shutil.copytree(folder, both / folder.name)
    for scheme, wanted in ((None, "branch"), ("branch", "branch"), ("traversal", "traversal")):
        found = KeyStore(both).find(LOANS, HIDDEN, None, scheme).document.shape
        assert (found.scheme, found.capacity) == (wanted, 8)
    with pytest.raises(KeyStoreError, match=r"needs --hidden \S+ --scheme branch; there are .*traversal, K = 8"):
        KeyStore(store).find(LOANS, HIDDEN, None, "branch")


@pytest.mark.parametrize(
    ("spec", "hidden"),
    [
        (LOANS, (2,)),
        (LOANS, (2, 3)),
        (changed(LOANS, input_fraction_bits=9), HIDDEN),
        (changed(LOANS, input_bits=19), HIDDEN),
    ],
)
def test_keys_of_another_shape_are_not_found(store, spec, hidden):
    """Other hidden sizes, another scale or another width need a key of their own."""
    with pytest.raises(KeyStoreError, match="no key for this model"):
        KeyStore(store).find(spec, hidden, None)


def test_an_empty_store_finds_nothing(tmp_path):
    """A store without keys, or that does not exist, has none."""
    assert KeyStore(tmp_path / "none").all() == []
    with pytest.raises(KeyStoreError, match="no such folder of keys"):
        KeyStore(tmp_path / "none").find(LOANS, HIDDEN, None)
    with pytest.raises(KeyStoreError, match=r"no key for this model.*the folder holds no key"):
        KeyStore(tmp_path).find(LOANS, HIDDEN, None)


def test_existing_keys_stay(loans):
    """A set-up over existing keys is refused before any work, and the keys stay."""
    before = (loans.key.folder / PROVING_FILE).stat()
    with pytest.raises(FileExistsRefusedError, match="force=True"):
        KeyStore(loans.key.folder.parent).setup(loans.shape)
    assert (loans.key.folder / PROVING_FILE).stat() == before


def test_shapes_without_a_circuit_have_no_keys(tmp_path):
    """A shape that no circuit exists for is refused, and nothing is written."""
    with pytest.raises(KeyStoreError, match="capacity"):
        KeyStore(tmp_path).setup(traversal_shape(LOANS, HIDDEN, 3))
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", [PROVING_FILE, VERIFYING_FILE])
def test_damaged_key_files_are_refused(store, loans, name):
    """A key file that is not the one its metadata names is refused, with the way out."""
    key = StoredKey(store / loans.key.folder.name, loans.key.document)
    damaged(key.folder / name)
    with pytest.raises(
        KeyStoreError, match=f"{name}: make it again with --force: damaged, not the key that key.json names"
    ):
        assert key.verifying if name == VERIFYING_FILE else key.load().__enter__()


def made_up(key, folder, **files):
    """Copy a key's folder with other files, which its metadata names by their digests, under the owner's mark."""
    shutil.copytree(key.folder, folder)
    document = key.document
    for field, data in files.items():
        (folder / (PROVING_FILE if field == "proving_key" else VERIFYING_FILE)).write_bytes(data)
        document = changed(document, **{field: hashlib.sha256(data).hexdigest()})
    (folder / KEY_FILE).write_bytes(canonical_bytes(document))
    marked(folder, document)
    return StoredKey(folder, document)


@pytest.mark.parametrize("share", [0.3, 0.5, 0.7, 0.9, None])
def test_a_made_up_proving_key_is_refused_by_name(loans, foreign, proven, tmp_path, share):
    """Where a proving key of other bytes, or of another set-up, agrees with its metadata, no proof comes of it."""
    data = bytearray((foreign if share is None else loans).key.folder.joinpath(PROVING_FILE).read_bytes())
    if share is not None:
        middle = int(len(data) * share)
        data[middle : middle + 4096] = bytes(4096)
    key = made_up(loans.key, tmp_path / "key", proving_key=bytes(data))
    with pytest.raises(
        KeyStoreError,
        match=rf"^{key.folder / PROVING_FILE}: remove the folder, and make the key again: not usable as a key \(",
    ):
        proved(loans.opening, key, proven.query.features)


def proved(opening, key, row):
    """Prove the decision about a row; the error of a key can come at loading, at proving or at checking."""
    with Prover(opening, key) as prover:
        return prover.prove(row)


def test_a_made_up_verifying_key_is_refused_by_name(loans, proven, tmp_path):
    """A verifying key of other bytes that agrees with its metadata is refused where a proof is checked."""
    key = made_up(loans.key, tmp_path / "key", verifying_key=b"no key")
    with pytest.raises(
        KeyStoreError, match=rf"^{key.folder / VERIFYING_FILE}: remove the folder, .*: not usable as a key"
    ):
        proved(loans.opening, key, proven.query.features)


def test_a_failure_inside_the_library_names_the_key(loans):
    """Where the library fails inside under a key, the error names the key's file; a broken rule stays one."""

    class Failing:
        def __init__(self, error):
            self.error = error

        def prove(self, _witness):
            raise self.error

    with pytest.raises(
        KeyStoreError, match=rf"{PROVING_FILE}: remove the folder, .*: not usable as a key \(internal error\)"
    ):
        prove_with(loans.key.folder, Failing(BackendError("internal error")), b"")
    for error in (UnsatisfiedError("R3"), MalformedInputError("witness")):
        with pytest.raises(type(error)):
            prove_with(loans.key.folder, Failing(error), b"")


@pytest.mark.parametrize("name", [PROVING_FILE, VERIFYING_FILE])
def test_missing_key_files_are_refused(store, loans, name):
    """A key file that is missing is refused by name."""
    key = StoredKey(store / loans.key.folder.name, loans.key.document)
    (key.folder / name).unlink()
    with pytest.raises(KeyStoreError, match=name):
        assert key.verifying if name == VERIFYING_FILE else key.load().__enter__()


def test_damaged_metadata_is_refused(store, loans):
    """Metadata that cannot be read is refused by file and field."""
    path = store / loans.key.folder.name / KEY_FILE
    path.write_bytes(path.read_bytes().replace(b'"constraints"', b'"constrains"'))
    with pytest.raises(KeyStoreError, match=r"key\.json"):
        KeyStore(store).all()


def test_keys_of_another_circuit_are_refused(store, loans):
    """A key whose metadata names another compiled circuit is refused: this version would prove something else."""
    document = changed(loans.key.document, system_digest="0" * 64)
    marked(store / loans.key.folder.name, document)
    with pytest.raises(KeyStoreError, match="make it again with `equiproof setup --force`: of another version"):
        StoredKey(store / loans.key.folder.name, document).load().__enter__()


def test_keys_of_another_shape_do_not_load(store, loans, cramped):
    """A proving key does not load under another shape's document."""
    document = changed(cramped.key.document, shape=loans.shape)
    key = StoredKey(store / cramped.key.folder.name, document)
    marked(key.folder, document)
    with pytest.raises(KeyStoreError, match=r"not usable as a key .* made for another number of constraints"):
        key.load().__enter__()


def test_a_killed_set_up_leaves_a_store_that_works(store, loans):
    """A set-up that is killed while it writes does not spoil the keys that are there."""
    code = (
        "import os, signal, pathlib, sys\n"
        "from equiproof.circuits import files\n"
        "write, count = files._write_new, []\n"
        "def second(*args, **options):\n"
        "    count.append(1)\n"
        "    if len(count) == 2:\n"
        "        os.kill(os.getpid(), signal.SIGKILL)\n"
        "    write(*args, **options)\n"
        "files._write_new = second\n"
        "folder = pathlib.Path(sys.argv[1])\n"
        "data = {name: (folder / name).read_bytes() for name in ('key.json', 'verifying.key', 'proving.key')}\n"
        "files.write_folder(folder.parent / 'other', data)\n"
    )
    folder = store / loans.key.folder.name
    done = subprocess.run([sys.executable, "-c", code, str(folder)], cwd=ROOT, check=False)
    assert done.returncode == -9
    with KeyStore(store).find(LOANS, HIDDEN, None).load():
        pass


def test_half_written_folders_are_no_keys(store, loans):
    """A folder under its temporary name is no key of the store."""
    folder = store / loans.key.folder.name
    half = store / f".{folder.name}.abc123"
    half.mkdir()
    shutil.copy(folder / KEY_FILE, half)
    assert len(KeyStore(store).all()) == 3


def test_fingerprints_cover_the_metadata(loans):
    """The fingerprint is SHA-256 over a domain and the canonical metadata."""
    data = b"equiproof.key.v2\x00" + canonical_bytes(loans.key.document)
    assert loans.key.document.fingerprint == hashlib.sha256(data).hexdigest()


@pytest.mark.parametrize("make", [os.mkfifo, lambda path: path.symlink_to("/dev/zero")])
@pytest.mark.parametrize("name", [KEY_FILE, VERIFYING_FILE, PROVING_FILE])
def test_only_regular_files_are_read(loans, tmp_path, name, make):
    """A pipe or a device behind a link in a key file's place is refused at once, naming it."""
    shutil.copytree(loans.key.folder, tmp_path / "key")
    (tmp_path / "key" / name).unlink()
    make(tmp_path / "key" / name)
    store = KeyStore(tmp_path)
    use = {
        KEY_FILE: store.all,
        VERIFYING_FILE: lambda: store.all()[0].verifying,
        PROVING_FILE: lambda: store.all()[0].load().__enter__(),
    }[name]
    with pytest.raises(KeyStoreError, match=f"{name}: not a regular file"):
        use()
