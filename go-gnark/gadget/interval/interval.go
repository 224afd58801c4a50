// Package interval holds bounds of pre-activations on a slice's ball.
package interval

import (
	"math/big"

	"equiproof/gadget/bounded"
)

// First holds the bounds of a neuron of layer 1 (R-B-FIRST).
//
// Relation: low <= z - r and high >= z + r. Precondition: z is the neuron's value at the slice's centre and r at least
// sqrt(R2) times the norm of its weights over the n_x columns. Outside it: bounds of something else. Cost: two range
// checks.
func First(a *bounded.Arith, z, r, low, high bounded.Int) {
	defer a.Part("interval")()
	a.AssertNonNegative(a.Sub(a.Sub(z, r), low))
	a.AssertNonNegative(a.Sub(high, a.Add(z, r)))
}

// Assert holds a bound of a deeper layer to the form of its backward pass (R-B-BOUND).
//
// Relation: bound <= 2^shift (centre - reach), where a negative shift multiplies the left side by 2^-shift. Precondition:
// the pre-activation, at the scale of the form, is at least the form on the ball, and reach is at least what the form
// changes there; an upper bound u is given as -u, with the form of the negated row. Outside it: a bound of something
// else. Cost: one range check.
func Assert(a *bounded.Arith, bound, centre, reach bounded.Int, shift int) {
	defer a.Part("interval")()
	least := a.Sub(centre, reach)
	power := new(big.Int).Lsh(big.NewInt(1), uint(max(shift, -shift)))
	if shift < 0 {
		bound = a.Scale(power, bound)
	} else {
		least = a.Scale(power, least)
	}
	a.AssertNonNegative(a.Sub(least, bound))
}
