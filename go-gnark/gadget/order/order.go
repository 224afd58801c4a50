// Package order holds facets that were not crossed away from the centre.
package order

import "equiproof/gadget/bounded"

// Assert makes every facet that is not crossed no nearer than the radius (R-ORDER).
//
// Relation: crossed = 1, or excess >= 0. Precondition: crossed is a bit whose 1 the neighbor gadget pays for with the
// region across the facet. Outside it: a crossed facet without its neighbor leaves a part of the ball unexplored. Cost:
// one product and one range check.
func Assert(a *bounded.Arith, crossed, excess bounded.Int) {
	defer a.Part("order")()
	a.AssertNonNegative(a.Mul(a.Sub(a.Constant(1), crossed), excess))
}
