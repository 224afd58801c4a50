"""The link of a kept model: the file that its owner publishes once for a key, beside the commitment.

Certificates under a kept key leave it to a link that their model is the committed one. Strict parser and canonical
writer; trust nothing in a link before :mod:`.linked` compared it and its proof was checked.
"""

from __future__ import annotations

import base64
from pathlib import Path

from equiproof.circuits import field
from equiproof.circuits.canonical import canonical_bytes, read_limited
from equiproof.circuits.proof_systems import PROOF_BYTES, ProofSystem
from equiproof.circuits.tables import say
from equiproof.verifier.certificate import KeyReference, base64_bytes
from equiproof.verifier.documents import Document, element, parse_document
from equiproof.verifier.errors import CertificateFormatError, Reason

LINK = ("equiproof-link", 1)
LINK_FILE = "link.json"
MAX_LINK_BYTES = 1300
"""The most bytes of a link: all its texts have a fixed length, but for the kind of its key's set-up."""

_DIGITS = set("0123456789abcdef")


class LinkDocument(Document, frozen=True, forbid_unknown_fields=True):
    """A link as it is written.

    `key` is the fingerprint of the key for certificates, `point` the first commitment of every certificate under it, a
    compressed point in 64 hexadecimal digits, and `shown` what they show of the model, a field element. The proof, in
    base64, is under the key for links that `link_key` names.
    """

    model_commitment: str
    spec_digest: str
    key: str
    point: str
    shown: str
    link_key: KeyReference
    proof_system: ProofSystem
    proof: str

    @property
    def proof_bytes(self) -> bytes:
        """The proof, as long as every one of its proof system."""
        return base64_bytes(self.proof)

    @property
    def point_bytes(self) -> bytes:
        """The compressed point, 32 bytes."""
        return bytes.fromhex(self.point)

    @property
    def shown_element(self) -> int:
        """What certificates show of the model, a field element."""
        return field.from_hex(self.shown)

    def to_bytes(self) -> bytes:
        """Return the file's bytes, canonical JSON."""
        return canonical_bytes(self)


def parse_link(data: bytes, where: str) -> LinkDocument:
    """Read a link; raises CertificateFormatError naming `where` and the field."""
    link = parse_document(data, LinkDocument, LINK, where, only_canonical=True)
    if len(data) > MAX_LINK_BYTES:
        raise CertificateFormatError(
            say("link.too_long", where=where, actual=len(data), most=MAX_LINK_BYTES), Reason.TOO_LONG
        )
    for name in ("model_commitment", "spec_digest", "shown"):
        element(getattr(link, name), f"{where}: {say('link.field', name=name)}")
    for name, digits in (("key", link.key), ("point", link.point), ("link_key", link.link_key.fingerprint)):
        if len(digits) != 64 or set(digits) - _DIGITS:
            raise CertificateFormatError(
                f"{where}: {say('link.field', name=name)}: {say('format.want_digest')}", Reason.WRONG_FIELDS
            )
    try:
        length = len(link.proof_bytes)
    except CertificateFormatError as error:
        raise CertificateFormatError(f"{where}: {error}", error.reason) from None
    if length != (want := PROOF_BYTES[link.proof_system]):
        raise CertificateFormatError(
            say("certificate.proof_length_wrong", where=where, actual=length, required=want), Reason.WRONG_LENGTH
        )
    return link


def load_link(path: str | Path) -> LinkDocument:
    """Read a link from a file; raises OSError or CertificateFormatError."""
    return parse_link(read_limited(Path(path)), str(path))


def make_link(
    commitment: int,
    spec_digest: int,
    key: str,
    point: bytes,
    shown: int,
    link_key: KeyReference,
    proof_system: ProofSystem,
    proof: bytes,
) -> LinkDocument:
    """Return the link of a kept model under a key, from what was proven."""
    return LinkDocument(
        format=LINK[0],
        version=LINK[1],
        model_commitment=field.to_hex(commitment),
        spec_digest=field.to_hex(spec_digest),
        key=key,
        point=point.hex(),
        shown=field.to_hex(shown),
        link_key=link_key,
        proof_system=proof_system,
        proof=base64.b64encode(proof).decode(),
    )
