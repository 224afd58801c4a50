"""The contract of a Groth16 key: Solidity that accepts the key's certificates on a chain, and its metadata.

The source is a template with the key's numbers in it, so that a key has one source. That of a kept key has the numbers
of a key for links, too. docs/chain.md says what the contract checks and what it leaves to its caller.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path
from string import Template

import msgspec

from equiproof.circuits.canonical import canonical_bytes
from equiproof.circuits.field import BYTES, to_bytes
from equiproof.circuits.kept import key_element, link_start
from equiproof.circuits.link_shape import link_shape
from equiproof.circuits.poseidon2_constants import ROUND_KEYS
from equiproof.circuits.proof_systems import DEFAULT_PROOF_SYSTEM
from equiproof.circuits.statement import start
from equiproof.ffi.errors import MalformedInputError
from equiproof.verifier.curve import neg, uncompressed, uncompressed_g2
from equiproof.verifier.documents import VERIFYING_FILE, Document
from equiproof.verifier.errors import CertificateFormatError, Reason
from equiproof.verifier.pairing import Key, read_key
from equiproof.verifier.trust import TrustedKey, TrustedLinkKey

CONTRACT = ("equiproof-contract", 2)

NAME = "EquiproofVerifier"
KEPT_NAME = "EquiproofKeptVerifier"
"""The names of the contracts of ordinary and of kept keys."""

CONTRACT_FILE = "contract.json"

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

    `source` is the name of the file, `source_digest` its SHA-256 digest in hexadecimal; `link_key` is the fingerprint
    of the key for links that the contract of a kept key has, and absent from others.
    """

    key: str
    name: str
    source: str
    source_digest: str
    compiler: str
    settings: Settings
    link_key: str | msgspec.UnsetType = msgspec.UNSET


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


def name_of(key: TrustedKey) -> str:
    """Return the name of a key's contract."""
    return KEPT_NAME if key.document.shape.kept else NAME


def contract_of(key: TrustedKey, link_key: TrustedLinkKey | None = None, source_file: str | None = None) -> Contract:
    """Return the contract of a key, with the key for links that a kept one needs.

    Its metadata call its source `source_file`, by default after the contract. Raises CertificateFormatError for a key
    of another proof system than Groth16, for one of gains, for a key for links that is missing, not needed or of other
    models than the key, and for keys whose bytes are malformed or degenerate.
    """
    if key.document.shape.gains:
        # A statement about a gain has two parts more, so this contract would accept none under the key.
        raise CertificateFormatError(
            "field shape: the key proves gains, and contracts accept certificates about decisions only",
            Reason.WRONG_FIELDS,
        )
    points = _points(key)
    if key.document.shape.kept:
        source = _kept_source(points, key, link_key)
    elif link_key is None:
        source = _source(points, key)
    else:
        raise CertificateFormatError("take no key for links: this one is not of kept models", Reason.FORM_DIFFERS)
    name = name_of(key)
    document = ContractDocument(
        *CONTRACT,
        key=key.document.fingerprint,
        name=name,
        source=f"{name}.sol" if source_file is None else source_file,
        source_digest=hashlib.sha256(source).hexdigest(),
        compiler=COMPILER,
        settings=SETTINGS,
        link_key=msgspec.UNSET if link_key is None else link_key.document.fingerprint,
    )
    return Contract(source, document)


def _points(key: TrustedKey | TrustedLinkKey) -> Key:
    """Read the points of a key of Groth16."""
    system = key.document.proof_system
    if system != DEFAULT_PROOF_SYSTEM:
        raise CertificateFormatError(
            f"field proof_system: {system}, and contracts accept {DEFAULT_PROOF_SYSTEM} only", Reason.WRONG_FIELDS
        )
    try:
        return read_key(key.verifying, 2 if isinstance(key, TrustedKey) and key.document.shape.kept else 1)
    except MalformedInputError as error:
        raise CertificateFormatError(f"{VERIFYING_FILE}: {error}", error.reason) from None


def _source(points: Key, key: TrustedKey) -> bytes:
    """Put the numbers of a key into the template."""
    return _filled(NAME, key, NUMBERS=_constants(points), PROOFS=_proofs("", "_check"))


def _kept_source(points: Key, key: TrustedKey, link_key: TrustedLinkKey | None) -> bytes:
    """Put the numbers of a kept key and of its key for links into the template."""
    if link_key is None:
        raise CertificateFormatError("give the key for links, too: this one is of kept models", Reason.FORM_DIFFERS)
    links, own = link_key.document, link_shape(key.document.shape)
    if links.shape != own:
        same = (links.shape.architecture, links.shape.visits) == (own.architecture, own.visits)
        raise CertificateFormatError(
            f"take a key for links of the shape {own.name}: this one is of {links.shape.name}",
            Reason.LINK_OF_OTHER_INPUT_BITS if same else Reason.LINK_OF_ANOTHER_ARCHITECTURE,
        )
    try:
        of_links = _points(link_key)
    except CertificateFormatError as error:
        raise CertificateFormatError(f"key for links: {error}", error.reason) from None
    numbers = _numbers("K3", ("X", "Y"), uncompressed(points.inputs[3]))
    numbers |= _numbers("SIGMA2", ("XI", "X", "YI", "Y"), uncompressed_g2(neg(points.negative_sigmas[1])))
    return _filled(
        KEPT_NAME,
        key,
        **numbers,
        NUMBERS=_constants(points),
        LINK_KEY=f"0x{links.fingerprint}",
        LINK_START=_number(to_bytes(link_start(links.shape))),
        KEY_ELEMENT=_number(to_bytes(key_element(key.document.fingerprint))),
        LINK_NUMBERS=_constants(of_links, "LINK_"),
        PROOFS=_proofs("LINK_", "_checkLink"),
    )


def _filled(name: str, key: TrustedKey, **numbers: str) -> bytes:
    """Put numbers into the template of a contract, and what stands in the contract of every key."""
    rounds = b"".join(to_bytes(number) for numbers in ROUND_KEYS for number in numbers)
    return (
        _template(name)
        .substitute(
            numbers,
            COMPILER=COMPILER,
            KEY=f"0x{key.document.fingerprint}",
            START=_number(to_bytes(start(key.document.shape))),
            ROUND_KEYS=_literal(rounds),
        )
        .encode()
    )


def _constants(points: Key, of: str = "") -> str:
    """Return the constants that keys with one commitment and with two have; their names begin with `of`."""
    numbers = _numbers("ALPHA", ("X", "Y"), uncompressed(points.alpha))
    for place, point in enumerate(points.inputs[:3]):
        numbers |= _numbers(f"K{place}", ("X", "Y"), uncompressed(point))
    for name, pair in {
        "MINUS_BETA": points.beta,
        "MINUS_GAMMA": points.gamma,
        "MINUS_DELTA": points.delta,
        "SIGMA": points.negative_sigmas[0],
        "MINUS_G": points.generator,
    }.items():
        numbers |= _numbers(name, ("XI", "X", "YI", "Y"), uncompressed_g2(neg(pair)))
    same = str(points.gamma == points.generator).lower()
    return _template("numbers").substitute(numbers, OF=of, GAMMA_IS_G=same).rstrip("\n")


def _proofs(of: str, check: str) -> str:
    """Return the function with this name that checks the proofs of a key with one commitment, and all that it calls.

    The names of the key's constants begin with `of`.
    """
    return _template("proofs").substitute(OF=of, CHECK=check).rstrip("\n")


def _template(name: str) -> Template:
    """Read the template of a contract, or of a part of contracts."""
    return Template(Path(__file__).with_name(f"{name}.sol.in").read_text(encoding="utf-8"))


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
