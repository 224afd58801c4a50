package relation_test

import (
	"testing"

	"equiproof/internal/lint"
	"equiproof/internal/oracle"
	"equiproof/relation"
	"equiproof/shape"
	"equiproof/system"
)

// The circuits of several shapes, deep ones with roundings among them, compile, leave no wire to the prover, have one
// commitment, and use every wire of their layout.
func TestBranchCircuitsAreJudged(t *testing.T) {
	for name, s := range map[string]*shape.Shape{
		"one layer":    oracle.ShapeOf(2, 1, []int{1}, 1, 18, 2, 4),
		"two layers":   oracle.ShapeOf(3, 1, []int{3, 2}, 1, 18, 2, 4),
		"three logits": oracle.ShapeOf(2, 2, []int{2}, 3, 18, 3, 4),
		"three layers": oracle.ShapeOf(2, 1, []int{2, 1, 2}, 2, 18, 2, 8),
		"five layers":  oracle.ShapeOf(2, 1, []int{2, 2, 1, 2, 1}, 1, 18, 2, 4),
	} {
		t.Run(name, func(t *testing.T) {
			circuit, err := relation.NewBranch(s)
			if err != nil {
				t.Fatal(err)
			}
			compiled, err := system.Compile(circuit)
			if err != nil {
				t.Fatal(err)
			}
			if err := lint.Judge(compiled); err != nil {
				t.Error(err)
			}
		})
	}
}
