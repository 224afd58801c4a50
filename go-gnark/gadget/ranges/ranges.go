// Package ranges restricts what is proven of a query to neighbors inside the ranges of its columns.
package ranges

import (
	"math/big"

	"github.com/consensys/gnark/frontend"

	"equiproof/gadget/bounded"
)

// Box is the ranges of the n_x columns, as distances of the query from both ends of each.
type Box struct{ below, above []bounded.Int }

// New holds the query inside the ranges (R-B-RANGES).
//
// Relation: low <= x <= high, column by column. Precondition: all have the given signed bits. Outside it: the circuit does
// not compile. A query outside would leave nothing to prove, or its own decision out. Cost: two range checks per column.
func New(a *bounded.Arith, low, high, query []bounded.Int, bits int) *Box {
	defer a.Part("ranges")()
	half := power(bits - 1)
	least, most := new(big.Int).Neg(half), new(big.Int).Sub(half, big.NewInt(1))
	box := new(Box)
	for i, x := range query {
		for _, value := range []bounded.Int{low[i], x, high[i]} {
			a.Demand(value, least, most)
		}
		box.below = append(box.below, a.Unsigned(a.Sub(x, low[i]).Wire(), bits))
		box.above = append(box.above, a.Unsigned(a.Sub(high[i], x).Wire(), bits))
	}
	return box
}

// Cut is what the prover gives for one form: a number per column, and whether it is negative.
type Cut struct {
	Values, Negative []frontend.Variable
	Bits             int // signed
}

// Cut takes off a form what is never negative inside the ranges (R-B-CUT).
//
// Relation: with g a column's number, the result is the form less g (x' - low) where g is positive, and less
// -g (high - x') where it is negative: coefficients c - g, and the centre's value less as much at the query. Precondition:
// the point x' that the form is used at is inside the ranges. Outside it: the result may be above the form. Cost: per column
// four constraints and one range check.
func (b *Box) Cut(a *bounded.Arith, coefficients []bounded.Int, centre bounded.Int, cut Cut) ([]bounded.Int, bounded.Int) {
	defer a.Part("ranges")()
	rest := make([]bounded.Int, len(coefficients))
	for i, c := range coefficients {
		values, plus, minus := a.Parts(cut.Values[i], cut.Negative[i], cut.Bits)
		rest[i] = a.Sub(c, values)
		lower, upper := a.Mul(plus, b.below[i]), a.Mul(minus, b.above[i])
		centre = a.Sub(centre, a.UnsafeWithin(a.Add(lower, upper).Wire(), "plus or minus is 0: one of both", lower, upper))
	}
	return rest, centre
}

func power(n int) *big.Int { return new(big.Int).Lsh(big.NewInt(1), uint(n)) }
