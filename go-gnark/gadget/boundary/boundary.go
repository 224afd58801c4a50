// Package boundary holds decision hyperplanes away from the centre.
package boundary

import "equiproof/gadget/bounded"

// Assert makes a decision hyperplane no nearer than the radius (R-BOUNDARY).
//
// Relation: excess >= 0. Precondition: excess is that of a margin's form in a region of the set. Outside it: says
// nothing about the decision. Cost: one range check.
func Assert(a *bounded.Arith, excess bounded.Int) {
	defer a.Part("boundary")()
	a.AssertNonNegative(excess)
}
