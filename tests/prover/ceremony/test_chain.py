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
from equiproof.prover.ceremony.steps import STEP
from equiproof.verifier.errors import CertificateFormatError
from tests.prover.ceremony.attacks import ATTACKS, DAMAGES, TAU, second, spliced
from tests.prover.ceremony.parties import (
    BEN,
    CAROL,
    MALLORY,
    SIGNERS,
    VALUE,
    copied,
    powers_ceremony,
    read,
    rewritten,
)


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
        with pytest.raises(CeremonyError, match="close the ceremony first with `equiproof ceremony beacon`"):
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
    """Each reason that a step can be refused for has an attack here; the library's are all named.

    Related secrets are those of steps of a key: TestSecretsOfKeysAreUnrelated in go-gnark/ceremony.
    """
    others = {
        Refusal.OTHER_CIRCUIT, Refusal.OTHER_POWERS, Refusal.OTHER_KEY, Refusal.LAGRANGE, Refusal.RELATED_SECRETS,
    }  # fmt: skip
    assert {reason for reason, _ in ATTACKS.values()} == set(Refusal) - others
    assert set(REASONS) <= set(Refusal)


@pytest.mark.parametrize("name", DAMAGES)
def test_files_that_are_no_step_are_malformed(folder, name):
    """Cut, longer, in another spelling: malformed, named by the file, before any of gnark's bytes is decoded."""
    path, (change, words, reason) = folder.step(2), DAMAGES[name]
    path.write_bytes(change(path.read_bytes()))
    with pytest.raises(CertificateFormatError, match=words) as refused:
        check_folder(folder)
    assert str(refused.value).startswith(str(path))
    assert refused.value.reason == reason


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
    with pytest.raises(CertificateFormatError, match="ask its contributor for the file again: longer than a step"):
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
    with pytest.raises(
        CeremonyError, match=r"0002\.step: ask its contributor for it: missing, though 0003\.step is there"
    ):
        check_folder(folder)
    assert "0002.step: ask its contributor for it: missing" in Status.of(folder).fault


def test_steps_by_mail_are_checked_behind_those_of_the_folder(folder, tmp_path):
    """A file that arrived is checked before it is put into the folder; in a wrong order it is refused."""
    mail = [tmp_path / name for name in ("from-ben", "from-carol")]
    for number, path in zip((2, 3), mail, strict=True):
        folder.step(number).rename(path)
    assert len(check_folder(folder, mail[:1]).steps) == 2
    assert len(check_folder(folder, mail).steps) == 3
    with pytest.raises(TranscriptError, match=r"from-carol: get all steps again .*: this one does not follow"):
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
        with pytest.raises(TranscriptError, match=r"0001\.step: get all steps again .*: this one does not follow"):
            check_folder(CeremonyFolder.open(folder.path))


def test_a_beacon_closes_what_is_before_it(folder):
    """The beacon names the last step: one more, one less, or another ceremony's, and it is refused."""
    conduct.close(folder, VALUE)
    with pytest.raises(CeremonyError, match="go on with `equiproof ceremony finish`: closed by its beacon"):
        conduct.contribute(folder, CAROL)
    folder.step(3).unlink()
    with pytest.raises(
        TranscriptError, match=r"beacon\.json: get the whole folder again: closes another ceremony"
    ) as refused:
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
        with pytest.raises(
            CeremonyError, match=r"sign with the key that ceremony\.json names: .* is not among its signers"
        ):
            conduct.contribute(folder, signer)
    with pytest.raises(CeremonyError, match="let the next signer contribute: ben has contributed already"):
        conduct.contribute(folder, BEN)
    with pytest.raises(CeremonyError, match="contribute first: nobody has yet"):
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


def test_progress_counts_the_steps(folder):
    """Each step is reported once, with how many are behind it."""
    seen = []
    check_folder(folder, report=lambda line, done=0, total=None: seen.append((done, total, line)))
    names = [signer.verifier.name for signer in SIGNERS]
    assert seen == [(k, 3, f"checking step {k + 1} of 3 ({name})") for k, name in enumerate(names)]
