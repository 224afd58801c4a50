"""Kept models in plain integers: what certificates show of their words, and what a link proves.

The words of a model are the coefficients of a polynomial. A certificate and the link both evaluate it at r, which is
the hash of the certificate's first commitment, and show the value behind a blinding (docs/relation-kept.md).
"""

from __future__ import annotations

from collections.abc import Iterable

from equiproof.circuits.canonical import digest
from equiproof.circuits.commitment import Layers, tag
from equiproof.circuits.field import ORDER
from equiproof.circuits.link_shape import LinkShape
from equiproof.circuits.poseidon2 import hash_elements

VERSION = 1
"""The version of what is shown and of what a link proves."""


def negative_parts(layers: Layers) -> dict[int, list[int]]:
    """Return max(0, -w) of the weights of the hidden layers from 2 up, row by row, by the layer's number."""
    return {
        number: [max(0, -weight) for row in weights for weight in row]
        for number, (weights, _) in enumerate(layers[:-1], start=1)
        if number > 1
    }


def value(words: Iterable[int], commitment: int, r: int) -> int:
    """Return C r^n + word_1 r^(n-1) + .. + word_n for a model commitment C (R-K-POLY, R-L-POLY)."""
    total = commitment
    for word in words:
        total = (total * r + word) % ORDER
    return total


def shown(blinding: int, value: int) -> int:
    """Return what is shown of a value behind a blinding that is uniform over the field (R-K-SHOWN, R-L-SHOWN)."""
    return hash_elements([tag("equiproof.link"), VERSION, blinding, value])


def key_element(fingerprint: str) -> int:
    """Return the element that a link's digest has for the certificate key, from the hexadecimal fingerprint."""
    return digest("equiproof.link.key", bytes.fromhex(fingerprint))


def link_statement(shape: LinkShape, commitment: int, spec_digest: int, key: int, r: int, shown: int) -> int:
    """Return the public input of a link: the model commitment's polynomial at r is behind `shown`, for this spec.

    `key` is :func:`key_element` of the certificate key, r follows from the point of the kept model under that key.
    """
    return hash_elements([commitment, spec_digest, key, r, shown], link_start(shape))


def link_start(shape: LinkShape) -> int:
    """Return the hash of what the public input of every link of a shape begins with."""
    return hash_elements([tag("equiproof.link.statement"), VERSION, shape.digest])
