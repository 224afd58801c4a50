package additive

import (
	"math/big"

	"github.com/consensys/gnark/frontend"

	"equiproof/gadget/bounded"
	"equiproof/gadget/member"
)

// absent says which values of the query are missing: those that are the largest integer of their width.
type absent struct {
	flags []bounded.Int // by column
	read  *member.Table // the same, to be read by private columns
	away  []frontend.Variable
}

// Miss lets values of the query be missing (R-T-MISSING).
//
// Relation: flags are bits, 1 exactly where a value is the largest integer of its width. What stands behind the columns with flags is
// never missing. Precondition: the query has so many signed bits; there is a wire away for each plain predicate. Outside it: the
// circuit does not compile.
// Cost: per column two constraints, a range check and a row.
func (i *Inputs) Miss(a *bounded.Arith, argument *member.Argument, inputBits int, flags, away []frontend.Variable) {
	defer a.Part("predicates")()
	half := new(big.Int).Lsh(one, uint(inputBits-1))
	most := a.Scale(new(big.Int).Sub(half, one), a.Constant(1))
	i.absent = &absent{read: argument.Table(0, a.Within(0, new(big.Int), one)), away: away}
	for column, x := range i.query[:len(flags)] {
		a.Demand(x, new(big.Int).Neg(half), new(big.Int).Sub(half, one))
		flag, below := a.Bit(flags[column]), a.Sub(most, x)
		a.API().AssertIsEqual(a.API().Mul(flag.Wire(), below.Wire()), 0)
		// Without the flag by 1 at least below the largest integer.
		a.AssertNonNegative(a.Sub(a.Add(below, flag), a.Constant(1)))
		i.absent.flags = append(i.absent.flags, flag)
		i.absent.read.Insert([]frontend.Variable{column}, flag)
	}
	for column := len(flags); column < len(i.query); column++ {
		i.absent.read.Insert([]frontend.Variable{column}, a.Within(0, new(big.Int), one))
	}
}

// Ranged returns the query with the least value of its range in place of what is missing, which no range is about (R-B-RANGES).
// Precondition: none. Cost: a constraint per column where values can be missing.
func (i *Inputs) Ranged(a *bounded.Arith, low []bounded.Int) []bounded.Int {
	if i.absent == nil {
		return i.query[:len(low)]
	}
	defer a.Part("ranges")()
	var ranged []bounded.Int
	for column, x := range i.query[:len(low)] {
		ranged = append(ranged, a.Select(i.absent.flags[column], low[column], x))
	}
	return ranged
}

// far returns what of dead is left to be held by distance, 0 where the value is missing, and whether it is (R-T-MISSING).
//
// Relation: a predicate of a missing value is dead, as the value is missing for every neighbor. Precondition: dead is a bit.
// Outside it: what is returned is none. Cost: two constraints and those of a lookup.
func (b *absent) far(a *bounded.Arith, m Model, p int, dead frontend.Variable, far bounded.Int) (bounded.Int, frontend.Variable) {
	away := b.read.Look(a, []frontend.Variable{m.Columns[p].Wire()}, b.away[p])[0]
	a.API().AssertIsEqual(a.API().Mul(away.Wire(), dead), away.Wire())
	return a.Mul(far, a.Sub(a.Constant(1), away)), away.Wire()
}
