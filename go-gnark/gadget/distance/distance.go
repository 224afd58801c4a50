// Package distance compares a hyperplane's distance with the radius in integers.
package distance

import "equiproof/gadget/bounded"

// Form is a linear form c.x + d of a region, by what its distance needs: its value at the slice's centre and |c|^2 over
// the non-sensitive columns.
type Form struct {
	Value       bounded.Int
	NormSquared bounded.Int
}

// Excess returns (c.x + d)^2 - E |c|^2 (R-DISTANCE).
//
// Relation: the result is not negative exactly where the hyperplane c.x + d = 0 is no nearer than the radius, or the
// form is the constant zero. Precondition: Value and NormSquared belong to the same form. Outside it: meaningless.
// Cost: two constraints.
func Excess(a *bounded.Arith, form Form, radiusSquared bounded.Int) bounded.Int {
	defer a.Part("distance")()
	return a.Sub(a.Square(form.Value), a.Mul(radiusSquared, form.NormSquared))
}
