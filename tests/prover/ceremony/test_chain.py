"""A chain of steps holds or names its first bad step: one contributor of three is malicious, in each way there is."""

import copy
import json

import pytest

from equiproof.circuits.canonical import canonical_bytes
from equiproof.ffi import ceremony as native
from equiproof.ffi.ceremony import REASONS
from equiproof.prover.ceremony import conduct
from equiproof.prover.ceremony.chain import check_folder
from equiproof.prover.ceremony.documents import BEACON_FILE, CEREMONY_FILE
from equiproof.prover.ceremony.errors import CeremonyError, Refusal, TranscriptError
from equiproof.prover.ceremony.folder import CeremonyFolder
from equiproof.prover.ceremony.rounds import PowersRounds
from equiproof.prover.ceremony.status import Status
from equiproof.prover.ceremony.steps import MAX_ATTESTATION_BYTES, STEP
from equiproof.verifier.errors import CertificateFormatError, Reason
from tests.prover.ceremony.parties import (
    ANNA,
    BEN,
    CAROL,
    MALLORY,
    POWER,
    SIGNERS,
    VALUE,
    copied,
    powers_ceremony,
    read,
    rewritten,
    text_of,
    with_note,
)
from tests.support import ROOT
from tests.vectors.vector import proof_base

PROOFS = 3 * 96
TAU = PROOFS + 8 + 64
"""Where the powers of tau begin in a step of phase 1: behind three proofs, a length, and beta in G2."""

TAU_IN_G2 = TAU + 32 * (2 * (1 << POWER) - 2)


@pytest.fixture
def folder(three, tmp_path):
    """A copy of the three contributions."""
    return copied(three, tmp_path / "copy")


def test_an_honest_chain_holds_at_every_length(folder):
    """Every prefix is a ceremony: none, one, two and three steps, and closed; the transcript digest is of all of it."""
    for number in (3, 2, 1, 0):
        found = check_folder(folder)
        assert [step.signer for step in found.steps] == [signer.verifier for signer in SIGNERS[:number]]
        assert found.missing == tuple(signer.name for signer in SIGNERS[number:])
        assert found.beacon is None
        with pytest.raises(CeremonyError, match="not closed yet"):
            found.digest  # noqa: B018
        if number:
            folder.step(number).unlink()


def test_a_closed_chain_has_one_digest(folder):
    """The digest changes with the value of the beacon and with every step."""
    conduct.close(folder, VALUE.upper())
    digest = check_folder(folder).digest
    (folder.path / BEACON_FILE).unlink()
    conduct.close(folder, "00" * 32)
    assert len({digest, check_folder(folder).digest}) == 2


def spliced(data, at, new):
    """Return data with other bytes at a place."""
    return data[:at] + new + data[at + len(new) :]


def outside():
    """Return a point of G2's curve that is outside its subgroup."""
    vector = json.loads((ROOT / "tests/vectors/malformed/groth16-proof-b-outside-stranger.json").read_bytes())
    assert len(vector["proof"]) == len(proof_base(vector["base"])["proof"])
    return bytes.fromhex(vector["proof"])[32:96]


def second(folder):
    """Return Ben's step and what is behind it."""
    return folder.step(2), read(folder.step(2)).contribution, read(folder.step(1)).contribution


def unknown_signer(folder):
    rewritten(folder.step(2), MALLORY)


def signature_by_another_key(folder):
    step = read(folder.step(2))
    note = MALLORY.sign(text_of(step)).replace("— mallory", "— ben")
    folder.step(2).write_bytes(with_note(step.header, step.contribution, note))


def wrong_previous(folder):
    rewritten(folder.step(2), BEN, previous=folder.ceremony.digest)


def begun_anew(folder):
    """Ben leaves Anna's step out and contributes to the start."""
    rewritten(folder.step(2), BEN, native.powers_contribute(POWER, None))


def replayed(folder):
    folder.step(2).write_bytes(folder.step(1).read_bytes())


def replayed_as_ones_own(folder):
    _, _, before = second(folder)
    rewritten(folder.step(2), BEN, before)


def altered_point(folder):
    path, data, _ = second(folder)
    rewritten(path, BEN, spliced(data, TAU + 5 * 32, data[TAU + 4 * 32 : TAU + 5 * 32]))


def altered_proof(folder):
    path, data, before = second(folder)
    rewritten(path, BEN, spliced(data, 0, before[:PROOFS]))


def outside_the_subgroup(folder):
    path, data, _ = second(folder)
    rewritten(path, BEN, spliced(data, TAU_IN_G2, outside()))


def not_rerandomised(folder):
    path, data, before = second(folder)
    rewritten(path, BEN, spliced(data, TAU, before[TAU : TAU + 32]))


def other_challenge(folder):
    path, data, _ = second(folder)
    rewritten(path, BEN, data[:-32] + bytes(32))


def absent_challenge(folder):
    path, data, _ = second(folder)
    rewritten(path, BEN, data[:-33] + b"\x00")


def stated_length(folder):
    path, data, _ = second(folder)
    rewritten(path, BEN, data + b"\x00")


def of_another_power(folder):
    rewritten(folder.step(2), BEN, power=POWER + 1)


def of_another_index(folder):
    rewritten(folder.step(2), BEN, index=3)


def of_another_phase(folder):
    rewritten(folder.step(2), BEN, phase="key")


def with_a_circuit(folder):
    rewritten(folder.step(2), BEN, system_digest="0" * 64)


def contributes_twice(folder):
    rewritten(folder.step(2), ANNA)


def note_of_another_step(folder):
    step, other = read(folder.step(2)), read(folder.step(3))
    folder.step(2).write_bytes(with_note(step.header, step.contribution, BEN.sign(text_of(other))))


def notes_swapped(folder):
    steps = {number: read(folder.step(number)) for number in (2, 3)}
    notes = {number: folder.step(number).read_bytes().rpartition(b"equiproof-ceremony-step/v2")[2] for number in steps}
    for number, step in steps.items():
        note = f"equiproof-ceremony-step/v2{notes[5 - number].decode()}"
        folder.step(number).write_bytes(with_note(step.header, step.contribution, note))


def signed_by_two(folder):
    step = read(folder.step(2))
    note = BEN.sign(text_of(step)) + CAROL.sign(text_of(step)).rpartition("\n\n")[2]
    folder.step(2).write_bytes(with_note(step.header, step.contribution, note))


ATTACKS = {
    unknown_signer: (Refusal.UNKNOWN_SIGNER, "'mallory' is not among the signers"),
    signature_by_another_key: (Refusal.BAD_SIGNATURE, "the signature is not ben's"),
    wrong_previous: (Refusal.WRONG_CHAIN, "does not follow the step before it"),
    begun_anew: (Refusal.CHALLENGE, "after another step"),
    replayed: (Refusal.WRONG_CHAIN, "does not follow the step before it"),
    replayed_as_ones_own: (Refusal.CHALLENGE, "after another step"),
    altered_point: (Refusal.RATIO, ""),
    altered_proof: (Refusal.PROOF_OF_KNOWLEDGE, "does not know"),
    outside_the_subgroup: (Refusal.SUBGROUP, ""),
    not_rerandomised: (Refusal.NOT_RERANDOMISED, "as it was before"),
    other_challenge: (Refusal.CHALLENGE, "after another step"),
    absent_challenge: (Refusal.WRONG_LENGTH, "the header states"),
    stated_length: (Refusal.WRONG_LENGTH, "the header states"),
    of_another_power: (Refusal.WRONG_HEADER, "the header's power"),
    of_another_index: (Refusal.WRONG_HEADER, "the header's index"),
    of_another_phase: (Refusal.WRONG_HEADER, "the header's phase"),
    with_a_circuit: (Refusal.WRONG_HEADER, "the header's system_digest"),
    contributes_twice: (Refusal.REPEATED_SIGNER, "anna has contributed before"),
    note_of_another_step: (Refusal.BAD_SIGNATURE, "the attestation is of another step"),
    notes_swapped: (Refusal.BAD_SIGNATURE, "the attestation is of another step"),
    signed_by_two: (Refusal.BAD_SIGNATURE, "the signature is not ben's"),
}
"""Each makes one change to the second step, properly signed where a signature is not what is attacked."""


@pytest.mark.parametrize("attack", ATTACKS, ids=lambda attack: attack.__name__)
def test_the_first_bad_step_is_named_with_its_reason(folder, attack):
    """Steps before it stand; nobody contributes behind it, or closes the ceremony."""
    attack(folder)
    reason, words = ATTACKS[attack]
    with pytest.raises(TranscriptError) as refused:
        check_folder(folder)
    assert refused.value.reason == reason
    assert str(refused.value).startswith(f"{folder.step(2)}: ")
    assert words in str(refused.value)
    assert "\n" not in str(refused.value)
    for act in (lambda: conduct.close(folder, VALUE), lambda: conduct.finish_powers(folder)):
        with pytest.raises(TranscriptError):
            act()
    folder.step(2).unlink()
    folder.step(3).unlink()
    assert len(check_folder(folder).steps) == 1


def test_every_reason_is_met():
    """Each reason that a step can be refused for has an attack here; the library's are all named."""
    others = {Refusal.OTHER_CIRCUIT, Refusal.OTHER_POWERS, Refusal.OTHER_KEY, Refusal.LAGRANGE}
    assert {reason for reason, _ in ATTACKS.values()} == set(Refusal) - others
    assert set(REASONS) <= set(Refusal)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda data: data[:-1], "no attestation"),
        (lambda data: data[: len(data) // 2], "cut short"),
        (lambda data: data[:100], "no header"),
        (lambda data: b"", "no header"),
        (lambda data: data + b"x", "no attestation"),
        (lambda data: data + bytes(MAX_ATTESTATION_BYTES), "longer than a step"),
        (lambda data: data.replace(b'"index":2', b'"index": 2'), "canonical"),
        (lambda data: data.replace(b'"index":2', b'"index":2,"more":1'), "more"),
        (lambda data: data.replace(b'"version":2', b'"version":3'), "version 3"),
        (lambda data: data.replace(b"equiproof-ceremony-step", b"equiproof-ceremony"), "this is 'equiproof-ceremony'"),
        (lambda data: b"\xff" + data, "JSON"),
    ],
)
def test_files_that_are_no_step_are_malformed(folder, change, words):
    """Cut, longer, in another spelling: malformed, named by the file, before any of gnark's bytes is decoded."""
    path = folder.step(2)
    path.write_bytes(change(path.read_bytes()))
    with pytest.raises(CertificateFormatError, match=words) as refused:
        check_folder(folder)
    assert str(refused.value).startswith(str(path))
    assert refused.value.reason in set(Reason)


def test_points_that_are_none_are_malformed(folder):
    """Coordinates above the field and flags that do not exist are the library's to name, under the file."""
    path, data, _ = second(folder)
    for bad in (b"\xff" * 32, bytes(32)):
        rewritten(path, BEN, spliced(data, TAU, bad))
        with pytest.raises(CertificateFormatError, match=rf"^{path}: "):
            check_folder(folder)


def test_a_huge_file_is_not_read(folder, monkeypatch):
    """Of a file of a gigabyte, no more is read than a step of this ceremony has."""
    path = folder.step(2)
    with path.open("r+b") as stream:
        stream.truncate(1 << 30)
    with pytest.raises(CertificateFormatError, match="longer than a step"):
        check_folder(folder)


def test_only_regular_files_are_read(folder):
    """A folder or a device in a step's place is refused at once."""
    folder.step(3).unlink()
    folder.step(3).mkdir()
    with pytest.raises(CertificateFormatError, match=r"0003\.step: not a regular file"):
        check_folder(folder)
    folder.step(3).rmdir()
    folder.step(3).symlink_to("/dev/zero")
    with pytest.raises(CertificateFormatError, match=r"0003\.step: not a regular file"):
        check_folder(folder)


def test_a_missing_step_is_missed(folder):
    """A gap in the numbers is named with the file that is missing."""
    folder.step(2).unlink()
    with pytest.raises(CeremonyError, match=r"0002\.step: missing, though 0003\.step is there"):
        check_folder(folder)
    assert "0002.step: missing" in Status.of(folder).fault


def test_steps_by_mail_are_checked_behind_those_of_the_folder(folder, tmp_path):
    """A file that arrived is checked before it is put into the folder; in a wrong order it is refused."""
    mail = [tmp_path / name for name in ("from-ben", "from-carol")]
    for number, path in zip((2, 3), mail, strict=True):
        folder.step(number).rename(path)
    assert len(check_folder(folder, mail[:1]).steps) == 2
    assert len(check_folder(folder, mail).steps) == 3
    with pytest.raises(TranscriptError, match=r"from-carol: does not follow"):
        check_folder(folder, mail[::-1])


def test_steps_belong_to_one_ceremony(folder, tmp_path):
    """The first step names the ceremony's file: other signers, another beacon or another size, and no step follows."""
    edits = (
        {"beacon": {"round": 1, "source": "mine"}},
        {"signers": [signer.verifier.text for signer in SIGNERS[::-1]]},
    )
    path = folder.path / CEREMONY_FILE
    honest = json.loads(path.read_bytes())
    for edit in edits:
        path.write_bytes(canonical_bytes(honest | edit))
        with pytest.raises(TranscriptError, match=r"0001\.step: does not follow"):
            check_folder(CeremonyFolder.open(folder.path))


def test_a_beacon_closes_what_is_before_it(folder):
    """The beacon names the last step: one more, one less, or another ceremony's, and it is refused."""
    conduct.close(folder, VALUE)
    with pytest.raises(CeremonyError, match="closed by its beacon"):
        conduct.contribute(folder, CAROL)
    folder.step(3).unlink()
    with pytest.raises(TranscriptError, match=r"beacon\.json: closes another ceremony") as refused:
        check_folder(folder)
    assert refused.value.reason == Refusal.WRONG_CHAIN


@pytest.mark.parametrize("value", ["", "5e", "5e" * 31, "5e" * 65, "xy" * 32, "5" * 65])
def test_a_value_that_no_beacon_has_is_refused(folder, value):
    """32 to 64 bytes in hexadecimal."""
    with pytest.raises(CertificateFormatError, match="--value: field value: want 32 to 64 bytes"):
        conduct.close(folder, value)


def test_who_may_not_contribute_is_told_so(folder, tmp_path):
    """A stranger, a stranger with a signer's name, and somebody who has contributed are refused before any work."""
    from equiproof.verifier.notes import Signer

    for signer in (MALLORY, Signer("ben", bytes(32))):
        with pytest.raises(CeremonyError, match="is not among the signers"):
            conduct.contribute(folder, signer)
    with pytest.raises(CeremonyError, match="ben has contributed already"):
        conduct.contribute(folder, BEN)
    with pytest.raises(CeremonyError, match="nobody has contributed yet"):
        conduct.close(powers_ceremony(tmp_path / "empty"), VALUE)


def test_the_length_of_a_step_is_gnarks(folder):
    """The formula of the length, by which files are bounded, is that of the library's bytes."""
    for power in (1, 2, 5):
        assert PowersRounds(power).length == len(native.powers_contribute(power, None))
    header = read(folder.step(1)).header
    assert (header.format, header.version) == STEP


def test_refusals_can_be_copied():
    """A refusal keeps its reason on the way to another process."""
    again = copy.copy(TranscriptError("0002.step: x", Refusal.RATIO))
    assert (str(again), again.reason) == ("0002.step: x", Refusal.RATIO)
