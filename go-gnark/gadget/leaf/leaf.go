// Package leaf proves a margin positive on a part of a slice's ball, or that part empty.
package leaf

import (
	"math/big"

	"github.com/consensys/gnark/frontend"

	"equiproof/gadget/backward"
	"equiproof/gadget/bounded"
	"equiproof/gadget/radius"
	"equiproof/gadget/relaxation"
)

// Part is what the margins of a leaf share: per hidden layer, from the first, signs and upper lines, and its slice's
// sensitive columns.
type Part struct {
	On, Free  [][]bounded.Int
	Upper     [][]relaxation.Line
	Sensitive []bounded.Int
}

// Margin is what the prover gives for one margin of a leaf: M, P over the last hidden layer, the steps from there down to
// layer 1, whose layers are filled here, and A and beta of each step.
type Margin struct {
	Multiplier  frontend.Variable
	Positive    []frontend.Variable
	Bits        int // the width of P and Q over the last hidden layer
	Steps       []backward.Step
	Lower, Beta [][]frontend.Variable
	Radius      bounded.Int
	Coarse      *radius.Coarse
}

// Assert makes a margin w.h + d positive on the whole part, or shows that the part is empty (R-B-LEAF).
//
// Relation: 0 <= M <= 2^q, 0 <= A <= 2^q, 0 <= beta < 2^(bits + q), and beta = 0 on free neurons; the form of M (w.h + d)
// has centre >= 1 and centre >= reach, so that it is positive on the open ball: with M > 0 the margin is positive where
// the signs hold, with M = 0 they hold nowhere. Precondition: the signs are those of the leaf's row, upper lines and
// sensitive columns those of its slice. Outside it: bounds of another slice prove nothing. Cost: one product per
// neuron of the last hidden layer, a pass by package backward, a reach by package radius, two range checks, and for each
// neuron three and a slope's.
func Assert(a *bounded.Arith, network *backward.Network, slopes *relaxation.Slopes, w []bounded.Int, d bounded.Int,
	part Part, m Margin, radiusSquared bounded.Int,
) {
	defer a.Part("leaf")()
	multiplier := slopes.Check(a, m.Multiplier)
	lambda := make([]bounded.Int, len(w))
	for i := range w {
		lambda[i] = a.Mul(multiplier, w[i])
	}
	bits, steps := m.Bits, append([]backward.Step{}, m.Steps...)
	for at := range steps {
		j := len(steps) - 1 - at
		signs := &backward.Signs{On: part.On[j], Free: part.Free[j]}
		steps[at].Layer = backward.Layer{Upper: part.Upper[j], Signs: signs}
		for i := range m.Lower[at] {
			steps[at].Lower = append(steps[at].Lower, slopes.Check(a, m.Lower[at][i]))
			signs.Beta = append(signs.Beta, a.Unsigned(m.Beta[at][i], bits+slopes.Q()))
		}
		bits = steps[at].Below.Bits
	}
	split := backward.NewSplit(a, lambda, m.Positive, m.Bits)
	form := network.Descend(a, split, a.Mul(multiplier, d), steps, part.Sensitive)
	reach := radius.Reach(a, form.Coefficients, radiusSquared, m.Radius, m.Coarse)
	a.AssertNonNegative(a.Sub(form.Centre, a.Constant(1)))
	a.AssertNonNegative(a.Sub(form.Centre, reach))
}

func unsigned(n int) *big.Int { return big.NewInt(int64(n)) }
