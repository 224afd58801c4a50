package relation

import (
	"fmt"

	"github.com/consensys/gnark/frontend"

	"equiproof/gadget/affine"
	"equiproof/gadget/boundary"
	"equiproof/gadget/bounded"
	"equiproof/gadget/commitment"
	"equiproof/gadget/distance"
	"equiproof/gadget/inference"
	"equiproof/gadget/neighbor"
	"equiproof/gadget/order"
	"equiproof/gadget/polytope"
	"equiproof/shape"
)

// Traversal is the circuit of scheme `traversal`: a closed set of regions, K rows of it, of which row s < S is the region
// of slice s's centre. Every row is a real row; padding repeats rows and is checked like them.
type Traversal struct {
	Digest frontend.Variable   `gnark:",public"`
	Wires  []frontend.Variable `gnark:",secret"`

	shape  *shape.Shape
	widths []bounded.Width
	record bounded.Record
}

// New returns the circuit of a shape, to be compiled or assigned.
func New(s *shape.Shape) *Traversal {
	return &Traversal{Wires: make([]frontend.Variable, Wires(s)), shape: s}
}

// traversal is the circuit under construction.
type traversal struct {
	a      *bounded.Arith
	shape  *shape.Shape
	wires  map[string][]frontend.Variable
	layers []affine.Layer
	label  affine.Label
	query  []bounded.Int
	table  [][]bounded.Int
	radius bounded.Int
	low    []bounded.Int // of the columns' ranges, where the statement is restricted to them, or of the box
	high   []bounded.Int
	gain   *gain             // nil for statements about decisions
	shown  frontend.Variable // of a kept model, nil otherwise
}

// Define constrains the relation, gadget by gadget.
func (c *Traversal) Define(api frontend.API) (err error) {
	defer bounded.Catch(&err)
	t := &traversal{a: bounded.New(api), shape: c.shape, wires: Take(c.Layout(), c.Wires)}
	if err := t.show(); err != nil {
		return err
	}
	t.read()
	leave := t.a.Part("digest")
	digest, err := t.statement()
	if err != nil {
		return err
	}
	api.AssertIsEqual(c.Digest, digest)
	leave()
	t.regions()
	c.widths, c.record = t.a.Widths(), t.a.Record()
	return nil
}

// Inputs returns the statement digest and the private wires.
func (c *Traversal) Inputs() (*frontend.Variable, []frontend.Variable) { return &c.Digest, c.Wires }

// Layout names the private wires in order.
func (c *Traversal) Layout() []Segment { return Layout(c.shape) }

// Widths lists the places of the circuit with the widest integer that each can hold; known once it is compiled.
func (c *Traversal) Widths() []bounded.Width { return c.widths }

// Record says which constraints are for which part; known once it is compiled.
func (c *Traversal) Record() bounded.Record { return c.record }

// Words is how many words the model has where it is kept.
func (c *Traversal) Words() int { return words(c.shape) }

// read gives every private number its width (R-RANGE).
func (t *traversal) read() {
	t.readWith(func(l int) []bounded.Int {
		return t.committed(fmt.Sprintf("weights.%d", l+1), t.shape.Architecture.WeightBits[l])
	})
	t.readStated()
}

// readWith gives the numbers of the network their widths (R-RANGE), with the weights of a layer, counted from 0, typed by the caller.
func (t *traversal) readWith(weightsOf func(l int) []bounded.Int) {
	defer t.a.Part("range")()
	s := t.shape
	for l, size := range s.Layers() {
		weights := weightsOf(l)
		biases := t.committed(fmt.Sprintf("biases.%d", l+1), s.Architecture.BiasBits[l])
		t.layers = append(t.layers, affine.Layer{Weights: Matrix(weights, size[1]), Biases: biases})
	}
}

// readStated gives the numbers that the statement speaks of their widths (R-RANGE).
func (t *traversal) readStated() {
	defer t.a.Part("range")()
	s := t.shape
	t.table = Matrix(t.signed("table", s.InputBits), s.Architecture.Sensitive)
	if s.Boxes() {
		t.low, t.high = t.signed("box_low", s.InputBits), t.signed("box_high", s.InputBits)
		t.label = affine.NewLabel(t.a.At("label"), t.bits("label"))
		return
	}
	t.query = t.signed("query", s.InputBits)
	t.low, t.high = t.signed("range_low", s.InputBits), t.signed("range_high", s.InputBits)
	t.label = affine.NewLabel(t.a.At("label"), t.bits("label"))
	t.radius = t.a.At("radius_squared").Unsigned(t.wires["radius_squared"][0], s.RadiusBits)
	if s.Gains() {
		t.gain = &gain{least: t.signed("least_gain", s.GainBits())[0], unit: t.wires["logit_fraction_bits"][0]}
	}
}

// statement recomputes the digest of the whole statement from the wires.
func (t *traversal) statement() (frontend.Variable, error) {
	if t.shape.Keeps() {
		return t.stated(t.wires["model_commitment"][0])
	}
	model, err := t.opens()
	if err != nil {
		return nil, err
	}
	return t.stated(model)
}

// opens recomputes the model commitment from the network (R-COMMITMENT).
func (t *traversal) opens() (frontend.Variable, error) {
	spec, blinding := t.wires["spec_digest"][0], t.wires["model_blinding"][0]
	return commitment.Model(t.a.At("statement"), &t.shape.Architecture, spec, blinding, t.layers)
}

// stated recomputes the digest from a model commitment and the other wires.
func (t *traversal) stated(model frontend.Variable) (frontend.Variable, error) {
	s, a := t.shape, t.a.At("statement")
	if s.Boxes() {
		return t.statedBox(model)
	}
	spec, context := t.wires["spec_digest"][0], t.wires["context_digest"][0]
	query, err := commitment.Query(a, s, t.wires["query_blinding"][0], t.query)
	if err != nil {
		return nil, err
	}
	var table []bounded.Int
	for _, row := range t.table {
		table = append(table, row...)
	}
	domain, err := commitment.Domain(a, s, append(append(table, t.low...), t.high...))
	if err != nil {
		return nil, err
	}
	public := commitment.Statement{
		Model: model, Spec: spec, Domain: domain, Query: query,
		Label: t.label.Index(a).Wire(), RadiusSquared: t.radius.Wire(), Context: context, Shown: t.shown,
	}
	if t.gain != nil {
		public.Gain = []frontend.Variable{t.gain.least.Wire(), t.gain.unit}
	}
	return public.Digest(a.API(), s)
}

// regions constrains the set of regions.
func (t *traversal) regions() {
	s := t.shape
	neurons, first := s.Neurons(), s.Architecture.Hidden[0]
	patterns := Matrix(t.bits("pattern"), neurons)
	deeper := Matrix(t.bits("crossed_deeper"), neurons-first)
	last := len(t.layers) - 1
	plain, _ := t.layers[0].Split(s.Architecture.Plain)
	gram := polytope.Gram(t.a.At("layer 1"), plain)
	above := append(append([]affine.Layer{}, t.layers[1:last]...), t.label.Margins(t.a.At("margins"), t.layers[last]))
	network := polytope.New(t.a, above, gram)
	centres := t.centres(polytope.Diagonal(gram, first))
	slices, starts := t.rows(centres)
	set := neighbor.New(t.a.At("neighbor"), slices, patterns)
	for row := range patterns {
		forms := network.Forms(starts[row].values, patterns[row])
		if row < s.Slices {
			inference.Assert(t.a.At("inference"), starts[row].values, forms, patterns[row], t.label)
		}
		// Facets of layer 1 were held away once for each slice: their hyperplanes are the same in all its regions.
		crossed := append(append([]bounded.Int{}, starts[row].crossed...), at(deeper, row)...)
		t.facets(forms, at(deeper, row))
		for i := range crossed {
			set.Assert(row, i, crossed[i], t.wires["neighbor"][row*neurons+i])
		}
	}
}

// facets holds the uncrossed facets of the deeper layers and the decision hyperplanes of one region away.
func (t *traversal) facets(forms polytope.Forms, crossed []bounded.Int) {
	i := 0
	for l, layer := range forms.Hidden {
		for _, form := range layer {
			a := t.a.At("layer %d, distance to a facet", l+2)
			order.Assert(a, crossed[i], distance.Excess(a, form, t.radius))
			i++
		}
	}
	for _, form := range forms.Margins {
		a := t.a.At("layer %d, distance to a decision hyperplane", len(t.layers))
		boundary.Assert(a, distance.Excess(a, form, t.radius))
	}
}

// start is what a region takes from its slice alone: the first layer's values at the centre, and which of the first
// layer's facets are crossed, the same in every region of the slice since their hyperplanes are.
type start struct {
	values  []bounded.Int
	crossed []bounded.Int
}

// centres computes the start of every slice and holds its uncrossed first-layer facets away.
func (t *traversal) centres(norms []bounded.Int) []start {
	a := t.a.At("layer 1")
	defer a.Part("polytope")()
	plain, sensitive := t.layers[0].Split(t.shape.Architecture.Plain)
	base := affine.Layer{Weights: plain, Biases: t.layers[0].Biases}.Apply(a, t.query)
	crossed := Matrix(t.bits("crossed_first"), len(base))
	starts := make([]start, t.shape.Slices)
	for slice, row := range t.table {
		values := make([]bounded.Int, len(base))
		for i := range base {
			values[i] = a.Add(base[i], a.Dot(sensitive[i], row))
			form := distance.Form{Value: values[i], NormSquared: norms[i]}
			order.Assert(a, crossed[slice][i], distance.Excess(a, form, t.radius))
		}
		starts[slice] = start{values: values, crossed: crossed[slice]}
	}
	return starts
}

// rows gives each row of the set its slice and that slice's start: row s < S is slice s itself, a later row looks its
// private slice up.
func (t *traversal) rows(centres []start) ([]bounded.Int, []start) {
	a, first := t.a.At("slice"), t.shape.Architecture.Hidden[0]
	defer a.Part("slices")()
	slices, starts := []bounded.Int{}, append([]start{}, centres...)
	for slice := range centres {
		slices = append(slices, a.Constant(int64(slice)))
	}
	if len(t.wires["slice"]) == 0 {
		return slices, starts // a lookup argument without a lookup has no proof
	}
	entries := make([][]bounded.Int, len(centres))
	for slice, centre := range centres {
		entries[slice] = append(append(entries[slice], centre.values...), packed(a, centre.crossed))
	}
	table := a.Rows(entries)
	for _, wire := range t.wires["slice"] {
		// A lookup takes a multiple of the number, and a fraction could lead to the middle of a row.
		slice := a.Below(wire, t.shape.Slices)
		found := table.Row(slice)
		slices = append(slices, slice)
		starts = append(starts, start{values: found[:first], crossed: a.Bits(found[first], first)})
	}
	return slices, starts
}

func (t *traversal) signed(name string, bits int) []bounded.Int {
	a := t.a.At("%s", name)
	defer a.Part("range")()
	values := make([]bounded.Int, 0, len(t.wires[name]))
	for _, wire := range t.wires[name] {
		values = append(values, a.Signed(wire, bits))
	}
	return values
}

func (t *traversal) bits(name string) []bounded.Int {
	a := t.a.At("%s", name)
	defer a.Part("range")()
	values := make([]bounded.Int, 0, len(t.wires[name]))
	for _, wire := range t.wires[name] {
		values = append(values, a.Bit(wire))
	}
	return values
}
