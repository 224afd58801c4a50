// Package polytope computes the linear forms of a region from the committed weights and the region's pattern.
//
// A distance needs of a form c.x + d two numbers only: its value at the slice's centre, and |c|^2 over the non-sensitive
// columns. Both follow without the coefficients. With u_l the values of layer l's forms at the centre, v_l the
// pattern's bits, and G_l the matrix of products c_i . c_j of layer l's forms,
//
//	u_(l+1) = W (v_l * u_l) + b,    G_(l+1) = W (v_l v_l^T * G_l) W^T,    G_1 = W_1 W_1^T over the n_x columns.
//
// The cost of a region is then free of n_x (docs/adr/0002).
package polytope

import (
	"math/big"

	"equiproof/gadget/affine"
	"equiproof/gadget/bounded"
	"equiproof/gadget/distance"
)

// Forms are the linear forms of a region: of each hidden layer but the first, and of the margins.
type Forms struct {
	Hidden  [][]distance.Form
	Margins []distance.Form
}

// Network holds what the regions share: the layers above the first, the margins' layer last, and the products of their
// weights.
type Network struct {
	a     *bounded.Arith
	above []level
}

// level is a layer with, for each needed pair of its forms, the coefficients of the pairs below.
type level struct {
	layer affine.Layer
	pairs map[[2]int][]bounded.Int
}

// Gram returns the products of rows: entry (i, j) of W W^T for i <= j, in the order (0,0) (0,1) .. (1,1) ..
func Gram(a *bounded.Arith, rows [][]bounded.Int) []bounded.Int {
	defer a.Part("polytope")()
	var gram []bounded.Int
	for i := range rows {
		for j := i; j < len(rows); j++ {
			if i == j {
				gram = append(gram, squaredNorm(a, rows[i]))
			} else {
				gram = append(gram, a.Dot(rows[i], rows[j]))
			}
		}
	}
	return gram
}

// Diagonal returns the squared norms out of a gram matrix of n rows.
func Diagonal(gram []bounded.Int, n int) []bounded.Int {
	var norms []bounded.Int
	for i, at := 0, 0; i < n; i++ {
		norms = append(norms, gram[at])
		at += n - i
	}
	return norms
}

// New prepares the layers above the first for any number of regions; gram is that of the first layer's rows over the
// non-sensitive columns. The last layer is that of the margins, of which only the norms are needed.
func New(a *bounded.Arith, above []affine.Layer, gram []bounded.Int) *Network {
	defer a.Part("polytope")()
	n := &Network{a: a}
	for l, layer := range above {
		a := a.At("layer %d", l+2)
		next := level{layer: layer, pairs: map[[2]int][]bounded.Int{}}
		for i := range layer.Weights {
			for j := i; j < len(layer.Weights) && (l < len(above)-1 || j == i); j++ {
				coefficients := products(a, layer.Weights[i], layer.Weights[j])
				if l == 0 {
					for k := range coefficients {
						coefficients[k] = a.Mul(coefficients[k], gram[k])
					}
				}
				next.pairs[[2]int{i, j}] = coefficients
			}
		}
		n.above = append(n.above, next)
	}
	return n
}

// Forms returns the forms of one region (R-POLYTOPE).
//
// Relation: the forms are those of the committed network where the neurons of pattern are on, and all others off,
// whatever the signs at any point. Precondition: first holds the first layer's pre-activations at the centre of the
// region's slice; pattern holds bits, one per hidden neuron. Outside it: forms of no region. Cost: per layer, h + h^2/2
// and h' + h'(h' + 1) h (h + 1) / 4 constraints for h inputs and h' outputs.
func (n *Network) Forms(first []bounded.Int, pattern []bounded.Int) Forms {
	defer n.a.Part("polytope")()
	var forms Forms
	values, gram := first, []bounded.Int(nil)
	for l, level := range n.above {
		a := n.a.At("layer %d", l+2)
		bits := pattern[:len(values)]
		pattern = pattern[len(values):]
		passed := make([]bounded.Int, len(values))
		for i := range values {
			passed[i] = a.Mul(bits[i], values[i])
		}
		mask := products01(a, bits)
		for k := range gram {
			mask[k] = a.Mul(mask[k], gram[k])
		}
		values = level.layer.Apply(a, passed)
		gram = nil
		var found []distance.Form
		for i := range values {
			for j := i; j < len(values); j++ {
				if coefficients, needed := level.pairs[[2]int{i, j}]; needed {
					gram = append(gram, a.Dot(coefficients, mask))
				}
			}
		}
		norms := gram
		if l < len(n.above)-1 {
			norms = Diagonal(gram, len(values))
		}
		for i := range values {
			found = append(found, distance.Form{Value: values[i], NormSquared: norms[i]})
		}
		if l < len(n.above)-1 {
			forms.Hidden = append(forms.Hidden, found)
		} else {
			forms.Margins = found
		}
	}
	return forms
}

// squaredNorm returns the sum of squares of a row.
func squaredNorm(a *bounded.Arith, row []bounded.Int) bounded.Int {
	squares := make([]bounded.Int, len(row))
	for i, x := range row {
		squares[i] = a.Square(x)
	}
	return a.Add(squares...)
}

// products returns, for each pair k <= m below, the coefficient of c_k . c_m in the product of two forms above.
func products(a *bounded.Arith, left, right []bounded.Int) []bounded.Int {
	var coefficients []bounded.Int
	for k := range left {
		for m := k; m < len(left); m++ {
			switch {
			case k == m:
				coefficients = append(coefficients, a.Mul(left[k], right[k]))
			case sameRow(left, right):
				coefficients = append(coefficients, a.Scale(big.NewInt(2), a.Mul(left[k], left[m])))
			default:
				coefficients = append(coefficients, a.Add(a.Mul(left[k], right[m]), a.Mul(left[m], right[k])))
			}
		}
	}
	return coefficients
}

func sameRow(left, right []bounded.Int) bool { return &left[0] == &right[0] }

// products01 returns the products of pairs of bits, k <= m; a bit is its own square.
func products01(a *bounded.Arith, bits []bounded.Int) []bounded.Int {
	var pairs []bounded.Int
	for k := range bits {
		for m := k; m < len(bits); m++ {
			if k == m {
				pairs = append(pairs, bits[k])
			} else {
				pairs = append(pairs, a.Mul(bits[k], bits[m]))
			}
		}
	}
	return pairs
}
