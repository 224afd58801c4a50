"""An owner of a kept model with real keys: makes links and certificates of any wires, lies included."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from equiproof.circuits.field import ORDER, to_bytes
from equiproof.circuits.kept import key_element
from equiproof.circuits.layout import encode, layout, word_segments
from equiproof.circuits.link_shape import LinkShape, link_shape
from equiproof.circuits.shape import Shape, kept_shape
from equiproof.ffi import backend
from equiproof.verifier.curve import read_g1
from equiproof.verifier.pairing import challenges
from tests.soundness.cheating_owner import Wires, implied
from tests.soundness.kept_case import linked_digest

FINGERPRINT = "0123456789abcdef" * 4


@dataclass(frozen=True)
class KeptKeys:
    """Keys of the certificates and of the links of a kept model, loaded to prove."""

    shape: Shape
    certificates: backend.Keys
    links: backend.Keys
    certifier: backend.ProvingKey
    linker: backend.ProvingKey

    @property
    def link_shape(self) -> LinkShape:
        """The shape of the links."""
        return link_shape(self.shape)

    def point(self, wires: Wires, mask: int) -> bytes:
        """Return the point of the words that a certificate's wires hold."""
        words = [word for segment in word_segments(self.shape) for word in wires[segment.name]]
        every = [*words, wires["model_commitment"][0]]
        return self.certifier.point(b"".join(to_bytes(word % ORDER) for word in every), to_bytes(mask))

    def certify(self, wires: Wires, mask: int, r: int) -> tuple[int, bytes]:
        """Return the statement digest of a certificate's wires at a challenge, and a proof."""
        digest = implied(self.shape, wires, r).digest(self.shape)
        witness = encode(self.shape, digest, [wires[name] for name, _ in layout(self.shape)])
        return digest, self.certifier.prove_kept(witness, to_bytes(mask))

    def link(self, wires: Wires) -> bytes:
        """Return the proof of a link."""
        shape = self.link_shape
        witness = encode(shape, linked_digest(shape, wires), [wires[name] for name, _ in layout(shape)])
        return self.linker.prove(witness)

    def parts(self, commitment: int, spec_digest: int, fingerprint: str = FINGERPRINT) -> bytes:
        """Return the parts of a link's public input as a verifier gives them."""
        values = (self.link_shape.digest, commitment, spec_digest, key_element(fingerprint))
        return b"".join(map(to_bytes, values))


def challenge_of(point: bytes) -> int:
    """Return the challenge of a kept model's words, which follows from their point."""
    (r,) = challenges((read_g1(point, "point"),))
    return r


@contextmanager
def kept_keys_of(shape: Shape) -> Iterator[KeptKeys]:
    """Make the keys of the kept form of a shape, and of its links."""
    kept = kept_shape(shape)
    certificates, links = backend.setup(kept.document), backend.setup(link_shape(kept).document)
    with (
        backend.ProvingKey(kept.document, certificates.proving) as certifier,
        backend.ProvingKey(link_shape(kept).document, links.proving) as linker,
    ):
        yield KeptKeys(kept, certificates, links, certifier, linker)
