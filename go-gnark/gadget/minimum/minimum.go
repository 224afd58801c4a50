// Package minimum joins the radii of the slices.
package minimum

import (
	"github.com/consensys/gnark/frontend"

	"equiproof/gadget/bounded"
)

// Assert makes smallest the minimum of the slices' squared radii (R-MIN).
//
// Relation: smallest <= radii[s] for every s, and smallest = radii[s] for one of them. Precondition: all are Ints. Where
// one radius serves every slice, as in the composed circuit, nothing remains to be asserted. Cost: one range check per
// slice and a product chain.
func Assert(a *bounded.Arith, smallest bounded.Int, radii []bounded.Int) {
	defer a.Part("minimum")()
	gap := frontend.Variable(1)
	for _, radius := range radii {
		above := a.Sub(radius, smallest)
		a.AssertNonNegative(above)
		gap = a.API().Mul(gap, above.Wire())
	}
	// Modulo a prime a product is 0 only where a factor is, however large it gets.
	a.API().AssertIsEqual(gap, 0)
}
