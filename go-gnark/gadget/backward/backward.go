// Package backward carries a linear form over the neurons of a layer down to the inputs.
//
// A form lambda.h + kappa over h = relu(z) of layer j is bounded from below by one over z, since z lies within the layer's
// bounds or its sign is known, and z = W h + b makes that a form over the layer below:
//
//	kappa <- 2^q kappa - sum of Q_i T_i + sum of mu_i b_i,    lambda <- mu W.
//
// The forms are at scales: what holds is 2^(q n) M value >= 2^(sum of k) form after n steps. What the coefficients are
// is claimed by the prover and proven by package product.
package backward

import (
	"math/big"

	"github.com/consensys/gnark/frontend"

	"equiproof/gadget/affine"
	"equiproof/gadget/bounded"
	"equiproof/gadget/product"
	"equiproof/gadget/relaxation"
)

// Split is lambda = Positive - Negative over the neurons of a layer, both parts at least 0.
type Split struct{ Positive, Negative []bounded.Int }

// NewSplit splits coefficients at the top of a pass (R-B-BACKWARD).
//
// Relation: P - Q = lambda, with P and Q from 0 to 2^bits - 1; P is given. Precondition: none. Outside it: with Q < 0 the
// upper lines would be used from the wrong side. Cost: two range checks per coefficient.
func NewSplit(a *bounded.Arith, lambda []bounded.Int, positive []frontend.Variable, bits int) Split {
	defer a.Part("backward")()
	var s Split
	for i := range lambda {
		p := a.Unsigned(positive[i], bits)
		s.Positive = append(s.Positive, p)
		s.Negative = append(s.Negative, a.Unsigned(a.Sub(p, lambda[i]).Wire(), bits))
	}
	return s
}

// Turned is the split of -lambda.
func (s Split) Turned() Split { return Split{Positive: s.Negative, Negative: s.Positive} }

// Signs are those of a layer's neurons in a row of the tree, with multipliers of what they cut off. A neuron is on, off or
// free; On and Free are bits that are not both 1.
type Signs struct{ On, Free, Beta []bounded.Int }

// Layer is what a pass uses to get through a layer: lower slopes A, upper lines K z + T, and signs; without them every
// neuron is free.
type Layer struct {
	Lower []bounded.Int
	Upper []relaxation.Line
	Signs *Signs
}

// slopes returns mu over z, and what the offsets take off the constant, both for 2^q (lambda.h) (R-B-BACKWARD).
//
// Relation: mu_i = A_i P_i - K_i Q_i where i is free, 2^q lambda_i - beta_i where it is on, beta_i where it is off; taken
// is the sum of Q_i T_i over the free ones; beta_i = 0 on these. Precondition: A from 0 to 2^q, beta at least 0 and signs of
// bits, which is demanded; P, Q at least 0, as of a Split; K z + T an upper line of the neuron (package relaxation). Outside it: no
// bound. Cost: three products per neuron, seven with signs, and one constraint.
func (l Layer) slopes(a *bounded.Arith, s Split, q int) (mu []bounded.Int, taken bounded.Int) {
	unit := relaxation.Unit(q)
	offsets, fixed := make([]bounded.Int, len(l.Upper)), []bounded.Int{}
	for i, line := range l.Upper {
		a.Demand(l.Lower[i], new(big.Int), unit)
		free := a.Sub(a.Mul(l.Lower[i], s.Positive[i]), a.Mul(line.Slope, s.Negative[i]))
		offsets[i] = a.Mul(s.Negative[i], line.Offset)
		if l.Signs == nil {
			mu = append(mu, free)
			continue
		}
		isOn, isFree, beta := l.Signs.On[i], l.Signs.Free[i], l.Signs.Beta[i]
		_, top := beta.Bounds()
		a.Demand(beta, new(big.Int), top)
		a.Demand(isOn, new(big.Int), big.NewInt(1))
		a.Demand(isFree, new(big.Int), big.NewInt(1))
		on := a.Sub(a.Scale(unit, a.Sub(s.Positive[i], s.Negative[i])), beta)
		// beta where off, beta + (on - beta) where on, free where free, as beta is 0 there.
		value := a.Add(beta, a.Mul(isOn, a.Sub(on, beta)), a.Mul(isFree, free))
		mu = append(mu, a.Looked(value.Wire(), on, beta, free))
		offsets[i] = a.Mul(isFree, offsets[i])
		fixed = append(fixed, a.Mul(isFree, beta))
	}
	if l.Signs != nil {
		// Of terms that are at least 0 none is more if their sum is 0.
		a.AssertEqual(a.Add(fixed...), a.Constant(0))
	}
	return mu, a.Add(offsets...)
}

// Network is what all passes share.
type Network struct {
	layers []*product.Matrix
	plain  int // n_x
	q      int
}

// New prepares the hidden layers for passes over the ball of a query of n_x columns. The matrix of a layer has its biases
// as the last column; in that of layer 1 the query's columns are added to them, so that one entry of a product is
// c.x + mu.b.
func New(a *bounded.Arith, argument *product.Argument, hidden []affine.Layer, query []bounded.Int, q int) *Network {
	defer a.Part("backward")()
	n := &Network{plain: len(query), q: q}
	for j, layer := range hidden {
		constants := layer.Biases
		if j == 0 {
			plain, _ := layer.Split(n.plain)
			constants = affine.Layer{Weights: plain, Biases: layer.Biases}.Apply(a.At("layer 1"), query)
		}
		rows := make([][]bounded.Int, len(layer.Weights))
		for i, row := range layer.Weights {
			rows[i] = append(append(rows[i], row...), constants[i])
		}
		n.layers = append(n.layers, argument.Matrix(rows))
	}
	return n
}

// Step is how a pass gets through one layer, and what the prover claims of the form below.
type Step struct {
	Layer

	Rounding int               // k of this layer
	Kappa    frontend.Variable // the constant, rounded down, where k > 0

	Constant frontend.Variable // sum of mu_i b_i; through layer 1 sum of mu_i (b_i + W_i x) over the n_x columns
	Below    Claim             // mu W over the layer below; after layer 1 unused
	Inputs   []frontend.Variable
}

// Claim is a form over a layer: its coefficients are 2^k (P - Q) + Rest, k that of the step through this layer.
type Claim struct {
	Positive, Negative, Rest []frontend.Variable // no Rest where k = 0
	Bits                     int                 // the width of P and Q
}

// Form is what a pass ends with: coefficients over the n_x columns, and the form's value at the slice's centre.
type Form struct {
	Coefficients []bounded.Int
	Centre       bounded.Int
}

// Descend carries a form over the layer of the first step down to the inputs, layer 1 being that of the last
// (R-B-BACKWARD).
//
// Relation: the result is the form's after all steps, each of which rounds down by 2^k and goes through its layer as
// slopes says; its centre takes the exact coefficients. Precondition: that of slopes, for every step; no rounding at the
// first. Outside it: no bound. Cost: slopes and one product by each layer's matrix; where k > 0 two range checks for the
// constant and one for each coefficient; one product per sensitive column.
func (n *Network) Descend(a *bounded.Arith, lambda Split, kappa bounded.Int, steps []Step, sensitive []bounded.Int) Form {
	defer a.Part("backward")()
	for at, step := range steps {
		if step.Rounding > 0 {
			kappa, _ = a.Floor(kappa, step.Rounding, step.Kappa)
		}
		mu, taken := step.slopes(a, lambda, n.q)
		results := step.Inputs
		if last := at == len(steps)-1; !last {
			lambda, results = step.Below.split(a, steps[at+1].Rounding)
		}
		found := n.layers[len(steps)-1-at].Multiply(a, mu, append(results[:len(results):len(results)], step.Constant))
		size := len(found) - 1
		kappa = a.Add(a.Scale(relaxation.Unit(n.q), kappa), a.Neg(taken), found[size])
		if at == len(steps)-1 {
			return Form{Coefficients: found[:n.plain], Centre: a.Add(kappa, a.Dot(found[n.plain:size], sensitive))}
		}
	}
	panic("a pass goes through at least one layer")
}

// split types P and Q and returns with them the coefficients 2^k (P - Q) + Rest that are to be the product's.
func (c Claim) split(a *bounded.Arith, k int) (Split, []frontend.Variable) {
	var s Split
	var results []frontend.Variable
	for i := range c.Positive {
		p, q := a.Unsigned(c.Positive[i], c.Bits), a.Unsigned(c.Negative[i], c.Bits)
		s.Positive, s.Negative = append(s.Positive, p), append(s.Negative, q)
		coefficient := a.Scale(new(big.Int).Lsh(big.NewInt(1), uint(k)), a.Sub(p, q))
		if k > 0 {
			coefficient = a.Add(coefficient, a.Unsigned(c.Rest[i], k))
		}
		results = append(results, coefficient.Wire())
	}
	return s, results
}
