package minimum_test

import (
	"math/big"
	"testing"

	"github.com/consensys/gnark-crypto/ecc/bn254/fr"
	"github.com/consensys/gnark/frontend"

	"equiproof/gadget/bounded"
	"equiproof/gadget/minimum"
	"equiproof/internal/adversary"
)

// The smallest is one of the radii and no larger than any: not one less, not another one, not the largest, none at all.
func TestMinimum(t *testing.T) {
	circuit := adversary.Compile(t, 4, func(a *bounded.Arith, wires []frontend.Variable) {
		var radii []bounded.Int
		for _, wire := range wires[1:] {
			radii = append(radii, a.Unsigned(wire, 29))
		}
		minimum.Assert(a, a.Unsigned(wires[0], 29), radii)
	})
	circuit.Accepts(t, "the first", 3, 3, 4, 5)
	circuit.Accepts(t, "the last", 3, 4, 5, 3)
	circuit.Accepts(t, "all", 7, 7, 7, 7)
	circuit.Accepts(t, "nothing", 0, 0, 1<<29-1, 1)
	circuit.Refuses(t, "less than any", 2, 3, 4, 5)
	circuit.Refuses(t, "the second", 4, 3, 4, 5)
	circuit.Refuses(t, "the largest", 5, 3, 4, 5)
	circuit.Refuses(t, "more than any", 6, 3, 4, 5)
	circuit.Refuses(t, "a negative one", -1, -1, 4, 5)
	circuit.Refuses(t, "a fraction", new(big.Int).ModInverse(big.NewInt(2), fr.Modulus()), 3, 4, 5)
}
