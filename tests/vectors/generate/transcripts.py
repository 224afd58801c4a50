"""Transcripts of a phase 1, and certificates under a key that a ceremony made: accepted, refused, malformed."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from equiproof.circuits.canonical import canonical_bytes
from equiproof.prover.ceremony.folder import CeremonyFolder
from equiproof.verifier.documents import DrawnBeacon, KeyCeremony, KeyDocument, PowersReference, parse_key
from equiproof.verifier.errors import Reason
from equiproof.verifier.notes import Signer
from equiproof.verifier.transcripts import SignedBy, TranscriptIs
from tests.prover.ceremony.attacks import ATTACKS, DAMAGES, begun_anew
from tests.prover.ceremony.parties import ANNA, BEN, CAROL, VALUE
from tests.support import changed
from tests.vectors.generate.cases import LOANS, Named, certificate_vector, document, edited
from tests.vectors.vector import CERTIFICATE, KEY, Policy, TranscriptVector, certificate_base, transcript_base

BASE = "ceremony"
PLONK = "loans-plonk"
SECOND = "0002.step"
NOTE = "keys/key/signatures.note"


def vectors() -> Named:
    """Yield every family."""
    yield from prefixes()
    yield from refused_steps()
    yield from files_that_are_no_step()
    yield from beacons()
    yield from certificates()
    yield from universal_certificates()


def changes(change: Callable[[CeremonyFolder], Any]) -> dict[str, str | None]:
    """Return what a change makes of the base's files."""
    before = transcript_base(BASE)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        TranscriptVector(what="", why="", verdict="accept", base=BASE).write(folder)
        change(CeremonyFolder.open(folder))
        after: dict[str, str | None] = {path.name: path.read_bytes().hex() for path in folder.iterdir()}
    return {name: after.get(name) for name in sorted({*before, *after}) if after.get(name) != before.get(name)}


def case(verdict: Any, what: str, why: str, change: Callable[[CeremonyFolder], Any], **fields: Any) -> TranscriptVector:
    """Return a vector of the base's files after a change."""
    exception = {"accept": None, "reject": "TranscriptError", "malformed": "CertificateFormatError"}[verdict]
    return TranscriptVector(
        what=what, why=why, verdict=verdict, exception=exception, base=BASE, hex=changes(change), **fields
    )


def prefixes() -> Named:
    """Every prefix of an honest ceremony."""
    why = "a transcript can be checked at any time, also before it is closed"
    gone = ["beacon.json", "0003.step", SECOND, "0001.step"]
    for number, what in enumerate(("closed", "three-steps", "two-steps", "one-step", "no-step")):

        def drop(folder: CeremonyFolder, number: int = number) -> None:
            for name in gone[:number]:
                (folder.path / name).unlink()

        yield what, case("accept", f"an honest ceremony: {what.replace('-', ' ')}", why, drop)


def refused_steps() -> Named:
    """What a malicious contributor does to the second step."""
    for attack, (reason, _) in ATTACKS.items():
        # A new contribution would be another one each time.
        if attack is not begun_anew:
            name = attack.__name__.replace("_", "-")
            what = f"the second step: {attack.__name__.replace('_', ' ')}"
            why = "every step follows from the one before, and has one author whom the ceremony names"
            yield name, case("reject", what, why, attack, reason=reason.value, file=SECOND)


def files_that_are_no_step() -> Named:
    """Damages of the second step's file."""
    for name, (change, _, reason) in DAMAGES.items():

        def damage(folder: CeremonyFolder, change: Callable[[bytes], bytes] = change) -> None:
            folder.step(2).write_bytes(change(folder.step(2).read_bytes()))

        why = "a file is a step of this ceremony, byte for byte, or it is not read"
        yield (
            f"step-{name}",
            case("malformed", f"the second file: {name}", why, damage, reason=reason.value, file=SECOND),
        )


def beacons() -> Named:
    """Beacons that close something else, or are none."""
    closes = transcript_base(BASE)["beacon.json"]
    why = "the beacon closes the steps before it and no others, with one value in one spelling"
    what, reason, file = "the beacon of one more step", "wrong-chain", "beacon.json"
    cut = case("reject", what, why, lambda folder: folder.step(3).unlink(), reason=reason, file=file)
    yield "beacon-of-one-more-step", cut
    for name, old, new, reason in (
        ("short", VALUE, VALUE[2:], Reason.WRONG_FIELDS.value),
        ("upper-case", VALUE, VALUE.upper(), Reason.WRONG_FIELDS.value),
        ("version", '"version":2', '"version":1', Reason.OTHER_FORMAT.value),
    ):

        def change(folder: CeremonyFolder, old: str = old, new: str = new) -> None:
            (folder.path / file).write_bytes(bytes.fromhex(closes).replace(old.encode(), new.encode()))

        what = f"the beacon: {name.replace('-', ' ')}"
        yield f"beacon-{name}", case("malformed", what, why, change, reason=reason, file=file)


def ceremonys_key() -> KeyDocument:
    """Return the base's key as one that a ceremony might have made."""
    made = KeyCeremony(
        powers=PowersReference("ceremony", "1" * 64, "2" * 64),
        start="3" * 64,
        steps=("4" * 64, "5" * 64),
        beacon=DrawnBeacon("drand quicknet", 7, VALUE),
        signers=(ANNA.verifier.text, BEN.verifier.text),
    )
    return changed(parse_key(certificate_base(LOANS)[KEY], KEY), setup="ceremony", ceremony=made)


def universal_key() -> KeyDocument:
    """Return the key of PLONK as one that was made from given powers: its bytes would be the same."""
    made = PowersReference("ceremony", "1" * 64, "2" * 64)
    return changed(parse_key(certificate_base(PLONK)[KEY], KEY), setup="universal", powers=made)


def universal_certificates() -> Named:
    """Certificates under a universal key, which its transcript or signers decide as they do a ceremony's."""
    key = universal_key()
    whole = edited(CERTIFICATE, "key", {"fingerprint": key.fingerprint, "setup": "universal"}, PLONK)
    base: dict[str, Any] = {CERTIFICATE: whole, KEY: canonical_bytes(key).decode()}
    other = changed(key, powers=changed(key.powers, digest="0" * 64))
    why = "a universal key is trusted by its transcript, or by those who checked it, and by nothing else"
    for name, policy, reason in (
        ("by-transcript", Policy(transcript=key.transcript), None),
        ("by-kind", Policy(setup="universal"), Reason.NO_TRANSCRIPT.value),
        ("transcript-of-other-powers", Policy(transcript=other.transcript), TranscriptIs.reason),
    ):
        verdict = "accept" if reason is None else "reject"
        exception = {None: None, Reason.NO_TRANSCRIPT.value: "UntrustedKeyError"}.get(reason, "PolicyError")
        yield (
            f"universal-{name}",
            certificate_vector(
                verdict, f"a universal key: {name}", why, reason,
                exception=exception, policy=policy, base=PLONK, files=base,
            ),
        )  # fmt: skip
    metadata = document(KEY, PLONK)
    powers = {"digest": "2" * 64, "origin": "ceremony", "source": "1" * 64}
    for name, lie, reason in (
        ("without-powers", metadata | {"setup": "universal"}, Reason.NO_TRANSCRIPT),
        ("of-one-party-with-powers", metadata | {"powers": powers}, Reason.WRONG_FIELDS),
    ):
        vector = certificate_vector(
            "malformed", f"a key {name}", "a kind of set-up says how the key was made, and another does not",
            reason, field="powers", base=PLONK, files={KEY: lie},
        )  # fmt: skip
        yield f"key-{name}", vector


def note_of(key: KeyDocument, *signers: Signer) -> str:
    """Return the note of those who checked a key."""
    text = key.attestation
    return f"{text}\n" + "".join(signer.sign(text).removeprefix(f"{text}\n") for signer in signers)


def certificates() -> Named:
    """Certificates under a ceremony's key: its transcript or its signers decide."""
    key = ceremonys_key()
    keys = tuple(signer.verifier.text for signer in (ANNA, BEN, CAROL))
    whole = edited(CERTIFICATE, "key", {"fingerprint": key.fingerprint, "setup": "ceremony"})
    base: dict[str, Any] = {CERTIFICATE: whole, KEY: canonical_bytes(key).decode()}
    two = base | {NOTE: note_of(key, BEN, ANNA)}
    other = base | {NOTE: note_of(changed(key, tools={}), BEN, ANNA)}
    why = "a ceremony's key is trusted by its transcript, or by those who checked it, and by nothing else"
    for name, policy, files, reason in (
        ("by-transcript", Policy(transcript=key.transcript), base, None),
        ("by-signers", Policy(signed_by=(keys, 2)), two, None),
        ("by-name", Policy(), two, Reason.NO_TRANSCRIPT.value),
        ("by-kind", Policy(setup="ceremony"), two, Reason.NO_TRANSCRIPT.value),
        ("other-transcript", Policy(transcript="0" * 64), two, TranscriptIs.reason),
        ("too-few-signers", Policy(signed_by=(keys, 3)), two, SignedBy.reason),
        ("no-signature", Policy(signed_by=(keys, 1)), base, SignedBy.reason),
        ("signatures-of-another-key", Policy(signed_by=(keys, 1)), other, SignedBy.reason),
    ):
        verdict = "accept" if reason is None else "reject"
        exception = {None: None, Reason.NO_TRANSCRIPT.value: "UntrustedKeyError"}.get(reason, "PolicyError")
        yield (
            f"ceremony-{name}",
            certificate_vector(
                verdict, f"a ceremony's key: {name}", why, reason, exception=exception, policy=policy, files=files
            ),
        )
