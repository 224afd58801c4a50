// Package backward carries a linear form over the neurons of a layer down to the inputs.
//
// A form lambda.h + kappa over h = relu(z) of layer j is bounded from below by one over z, since z lies within the layer's
// bounds or its sign is known, and z = W h + b makes that a form over the layer below:
//
//	kappa <- 2^q kappa - sum of Q_i T_i + sum of mu_i b_i,    lambda <- mu W.
//
// The forms are at scales: what holds is 2^(q n) M value >= 2^(sum of k) form after n steps. What the coefficients and
// constants are is claimed by the prover and proven by package product: mu is a product of A and P less one of K and Q, and
// the matrices of rows A_i (W_i, b_i) and -K_i (W_i, b_i) - (0, T_i) take P and Q as they are.
package backward

import (
	"fmt"
	"math/big"

	"github.com/consensys/gnark/frontend"

	"equiproof/gadget/affine"
	"equiproof/gadget/bounded"
	"equiproof/gadget/product"
	"equiproof/gadget/relaxation"
)

// Network is what all passes share.
type Network struct {
	argument *product.Argument
	layers   []*product.Matrix
	columns  [][][]bounded.Int // of the layers' matrices
	plain    int               // n_x
	q        int
}

// New prepares the hidden layers for passes over the ball of a query of n_x columns. The matrix of a layer has its biases
// as the last column; in that of layer 1 the query's columns are added to them, so that one entry of a product is
// c.x + mu.b.
func New(a *bounded.Arith, argument *product.Argument, hidden []affine.Layer, query []bounded.Int, q int) *Network {
	defer a.Part("backward")()
	n := &Network{argument: argument, plain: len(query), q: q}
	for j, layer := range hidden {
		constants := layer.Biases
		if j == 0 {
			plain, _ := layer.Split(n.plain)
			constants = affine.Layer{Weights: plain, Biases: layer.Biases}.Apply(a.At("layer 1"), query)
		}
		rows := make([][]bounded.Int, len(layer.Weights))
		columns := make([][]bounded.Int, len(layer.Weights[0])+1)
		for i, row := range layer.Weights {
			rows[i] = append(append(rows[i], row...), constants[i])
			for k, entry := range rows[i] {
				columns[k] = append(columns[k], entry)
			}
		}
		n.layers, n.columns = append(n.layers, argument.Matrix(rows)), append(n.columns, columns)
	}
	return n
}

// Lower is the lower lines A z of a layer.
type Lower struct {
	Slopes []bounded.Int
	by     *product.Matrix // rows A_i (W_i, b_i)
}

// Upper is the upper lines K z + T of a layer, or the bounds of those of several slices of which one is chosen.
type Upper struct {
	Lines []relaxation.Line
	by    *product.Matrix // rows -K_i (W_i, b_i) - (0, T_i)
}

// Lower prepares lower lines of layer j, counted from 1, for passes.
func (n *Network) Lower(j int, slopes []bounded.Int) Lower {
	return Lower{slopes, n.argument.Scaled(n.layers[j-1], slopes, nil)}
}

// Upper prepares upper lines of layer j, counted from 1, for passes.
func (n *Network) Upper(a *bounded.Arith, j int, lines []relaxation.Line) Upper {
	var slopes, offsets []bounded.Int
	for _, line := range lines {
		slopes, offsets = append(slopes, a.Neg(line.Slope)), append(offsets, a.Neg(line.Offset))
	}
	return Upper{lines, n.argument.Scaled(n.layers[j-1], slopes, offsets)}
}

// Choose prepares for passes those upper lines that are chosen; of the choices, bits, exactly one is set.
func (n *Network) Choose(a *bounded.Arith, among []Upper, choices []bounded.Int) Upper {
	var chosen Upper
	var matrices []*product.Matrix
	for s, upper := range among {
		matrices = append(matrices, upper.by)
		for i, line := range upper.Lines {
			if s == 0 {
				chosen.Lines = append(chosen.Lines, line)
			}
			seen := &chosen.Lines[i]
			seen.Slope = a.Hull(seen.Slope, line.Slope)
			seen.Offset = a.Hull(seen.Offset, line.Offset)
		}
	}
	chosen.by = n.argument.Chosen(matrices, choices)
	return chosen
}

// Step is how a pass gets through one layer, and what the prover claims of the form below.
type Step struct {
	Through Layer

	Rounding int               // k of this layer
	Kappa    frontend.Variable // the constant, rounded down, where k > 0

	Constant frontend.Variable // sum of mu_i b_i - sum of Q_i T_i; through layer 1 with b_i + W_i x over the n_x columns
	Below    Claim             // mu W over the layer below; after layer 1 unused
	Inputs   []frontend.Variable
}

// Form is what a pass ends with: coefficients over the n_x columns, and the form's value at the slice's centre.
type Form struct {
	Coefficients []bounded.Int
	Centre       bounded.Int
}

// Descend carries a form over the layer of the first step down to the inputs, layer 1 being that of the last
// (R-B-BACKWARD).
//
// Relation: the result is the form's after all steps, each of which rounds down by 2^k and goes through its layer as its
// kind says; its centre takes the exact coefficients. Precondition: that of the kind, for every step; no rounding at the
// first, which nothing would round the coefficients for. Outside it: no bound; with a rounding at the first the circuit does
// not compile. Cost: that of the kind and one product by each layer's matrices; where k > 0 two range checks
// for the constant; one product per sensitive column.
func (n *Network) Descend(a *bounded.Arith, over Over, kappa bounded.Int, steps []Step, sensitive []bounded.Int) Form {
	defer a.Part("backward")()
	if len(steps) > 0 && steps[0].Rounding > 0 {
		panic(fmt.Sprintf("the first step of a pass is rounded by 2^%d, its coefficients are not", steps[0].Rounding))
	}
	for at, step := range steps {
		if step.Rounding > 0 {
			// Rounded down the form is a lower bound still.
			kappa, _ = a.Floor(kappa, step.Rounding, step.Kappa)
		}
		layer, last := len(steps)-1-at, at == len(steps)-1
		passed := step.Through.pass(a, n, layer, over)
		results := step.Inputs
		if !last {
			over, results = step.Below.read(a, steps[at+1].Rounding)
		}
		claims := append(results[:len(results):len(results)], step.Constant)
		passed.claim.Row(claims)
		found := a.Multiplied(claims, passed.slopes, n.columns[layer])
		size := len(found) - 1
		// A layer's slopes multiply the form by 2^q, and so its constant.
		kappa = a.Add(a.Scale(relaxation.Unit(n.q), kappa), a.Sub(found[size], passed.taken))
		if last {
			return Form{Coefficients: found[:n.plain], Centre: a.Add(kappa, a.Dot(found[n.plain:size], sensitive))}
		}
		over = step.Below.over(a, over, found[:size], steps[at+1].Rounding)
	}
	panic("a pass goes through at least one layer")
}

// passed is what a layer makes of a form: the claim that is to be the form below, and the bounds of mu and of what the
// offsets take off the constant.
type passed struct {
	claim  *product.Claim
	slopes []bounded.Int
	taken  bounded.Int
}

func power(bits int) *big.Int { return new(big.Int).Lsh(big.NewInt(1), uint(bits)) }
