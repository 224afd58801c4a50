"""The draw: fair, without putting back, and bound to everything that was fixed before."""

from collections import Counter
from hashlib import sha256
from itertools import permutations

import pytest

from equiproof.register.lot import draw
from equiproof.register.lot.errors import LotError


def seed(number):
    """Return one of many seeds."""
    return sha256(f"seed {number}".encode()).digest()


def test_every_ordered_choice_has_the_same_chance():
    """Of 6,000 draws of three of five, each of the 60 orders comes about a hundred times."""
    found = Counter(draw.drawn_places(seed(number), 5, 3) for number in range(6_000))
    assert set(found) == set(permutations(range(5), 3))
    assert sum((count - 100) ** 2 / 100 for count in found.values()) < 103  # chi square, 59 degrees: 1 in 3,000


def test_nothing_is_drawn_twice():
    """All places of a whole draw are different, and in the range."""
    assert sorted(draw.drawn_places(seed(0), 500, 500)) == list(range(500))


def test_a_remainder_does_not_favor_small_places(monkeypatch):
    """Of 3 receipts, the last word of the stream that has an unfair remainder is thrown away."""
    words = iter([(1 << 64) - 1, 4, 0])
    monkeypatch.setattr(draw, "_words", lambda _: words)
    assert draw.drawn_places(seed(0), 3, 1) == (1,)


def test_one_stream_feeds_one_draw():
    """Another seed gives another draw, fewer receipts are the start of no other draw."""
    assert draw.drawn_places(seed(1), 1_000, 5) != draw.drawn_places(seed(2), 1_000, 5)
    assert draw.drawn_places(seed(1), 1_000, 5) == draw.drawn_places(seed(1), 1_000, 9)[:5]


def test_more_than_there_are():
    """Four of three cannot be drawn, nor none."""
    for drawn in (0, 4):
        with pytest.raises(LotError, match=f"draw 1 to 3 receipts, not {drawn}"):
            draw.drawn_places(seed(0), 3, drawn)


def test_the_seed_binds_everything():
    """Period, every nonce and their order change it; so does the way in which the random value came about."""
    period, nonces = seed(0), [seed(1), seed(2)]
    seeds = [
        draw.seed_of_nonces(period, nonces),
        draw.seed_of_nonces(seed(3), nonces),
        draw.seed_of_nonces(period, nonces[::-1]),
        draw.seed_of_nonces(period, [*nonces, seed(3)]),
        draw.seed_of_nonces(period, nonces[:1]),
        draw.seed_of_beacon(period, nonces[0]),
    ]
    assert len(set(seeds)) == len(seeds)


def test_a_seal_is_of_one_party_and_one_period():
    """The same nonce under another key or for another period is another seal, so that none can be copied."""
    assert len({draw.sealed(*(seed(part) for part in parts)) for parts in ((1, 2, 3), (4, 2, 3), (1, 4, 3))}) == 3


def test_parts_have_one_length():
    """31 bytes and then 33 would be the same as 32 and 32."""
    with pytest.raises(ValueError, match="want 32"):
        draw.seed_of_nonces(seed(0), [bytes(31), bytes(33)])
