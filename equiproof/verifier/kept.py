"""Certificates of kept models in plain Python: a key whose proofs have two commitments, and the link that they need.

The first commitment of a proof is of the model, and one point in all certificates under a key. Alone it says nothing of
the model commitment: a link, which is proven once under a key of links, shows that both are of one model. So a key of a
kept model checks no proof but beside a link.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from equiproof.circuits.field import to_bytes
from equiproof.circuits.tables import say
from equiproof.ffi.errors import MalformedInputError, RefusedError
from equiproof.verifier.curve import read_g1
from equiproof.verifier.errors import Reason
from equiproof.verifier.pairing import Key, challenges, check, read_key, read_proof
from equiproof.verifier.parts import COUNT_BYTES, read_element
from equiproof.verifier.plain import PlainKey

_COMMITMENTS = 2
_POINT_BYTES = 32
# Behind A, B, C and the count of the commitments.
_FIRST_AT = 4 * _POINT_BYTES + COUNT_BYTES


@dataclass(frozen=True)
class Link:
    """What the owner of a kept model publishes once for a key.

    `point` is the commitment to the model in all certificates, compressed; `shown` what they show of the model, a field
    element in 32 bytes; `proof` shows under the key of links that both are of the model commitment.
    """

    point: bytes
    shown: bytes
    proof: bytes


class KeptKey:
    """A verifying key for circuits of kept models; degenerate keys are refused with MalformedInputError."""

    def __init__(self, key: bytes) -> None:
        self._key = read_key(bytes(memoryview(key)), _COMMITMENTS)

    def open(self, links: PlainKey, link: Link, statement: Callable[[int, int], int]) -> LinkedKey:
        """Check a link under the key of links, and return what checks certificates beside it.

        `statement` returns the statement digest of the link from r, where the polynomial of the model was evaluated,
        and from what the link shows of it; r follows from the point alone. The caller puts what is shown into the
        digest of each certificate. Raises RefusedError unless the link holds, MalformedInputError for malformed bytes.
        """
        if len(link.point) != _POINT_BYTES:
            message = f"link: point: {len(link.point)} bytes, want {_POINT_BYTES}"
            raise MalformedInputError(message, Reason.WRONG_LENGTH)
        (r,) = challenges((read_g1(link.point, "link: point"),))
        shown = read_element(link.shown, "link: what it shows")
        links.verify(to_bytes(statement(r, shown)), link.proof)
        return LinkedKey(self._key, bytes(link.point))


class LinkedKey(PlainKey):
    """A verifying key beside a link that holds. Only :meth:`KeptKey.open` makes one."""

    def __init__(self, key: Key, point: bytes) -> None:
        self._key = key
        self._point = point

    def verify(self, digest: bytes, proof: bytes) -> None:
        """Check that the proof holds for the statement digest, and is of the link's model.

        Raises RefusedError unless it is, MalformedInputError for malformed bytes.
        """
        data = bytes(memoryview(proof))
        points = read_proof(data, _COMMITMENTS)
        statement = read_element(bytes(memoryview(digest)), "statement digest")
        if data[_FIRST_AT : _FIRST_AT + _POINT_BYTES] != self._point:
            raise RefusedError(say("proof.first_commitment_differs"), Reason.FIRST_COMMITMENT_DIFFERS)
        check(self._key, points, statement)
