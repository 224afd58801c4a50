package merkle

import (
	"encoding/hex"
	"encoding/json"
	"os"
	"strconv"
	"testing"
)

type vectors struct {
	Inclusion []struct {
		Leaf, Index, Size, Root string
		Path                    []string
	}
	Consistency []struct {
		Old, New string
		OldRoot  string `json:"old_root"`
		NewRoot  string `json:"new_root"`
		Path     []string
	}
}

func read(t *testing.T) (all vectors) {
	t.Helper()
	data, err := os.ReadFile("../../../tests/vectors/merkle.json")
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(data, &all); err != nil {
		t.Fatal(err)
	}
	return all
}

func hash(t *testing.T, digits string) Hash {
	t.Helper()
	data, err := hex.DecodeString(digits)
	if err != nil {
		t.Fatal(err)
	}
	return Hash(data)
}

func tree(t *testing.T, size, root string) Tree {
	t.Helper()
	number, err := strconv.ParseUint(size, 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return Tree{number, hash(t, root)}
}

func pathOf(t *testing.T, texts []string) (path []Hash) {
	t.Helper()
	for _, one := range texts {
		path = append(path, hash(t, one))
	}
	return path
}

// others are paths that are not this one.
func others(path []Hash) (paths [][]Hash) {
	cut := func(before, after []Hash, between ...Hash) []Hash {
		return append(append(append([]Hash{}, before...), between...), after...)
	}
	paths = append(paths, cut(path, nil, Hash{1}), cut(nil, path, Hash{1}))
	for at := range path {
		paths = append(paths, cut(path[:at], path[at+1:]), cut(path[:at], path[at+1:], Hash{1}),
			cut(path[:at], path[at:], path[at]))
		if at > 0 && path[at] != path[at-1] {
			paths = append(paths, cut(path[:at-1], path[at+1:], path[at], path[at-1]))
		}
	}
	return paths
}

func TestInclusion(t *testing.T) {
	for _, one := range read(t).Inclusion {
		at, path, leaf := tree(t, one.Size, one.Root), pathOf(t, one.Path), hash(t, one.Leaf)
		index, _ := strconv.ParseUint(one.Index, 10, 64)
		if err := CheckInclusion(leaf, index, at, path); err != nil {
			t.Fatalf("%s of %s: %v", one.Index, one.Size, err)
		}
		for _, other := range others(path) {
			if CheckInclusion(leaf, index, at, other) == nil {
				t.Errorf("%s of %s: another path holds", one.Index, one.Size)
			}
		}
		for _, other := range []uint64{index - 1, index + 1, at.Size, MaxSize + 1} {
			if CheckInclusion(leaf, other, at, path) == nil {
				t.Errorf("%s of %s: index %d holds", one.Index, one.Size, other)
			}
		}
		if CheckInclusion(Hash{}, index, at, path) == nil || CheckInclusion(leaf, index, Tree{at.Size, Hash{}}, path) == nil ||
			CheckInclusion(leaf, index, Tree{MaxSize + 1, at.Root}, path) == nil {
			t.Errorf("%s of %s: another leaf, root or size holds", one.Index, one.Size)
		}
	}
}

func TestConsistency(t *testing.T) {
	for _, one := range read(t).Consistency {
		older, newer, path := tree(t, one.Old, one.OldRoot), tree(t, one.New, one.NewRoot), pathOf(t, one.Path)
		if err := CheckConsistency(older, newer, path); err != nil {
			t.Fatalf("%s to %s: %v", one.Old, one.New, err)
		}
		for _, other := range others(path) {
			if CheckConsistency(older, newer, other) == nil {
				t.Errorf("%s to %s: another path holds", one.Old, one.New)
			}
		}
		if CheckConsistency(Tree{older.Size, Hash{}}, newer, path) == nil {
			t.Errorf("%s to %s: another old root holds", one.Old, one.New)
		}
		if older.Size > 0 && CheckConsistency(older, Tree{newer.Size, Hash{}}, path) == nil {
			t.Errorf("%s to %s: another new root holds", one.Old, one.New)
		}
		if older.Size < newer.Size && CheckConsistency(newer, older, path) == nil {
			t.Errorf("%s to %s: a tree shrinks", one.Old, one.New)
		}
	}
	if CheckConsistency(Tree{1, Hash{}}, Tree{MaxSize + 1, Hash{}}, nil) == nil {
		t.Error("a tree larger than any holds")
	}
}

// rootOf is the root as RFC 9162 defines it, by its recursion.
func rootOf(leaves []Hash) Hash {
	if len(leaves) == 0 {
		return EmptyRoot
	}
	if len(leaves) == 1 {
		return leaves[0]
	}
	split := 1
	for 2*split < len(leaves) {
		split *= 2
	}
	return nodeHash(rootOf(leaves[:split]), rootOf(leaves[split:]))
}

func TestATreeThatGrows(t *testing.T) {
	var growing Growing
	var leaves []Hash
	for number := range 200 {
		if growing.Root() != rootOf(leaves) {
			t.Fatalf("another root of %d entries", number)
		}
		leaves = append(leaves, LeafHash([]byte{byte(number)}))
		growing.Add(leaves[number])
	}
}
