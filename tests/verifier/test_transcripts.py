"""Keys that a ceremony made are accepted by their transcript's digest or by signers, and by nothing else."""

import copy
import shutil

import pytest

from equiproof.circuits.canonical import canonical_bytes
from equiproof.verifier import (
    AllOf,
    AnyOf,
    CertificateFormatError,
    KeyIs,
    MinRadius,
    PolicyError,
    SetupIs,
    SignedBy,
    TranscriptIs,
    TrustStore,
    UntrustedKeyError,
    Verifier,
)
from equiproof.verifier.certificate import KeyReference
from equiproof.verifier.documents import (
    KEY_FILE,
    PROVING_FILE,
    SIGNATURES_FILE,
    DrawnBeacon,
    KeyCeremony,
    PowersReference,
    parse_key,
)
from equiproof.verifier.errors import Reason
from equiproof.verifier.notes import Signer
from tests.support import changed, no_policy

ANNA, BEN, CAROL = (Signer(name, name.encode().ljust(32, b".")) for name in ("anna", "ben", "carol"))
KEYS = tuple(signer.verifier.text for signer in (ANNA, BEN, CAROL))
CEREMONY = KeyCeremony(
    powers=PowersReference("ceremony", "1" * 64, "2" * 64),
    start="3" * 64,
    steps=("4" * 64, "5" * 64),
    beacon=DrawnBeacon("drand quicknet", 7, "6" * 64),
    signers=KEYS[:2],
)


@pytest.fixture
def document(loans):
    """The metadata of a key that a ceremony might have made: for the relying party's side any bytes will do."""
    return changed(loans.key.document, setup="ceremony", ceremony=CEREMONY)


@pytest.fixture
def folder(loans, document, tmp_path):
    """A trust folder with this key."""
    shutil.copytree(loans.key.folder, tmp_path / "key", ignore=shutil.ignore_patterns(PROVING_FILE))
    (tmp_path / "key" / KEY_FILE).write_bytes(canonical_bytes(document))
    return tmp_path / "key"


@pytest.fixture
def judge(loans, proven, document, folder):
    """Verify a certificate under the key with a policy."""
    certificate = changed(proven.certificate, key=KeyReference(document.fingerprint, "ceremony"))

    def verify(policy, under=certificate):
        return Verifier(loans.commitment, TrustStore.open(folder), "native").verify(under, policy)

    return verify


def signed(folder, document, *signers):
    """Write the note of those who checked the key."""
    text = document.attestation
    lines = "".join(signer.sign(text).removeprefix(text + "\n") for signer in signers)
    (folder / SIGNATURES_FILE).write_text(f"{text}\n{lines}")


def test_nothing_but_a_transcript_or_signers_makes_a_ceremonys_key_trusted(judge, document, folder):
    """Metadata alone, the word `ceremony`, a fingerprint, or one way out of several without either: refused."""
    signed(folder, document, ANNA, BEN, CAROL)
    enough = TranscriptIs(document.transcript)
    for policy in (
        no_policy(),
        SetupIs("ceremony"),
        KeyIs(document.fingerprint),
        AllOf(SetupIs("ceremony"), MinRadius("0")),
        AnyOf(SetupIs("ceremony"), enough),
    ):
        with pytest.raises(UntrustedKeyError, match="name the digest of the transcript that you checked") as refused:
            judge(policy)
        assert refused.value.reason == Reason.NO_TRANSCRIPT
    for policy in (enough, AllOf(MinRadius("0"), enough), AnyOf(SignedBy(KEYS, 1), enough)):
        assert judge(policy).key == document


def test_the_digest_of_a_transcript_is_computed_from_the_key(judge, document):
    """Verification says by which digest; another one is refused."""
    made = judge(TranscriptIs(document.transcript)).made
    assert f"the key is the one that the ceremony {document.transcript[:16]}... made" in made
    for other in ("0" * 64, ""):
        with pytest.raises(PolicyError, match=r"transcript is .*, the policy requires") as refused:
            judge(TranscriptIs(other))
        assert refused.value.reason == "other-transcript"


@pytest.mark.parametrize("name", ["verifying_key", "proving_key", "system_digest", "ceremony"])
def test_an_honest_transcript_beside_another_key_is_another_transcript(document, name):
    """An owner who writes an honest ceremony's steps beside a key of their own changes the digest."""
    edit = changed(CEREMONY, steps=()) if name == "ceremony" else "0" * 64
    assert changed(document, **{name: edit}).transcript != document.transcript
    assert changed(document, tools={}).transcript == document.transcript


def test_a_forged_key_with_an_honest_ceremonys_words_is_refused(judge, loans, proven, document, folder, foreign):
    """The forger's own verifying key, digests computed anew, the honest steps and signatures beside it."""
    signed(folder, document, ANNA, BEN)
    lie = changed(document, verifying_key=foreign.key.document.verifying_key)
    shutil.copy(foreign.key.folder / "verifying.key", folder)
    (folder / KEY_FILE).write_bytes(canonical_bytes(lie))
    certificate = changed(proven.certificate, key=KeyReference(lie.fingerprint, "ceremony"))
    with pytest.raises(PolicyError, match="the key's transcript is"):
        judge(TranscriptIs(document.transcript), certificate)
    with pytest.raises(PolicyError, match="it is about another key"):
        judge(SignedBy(KEYS, 1), certificate)


def test_signers_are_counted(judge, document, folder):
    """k of n: strangers do not count, nor does anybody twice."""
    signed(folder, document, BEN, Signer("dora", bytes(32)), ANNA, ANNA)
    made = judge(SignedBy(KEYS, 2)).made
    assert "the transcript of the key's ceremony was checked, as signed by anna, ben" in made
    with pytest.raises(PolicyError, match=r"2 of the 3 accepted signers state .* requires 3") as refused:
        judge(SignedBy(KEYS, 3))
    assert refused.value.reason == "too-few-signers"


def test_no_note_is_no_signature(judge):
    """A key without a note was checked by nobody."""
    with pytest.raises(PolicyError, match="0 of the 3 accepted signers"):
        judge(SignedBy(KEYS, 1))


def test_a_false_note_is_refused(judge, document, folder):
    """A note about another key, a signature that does not hold, or no note at all in its file."""
    note = folder / SIGNATURES_FILE
    signed(folder, changed(document, tools={}), ANNA)
    with pytest.raises(PolicyError, match=r"signatures\.note of the key: it is about another key"):
        judge(SignedBy(KEYS, 1))
    signed(folder, document, ANNA)
    note.write_text(note.read_text().replace("— anna", "— ben"))
    with pytest.raises(PolicyError, match="0 of the 3"):
        judge(SignedBy(KEYS, 1))
    line = Signer("anna", ANNA.secret).sign("another text\n").rpartition("\n\n")[2]
    note.write_text(f"{document.attestation}\n{line}")
    with pytest.raises(PolicyError, match="the signature of anna does not hold"):
        judge(SignedBy(KEYS, 1))
    note.write_bytes(b"\xff" * (1 << 20))
    with pytest.raises(PolicyError, match=r"signatures\.note of the key: want at most 65536 bytes: the note is longer"):
        judge(SignedBy(KEYS, 1))
    judge(TranscriptIs(document.transcript))


def test_only_a_regular_file_is_a_note(folder):
    """A device in the place of the note is refused, unread."""
    (folder / SIGNATURES_FILE).symlink_to("/dev/zero")
    with pytest.raises(CertificateFormatError, match=r"signatures\.note: not a regular file"):
        TrustStore.open(folder)


@pytest.mark.parametrize("least", [0, -1, 4])
def test_a_number_of_signers_that_could_never_decide_is_refused(least):
    """None needed, or more than there are."""
    with pytest.raises(ValueError, match="of 3: want at least 1"):
        SignedBy(KEYS, least)


def test_one_signer_with_two_names_is_refused():
    """Who has two names would count as two."""
    with pytest.raises(ValueError, match="the same signer stands there twice"):
        SignedBy((KEYS[0], Signer("anna2", ANNA.secret).verifier.text), 2)
    with pytest.raises(ValueError, match="no verifier key"):
        SignedBy((), 1)
    assert copy.copy(SignedBy(KEYS, 2)) == SignedBy(KEYS, 2)


def test_a_single_partys_key_has_nothing_that_these_could_accept(loans, proven, folder):
    """Required of a key of one party, both refuse it."""
    (folder / KEY_FILE).write_bytes(canonical_bytes(loans.key.document))
    verifier = Verifier(loans.commitment, TrustStore.open(folder), "native")
    with pytest.raises(PolicyError, match="set-up has no transcript, the policy requires"):
        verifier.verify(proven.certificate, TranscriptIs(""))
    with pytest.raises(PolicyError, match="no transcript that anybody could have checked"):
        verifier.verify(proven.certificate, SignedBy(KEYS, 1))


def test_kind_and_ceremony_belong_together(loans, document, folder):
    """A key of one party with a ceremony is malformed; one of a ceremony without it has no transcript."""
    lie = changed(loans.key.document, ceremony=CEREMONY)
    with pytest.raises(CertificateFormatError, match="field ceremony: the set-up is single-party"):
        parse_key(canonical_bytes(lie), "key.json")
    universal = changed(document, setup="universal")
    with pytest.raises(CertificateFormatError, match="field ceremony: the set-up is universal"):
        parse_key(canonical_bytes(universal), "key.json")


def test_what_no_transcript_shows_is_left_to_you(judge, document, loans, folder, proven):
    """That a contributor forgot the secret, by name, and that imported powers have a contributor."""
    policy = TranscriptIs(document.transcript)
    left = "that one contributor of each phase of the key's ceremony forgot the secret (phase 2: anna, ben)"
    assert left in judge(policy).not_made
    names = tuple(f"s{number}+x+y" for number in range(10))
    powers = changed(CEREMONY.powers, origin="imported")
    other = changed(document, ceremony=changed(CEREMONY, powers=powers, signers=names))
    (folder / KEY_FILE).write_bytes(canonical_bytes(other))
    certificate = changed(proven.certificate, key=KeyReference(other.fingerprint, "ceremony"))
    not_made = judge(TranscriptIs(other.transcript), certificate).not_made
    assert any(line.endswith("(phase 2: s0, s1, s2, s3, s4, s5, s6, s7 and 2 more)") for line in not_made)
    assert f"that anybody contributed to the imported powers of tau (SHA-256 {'1' * 64})" in not_made


def test_keys_of_one_party_are_written_as_before(loans):
    """The field is left out of every other key: fingerprints that were published stay."""
    assert b"ceremony" not in canonical_bytes(loans.key.document)
    assert loans.key.document.transcript == ""
