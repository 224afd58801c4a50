package relation_test

import (
	"slices"
	"strconv"
	"testing"

	"equiproof/internal/lint"
	"equiproof/internal/oracle"
	"equiproof/shape"
	"equiproof/system"
)

// identities returns the degrees of a shape's challenged identities, in the order of rows.
func identities(t *testing.T, s *shape.Shape) []uint64 {
	t.Helper()
	_, degrees := identitiesUnder(t, system.Groth16, s)
	return degrees
}

// identitiesUnder returns the constraints of a shape in the form of a proof system, and the degrees of the identities.
func identitiesUnder(t *testing.T, proofSystem system.ProofSystem, s *shape.Shape) (int, []uint64) {
	t.Helper()
	compiled, err := proofSystem.Compile(selected(t, s))
	if err != nil {
		t.Fatal(err)
	}
	opened, err := lint.Read(compiled)
	if err != nil {
		t.Fatal(err)
	}
	degrees, err := opened.Degrees()
	if err != nil {
		t.Fatal(err)
	}
	return compiled.GetNbConstraints(), degrees
}

// testdata/plonk.csv has the constraints of both forms, and the largest degree of an identity in each: the sparse form argues
// the same identities.
func TestSparseForms(t *testing.T) {
	t.Parallel()
	rows := [][]string{{
		"scheme", "inputs", "hidden", "slices", "capacity", "quadratic", "degree", "sparse", "degree of sparse",
	}}
	for _, s := range []*shape.Shape{
		with(shape.Traversing, oracle.ShapeOf(2, 1, []int{2, 2}, 1, 18, 2, 8)),
		with(shape.Traversing, oracle.ShapeOf(18, 2, []int{4, 2}, 1, 18, 2, 32)),
		with(shape.Branching, oracle.ShapeOf(2, 1, []int{2, 2}, 1, 18, 2, 8)),
		with(shape.Branching, oracle.ShapeOf(18, 2, []int{8, 2}, 1, 18, 2, 4)),
		with(shape.Ranging, oracle.ShapeOf(18, 2, []int{8, 2}, 1, 18, 2, 4)),
		with(shape.Branching, oracle.ShapeOf(13, 1, []int{4, 2}, 3, 18, 2, 32)),
		with(shape.Gaining, oracle.ShapeOf(18, 2, []int{8, 2}, 1, 18, 2, 4)),
	} {
		if another(s, selected(t, s)) {
			rows = append(rows, nil)
			continue
		}
		row := append([]string{s.Scheme}, sizes(s)...)
		for _, proofSystem := range proofSystems {
			count, degrees := identitiesUnder(t, proofSystem, s)
			row = append(row, strconv.Itoa(count), strconv.FormatUint(slices.Max(degrees), 10))
		}
		rows = append(rows, row)
	}
	pinned(t, "plonk.csv", rows)
}

// with returns a shape under a scheme.
func with(scheme string, s *shape.Shape) *shape.Shape {
	s.Scheme = scheme
	return s
}

// testdata/degrees.csv has the largest degree, in the challenge, of the identities of each argument. They stand in the
// order of the arguments: of range checks one, of products one for each claim, of slopes one, of the tree two; of lookup
// tables one each. docs/soundness.md derives the error from them.
func TestDegreesOfTheChallenge(t *testing.T) {
	t.Parallel()
	rows := [][]string{{
		"scheme", "inputs", "hidden", "logits", "slices", "capacity",
		"range checks", "products", "slopes", "tree", "slices' table", "keys' table",
	}}
	for _, s := range []*shape.Shape{
		with(shape.Traversing, oracle.ShapeOf(18, 2, []int{4, 2}, 1, 18, 2, 32)),
		with(shape.Traversing, oracle.ShapeOf(18, 2, []int{8, 2}, 1, 18, 2, 128)),
		with(shape.Traversing, oracle.ShapeOf(13, 10, []int{8, 2}, 1, 18, 10, 128)),
		with(shape.Traversing, oracle.ShapeOf(13, 1, []int{4, 2}, 1, 18, 53, 512)),
		with(shape.Branching, oracle.ShapeOf(18, 2, []int{8, 2}, 1, 18, 2, 4)),
		with(shape.Branching, oracle.ShapeOf(18, 2, []int{8, 2}, 1, 18, 2, 64)),
		with(shape.Branching, oracle.ShapeOf(13, 10, []int{8, 2}, 3, 18, 10, 64)),
		with(shape.Branching, oracle.ShapeOf(18, 2, []int{64, 64}, 1, 18, 2, 8)),
		with(shape.Branching, oracle.ShapeOf(18, 2, []int{100, 50}, 1, 18, 2, 32)),
		with(shape.Branching, oracle.ShapeOf(18, 2, []int{64, 32, 16, 8, 4}, 1, 18, 2, 32)),
		with(shape.Branching, oracle.ShapeOf(2, 1, []int{300}, 1, 18, 2, 4)),
		with(shape.Ranging, oracle.ShapeOf(18, 2, []int{100, 50}, 1, 18, 2, 8)),
		with(shape.Gaining, oracle.ShapeOf(18, 2, []int{8, 2}, 1, 18, 2, 4)),
		with(shape.Gaining, oracle.ShapeOf(18, 2, []int{8, 2}, 3, 18, 2, 64)),
		with(shape.Gaining, oracle.ShapeOf(18, 2, []int{100, 50}, 1, 18, 2, 8)),
		boxBranchOf(oracle.ShapeOf(18, 2, []int{8, 2}, 1, 18, 2, 4)),
		boxBranchOf(oracle.ShapeOf(19, 1, []int{16, 8}, 3, 18, 2, 16), 4, 3),
		boxBranchOf(oracle.ShapeOf(18, 2, []int{100, 50}, 1, 18, 2, 8)),
	} {
		if another(s, selected(t, s)) {
			rows = append(rows, nil)
			continue
		}
		degrees := identities(t, s)
		last := len(degrees) - 1
		counted := []uint64{degrees[0], 0, 0, 0, degrees[1], degrees[last]}
		if s.Branches() || s.Gains() {
			tree := max(degrees[last-1], degrees[last])
			counted = []uint64{degrees[0], slices.Max(degrees[1 : last-2]), degrees[last-2], tree, 0, 0}
		} else if len(degrees) != 3 {
			t.Fatalf("%d identities, want those of range checks and two tables", len(degrees))
		}
		place := sizes(s)
		row := []string{s.Scheme, place[0], place[1], strconv.Itoa(s.Architecture.Logits), place[2], place[3]}
		for _, degree := range counted {
			row = append(row, strconv.FormatUint(degree, 10))
		}
		rows = append(rows, row)
	}
	pinned(t, "degrees.csv", rows)
}
