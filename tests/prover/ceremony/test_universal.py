"""Universal keys: made from the powers of a phase 1, and checked against it; one gadget's circuit has 2^10 rows."""

import hashlib
import shutil
from functools import partial, partialmethod

import msgspec
import pytest

from equiproof.circuits.canonical import canonical_bytes
from equiproof.circuits.shape import traversal_shape
from equiproof.circuits.subcircuit import subcircuit
from equiproof.ffi import backend
from equiproof.ffi import ceremony as native
from equiproof.prover import KeyStore, KeyStoreError, StoredKey
from equiproof.prover.ceremony import conduct, key_check, powers
from equiproof.prover.ceremony.documents import CEREMONY_FILE
from equiproof.prover.ceremony.errors import CeremonyError, Refusal, TranscriptError
from equiproof.prover.ceremony.key_check import check_key
from equiproof.prover.ceremony.origin import Origin, followed, universal_power
from equiproof.prover.ceremony.powers import cut, read_powers
from equiproof.prover.keys import GivenPowers, set_up
from equiproof.prover.owner import MARK_FILE
from equiproof.verifier.documents import KEY_FILE, PROVING_FILE, SIGNATURES_FILE, VERIFYING_FILE, parse_key
from equiproof.verifier.errors import CertificateFormatError, Reason
from tests.prover.ceremony.parties import ANNA, BEN, CAROL, powers_ceremony
from tests.support import LOANS, changed

PLONK = "plonk-bn254"
SHAPE = traversal_shape(LOANS, (1,), 2)
GADGET = subcircuit("minimum", SHAPE).document
POWER = 10


@pytest.fixture(scope="module", autouse=True)
def small():
    """Put a gadget's circuit in the place of the shape's: the set-up is the same, and eight times as fast."""
    with pytest.MonkeyPatch.context() as patch:
        for room, name in ((native, "circuit_power"), (backend, "setup")):
            honest = getattr(room, name)
            patch.setattr(room, name, lambda _, *rest, honest=honest: honest(GADGET, *rest))
        yield


@pytest.fixture(scope="module")
def first(tmp_path_factory):
    """A closed phase 1 of Anna, for a domain twice as large as the circuit's."""
    return powers_ceremony(tmp_path_factory.mktemp("first") / "powers", ANNA, power=POWER + 1, closed=True)


@pytest.fixture(scope="module")
def other(tmp_path_factory):
    """Another closed phase 1, of the circuit's own size."""
    return powers_ceremony(tmp_path_factory.mktemp("other") / "powers", CAROL, power=POWER, closed=True)


@pytest.fixture(scope="module")
def origin(first):
    """The powers of the first, followed from its first step on."""
    return _remembered(followed, first.path, POWER)


@pytest.fixture(scope="module")
def given(origin):
    """The same, as a set-up takes them."""
    return origin.given(POWER)


@pytest.fixture(scope="module")
def made(given, tmp_path_factory):
    """The key that they make."""
    return KeyStore(tmp_path_factory.mktemp("keys")).setup(SHAPE, proof_system=PLONK, powers=given)


@pytest.fixture
def remembered(monkeypatch):
    """Follow each honest phase 1, and make the keys of each powers, once for all tests about what is compared then."""
    for name in ("followed", "set_up"):
        monkeypatch.setattr(key_check, name, partial(_remembered, getattr(key_check, name)))
    monkeypatch.setattr(Origin, "given", partialmethod(_given, Origin.given))


KNOWN = {}


def _remembered(honest, *about):
    """Return what was found before about the same paths, sizes and bytes."""
    at = (honest.__name__, *(word for word in about if not callable(word)))
    if at not in KNOWN:
        KNOWN[at] = honest(*about)
    return KNOWN[at]


def _given(self, honest, power):
    return _remembered(honest, self, power)


@pytest.fixture
def key(made, tmp_path):
    """A copy of the key's folder."""
    shutil.copytree(made.folder, tmp_path / "key")
    return tmp_path / "key"


def test_a_universal_key_says_where_its_powers_come_from(origin, made):
    """The metadata name the phase 1 by its chain digest, and the powers themselves, cut to the circuit."""
    document = parse_key((made.folder / KEY_FILE).read_bytes(), "key.json")
    assert universal_power(SHAPE) == POWER
    assert (document.setup, document.powers.origin) == ("universal", "ceremony")
    assert document.powers.source == origin.source
    assert document.powers.digest == hashlib.sha256(cut(POWER + 1, origin.data, POWER)).hexdigest()
    assert len(document.transcript) == 64


def test_everybody_makes_the_same_key_and_it_is_their_own(made, given, tmp_path):
    """Given powers and circuit, nothing is left to chance; who computed it from checked powers may prove under it."""
    again = KeyStore(tmp_path).setup(SHAPE, proof_system=PLONK, powers=given)
    for name in (PROVING_FILE, VERIFYING_FILE, KEY_FILE):
        assert (again.folder / name).read_bytes() == (made.folder / name).read_bytes()
    again.require_mark()
    metadata, files = set_up(SHAPE.document, PLONK)
    assert (metadata["setup"], "powers" in metadata) == ("single-party", False)
    assert files[VERIFYING_FILE] != made.verifying


def test_a_key_is_checked_against_its_phase_1(remembered, first, key):
    """What was checked is listed, and what could not be; then it can be accepted and signed as a ceremony's key."""
    (key / MARK_FILE).unlink()
    found = check_key(key, None, first.path)
    assert any("phase 1 has 1 contribution (anna)" in line for line in found.made)
    assert any("the same byte for byte" in line for line in found.made)
    assert any("is round 1000 of drand quicknet" in line for line in found.not_made)
    assert any("forgot their secrets" in line for line in found.not_made)
    stored = StoredKey(key, found.document)
    with pytest.raises(KeyStoreError, match="keys check"):
        stored.require_mark()
    found.accept(None)
    stored.require_mark()
    found.sign(CAROL)
    assert found.document.transcript in (key / SIGNATURES_FILE).read_text()


def rewritten(key, **fields):
    """Write the metadata anew with other fields, and digests that fit the files."""
    document = parse_key((key / KEY_FILE).read_bytes(), "key.json")
    for name, field in ((PROVING_FILE, "proving_key"), (VERIFYING_FILE, "verifying_key")):
        fields.setdefault(field, hashlib.sha256((key / name).read_bytes()).hexdigest())
    (key / KEY_FILE).write_bytes(canonical_bytes(changed(document, **fields)))


def refused(key, given, reason):
    """Return what the check says of a key."""
    with pytest.raises(TranscriptError) as caught:
        check_key(key, None, given)
    assert caught.value.reason == reason
    return str(caught.value)


def test_a_key_of_other_powers_with_an_honest_name_is_refused(remembered, first, other, key):
    """Keys of powers whose secret the maker knows, or of fresh ones, under an honest ceremony's words."""
    lie = key_check.followed(other.path, POWER).given(POWER)
    for chosen in (lie, None):
        _, files = set_up(SHAPE.document, PLONK, chosen)
        for name, data in files.items():
            (key / name).write_bytes(data)
        rewritten(key)
        assert f"{KEY_FILE}: make it again with `equiproof ceremony finish`: not the key that" in refused(
            key, first.path, Refusal.OTHER_KEY
        )


def test_one_byte_of_either_key_is_noticed(remembered, first, key):
    """Beside honest metadata the files must be those that they name; under metadata that fit, the transcript's."""
    for name in (PROVING_FILE, VERIFYING_FILE):
        honest = (key / name).read_bytes()
        (key / name).write_bytes(honest[:-1] + bytes([honest[-1] ^ 1]))
        with pytest.raises(CertificateFormatError, match=f"{name}: get the folder again: not the key that"):
            check_key(key, None, first.path)
        rewritten(key)
        refused(key, first.path, Refusal.OTHER_KEY)
        (key / name).write_bytes(honest)
        rewritten(key)
    check_key(key, None, first.path)


@pytest.mark.parametrize("field", ["origin", "source", "digest"])
def test_metadata_that_name_other_powers_are_refused(remembered, first, made, key, field):
    """Each part of where the powers come from is compared, and is another transcript."""
    before = made.document
    lie = {"origin": "imported"}.get(field, "0" * 64)
    rewritten(key, powers=changed(before.powers, **{field: lie}))
    assert "give the powers of tau that the key is made from" in refused(key, first.path, Refusal.OTHER_POWERS)
    assert parse_key((key / KEY_FILE).read_bytes(), "key.json").transcript != before.transcript


@pytest.mark.parametrize(
    "fields", [{"constraints": 1}, {"system_digest": "0" * 64}, {"shape": traversal_shape(LOANS, (2,), 2)}]
)
def test_metadata_that_say_something_else_are_refused(remembered, first, key, fields):
    """Everything that metadata say but the versions of tools is compared."""
    rewritten(key, **fields)
    if "shape" in fields:
        # Its circuit is the gadget's here, and so the same key.
        check_key(key, None, first.path)
        return
    refused(key, first.path, Refusal.OTHER_KEY)


def test_another_phase_1_is_refused(remembered, other, key, tmp_path):
    """One that made other powers, one too small for the circuit, one still open, and no ceremony at all."""
    refused(key, other.path, Refusal.OTHER_POWERS)
    small = powers_ceremony(tmp_path / "small", ANNA, power=3, closed=True)
    refused(key, small.path, Refusal.OTHER_POWERS)
    with pytest.raises(CeremonyError, match=r"give powers of tau up to 2\^10: .* these reach 2\^3"):
        followed(small.path, POWER).given(POWER)
    still_open = powers_ceremony(tmp_path / "open", ANNA, power=3)
    with pytest.raises(CeremonyError, match="close the ceremony first"):
        check_key(key, None, still_open.path)
    with pytest.raises(CeremonyError, match="begin a ceremony with `equiproof ceremony new`: the folder holds none"):
        check_key(key, None, tmp_path)


def test_the_options_of_the_other_kind_are_refused(first, key):
    """A universal key has no phase 2, and nothing to be checked by but its powers."""
    for transcript, given in ((None, None), (first.path, first.path), (first.path, None)):
        with pytest.raises(CeremonyError, match=r"give --powers, and no --transcript"):
            check_key(key, transcript, given)


def test_a_step_that_was_altered_is_refused(first, key, tmp_path):
    """The transcript is verified, not only its digests compared."""
    folder = tmp_path / "altered"
    shutil.copytree(first.path, folder)
    step = folder / "0001.step"
    data = bytearray(step.read_bytes())
    data[data.index(b"\n") + 400] ^= 1
    step.write_bytes(bytes(data))
    with pytest.raises((TranscriptError, CertificateFormatError), match=r"0001\.step"):
        check_key(key, None, folder)


def test_kind_and_powers_belong_together(made):
    """The field is there in universal keys, and in no others; powers alone make no key of Groth16."""
    document = made.document
    for lie, reason, said in (
        ({"powers": msgspec.UNSET}, Reason.NO_TRANSCRIPT, "field powers: missing, so no transcript"),
        ({"setup": "single-party"}, Reason.WRONG_FIELDS, "field powers: the set-up is single-party"),
        ({"setup": "ceremony"}, Reason.NO_TRANSCRIPT, "field ceremony: missing"),
        ({"proof_system": "groth16-bn254"}, Reason.WRONG_FIELDS, "powers alone make no key of groth16"),
    ):
        with pytest.raises(CertificateFormatError, match=said) as caught:
            parse_key(canonical_bytes(changed(document, **lie)), "key.json")
        assert caught.value.reason == reason


def test_no_powers_are_not_somebody_elses(given):
    """Empty powers make the library draw fresh ones: such a key must not be called universal."""
    with pytest.raises(KeyStoreError, match="powers: empty"):
        set_up(SHAPE.document, PLONK, GivenPowers(b"", given.reference))


def test_the_library_takes_what_it_cuts(origin, given):
    """One format: what `srs` gives is what `setup` takes; of another domain, or damaged, it is refused."""
    assert given.data[:8] == (1 << POWER).to_bytes(8, "big")
    assert len(given.data) == 8 + 64 + 64 * (2 * (1 << POWER) + 3)
    large = origin.given(POWER + 1)
    damaged = given.data[:-1] + bytes([given.data[-1] ^ 1])
    for data in (large.data, damaged):
        with pytest.raises(KeyStoreError, match="powers"):
            set_up(SHAPE.document, PLONK, GivenPowers(data, given.reference))


def test_imported_powers_are_followed_to_their_file(origin, key, tmp_path, monkeypatch):
    """The file itself is enough; the folder of an import is somebody's word for it, and then nothing is accepted."""
    file, folder = tmp_path / "others.ptau", tmp_path / "imported"
    file.write_bytes(b"as published")
    data = cut(POWER + 1, origin.data, POWER)
    monkeypatch.setattr(native, "powers_import", lambda path, power: (POWER, data))
    monkeypatch.setattr(powers.native, "lagrange", lambda *_: b"form")
    monkeypatch.setattr(powers.native, "lagrange_check", lambda *_: None)
    folder.mkdir()
    for name, content in powers.imported(file, POWER).files.items():
        (folder / name).write_bytes(content)
    store = tmp_path / "keys"
    mine = KeyStore(store).setup(SHAPE, proof_system=PLONK, powers=followed(file, POWER).given(POWER))
    assert mine.document.powers.origin == "imported"
    assert mine.document.powers.source == hashlib.sha256(b"as published").hexdigest()
    assert mine.document.powers == followed(folder, POWER).reference(POWER)
    found = check_key(mine.folder, None, file)
    assert any("that anybody contributed to the imported powers" in line for line in found.not_made)
    found.sign(BEN)
    word = check_key(mine.folder, None, folder)
    assert any("give the .ptau file" in line for line in word.not_made)
    with pytest.raises(CeremonyError, match=r"give --powers, .* was not checked"):
        word.accept(None)
    refused(key, file, Refusal.OTHER_POWERS)
    file.write_bytes(b"another file")
    refused(mine.folder, file, Refusal.OTHER_POWERS)


def test_powers_of_a_ceremony_without_its_files_are_nobodys(tmp_path, monkeypatch):
    """What a folder says of a phase 1 is not believed without the phase 1."""
    small = powers_ceremony(tmp_path / "small", ANNA, power=2, closed=True)
    conduct.finish_powers(small)
    assert read_powers(small.path).document.origin == "ceremony"
    (small.path / CEREMONY_FILE).unlink()
    with pytest.raises(CeremonyError, match=r"get its whole folder: .* without its files"):
        followed(small.path, 2)
