"""The owner's two secrets of a kept model under a key: the mask of its point, and what hides what is shown.

Both follow from the blinding of the commitment's opening, so that nothing more has to be kept and every machine makes
the same point. Two models, or two keys, never share a mask: the difference of two points under one mask would be a sum
of differences of words, which can be guessed.
"""

from __future__ import annotations

import hashlib
import hmac

from equiproof.circuits.field import ORDER, to_bytes

_REDUCED_BYTES = 48
"""How many bytes are reduced modulo the field's order: 384 bits, whose remainder is uniform up to 2^-130."""


def mask(blinding: int, commitment: int, fingerprint: str) -> int:
    """Return the mask of the point of a kept model, a field element.

    `blinding` is that of the opening, `fingerprint` the certificate key's in hexadecimal.
    """
    return _derived("equiproof.kept.mask", blinding, commitment, fingerprint)


def link_blinding(blinding: int, commitment: int, fingerprint: str) -> int:
    """Return what hides what certificates and the link show of a kept model, a field element; as :func:`mask`."""
    return _derived("equiproof.kept.blinding", blinding, commitment, fingerprint)


def _derived(label: str, blinding: int, commitment: int, fingerprint: str) -> int:
    """Return HMAC-SHA-256 under the blinding, over a label, the commitment and the key, as a field element."""
    about = to_bytes(commitment) + bytes.fromhex(fingerprint)
    blocks = [
        hmac.digest(to_bytes(blinding), label.encode() + b"\x00" + bytes([number]) + about, hashlib.sha256)
        for number in range(2)
    ]
    return int.from_bytes(b"".join(blocks)[:_REDUCED_BYTES], "big") % ORDER
