"""Both proofs of the tree are checked as the reference checks them, and no changed one passes."""

import json
from itertools import pairwise

import pytest

from equiproof.verifier.merkle import EMPTY_ROOT, MerkleError, check_consistency, check_inclusion, leaf_hash, root_of
from tests.support import ROOT

VECTORS = json.loads((ROOT / "tests" / "vectors" / "merkle.json").read_text())
INCLUSION = [
    (bytes.fromhex(one["leaf"]), int(one["index"]), int(one["size"]), _path, bytes.fromhex(one["root"]))
    for one in VECTORS["inclusion"]
    for _path in [[bytes.fromhex(text) for text in one["path"]]]
]
CONSISTENCY = [
    ((int(one["old"]), bytes.fromhex(one["old_root"])), (int(one["new"]), bytes.fromhex(one["new_root"])), _path)
    for one in VECTORS["consistency"]
    for _path in [[bytes.fromhex(text) for text in one["path"]]]
]
OTHER = bytes(range(32))


def other_paths(path):
    """Return paths that are not this one: longer, shorter, turned, changed."""
    found = [[*path, OTHER], [OTHER, *path], path[:-1], path[1:], path[::-1]]
    for at in range(len(path)):
        found += [[*path[:at], OTHER, *path[at + 1 :]], path[:at] + path[at + 1 :], [*path[: at + 1], *path[at:]]]
    found += [[*path[:at], second, first, *path[at + 2 :]] for at, (first, second) in enumerate(pairwise(path))]
    return [one for one in found if one != path]


def test_roots_are_those_of_the_reference():
    """Every tree of the entries has the reference's root, the empty one too."""
    leaves = [leaf_hash(bytes.fromhex(entry)) for entry in VECTORS["entries"]]
    roots = [root_of(leaves[:size]).hex() for size in range(len(leaves) + 1)]
    assert roots == VECTORS["roots"]
    assert roots[0] == EMPTY_ROOT.hex()


def test_proofs_of_inclusion_hold():
    """The reference's proofs pass, those of the largest trees among them."""
    assert max(size for _, _, size, _, _ in INCLUSION) == 2**63 - 1
    for one in INCLUSION:
        check_inclusion(*one)


def test_no_other_proof_of_inclusion_holds():
    """Another leaf, index, path or root is refused; another size too, unless the path is the same."""
    for leaf, index, size, path, root in INCLUSION:
        wrong = [(OTHER, index, size, path, root), (leaf, index, size, path, OTHER)]
        wrong += [(leaf, index, size, other, root) for other in other_paths(path)]
        wrong += [(leaf, at, size, path, root) for at in (index - 1, index + 1, index ^ 2) if at != index]
        wrong += [(leaf, index, other, path, root) for other in (index, 0, -1, 2**63, size << 1)]
        for one in wrong:
            with pytest.raises(MerkleError):
                check_inclusion(*one)


MEND = "use the proof as you received it"
"""What to do about a proof that is longer than any."""


def test_what_is_wrong_with_a_path_is_said():
    """An entry that the tree lacks, and a path that ends above or below the root."""
    leaf, index, size, path, root = INCLUSION[-1]
    for words, said in (
        ((leaf, size, size, path, root), f"no entry {size} in a tree of {size}"),
        ((leaf, index, size, path[:-1], root), "the path of the entry is too short"),
        (
            (leaf, index, size, [*path, root], root),
            f"{MEND}: the path of the entry is too long",
        ),
    ):
        with pytest.raises(MerkleError, match=f"^{said}$"):
            check_inclusion(*words)


def test_proofs_of_consistency_hold():
    """The reference's proofs pass, from the empty tree too."""
    for one in CONSISTENCY:
        check_consistency(*one)


def test_no_other_proof_of_consistency_holds():
    """Another path, root or order of the trees is refused."""
    for old, new, path in CONSISTENCY:
        wrong = [((old[0], OTHER), new, path), (old, (new[0], OTHER), path)]
        wrong += [(old, new, other) for other in other_paths(path)]
        wrong += [(new, old, path)] if old[0] < new[0] else []
        if 0 < old[0] < new[0]:
            wrong += [((old[0] - 1, old[1]), new, path), ((old[0] + 1, old[1]), new, path)]
        for one in wrong:
            if one[0][0] == 0 and one[0][1] == EMPTY_ROOT and one[1] != (0, OTHER) and not one[2]:
                continue  # The empty tree begins every other.
            with pytest.raises(MerkleError, match=r"[a-z ]{20}"):
                check_consistency(*one)


@pytest.mark.parametrize("length", [0, 31, 33])
def test_a_hash_has_one_length(length):
    """Two hashes cannot be cut in another place."""
    leaf, index, size, path, root = INCLUSION[5]
    with pytest.raises(MerkleError, match="another length"):
        check_inclusion(leaf, index, size, [bytes(length), *path[1:]], root)
    old, new, path = CONSISTENCY[-3]
    with pytest.raises(MerkleError, match="another length"):
        check_consistency(old, new, [bytes(length), *path[1:]])


def test_sizes_end_at_the_largest():
    """A tree of more entries than a log can have is refused, and a shrinking one."""
    for old, new in ((1, 2**63), (-1, 1), (2, 1)):
        with pytest.raises(MerkleError, match="cannot follow"):
            check_consistency((old, OTHER), (new, OTHER), [])


def test_what_is_wrong_with_a_path_between_trees_is_said():
    """A path that ends too early, and one where none is needed, are one line each."""
    for old, new, path, said in (
        (3, 5, [], "the path between the trees is too short"),
        (6, 2**63 - 1, [], "the path between the trees is too short"),
        (4, 4, [OTHER], "the path between the trees is too long"),
        (2, 4, [OTHER] * 3, "the path between the trees is too long"),
    ):
        with pytest.raises(MerkleError, match=said):
            check_consistency((old, OTHER), (new, OTHER), path)
