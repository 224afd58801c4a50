package kept_test

import (
	"math/big"
	"testing"

	"github.com/consensys/gnark-crypto/ecc/bn254/fr"
	"github.com/consensys/gnark/frontend"

	"equiproof/gadget/bounded"
	"equiproof/gadget/kept"
	"equiproof/internal/adversary"
	"equiproof/internal/oracle"
)

// The value is C r^3 + w_1 r^2 + w_2 r + w_3, and nothing else: 2 * 1000 + 3 * 100 + 5 * 10 + 7 for r = 10.
func TestValue(t *testing.T) {
	circuit := adversary.Compile(t, 6, func(a *bounded.Arith, wires []frontend.Variable) {
		a.API().AssertIsEqual(kept.Value(a, wires[1:4], wires[0], wires[4]), wires[5])
	})
	circuit.Accepts(t, "by hand", 2, 3, 5, 7, 10, 2357)
	circuit.Accepts(t, "at zero", 2, 3, 5, 7, 0, 7)
	circuit.Refuses(t, "another value", 2, 3, 5, 7, 10, 2358)
	circuit.Refuses(t, "another C", 3, 3, 5, 7, 10, 2357)
	circuit.Refuses(t, "another word", 2, 4, 5, 7, 10, 2357)
	circuit.Refuses(t, "another last word", 2, 3, 5, 8, 10, 2357)
	circuit.Refuses(t, "words swapped", 2, 5, 3, 7, 10, 2357)
	circuit.Refuses(t, "sum kept", 2, 4, 4, 7, 10, 2357)
	circuit.Accepts(t, "other words with the same value at this r", 2, 4, -5, 7, 10, 2357)
}

// What is shown is the hash of a tag, a version, the blinding and the value.
func TestShown(t *testing.T) {
	circuit := adversary.Compile(t, 3, func(a *bounded.Arith, wires []frontend.Variable) {
		shown, err := kept.Shown(a, wires[0], wires[1])
		if err != nil {
			t.Fatal(err)
		}
		a.API().AssertIsEqual(shown, wires[2])
	})
	shown := oracle.Hash(oracle.Tag("equiproof.link"), big.NewInt(1), big.NewInt(11), big.NewInt(12))
	circuit.Accepts(t, "the hash", 11, 12, shown)
	circuit.Refuses(t, "another blinding", 12, 12, shown)
	circuit.Refuses(t, "another value", 11, 13, shown)
	circuit.Refuses(t, "swapped", 12, 11, shown)
	circuit.Refuses(t, "without the version", 11, 12, oracle.Hash(oracle.Tag("equiproof.link"), big.NewInt(11), big.NewInt(12)))
}

// The first commitment is of the words and C; the challenge enters the value, and the value what is shown.
func TestShow(t *testing.T) {
	circuit := adversary.Compile(t, 6, func(a *bounded.Arith, wires []frontend.Variable) {
		shown, err := kept.Show(a, wires[:3], wires[3], wires[4])
		if err != nil {
			t.Fatal(err)
		}
		a.API().AssertIsEqual(shown, wires[5])
		a.Argue(func() []frontend.Variable { return wires[:1] }, func(api frontend.API, challenge frontend.Variable) error {
			api.AssertIsDifferent(challenge, wires[0])
			return nil
		})
	})
	first := circuit.Prover.System.First
	if first == nil || len(first.Committed) != 5 || first.Committed[0] != 1 || first.Committed[3] != 4 {
		t.Fatalf("%+v", first)
	}
	// The cheating prover draws a challenge of its own: the shown number has to be that of the challenge.
	r := big.NewInt(77)
	fixed := func(wire int, _ adversary.Origin, value *fr.Element) {
		if wire == first.Challenge {
			value.SetBigInt(r)
		}
	}
	value := new(big.Int)
	for _, coefficient := range []int64{5, 2, 3, 4} {
		value.Mul(value, r).Add(value, big.NewInt(coefficient))
	}
	shown := oracle.Hash(oracle.Tag("equiproof.link"), big.NewInt(1), big.NewInt(9), value)
	if violated := circuit.Prover.Solve(adversary.Elements(2, 3, 4, 5, 9, shown), fixed).Violated; len(violated) > 0 {
		t.Errorf("rows %v do not hold", violated)
	}
	for name, inputs := range map[string][]any{
		"another word": {2, 3, 5, 5, 9, shown}, "words swapped": {3, 2, 4, 5, 9, shown}, "another C": {2, 3, 4, 6, 9, shown},
		"another E": {2, 3, 4, 5, 8, shown}, "another challenge's": {2, 3, 4, 5, 9, oracle.Hash(oracle.Tag("equiproof.link"), big.NewInt(1), big.NewInt(9), big.NewInt(4))},
	} {
		if len(circuit.Prover.Solve(adversary.Elements(inputs...), fixed).Violated) == 0 {
			t.Errorf("%s: every row holds", name)
		}
	}
}
