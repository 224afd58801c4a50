"""What verifications of gain certificates are written with: base cases, edits of documents, and forged statements."""

from __future__ import annotations

import base64
import hashlib
import json
from typing import Any

import msgspec

from equiproof.circuits.canonical import canonical_bytes
from equiproof.circuits.commitment import pair_digest
from equiproof.circuits.field import to_hex
from equiproof.circuits.poseidon2 import hash_elements
from equiproof.circuits.shape import Shape
from equiproof.circuits.spec import Spec
from equiproof.circuits.statement import GainStatement, start
from equiproof.verifier import parse_commitment
from equiproof.verifier.documents import parse_key
from equiproof.verifier.gain import GainFields, GainReading
from tests.vectors.generate.cases import KINDS, KNOWN
from tests.vectors.vector import COMMITMENT, GAIN, GOLDEN, KEY, VERIFYING

HIGHER, LOWER = "gain", "gain-lower"
GAIN_LEVELS = ("0.125", "0.5")
MALE, FEMALE = {"sex": "m"}, {"sex": "f"}


class Policy(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """What the relying party demands: by the files of the case, or by value; `gain_of` is a label and two rows."""

    query: bool = False
    context: bool = False
    min_radius: str | None = None
    min_gain: str | None = None
    gain_of: tuple[str, dict[str, str], dict[str, str]] | None = None


class GainVector(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True, kw_only=True):
    """One verification; `sentence` is that of an accepted one.

    Files in `text` (UTF-8) and `hex` replace those of the folder `base` in tests/golden.
    """

    name: str
    what: str
    why: str
    verdict: str
    base: str
    exception: str | None = None
    reason: str | None = None
    sentence: str | None = None
    policy: Policy = Policy()
    text: dict[str, str] = {}
    hex: dict[str, str] = {}

    @classmethod
    def of(cls, written: dict[str, Any]) -> GainVector:
        """Read a case; anything but the fields above is an error."""
        return msgspec.convert(written, cls)

    def file(self, name: str) -> bytes:
        """Return a file of the case."""
        if name in self.text:
            return self.text[name].encode()
        return bytes.fromhex(self.hex[name]) if name in self.hex else (GOLDEN / self.base / name).read_bytes()


def case(verdict: str, name: str, what: str, why: str, reason: str | None = None, **more: Any) -> GainVector:
    """Return a case; `files` are documents, texts or bytes by name."""
    whole = more.get("files", {}).get(GAIN, document(GAIN, more.get("base", HIGHER)))
    trusted = more.get("files", {}).get(COMMITMENT, document(COMMITMENT, more.get("base", HIGHER)))
    files = {
        file: canonical_bytes(data).decode() if isinstance(data, dict) else data
        for file, data in more.pop("files", {}).items()
    }
    exception = more.pop("exception", KINDS[verdict][1])
    return GainVector(
        **{"base": HIGHER} | more,
        name=name, what=what, why=why, verdict=verdict, exception=exception, reason=reason,
        sentence=sentence_of(whole, trusted) if verdict == "accept" else None,
        text={file: data for file, data in files.items() if isinstance(data, str)},
        hex={file: data.hex() for file, data in files.items() if isinstance(data, bytes)},
    )  # fmt: skip


def sentence_of(whole: dict[str, Any], trusted: dict[str, Any]) -> str:
    """Return what is said of a gain certificate that is accepted, under a commitment file."""
    fields = msgspec.convert(whole["statement"], GainFields)
    return GainReading.of(parse_commitment(canonical_bytes(trusted), COMMITMENT).spec, fields).sentence(fields.gain)


def document(name: str, base: str = HIGHER) -> Any:
    """Return a file of a base as a document that may be changed."""
    return json.loads((GOLDEN / base / name).read_bytes())


def spec_of(base: str = HIGHER) -> Spec:
    """Return the spec of a base."""
    return parse_commitment((GOLDEN / base / COMMITMENT).read_bytes(), COMMITMENT).spec


def shape_of(base: str = HIGHER) -> Shape:
    """Return the shape of a base's key."""
    return parse_key((GOLDEN / base / KEY).read_bytes(), KEY).shape


def edited(path: str, value: Any, base: str = HIGHER, file: str = GAIN) -> Any:
    """Return a file with one field, at a dotted path, replaced or added."""
    whole = document(file, base)
    *way, last = path.split(".")
    place = whole
    for step in way:
        place = place[step]
    place[last] = value
    return whole


def without(path: str) -> Any:
    """Return the certificate without one field."""
    whole = document(GAIN)
    *way, last = path.split(".")
    place = whole
    for step in way:
        place = place[step]
    del place[last]
    return whole


def restated(base: str = HIGHER, **fields: Any) -> Any:
    """Return the certificate with other statement fields, and the words and the digest of rows that go with them."""
    whole, spec = document(GAIN, base), spec_of(base)
    stated = whole["statement"] | fields
    if {"first", "second"} & set(fields):
        stated["domain_digest"] = to_hex(pair_digest(spec, stated["first"], stated["second"]))
    reading = GainReading.of(spec, msgspec.convert(stated, GainFields))
    return whole | {"statement": stated, "reading": json.loads(canonical_bytes(reading))}


def forged(base: str = HIGHER, shape: Shape | None = None, **fields: Any) -> dict[str, Any]:
    """Return certificate and key of the known set-up, whose proof holds for other statement fields."""
    whole, metadata = restated(base, **fields), document(KEY, base)
    shape = shape_of(base) if shape is None else shape
    metadata |= {
        "shape": json.loads(shape.document),
        "verifying_key": hashlib.sha256(KNOWN.key()).hexdigest(),
    }
    whole["key"]["fingerprint"] = parse_key(canonical_bytes(metadata), KEY).fingerprint
    whole["proof"] = base64.b64encode(KNOWN.forge(digest(whole["statement"], shape)).data()).decode()
    return {GAIN: whole, KEY: metadata, VERIFYING: KNOWN.key()}


def levelled(radius_squared: int, least_gain: int, of_gains: tuple[str, ...] = GAIN_LEVELS) -> dict[str, Any]:
    """Return the files of a certificate of these numbers under a spec with levels, proven with the known set-up."""
    spec = levelled_spec(of_gains)
    commitment = document(COMMITMENT) | {"spec": json.loads(canonical_bytes(spec))}
    numbers = {"radius_squared": radius_squared, "least_gain": str(least_gain), "spec_digest": to_hex(spec.digest)}
    files = forged(**numbers)
    fields = msgspec.convert(files[GAIN]["statement"], GainFields)
    files[GAIN]["reading"] = json.loads(canonical_bytes(GainReading.of(spec, fields)))
    return files | {COMMITMENT: commitment}


def levelled_spec(of_gains: tuple[str, ...] = GAIN_LEVELS) -> Spec:
    """Return the base's spec with levels; without any of gains, that list is left out."""
    return msgspec.structs.replace(spec_of(), levels=("0.25",), gain_levels=of_gains or msgspec.UNSET)


def digest(stated: dict[str, Any], shape: Shape) -> int:
    """Return the digest of a statement, of a gain outside its width, too: that of its residue."""
    fields = msgspec.convert(stated, GainFields)
    parts = {name: getattr(fields, name) for name in ("label", "radius_squared", "logit_fraction_bits")}
    statement = GainStatement(**fields.elements(), **parts, least_gain=fields.gain)
    return hash_elements(statement.elements(), start(shape))
