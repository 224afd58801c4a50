package boundary_test

import (
	"math/big"
	"testing"

	"github.com/consensys/gnark-crypto/ecc/bn254/fr"
	"github.com/consensys/gnark/frontend"

	"equiproof/gadget/boundary"
	"equiproof/gadget/bounded"
	"equiproof/gadget/distance"
	"equiproof/internal/adversary"
)

// A decision hyperplane is no nearer than the radius: on the sphere is far enough, one less is not, and no negative or
// wrapped radius helps.
func TestBoundary(t *testing.T) {
	circuit := adversary.Compile(t, 3, func(a *bounded.Arith, wires []frontend.Variable) {
		form := distance.Form{Value: a.Signed(wires[0], 16), NormSquared: a.Unsigned(wires[1], 30)}
		boundary.Assert(a, distance.Excess(a, form, a.Unsigned(wires[2], 29)))
	})
	circuit.Accepts(t, "outside", -101, 25, 400)
	circuit.Accepts(t, "on the sphere", 100, 25, 400)
	circuit.Accepts(t, "no radius", 1, 25, 0)
	circuit.Accepts(t, "a constant zero", 0, 0, 400)
	circuit.Refuses(t, "inside", 99, 25, 400)
	circuit.Refuses(t, "inside, on the other side", -99, 25, 400)
	circuit.Refuses(t, "through the centre", 0, 1, 1)
	circuit.Refuses(t, "negative radius", 99, 25, -400)
	circuit.Refuses(t, "radius |c|^-2", 99, 25, new(big.Int).ModInverse(big.NewInt(25), fr.Modulus()))
	circuit.Refuses(t, "norm out of range", 99, new(big.Int).ModInverse(big.NewInt(400), fr.Modulus()), 400)
}
