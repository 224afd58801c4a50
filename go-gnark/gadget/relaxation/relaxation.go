// Package relaxation holds the lines that bound a ReLU over an interval, in integers with q fractional bits.
package relaxation

import (
	"math/big"

	"github.com/consensys/gnark/frontend"

	"equiproof/gadget/bounded"
	"equiproof/gadget/member"
)

// Line is K z + T.
type Line struct{ Slope, Offset bounded.Int }

// Unit returns 2^q.
func Unit(q int) *big.Int { return new(big.Int).Lsh(big.NewInt(1), uint(q)) }

// Slopes checks slopes and multipliers by one set for the whole circuit, of all that there are.
type Slopes struct {
	table *member.Table
	q     int
}

// NewSlopes makes the set for q fractional bits, to be used at least once.
func NewSlopes(a *bounded.Arith, q int) *Slopes {
	defer a.Part("slopes")()
	s := &Slopes{table: member.New(a).Table(0, a.Within(0, new(big.Int), Unit(q))), q: q}
	for slope := range 1<<q + 1 {
		s.table.Insert(nil, a.Constant(int64(slope)))
	}
	return s
}

// Q returns the number of fractional bits.
func (s *Slopes) Q() int { return s.q }

// Check makes a slope or multiplier one from 0 to 2^q (R-B-RELAXATION, R-B-LEAF).
//
// Relation: 0 <= wire <= 2^q. Precondition: none. A lower slope that passes is sound over every interval: A z is never above
// 2^q relu(z). Outside it: a negative slope is above the neuron left of 0, one beyond 2^q right of 0. Cost: one constraint,
// and 2^q for the set.
func (s *Slopes) Check(a *bounded.Arith, wire frontend.Variable) bounded.Int {
	return s.table.Look(a, nil, wire)[0]
}

// Assert makes a line an upper bound of 2^q relu(z) for z from low to high (R-B-RELAXATION).
//
// Relation: K z + T >= 0 and K z + T >= 2^q z at z = low and at z = high; since relu is convex, the line is above it in
// between. Precondition: the slope is from 0 to 2^q and the offset at least 0. Outside it: the circuit does not compile.
// Cost: two products and four range checks.
func Assert(a *bounded.Arith, low, high bounded.Int, upper Line, q int) {
	defer a.Part("relaxation")()
	unit := Unit(q)
	a.Demand(upper.Slope, new(big.Int), unit)
	_, top := upper.Offset.Bounds()
	a.Demand(upper.Offset, new(big.Int), top)
	for _, end := range []bounded.Int{low, high} {
		above := a.Add(a.Mul(upper.Slope, end), upper.Offset)
		a.AssertNonNegative(above)
		a.AssertNonNegative(a.Sub(above, a.Scale(unit, end)))
	}
}
