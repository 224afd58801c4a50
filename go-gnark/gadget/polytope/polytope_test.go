package polytope_test

import (
	"fmt"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/consensys/gnark/frontend"

	"equiproof/gadget/affine"
	"equiproof/gadget/bounded"
	"equiproof/gadget/distance"
	"equiproof/gadget/polytope"
	"equiproof/internal/adversary"
	"equiproof/internal/oracle"
)

const plain, sensitive = 2, 1

// region compiles the forms of one region of a network: its weights, the centre, the label's bits, the pattern, and then
// value and squared norm of every neuron and margin.
func region(t *testing.T, sizes []int) *adversary.Circuit {
	neurons, logits := 0, sizes[len(sizes)-1]
	for _, size := range sizes[1 : len(sizes)-1] {
		neurons += size
	}
	wires := adversary.Count(sizes) + plain + sensitive + logits + neurons + 2*(neurons+logits)
	return adversary.Compile(t, wires, func(a *bounded.Arith, wires []frontend.Variable) {
		take := &adversary.Wires{Rest: wires}
		layers := take.Layers(a, sizes, 8, 16)
		centre := take.Signed(a, plain+sensitive, 8)
		label := affine.NewLabel(a, take.Bits(a, logits))
		pattern := take.Bits(a, neurons)
		last := len(layers) - 1
		rows, _ := layers[0].Split(plain)
		gram := polytope.Gram(a, rows)
		network := polytope.New(a, append(append([]affine.Layer{}, layers[1:last]...), label.Margins(a, layers[last])), gram)
		first := layers[0].Apply(a, centre)
		forms := network.Forms(first, pattern)
		var found []distance.Form
		for i, norm := range polytope.Diagonal(gram, len(first)) {
			found = append(found, distance.Form{Value: first[i], NormSquared: norm})
		}
		for _, layer := range forms.Hidden {
			found = append(found, layer...)
		}
		for _, form := range append(found, forms.Margins...) {
			for _, value := range []bounded.Int{form.Value, form.NormSquared} {
				a.API().AssertIsEqual(value.Wire(), take.Take(1)[0])
			}
		}
		if len(take.Rest) > 0 {
			t.Fatalf("%d numbers are missing", len(take.Rest))
		}
	})
}

// expected computes value and squared norm of every neuron and margin out of explicit coefficients.
func expected(network oracle.Network, x, s []*big.Int, pattern []bool, label int) []*big.Int {
	hidden, logits := network.Forms(s, pattern)
	var forms []oracle.Form
	for _, layer := range hidden {
		forms = append(forms, layer...)
	}
	var values []*big.Int
	for _, form := range append(forms, oracle.Margins(logits, label)...) {
		values = append(values, form.At(x), form.NormSquared())
	}
	return values
}

func labelBits(label, logits int) []any {
	if logits == 1 {
		return []any{label}
	}
	return adversary.Digits(oracle.Pattern(1<<label, logits))
}

// The values at the centre and the squared norms are those of the explicit coefficients, for every pattern, reachable or
// not, of random networks with one to four hidden layers and one to three logits; and no others.
func TestFormsAreThoseOfTheCoefficients(t *testing.T) {
	random := rand.New(rand.NewPCG(11, 4))
	for _, sizes := range [][]int{
		{3, 1, 1}, {3, 3, 1}, {3, 2, 2}, {3, 3, 3}, {3, 2, 2, 1}, {3, 1, 3, 2}, {3, 3, 1, 3}, {3, 2, 1, 2, 1}, {3, 1, 2, 2, 3},
		{3, 1, 2, 1, 2, 2}, {3, 2, 1, 1, 2, 1},
	} {
		t.Run(fmt.Sprint(sizes), func(t *testing.T) {
			t.Helper()
			circuit := region(t, sizes)
			network := oracle.Random(random, sizes, 127, 1000)
			neurons, logits := network.Neurons(), sizes[len(sizes)-1]
			for number := range 1 << neurons {
				x, s := oracle.Vector(random, plain, 100), oracle.Vector(random, sensitive, 100)
				label := random.IntN(max(2, logits))
				pattern := oracle.Pattern(number, neurons)
				want := expected(network, x, s, pattern, label)
				given := adversary.Join(adversary.Flat(network), x, s, labelBits(label, logits), adversary.Digits(pattern))
				values := adversary.Elements(adversary.Join(given, want)...)
				if attempt := circuit.Prover.Solve(values, nil); len(attempt.Violated) > 0 {
					t.Fatalf("pattern %b: rows %v do not hold", number, attempt.Violated)
				}
				wrong := random.IntN(len(want))
				want[wrong] = new(big.Int).Sub(want[wrong], big.NewInt(1))
				if number == 0 {
					circuit.Refuses(t, fmt.Sprintf("number %d less one", wrong), adversary.Join(given, want)...)
				} else if attempt := circuit.Prover.Solve(adversary.Elements(adversary.Join(given, want)...), nil); len(attempt.Violated) == 0 {
					t.Errorf("pattern %b: number %d less one passes", number, wrong)
				}
			}
		})
	}
}

// Each value and each norm by itself is held: changing any one of them is refused.
func TestEveryNumberIsHeld(t *testing.T) {
	sizes := []int{3, 2, 2, 2}
	circuit := region(t, sizes)
	network := oracle.Random(rand.New(rand.NewPCG(5, 5)), sizes, 100, 1000)
	x, s := []*big.Int{big.NewInt(31), big.NewInt(-77)}, []*big.Int{big.NewInt(5)}
	pattern := []bool{true, true, false, true}
	want := expected(network, x, s, pattern, 1)
	given := adversary.Join(adversary.Flat(network), x, s, labelBits(1, 2), adversary.Digits(pattern))
	circuit.Accepts(t, "all", adversary.Join(given, want)...)
	for i := range want {
		wrong := append([]*big.Int{}, want...)
		wrong[i] = new(big.Int).Add(want[i], big.NewInt(1))
		circuit.Refuses(t, fmt.Sprint(i), adversary.Join(given, wrong)...)
	}
}

// Gram lists W W^T row by row from the diagonal on, and Diagonal finds the squared norms in it.
func TestGramByHand(t *testing.T) {
	circuit := adversary.Compile(t, 6+6+3, func(a *bounded.Arith, wires []frontend.Variable) {
		take := &adversary.Wires{Rest: wires}
		rows := [][]bounded.Int{take.Signed(a, 2, 8), take.Signed(a, 2, 8), take.Signed(a, 2, 8)}
		gram := polytope.Gram(a, rows)
		for _, entry := range append(append([]bounded.Int{}, gram...), polytope.Diagonal(gram, 3)...) {
			a.API().AssertIsEqual(entry.Wire(), take.Take(1)[0])
		}
	})
	// Rows (1, 2), (3, -4), (-5, 6).
	circuit.Accepts(t, "by hand", 1, 2, 3, -4, -5, 6, 5, -5, 7, 25, -39, 61, 5, 25, 61)
	circuit.Refuses(t, "another product", 1, 2, 3, -4, -5, 6, 5, -5, 7, 25, -38, 61, 5, 25, 61)
	circuit.Refuses(t, "another norm", 1, 2, 3, -4, -5, 6, 5, -5, 7, 25, -39, 61, 5, 7, 61)
}

// The proven bounds of all forms hold their values at the ends of every width, for every pattern.
func TestBoundsHoldAtTheEnds(t *testing.T) {
	sizes := []int{3, 2, 2, 1}
	extreme := func(sign int64) oracle.Network {
		network := oracle.Random(rand.New(rand.NewPCG(1, 1)), sizes, 1, 1)
		for _, layer := range network {
			for i, row := range layer.Weights {
				for j := range row {
					row[j].SetInt64(-128)
				}
				layer.Biases[i].SetInt64(sign * 32767)
			}
		}
		return network
	}
	adversary.Compile(t, adversary.Count(sizes)+3+1+4, func(a *bounded.Arith, wires []frontend.Variable) {
		take := &adversary.Wires{Rest: wires}
		layers := take.Layers(a, sizes, 8, 16)
		centre := take.Signed(a, 3, 8)
		label := affine.NewLabel(a, take.Bits(a, 1))
		rows, _ := layers[0].Split(plain)
		network := polytope.New(a, []affine.Layer{layers[1], label.Margins(a, layers[2])}, polytope.Gram(a, rows))
		forms := network.Forms(layers[0].Apply(a, centre), take.Bits(a, 4))
		for number := range 16 {
			for _, sign := range []int64{-1, 1} {
				plainForms, logits := extreme(sign).Forms([]*big.Int{big.NewInt(-128)}, oracle.Pattern(number, 4))
				x := []*big.Int{big.NewInt(-128), big.NewInt(-128)}
				for i, form := range plainForms[1] {
					holds(t, forms.Hidden[0][i], form, x)
				}
				for y := range 2 {
					holds(t, forms.Margins[0], oracle.Margins(logits, y)[0], x)
				}
			}
		}
	})
}

func holds(t *testing.T, form distance.Form, want oracle.Form, x []*big.Int) {
	t.Helper()
	for _, pair := range []struct {
		value bounded.Int
		want  *big.Int
	}{{form.Value, want.At(x)}, {form.NormSquared, want.NormSquared()}} {
		if lo, hi := pair.value.Bounds(); pair.want.Cmp(lo) < 0 || pair.want.Cmp(hi) > 0 {
			t.Errorf("%v is not in [%v, %v]", pair.want, lo, hi)
		}
	}
}
