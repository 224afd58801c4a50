package radius_test

import (
	"math/big"
	"testing"

	"github.com/consensys/gnark-crypto/ecc/bn254/fr"
	"github.com/consensys/gnark/frontend"

	"equiproof/gadget/bounded"
	"equiproof/gadget/radius"
	"equiproof/internal/adversary"
)

// A radius is at least the root of R2 |c|^2, and not its negative: |(3, -4)| = 5.
func TestRadius(t *testing.T) {
	circuit := adversary.Compile(t, 4, func(a *bounded.Arith, wires []frontend.Variable) {
		c := (&adversary.Wires{Rest: wires}).Signed(a, 2, 8)
		reach := radius.Reach(a, c, a.Unsigned(wires[2], 8), a.Unsigned(wires[3], 12), nil)
		a.API().AssertIsEqual(reach.Wire(), wires[3])
	})
	circuit.Accepts(t, "exact", 3, -4, 100, 50)
	circuit.Accepts(t, "more", 3, -4, 100, 4095)
	circuit.Accepts(t, "no ball", 3, -4, 0, 0)
	circuit.Accepts(t, "a constant form", 0, 0, 100, 0)
	circuit.Accepts(t, "not a square, rounded up", 1, 1, 50, 10)
	circuit.Accepts(t, "not a square", 1, 1, 51, 11)
	circuit.Refuses(t, "less", 3, -4, 100, 49)
	circuit.Refuses(t, "not a square, rounded down", 1, 1, 51, 10)
	circuit.Refuses(t, "negative", 3, -4, 100, -50)
	circuit.Refuses(t, "one column's", 3, -4, 100, 40)
	circuit.Refuses(t, "beyond its width", 3, -4, 100, 4096)
}

// Where coefficients are rounded, c = 8 c' + e with e from -4 to 3: 27 = 8 * 3 + 3 and -36 = 8 * -4 - 4. Both radii count.
func TestCoarseRadius(t *testing.T) {
	circuit := adversary.Compile(t, 8, func(a *bounded.Arith, wires []frontend.Variable) {
		c := (&adversary.Wires{Rest: wires}).Signed(a, 2, 8)
		coarse := &radius.Coarse{Bits: 3, Quotient: wires[3:5], Radius: a.Unsigned(wires[6], 12)}
		reach := radius.Reach(a, c, a.Unsigned(wires[2], 8), a.Unsigned(wires[5], 12), coarse)
		a.API().AssertIsEqual(reach.Wire(), wires[7])
	})
	circuit.Accepts(t, "exact", 27, -36, 100, 3, -4, 50, 50, 450)
	circuit.Accepts(t, "more", 27, -36, 100, 3, -4, 60, 70, 550)
	circuit.Accepts(t, "least and largest", -128, 127, 1, -16, 16, 23, 1, 185)
	circuit.Refuses(t, "the remainder's radius left out of the reach", 27, -36, 100, 3, -4, 50, 50, 400)
	circuit.Refuses(t, "a radius too small", 27, -36, 100, 3, -4, 49, 50, 442)
	circuit.Refuses(t, "a remainder's radius too small", 27, -36, 100, 3, -4, 50, 49, 449)
	circuit.Refuses(t, "a negative radius", 27, -36, 100, 3, -4, -50, 50, -350)
	circuit.Refuses(t, "a negative remainder's radius", 27, -36, 100, 3, -4, 50, -50, 350)
	circuit.Refuses(t, "a quotient one more, with a remainder of -5", 27, -36, 100, 4, -4, 70, 70, 630)
	circuit.Refuses(t, "a quotient one less, with a remainder of 4", 27, -36, 100, 3, -5, 70, 70, 630)
	eighth := new(big.Int).ModInverse(big.NewInt(8), fr.Modulus())
	circuit.Refuses(t, "a fraction", 27, -36, 100, eighth.Mul(eighth, big.NewInt(27)), -4, 4000, 4000, 36000)
}

// What may be negative is refused at compile time.
func TestBoundsAreDemanded(t *testing.T) {
	for name, define := range map[string]func(a *bounded.Arith, wires []frontend.Variable){
		"radius": func(a *bounded.Arith, wires []frontend.Variable) {
			radius.Assert(a, nil, a.Unsigned(wires[0], 8), a.Signed(wires[1], 8))
		},
		"squared radius": func(a *bounded.Arith, wires []frontend.Variable) {
			radius.Assert(a, nil, a.Signed(wires[0], 8), a.Unsigned(wires[1], 8))
		},
	} {
		if _, err := adversary.Try(2, define); err == nil {
			t.Errorf("a signed %s compiles", name)
		}
	}
}
