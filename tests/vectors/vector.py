"""One test vector: a base case, what differs from it, and what every check must say.

README.md in this folder describes the files for programs in other languages.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Literal, cast

import msgspec

from equiproof.circuits.proof_systems import ProofSystem
from equiproof.circuits.subcircuit import SubCircuit

FOLDER = Path(__file__).resolve().parent
BUNDLES = FOLDER / "bundles"
GOLDEN = FOLDER.parent / "golden"
VERDICTS = ("accept", "reject", "malformed")

Expected = Literal["accept", "reject", "malformed"]


class Header(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """What a vector is, why its verdict is the right one, and the exception that it raises unless it is accepted."""

    what: str
    why: str
    verdict: Expected
    exception: str | None = None


class ProofVector(Header, frozen=True, forbid_unknown_fields=True, kw_only=True, tag="proof", tag_field="kind"):
    """Bytes of a verifying key, a statement digest and a proof, in hexadecimal; where absent, the base's."""

    base: str
    reason: str | None = None
    key: str | None = None
    digest: str | None = None
    proof: str | None = None

    @property
    def proof_system(self) -> ProofSystem:
        """The proof system of key and proof: the base's."""
        return cast("ProofSystem", proof_base(self.base)["proof_system"])

    def parts(self) -> tuple[bytes, bytes, bytes]:
        """Return key, digest and proof."""
        base = proof_base(self.base)
        return tuple(  # type: ignore[return-value]  # three parts, three names
            bytes.fromhex(base[name] if (own := getattr(self, name)) is None else own)
            for name in ("key", "digest", "proof")
        )


class Policy(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """What the relying party demands: by the files of the case, or by value."""

    query: bool = False
    context: bool = False
    min_radius: str | None = None
    setup: str | None = None
    transcript: str | None = None
    link_transcript: str | None = None
    signed_by: tuple[tuple[str, ...], int] | None = None
    model: str | None = None
    key: str | None = None
    link_key: str | None = None


class CertificateVector(
    Header, frozen=True, forbid_unknown_fields=True, kw_only=True, tag="certificate", tag_field="kind"
):
    """Files of a verification; those in `text` (UTF-8) and `hex` replace the base's, `null` drops one.

    `field` is the field that is at fault, where one is: an error names it.
    """

    base: str
    reason: str | None = None
    field: str | None = None
    policy: Policy = Policy()
    text: dict[str, str | None] = {}
    hex: dict[str, str] = {}

    def files(self) -> dict[str, bytes]:
        """Return every file by its name inside the case."""
        files = dict(certificate_base(self.base))
        for name, text in self.text.items():
            if text is None:
                del files[name]
            else:
                files[name] = text.encode()
        return files | {name: bytes.fromhex(data) for name, data in self.hex.items()}

    def write(self, folder: Path) -> None:
        """Write the files of the case into a folder."""
        for name, data in self.files().items():
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)


class CircuitVector(Header, frozen=True, forbid_unknown_fields=True, kw_only=True, tag="circuit", tag_field="kind"):
    """Private wires of a sub-circuit as decimal integers, under the digest that goes with them; those given replace the
    base's, whole runs at a time. `rule` is the one that a refused witness breaks."""

    base: str
    digest: str
    wires: dict[str, list[str]] = {}
    rule: str | None = None

    @property
    def circuit(self) -> SubCircuit:
        """The sub-circuit."""
        return circuit_base(self.base).circuit

    def values(self) -> dict[str, list[int]]:
        """Return every wire by name."""
        texts = circuit_base(self.base).wires | self.wires
        return {name: [int(text) for text in values] for name, values in texts.items()}


class TranscriptVector(
    Header, frozen=True, forbid_unknown_fields=True, kw_only=True, tag="transcript", tag_field="kind"
):
    """Files of a ceremony's folder in hexadecimal; those given replace the base's, `null` drops one.

    `file` is the one that is at fault, where one is: an error names it.
    """

    base: str
    reason: str | None = None
    file: str | None = None
    hex: dict[str, str | None] = {}

    def write(self, folder: Path) -> None:
        """Write the files of the case into a folder."""
        for name, data in (transcript_base(self.base) | self.hex).items():
            if data is not None:
                (folder / name).write_bytes(bytes.fromhex(data))


class Given(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """What the relying party has from elsewhere: names of folders in tests/golden."""

    commitment: str | None = None
    keys: str | None = None


class Pinned(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Whether commitment and key are pinned, where a bundle is accepted."""

    commitment: bool
    key: bool


class BundleVector(Header, frozen=True, forbid_unknown_fields=True, kw_only=True, tag="bundle", tag_field="kind"):
    """A bundle: the base's bytes, with the bytes of each of `splices` (a place in the base, how many bytes there, and
    what takes their place, in hexadecimal) replaced.

    `field` stands in the message of an error: the file that is at fault, or what is wrong there.
    """

    base: str
    reason: str | None = None
    field: str | None = None
    policy: Policy = Policy()
    given: Given = Given()
    pinned: Pinned | None = None
    splices: tuple[tuple[int, int, str], ...] = ()

    def data(self) -> bytes:
        """Return the bytes of the bundle."""
        base, parts, at = bundle_base(self.base), [], 0
        for place, length, digits in self.splices:
            parts += [base[at:place], bytes.fromhex(digits)]
            at = place + length
        return b"".join([*parts, base[at:]])


class CircuitBase(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A sub-circuit with honest wires."""

    circuit: SubCircuit
    wires: dict[str, list[str]]


Vector = ProofVector | CertificateVector | CircuitVector | TranscriptVector | BundleVector

GAIN = "gain.json"
CERTIFICATE, COMMITMENT, QUERY, CONTEXT = "certificate.json", "commitment.json", "query.json", "context.json"
KEY, VERIFYING = "keys/key/key.json", "keys/key/verifying.key"


@cache
def proof_base(name: str) -> dict[str, str]:
    """Return key, digest and proof of a base case, in hexadecimal."""
    return msgspec.json.decode((FOLDER / "base" / f"{name}.json").read_bytes(), type=dict[str, str])


@cache
def circuit_base(name: str) -> CircuitBase:
    """Return a sub-circuit with honest wires."""
    return msgspec.json.decode((FOLDER / "base" / f"{name}.json").read_bytes(), type=CircuitBase)


@cache
def transcript_base(name: str) -> dict[str, str]:
    """Return the files of a ceremony, in hexadecimal."""
    return msgspec.json.decode((FOLDER / "base" / f"{name}.json").read_bytes(), type=dict[str, str])


@cache
def bundle_base(name: str) -> bytes:
    """Return the bytes of a bundle."""
    return (BUNDLES / "base" / f"{name}.equiproof").read_bytes()


@cache
def certificate_base(name: str) -> dict[str, bytes]:
    """Return the files of a published certificate."""
    names = (CERTIFICATE, COMMITMENT, QUERY, CONTEXT, KEY, VERIFYING)
    return {file: (GOLDEN / name / file).read_bytes() for file in names}


def read(path: Path) -> Vector:
    """Read a vector; anything but the fields above is an error."""
    vector = msgspec.json.decode(path.read_bytes(), type=Vector)
    assert vector.verdict == path.parent.name, path
    return vector


def place(vector: CertificateVector | BundleVector) -> str:
    """Return the field or file at fault, without what is wrong there: that is said in a language."""
    return (vector.field or "").partition(": ")[0]


def written(vector: Vector) -> bytes:
    """Return the bytes of a vector's file."""
    fields = {name: value for name, value in msgspec.to_builtins(vector).items() if value not in (None, {})}
    return msgspec.json.format(msgspec.json.encode(fields), indent=1) + b"\n"


def paths() -> list[Path]:
    """List the file of every vector but those of bundles."""
    return _below(FOLDER)


def bundle_paths() -> list[Path]:
    """List the file of every vector of a bundle."""
    return _below(BUNDLES)


def _below(folder: Path) -> list[Path]:
    return sorted(path for verdict in VERDICTS for path in (folder / verdict).glob("*.json"))
