"""Kept models: what words show, what links prove, statements beside them, and the owner's secrets.

For programs in other languages: `linking.json`. No key and no proof is in it; `kept.json` has those of a toy.
"""

from __future__ import annotations

import json
from dataclasses import asdict
from hashlib import sha256
from typing import Any

from equiproof.circuits.field import ORDER, to_hex
from equiproof.circuits.kept import key_element, link_statement, shown, value
from equiproof.circuits.link_shape import LinkShape, link_shape
from equiproof.circuits.shape import Shape, additive_shape, branch_shape, ensemble_shape, gain_shape, kept_shape
from equiproof.circuits.statement import GainStatement, Statement
from equiproof.prover.kept import link_blinding, mask
from equiproof.verifier.curve import G1, multiply, read_g1, uncompressed
from equiproof.verifier.pairing import challenges
from tests.support import KEPT, LOANS, RATES

FILE = "linking.json"

SHAPES: dict[str, Shape] = {
    "branch": kept_shape(branch_shape(LOANS, (3, 2), 8)),
    "branch-ranges": kept_shape(branch_shape(KEPT, (4,), 16)),
    "three logits": kept_shape(branch_shape(RATES, (3, 2), 8)),
    "gain": kept_shape(gain_shape(LOANS, (3, 2), 4)),
    "additive": kept_shape(additive_shape(LOANS, (2, 1), 2, 4)),
    "trees": kept_shape(ensemble_shape(LOANS, (6, 1), (5, 14), 6, 12, 8)),
}

WORDS: dict[str, list[int]] = {
    "three words": [3, -5, 7],
    "one word": [-1],
    "words of every size": [0, 1, -1, 1 << 15, -(1 << 15), (1 << 60) - 1, ORDER - 1],
    "many words": [pow(7, place, 1 << 16) - (1 << 15) for place in range(200)],
}


def element(what: str) -> int:
    """Return a field element that stands for anything."""
    return int.from_bytes(sha256(what.encode()).digest(), "big") % ORDER


def fingerprint(what: str) -> str:
    """Return a fingerprint that stands for any key."""
    return sha256(b"key of " + what.encode()).hexdigest()


def point(number: int) -> bytes:
    """Return a multiple of the generator, compressed: x, and which of both y in the two highest bits."""
    of = multiply(G1, number)
    x, y = (int.from_bytes(half, "big") for half in (uncompressed(of)[:32], uncompressed(of)[32:]))
    for flag in (0x80, 0xC0):
        data = bytes([flag | x >> 248]) + (x & (1 << 248) - 1).to_bytes(31, "big")
        if uncompressed(read_g1(data, "point"))[32:] == y.to_bytes(32, "big"):
            return data
    raise AssertionError(number)


def written() -> bytes:
    """Return the file."""
    document = {
        "words": [_words(name, words) for name, words in WORDS.items()],
        "links": [_link(name, shape, 3 + 10**place) for place, (name, shape) in enumerate(SHAPES.items())],
        "statements": [_statement(name, shape) for name, shape in SHAPES.items()],
        "secrets": [_secrets(name) for name in ("one", "two", "three")],
    }
    return (json.dumps(document, indent=1) + "\n").encode()


def _words(name: str, words: list[int]) -> dict[str, Any]:
    """Return what words show."""
    commitment, r, blinding = (element(f"{what} of {name}") for what in ("commitment", "r", "blinding"))
    at = value(words, commitment, r)
    return {
        "name": name,
        "words": [to_hex(word % ORDER) for word in words],
        "model_commitment": to_hex(commitment),
        "r": to_hex(r),
        "link_blinding": to_hex(blinding),
        "value": to_hex(at),
        "shown": to_hex(shown(blinding, at)),
    }


def _link(name: str, shape: Shape, number: int) -> dict[str, Any]:
    """Return what a link proves beside a point."""
    links: LinkShape = link_shape(shape)
    at = point(number)
    (r,) = challenges((read_g1(at, "point"),))
    commitment, spec, shows = (element(f"{what} of {name}") for what in ("commitment", "spec", "shown"))
    key = key_element(fingerprint(name))
    return {
        "name": name,
        "certificates": shape.document.decode(),
        "shape": links.document.decode(),
        "shape_digest": to_hex(links.digest),
        "model_commitment": to_hex(commitment),
        "spec_digest": to_hex(spec),
        "fingerprint": fingerprint(name),
        "key": to_hex(key),
        "point": at.hex(),
        "r": to_hex(r),
        "shown": to_hex(shows),
        "digest": to_hex(link_statement(links, commitment, spec, key, r, shows)),
    }


def _statement(name: str, shape: Shape) -> dict[str, Any]:
    """Return a statement beside a link."""
    names = ("model_commitment", "spec_digest", "domain_digest", "query_commitment")
    commitments = [element(f"{what} of {name}") for what in names]
    parts = (*commitments, 1, 3_600_000, element(f"context of {name}"))
    shows = element(f"shown of {name}")
    stated = GainStatement(*parts, -7, 9, shown=shows) if shape.gains else Statement(*parts, shown=shows)
    small = ("label", "radius_squared", "least_gain", "logit_fraction_bits")
    return {
        "name": name,
        "shape": shape.document.decode(),
        "shape_digest": to_hex(shape.digest),
        **{part: number if part in small else to_hex(number) for part, number in asdict(stated).items()},
        "digest": to_hex(stated.digest(shape)),
    }


def _secrets(name: str) -> dict[str, Any]:
    """Return the owner's secrets of a model under a key."""
    blinding, commitment, key = element(f"opening of {name}"), element(f"commitment of {name}"), fingerprint(name)
    return {
        "name": name,
        "blinding": to_hex(blinding),
        "model_commitment": to_hex(commitment),
        "fingerprint": key,
        "mask": to_hex(mask(blinding, commitment, key)),
        "link_blinding": to_hex(link_blinding(blinding, commitment, key)),
    }
