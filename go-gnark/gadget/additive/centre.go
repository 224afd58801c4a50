package additive

import (
	"github.com/consensys/gnark/frontend"

	"equiproof/gadget/bounded"
)

// Centre is what the label gains at the query on the worst slice, and what crossing each plain predicate adds to it.
type Centre struct {
	Base  bounded.Int
	Steps []bounded.Int
}

// NewCentre computes the score at the query, turned by the label: sigma is 1 for label 1, -1 for label 0 (R-T-CLOSE).
//
// Relation: a step is sigma jump where the query is at most the threshold, -sigma jump elsewhere; the base is sigma times
// bias and jumps at the query, and what the sensitive predicates add on every slice at least. Precondition: sigma is 1 or
// -1. Cost: two constraints per plain predicate.
func NewCentre(a *bounded.Arith, m Model, sigma bounded.Int, oriented []Oriented, least bounded.Int) Centre {
	defer a.Part("predicates")()
	c := Centre{Base: a.Add(a.Mul(sigma, m.Bias), least)}
	for p, of := range oriented {
		jump := a.Mul(sigma, m.Jumps[p])
		stays := a.Mul(of.side, jump) // the jump ahead of the query
		c.Base = a.Add(c.Base, a.UnsafeWithin(a.Sub(jump, stays).Wire(), "side is a bit: the jump or 0", jump, a.Constant(0)))
		c.Steps = append(c.Steps, a.UnsafeWithin(a.Sub(a.Scale(two, stays), jump).Wire(), "side is a bit: the jump or its negative",
			jump, a.Neg(jump)))
	}
	return c
}

// SensitiveSteps returns what passing each sensitive predicate adds for the label. Precondition: sigma is 1 or -1. Cost: one
// constraint per predicate.
func SensitiveSteps(a *bounded.Arith, m Model, sigma bounded.Int) []bounded.Int {
	defer a.Part("predicates")()
	var steps []bounded.Int
	for _, jump := range m.Jumps[m.Plain:] {
		steps = append(steps, a.Mul(sigma, jump))
	}
	return steps
}

// Slices compares the sensitive predicates with every slice and returns what they add at least (R-T-SIDE, R-T-SLICES).
//
// Relation: least is at most sigma times the sum of the sensitive jumps that slice s passes, for each s. Precondition: sigma
// is 1 or -1. Cost: per slice and predicate about five constraints and a range check; per slice one more range check.
func Slices(a *bounded.Arith, m Model, inputs *Inputs, sigma bounded.Int, at, sides []frontend.Variable,
	least frontend.Variable, bits int,
) bounded.Int {
	defer a.Part("slices")()
	worst := a.Signed(least, bits)
	m.Least(a, sigma, Sides(a, m, inputs, at, sides), worst)
	return worst
}

// Least makes worst at most what the sensitive predicates add on any slice (R-T-SLICES).
//
// Relation: worst is at most sigma times the sum of the sensitive jumps that slice s passes, for each s. Precondition: sides are
// those of Sides, sigma is 1 or -1. Outside it: other jumps count than those that the slices pass. Cost: per slice and predicate
// a constraint; per slice one more and a range check.
func (m Model) Least(a *bounded.Arith, sigma bounded.Int, sides [][]bounded.Int, worst bounded.Int) {
	defer a.Part("slices")()
	for _, found := range sides {
		sum := a.Constant(0)
		for i, side := range found {
			sum = a.Add(sum, a.Mul(a.Sub(a.Constant(1), side), m.Jumps[m.Plain+i]))
		}
		a.AssertNonNegative(a.Sub(a.Mul(sigma, sum), worst))
	}
}

// Sides compares the sensitive predicates with every slice (R-T-SIDE): by slice and predicate, 1 where the slice's value is at
// most the threshold. Cost: about four constraints and a range check each.
func Sides(a *bounded.Arith, m Model, inputs *Inputs, at, wires []frontend.Variable) [][]bounded.Int {
	defer a.Part("slices")()
	count := len(m.Columns) - m.Plain
	sides := make([][]bounded.Int, len(inputs.table))
	for slice := range inputs.table {
		for i := range count {
			p, wire := m.Plain+i, slice*count+i
			x := inputs.read(a, at[wire], m.Columns[p], slice)
			side, _ := orient(a, m.Thresholds[p], x, wires[wire])
			sides[slice] = append(sides[slice], side)
		}
	}
	return sides
}
