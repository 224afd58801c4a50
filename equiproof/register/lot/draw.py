"""The draw: from a seed to the places of the drawn receipts, in any language to the byte as docs/lot.md has it.

The seed is a digest over the period and a random value that nobody knew when the period was closed. From it comes a
stream of 64-bit numbers; a number is thrown away where its remainder would favour small places, and the drawn ones are
taken out as from a shuffled deck (R. Durstenfeld, Algorithm 235, Communications of the ACM 7 (1964), stopped early).
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from itertools import count

from equiproof.circuits.tables import say
from equiproof.register.lot.errors import LotError

SEALED = b"equiproof.lot.sealed.v1\x00"
BY_NONCES = b"equiproof.lot.seed.nonces.v1\x00"
BY_BEACON = b"equiproof.lot.seed.beacon.v1\x00"
STREAM = b"equiproof.lot.draw.v1\x00"

_WORD = 8
_WORDS = 1 << 8 * _WORD


def sealed(period: bytes, party: bytes, nonce: bytes) -> bytes:
    """Return what a party puts down before anybody opens: a digest over the period, its public key and its nonce.

    All three have 32 bytes. With the key in it, a copy of somebody else's is no seal of one's own.
    """
    return hashlib.sha256(SEALED + _whole(period) + _whole(party) + _whole(nonce)).digest()


def seed_of_nonces(period: bytes, nonces: Sequence[bytes]) -> bytes:
    """Return the seed of a period's digest and the nonces in the order of its parties, 32 bytes each."""
    return hashlib.sha256(BY_NONCES + _whole(period) + b"".join(map(_whole, nonces))).digest()


def seed_of_beacon(period: bytes, randomness: bytes) -> bytes:
    """Return the seed of a period's digest and the random value of a beacon's round, 32 bytes each."""
    return hashlib.sha256(BY_BEACON + _whole(period) + _whole(randomness)).digest()


def drawn_places(seed: bytes, receipts: int, drawn: int) -> tuple[int, ...]:
    """Return the places of the drawn receipts, 0 being the period's first, in the order of the draw.

    Every ordered choice of `drawn` places has the same chance. Raises LotError where there are fewer.
    """
    if not 1 <= drawn <= receipts < _WORDS:
        raise LotError(say("draw.more_than_receipts", drawn=drawn, receipts=receipts))
    words = _words(_whole(seed))
    # Only cards that were moved are stored, so that a deck of any size takes no more room than the draw.
    moved = dict[int, int]()
    places = []
    for done in range(drawn):
        place = done + _below(receipts - done, words)
        places.append(moved.get(place, place))
        moved[place] = moved.get(done, done)
    return tuple(places)


def _below(limit: int, words: Iterator[int]) -> int:
    """Return the next number of the stream below a limit, each with the same chance."""
    fair = _WORDS - _WORDS % limit
    return next(word for word in words if word < fair) % limit


def _words(seed: bytes) -> Iterator[int]:
    """Yield the stream of a seed: the first 8 bytes of SHA-256 over the tag, the seed and a counter of 8 bytes."""
    for number in count():
        block = hashlib.sha256(STREAM + seed + number.to_bytes(_WORD, "big")).digest()
        yield int.from_bytes(block[:_WORD], "big")


def _whole(value: bytes) -> bytes:
    """Return a value of 32 bytes; raises ValueError for any other, since parts without lengths would run together."""
    if len(value) != 32:
        raise ValueError(f"{len(value)} bytes, want 32")
    return value
