"""A log proof: that an entry stands in a log, in one file that is checked offline (https://c2sp.org/tlog-proof).

It holds the entry's bytes, its index, the path to the root of the tree, and the signed checkpoint with that root.
Nothing in it is anybody's word before the signatures of the checkpoint hold: :mod:`.logged` judges it.
"""

from __future__ import annotations

import base64
from dataclasses import dataclass
from typing import ClassVar

from equiproof.circuits.exit_codes import MISUSED
from equiproof.circuits.tables import say
from equiproof.verifier.checkpoint import parse_number
from equiproof.verifier.merkle import HASH_BYTES, MAX_PATH, MAX_PROOF_BYTES
from equiproof.verifier.notes import read_base64

_FIRST_LINE = "c2sp.org/tlog-proof@v1"
_EXTRA_PREFIX = "extra "
_INDEX_PREFIX = "index "


class TlogProofError(ValueError):
    """Bytes that are no log proof; one line that says why."""

    exit_code: ClassVar[int] = MISUSED


@dataclass(frozen=True)
class TlogProof:
    """The parts of a log proof, unjudged: `extra` is the entry, `path` leads from it upwards."""

    index: int
    path: tuple[bytes, ...]
    checkpoint: bytes
    extra: bytes = b""

    @property
    def data(self) -> bytes:
        """The one byte string of these parts."""
        extra = [_EXTRA_PREFIX + base64.b64encode(self.extra).decode()] if self.extra else []
        path = [base64.b64encode(one).decode() for one in self.path]
        head = "\n".join([_FIRST_LINE, *extra, f"{_INDEX_PREFIX}{self.index}", *path, "", ""])
        return head.encode() + self.checkpoint


def parse_tlog_proof(data: bytes) -> TlogProof:
    """Read a log proof; raises TlogProofError for any bytes but those that :attr:`TlogProof.data` makes of its parts.

    The checkpoint is not read.
    """
    if len(data) > MAX_PROOF_BYTES:
        raise TlogProofError(say("log_proof.too_long", bytes=MAX_PROOF_BYTES))
    head, blank, checkpoint = data.partition(b"\n\n")
    # A byte that is not ASCII becomes a character that neither base64 nor a number has, so it is refused below.
    first, *lines = head.decode("ascii", "replace").split("\n")
    if first != _FIRST_LINE or not blank or not checkpoint:
        raise TlogProofError(say("log_proof.malformed", first=_FIRST_LINE))
    extra = None
    if lines and lines[0].startswith(_EXTRA_PREFIX):
        extra = read_base64(lines.pop(0).removeprefix(_EXTRA_PREFIX))
    if extra == b"":
        raise TlogProofError(say("log_proof.extra_line_not_base64"))
    index = None
    if lines and lines[0].startswith(_INDEX_PREFIX):
        index = parse_number(lines.pop(0).removeprefix(_INDEX_PREFIX))
    if index is None:
        raise TlogProofError(say("log_proof.index_missing"))
    if len(lines) > MAX_PATH:
        raise TlogProofError(say("log_proof.too_many_hashes", count=MAX_PATH))
    path = tuple(map(read_base64, lines))
    if any(len(one) != HASH_BYTES for one in path):
        raise TlogProofError(say("log_proof.line_not_hash", bytes=HASH_BYTES))
    return TlogProof(index, path, checkpoint, extra or b"")
