package backward

import (
	"math/big"

	"github.com/consensys/gnark/frontend"

	"equiproof/gadget/bounded"
	"equiproof/gadget/product"
	"equiproof/gadget/relaxation"
)

// Over is a form's coefficients over a layer: where signs are known as they are, else split.
type Over struct {
	Coefficients []bounded.Int
	Split        Split
	Claim        *product.Claim // of the rows of Splits, at the top of a bound's pass
}

// Split is lambda = Positive - Negative over the neurons of a layer, both parts at least 0.
type Split struct{ Positive, Negative []bounded.Int }

// NewSplit splits coefficients at the top of a pass into their positive and negative parts, and returns them, too
// (R-B-BACKWARD).
//
// Relation: P - Q = lambda, of which P or Q is 0 and neither below 0, and lambda has the given signed bits; whether it is
// negative is given. Precondition: none. Outside it: with Q < 0 the upper lines would be used from the wrong side. Cost:
// two constraints and one range check per coefficient.
func NewSplit(a *bounded.Arith, wires, negative []frontend.Variable, bits int) (lambda []bounded.Int, s Split) {
	for i, wire := range wires {
		x, p, q := a.Parts(wire, negative[i], bits)
		lambda, s.Positive, s.Negative = append(lambda, x), append(s.Positive, p), append(s.Negative, q)
	}
	return lambda, s
}

// Turned is the split of -lambda.
func (s Split) Turned() Split { return Split{Positive: s.Negative, Negative: s.Positive} }

// Splits is the splits of all rows of a layer, which every slice's bounds begin with.
type Splits struct {
	Rows               []Split
	positive, negative *product.Block
}

// Together prepares splits of all rows of a layer for the passes of all slices.
func (n *Network) Together(rows []Split) Splits {
	var positive, negative [][]bounded.Int
	for _, row := range rows {
		positive, negative = append(positive, row.Positive), append(negative, row.Negative)
	}
	return Splits{rows, n.argument.Block(positive...), n.argument.Block(negative...)}
}

// Tops returns what passes of lower and of upper bounds begin with, to be carried down row by row.
func (n *Network) Tops(s Splits, lower Lower, upper Upper) (below, above []Over) {
	low := n.argument.Claim(product.Term{Rows: s.positive, By: lower.by}, product.Term{Rows: s.negative, By: upper.by})
	high := n.argument.Claim(product.Term{Rows: s.negative, By: lower.by}, product.Term{Rows: s.positive, By: upper.by})
	for _, row := range s.Rows {
		below = append(below, Over{Split: row, Claim: low})
		above = append(above, Over{Split: row.Turned(), Claim: high})
	}
	return below, above
}

// Signs are those of a layer's neurons in a row of the tree: a neuron is on, off or free; On and Free are bits that are not
// both 1. Excess is at least 0: Q where the neuron is free, else beta, the multiplier of its sign.
type Signs struct {
	On, Free, Excess []bounded.Int
	Bits             int // the width of P
}

// Layer is what a pass uses to get through a layer: lower slopes A, upper lines K z + T, and signs; without them every
// neuron is free.
type Layer struct {
	Lower Lower // with signs only its slopes
	Upper Upper
	Signs *Signs
}

// pass returns what the layer makes of a form.
func (l Layer) pass(a *bounded.Arith, n *Network, layer int, over Over) passed {
	unit := relaxation.Unit(n.q)
	for _, slope := range l.Lower.Slopes {
		a.Demand(slope, new(big.Int), unit)
	}
	if l.Signs != nil {
		return l.signed(a, n, layer, over.Coefficients)
	}
	return l.free(a, n, over)
}

// free gets through a layer whose neurons are free (R-B-BACKWARD).
//
// Relation: mu_i = A_i P_i - K_i Q_i; taken is the sum of Q_i T_i. Precondition: A from 0 to 2^q, which is demanded; P, Q
// at least 0, as of a Split; K z + T an upper line of the neuron (package relaxation). Outside it: no bound. Cost: two
// products per neuron, or those of all rows together.
func (l Layer) free(a *bounded.Arith, n *Network, over Over) passed {
	p := passed{claim: over.Claim, taken: a.Constant(0)}
	split := over.Split
	if p.claim == nil {
		p.claim = n.argument.Claim(
			product.Term{Rows: n.argument.Block(split.Positive), By: l.Lower.by},
			product.Term{Rows: n.argument.Block(split.Negative), By: l.Upper.by})
	}
	for i, line := range l.Upper.Lines {
		above := a.Limits(line.Slope, split.Negative[i])
		p.slopes = append(p.slopes, a.Sub(a.Limits(l.Lower.Slopes[i], split.Positive[i]), above))
		p.taken = a.Add(p.taken, a.Limits(split.Negative[i], line.Offset))
	}
	return p
}

// signed gets through a layer whose neurons' signs may be known (R-B-BACKWARD, R-B-LEAF).
//
// Relation: with Q the excess where the neuron is free, else 0, beta the excess less Q, and P = lambda + Q from 0 to
// 2^bits - 1 where it is free, else 0: mu_i = A_i P_i - K_i Q_i where i is free, 2^q lambda_i - beta_i where it is on,
// beta_i where it is off; taken is the sum of Q_i T_i. So beta is 0 on free neurons, and P and Q are at least 0.
// Precondition: A from 0 to 2^q, the excess at least 0 and signs of bits, which is demanded; K z + T an upper line of the
// neuron. Outside it: no bound. Cost: per neuron four products and a range check, and two products behind the challenge.
func (l Layer) signed(a *bounded.Arith, n *Network, layer int, lambda []bounded.Int) passed {
	unit, p := relaxation.Unit(n.q), passed{taken: a.Constant(0)}
	var lower, upper []bounded.Int
	for i, line := range l.Upper.Lines {
		isOn, isFree, excess := l.Signs.On[i], l.Signs.Free[i], l.Signs.Excess[i]
		_, top := excess.Bounds()
		a.Demand(excess, new(big.Int), top)
		a.Demand(isOn, new(big.Int), big.NewInt(1))
		a.Demand(isFree, new(big.Int), big.NewInt(1))
		own := a.Mul(isFree, lambda[i])
		negative := a.Mul(isFree, excess)
		// P on the lower line and Q on the upper one bound the form wherever lambda is P - Q and neither is negative; Q need not be
		// the least that does it.
		positive := a.Unsigned(a.Add(own, negative).Wire(), l.Signs.Bits)
		// Of P - lambda, too, so that it is not wider than P and lambda are.
		negative = a.Same(negative, a.Sub(positive, own))
		beta := a.UnsafeWithin(a.Sub(excess, negative).Wire(), "negative is the excess where the neuron is free, else 0",
			a.Constant(0), excess)
		// Where the neuron is on, relu is z and -beta z at most 0; where it is off, relu is 0 and beta z at most 0. So beta lowers the
		// form.
		on := a.Sub(a.Scale(unit, lambda[i]), beta)
		free := a.Mul(l.Lower.Slopes[i], positive)
		// beta where off, beta + (on - beta) where on, A P where free, as P is 0 elsewhere, and beta is 0 there.
		value := a.Add(free, beta, a.Mul(isOn, a.Sub(on, beta)))
		lower = append(lower, a.UnsafeWithin(value.Wire(), "on and free are not both 1: that of the neuron's sign", on, beta, free))
		upper = append(upper, negative)
		p.slopes = append(p.slopes, a.Hull(on, beta, a.Sub(free, a.Limits(line.Slope, negative))))
		p.taken = a.Add(p.taken, a.Limits(negative, line.Offset))
	}
	p.claim = n.argument.Claim(product.Term{Rows: n.argument.Block(lower), By: n.layers[layer]},
		product.Term{Rows: n.argument.Block(upper), By: l.Upper.by})
	return p
}

// Claim is a form over a layer. Where signs are known, Exact is its coefficients, and Floor those rounded down; else they
// are 2^k (P - Q) + Rest. k is that of the step through this layer.
type Claim struct {
	Exact, Floor             []frontend.Variable // no Floor where k = 0
	Positive, Negative, Rest []frontend.Variable // no Rest where k = 0
	Bits                     int                 // the width of P and Q
}

// read returns the coefficients that are to be the product's, and of bounds their split.
func (c Claim) read(a *bounded.Arith, k int) (Over, []frontend.Variable) {
	if c.Exact != nil {
		return Over{}, c.Exact
	}
	var s Split
	var results []frontend.Variable
	for i := range c.Positive {
		p, q := a.Unsigned(c.Positive[i], c.Bits), a.Unsigned(c.Negative[i], c.Bits)
		s.Positive, s.Negative = append(s.Positive, p), append(s.Negative, q)
		// The step below goes on with P - Q: the coefficient rounded down, as the rest is from 0 to 2^k - 1. P and Q may both be above
		// 0, which only makes the bound worse.
		coefficient := a.Scale(power(k), a.Sub(p, q))
		if k > 0 {
			coefficient = a.Add(coefficient, a.Unsigned(c.Rest[i], k))
		}
		results = append(results, coefficient.Wire())
	}
	return Over{Split: s}, results
}

// over returns what the step below goes on with, of coefficients that a product has proven. Where signs are known, no split
// holds them to a width: what is rounded is held to its own.
func (c Claim) over(a *bounded.Arith, read Over, found []bounded.Int, k int) Over {
	if c.Exact == nil {
		return read
	}
	for i, coefficient := range found {
		if k > 0 {
			coefficient, _ = a.Floor(coefficient, k, c.Floor[i])
		}
		read.Coefficients = append(read.Coefficients, coefficient)
	}
	return read
}
