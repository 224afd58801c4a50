"""The tree of a log's entries and its two proofs, as RFC 9162 has them in sections 2.1.1 to 2.1.4 (SHA-256).

A proof of inclusion shows that an entry stands at an index of a tree; one of consistency, that a tree begins with all
entries of an older one, in their order. Both are checked against roots that a signed checkpoint fixes.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import ClassVar

from equiproof.circuits.exit_codes import REFUSED
from equiproof.circuits.tables import say

HASH_BYTES = 32

MAX_PROOF_BYTES = 1 << 16
"""The longest file of a log proof."""

MAX_SIZE = 2**63 - 1
"""The most entries of a log."""

MAX_PATH = 63
"""The most hashes of a proof of inclusion in the largest tree; one of consistency has one more."""

EMPTY_ROOT = hashlib.sha256().digest()
"""The root of the tree without entries."""


class MerkleError(ValueError):
    """A proof that does not hold; one line that says where."""

    exit_code: ClassVar[int] = REFUSED


def leaf_hash(entry: bytes) -> bytes:
    """Return the hash of an entry, 32 bytes."""
    return hashlib.sha256(b"\x00" + entry).digest()


def node_hash(left: bytes, right: bytes) -> bytes:
    """Return the hash of a node above two others, 32 bytes; no entry's hash is computed so."""
    return hashlib.sha256(b"\x01" + left + right).digest()


def root_of(leaf_hashes: Sequence[bytes]) -> bytes:
    """Return the root of the tree of these entries' hashes, in their order (RFC 9162, 2.1.1)."""
    # Whole subtrees of falling height, as in a binary counter: two of one height become one of the next.
    peaks: list[tuple[int, bytes]] = []
    for leaf in leaf_hashes:
        level = 0
        node = leaf
        while peaks and peaks[-1][0] == level:
            level += 1
            node = node_hash(peaks.pop()[1], node)
        peaks.append((level, node))
    if not peaks:
        return EMPTY_ROOT
    root = peaks.pop()[1]
    while peaks:
        root = node_hash(peaks.pop()[1], root)
    return root


def check_inclusion(leaf: bytes, index: int, size: int, path: Sequence[bytes], root: bytes) -> None:
    """Raise MerkleError unless the entry of hash `leaf` stands at `index` of the tree of `size` entries with this root.

    The steps are those of RFC 9162, 2.1.3.2: `node` and `last` are the indexes of a node of the path and of the last
    node at its level.
    """
    if not 0 <= index < size <= MAX_SIZE:
        raise MerkleError(say("merkle.no_such_entry", index=index, size=size))
    _check_hashes([leaf, root, *path])
    node = index
    last = size - 1
    digest = leaf
    for sibling in path:
        if last == 0:
            raise MerkleError(say("merkle.path_too_long"))
        if node & 1 or node == last:
            digest = node_hash(sibling, digest)
            # A last node that is a left child has no sibling: it rises as it is to the level where it is a right one.
            while not node & 1 and node:
                node >>= 1
                last >>= 1
        else:
            digest = node_hash(digest, sibling)
        node >>= 1
        last >>= 1
    # Only at the root is the last node of the level number 0: the path must end there, neither above nor below.
    if last:
        raise MerkleError(say("merkle.path_too_short"))
    if digest != root:
        raise MerkleError(say("merkle.path_not_to_root", index=index))


def check_consistency(old: tuple[int, bytes], new: tuple[int, bytes], path: Sequence[bytes]) -> None:
    """Raise MerkleError unless the tree `new` begins with all entries of `old`; both are size and root.

    The steps are those of RFC 9162, 2.1.4.2. Of trees of one size, and from the empty tree, the path is empty.
    """
    first, first_root = old
    second, second_root = new
    if not 0 <= first <= second <= MAX_SIZE:
        raise MerkleError(say("merkle.tree_cannot_follow", newer=second, older=first))
    _check_hashes([first_root, second_root, *path])
    if any(size == 0 and root != EMPTY_ROOT for size, root in (old, new)):
        raise MerkleError(say("merkle.empty_tree_root"))
    if first in (0, second):
        if path:
            raise MerkleError(say("merkle.path_between_too_long"))
        if first and first_root != second_root:
            raise MerkleError(say("merkle.same_size_other_root", size=first))
        return
    # A tree whose size is a power of two is one node of the larger one, so the path leaves its root out.
    whole = first & (first - 1) == 0
    if not path and not whole:
        raise MerkleError(say("merkle.path_between_too_short"))
    _climb(first - 1, second - 1, [first_root, *path] if whole else path, (first_root, second_root))


def _climb(node: int, last: int, path: Sequence[bytes], roots: tuple[bytes, bytes]) -> None:
    """Compute both roots from the nodes that the trees share and from those of the newer one alone."""
    # Up to the root of the old tree's last whole subtree: the new tree holds it unchanged, and the path begins with it.
    while node & 1:
        node >>= 1
        last >>= 1
    older = newer = path[0]
    for sibling in path[1:]:
        if last == 0:
            raise MerkleError(say("merkle.path_between_too_long"))
        # Siblings to the left are in both trees, those to the right in the newer one alone.
        if node & 1 or node == last:
            older = node_hash(sibling, older)
            newer = node_hash(sibling, newer)
            while not node & 1 and node:
                node >>= 1
                last >>= 1
        else:
            newer = node_hash(newer, sibling)
        node >>= 1
        last >>= 1
    if last:
        raise MerkleError(say("merkle.path_between_too_short"))
    if (older, newer) != roots:
        raise MerkleError(say("merkle.older_not_beginning"))


def _check_hashes(hashes: Sequence[bytes]) -> None:
    """Refuse what is no hash: of other lengths, two parts could be split in two ways."""
    if any(len(one) != HASH_BYTES for one in hashes):
        raise MerkleError(say("merkle.hash_length_wrong", bytes=HASH_BYTES))
