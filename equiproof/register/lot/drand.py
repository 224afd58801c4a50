"""A round of drand's quicknet: a public random value, which nobody knows before its time.

A round is known by its signature (:mod:`.quicknet` checks it), and its random value is SHA-256 over the signature's 48
bytes.
"""

from __future__ import annotations

import hashlib
from datetime import UTC, datetime

from equiproof.circuits.tables import say
from equiproof.register.lot.errors import BeaconError

CHAIN = "52db9ba70e0cc0f6eaf7803dd07447a1f5477735fd3f661792ba94600c84e971"
"""The chain's hash, by which drand's own interface names quicknet."""

GENESIS = 1_692_803_367
PERIOD = 3
"""The POSIX time of round 1, and the seconds between rounds."""

MOST_ROUNDS = 1 << 36
"""Later rounds come out after the year 8000; times of files end with the year 9999."""

SIGNATURE_BYTES = 48


def time_of(round_number: int) -> datetime:
    """Return when a round comes out; raises BeaconError for a number that no round has."""
    if not 1 <= round_number < MOST_ROUNDS:
        raise BeaconError(say("beacon.round_out_of_bounds", round=round_number, most=MOST_ROUNDS - 1))
    return datetime.fromtimestamp(GENESIS + (round_number - 1) * PERIOD, UTC)


def randomness(round_number: int, signature: bytes) -> bytes:
    """Return the random value of a round, 32 bytes; raises BeaconError unless quicknet signed the round."""
    time_of(round_number)
    if len(signature) != SIGNATURE_BYTES:
        raise BeaconError(say("beacon.signature_length_wrong", actual=len(signature), required=SIGNATURE_BYTES))
    # Its curve takes a tenth of the memory of a whole check, and most lots are drawn by numbers.
    from equiproof.register.lot import quicknet

    quicknet.check(round_number, signature)
    return hashlib.sha256(signature).digest()
