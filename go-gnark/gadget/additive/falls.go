package additive

import (
	"math/big"

	"github.com/consensys/gnark/frontend"

	"equiproof/gadget/bounded"
)

// Falls bounds linear forms over the plain columns on a box, from their values at the least ends.
type Falls struct {
	people  *People
	spans   []bounded.Int // how far apart both ends are, by column
	numbers []int         // the columns of no category
}

// Falls prepares a box for linear forms (R-X-CATEGORY).
//
// Relation: a category of which a value is open is free. Precondition: none. Cost: a constraint for each category.
func (p *People) Falls(a *bounded.Arith) *Falls {
	defer a.Part("box")()
	f := &Falls{people: p}
	tied := make([]bool, len(p.low))
	for _, c := range p.choices {
		count := a.Constant(0)
		for value, allowed := range c.allowed {
			count, tied[c.of.First+value] = a.Add(count, allowed), true
		}
		// Else an open value would count as a number's: nobody would be held to one value, and the spans below be left out.
		a.AssertEqual(a.Mul(c.free, count), count)
	}
	for column := range p.low {
		span := a.Sub(p.high[column], p.low[column])
		_, most := span.Bounds()
		f.spans = append(f.spans, a.UnsafeWithin(span.Wire(), "no column's largest end is below its least one", a.Within(0, new(big.Int), most)))
		if !tied[column] {
			f.numbers = append(f.numbers, column)
		}
	}
	return f
}

// Lengths returns of how many columns a form has a sign of its own, and of how many categories a least coefficient.
func (f *Falls) Lengths() (numbers, categories int) { return len(f.numbers), len(f.people.choices) }

// Negative returns the negative parts of a form's coefficients, 0 or more, by column; those of categories are left out (R-X-FALL).
//
// Relation: a bit is 1 where the coefficient is below 0, and only there. Precondition: none. Cost: two constraints and a range check for
// each column of no category.
func (f *Falls) Negative(a *bounded.Arith, c []bounded.Int, bits []frontend.Variable) []bounded.Int {
	defer a.Part("box")()
	parts := make([]bounded.Int, len(c))
	for i := range parts {
		parts[i] = a.Constant(0)
	}
	for i, column := range f.numbers {
		below := a.Bit(bits[i])
		part := a.Mul(below, c[column])
		// c, or -c - 1 where the bit is set.
		a.AssertNonNegative(a.Sub(a.Sub(c[column], a.Scale(two, part)), below))
		least, _ := c[column].Bounds()
		parts[column] = a.UnsafeWithin(a.Neg(part).Wire(), "the bit is set where the coefficient is below 0, and only there",
			a.Within(0, new(big.Int), new(big.Int).Neg(least)))
	}
	return parts
}

// Fall returns how much a form falls at most from its value at the least ends to anybody in the box (R-X-FALL).
//
// Relation: it is the sum, over the columns of no category, of the negative part times how far apart both ends are, less the sum, over
// free categories, of a number that is at most the coefficient of any allowed value, times how far a value's high is from its low.
// Precondition: the negative parts are those of the coefficients. Outside it: it falls further. Cost: one constraint for each column of no
// category; for each value of a category one and a range check; for each category one and a range check.
func (f *Falls) Fall(a *bounded.Arith, c, negative []bounded.Int, least []frontend.Variable, leastBits int) bounded.Int {
	defer a.Part("box")()
	fall := a.Constant(0)
	for _, column := range f.numbers {
		fall = a.Add(fall, a.Mul(negative[column], f.spans[column]))
	}
	for i, choice := range f.people.choices {
		most := a.Signed(least[i], leastBits)
		for value, allowed := range choice.allowed {
			a.AssertNonNegative(a.Mul(allowed, a.Sub(c[choice.of.First+value], most)))
		}
		rise := a.Scale(big.NewInt(int64(choice.of.High-choice.of.Low)), a.Mul(choice.free, most))
		fall = a.Sub(fall, rise)
	}
	return fall
}
