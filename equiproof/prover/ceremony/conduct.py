"""What the parties of a ceremony do: begin it, contribute, close it, and make what it is for.

Each reads the whole folder and checks it first; each writes one file, or several that belong together, at the end.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path

import msgspec

from equiproof.circuits.canonical import canonical_bytes
from equiproof.circuits.files import FileExistsRefusedError, refuse_taken, write_file, write_files, write_folder
from equiproof.circuits.link_shape import LinkShape
from equiproof.circuits.shape import Shape
from equiproof.ffi import ceremony as native
from equiproof.prover.ceremony.chain import Report, Transcript, check_folder, silent
from equiproof.prover.ceremony.documents import (
    BEACON,
    BEACON_FILE,
    CEREMONY,
    CEREMONY_FILE,
    POWERS_FILE,
    BeaconDocument,
    CeremonyDocument,
    KeyTarget,
    NamedBeacon,
    parse_beacon,
    parse_ceremony,
)
from equiproof.prover.ceremony.errors import CeremonyError, naming
from equiproof.prover.ceremony.folder import CeremonyFolder
from equiproof.prover.ceremony.powers import Powers, described
from equiproof.prover.ceremony.steps import header_for, written
from equiproof.prover.keys import Metadata, key_document
from equiproof.prover.version import tools
from equiproof.verifier.documents import (
    PROVING_FILE,
    VERIFYING_FILE,
    DrawnBeacon,
    KeyCeremony,
    KeyDocument,
    LinkKeyDocument,
)
from equiproof.verifier.notes import Signer, VerifierKey


@dataclass(frozen=True)
class Terms:
    """What everybody agrees on beforehand: who may contribute, and which public random value closes the ceremony."""

    signers: tuple[VerifierKey, ...]
    beacon: NamedBeacon


def begin_powers(path: Path, power: int, terms: Terms) -> CeremonyFolder:
    """Begin a phase 1 over a domain of 2^power in a new folder.

    Raises FileExistsRefusedError, and CertificateFormatError for terms or a power that no ceremony can have.
    """
    return _begin(path, terms, power, {})


def begin_key(
    path: Path, shape: Shape | LinkShape, powers: Powers, terms: Terms, report: Report = silent
) -> CeremonyFolder:
    """Begin a phase 2 for a shape's circuit in a new folder, with the powers of tau cut to its domain.

    Under a kept shape it makes the key for certificates; that of their links, which serves all kept shapes of an
    architecture, takes a phase 2 of its own.

    Raises as :func:`begin_powers`, and CeremonyError for powers that do not suffice.
    """
    if path.exists():
        raise FileExistsRefusedError(path)
    report("compiling the circuit")
    with naming("the shape"):
        power, _, system_digest = native.circuit_power(shape.document)
    report(f"cutting the powers of tau to 2^{power}")
    cut = powers.cut(power)
    if isinstance(shape, LinkShape):
        target = KeyTarget(shape, system_digest, cut.reference)
        return _begin(path, terms, power, cut.files, link_key=target)
    return _begin(path, terms, power, cut.files, key=KeyTarget(shape, system_digest, cut.reference))


def _begin(
    path: Path,
    terms: Terms,
    power: int,
    files: dict[str, bytes],
    key: KeyTarget[Shape] | msgspec.UnsetType = msgspec.UNSET,
    link_key: KeyTarget[LinkShape] | msgspec.UnsetType = msgspec.UNSET,
) -> CeremonyFolder:
    """Write a new folder; what cannot be read again is refused before."""
    ceremony = CeremonyDocument(
        format=CEREMONY[0],
        version=CEREMONY[1],
        phase="powers" if key is msgspec.UNSET and link_key is msgspec.UNSET else "key",
        power=power,
        beacon=terms.beacon,
        signers=tuple(signer.text for signer in terms.signers),
        key=key,
        link_key=link_key,
    )
    # Read back, so that no ceremony begins that every party would refuse.
    data = canonical_bytes(ceremony)
    parse_ceremony(data, CEREMONY_FILE)
    write_folder(path, {CEREMONY_FILE: data, **files})
    return CeremonyFolder(path, ceremony)


def contribute(folder: CeremonyFolder, signer: Signer, report: Report = silent) -> tuple[Path, Transcript]:
    """Check everything so far, contribute, sign, and return the new step's file and what stood before it.

    Raises CeremonyError for somebody who may not contribute now; else as :func:`check_folder`.
    """
    if folder.beacon is not None:
        raise CeremonyError(
            f"{folder.path}: go on with `equiproof ceremony finish`: closed by its beacon, nobody can contribute any "
            "more"
        )
    if signer.verifier not in folder.ceremony.keys:
        raise CeremonyError(
            f"{folder.path}: sign with the key that {CEREMONY_FILE} names: {signer.name}, with this key, is not "
            "among its signers"
        )
    transcript = check_folder(folder, (), report)
    if signer.name not in transcript.missing:
        raise CeremonyError(f"{folder.path}: let the next signer contribute: {signer.name} has contributed already")
    report("contributing")
    contribution = transcript.rounds.contribute(transcript.last)
    number = len(transcript.steps) + 1
    header = header_for(folder.ceremony, number, transcript.head, signer.name, len(contribution))
    path = folder.step(number)
    write_file(path, written(header, contribution, signer))
    return path, transcript


def close(folder: CeremonyFolder, value: str, report: Report = silent) -> tuple[Path, Transcript]:
    """Check everything, and close the ceremony with the value of the named round, in hexadecimal.

    Raises CeremonyError for a ceremony without a contribution, CertificateFormatError for no such value.
    """
    path = folder.path / BEACON_FILE
    refuse_taken((path,), force=False)
    _beacon(value, folder.ceremony.digest)  # a wrong value is refused before everything is checked
    transcript = check_folder(folder, (), report)
    if not transcript.steps:
        raise CeremonyError(f"{folder.path}: contribute first: nobody has yet, and the beacon alone is no secret")
    write_file(path, _beacon(value, transcript.head))
    return path, transcript


def _beacon(value: str, after: str) -> bytes:
    """Return the file of a beacon's value behind a step; raises CertificateFormatError for no such value."""
    document = BeaconDocument(format=BEACON[0], version=BEACON[1], after=after, value=value.strip().lower())
    data = canonical_bytes(document)
    parse_beacon(data, "--value")
    return data


def finish_powers(folder: CeremonyFolder, report: Report = silent) -> Powers:
    """Check a closed phase 1, and write its powers of tau and their Lagrange form into its folder; raises as above."""
    refuse_taken((folder.path / POWERS_FILE,), force=False)
    transcript = check_folder(folder, (), report)
    report("computing the Lagrange form")
    powers = described(folder.ceremony.power, sealed(transcript), "ceremony", transcript.digest)
    write_files({folder.path / name: data for name, data in powers.files.items()})
    return powers


def sealed(transcript: Transcript) -> bytes:
    """Return the powers of tau of a closed phase 1."""
    value = bytes.fromhex(transcript.closing.value)
    if transcript.ceremony.phase != "powers" or transcript.last is None:
        raise CeremonyError("name the folder of a phase 1: this ceremony makes no powers of tau")
    return native.powers_finish(transcript.ceremony.power, transcript.last, value)


def finish_key(
    folder: CeremonyFolder, store: Path, report: Report = silent
) -> tuple[Path, KeyDocument | LinkKeyDocument]:
    """Check a closed phase 2, and write its key as a folder of `store`; return that folder and the key's metadata.

    The key has no mark of an owner: `equiproof keys check --accept` leaves it. Raises as above.
    """
    place = store / folder.ceremony.target.shape.name
    if place.exists():
        raise FileExistsRefusedError(place)
    transcript = check_folder(folder, (), report)
    report("making the keys")
    document, files = made_key(transcript)
    write_folder(place, files)
    return place, document


def made_key(transcript: Transcript) -> tuple[KeyDocument | LinkKeyDocument, dict[str, bytes]]:
    """Return metadata and files of the key that a closed phase 2 makes; everybody gets the same key."""
    beacon = transcript.closing
    target = transcript.ceremony.target
    powers = transcript.powers
    if powers is None or transcript.last is None:
        raise CeremonyError("name the folder of a phase 2: this ceremony makes no key")
    keys = native.key_finish(
        target.shape.document, powers.power, powers.data, powers.form, transcript.last, bytes.fromhex(beacon.value)
    )
    named = transcript.ceremony.beacon
    metadata = Metadata(
        setup="ceremony",
        proof_system="groth16-bn254",
        system_digest=keys.description.system_digest,
        constraints=keys.description.constraints,
        verifying_key=hashlib.sha256(keys.verifying).hexdigest(),
        proving_key=hashlib.sha256(keys.proving).hexdigest(),
        tools=tools(),
        ceremony=KeyCeremony(
            powers=target.powers,
            start=transcript.ceremony.digest,
            steps=tuple(step.digest for step in transcript.steps),
            beacon=DrawnBeacon(named.source, named.round, beacon.value),
            signers=tuple(step.signer.text for step in transcript.steps),
        ),
    )
    document, name = key_document(target.shape, metadata)
    files = {PROVING_FILE: keys.proving, VERIFYING_FILE: keys.verifying, name: canonical_bytes(document)}
    return document, files
