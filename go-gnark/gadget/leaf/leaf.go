// Package leaf proves a margin positive on a part of a slice's ball, or that part empty.
package leaf

import (
	"github.com/consensys/gnark/frontend"

	"equiproof/gadget/backward"
	"equiproof/gadget/bounded"
	"equiproof/gadget/radius"
	"equiproof/gadget/ranges"
	"equiproof/gadget/relaxation"
)

// Part is what the margins of a leaf share: per hidden layer, from the first, signs and upper lines, and its slice's
// sensitive columns.
type Part struct {
	On, Free  [][]bounded.Int
	Upper     []backward.Upper
	Sensitive []bounded.Int
}

// Margin is what the prover gives for one margin of a leaf: M, the steps from the last hidden layer down to layer 1, whose
// layers are filled here, and A and the excess of each step.
type Margin struct {
	Multiplier    frontend.Variable
	Bits          int // the width of P over the last hidden layer
	Steps         []backward.Step
	Lower, Excess [][]frontend.Variable
	Ranges        *Ranges // nil where neighbors are not restricted
	Rounded       *Rounded
}

// Ranges are those that neighbors are restricted to, and what the form is cut by.
type Ranges struct {
	Box *ranges.Box
	Cut ranges.Cut
}

// Rounded is how far a form reaches whose coefficients are rounded, as package radius says.
type Rounded struct {
	Radius bounded.Int
	Coarse *radius.Coarse
}

// Form returns a form over the columns that M times a margin w.h + d is nowhere on the part below (R-B-LEAF, R-B-BACKWARD).
//
// Relation: 0 <= M <= 2^q, 0 <= A <= 2^q, 0 <= excess < 2^(bits + q), and the form is that of M (w.h + d). Where it is positive
// on all of the part, the margin is positive there with M > 0, and with M = 0 the signs hold nowhere.
// Precondition: the signs are those of the leaf's row, upper lines and sensitive columns those of its slice. Outside it:
// bounds of another slice prove nothing. Cost: one product per neuron of the last hidden layer, a pass by package
// backward, and for each neuron a range check and a slope's.
func Form(a *bounded.Arith, network *backward.Network, slopes *relaxation.Slopes, w []bounded.Int, d bounded.Int,
	part Part, m Margin,
) backward.Form {
	defer a.Part("leaf")()
	multiplier := slopes.Check(a, m.Multiplier)
	lambda := make([]bounded.Int, len(w))
	for i := range w {
		lambda[i] = a.Mul(multiplier, w[i])
	}
	bits, steps := m.Bits, append([]backward.Step{}, m.Steps...)
	for at := range steps {
		j := len(steps) - 1 - at
		signs, through := &backward.Signs{On: part.On[j], Free: part.Free[j], Bits: bits}, &steps[at].Through
		through.Upper, through.Signs = part.Upper[j], signs
		for i := range m.Lower[at] {
			through.Lower.Slopes = append(through.Lower.Slopes, slopes.Check(a, m.Lower[at][i]))
			signs.Excess = append(signs.Excess, a.Unsigned(m.Excess[at][i], bits+slopes.Q()))
		}
		bits = steps[at].Below.Bits
	}
	return network.Descend(a, backward.Over{Coefficients: lambda}, a.Mul(multiplier, d), steps, part.Sensitive)
}

// Assert makes a leaf's form positive on the open ball (R-B-LEAF).
//
// Relation: centre >= 1 and centre >= reach. With ranges the form is cut first, and is positive inside them only. Where nothing is
// rounded the reach has no wire: centre^2 >= R2 |c|^2, with centre >= 1. Precondition: none. Cost: a radius and a range check.
func Assert(a *bounded.Arith, form backward.Form, m Margin, radiusSquared bounded.Int) {
	defer a.Part("leaf")()
	if m.Ranges != nil {
		form.Coefficients, form.Centre = m.Ranges.Box.Cut(a, form.Coefficients, form.Centre, m.Ranges.Cut)
	}
	centre := a.Positive(form.Centre)
	if m.Rounded == nil {
		radius.Assert(a, form.Coefficients, radiusSquared, centre)
		return
	}
	reach := radius.Reach(a, form.Coefficients, radiusSquared, m.Rounded.Radius, m.Rounded.Coarse)
	a.AssertNonNegative(a.Sub(centre, reach))
}

// AssertInBox makes a leaf's form positive for everybody in a box (R-B-LEAF).
//
// Relation: centre - fall >= 1. Precondition: fall is how much the form falls at most from its value at the centre. Outside it: it is
// positive nowhere else. Cost: a range check.
func AssertInBox(a *bounded.Arith, form backward.Form, fall bounded.Int) {
	defer a.Part("leaf")()
	a.Positive(a.Sub(form.Centre, fall))
}
