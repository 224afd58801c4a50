package kept_test

import (
	"math/big"
	"reflect"
	"testing"

	"github.com/consensys/gnark/frontend"

	"equiproof/gadget/additive"
	"equiproof/gadget/bounded"
	"equiproof/gadget/kept"
	"equiproof/gadget/trees"
	"equiproof/internal/adversary"
	"equiproof/shape"
)

// within reports integers that have not the bounds low and high.
func within(t *testing.T, what string, low, high int64, numbers ...bounded.Int) {
	t.Helper()
	for i, number := range numbers {
		if lo, hi := number.Bounds(); lo.Cmp(big.NewInt(low)) != 0 || hi.Cmp(big.NewInt(high)) != 0 {
			t.Errorf("%s %d is in [%d, %d], want [%d, %d]", what, i, lo, hi, low, high)
		}
	}
}

// typed compiles a circuit that types wires and checks one of another kind, and returns it; nothing that is typed has a row.
func typed(t *testing.T, wires int, define func(a *bounded.Arith, wires []frontend.Variable)) *adversary.Circuit {
	t.Helper()
	without := adversary.Compile(t, wires+1, func(a *bounded.Arith, wires []frontend.Variable) { a.Unsigned(wires[0], 3) })
	with := adversary.Compile(t, wires+1, func(a *bounded.Arith, wires []frontend.Variable) {
		a.Unsigned(wires[0], 3)
		define(a, wires[1:])
	})
	if found, want := with.Compiled.GetNbConstraints(), without.Compiled.GetNbConstraints(); found != want {
		t.Errorf("%d constraints, want the %d of a circuit that types nothing", found, want)
	}
	return with
}

// Weights have their signed bits, negative parts and the sums that are positive parts half of that; none has a row.
func TestWordsOfNetworks(t *testing.T) {
	typed(t, 4, func(a *bounded.Arith, wires []frontend.Variable) {
		within(t, "bias", -8, 7, kept.Signed(a, wires[:2], 4)...)
		weights, split := kept.Split(a, wires[:2], wires[2:], 4)
		within(t, "weight", -8, 7, weights...)
		within(t, "negative part", 0, 8, split.Negative...)
		within(t, "positive part", 0, 7, split.Positive...)
	})
}

// A positive part is the weight and its negative part together.
func TestPositivePart(t *testing.T) {
	circuit := adversary.Compile(t, 3, func(a *bounded.Arith, wires []frontend.Variable) {
		_, split := kept.Split(a, wires[:1], wires[1:2], 4)
		a.API().AssertIsEqual(split.Positive[0].Wire(), wires[2])
	})
	circuit.Accepts(t, "of a negative weight", -5, 5, 0)
	circuit.Accepts(t, "of a positive weight", 5, 0, 5)
	circuit.Refuses(t, "of another weight", 4, 0, 5)
	circuit.Refuses(t, "of another negative part", 5, 1, 5)
	circuit.Accepts(t, "of parts that do not follow, as a link alone shows", 5, 2, 7)
}

// Predicates are a column and a threshold each; columns are of all, thresholds, jumps and the bias have their signed bits.
func TestWordsOfPredicates(t *testing.T) {
	typed(t, 7, func(a *bounded.Arith, wires []frontend.Variable) {
		m := kept.Model(a, additive.Sizes{
			PlainColumns: 3, SensitiveColumns: 2, PlainPredicates: 1, SensitivePredicates: 1, InputBits: 5, JumpBits: 4, BiasBits: 6,
		}, wires[:4], wires[4:6], wires[6])
		within(t, "column", 0, 4, m.Columns...)
		within(t, "threshold", -16, 15, m.Thresholds...)
		within(t, "jump", -8, 7, m.Jumps...)
		within(t, "bias", -32, 31, m.Bias)
		for i, number := range m.Numbers() {
			if !reflect.DeepEqual(number.Wire(), wires[i]) {
				t.Errorf("number %d of the commitment is another wire", i)
			}
		}
		if m.Plain != 1 || len(m.Columns) != 2 {
			t.Errorf("%d predicates, %d of them plain", len(m.Columns), m.Plain)
		}
	})
}

// Nodes have predicates, bits that send missing values, and values; what is in sets is bits.
func TestWordsOfNodes(t *testing.T) {
	typed(t, 12, func(a *bounded.Arith, wires []frontend.Variable) {
		n := kept.Nodes(a, trees.Sizes{Trees: 1, Predicates: 5, ValueBits: 4}, wires[:2], wires[2:4], wires[4:7], wires[7:11])
		numbers := n.Numbers()
		within(t, "predicate", 0, 4, numbers[:2]...)
		within(t, "missing", 0, 1, numbers[2:4]...)
		within(t, "value", -8, 7, numbers[4:]...)
		single := kept.Nodes(a, trees.Sizes{Trees: 1, Predicates: 1, ValueBits: 4}, wires[:1], nil, wires[4:6], wires[7:9])
		within(t, "the one predicate", 0, 1, single.Numbers()[:1]...)
	})
	typed(t, 6, func(a *bounded.Arith, wires []frontend.Variable) {
		of := &shape.Architecture{Categories: []shape.Category{{First: 0, High: 1, Sets: 2, Values: 3}}}
		within(t, "member", 0, 1, kept.Sets(a, of, wires).Numbers()...)
	})
}
