package relation_test

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"equiproof/gadget/bounded"
	"equiproof/internal/oracle"
	"equiproof/relation"
	"equiproof/shape"
	"equiproof/system"
)

// branchParts are what constraints of scheme `branch` may be for.
var branchParts = []string{
	"range", "commitment", "digest", "polytope", "interval", "relaxation", "slopes", "backward", "radius", "tree", "leaf",
	"product", bounded.Rest, system.RangeTable,
}

// descriptions are kept by shape: several tables have the same large shapes.
var descriptions sync.Map

// described compiles a shape of scheme `branch` and returns what its circuit is made of.
func described(t *testing.T, s *shape.Shape) *system.Description {
	t.Helper()
	key := s.Digest().String()
	if found, ok := descriptions.Load(key); ok {
		return found.(*system.Description)
	}
	circuit, err := relation.NewBranch(s)
	if err != nil {
		t.Fatal(err)
	}
	d, err := system.Groth16.Describe(circuit)
	if err != nil {
		t.Fatal(err)
	}
	descriptions.Store(key, d)
	return d
}

// sizes names a shape in a table: its columns, hidden layers, slices and capacity.
func sizes(s *shape.Shape) []string {
	a := s.Architecture
	hidden := strings.Trim(strings.ReplaceAll(fmt.Sprint(a.Hidden), " ", "x"), "[]")
	return []string{
		fmt.Sprintf("%d+%d", a.Plain, a.Sensitive), hidden, strconv.Itoa(s.Slices), strconv.Itoa(s.Capacity),
	}
}

// The constraint counts of shapes that the benchmarks use, by parts, are those of testdata/branch.csv.
func TestBranchConstraintCounts(t *testing.T) {
	rows := [][]string{append([]string{"inputs", "hidden", "slices", "capacity", "constraints"}, branchParts...)}
	for _, s := range []*shape.Shape{
		oracle.ShapeOf(18, 2, []int{8, 2}, 1, 18, 2, 4),
		oracle.ShapeOf(18, 2, []int{8, 2}, 1, 18, 2, 64),
		oracle.ShapeOf(20, 1, []int{8, 2}, 1, 18, 2, 64),
		oracle.ShapeOf(13, 10, []int{8, 2}, 1, 18, 10, 64),
		oracle.ShapeOf(18, 2, []int{64, 64}, 1, 18, 2, 8),
		oracle.ShapeOf(18, 2, []int{100, 50}, 1, 18, 2, 8),
	} {
		if another(s, selected(t, s)) {
			rows = append(rows, nil)
			continue
		}
		d := described(t, s)
		row := append(sizes(s), strconv.Itoa(d.Constraints))
		rows = append(rows, append(row, counted(t, d, branchParts)...))
	}
	pinned(t, "branch.csv", rows)
}

// The circuits of several shapes, deep ones with roundings among them, compile, leave no wire to the prover, have one
// commitment, and use every wire of their layout.
func TestBranchCircuitsAreJudged(t *testing.T) {
	for name, s := range map[string]*shape.Shape{
		"ranges":       ranging(oracle.ShapeOf(3, 1, []int{3, 2}, 1, 18, 2, 4)),
		"deep, ranges": ranging(oracle.ShapeOf(2, 1, []int{2, 2, 2, 2, 2, 2, 2, 2, 2}, 3, 18, 2, 4)),
		"slices, too":  ranging(oracle.ShapeOf(2, 1, []int{2, 1}, 1, 18, 5, 8)),
		"one layer":    oracle.ShapeOf(2, 1, []int{1}, 1, 18, 2, 4),
		"two layers":   oracle.ShapeOf(3, 1, []int{3, 2}, 1, 18, 2, 4),
		"three logits": oracle.ShapeOf(2, 2, []int{2}, 3, 18, 3, 4),
		"three layers": oracle.ShapeOf(2, 1, []int{2, 1, 2}, 2, 18, 2, 8),
		"five layers":  oracle.ShapeOf(2, 1, []int{2, 2, 1, 2, 1}, 1, 18, 2, 4),
		"nine layers":  oracle.ShapeOf(2, 1, []int{2, 2, 2, 2, 2, 2, 2, 2, 2}, 1, 18, 2, 4),
		"many slices":  oracle.ShapeOf(2, 1, []int{2, 1}, 1, 18, 5, 8),
		"many neurons": oracle.ShapeOf(2, 1, []int{300}, 1, 18, 2, 4),
	} {
		t.Run(name, func(t *testing.T) {
			circuit, err := relation.NewBranch(s)
			if err != nil {
				t.Fatal(err)
			}
			judged(t, circuit)
		})
	}
}

// ranging returns a shape whose statements are about neighbors inside ranges only.
func ranging(s *shape.Shape) *shape.Shape {
	s.Scheme = shape.Ranging
	return s
}

// testdata/ranges.csv has the cost of ranges: constraints without them, with them, and for the range checks themselves.
func TestBranchConstraintCountsWithRanges(t *testing.T) {
	rows := [][]string{{"inputs", "hidden", "slices", "capacity", "without", "with", "ranges"}}
	for _, s := range []*shape.Shape{
		oracle.ShapeOf(18, 2, []int{8, 2}, 1, 18, 2, 4),
		oracle.ShapeOf(18, 2, []int{8, 2}, 1, 18, 2, 64),
		oracle.ShapeOf(13, 10, []int{8, 2}, 1, 18, 10, 64),
		oracle.ShapeOf(18, 2, []int{64, 64}, 1, 18, 2, 8),
		oracle.ShapeOf(18, 2, []int{100, 50}, 1, 18, 2, 8),
	} {
		if another(s, selected(t, s)) {
			rows = append(rows, nil)
			continue
		}
		without := described(t, s)
		with := described(t, ranging(s))
		at := slices.IndexFunc(with.Parts, func(p system.Part) bool { return p.Name == "ranges" })
		own := with.Parts[at].Constraints
		rows = append(rows, append(sizes(s), strconv.Itoa(without.Constraints), strconv.Itoa(with.Constraints), strconv.Itoa(own)))
	}
	pinned(t, "ranges.csv", rows)
}
