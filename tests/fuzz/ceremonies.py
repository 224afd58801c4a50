"""Honest files of ceremonies for the fuzzed parsers, the same ones in every run."""

from __future__ import annotations

from equiproof.circuits.canonical import canonical_bytes
from equiproof.circuits.link_shape import link_shape
from equiproof.circuits.shape import traversal_shape
from equiproof.prover.ceremony.documents import (
    BEACON,
    CEREMONY,
    POWERS,
    BeaconDocument,
    CeremonyDocument,
    KeyTarget,
    NamedBeacon,
    PowersDocument,
)
from equiproof.prover.ceremony.rounds import PowersRounds
from equiproof.prover.ceremony.steps import header_for, parse_step, written
from equiproof.verifier.documents import PowersReference
from equiproof.verifier.notes import Signer
from tests.prover.ceremony.parties import POWER
from tests.support import LOANS
from tests.vectors.vector import transcript_base

LENGTH = 100
SIGNERS = tuple(Signer(name, name.encode().ljust(32, b".")) for name in ("anna", "ben"))
_DIGEST = "0" * 63 + "7"


def _ceremonies() -> list[CeremonyDocument]:
    """Make the file of each phase, and of phase 2 for either kind of key."""
    named, keys = NamedBeacon("drand quicknet", 7), tuple(signer.verifier.text for signer in SIGNERS)
    shape, powers = traversal_shape(LOANS, (1,), 2), PowersReference("imported", _DIGEST, _DIGEST)
    key, link_key = KeyTarget(shape, _DIGEST, powers), KeyTarget(link_shape(shape), _DIGEST, powers)
    return [
        CeremonyDocument(*CEREMONY, "powers", 3, named, keys),
        CeremonyDocument(*CEREMONY, "key", 12, named, keys, key),
        CeremonyDocument(*CEREMONY, "key", 12, named, keys, link_key=link_key),
    ]


def ceremony_files() -> list[bytes]:
    """Return the file of each phase."""
    return [canonical_bytes(document) for document in _ceremonies()]


def steps() -> list[bytes]:
    """Return a step of each phase, with bytes in the place of points."""
    return [
        written(header_for(document, 1, document.digest, "anna", LENGTH), bytes(range(LENGTH)), SIGNERS[0])
        for document in _ceremonies()
    ]


def contributions() -> list[bytes]:
    """Return gnark's bytes of the first two steps that vectors stand on."""
    files = transcript_base("ceremony")
    found = []
    for name in ("0001.step", "0002.step"):
        data = bytes.fromhex(files[name])
        length = PowersRounds(POWER).length
        found.append(parse_step(data, name, length).contribution)
    return found


def beacons() -> list[bytes]:
    """Return a beacon's file."""
    return [canonical_bytes(BeaconDocument(*BEACON, _DIGEST, "5e" * 32))]


def powers_files() -> list[bytes]:
    """Return the metadata of powers of tau."""
    return [canonical_bytes(PowersDocument(*POWERS, 3, "ceremony", _DIGEST, _DIGEST, _DIGEST))]


def notes() -> list[bytes]:
    """Return a note with one signature, and one with two."""
    one, other = (signer.sign("a text\n") for signer in SIGNERS)
    return [one.encode(), (one + other.rpartition("\n\n")[2]).encode()]


def signer_lists() -> list[bytes]:
    """Return a list of signers."""
    return ["".join(f"{signer.verifier.text}\n" for signer in SIGNERS).encode()]
