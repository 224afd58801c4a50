// Package radius bounds how much a linear form can change on the ball.
package radius

import (
	"math/big"

	"github.com/consensys/gnark/frontend"

	"equiproof/gadget/bounded"
)

// Assert makes r at least sqrt(R2) |c| (R-B-RADIUS, R-B-FIRST).
//
// Relation: r^2 >= R2 |c|^2 over the columns of c. Precondition: r is not negative, R2 neither. Outside it: the circuit
// does not compile; r < 0 would make every bound hold. Cost: one product per column, two more and a range check.
func Assert(a *bounded.Arith, c []bounded.Int, radiusSquared, r bounded.Int) {
	defer a.Part("radius")()
	for _, x := range []bounded.Int{r, radiusSquared} {
		_, top := x.Bounds()
		a.Demand(x, new(big.Int), top)
	}
	norm := make([]bounded.Int, len(c))
	for i := range c {
		norm[i] = a.Square(c[i])
	}
	a.AssertNonNegative(a.Sub(a.Square(r), a.Mul(radiusSquared, a.Add(norm...))))
}

// Coarse says how a form's coefficients are rounded where their squares would outgrow the field: c = 2^Bits c' + e.
type Coarse struct {
	Bits     int                 // kc, above 0
	Quotient []frontend.Variable // c'
	Radius   bounded.Int         // rho, for e
}

// Reach returns how much a form changes at most on the ball (R-B-RADIUS).
//
// Relation: the result is r with r^2 >= R2 |c|^2; with coarse 2^kc r + rho, with r^2 >= R2 |c'|^2, rho^2 >= R2 |e|^2,
// c = 2^kc c' + e and e from -2^(kc-1) to 2^(kc-1) - 1, so that by the triangle inequality it is no less. Precondition:
// as Assert, for r and rho. Outside it: the circuit does not compile. Cost: as Assert; with coarse twice that, and two
// range checks per column.
func Reach(a *bounded.Arith, c []bounded.Int, radiusSquared, r bounded.Int, coarse *Coarse) bounded.Int {
	defer a.Part("radius")()
	if coarse == nil {
		Assert(a, c, radiusSquared, r)
		return r
	}
	half := a.Scale(new(big.Int).Lsh(big.NewInt(1), uint(coarse.Bits-1)), a.Constant(1))
	quotients, rests := make([]bounded.Int, len(c)), make([]bounded.Int, len(c))
	for i := range c {
		// To the nearest, not down: e is half as large, and with it rho.
		quotient, rest := a.Floor(a.Add(c[i], half), coarse.Bits, coarse.Quotient[i])
		quotients[i], rests[i] = quotient, a.Sub(rest, half)
	}
	Assert(a, quotients, radiusSquared, r)
	Assert(a, rests, radiusSquared, coarse.Radius)
	return a.Add(a.Scale(new(big.Int).Lsh(big.NewInt(1), uint(coarse.Bits)), r), coarse.Radius)
}
