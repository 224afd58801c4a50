package affine_test

import (
	"fmt"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/consensys/gnark-crypto/ecc/bn254/fr"
	"github.com/consensys/gnark/frontend"

	"equiproof/gadget/affine"
	"equiproof/gadget/bounded"
	"equiproof/internal/adversary"
	"equiproof/internal/oracle"
)

// Apply is W h + b.
func TestApply(t *testing.T) {
	circuit := adversary.Compile(t, 2*3+2+3+2, func(a *bounded.Arith, wires []frontend.Variable) {
		take := &adversary.Wires{Rest: wires}
		layer := take.Layers(a, []int{3, 2}, 8, 8)[0]
		for _, value := range layer.Apply(a, take.Signed(a, 3, 8)) {
			a.API().AssertIsEqual(value.Wire(), take.Take(1)[0])
		}
	})
	// [1 2 3; -4 5 -6] (7, -8, 9) + (10, -11) = (28, -133)
	circuit.Accepts(t, "W h + b", 1, 2, 3, -4, 5, -6, 10, -11, 7, -8, 9, 28, -133)
	circuit.Refuses(t, "first value", 1, 2, 3, -4, 5, -6, 10, -11, 7, -8, 9, 29, -133)
	circuit.Refuses(t, "second value", 1, 2, 3, -4, 5, -6, 10, -11, 7, -8, 9, 28, -132)
	circuit.Refuses(t, "bias left out", 1, 2, 3, -4, 5, -6, 10, -11, 7, -8, 9, 18, -122)
}

// Split cuts every row at the given column, and what is cut off a row cannot be appended over.
func TestSplit(t *testing.T) {
	adversary.Compile(t, 6+2, func(a *bounded.Arith, wires []frontend.Variable) {
		layer := (&adversary.Wires{Rest: wires}).Layers(a, []int{3, 2}, 8, 8)[0]
		for at := 1; at < 3; at++ {
			plain, sensitive := layer.Split(at)
			for i, row := range layer.Weights {
				if len(plain[i]) != at || len(sensitive[i]) != 3-at {
					t.Fatalf("cut at %d: %d and %d columns", at, len(plain[i]), len(sensitive[i]))
				}
				if &plain[i][0] != &row[0] || &sensitive[i][0] != &row[at] {
					t.Errorf("cut at %d: other columns", at)
				}
			}
		}
	})
}

// label compiles a label of so many logits whose number is the last wire.
func label(t *testing.T, logits int) *adversary.Circuit {
	return adversary.Compile(t, logits+1, func(a *bounded.Arith, wires []frontend.Variable) {
		take := &adversary.Wires{Rest: wires}
		y := affine.NewLabel(a, take.Bits(a, logits))
		a.API().AssertIsEqual(y.Index(a).Wire(), wires[logits])
	})
}

// With one logit the label is 0 or 1, and its number is itself.
func TestLabelOfOneLogit(t *testing.T) {
	circuit := label(t, 1)
	circuit.Accepts(t, "0", 0, 0)
	circuit.Accepts(t, "1", 1, 1)
	circuit.Refuses(t, "2", 2, 2)
	circuit.Refuses(t, "-1", -1, -1)
	circuit.Refuses(t, "0 called 1", 0, 1)
}

// With several logits exactly one bit is set: zero bits, two, two and a negative one, and halves are refused.
func TestLabelOfSeveralLogits(t *testing.T) {
	circuit := label(t, 3)
	half := new(big.Int).ModInverse(big.NewInt(2), fr.Modulus())
	circuit.Accepts(t, "0", 1, 0, 0, 0)
	circuit.Accepts(t, "1", 0, 1, 0, 1)
	circuit.Accepts(t, "2", 0, 0, 1, 2)
	circuit.Refuses(t, "none", 0, 0, 0, 0)
	circuit.Refuses(t, "two", 1, 1, 0, 1)
	circuit.Refuses(t, "two and a negative one", 1, 1, -1, -1)
	circuit.Refuses(t, "two minus one", 2, -1, 0, -1)
	circuit.Refuses(t, "halves", half, half, 0, half)
	circuit.Refuses(t, "2 called 1", 0, 0, 1, 1)
}

// The slack is 1 for the label against itself where there are several logits, else 0.
func TestSlack(t *testing.T) {
	for _, logits := range []int{1, 2, 3} {
		circuit := adversary.Compile(t, 2*logits, func(a *bounded.Arith, wires []frontend.Variable) {
			take := &adversary.Wires{Rest: wires}
			y := affine.NewLabel(a, take.Bits(a, logits))
			for c, slack := range take.Take(logits) {
				a.API().AssertIsEqual(y.Slack(a, c).Wire(), slack)
			}
		})
		for y := range logits {
			bits := adversary.Digits(oracle.Pattern(1<<y, logits))
			want := bits
			if logits == 1 {
				want = []any{0}
			}
			circuit.Accepts(t, fmt.Sprint(logits, y), adversary.Join(bits, want)...)
			want = adversary.Join(want)
			want[y] = 1 - want[y].(int)
			circuit.Refuses(t, fmt.Sprint(logits, y), adversary.Join(bits, want)...)
		}
	}
}

// The margins are (2y - 1) logit for one logit, else logit_y - logit_c for every class, coefficient by coefficient.
func TestMargins(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 3))
	for _, logits := range []int{1, 2, 3} {
		sizes := []int{2, logits}
		circuit := adversary.Compile(t, 2*adversary.Count(sizes)+logits, func(a *bounded.Arith, wires []frontend.Variable) {
			take := &adversary.Wires{Rest: wires}
			layer := take.Layers(a, sizes, 8, 8)[0]
			y := affine.NewLabel(a, take.Bits(a, logits))
			margins := y.Margins(a, layer)
			for _, row := range append(append([][]bounded.Int{}, margins.Weights...), margins.Biases) {
				for _, entry := range row {
					a.API().AssertIsEqual(entry.Wire(), take.Take(1)[0])
				}
			}
		})
		for y := range max(2, logits) {
			network, bits, forms := labelled(random, sizes, y)
			want := oracle.Network{{}}
			for _, margin := range oracle.Margins(forms, y) {
				want[0].Weights = append(want[0].Weights, margin.C)
				want[0].Biases = append(want[0].Biases, margin.D)
			}
			values := adversary.Join(adversary.Flat(network), bits, adversary.Flat(want))
			circuit.Accepts(t, fmt.Sprint(logits, y), values...)
			for i := range adversary.Count(sizes) {
				wrong := adversary.Join(values)
				at := len(values) - 1 - i
				wrong[at] = new(big.Int).Add(wrong[at].(*big.Int), big.NewInt(1))
				circuit.Refuses(t, fmt.Sprint(logits, y, i), wrong...)
			}
		}
	}
}

// labelled draws a layer of logits; it returns with it the wires of label y and the logits' forms.
func labelled(random *rand.Rand, sizes []int, y int) (network oracle.Network, bits []any, forms []oracle.Form) {
	logits := sizes[len(sizes)-1]
	network, bits = oracle.Random(random, sizes, 127, 127), []any{y}
	if logits > 1 {
		bits = adversary.Digits(oracle.Pattern(1<<y, logits))
	}
	for i := range logits {
		forms = append(forms, oracle.Form{C: network[0].Weights[i], D: network[0].Biases[i]})
	}
	return network, bits, forms
}

// The rivals' margins are those of every class but the label, in their order; of one logit the one margin there is.
func TestRivals(t *testing.T) {
	random := rand.New(rand.NewPCG(4, 4))
	for _, logits := range []int{1, 2, 3, 4} {
		sizes, rivals := []int{2, logits}, max(1, logits-1)
		circuit := adversary.Compile(t, adversary.Count(sizes)+logits+3*rivals, func(a *bounded.Arith, wires []frontend.Variable) {
			take := &adversary.Wires{Rest: wires}
			layer := take.Layers(a, sizes, 8, 8)[0]
			y := affine.NewLabel(a, take.Bits(a, logits))
			found := y.Rivals(a, layer)
			for i, row := range found.Weights {
				for _, entry := range append(append([]bounded.Int{}, row...), found.Biases[i]) {
					if lo, hi := entry.Bounds(); lo.Int64() < -255 || hi.Int64() > 255 {
						t.Errorf("an entry lies in [%v, %v]", lo, hi)
					}
					a.API().AssertIsEqual(entry.Wire(), take.Take(1)[0])
				}
			}
		})
		for y := range max(2, logits) {
			network, bits, forms := labelled(random, sizes, y)
			values := adversary.Join(adversary.Flat(network), bits)
			for c, margin := range oracle.Margins(forms, y) {
				if logits == 1 || c != y {
					values = adversary.Join(values, margin.C, margin.D)
				}
			}
			circuit.Accepts(t, fmt.Sprint(logits, y), values...)
			for i := range 3 * rivals {
				wrong := adversary.Join(values)
				at := len(values) - 1 - i
				wrong[at] = new(big.Int).Add(wrong[at].(*big.Int), big.NewInt(1))
				circuit.Refuses(t, fmt.Sprint(logits, y, i), wrong...)
			}
		}
	}
}
