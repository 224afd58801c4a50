package relation

import (
	"github.com/consensys/gnark/frontend"

	"equiproof/gadget/bounded"
	"equiproof/gadget/commitment"
	"equiproof/gadget/kept"
	"equiproof/shape"
)

// LinkLayout names the private wires of links in order.
func LinkLayout(l *shape.Link) []Segment {
	s := l.Sizes()
	segments := append(ModelLayout(s),
		Segment{"model_blinding", 1}, Segment{"spec_digest", 1}, Segment{"key", 1}, Segment{"link_blinding", 1}, Segment{"at", 1})
	if len(l.Architecture.Nodes) > 0 {
		segments = append(segments, beforeLayout(s)...)
		if l.NodeWords {
			segments = append(segments, Segment{"low_reference", l.Architecture.Nodes[1]}, Segment{"high_reference", l.Architecture.Nodes[1]})
		}
		return segments
	}
	return append(segments, splitLayout(s, "negative_weight", 2)...)
}

// Link is the circuit of links, which say of a kept model once what its certificates leave out: its words open the model commitment,
// have their widths and follow from each other as they have to, and certificates show the value of their polynomial at a point.
type Link struct {
	Digest frontend.Variable   `gnark:",public"`
	Wires  []frontend.Variable `gnark:",secret"`

	shape  *shape.Link
	widths []bounded.Width
	record bounded.Record
}

// NewLink returns the circuit of links of a shape, to be compiled or assigned.
func NewLink(l *shape.Link) *Link {
	return &Link{Wires: make([]frontend.Variable, Length(LinkLayout(l))), shape: l}
}

// Inputs returns the statement digest and the private wires.
func (c *Link) Inputs() (*frontend.Variable, []frontend.Variable) { return &c.Digest, c.Wires }

// Layout names the private wires in order.
func (c *Link) Layout() []Segment { return LinkLayout(c.shape) }

// Widths lists the places of the circuit with the widest integer that each can hold; known once it is compiled.
func (c *Link) Widths() []bounded.Width { return c.widths }

// Record says which constraints are for which part; known once it is compiled.
func (c *Link) Record() bounded.Record { return c.record }

// Define constrains the relation, gadget by gadget.
func (c *Link) Define(api frontend.API) (err error) {
	defer bounded.Catch(&err)
	t := &traversal{a: bounded.New(api), shape: c.shape.Sizes(), wires: Take(c.Layout(), c.Wires)}
	words, model, err := linked(t, c.shape.NodeWords)
	if err != nil {
		return err
	}
	one := func(name string) frontend.Variable { return t.wires[name][0] }
	// The same as certificates show of their words, at the point that the verifier takes from their first commitment (R-L-POLY).
	leave := t.a.Part("kept model")
	shown, err := kept.Shown(t.a, one("link_blinding"), kept.Value(t.a, words, model, one("at")))
	if err != nil {
		return err
	}
	leave()
	leave = t.a.Part("digest") // R-L-SHOWN
	digest, err := commitment.Link(api, c.shape, model, one("spec_digest"), one("key"), one("at"), shown)
	if err != nil {
		return err
	}
	api.AssertIsEqual(c.Digest, digest)
	leave()
	c.widths, c.record = t.a.Widths(), t.a.Record()
	return nil
}

// linked types the numbers of a model, makes what follows from them, and returns its words, as WordLayout has them, with the commitment
// that they open (R-L-OPEN, R-L-RANGE, R-L-DERIVED). With nodeWords each node is one of them.
func linked(t *traversal, nodeWords bool) (words []frontend.Variable, model frontend.Variable, err error) {
	a := &t.shape.Architecture
	switch {
	case len(a.Predicates) == 0:
		return t.linkedNetwork()
	case len(a.Nodes) == 0:
		b := &adding{traversal: t}
		b.readModel()
		model, err = b.opensTo(b.model.Numbers())
		return wires(b.model.Numbers()), model, err
	}
	b := &growing{adding: &adding{traversal: t}}
	sets := b.readEnsemble()
	words = wires(b.model.Numbers())
	if nodeWords {
		nodes := nodeWordsOf(t.shape).Of(t.a.At("nodes"), b.nodes, t.wires["node_before"], t.wires["low_reference"], t.wires["high_reference"])
		model, err = b.opensTo(b.numbersOf(sets))
		return append(append(words, t.wires["sets"]...), nodes...), model, err
	}
	for _, name := range []string{"node_predicate", "node_missing", "node_value", "sets"} {
		words = append(words, t.wires[name]...)
	}
	for _, children := range b.nodes.Places(t.a.At("nodes"), t.wires["node_before"]) {
		words = append(words, children[0], children[1])
	}
	model, err = b.opensTo(b.numbersOf(sets))
	return words, model, err
}

// linkedNetwork is linked for a network.
func (t *traversal) linkedNetwork() (words []frontend.Variable, model frontend.Variable, err error) {
	b := &branch{traversal: t, claims: NewClaims(t.shape, nil, t.wires)}
	b.readSplit()
	var parts []frontend.Variable
	for l, layer := range b.layers {
		for _, row := range layer.Weights {
			words = append(words, wires(row)...)
		}
		words = append(words, wires(layer.Biases)...)
		if l < len(b.parts) {
			for _, split := range b.parts[l] {
				parts = append(parts, wires(split.Negative)...)
			}
		}
	}
	model, err = b.opens()
	return append(words, parts...), model, err
}

func wires(values []bounded.Int) (found []frontend.Variable) {
	for _, value := range values {
		found = append(found, value.Wire())
	}
	return found
}
