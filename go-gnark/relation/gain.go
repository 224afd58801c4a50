package relation

import (
	"slices"

	"github.com/consensys/gnark/frontend"

	"equiproof/gadget/affine"
	"equiproof/gadget/backward"
	"equiproof/gadget/bounded"
	"equiproof/gadget/relaxation"
	"equiproof/shape"
)

// Gain is the circuit of relation `gain`: everywhere in the ball, every margin of the label is larger by at least so much with
// the first row of sensitive columns than with the second. It is that of scheme `branch` for the network of both copies,
// whose layers are made of the committed ones here (docs/relation-gain.md).
type Gain struct {
	Digest frontend.Variable   `gnark:",public"`
	Wires  []frontend.Variable `gnark:",secret"`

	shape   *shape.Shape
	pair    *shape.Shape
	numbers *shape.Branch // of the pair, for the bounds of the copies, too
	widths  []bounded.Width
	record  bounded.Record
}

// NewGain returns the circuit of a shape, to be compiled or assigned; a shape that the field does not hold is refused.
func NewGain(s *shape.Shape) (*Gain, error) {
	pair := s.Pair()
	numbers, err := pair.Branch()
	if err != nil {
		return nil, err
	}
	c := &Gain{shape: s, pair: pair, numbers: numbers}
	c.Wires = make([]frontend.Variable, Length(c.Layout()))
	return c, nil
}

// Inputs returns the statement digest and the private wires.
func (c *Gain) Inputs() (*frontend.Variable, []frontend.Variable) { return &c.Digest, c.Wires }

// Layout names the private wires in order: those of the bounds are of the committed network on two slices, those of the tree
// and its leaves of the pair on one.
func (c *Gain) Layout() []Segment {
	return slices.Concat(opened(c.shape), boundsLayout(c.shape, c.numbers), leavesLayout(c.pair, c.numbers))
}

// Widths lists the places of the circuit with the widest integer that each can hold; known once it is compiled.
func (c *Gain) Widths() []bounded.Width { return c.widths }

// Record says which constraints are for which part; known once it is compiled.
func (c *Gain) Record() bounded.Record { return c.record }

// Words is how many words the model has where it is kept.
func (c *Gain) Words() int { return words(c.shape) }

// gain is what a statement about a gain has beyond the others.
type gain struct {
	least bounded.Int
	unit  frontend.Variable // the fraction bits of the logits, the owner's word
}

// Define constrains the relation, gadget by gadget.
func (c *Gain) Define(api frontend.API) (err error) {
	defer bounded.Catch(&err)
	b, err := begin(api, c.shape, c.numbers, c.Digest, Take(c.Layout(), c.Wires))
	if err != nil {
		return err
	}
	b.bounds()
	p := b.paired(c.pair)
	p.leaves(p.tree(), b.gains())
	c.widths, c.record = b.a.Widths(), b.a.Record()
	return nil
}

// paired returns the circuit of the pair on its one slice, from here on. Its layers are the committed ones in two blocks, its
// sensitive columns those of the first row and then of the second, its upper lines those of the copies on their rows: by
// place, so that none can stand for the other (R-G-COPIES).
func (b *branch) paired(pair *shape.Shape) *branch {
	first, second := b.table[0], b.table[1]
	p := &branch{numbers: b.numbers, claims: NewClaims(pair, b.numbers, b.wires), argument: b.argument, slopes: b.slopes}
	p.traversal = &traversal{
		a: b.a, shape: pair, wires: b.wires, label: b.label, query: b.query, radius: b.radius,
		table: [][]bounded.Int{slices.Concat(first, second)},
	}
	for l, layer := range b.layers[:len(b.layers)-1] {
		shared := 0
		if l == 0 {
			shared = len(b.query)
		}
		p.layers = append(p.layers, twice(b.a, layer, shared))
	}
	p.network = backward.New(b.a, b.argument, p.layers, b.query, shape.FractionBits)
	var upper []backward.Upper
	for l := range p.layers {
		lines := slices.Concat[[]relaxation.Line](b.upper[0][l].Lines, b.upper[1][l].Lines)
		upper = append(upper, p.network.Upper(b.a, l+1, lines))
	}
	p.upper = [][]backward.Upper{upper}
	return p
}

// twice puts a layer beside itself: both take the first inputs, so many as are shared, and each its own of the others.
func twice(a *bounded.Arith, layer affine.Layer, shared int) affine.Layer {
	var both affine.Layer
	for copied := range 2 {
		for _, row := range layer.Weights {
			own := row[shared:]
			none := make([]bounded.Int, len(own))
			for i := range none {
				none[i] = a.Constant(0)
			}
			halves := [2][]bounded.Int{none, none}
			halves[copied] = own
			both.Weights = append(both.Weights, slices.Concat(row[:shared], halves[0], halves[1]))
		}
		both.Biases = append(both.Biases, layer.Biases...)
	}
	return both
}

// gains returns the layer of what is to be positive, over the last hidden neurons of both copies: each margin of the label
// with the first row less the same with the second, less the least gain, plus 1 (R-G-GAIN). The biases cancel.
func (b *branch) gains() affine.Layer {
	a := b.a.At("gain")
	margins := b.label.Rivals(a, b.layers[len(b.layers)-1])
	// A leaf proves it positive, which of an integer is at least 1.
	over := a.Sub(a.Constant(1), b.gain.least)
	var found affine.Layer
	for _, row := range margins.Weights {
		both := slices.Clone(row)
		for _, weight := range row {
			both = append(both, a.Neg(weight))
		}
		found.Weights, found.Biases = append(found.Weights, both), append(found.Biases, over)
	}
	return found
}
