// Command merkle writes proofs of trees, made and judged by the generators of github.com/transparency-dev/merkle
// (its package testonly), for the checks of the verifiers: go run . > ../../merkle.json
package main

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math"
	"os"

	"github.com/transparency-dev/merkle/proof"
	"github.com/transparency-dev/merkle/rfc6962"
	"github.com/transparency-dev/merkle/testonly"
)

// largest is the size of the tree whose proofs are all written.
const largest = 13

type inclusion struct {
	Leaf  string   `json:"leaf"`
	Index string   `json:"index"`
	Size  string   `json:"size"`
	Path  []string `json:"path"`
	Root  string   `json:"root"`
}

type consistency struct {
	Old     string   `json:"old"`
	New     string   `json:"new"`
	OldRoot string   `json:"old_root"`
	NewRoot string   `json:"new_root"`
	Path    []string `json:"path"`
}

type vectors struct {
	Source      string        `json:"source"`
	Licence     string        `json:"licence"`
	Entries     []string      `json:"entries"`
	Roots       []string      `json:"roots"`
	Inclusion   []inclusion   `json:"inclusion"`
	Consistency []consistency `json:"consistency"`
}

func main() {
	inputs := testonly.LeafInputs()
	for at := len(inputs); at < largest; at++ {
		inputs = append(inputs, fmt.Appendf(nil, "entry %d", at))
	}
	tree := testonly.New(rfc6962.DefaultHasher)
	tree.AppendData(inputs...)
	made := vectors{
		Source:  "github.com/transparency-dev/merkle v0.0.2, packages testonly and proof",
		Licence: "Apache-2.0",
		Entries: texts(inputs),
	}
	for size := uint64(0); size <= largest; size++ {
		made.Roots = append(made.Roots, hex.EncodeToString(tree.HashAt(size)))
		for index := uint64(0); index < size; index++ {
			path := must(tree.InclusionProof(index, size))
			made.Inclusion = append(made.Inclusion, included(tree.LeafHash(index), index, size, path))
		}
		for old := uint64(0); old <= size; old++ {
			made.Consistency = append(made.Consistency, consistent(tree, old, size))
		}
	}
	for _, index := range []uint64{0, 1, 1<<32 + 12345, 1 << 62, math.MaxInt64 - 1} {
		made.Inclusion = append(made.Inclusion, far(index, math.MaxInt64))
	}
	made.Inclusion = append(made.Inclusion, far(1<<53+1, 1<<62))
	out := json.NewEncoder(os.Stdout)
	if err := out.Encode(made); err != nil {
		panic(err)
	}
}

// far returns a proof in a tree too large to hold: the root is the one that the reference computes from the path.
func far(index, size uint64) inclusion {
	nodes := must(proof.Inclusion(index, size))
	path := make([][]byte, len(nodes.IDs))
	for at := range path {
		hash := sha256.Sum256(fmt.Appendf(nil, "node %d of %d", at, index))
		path[at] = hash[:]
	}
	_, begin, end := nodes.Ephem()
	if begin < end {
		path = must(nodes.Rehash(path, rfc6962.DefaultHasher.HashChildren))
	}
	return included(rfc6962.DefaultHasher.HashLeaf([]byte("entry")), index, size, path)
}

// included returns a proof with the root that the reference computes from it.
func included(leaf []byte, index, size uint64, path [][]byte) inclusion {
	root := must(proof.RootFromInclusionProof(rfc6962.DefaultHasher, index, size, leaf, path))
	return inclusion{hex.EncodeToString(leaf), fmt.Sprint(index), fmt.Sprint(size), texts(path), hex.EncodeToString(root)}
}

// consistent returns a proof that the reference accepts.
func consistent(tree *testonly.Tree, old, size uint64) consistency {
	path := must(tree.ConsistencyProof(old, size))
	roots := [2][]byte{tree.HashAt(old), tree.HashAt(size)}
	if err := proof.VerifyConsistency(rfc6962.DefaultHasher, old, size, path, roots[0], roots[1]); err != nil {
		panic(err)
	}
	return consistency{
		fmt.Sprint(old), fmt.Sprint(size), hex.EncodeToString(roots[0]), hex.EncodeToString(roots[1]), texts(path),
	}
}

func texts(hashes [][]byte) []string {
	found := []string{}
	for _, hash := range hashes {
		found = append(found, hex.EncodeToString(hash))
	}
	return found
}

func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}
