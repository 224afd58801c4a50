"""Phase 2, the finished key and its check, for one gadget's circuit in the place of a whole relation: 2^9 is quick."""

import hashlib
import json
import shutil
import stat
from functools import cache, partial

import msgspec
import pytest

from equiproof.circuits.canonical import canonical_bytes
from equiproof.circuits.shape import traversal_shape
from equiproof.circuits.subcircuit import subcircuit
from equiproof.ffi import ceremony as native
from equiproof.prover import KeyStoreError, StoredKey
from equiproof.prover.ceremony import conduct, key_check, origin, powers
from equiproof.prover.ceremony.chain import check_folder
from equiproof.prover.ceremony.documents import CEREMONY_FILE, FORM_BYTES, POWERS_BYTES, POWERS_FILE
from equiproof.prover.ceremony.errors import CeremonyError, Refusal, TranscriptError
from equiproof.prover.ceremony.folder import CeremonyFolder
from equiproof.prover.ceremony.key_check import check_key
from equiproof.prover.ceremony.powers import read_powers
from equiproof.prover.owner import MARK_FILE, require_mark
from equiproof.verifier.documents import KEY_FILE, PROVING_FILE, SIGNATURES_FILE, VERIFYING_FILE, parse_key
from equiproof.verifier.errors import CertificateFormatError
from equiproof.verifier.notes import parse_note, who_signed
from tests.prover.ceremony.parties import ANNA, BEN, CAROL, TERMS, VALUE, copied, powers_ceremony, read, rewritten
from tests.support import LOANS, changed, trusting

SHAPE = traversal_shape(LOANS, (1,), 2)
GADGET = subcircuit("minimum", SHAPE).document
POWER = 9


@pytest.fixture(scope="module", autouse=True)
def small():
    """Put a gadget's circuit in the place of the shape's: the ceremony is the same, and eight times as fast.

    Where a phase 2 starts follows from circuit and powers: of the same ones it is computed once.
    """
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(native, "key_start", cache(native.key_start))
        for name in ("circuit_power", "key_start", "key_finish"):
            honest = getattr(native, name)
            patch.setattr(native, name, lambda _, *rest, honest=honest: honest(GADGET, *rest))
        yield


@pytest.fixture(scope="module")
def first(tmp_path_factory):
    """A finished phase 1, for a domain twice as large as the circuit's."""
    folder = powers_ceremony(tmp_path_factory.mktemp("first") / "powers", ANNA, power=POWER + 1, closed=True)
    conduct.finish_powers(folder)
    return folder


@pytest.fixture(scope="module")
def finished(first, tmp_path_factory):
    """A closed phase 2 of Carol and Anna, and the store with its key."""
    at = tmp_path_factory.mktemp("second")
    folder = conduct.begin_key(at / "key", SHAPE, read_powers(first.path), TERMS)
    for signer in (CAROL, ANNA):
        conduct.contribute(folder, signer)
    conduct.close(folder, VALUE)
    conduct.finish_key(folder, at / "keys")
    return folder


@pytest.fixture
def remembered(first, finished, monkeypatch):
    """Verify the two honest ceremonies, and compute what they make, once for all tests about what is compared then."""
    used = {key_check: ("check_folder", "made_key"), origin: ("check_folder", "sealed")}
    for room, name in ((room, name) for room, names in used.items() for name in names):
        monkeypatch.setattr(room, name, partial(_remembered, name, getattr(room, name)))


KNOWN = {}


def _remembered(name, honest, about, *rest):
    """Return what was found before about a ceremony of this digest."""
    at = (name, about.ceremony.digest, str(getattr(about, "path", "")))
    if at not in KNOWN:
        KNOWN[at] = honest(about, *rest)
    return KNOWN[at]


@pytest.fixture
def second(finished, tmp_path):
    """A copy of the closed phase 2."""
    return copied(finished, tmp_path / "second")


@pytest.fixture
def key(finished, tmp_path):
    """A copy of the key's folder."""
    shutil.copytree(finished.path.parent / "keys" / SHAPE.name, tmp_path / "keys" / SHAPE.name)
    return tmp_path / "keys" / SHAPE.name


def test_a_key_says_how_it_was_made(first, finished, key):
    """The metadata name the powers, the ceremony's file and steps, the beacon, and who contributed."""
    document, transcript = parse_key((key / KEY_FILE).read_bytes(), "key.json"), check_folder(finished)
    made = document.ceremony
    assert document.setup == "ceremony"
    assert made.signers == (CAROL.verifier.text, ANNA.verifier.text)
    assert made.steps == tuple(step.digest for step in transcript.steps)
    assert (made.start, made.beacon.value, made.beacon.round) == (finished.ceremony.digest, VALUE, 1000)
    assert (made.powers.origin, made.powers.source) == ("ceremony", check_folder(first).digest)
    assert made.powers.digest == hashlib.sha256((finished.path / POWERS_BYTES).read_bytes()).hexdigest()


def test_everybody_gets_the_same_key(second, key, tmp_path):
    """Who finishes the same files gets the same bytes."""
    place, document = conduct.finish_key(second, tmp_path / "again")
    for name in (PROVING_FILE, VERIFYING_FILE, KEY_FILE):
        assert (place / name).read_bytes() == (key / name).read_bytes()
    assert document.transcript == parse_key((key / KEY_FILE).read_bytes(), "key.json").transcript


def test_the_key_is_checked_against_both_transcripts(remembered, first, finished, key):
    """What was checked is listed, and what could not be; an owner who accepts it may prove under it."""
    found = check_key(key, finished.path, first.path)
    assert any("phase 2 has 2 contributions (carol, anna)" in line for line in found.made)
    assert any("the same byte for byte" in line for line in found.made)
    assert any("phase 1 has 1 contribution (anna)" in line for line in found.made)
    assert any(f"that {VALUE} is round 1000 of drand quicknet" in line for line in found.not_made)
    stored = StoredKey(key, found.document)
    with pytest.raises(KeyStoreError, match="keys check --accept"):
        stored.require_mark()
    found.accept(None)
    stored.require_mark()
    require_mark(key, found.document.fingerprint, None)
    assert stat.S_IMODE((key / MARK_FILE).stat().st_mode) == 0o600


def test_a_relying_party_checks_without_a_proving_key(remembered, first, finished, key):
    """Its digest is compared; but nothing can be accepted for proving."""
    (key / PROVING_FILE).unlink()
    found = check_key(key, finished.path, first.path)
    with pytest.raises(CeremonyError, match=r"get proving\.key from who made the key"):
        found.accept(None)


def test_who_checked_says_so_in_a_note(remembered, first, finished, key):
    """Each signs once; the note is about this key, and a trust store takes it along."""
    found = check_key(key, finished.path, first.path)
    for signer in (BEN, CAROL):
        found.sign(signer)
    note = parse_note((key / SIGNATURES_FILE).read_bytes())
    assert note.text == found.document.attestation
    assert who_signed(note, [signer.verifier for signer in (ANNA, BEN, CAROL)]) == {BEN.verifier, CAROL.verifier}
    assert trusting(StoredKey(key, found.document)).find(found.document.fingerprint).signatures
    with pytest.raises(CeremonyError, match="nothing is left to sign: it has a signature of ben already"):
        found.sign(BEN)
    (key / SIGNATURES_FILE).write_text(ANNA.sign("another text\n"))
    with pytest.raises(CeremonyError, match="remove it: it is about another key"):
        found.sign(BEN)
    (key / SIGNATURES_FILE).write_text("nothing")
    with pytest.raises(CeremonyError, match=r"signatures\.note: not a signed note"):
        found.sign(BEN)


def test_without_the_powers_nothing_is_accepted_or_signed(remembered, finished, key):
    """Where the powers come from is listed as not checked, and then the check is good for neither."""
    found = check_key(key, finished.path)
    assert "where the powers of tau come from (give --powers)" in found.not_made
    for act in (lambda: found.accept(None), lambda: found.sign(BEN)):
        with pytest.raises(CeremonyError, match="give --powers"):
            act()
    assert not (key / MARK_FILE).exists()
    assert not (key / SIGNATURES_FILE).exists()


def forged(key, **fields):
    """Write the metadata anew with other fields, and digests that fit the files."""
    document = parse_key((key / KEY_FILE).read_bytes(), "key.json")
    for name, field in ((PROVING_FILE, "proving_key"), (VERIFYING_FILE, "verifying_key")):
        fields.setdefault(field, hashlib.sha256((key / name).read_bytes()).hexdigest())
    (key / KEY_FILE).write_bytes(canonical_bytes(changed(document, **fields)))


def test_another_key_beside_an_honest_transcript_is_refused(remembered, first, finished, key):
    """A proving key with one byte changed, or a verifying key, under metadata that fit: not the transcript's."""
    honest = {name: (key / name).read_bytes() for name in (PROVING_FILE, VERIFYING_FILE)}
    for name, data in honest.items():
        (key / name).write_bytes(data[:-1] + bytes([data[-1] ^ 1]))
        with pytest.raises(CertificateFormatError, match=f"{name}: get the folder again: not the key that"):
            check_key(key, finished.path, first.path)
        forged(key)
        with pytest.raises(
            TranscriptError, match="make it again with `equiproof ceremony finish`: not the key that"
        ) as refused:
            check_key(key, finished.path, first.path)
        assert refused.value.reason == Refusal.OTHER_KEY
        (key / name).write_bytes(data)
        forged(key)
    check_key(key, finished.path, first.path)


@pytest.mark.parametrize(
    "fields",
    [
        {"constraints": 1},
        {"system_digest": "0" * 64},
        {"shape": traversal_shape(LOANS, (2,), 2)},
        {"ceremony": {"steps": ()}},
        {"ceremony": {"signers": (BEN.verifier.text,)}},
    ],
)
def test_metadata_that_say_something_else_are_refused(remembered, first, finished, key, fields):
    """Everything that metadata say but the versions of tools is compared."""
    document = parse_key((key / KEY_FILE).read_bytes(), "key.json")
    edit = {name: changed(document.ceremony, **to) if name == "ceremony" else to for name, to in fields.items()}
    forged(key, **edit)
    with pytest.raises(TranscriptError, match="make it again with `equiproof ceremony finish`: not the key that"):
        check_key(key, finished.path, first.path)


def test_versions_of_tools_are_not_the_transcripts(remembered, first, finished, key):
    """Another release makes the same key: it is another fingerprint and the same transcript."""
    before = parse_key((key / KEY_FILE).read_bytes(), "key.json")
    forged(key, tools={"equiproof": "0.2.0"})
    found = check_key(key, finished.path, first.path).document
    assert (found.transcript, found.fingerprint == before.fingerprint) == (before.transcript, False)


def test_a_key_of_one_party_has_no_transcript(loans, finished):
    """A single-party key is no ceremony's, whatever transcript is put beside it."""
    with pytest.raises(CeremonyError, match=r"name a key of a ceremony: .*, so no ceremony made it"):
        check_key(loans.key.folder, finished.path)


def test_other_powers_are_refused(remembered, first, finished, key, tmp_path):
    """A phase 1 that made other powers, a larger one included, is not that of this key; nor is one still open."""
    small = powers_ceremony(tmp_path / "small", ANNA, power=3, closed=True)
    with pytest.raises(
        TranscriptError, match="give the powers of tau that the key is made from: these are others"
    ) as refused:
        check_key(key, finished.path, small.path)
    assert refused.value.reason == Refusal.OTHER_POWERS
    still_open = powers_ceremony(tmp_path / "open", ANNA, power=3)
    with pytest.raises(CeremonyError, match="close the ceremony first"):
        check_key(key, finished.path, still_open.path)
    with pytest.raises(CeremonyError, match="name the folder of a phase 1: this ceremony makes no powers of tau"):
        check_key(key, finished.path, finished.path)


@pytest.mark.slow
def test_powers_are_those_of_the_ceremonys_file(second, first, tmp_path):
    """Other powers in the folder of a phase 2, consistent in themselves, are refused; so are damaged ones."""
    honest = {name: (second.path / name).read_bytes() for name in (POWERS_BYTES, FORM_BYTES, POWERS_FILE)}
    other = powers_ceremony(tmp_path / "other", BEN, power=POWER, closed=True)
    for name, data in conduct.finish_powers(other).files.items():
        (second.path / name).write_bytes(data)
    with pytest.raises(
        TranscriptError, match="get the whole folder again: the powers of tau are not those that"
    ) as refused:
        check_folder(second)
    assert refused.value.reason == Refusal.OTHER_POWERS
    for name, data in honest.items():
        (second.path / name).write_bytes(data)
    (second.path / FORM_BYTES).write_bytes(honest[FORM_BYTES][:-1])
    with pytest.raises(CertificateFormatError, match=r"lagrange\.bin: get the folder again: not the file"):
        check_folder(second)


def lying(second, name, digest, data):
    """Put other bytes into a folder of powers, under metadata that fit."""
    (second.path / name).write_bytes(data)
    document = json.loads((second.path / POWERS_FILE).read_bytes())
    document[digest] = hashlib.sha256(data).hexdigest()
    (second.path / POWERS_FILE).write_bytes(canonical_bytes(document))


def test_a_lagrange_form_is_not_believed(second):
    """Another form than that of the powers, whose digest fits, is refused by the library's check."""
    data = (second.path / FORM_BYTES).read_bytes()
    lying(second, FORM_BYTES, "form", data[64:128] + data[:64] + data[128:])
    with pytest.raises(TranscriptError, match=r"lagrange\.bin: ") as refused:
        check_folder(second)
    assert refused.value.reason == Refusal.LAGRANGE


def test_powers_are_not_believed(second):
    """Powers that are not those of one tau are refused by the library's check."""
    data = (second.path / POWERS_BYTES).read_bytes()
    lying(second, POWERS_BYTES, "powers", data[:72] + data[104:136] + data[104:])
    with pytest.raises(TranscriptError, match=r"powers\.bin: ") as refused:
        check_folder(second)
    assert refused.value.reason == Refusal.RATIO


def test_checks_of_powers_are_made_once(second, monkeypatch):
    """The record is the user's own, by digest: the same bytes are not checked again, other bytes are."""
    calls = []
    monkeypatch.setattr(powers.native, "lagrange_check", lambda *_: calls.append("form"))
    monkeypatch.setattr(powers.native, "powers_check", lambda *_: calls.append("powers"))
    read_powers(second.path)
    read_powers(second.path)
    assert calls == ["powers", "form"]
    data = (second.path / FORM_BYTES).read_bytes()
    lying(second, FORM_BYTES, "form", data[64:128] + data[:64] + data[128:])
    read_powers(second.path)
    assert calls == ["powers", "form", "form"]


def test_a_check_that_failed_is_not_recorded(second):
    """A form that was refused is refused again."""
    data = (second.path / FORM_BYTES).read_bytes()
    lying(second, FORM_BYTES, "form", data[64:128] + data[:64] + data[128:])
    for _ in range(2):
        with pytest.raises(TranscriptError, match=r"lagrange\.bin: "):
            read_powers(second.path)


def test_steps_of_a_key_are_refused_too(second):
    """Of phase 2 the same: replayed, not changed, of another circuit."""
    path, before = second.step(2), read(second.step(1)).contribution
    honest = path.read_bytes()
    for fields, contribution, reason in (
        ({}, before, Refusal.CHALLENGE),
        ({"system_digest": "0" * 64}, None, Refusal.WRONG_HEADER),
        ({"shape": traversal_shape(LOANS, (2,), 2)}, None, Refusal.WRONG_HEADER),
        ({"shape": msgspec.UNSET}, None, Refusal.WRONG_HEADER),
        ({}, read(path).contribution[:-1], Refusal.WRONG_LENGTH),
    ):
        path.write_bytes(honest)
        rewritten(path, ANNA, contribution, **fields)
        with pytest.raises(TranscriptError, match=rf"^{path}: ") as refused:
            check_folder(second)
        assert refused.value.reason == reason


def test_another_version_of_the_circuit_is_refused(second):
    """The circuit is compiled anew: a ceremony that names another digest is about another circuit."""
    path = second.path / CEREMONY_FILE
    document = json.loads(path.read_bytes())
    document["key"]["system_digest"] = "0" * 64
    path.write_bytes(canonical_bytes(document))
    with pytest.raises(
        TranscriptError, match=r"ceremony\.json: use the version of Equiproof that began it: .* another circuit"
    ) as refused:
        check_folder(CeremonyFolder.open(second.path))
    assert refused.value.reason == Refusal.OTHER_CIRCUIT


def test_too_few_powers_are_named(tmp_path):
    """Powers that do not reach the circuit's domain are refused with both sizes."""
    folder = powers_ceremony(tmp_path / "few", ANNA, power=3, closed=True)
    conduct.finish_powers(folder)
    with pytest.raises(CeremonyError, match=r"give powers of tau up to 2\^9: .* these reach 2\^3"):
        conduct.begin_key(tmp_path / "key", SHAPE, read_powers(folder.path), TERMS)


@pytest.mark.slow
def test_imported_powers_are_checked_by_their_file(first, tmp_path, monkeypatch):
    """The key states the file's digest; the check reads the file again, and says what no file shows."""
    file = tmp_path / "others.ptau"
    file.write_bytes(b"as published")
    data = powers.cut(POWER + 1, read_powers(first.path).data, POWER)
    monkeypatch.setattr(powers.native, "powers_import", lambda path, power: (POWER, data))
    folder = conduct.begin_key(tmp_path / "second", SHAPE, powers.imported(file, POWER), TERMS)
    conduct.contribute(folder, BEN)
    conduct.close(folder, VALUE)
    place, document = conduct.finish_key(folder, tmp_path / "keys")
    assert document.ceremony.powers.origin == "imported"
    found = check_key(place, folder.path, file)
    assert f"the powers of tau are those of the file with SHA-256 {document.ceremony.powers.source}" in found.made
    assert any("that anybody contributed to the imported powers of tau" in line for line in found.not_made)
    with pytest.raises(TranscriptError, match="give the powers of tau that the key is made from: these are others"):
        check_key(place, folder.path, first.path)
    file.write_bytes(b"another file")
    with pytest.raises(
        TranscriptError, match="give the powers of tau that the key is made from: these are others"
    ) as refused:
        check_key(place, folder.path, file)
    assert refused.value.reason == Refusal.OTHER_POWERS
