"""A log under a pinned key: its signed checkpoint, and proofs that are checked before they are handed out."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from equiproof.register.errors import LogError
from equiproof.register.source import source_of
from equiproof.register.tiles import WIDTH, Tiles
from equiproof.verifier.checkpoint import Checkpoint, CheckpointError, SignedCheckpoint, UnsignedError, open_checkpoint
from equiproof.verifier.merkle import MerkleError, check_consistency, check_inclusion, leaf_hash
from equiproof.verifier.notes import MAX_NOTE_BYTES, NoteError, VerifierKey
from equiproof.verifier.tlog_proof import TlogProof


class Log:
    """A log in a folder or at a URL, and the key that its checkpoints must be signed with."""

    def __init__(self, place: str, key: VerifierKey) -> None:
        self.key = key
        self.source = source_of(place)
        self._last: tuple[Checkpoint, Tiles] | None = None

    def newest(self) -> tuple[bytes, SignedCheckpoint]:
        """Return the checkpoint that the log shows now, as bytes and read.

        Raises LogError for a log that is away, and for a checkpoint that the pinned key did not sign.
        """
        data = self.source.read("checkpoint", MAX_NOTE_BYTES)
        return data, self.opened(data, self.source.name)

    def opened(self, data: bytes, where: str) -> SignedCheckpoint:
        """Return a checkpoint of this log, read and with its signature checked; raises LogError naming `where`."""
        try:
            return open_checkpoint(data, self.key)
        except (NoteError, CheckpointError, UnsignedError) as error:
            raise LogError(f"{where}: {error}") from None

    def tiles(self, checkpoint: Checkpoint) -> Tiles:
        """Return the tree of a checkpoint; that of the last one asked for keeps what it has read."""
        if self._last is None or self._last[0] != checkpoint:
            self._last = checkpoint, Tiles(self.source, checkpoint.size)
        return self._last[1]

    def start_of(self, checkpoint: Checkpoint, tiles: Tiles, size: int) -> tuple[bytes, tuple[bytes, ...]]:
        """Return the root of the first `size` entries of a checkpoint's tree, and the path that shows it.

        So a checkpoint of that size with another root contradicts this one: the log has signed two histories. Raises
        LogError where the tiles do not hash to the checkpoint's root, which contradicts nobody.
        """
        root = tiles.root(0, size)
        path = tiles.consistency(size)
        try:
            check_consistency((size, root), (checkpoint.size, checkpoint.root), path)
        except MerkleError:
            raise self._damaged(checkpoint) from None
        return root, path

    def proof(self, data: bytes, checkpoint: Checkpoint, index: int, entry: bytes) -> TlogProof:
        """Return the proof that an entry stands at an index of a checkpoint's tree; `data` is the signed checkpoint.

        Raises LogError where it stands there not, or the tiles do not hash to the checkpoint's root.
        """
        if not 0 <= index < checkpoint.size:
            raise LogError(f"{self.source.name}: no entry {index}: the log has {checkpoint.size}")
        tiles = self.tiles(checkpoint)
        if tiles.node(0, index) != leaf_hash(entry):
            raise LogError(f"{self.source.name}: entry {index} is another one")
        return self._proven(data, checkpoint, tiles, index, entry)

    def proofs(self, data: bytes, checkpoint: Checkpoint, entries: Iterable[bytes]) -> Iterator[TlogProof]:
        """Yield the proofs of those entries that stand in a checkpoint's tree, from the newest to the oldest.

        No file of the log is read twice, and none behind the oldest of the entries. Raises LogError where the tiles do
        not hash to the checkpoint's root.
        """
        tiles = self.tiles(checkpoint)
        entry_of = {leaf_hash(entry): entry for entry in entries}
        for number in _backwards(checkpoint.size):
            if not entry_of:
                return
            for at, leaf in enumerate(tiles.leaves(number)):
                if (entry := entry_of.pop(leaf, None)) is not None:
                    yield self._proven(data, checkpoint, tiles, number * WIDTH + at, entry)

    def check(self, proof: TlogProof, checkpoint: Checkpoint, where: str) -> None:
        """Raise LogError naming `where` unless a proof leads to the root of its checkpoint, which was opened."""
        try:
            check_inclusion(leaf_hash(proof.extra), proof.index, checkpoint.size, proof.path, checkpoint.root)
        except MerkleError as error:
            raise LogError(f"{where}: {error}") from None

    def _proven(self, data: bytes, checkpoint: Checkpoint, tiles: Tiles, index: int, entry: bytes) -> TlogProof:
        """Return the proof of an entry at its index, checked; raises as :meth:`proof`."""
        proof = TlogProof(index, tiles.inclusion(index), data, entry)
        try:
            self.check(proof, checkpoint, self.source.name)
        except LogError:
            raise self._damaged(checkpoint) from None
        return proof

    def find(self, checkpoint: Checkpoint, entry: bytes) -> int:
        """Return the index of an entry, the newest ones being looked at first; raises LogError where there is none."""
        tiles = self.tiles(checkpoint)
        leaf = leaf_hash(entry)
        for number in _backwards(checkpoint.size):
            leaves = tiles.leaves(number)
            if leaf in leaves:
                return number * WIDTH + leaves.index(leaf)
        raise LogError(
            f"{self.source.name}: append the entry, or wait for the next checkpoint: it is not among the "
            f"{checkpoint.size} of this one"
        )

    def search(self, checkpoint: Checkpoint, matches: Callable[[bytes], bool]) -> tuple[int, bytes] | None:
        """Return index and bytes of the newest entry that is wanted; None for none."""
        tiles = self.tiles(checkpoint)
        for number in _backwards(checkpoint.size):
            bundle = tiles.bundle(number)
            for at in reversed(range(len(bundle))):
                if matches(bundle[at]):
                    return number * WIDTH + at, bundle[at]
        return None

    def _damaged(self, checkpoint: Checkpoint) -> LogError:
        """Return the line about tiles that are not those of a checkpoint, and forget them."""
        self._last = None
        return LogError(
            f"{self.source.name}: the tiles do not hash to the root of the checkpoint of {checkpoint.size} entries: "
            "the log is damaged, or was changed while it was read"
        )


def _backwards(size: int) -> Iterator[int]:
    """Yield the numbers of the tiles of level 0, the last one first."""
    return iter(reversed(range(-(-size // WIDTH))))
