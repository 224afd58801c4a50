package lint_test

import (
	"slices"
	"testing"

	"github.com/consensys/gnark/frontend"

	"equiproof/gadget/bounded"
	"equiproof/internal/adversary"
	"equiproof/internal/lint"
)

// over asserts identities of wires over a challenge.
type over func(api frontend.API, challenge frontend.Variable, wires []frontend.Variable)

// challenged compiles three committed wires under identities.
func challenged(t *testing.T, identity over) *lint.System {
	t.Helper()
	return adversary.Compile(t, 3, func(a *bounded.Arith, wires []frontend.Variable) {
		a.Argue(func() []frontend.Variable { return wires }, func(api frontend.API, challenge frontend.Variable) error {
			identity(api, challenge, wires)
			return nil
		})
	}).Prover.System
}

// The degree of an identity is that of its numerator over the common denominator: as many challenges can satisfy it.
func TestDegrees(t *testing.T) {
	for name, test := range map[string]struct {
		want     []uint64
		identity over
	}{
		"x^3 u + v = w": {[]uint64{3}, func(api frontend.API, x frontend.Variable, w []frontend.Variable) {
			api.AssertIsEqual(api.Add(api.Mul(x, x, x, w[0]), w[1]), w[2])
		}},
		"1 / (x - u) + 1 / (x - v) = w / (x^2 - 7)": {[]uint64{3}, func(api frontend.API, x frontend.Variable, w []frontend.Variable) {
			one, two := api.Inverse(api.Sub(x, w[0])), api.Inverse(api.Sub(x, w[1]))
			api.AssertIsEqual(api.Add(one, two), api.DivUnchecked(w[2], api.Sub(api.Mul(x, x), 7)))
		}},
		"u / (x - v) * 1 / x = w": {[]uint64{2}, func(api frontend.API, x frontend.Variable, w []frontend.Variable) {
			api.AssertIsEqual(api.Mul(api.DivUnchecked(w[0], api.Sub(x, w[1])), api.Inverse(x)), w[2])
		}},
		"two identities": {[]uint64{2, 1}, func(api frontend.API, x frontend.Variable, w []frontend.Variable) {
			api.AssertIsEqual(api.Mul(x, x, w[0]), w[1])
			api.AssertIsEqual(api.Mul(x, w[0]), w[2])
		}},
	} {
		t.Run(name, func(t *testing.T) {
			found, err := challenged(t, test.identity).Degrees()
			if err != nil || !slices.Equal(found, test.want) {
				t.Errorf("%v, %v, want %v", found, err, test.want)
			}
		})
	}
}

// A lookup combines index and value by a hash of the challenge, which counts as one more challenge: three rows and two
// queries are an identity of degree 4.
func TestDegreeOfALookup(t *testing.T) {
	system := adversary.Compile(t, 5, func(a *bounded.Arith, wires []frontend.Variable) {
		table := a.Table()
		for _, wire := range wires[:3] {
			table.Insert(wire)
		}
		a.API().AssertIsEqual(a.API().Add(table.Lookup(wires[3], 2)[0], 1), wires[4])
	}).Prover.System
	if found, err := system.Degrees(); err != nil || !slices.Equal(found, []uint64{4}) {
		t.Errorf("%v, %v, want 4", found, err)
	}
}

// A row behind the challenge that leaves two wires open has no degree.
func TestNoDegree(t *testing.T) {
	system := challenged(t, func(api frontend.API, x frontend.Variable, w []frontend.Variable) {
		two, err := api.NewHint(double, 1, x)
		if err != nil {
			t.Fatal(err)
		}
		api.AssertIsEqual(api.Mul(two[0], x), w[0])
		api.AssertIsEqual(api.Add(api.Mul(two[0], two[0]), x), w[1])
	})
	if found, err := system.Degrees(); err == nil {
		t.Errorf("%v", found)
	}
}
