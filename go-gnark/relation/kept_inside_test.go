package relation

import (
	"math/big"
	"testing"

	"github.com/consensys/gnark/frontend"

	"equiproof/gadget/bounded"
	"equiproof/internal/adversary"
	"equiproof/internal/oracle"
	"equiproof/shape"
)

// typedWords types the numbers of a network and the parts of its weights, as certificates of a kept model and links do, and returns
// their intervals by the same list.
func typedWords(t *testing.T, s *shape.Shape, layout []Segment) (bounds [][2]*big.Int) {
	t.Helper()
	adversary.Compile(t, Length(layout), func(a *bounded.Arith, wires []frontend.Variable) {
		taken := Take(layout, wires)
		b := &branch{claims: NewClaims(s, nil, taken), traversal: &traversal{a: a, shape: s, wires: taken}}
		b.readSplit()
		add := func(numbers ...bounded.Int) {
			for _, number := range numbers {
				low, high := number.Bounds()
				bounds = append(bounds, [2]*big.Int{low, high})
			}
		}
		for l, layer := range b.layers {
			for _, row := range layer.Weights {
				add(row...)
			}
			add(layer.Biases...)
			if l < len(b.parts) {
				for _, split := range b.parts[l] {
					add(split.Positive...)
					add(split.Negative...)
				}
			}
		}
		// A circuit without a range check has no commitment.
		a.Unsigned(wires[0], 3)
	})
	return bounds
}

// TestAssumedIntervalsAreProven: for each word, and for the positive parts that certificates make of two, the interval that certificates
// assume contains the one that links prove.
func TestAssumedIntervalsAreProven(t *testing.T) {
	for _, hidden := range [][]int{{1}, {3}, {3, 2}, {2, 3, 2}} {
		s := oracle.ShapeOf(2, 1, hidden, 2, 18, 2, 8)
		for l := range s.Architecture.WeightBits {
			s.Architecture.WeightBits[l] = 9 + 3*l
		}
		s.Scheme, s.Model = shape.Branching, shape.Kept
		links := shape.LinkOf(s)
		assumed, proven := typedWords(t, s, WordLayout(s)), typedWords(t, links.Sizes(), LinkLayout(links))
		if len(assumed) != len(proven) || len(assumed) < Length(WordLayout(s)) {
			t.Fatalf("%v: %d intervals are assumed, %d proven", hidden, len(assumed), len(proven))
		}
		for i := range assumed {
			if assumed[i][0].Cmp(proven[i][0]) > 0 || assumed[i][1].Cmp(proven[i][1]) < 0 {
				t.Errorf("%v: number %d is assumed in %v, proven in %v", hidden, i, assumed[i], proven[i])
			}
		}
	}
}
