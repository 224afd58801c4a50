"""The contract of a Groth16 key: Solidity that accepts the key's certificates on a chain, and its metadata.

The source is a template with the key's numbers in it, so that a key has one source. docs/chain.md says what the
contract checks and what it leaves to its caller.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path
from string import Template

import msgspec

from equiproof.circuits.canonical import canonical_bytes
from equiproof.circuits.poseidon2_constants import ROUND_KEYS
from equiproof.circuits.proof_systems import DEFAULT_PROOF_SYSTEM
from equiproof.circuits.statement import start
from equiproof.ffi.errors import MalformedInputError
from equiproof.verifier.curve import BYTES, neg, uncompressed, uncompressed_g2
from equiproof.verifier.documents import VERIFYING_FILE, Document
from equiproof.verifier.errors import CertificateFormatError, Reason
from equiproof.verifier.pairing import Key, read_key
from equiproof.verifier.trust import TrustedKey

CONTRACT = ("equiproof-contract", 2)

NAME = "EquiproofVerifier"
SOURCE_FILE = f"{NAME}.sol"
CONTRACT_FILE = "contract.json"
_TEMPLATE = f"{SOURCE_FILE}.in"

COMPILER = "0.8.37"


class Optimizer(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What the compiler optimises, in the words of its settings."""

    enabled: bool
    runs: int


class BytecodeMetadata(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What the compiler adds to the code, in the words of its settings."""

    append_cbor: bool = msgspec.field(name="appendCBOR")
    bytecode_hash: str = msgspec.field(name="bytecodeHash")


class Settings(msgspec.Struct, frozen=True, forbid_unknown_fields=True, rename="camel"):
    """Settings of the compiler that decide which code it makes, in its own words."""

    evm_version: str
    metadata: BytecodeMetadata
    optimizer: Optimizer


class ContractDocument(Document, frozen=True, forbid_unknown_fields=True):
    """Metadata of a contract: its key's fingerprint, its name, and what makes its code of which source.

    `source` is the name of the file, `source_digest` its SHA-256 digest in hexadecimal.
    """

    key: str
    name: str
    source: str
    source_digest: str
    compiler: str
    settings: Settings


SETTINGS = Settings(
    # A version without opcodes that some chains still lack; the code is hardly larger and as fast.
    evm_version="paris",
    # The code then depends on the source's code alone, and two builds can be compared.
    metadata=BytecodeMetadata(append_cbor=False, bytecode_hash="none"),
    optimizer=Optimizer(enabled=True, runs=1_000_000),
)


@dataclass(frozen=True)
class Contract:
    """A contract's source, and what stands in its metadata."""

    source: bytes
    document: ContractDocument

    @property
    def metadata(self) -> bytes:
        """The bytes of the metadata's file, canonical JSON."""
        return canonical_bytes(self.document)


def contract_of(key: TrustedKey, source_file: str = SOURCE_FILE) -> Contract:
    """Return the contract of a key; its metadata call its source `source_file`.

    Raises CertificateFormatError for a key of another proof system than Groth16, for one of gains, for a kept one, and
    for one whose bytes are malformed or degenerate.
    """
    if key.document.shape.kept:
        raise CertificateFormatError(
            "field shape.model: take a key without --kept: this one needs a link, which contracts do not read",
            Reason.WRONG_FIELDS,
        )
    if key.document.shape.gains:
        # A statement about a gain has two parts more, so this contract would accept none under the key.
        raise CertificateFormatError(
            "field shape: the key proves gains, and contracts accept certificates about decisions only",
            Reason.WRONG_FIELDS,
        )
    system = key.document.proof_system
    if system != DEFAULT_PROOF_SYSTEM:
        raise CertificateFormatError(
            f"field proof_system: {system}, and contracts accept {DEFAULT_PROOF_SYSTEM} only", Reason.WRONG_FIELDS
        )
    try:
        points = read_key(key.verifying)
    except MalformedInputError as error:
        raise CertificateFormatError(f"{VERIFYING_FILE}: {error}", error.reason) from None
    source = _source(points, key)
    document = ContractDocument(
        *CONTRACT,
        key=key.document.fingerprint,
        name=NAME,
        source=source_file,
        source_digest=hashlib.sha256(source).hexdigest(),
        compiler=COMPILER,
        settings=SETTINGS,
    )
    return Contract(source, document)


def _source(points: Key, key: TrustedKey) -> bytes:
    """Put the numbers of a key into the template."""
    template = Template(Path(__file__).with_name(_TEMPLATE).read_text(encoding="utf-8"))
    rounds = b"".join(number.to_bytes(BYTES, "big") for numbers in ROUND_KEYS for number in numbers)
    negated = {
        "MINUS_BETA": points.beta,
        "MINUS_GAMMA": points.gamma,
        "MINUS_DELTA": points.delta,
        "SIGMA": points.negative_sigmas[0],
        "MINUS_G": points.generator,
    }
    numbers = _numbers("ALPHA", ("X", "Y"), uncompressed(points.alpha))
    for place, point in enumerate(points.inputs):
        numbers |= _numbers(f"K{place}", ("X", "Y"), uncompressed(point))
    for name, pair in negated.items():
        numbers |= _numbers(name, ("XI", "X", "YI", "Y"), uncompressed_g2(neg(pair)))
    return template.substitute(
        numbers,
        COMPILER=COMPILER,
        KEY=f"0x{key.document.fingerprint}",
        START=_number(start(key.document.shape).to_bytes(BYTES, "big")),
        GAMMA_IS_G=str(points.gamma == points.generator).lower(),
        ROUND_KEYS=_literal(rounds),
    ).encode()


def _numbers(name: str, halves: tuple[str, ...], data: bytes) -> dict[str, str]:
    """Return the numbers of a point by their names in the template."""
    return {f"{name}_{half}": _number(word) for half, word in zip(halves, _words(data), strict=True)}


def _words(data: bytes) -> list[bytes]:
    """Split data into words of the machine."""
    return [data[at : at + BYTES] for at in range(0, len(data), BYTES)]


def _number(word: bytes) -> str:
    """Write a number as Solidity does."""
    return f"0x{word.hex()}"


def _literal(data: bytes) -> str:
    """Write bytes as Solidity does, a word on each line."""
    return "".join(f'\n        hex"{word.hex()}"' for word in _words(data))
