package relation_test

import (
	"fmt"
	"strconv"
	"testing"

	"equiproof/gadget/bounded"
	"equiproof/internal/oracle"
	"equiproof/relation"
	"equiproof/shape"
	"equiproof/system"
)

// boxBranchParts are what constraints of relation `branch-box` may be for.
var boxBranchParts = []string{
	"range", "commitment", "digest", "box", "polytope", "interval", "relaxation", "slopes", "backward", "tree", "leaf", "product",
	bounded.Rest, system.RangeTable,
}

// boxBranchOf returns the shape of a network on a box, with a category of so many values each from the column 1 on.
func boxBranchOf(s *shape.Shape, categories ...int) *shape.Shape {
	first := 1
	for _, values := range categories {
		s.OneHot = append(s.OneHot, shape.Choice{First: first, High: 1448, Low: 0, Values: values})
		first += values
	}
	return with(shape.BranchingBox, s)
}

// The constraint counts of shapes of networks on boxes, by parts, are those of testdata/box_branch.csv.
func TestBoxBranchConstraintCounts(t *testing.T) {
	rows := [][]string{append([]string{"inputs", "hidden", "slices", "capacity", "categories", "constraints"}, boxBranchParts...)}
	for _, s := range []*shape.Shape{
		boxBranchOf(oracle.ShapeOf(13, 1, []int{16, 8}, 1, 18, 2, 16)),
		boxBranchOf(oracle.ShapeOf(13, 1, []int{16, 8}, 1, 18, 2, 16), 4),
		boxBranchOf(oracle.ShapeOf(19, 1, []int{16, 8}, 1, 18, 2, 16), 4, 3),
		boxBranchOf(oracle.ShapeOf(18, 2, []int{64, 64}, 1, 18, 2, 8)),
	} {
		d := described(t, s)
		row := append(sizes(s), fmt.Sprint(len(s.OneHot)), strconv.Itoa(d.Constraints))
		rows = append(rows, append(row, counted(t, d, boxBranchParts)...))
	}
	pinned(t, "box_branch.csv", rows)
}

// The circuits of several shapes of networks on boxes compile, leave no wire to the prover, and have one commitment.
func TestBoxBranchCircuitsAreJudged(t *testing.T) {
	for name, s := range map[string]*shape.Shape{
		"one layer":        boxBranchOf(oracle.ShapeOf(2, 1, []int{1}, 1, 18, 2, 4)),
		"two layers":       boxBranchOf(oracle.ShapeOf(3, 1, []int{3, 2}, 1, 18, 2, 4)),
		"three logits":     boxBranchOf(oracle.ShapeOf(2, 2, []int{2}, 3, 18, 3, 4)),
		"three layers":     boxBranchOf(oracle.ShapeOf(2, 1, []int{2, 1, 2}, 2, 18, 2, 8)),
		"nine layers":      boxBranchOf(oracle.ShapeOf(2, 1, []int{2, 2, 2, 2, 2, 2, 2, 2, 2}, 1, 18, 2, 4)),
		"many slices":      boxBranchOf(oracle.ShapeOf(2, 1, []int{2, 1}, 1, 18, 5, 8)),
		"a category":       boxBranchOf(oracle.ShapeOf(4, 1, []int{3, 2}, 1, 18, 2, 4), 2),
		"no number, only":  boxBranchOf(oracle.ShapeOf(6, 1, []int{2}, 1, 18, 2, 4), 2, 3),
		"categories, deep": boxBranchOf(oracle.ShapeOf(6, 1, []int{2, 2, 2}, 1, 18, 2, 4), 2, 3),
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
