package subcircuit

import (
	"fmt"
	"math/big"

	"equiproof/gadget/affine"
	"equiproof/gadget/bounded"
	"equiproof/gadget/distance"
	"equiproof/gadget/polytope"
	"equiproof/relation"
	"equiproof/shape"
)

// region is one row of the relation's set on one slice: the network, the slice's centre, a pattern and the label.
type region struct {
	layers              []affine.Layer
	query, row, pattern []bounded.Int
	label               affine.Label
}

// networkLayout names the wires of the network.
func networkLayout(s *shape.Shape) []relation.Segment { return lowestLayout(s, len(s.Layers())) }

// lowestLayout names the wires of the network's first n layers.
func lowestLayout(s *shape.Shape, n int) []relation.Segment {
	var segments []relation.Segment
	for l, size := range s.Layers()[:n] {
		segments = append(segments,
			relation.Segment{Name: fmt.Sprintf("weights.%d", l+1), Length: size[0] * size[1]},
			relation.Segment{Name: fmt.Sprintf("biases.%d", l+1), Length: size[0]})
	}
	return segments
}

// regionLayout names the wires of a region.
func regionLayout(s *shape.Shape) []relation.Segment {
	return append(networkLayout(s),
		relation.Segment{Name: "query", Length: s.Architecture.Plain},
		relation.Segment{Name: "row", Length: s.Architecture.Sensitive},
		relation.Segment{Name: "pattern", Length: s.Neurons()},
		relation.Segment{Name: "label", Length: s.Architecture.Logits})
}

// network reads the layers, and lists their numbers in the layout's order.
func (b *builder) network() (layers []affine.Layer, all []bounded.Int) {
	return b.lowest(len(b.shape.Layers()), b.weights)
}

// weights reads those of a layer, counted from 0.
func (b *builder) weights(l int) []bounded.Int {
	return b.signed(fmt.Sprintf("weights.%d", l+1), b.shape.Architecture.WeightBits[l])
}

// lowest is network for its first n layers, with the weights of a layer typed by the caller.
func (b *builder) lowest(n int, weightsOf func(l int) []bounded.Int) (layers []affine.Layer, all []bounded.Int) {
	for l, size := range b.shape.Layers()[:n] {
		weights := weightsOf(l)
		biases := b.signed(fmt.Sprintf("biases.%d", l+1), b.shape.Architecture.BiasBits[l])
		layers = append(layers, affine.Layer{Weights: relation.Matrix(weights, size[1]), Biases: biases})
		all = append(append(all, weights...), biases...)
	}
	return layers, all
}

// region reads a region as a part of the instance.
func (b *builder) region() region {
	layers, all := b.network()
	query, row := b.signed("query", b.shape.InputBits), b.signed("row", b.shape.InputBits)
	pattern, label := b.bits("pattern"), b.bits("label")
	b.bind(all, query, row, pattern, label)
	return region{layers, query, row, pattern, affine.NewLabel(b.a.At("sum of the label"), label)}
}

// forms returns the first layer's forms, and the others.
func (r region) forms(a *bounded.Arith) ([]distance.Form, polytope.Forms) {
	at := a.At("layer 1")
	defer at.Part("polytope")()
	plain, sensitive := r.layers[0].Split(len(r.query))
	gram := polytope.Gram(at, plain)
	base := affine.Layer{Weights: plain, Biases: r.layers[0].Biases}.Apply(at, r.query)
	norms := polytope.Diagonal(gram, len(base))
	first := make([]distance.Form, len(base))
	for i := range base {
		value := at.Add(base[i], at.Dot(sensitive[i], r.row))
		first[i] = distance.Form{Value: value, NormSquared: norms[i]}
	}
	last := len(r.layers) - 1
	above := append(append([]affine.Layer{}, r.layers[1:last]...), r.label.Margins(a.At("margins"), r.layers[last]))
	return first, polytope.New(a, above, gram).Forms(values(first), r.pattern)
}

// every lists the forms of all hidden neurons, layer by layer, and then those of the margins.
func every(first []distance.Form, forms polytope.Forms) []distance.Form {
	all := append([]distance.Form{}, first...)
	for _, layer := range forms.Hidden {
		all = append(all, layer...)
	}
	return append(all, forms.Margins...)
}

func values(forms []distance.Form) []bounded.Int {
	found := make([]bounded.Int, len(forms))
	for i, form := range forms {
		found[i] = form.Value
	}
	return found
}

func norms(forms []distance.Form) []bounded.Int {
	found := make([]bounded.Int, len(forms))
	for i, form := range forms {
		found[i] = form.NormSquared
	}
	return found
}

// bounds returns forms that are as wide as those of the shape's regions may be, found by the relation's own arithmetic on
// constants: it leaves no constraints.
func (b *builder) bounds() []distance.Form {
	a, s := bounded.New(b.a.API()), b.shape
	r := region{query: wide(a, s.Architecture.Plain, s.InputBits), row: wide(a, s.Architecture.Sensitive, s.InputBits)}
	for l, size := range s.Layers() {
		weights := relation.Matrix(wide(a, size[0]*size[1], s.Architecture.WeightBits[l]), size[1])
		r.layers = append(r.layers, affine.Layer{Weights: weights, Biases: wide(a, size[0], s.Architecture.BiasBits[l])})
	}
	zero, one := new(big.Int), big.NewInt(1)
	for range s.Neurons() {
		r.pattern = append(r.pattern, a.Within(0, zero, one))
	}
	label := []bounded.Int{a.Within(1, zero, one)}
	for len(label) < s.Architecture.Logits {
		label = append(label, a.Within(0, zero, one))
	}
	r.label = affine.NewLabel(a, label)
	return every(r.forms(a))
}

// wide returns n zeros with the bounds of so many signed bits.
func wide(a *bounded.Arith, n, bits int) []bounded.Int {
	half := new(big.Int).Lsh(big.NewInt(1), uint(bits-1))
	zeros := make([]bounded.Int, n)
	for i := range zeros {
		zeros[i] = a.Within(0, new(big.Int).Neg(half), new(big.Int).Sub(half, big.NewInt(1)))
	}
	return zeros
}
