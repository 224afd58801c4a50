// Package oracle computes in plain integers, with explicit coefficients and brute force, what the circuits claim.
package oracle

import (
	"math/big"
	"math/rand/v2"
)

// Layer is z = W h + b.
type Layer struct {
	Weights [][]*big.Int
	Biases  []*big.Int
}

// Network is the hidden layers and the logits' layer.
type Network []Layer

// Form is a linear form c.x + d over the non-sensitive columns.
type Form struct {
	C []*big.Int
	D *big.Int
}

// At returns c.x + d.
func (f Form) At(x []*big.Int) *big.Int { return new(big.Int).Add(dot(f.C, x), f.D) }

// NormSquared returns |c|^2.
func (f Form) NormSquared() *big.Int { return dot(f.C, f.C) }

// Excess returns (c.x + d)^2 - E |c|^2.
func (f Form) Excess(x []*big.Int, radiusSquared *big.Int) *big.Int {
	value, norm := f.At(x), f.NormSquared()
	return value.Mul(value, value).Sub(value, norm.Mul(norm, radiusSquared))
}

func dot(x, y []*big.Int) *big.Int {
	sum := new(big.Int)
	for i := range x {
		sum.Add(sum, new(big.Int).Mul(x[i], y[i]))
	}
	return sum
}

// Neurons is the number of hidden neurons.
func (n Network) Neurons() int {
	total := 0
	for _, layer := range n[:len(n)-1] {
		total += len(layer.Biases)
	}
	return total
}

// Forms returns the forms of all hidden neurons, layer by layer, and of the logits, where the neurons of pattern are on
// and all others off, on the slice of the given sensitive columns.
func (n Network) Forms(sensitive []*big.Int, pattern []bool) (hidden [][]Form, logits []Form) {
	plain := len(n[0].Weights[0]) - len(sensitive)
	inputs := make([]Form, plain)
	for j := range inputs {
		inputs[j] = Form{C: zeros(plain), D: new(big.Int)}
		inputs[j].C[j].SetInt64(1)
	}
	for _, value := range sensitive {
		inputs = append(inputs, Form{C: zeros(plain), D: value})
	}
	for l, layer := range n {
		forms := make([]Form, len(layer.Biases))
		for i, row := range layer.Weights {
			forms[i] = Form{C: zeros(plain), D: new(big.Int).Set(layer.Biases[i])}
			for k, weight := range row {
				forms[i].D.Add(forms[i].D, new(big.Int).Mul(weight, inputs[k].D))
				for j := range plain {
					forms[i].C[j].Add(forms[i].C[j], new(big.Int).Mul(weight, inputs[k].C[j]))
				}
			}
		}
		if l == len(n)-1 {
			return hidden, forms
		}
		hidden = append(hidden, forms)
		inputs = make([]Form, len(forms))
		for i := range forms {
			inputs[i] = Form{C: zeros(plain), D: new(big.Int)}
			if pattern[i] {
				inputs[i] = forms[i]
			}
		}
		pattern = pattern[len(forms):]
	}
	return hidden, nil
}

func zeros(n int) []*big.Int {
	values := make([]*big.Int, n)
	for i := range values {
		values[i] = new(big.Int)
	}
	return values
}

// Margins returns the forms of the margins: (2y - 1) logit for one logit, else logit_y - logit_c for every c.
func Margins(logits []Form, label int) []Form {
	if len(logits) == 1 {
		if label == 1 {
			return logits
		}
		return []Form{logits[0].minus(Form{C: zeros(len(logits[0].C)), D: new(big.Int)}, -1)}
	}
	margins := make([]Form, len(logits))
	for c := range logits {
		margins[c] = logits[label].minus(logits[c], 1)
	}
	return margins
}

// minus returns sign f - g.
func (f Form) minus(g Form, sign int64) Form {
	difference := Form{C: make([]*big.Int, len(f.C)), D: new(big.Int).Mul(big.NewInt(sign), f.D)}
	difference.D.Sub(difference.D, g.D)
	for j := range f.C {
		difference.C[j] = new(big.Int).Mul(big.NewInt(sign), f.C[j])
		difference.C[j].Sub(difference.C[j], g.C[j])
	}
	return difference
}

// Evaluate runs the network at a point by its definition and returns the activation pattern and the logits.
func (n Network) Evaluate(inputs []*big.Int) (pattern []bool, logits []*big.Int) {
	for l, layer := range n {
		values := make([]*big.Int, len(layer.Biases))
		for i, row := range layer.Weights {
			values[i] = new(big.Int).Add(dot(row, inputs), layer.Biases[i])
		}
		if l == len(n)-1 {
			return pattern, values
		}
		for i := range values {
			on := values[i].Sign() >= 0
			pattern = append(pattern, on)
			if !on {
				values[i] = new(big.Int)
			}
		}
		inputs = values
	}
	return pattern, nil
}

// Decision returns the strict decision of logits, or -1 where there is a tie.
func Decision(logits []*big.Int) int {
	if len(logits) == 1 {
		return map[int]int{-1: 0, 0: -1, 1: 1}[logits[0].Sign()]
	}
	best, tie := 0, false
	for c := 1; c < len(logits); c++ {
		switch logits[c].Cmp(logits[best]) {
		case 1:
			best, tie = c, false
		case 0:
			tie = true
		}
	}
	if tie {
		return -1
	}
	return best
}

// Random draws a network with weights and biases of at most the given magnitudes; sizes run from inputs to logits.
func Random(random *rand.Rand, sizes []int, weight, bias int64) Network {
	var network Network
	for l := 1; l < len(sizes); l++ {
		layer := Layer{}
		for range sizes[l] {
			layer.Weights = append(layer.Weights, Vector(random, sizes[l-1], weight))
			layer.Biases = append(layer.Biases, Vector(random, 1, bias)...)
		}
		network = append(network, layer)
	}
	return network
}

// Vector draws integers of at most the given magnitude.
func Vector(random *rand.Rand, length int, magnitude int64) []*big.Int {
	values := make([]*big.Int, length)
	for i := range values {
		values[i] = big.NewInt(random.Int64N(2*magnitude+1) - magnitude)
	}
	return values
}

// Pattern reads the lowest bits of a number, the first neuron lowest.
func Pattern(number, neurons int) []bool {
	pattern := make([]bool, neurons)
	for i := range pattern {
		pattern[i] = number>>i&1 == 1
	}
	return pattern
}
