package relation

import (
	"math/big"
	"slices"
	"testing"

	"github.com/consensys/gnark/frontend"

	"equiproof/gadget/bounded"
	"equiproof/internal/adversary"
	"equiproof/internal/oracle"
	"equiproof/shape"
)

// typedWords types the numbers of a model and the parts of weights, as certificates of a kept model and links do, and returns
// their intervals by the same list. Places of children have none.
func typedWords(t *testing.T, s *shape.Shape, layout []Segment) (bounds [][2]*big.Int) {
	t.Helper()
	adversary.Compile(t, Length(layout), func(a *bounded.Arith, wires []frontend.Variable) {
		read := &traversal{a: a, shape: s, wires: Take(layout, wires)}
		add := func(numbers ...bounded.Int) {
			for _, number := range numbers {
				low, high := number.Bounds()
				bounds = append(bounds, [2]*big.Int{low, high})
			}
		}
		// A circuit without a range check has no commitment.
		a.Unsigned(wires[0], 3)
		if len(s.Architecture.Predicates) > 0 {
			add(typedScore(read)...)
			return
		}
		b := &branch{claims: NewClaims(s, nil, read.wires), traversal: read}
		b.readSplit()
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
	})
	return bounds
}

// typedScore types the numbers of a model with predicates, but for bits that stand in links alone: which children are nodes.
func typedScore(read *traversal) []bounded.Int {
	if len(read.shape.Architecture.Nodes) == 0 {
		b := &adding{traversal: read}
		b.readModel()
		return b.model.Numbers()
	}
	b := &growing{adding: &adding{traversal: read}}
	sets := b.readEnsemble()
	nodes, of := b.nodes.Numbers(), read.shape.Architecture.Nodes[1]
	if !read.shape.Keeps() {
		nodes = slices.Delete(nodes, of, 3*of)
	}
	return slices.Concat(b.model.Numbers(), nodes, sets.Numbers())
}

// TestAssumedIntervalsAreProven: for each word, and for the positive parts that certificates make of two, the interval that certificates
// assume contains the one that links prove.
func TestAssumedIntervalsAreProven(t *testing.T) {
	for _, hidden := range [][]int{{1}, {3}, {3, 2}, {2, 3, 2}} {
		s := oracle.ShapeOf(2, 1, hidden, 2, 18, 2, 8)
		for l := range s.Architecture.WeightBits {
			s.Architecture.WeightBits[l] = 9 + 3*l
		}
		s.Scheme = shape.Branching
		assumedAsProven(t, s, Length(boundsOf(s)))
	}
	sets := oracle.EnsembleShape(4, 1, [2]int{4, 1}, [2]int{2, 5}, 3, 4, 2)
	sets.Architecture.Missing = true
	sets.Architecture.Categories = []shape.Category{{First: 1, High: 1448, Low: 0, Sets: 2, Values: 3}}
	for _, s := range []*shape.Shape{
		oracle.AdditiveShape(1, 1, [2]int{1, 0}, 1, 1), oracle.AdditiveShape(3, 2, [2]int{4, 2}, 3, 4),
		oracle.EnsembleShape(1, 1, [2]int{1, 0}, [2]int{1, 1}, 1, 1, 1), oracle.EnsembleShape(3, 2, [2]int{4, 2}, [2]int{2, 6}, 3, 5, 4), sets,
	} {
		words := 0
		for _, segment := range WordLayout(s) {
			if segment.Name != "node_child" {
				words += segment.Length
			}
		}
		assumedAsProven(t, s, words)
	}
}

// boundsOf names the words of a network, and once more the negative parts, for the positive ones.
func boundsOf(s *shape.Shape) []Segment {
	return append(WordLayout(s), splitLayout(s, "positive_part", 2)...)
}

func assumedAsProven(t *testing.T, s *shape.Shape, want int) {
	t.Helper()
	kept, links := *s, shape.LinkOf(s)
	kept.Model = shape.Kept
	assumed, proven := typedWords(t, &kept, WordLayout(s)), typedWords(t, links.Sizes(), LinkLayout(links))
	if len(assumed) != want || len(proven) != want {
		t.Fatalf("%v: %d intervals are assumed, %d proven, want %d", s.Architecture, len(assumed), len(proven), want)
	}
	for i := range assumed {
		if assumed[i][0].Cmp(proven[i][0]) > 0 || assumed[i][1].Cmp(proven[i][1]) < 0 {
			t.Errorf("%v: number %d is assumed in %v, proven in %v", s.Architecture, i, assumed[i], proven[i])
		}
	}
}
