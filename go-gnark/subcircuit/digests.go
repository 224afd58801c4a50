package subcircuit

import (
	"github.com/consensys/gnark/frontend"

	"equiproof/gadget/additive"
	"equiproof/gadget/affine"
	"equiproof/gadget/bounded"
	"equiproof/gadget/commitment"
	"equiproof/relation"
	"equiproof/shape"
)

// Of the instance are the digests only: what opens them is what the proof says there is.
func commitmentLayout(s *shape.Shape) []relation.Segment {
	own, columns := centreOf(s), []relation.Segment{{Name: "query", Length: s.Architecture.Plain}}
	if s.Boxes() {
		columns = []relation.Segment{{Name: "box_low", Length: s.Architecture.Plain}, {Name: "box_high", Length: s.Architecture.Plain}}
	}
	head := []relation.Segment{
		{Name: "spec_digest", Length: 1}, {Name: "model_commitment", Length: 1}, {Name: own + "_commitment", Length: 1},
		{Name: "domain_digest", Length: 1}, {Name: "model_blinding", Length: 1}, {Name: own + "_blinding", Length: 1},
	}
	segments := append(append(head, relation.ModelLayout(s)...), columns...)
	segments = append(segments, relation.Segment{Name: "table", Length: s.Slices * s.Architecture.Sensitive})
	return append(segments, relation.RangeLayout(s)...)
}

// centreOf names what a statement is about: a query, or a box.
func centreOf(s *shape.Shape) string {
	if s.Boxes() {
		return "box"
	}
	return "query"
}

// defineCommitment opens a model commitment (R-COMMITMENT), a query commitment (R-QUERY) or a box commitment (R-X-BOX), and a domain
// digest (R-DOMAIN).
func defineCommitment(b *builder) error {
	a, api := b.a.At("commitment"), b.a.API()
	own := centreOf(b.shape)
	spec, model, centre, domain := b.element("spec_digest"), b.element("model_commitment"),
		b.element(own+"_commitment"), b.element("domain_digest")
	opens, table := b.centre(), b.signed("table", b.shape.InputBits)
	foundModel, err := b.model(a, spec)
	if err != nil {
		return err
	}
	foundCentre, err := opens(a, b.wires[own+"_blinding"][0])
	if err != nil {
		return err
	}
	low, high := b.signed("range_low", b.shape.InputBits), b.signed("range_high", b.shape.InputBits)
	foundDomain, err := commitment.Domain(a, b.shape, append(append(table, low...), high...))
	if err != nil {
		return err
	}
	api.AssertIsEqual(model, foundModel)
	api.AssertIsEqual(centre, foundCentre)
	api.AssertIsEqual(domain, foundDomain)
	return nil
}

// centre reads a query, or the ends of a box, and returns what opens its commitment.
func (b *builder) centre() func(a *bounded.Arith, blinding frontend.Variable) (frontend.Variable, error) {
	bits := b.shape.InputBits
	if b.shape.Boxes() {
		low, high := b.signed("box_low", bits), b.signed("box_high", bits)
		return func(a *bounded.Arith, blinding frontend.Variable) (frontend.Variable, error) {
			return commitment.Box(a, b.shape, blinding, low, high)
		}
	}
	integers := b.signed("query", bits)
	return func(a *bounded.Arith, blinding frontend.Variable) (frontend.Variable, error) {
		return commitment.Query(a, b.shape, blinding, integers)
	}
}

// model opens a model commitment: a network's, an additive model's, or an ensemble's.
func (b *builder) model(a *bounded.Arith, spec frontend.Variable) (frontend.Variable, error) {
	architecture, blinding := &b.shape.Architecture, b.wires["model_blinding"][0]
	if schemeOf(b.shape) != shape.Growing {
		layers, _ := b.network()
		return commitment.Model(a, architecture, spec, blinding, layers)
	}
	m := b.readColumns()
	b.readJumps(&m)
	numbers := m.Numbers()
	if b.shape.Grows() {
		nodes, _ := b.readNodes()
		sets := additive.NewSets(a, architecture, b.wires["sets"])
		numbers = append(append(numbers, nodes.Numbers()...), sets.Numbers()...)
	}
	return commitment.Additive(a, architecture, spec, blinding, numbers)
}

func digestLayout(s *shape.Shape) []relation.Segment {
	segments := []relation.Segment{
		{Name: "model_commitment", Length: 1}, {Name: "spec_digest", Length: 1}, {Name: "domain_digest", Length: 1},
		{Name: centreOf(s) + "_commitment", Length: 1}, {Name: "context_digest", Length: 1}, {Name: "statement_digest", Length: 1},
		{Name: "label", Length: s.Architecture.Logits},
	}
	if s.Boxes() {
		return segments
	}
	return append(segments, relation.Segment{Name: "radius_squared", Length: 1})
}

// defineDigest makes the stated statement digest that of the stated parts (R-STATEMENT).
func defineDigest(b *builder) error {
	a := b.a.At("statement")
	model, spec, domain := b.element("model_commitment"), b.element("spec_digest"), b.element("domain_digest")
	centre, context := b.element(centreOf(b.shape)+"_commitment"), b.element("context_digest")
	stated := b.element("statement_digest")
	label, radius := b.bits("label"), b.unsigned("radius_squared", b.shape.RadiusBits)
	b.bind(label, radius)
	index := affine.NewLabel(b.a.At("sum of the label"), label).Index(a).Wire()
	var parts interface {
		Digest(api frontend.API, s *shape.Shape) (frontend.Variable, error)
	}
	if b.shape.Boxes() {
		parts = commitment.BoxStatement{Model: model, Spec: spec, Domain: domain, Box: centre, Label: index, Context: context}
	} else {
		parts = commitment.Statement{
			Model: model, Spec: spec, Domain: domain, Query: centre, Label: index, RadiusSquared: radius[0].Wire(), Context: context,
		}
	}
	found, err := parts.Digest(a.API(), b.shape)
	if err != nil {
		return err
	}
	if !b.shape.Boxes() {
		a.API().AssertIsEqual(stated, found)
		return nil
	}
	// Nothing here has a range: the challenge, without which there is no key, is that of this equation.
	a.Argue(func() []frontend.Variable { return []frontend.Variable{stated, found} },
		func(api frontend.API, challenge frontend.Variable) error {
			api.AssertIsEqual(api.Mul(challenge, api.Sub(stated, found)), 0)
			return nil
		})
	return nil
}
