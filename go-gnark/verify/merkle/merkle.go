// Package merkle checks both proofs of a log's tree, as RFC 9162 has them in sections 2.1.1 to 2.1.4 (SHA-256). Twin of
// verifier/merkle.py.
//
// A proof of inclusion shows that an entry stands at an index of a tree; one of consistency, that a tree begins with all
// entries of an older one, in their order. Both are checked against roots that a signed checkpoint fixes.
package merkle

import (
	"crypto/sha256"
	"errors"
	"math"

	"equiproof/verify/tables"
)

// HashSize is the length of a hash.
const HashSize = sha256.Size

// MaxSize is the most entries of a log, so that other programs hold a size in a signed integer too. MaxPath is the most hashes
// of a proof of inclusion in it: a tree of at most 2^63 - 1 entries has no more levels above its entries.
const (
	MaxSize = math.MaxInt64
	MaxPath = 63
)

// Hash is that of an entry or a node.
type Hash = [HashSize]byte

// EmptyRoot is the root of the tree without entries.
var EmptyRoot = sha256.Sum256(nil)

// Tree is a tree as a checkpoint fixes it.
type Tree struct {
	Size uint64
	Root Hash
}

// LeafHash is the hash of an entry. The byte before it is another one than before nodes, so that no two hashes of children can
// be passed for an entry (RFC 9162, 2.1.1).
func LeafHash(entry []byte) Hash { return sha256.Sum256(append([]byte{0}, entry...)) }

// nodeHash is the hash of a node above two others.
func nodeHash(left, right Hash) Hash {
	return sha256.Sum256(append(append([]byte{1}, left[:]...), right[:]...))
}

// CheckInclusion refuses an entry that does not stand at an index of a tree, by the steps of RFC 9162, 2.1.3.2: node and last
// are the indexes of a node of the path and of the last node at its level.
func CheckInclusion(leaf Hash, index uint64, tree Tree, path []Hash) error {
	if index >= tree.Size || tree.Size > MaxSize {
		return errors.New(tables.Say("merkle.no_such_entry", index, tree.Size))
	}
	node, last, hash := index, tree.Size-1, leaf
	for _, sibling := range path {
		if last == 0 {
			return errors.New(tables.Say("merkle.path_too_long"))
		}
		if node&1 == 1 || node == last {
			hash = nodeHash(sibling, hash)
			node, last = upward(node, last)
		} else {
			hash = nodeHash(hash, sibling)
		}
		node, last = node>>1, last>>1
	}
	if last != 0 {
		return errors.New(tables.Say("merkle.path_too_short"))
	}
	if hash != tree.Root {
		return errors.New(tables.Say("merkle.path_not_to_root", index))
	}
	return nil
}

// upward passes the levels at which a last node has no sibling.
func upward(node, last uint64) (uint64, uint64) {
	for node&1 == 0 && node != 0 {
		node, last = node>>1, last>>1
	}
	return node, last
}

// CheckConsistency refuses a tree that does not begin with all entries of an older one, by the steps of RFC 9162, 2.1.4.2. Of
// trees of one size, and from the empty tree, the path is empty.
func CheckConsistency(older, newer Tree, path []Hash) error {
	if older.Size > newer.Size || newer.Size > MaxSize {
		return errors.New(tables.Say("merkle.tree_cannot_follow", newer.Size, older.Size))
	}
	for _, tree := range []Tree{older, newer} {
		if tree.Size == 0 && tree.Root != EmptyRoot {
			return errors.New(tables.Say("merkle.empty_tree_root"))
		}
	}
	if older.Size == 0 || older.Size == newer.Size {
		if len(path) > 0 {
			return errors.New(tables.Say("merkle.path_between_too_long"))
		}
		if older.Size > 0 && older.Root != newer.Root {
			return errors.New(tables.Say("merkle.same_size_other_root", older.Size))
		}
		return nil
	}
	// A tree whose size is a power of two is one node of the larger one, so the path leaves its root out.
	if older.Size&(older.Size-1) == 0 {
		path = append([]Hash{older.Root}, path...)
	}
	if len(path) == 0 {
		return errors.New(tables.Say("merkle.path_between_too_short"))
	}
	return climb(older, newer, path)
}

// climb computes both roots from the nodes that the trees share and from those of the newer one alone.
func climb(older, newer Tree, path []Hash) error {
	// A last node with an odd index is a right child: its parent's part of the tree is full in both trees, and so one node that
	// they share. The path begins at the largest such node.
	node, last := older.Size-1, newer.Size-1
	for node&1 == 1 {
		node, last = node>>1, last>>1
	}
	first, second := path[0], path[0]
	for _, sibling := range path[1:] {
		if last == 0 {
			return errors.New(tables.Say("merkle.path_between_too_long"))
		}
		if node&1 == 1 || node == last {
			// A sibling to the left is in both trees, and one to the right in the newer one alone.
			first, second = nodeHash(sibling, first), nodeHash(sibling, second)
			node, last = upward(node, last)
		} else {
			second = nodeHash(second, sibling)
		}
		node, last = node>>1, last>>1
	}
	if last != 0 {
		return errors.New(tables.Say("merkle.path_between_too_short"))
	}
	if first != older.Root || second != newer.Root {
		return errors.New(tables.Say("merkle.older_not_beginning"))
	}
	return nil
}
