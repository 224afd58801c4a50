package additive

import (
	"math/big"
	"slices"

	"github.com/consensys/gnark/frontend"

	"equiproof/gadget/bounded"
)

// Ends are the ends of the columns' ranges that neighbors are kept to, as the plain predicates see them.
type Ends struct {
	inputs         *Inputs
	first          int // the place of the first column's least one
	looked, beyond []frontend.Variable
}

// Ends adds the ranges to the set of inputs, behind all of them: the least value of each column, then the largest. Behind the plain
// columns stand those of sets, which nobody near leaves. Looked and beyond are private wires of each plain predicate: the end behind its
// threshold, and whether it is not farther. Without ranges, plain columns have every value of the width, and without sets either there
// are no ends. Precondition: the query has so many signed bits. Outside it: the circuit does not compile. Cost: none.
func (i *Inputs) Ends(a *bounded.Arith, low, high, sets []bounded.Int, inputBits int, looked, beyond []frontend.Variable) *Ends {
	if len(low) == 0 && len(sets) == 0 {
		return nil
	}
	if len(low) == 0 {
		half := new(big.Int).Lsh(one, uint(inputBits-1))
		for range len(i.query) - len(sets) {
			low = append(low, a.UnsafeWithin(new(big.Int).Neg(half), "the least of the width", i.query[0]))
			high = append(high, a.UnsafeWithin(new(big.Int).Sub(half, one), "the largest of the width", i.query[0]))
		}
	}
	e := &Ends{inputs: i, first: len(i.query) + len(i.table)*len(i.table[0]), looked: looked, beyond: beyond}
	for at, value := range slices.Concat(low, sets, high, sets) {
		i.values.Insert([]frontend.Variable{e.first + at}, value)
	}
	return e
}

// far returns what of dead is left to be held by distance: 0 where nobody inside the ranges crosses the threshold (R-T-DEAD).
//
// Relation: beyond is a bit; where it is set, the threshold is at least the largest value of its column where the query is
// at most it, else below the least one. Precondition: side is that of orient. Outside it: the end is that of the query's own
// side. Cost: five constraints and a range check.
func (e *Ends) far(a *bounded.Arith, m Model, p int, side, dead bounded.Int) bounded.Int {
	place := a.API().Add(m.Columns[p].Wire(), e.first, a.API().Mul(side.Wire(), len(e.inputs.query)))
	beyond, end := a.Bit(e.beyond[p]), e.inputs.values.Look(a, []frontend.Variable{place}, e.looked[p])[0]
	// t - high where the query is at most t, low - t elsewhere. A neighbor at t counts as at most t: so the largest value may be t,
	// and the least one has to be above it.
	past := a.Mul(a.Sub(a.Scale(two, side), a.Constant(1)), a.Sub(m.Thresholds[p], end))
	a.AssertNonNegative(a.Mul(beyond, a.Sub(past, a.Sub(a.Constant(1), side))))
	return a.Mul(dead, a.Sub(a.Constant(1), beyond))
}
