package inference_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/consensys/gnark/frontend"

	"equiproof/gadget/affine"
	"equiproof/gadget/bounded"
	"equiproof/gadget/inference"
	"equiproof/gadget/polytope"
	"equiproof/internal/adversary"
	"equiproof/internal/oracle"
)

// centre compiles the inference at a point: weights, the point, the label's bits, the pattern.
func centre(t *testing.T, sizes []int) *adversary.Circuit {
	neurons, logits := 0, sizes[len(sizes)-1]
	for _, size := range sizes[1 : len(sizes)-1] {
		neurons += size
	}
	wires := adversary.Count(sizes) + sizes[0] + logits + neurons
	return adversary.Compile(t, wires, func(a *bounded.Arith, wires []frontend.Variable) {
		take := &adversary.Wires{Rest: wires}
		layers := take.Layers(a, sizes, 8, 16)
		point := take.Signed(a, sizes[0], 8)
		label := affine.NewLabel(a, take.Bits(a, logits))
		pattern := take.Bits(a, neurons)
		last := len(layers) - 1
		above := append(append([]affine.Layer{}, layers[1:last]...), label.Margins(a, layers[last]))
		first := layers[0].Apply(a, point)
		forms := polytope.New(a, above, polytope.Gram(a, layers[0].Weights)).Forms(first, pattern)
		inference.Assert(a, first, forms, pattern, label)
	})
}

func labelBits(label, logits int) []any {
	if logits == 1 {
		return []any{label}
	}
	return adversary.Digits(oracle.Pattern(1<<label, logits))
}

// Only the network's own patterns and labels are accepted, and at a tie no label is. The networks have
// weights of at most 2, so that zeros and ties are met.
func TestOnlyTheNetworksOwnPatternAndDecision(t *testing.T) {
	random := rand.New(rand.NewPCG(2, 9))
	zeros, ties := 0, 0
	for _, sizes := range [][]int{{2, 2, 1}, {2, 2, 1, 1}, {2, 1, 2, 2}, {2, 2, 3}} {
		circuit := centre(t, sizes)
		for range 6 {
			network := oracle.Random(random, sizes, 2, 2)
			point := oracle.Vector(random, sizes[0], 2)
			right, logits := network.Evaluate(point)
			decision := oracle.Decision(logits)
			if decision < 0 {
				ties++
			}
			for number := range 1 << network.Neurons() {
				pattern := oracle.Pattern(number, network.Neurons())
				for label := range max(2, len(logits)) {
					given := adversary.Join(adversary.Flat(network), point, labelBits(label, len(logits)), adversary.Digits(pattern))
					name := fmt.Sprintf("%v: pattern %v for %v, label %d for %v", sizes, pattern, right, label, logits)
					if slices.Equal(pattern, right) && label == decision {
						circuit.Accepts(t, name, given...)
					} else if len(circuit.Prover.Solve(adversary.Elements(given...), nil).Violated) == 0 {
						t.Errorf("%s: every row holds", name)
					}
				}
			}
			for i, bias := range network[0].Biases {
				if (oracle.Form{C: network[0].Weights[i], D: bias}).At(point).Sign() == 0 {
					zeros++
				}
			}
		}
	}
	if zeros == 0 || ties == 0 {
		t.Errorf("%d zero pre-activations and %d ties were met, want some of both", zeros, ties)
	}
}

// A neuron whose pre-activation is exactly zero is active, and only active.
func TestZeroIsActive(t *testing.T) {
	circuit := centre(t, []int{2, 1, 1})
	// 3 * 2 - 2 * 3 + 0 = 0; the logit is 5 h + 7.
	circuit.Accepts(t, "active", 3, -2, 0, 5, 7, 2, 3, 1, 1)
	circuit.Refuses(t, "not active", 3, -2, 0, 5, 7, 2, 3, 1, 0)
	circuit.Accepts(t, "-1 is not active", 3, -2, -1, 5, 7, 2, 3, 1, 0)
	circuit.Refuses(t, "-1 called active", 3, -2, -1, 5, 7, 2, 3, 1, 1)
}

// A margin of exactly one decides, zero does not, for label 0 as for label 1, for one logit as for several.
func TestDecisionsAreStrict(t *testing.T) {
	one, two := centre(t, []int{1, 1, 1}), centre(t, []int{1, 1, 2})
	for bias, want := range map[int][2]bool{-1: {true, false}, 0: {false, false}, 1: {false, true}} {
		for label := range 2 {
			// The neuron is 0 x + 0; the logit is the bias, or the biases are 3 and 3 + bias.
			single := []any{0, 0, 0, bias, 5, label, 1}
			several := adversary.Join([]any{0, 0, 0, 0, 3, 3 + bias, 5}, labelBits(label, 2), 1)
			name := fmt.Sprintf("margin %d, label %d", bias, label)
			if want[label] {
				one.Accepts(t, name, single...)
				two.Accepts(t, name, several...)
			} else {
				one.Refuses(t, name, single...)
				two.Refuses(t, name, several...)
			}
		}
	}
}

// A network of zeros decides nothing: neither label is accepted.
func TestZeroNetworkDecidesNothing(t *testing.T) {
	for _, sizes := range [][]int{{2, 2, 1}, {2, 2, 1, 2}} {
		circuit := centre(t, sizes)
		network := oracle.Random(rand.New(rand.NewPCG(1, 1)), sizes, 0, 0)
		for label := range 2 {
			for number := range 1 << network.Neurons() {
				pattern := adversary.Digits(oracle.Pattern(number, network.Neurons()))
				given := adversary.Join(adversary.Flat(network), 1, 1, labelBits(label, sizes[len(sizes)-1]), pattern)
				circuit.Refuses(t, fmt.Sprint(sizes, label, number), given...)
			}
		}
	}
}

// A pattern of numbers that are no bits is refused, also where it makes the signs come out right.
func TestPatternsAreBits(t *testing.T) {
	circuit := centre(t, []int{2, 1, 1})
	circuit.Accepts(t, "a bit", 3, 0, 0, 5, 7, 2, 3, 1, 1)
	circuit.Refuses(t, "two", 3, 0, 0, 5, 7, 2, 3, 1, 2)
	circuit.Refuses(t, "minus one", -3, 0, 0, 5, 7, 2, 3, 1, -1)
}
