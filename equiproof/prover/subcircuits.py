"""Gadgets proven alone: keys of their own, and proofs about a blinded digest.

Such a proof is no certificate. Its keys have files of another name and format than a certificate's, and its public
input has a domain tag of its own; the set-up is always a single-party one, the proof system Groth16.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, cast

from equiproof.circuits import field
from equiproof.circuits.canonical import MAX_DOCUMENT_BYTES, DocumentError, canonical_bytes, read_regular
from equiproof.circuits.commitment import PackError
from equiproof.circuits.files import FileExistsRefusedError, write_folder
from equiproof.circuits.subcircuit import SubCircuit, SubCircuitError, subcircuit
from equiproof.ffi import backend
from equiproof.ffi.errors import MalformedInputError, RefusedError
from equiproof.prover.errors import KeyStoreError
from equiproof.prover.keys import doubting, load_proving, most_bytes, prove_with, set_up
from equiproof.prover.owner import MARK_FILE, mark, ready_secret, require_mark
from equiproof.verifier.certificate import base64_bytes
from equiproof.verifier.documents import PROVING_FILE, VERIFYING_FILE, Document, Tools, element, parse_document
from equiproof.verifier.errors import CertificateFormatError, ProofError, Reason

KEY = ("equiproof-circuit-key", 2)
PROOF = ("equiproof-circuit-proof", 2)
INSTANCE = ("equiproof-circuit-instance", 2)

KEY_FILE = "circuit.json"


class SubKeyDocument(Document, frozen=True, forbid_unknown_fields=True):
    """The metadata of a sub-circuit's key, like a certificate's key in all but format and circuit."""

    circuit: SubCircuit
    setup: Literal["single-party"]
    proof_system: Literal["groth16-bn254"]
    system_digest: str
    constraints: int
    verifying_key: str
    proving_key: str
    tools: Tools

    @property
    def fingerprint(self) -> str:
        """The name by which proofs know this key: SHA-256 over the canonical metadata."""
        return hashlib.sha256(b"equiproof.circuit-key.v2\x00" + canonical_bytes(self)).hexdigest()


class SubProofDocument(Document, frozen=True, forbid_unknown_fields=True):
    """A proof that the values behind a digest satisfy a gadget's rule."""

    circuit: SubCircuit
    key: str
    digest: str
    proof: str


class InstanceDocument(Document, frozen=True, forbid_unknown_fields=True):
    """The secret file that opens a digest: the instance's values by name, as decimal text."""

    circuit: SubCircuit
    values: dict[str, tuple[str, ...]]

    def __repr__(self) -> str:
        """Show the circuit, and none of the values."""
        return f"InstanceDocument(circuit={self.circuit!r})"

    def digest(self, where: str) -> int:
        """Return the digest that these values open; raises CertificateFormatError naming `where`."""
        try:
            wires = {name: tuple(map(_integer, values)) for name, values in self.values.items()}
            if {name: len(numbers) for name, numbers in wires.items()} != _lengths(self.circuit):
                raise PackError(f"the values are not those of {self.circuit.gadget}")
            return self.circuit.digest(wires)
        except ValueError as error:
            raise CertificateFormatError(f"{where}: field values: {error}", Reason.WRONG_FIELDS) from None


@dataclass(frozen=True)
class StoredSubKey:
    """A sub-circuit's pair of keys in its folder."""

    folder: Path
    document: SubKeyDocument

    def read(self, name: str, digest: str) -> bytes:
        """Return a file that the metadata names by its digest; raises KeyStoreError for other bytes."""
        data = _read(self.folder / name, most_bytes(self.document.constraints))
        if hashlib.sha256(data).hexdigest() != digest:
            raise KeyStoreError(f"{self.folder / name}: remove the folder: damaged, not the key that {KEY_FILE} names")
        return data


def find_or_make(store: Path, circuit: SubCircuit, owner_secret: Path | None = None) -> tuple[StoredSubKey, bool]:
    """Return the key of a sub-circuit, and whether a single-party set-up on this machine made it now.

    Of two processes that make the same key at once, both use the one that is stored first.
    """
    folder = store / f"{circuit.gadget}-{circuit.shape.name}"
    if (folder / KEY_FILE).exists():
        return read_key(folder), False
    secret = ready_secret(owner_secret)
    metadata, files = set_up(circuit.document)
    document = SubKeyDocument(format=KEY[0], version=KEY[1], circuit=circuit, **cast("dict[str, Any]", metadata))
    try:
        files |= {KEY_FILE: canonical_bytes(document), MARK_FILE: mark(document.fingerprint, secret)}
        write_folder(folder, files, secret=(MARK_FILE,))
    except FileExistsRefusedError:
        if not (folder / KEY_FILE).exists():
            raise
        return read_key(folder), False
    return StoredSubKey(folder, document), True


def read_key(folder: Path) -> StoredSubKey:
    """Read the metadata of a sub-circuit's key; raises CertificateFormatError, KeyStoreError for what is no file."""
    where = str(folder / KEY_FILE)
    document = parse_document(_read(folder / KEY_FILE), SubKeyDocument, KEY, where, only_canonical=True)
    _known(document.circuit, where)
    return StoredSubKey(folder, document)


def _read(path: Path, most: int = MAX_DOCUMENT_BYTES) -> bytes:
    """Read a file of a key; raises KeyStoreError for a pipe or a device, OSError for one that is not there."""
    try:
        return read_regular(path, most)
    except DocumentError as error:
        raise KeyStoreError(str(error)) from None


def find(store: Path, fingerprint: str) -> StoredSubKey:
    """Return the key of a fingerprint; raises KeyStoreError where the store has none."""
    for path in sorted(store.glob(f"[!.]*/{KEY_FILE}")):
        key = read_key(path.parent)
        if key.document.fingerprint == fingerprint:
            return key
    raise KeyStoreError(f"{store}: no sub-circuit's key {fingerprint[:16]}...; it is the folder of `circuit prove`")


def prove(key: StoredSubKey, wires: Mapping[str, Sequence[int]], owner_secret: Path | None = None) -> SubProofDocument:
    """Prove wires and verify the proof.

    Raises UnsatisfiedError for wires that break the rule, KeyStoreError also for a key that the owner did not make.
    """
    require_mark(key.folder, key.document.fingerprint, owner_secret)
    circuit = key.document.circuit
    digest = key.document.circuit.digest(wires)
    proving = key.read(PROVING_FILE, key.document.proving_key)
    with load_proving(key.folder, circuit.document, proving, key.document.proof_system) as native:
        if native.system_digest != key.document.system_digest:
            raise KeyStoreError(f"{key.folder}: remove the folder to make it again: of another version of the circuit")
        proof = prove_with(key.folder, native, circuit.witness(wires))
    document = SubProofDocument(
        format=PROOF[0],
        version=PROOF[1],
        circuit=circuit,
        key=key.document.fingerprint,
        digest=field.to_hex(digest),
        proof=base64.b64encode(proof).decode(),
    )
    with doubting(key.folder):
        verify(document, key)
    return document


def verify(document: SubProofDocument, key: StoredSubKey) -> None:
    """Return if a proof holds for its digest under a key of its circuit; raises ProofError."""
    if key.document.fingerprint != document.key or key.document.circuit != document.circuit:
        raise ProofError("the key is of another sub-circuit than the proof's", Reason.CIRCUIT_DIFFERS)
    digest = element(document.digest, "field digest")
    proof = base64_bytes(document.proof)
    try:
        with backend.VerifyingKey(key.read(VERIFYING_FILE, key.document.verifying_key)) as native:
            native.verify(field.to_bytes(digest), proof)
    except MalformedInputError as error:
        raise CertificateFormatError(f"field proof: {error}", error.reason) from None
    except RefusedError as error:
        raise ProofError(str(error), error.reason) from None


def instance(circuit: SubCircuit, wires: Mapping[str, Sequence[int]]) -> InstanceDocument:
    """Return the file that opens the digest of wires."""
    values = {segment.name: tuple(map(str, wires[segment.name])) for segment in circuit.instance}
    return InstanceDocument(INSTANCE[0], INSTANCE[1], circuit, values)


def parse_proof(data: bytes, where: str) -> SubProofDocument:
    """Read a sub-circuit's proof file."""
    document = parse_document(data, SubProofDocument, PROOF, where, only_canonical=True)
    _known(document.circuit, where)
    element(document.digest, f"{where}: field digest")
    try:
        base64_bytes(document.proof)
    except CertificateFormatError as error:
        raise CertificateFormatError(f"{where}: {error}", error.reason) from None
    return document


def parse_instance(data: bytes, where: str) -> InstanceDocument:
    """Read an instance file."""
    document = parse_document(data, InstanceDocument, INSTANCE, where, only_canonical=True)
    _known(document.circuit, where)
    return document


def _known(circuit: SubCircuit, where: str) -> None:
    """Refuse an unknown sub-circuit, or one that its shape does not have."""
    try:
        known = subcircuit(circuit.gadget, circuit.shape) == circuit
    except SubCircuitError:
        known = False
    if not known:
        raise CertificateFormatError(
            f"{where}: field circuit: {circuit.gadget[:40]!r} is no sub-circuit of its shape", Reason.BAD_SHAPE
        )


def _lengths(circuit: SubCircuit) -> dict[str, int]:
    """Return how many values each name of an instance has."""
    return {segment.name: len(segment.intervals) for segment in circuit.instance}


def _integer(text: str) -> int:
    """Read a decimal integer of sane length, written in its one way."""
    if len(text) > 100 or not text.removeprefix("-").isdecimal() or str(int(text)) != text:
        raise ValueError(f"{text[:40]!r} is not an integer")
    return int(text)
