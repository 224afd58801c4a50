// Package commitment opens the digests that a statement names.
package commitment

import (
	"math/big"

	"github.com/consensys/gnark/frontend"

	"equiproof/gadget/affine"
	"equiproof/gadget/bounded"
	"equiproof/gadget/digest"
	"equiproof/shape"
)

// version is the version of every digest here; it changes with any change of their contents.
const version = 2

// linkVersion is that of the digest of links.
const linkVersion = 1

// tableVersion is that of the digest of counts over tables.
const tableVersion = 1

// Model returns the commitment to the network under a spec (R-COMMITMENT).
//
// Relation: the result is the model commitment of these layers, this spec digest and this blinding. Precondition: the
// layers are range-checked to the architecture's widths. Outside it: packing is not injective and other weights open the
// same commitment. Cost: 216 constraints per packed element and two more.
func Model(a *bounded.Arith, architecture *shape.Architecture, specDigest, blinding frontend.Variable,
	layers []affine.Layer,
) (frontend.Variable, error) {
	defer a.Part("commitment")()
	var values []bounded.Int
	for _, layer := range layers {
		for _, row := range layer.Weights {
			values = append(values, row...)
		}
		values = append(values, layer.Biases...)
	}
	packed := digest.Pack(a.API(), values)
	head := []frontend.Variable{
		digest.Tag("equiproof.model"), version, len(packed), architecture.Digest(), specDigest, blinding,
	}
	return digest.Hash(a.API(), append(head, packed...)...)
}

// Additive returns the commitment to an additive model under a spec (R-COMMITMENT).
//
// Relation: the result is the model commitment of these numbers, this spec digest and this blinding: of each predicate its
// column and its threshold, then the jumps, then the bias. Precondition: they are range-checked to the architecture's
// widths. Outside it: as Model. Cost: as Model.
func Additive(a *bounded.Arith, architecture *shape.Architecture, specDigest, blinding frontend.Variable,
	numbers []bounded.Int,
) (frontend.Variable, error) {
	defer a.Part("commitment")()
	packed := digest.Pack(a.API(), numbers)
	head := []frontend.Variable{
		digest.Tag("equiproof.trees"), version, len(packed), architecture.Digest(), specDigest, blinding,
	}
	return digest.Hash(a.API(), append(head, packed...)...)
}

// Query returns the commitment to the query (R-QUERY).
//
// Relation: the result is the commitment of these n_x integers under this blinding; n_x is a constant. Precondition:
// they are range-checked to the shape's input width. Outside it: another query opens it. Cost: as Model.
func Query(a *bounded.Arith, s *shape.Shape, blinding frontend.Variable, query []bounded.Int) (frontend.Variable, error) {
	defer a.Part("commitment")()
	packed := digest.Pack(a.API(), query)
	head := []frontend.Variable{
		digest.Tag("equiproof.query"), version, len(query), s.InputBits, len(packed), blinding,
	}
	return digest.Hash(a.API(), append(head, packed...)...)
}

// Box returns the commitment to a box (R-X-BOX).
//
// Relation: the result is the commitment of the least and of the largest integers of n_x columns under this blinding; n_x is a
// constant. Precondition: as Query. Outside it: another box opens it. Cost: as Model.
func Box(a *bounded.Arith, s *shape.Shape, blinding frontend.Variable, low, high []bounded.Int) (frontend.Variable, error) {
	defer a.Part("commitment")()
	packed := digest.Pack(a.API(), append(append([]bounded.Int{}, low...), high...))
	head := []frontend.Variable{digest.Tag("equiproof.box"), version, len(low), s.InputBits, len(packed), blinding}
	return digest.Hash(a.API(), append(head, packed...)...)
}

// Domain returns the digest of the integers by which the circuit reads the spec (R-DOMAIN).
//
// Relation: the result is the domain digest of this table; the sizes are constants. With ranges its integers are followed by
// the least and then by the largest of each column, and the tag is another one. Precondition: as Query. Outside it:
// another table, or other ranges, have the same digest. Cost: as Model.
func Domain(a *bounded.Arith, s *shape.Shape, table []bounded.Int) (frontend.Variable, error) {
	defer a.Part("commitment")()
	packed, tag := digest.Pack(a.API(), table), "equiproof.domain"
	if s.Ranges() {
		tag = "equiproof.domain.ranges"
	}
	head := []frontend.Variable{
		digest.Tag(tag), version, s.Architecture.Plain, s.Architecture.Sensitive, s.Slices,
		s.InputFractionBits, s.InputBits, len(packed),
	}
	return digest.Hash(a.API(), append(head, packed...)...)
}

// Statement is everything public that a proof speaks about. Gain is the least gain and the logits' fraction bits, where the
// statement is about a gain, and empty for one about a decision: the scheme, which is hashed first, says which it is. Shown is what
// certificates show of a kept model, nil where they open it: the shape, which is hashed before, says which.
type Statement struct {
	Model, Spec, Domain, Query, Label, RadiusSquared, Context frontend.Variable

	Gain  []frontend.Variable
	Shown frontend.Variable
}

// Digest returns the one public input (R-STATEMENT).
//
// Relation: the result is the digest of the whole statement, with tag, version, scheme and shape as constants.
// Precondition: none; every part is constrained by being hashed. Cost: 216 constraints for each of the parts.
func (p Statement) Digest(api frontend.API, s *shape.Shape) (frontend.Variable, error) {
	parts := []frontend.Variable{p.Model, p.Spec, p.Domain, p.Query, p.Label, p.RadiusSquared, p.Context}
	parts = append(parts, p.Gain...)
	if p.Shown != nil {
		parts = append(parts, p.Shown)
	}
	return stated(api, s, parts)
}

// BoxStatement is everything public that a proof about a box speaks about.
type BoxStatement struct{ Model, Spec, Domain, Box, Label, Context frontend.Variable }

// Digest returns the one public input (R-STATEMENT), as that of Statement.
func (p BoxStatement) Digest(api frontend.API, s *shape.Shape) (frontend.Variable, error) {
	return stated(api, s, []frontend.Variable{p.Model, p.Spec, p.Domain, p.Box, p.Label, p.Context})
}

// Link returns the one public input of a link (R-L-SHOWN).
//
// Relation: the result is the digest of the model commitment, the spec's, an element that names the certificates' key, the point r where
// the words' polynomial was evaluated, and what certificates show of it; tag, version and shape are constants. Precondition: none; every
// part is constrained by being hashed. Cost: 216 constraints for each of the parts.
func Link(api frontend.API, s *shape.Link, model, spec, key, at, shown frontend.Variable) (frontend.Variable, error) {
	return digest.Hash(api, digest.Tag("equiproof.link.statement"), linkVersion, s.Digest(), model, spec, key, at, shown)
}

// Table returns the digest of what a statement about a table says but for its rows (R-V-STATEMENT), which table.Stated adds.
//
// Relation: the result is the digest of the model commitment, the spec's, the context's, the whole table's, the number of its part, those
// of the counts before and after it, and what is shown of the kept model; tag, version and shape are constants. Precondition: none;
// every part is constrained by being hashed. Cost: 216 constraints for each of the parts.
func Table(api frontend.API, s *shape.Table, model, spec, context, table, part, before, after, shown frontend.Variable,
) (frontend.Variable, error) {
	return digest.Hash(api, digest.Tag("equiproof.table.statement"), tableVersion, s.Digest(), model, spec, context, table, part, before,
		after, shown)
}

// stated hashes the parts of a statement behind what says which they are.
func stated(api frontend.API, s *shape.Shape, parts []frontend.Variable) (frontend.Variable, error) {
	constants := []*big.Int{digest.Tag("equiproof.statement"), big.NewInt(version), digest.Tag(s.Scheme), s.Digest()}
	var elements []frontend.Variable
	for _, constant := range constants {
		elements = append(elements, constant)
	}
	return digest.Hash(api, append(elements, parts...)...)
}
