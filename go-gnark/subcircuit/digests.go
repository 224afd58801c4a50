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
	head := []relation.Segment{
		{Name: "spec_digest", Length: 1}, {Name: "model_commitment", Length: 1}, {Name: "query_commitment", Length: 1},
		{Name: "domain_digest", Length: 1}, {Name: "model_blinding", Length: 1}, {Name: "query_blinding", Length: 1},
	}
	segments := append(append(head, relation.ModelLayout(s)...), relation.Segment{Name: "query", Length: s.Architecture.Plain},
		relation.Segment{Name: "table", Length: s.Slices * s.Architecture.Sensitive})
	return append(segments, relation.RangeLayout(s)...)
}

// defineCommitment opens a model commitment (R-COMMITMENT), a query commitment (R-QUERY) and a domain digest (R-DOMAIN).
func defineCommitment(b *builder) error {
	a, api := b.a.At("commitment"), b.a.API()
	spec, model, query, domain := b.element("spec_digest"), b.element("model_commitment"),
		b.element("query_commitment"), b.element("domain_digest")
	integers, table := b.signed("query", b.shape.InputBits), b.signed("table", b.shape.InputBits)
	foundModel, err := b.model(a, spec)
	if err != nil {
		return err
	}
	foundQuery, err := commitment.Query(a, b.shape, b.wires["query_blinding"][0], integers)
	if err != nil {
		return err
	}
	low, high := b.signed("range_low", b.shape.InputBits), b.signed("range_high", b.shape.InputBits)
	foundDomain, err := commitment.Domain(a, b.shape, append(append(table, low...), high...))
	if err != nil {
		return err
	}
	api.AssertIsEqual(model, foundModel)
	api.AssertIsEqual(query, foundQuery)
	api.AssertIsEqual(domain, foundDomain)
	return nil
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
	return []relation.Segment{
		{Name: "model_commitment", Length: 1}, {Name: "spec_digest", Length: 1}, {Name: "domain_digest", Length: 1},
		{Name: "query_commitment", Length: 1}, {Name: "context_digest", Length: 1}, {Name: "statement_digest", Length: 1},
		{Name: "label", Length: s.Architecture.Logits}, {Name: "radius_squared", Length: 1},
	}
}

// defineDigest makes the stated statement digest that of the stated parts (R-STATEMENT).
func defineDigest(b *builder) error {
	a := b.a.At("statement")
	parts := commitment.Statement{
		Model: b.element("model_commitment"), Spec: b.element("spec_digest"), Domain: b.element("domain_digest"),
		Query: b.element("query_commitment"), Context: b.element("context_digest"),
	}
	stated := b.element("statement_digest")
	label, radius := b.bits("label"), b.unsigned("radius_squared", b.shape.RadiusBits)
	b.bind(label, radius)
	parts.Label = affine.NewLabel(b.a.At("sum of the label"), label).Index(a).Wire()
	parts.RadiusSquared = radius[0].Wire()
	found, err := parts.Digest(a.API(), b.shape)
	if err != nil {
		return err
	}
	a.API().AssertIsEqual(stated, found)
	return nil
}
