package relation

import (
	"math/big"

	"github.com/consensys/gnark/frontend"

	"equiproof/gadget/additive"
	"equiproof/gadget/bounded"
	"equiproof/gadget/commitment"
	"equiproof/gadget/member"
	"equiproof/shape"
)

// Box is the circuit of relation `additive-box`: an additive model decides the label on every row of the table, for everybody in a box
// (docs/relation-box.md).
type Box struct {
	Digest frontend.Variable   `gnark:",public"`
	Wires  []frontend.Variable `gnark:",secret"`

	shape  *shape.Shape
	widths []bounded.Width
	record bounded.Record
}

// NewBox returns the circuit of a shape, to be compiled or assigned.
func NewBox(s *shape.Shape) *Box {
	return &Box{Wires: make([]frontend.Variable, Length(BoxLayout(s))), shape: s}
}

// Inputs returns the statement digest and the private wires.
func (c *Box) Inputs() (*frontend.Variable, []frontend.Variable) { return &c.Digest, c.Wires }

// Layout names the private wires in order.
func (c *Box) Layout() []Segment { return BoxLayout(c.shape) }

// Widths lists the places of the circuit with the widest integer that each can hold; known once it is compiled.
func (c *Box) Widths() []bounded.Width { return c.widths }

// Record says which constraints are for which part; known once it is compiled.
func (c *Box) Record() bounded.Record { return c.record }

// openedBox names the private wires of what a statement about a box speaks of.
func openedBox(s *shape.Shape) []Segment {
	n := s.Architecture.Plain
	return append(ModelLayout(s),
		Segment{"model_blinding", 1}, Segment{"spec_digest", 1}, Segment{"table", s.Slices * s.Architecture.Sensitive},
		Segment{"box_low", n}, Segment{"box_high", n}, Segment{"box_blinding", 1},
		Segment{"label", s.Architecture.Logits}, Segment{"context_digest", 1})
}

// BoxLayout names the private wires of a shape of an additive model on a box in order.
func BoxLayout(s *shape.Shape) []Segment {
	plain, sensitive := s.Architecture.Predicates[0], s.Architecture.Predicates[1]
	segments := append(opened(s),
		Segment{"low_at", plain}, Segment{"high_at", plain}, Segment{"loose_at", plain},
		Segment{"side_low", plain}, Segment{"side_high", plain}, Segment{"same_column", plain - 1}, Segment{"lowers", plain},
	)
	if sensitive > 0 {
		segments = append(segments, Segment{"sensitive_at", s.Slices * sensitive}, Segment{"side_of_slice", s.Slices * sensitive},
			Segment{"worst", 1})
	}
	if len(s.OneHot) == 0 {
		return segments
	}
	return append(segments, Segment{"free", len(s.OneHot)}, Segment{"gain", s.Values()}, Segment{"least", len(s.OneHot)})
}

// boxed is the circuit under construction.
type boxed struct {
	*adding
	box *shape.Box
}

// Define constrains the relation, gadget by gadget.
func (c *Box) Define(api frontend.API) (err error) {
	defer bounded.Catch(&err)
	s := c.shape
	b := &boxed{adding: &adding{numbers: s.Additive()}, box: s.Box()}
	b.traversal = &traversal{a: bounded.New(api), shape: s, wires: Take(c.Layout(), c.Wires)}
	b.readModel()
	b.readStated()
	leave := b.a.Part("digest")
	digest, err := b.statedOf(b.model.Numbers())
	if err != nil {
		return err
	}
	api.AssertIsEqual(c.Digest, digest)
	// The commitment holds the digest: challenges of one statement are none of another's.
	b.a.Argue(func() []frontend.Variable { return []frontend.Variable{digest} },
		func(frontend.API, frontend.Variable) error { return nil })
	leave()
	b.decided()
	c.widths, c.record = b.a.Widths(), b.a.Record()
	return nil
}

// statedBox recomputes the digest of a statement about a box from a model commitment and the other wires.
func (t *traversal) statedBox(model frontend.Variable) (frontend.Variable, error) {
	s, a := t.shape, t.a.At("statement")
	box, err := commitment.Box(a, s, t.wires["box_blinding"][0], t.low, t.high)
	if err != nil {
		return nil, err
	}
	var table []bounded.Int
	for _, row := range t.table {
		table = append(table, row...)
	}
	domain, err := commitment.Domain(a, s, table)
	if err != nil {
		return nil, err
	}
	return commitment.BoxStatement{
		Model: model, Spec: t.wires["spec_digest"][0], Domain: domain, Box: box,
		Label: t.label.Index(a).Wire(), Context: t.wires["context_digest"][0],
	}.Digest(a.API(), s)
}

// decided holds the score for the label above 0 on the worst slice, at the worst point of the box (R-X-CLOSE).
func (b *boxed) decided() {
	w, a := b.wires, b.a.At("predicates")
	leave := a.Part("predicates")
	argument := member.New(a)
	leave()
	sigma := a.Sub(a.Scale(big.NewInt(2), b.label.Index(a)), a.Constant(1))
	worst := a.Constant(0)
	if b.box.Sensitive > 0 {
		// Sensitive predicates read the table alone: of the box's ends none stands in this set's way.
		inputs := additive.NewInputs(argument, b.low, b.table)
		worst = additive.Slices(b.a.At("slices"), b.model, inputs, sigma, w["sensitive_at"], w["side_of_slice"], w["worst"][0],
			b.box.WorstBits)
	}
	people := additive.NewPeople(b.a.At("box"), b.low, b.high, b.shape.OneHot, w["free"])
	least := people.Least(a, argument, b.model, sigma, b.box.GainBits, additive.PeopleWires{
		Low: w["low_at"], High: w["high_at"], Loose: w["loose_at"], SideLow: w["side_low"], SideHigh: w["side_high"],
		Same: w["same_column"], Taken: w["lowers"], Gain: w["gain"], Least: w["least"],
	})
	defer a.Part("close")()
	a.Positive(a.Add(least, worst))
}
