package relation

import (
	"math/big"

	"github.com/consensys/gnark/frontend"

	"equiproof/gadget/additive"
	"equiproof/gadget/bounded"
	"equiproof/gadget/member"
	"equiproof/shape"
)

// BoxTrees is the circuit of relation `trees-box`: an ensemble decides the label on every row of the table, for everybody in a box
// (docs/relation-box.md). It is that of relation `trees` around the least end, with the predicates that some of the box pass as slots at
// no distance: so leaves are closed by the score, without a multiplier.
type BoxTrees struct {
	Digest frontend.Variable   `gnark:",public"`
	Wires  []frontend.Variable `gnark:",secret"`

	shape  *shape.Shape
	widths []bounded.Width
	record bounded.Record
}

// NewBoxTrees returns the circuit of a shape, to be compiled or assigned.
func NewBoxTrees(s *shape.Shape) *BoxTrees {
	return &BoxTrees{Wires: make([]frontend.Variable, Length(BoxTreesLayout(s))), shape: s}
}

// Inputs returns the statement digest and the private wires.
func (c *BoxTrees) Inputs() (*frontend.Variable, []frontend.Variable) { return &c.Digest, c.Wires }

// Layout names the private wires in order.
func (c *BoxTrees) Layout() []Segment { return BoxTreesLayout(c.shape) }

// Widths lists the places of the circuit with the widest integer that each can hold; known once it is compiled.
func (c *BoxTrees) Widths() []bounded.Width { return c.widths }

// Record says which constraints are for which part; known once it is compiled.
func (c *BoxTrees) Record() bounded.Record { return c.record }

// BoxTreesLayout names the private wires of a shape of an ensemble on a box in order.
func BoxTreesLayout(s *shape.Shape) []Segment {
	plain, sensitive := s.Architecture.Predicates[0], s.Architecture.Predicates[1]
	segments := append(opened(s), Segment{"low_at", plain}, Segment{"high_at", plain},
		Segment{"side_low", plain}, Segment{"side_high", plain})
	if s.Architecture.Missing {
		segments = append(segments, Segment{"absent", s.Architecture.Plain}, Segment{"away", plain})
	}
	if sensitive > 0 {
		segments = append(segments,
			Segment{"sensitive_at", s.Slices * sensitive}, Segment{"side_of_slice", s.Slices * sensitive})
	}
	segments = append(segments, Segment{"slot_column", s.Slots}, Segment{"slot_side", s.Slots}, Segment{"slot_step", s.Slots},
		Segment{"slot_live", s.Slots}, Segment{"same", s.Slots - 1})
	segments = append(append(segments, resolvedLayout(s)...), Segment{"leaf_live", s.Capacity})
	segments = append(segments, servedLayout(s)...)
	if len(s.OneHot) == 0 {
		return segments
	}
	values := s.Capacity * s.Values()
	return append(segments, Segment{"open", len(s.OneHot)}, Segment{"slot_open", s.Slots},
		Segment{"gain", values}, Segment{"value_stayed", values}, Segment{"value_crossed", values},
		Segment{"least", s.Capacity * len(s.OneHot)})
}

// boxedTrees is the circuit under construction.
type boxedTrees struct{ *growing }

// Define constrains the relation, gadget by gadget.
func (c *BoxTrees) Define(api frontend.API) (err error) {
	defer bounded.Catch(&err)
	s := c.shape
	b := &boxedTrees{&growing{adding: &adding{numbers: s.Additive()}, sizes: s.Trees()}}
	b.traversal = &traversal{a: bounded.New(api), shape: s, wires: Take(c.Layout(), c.Wires)}
	sets := b.readEnsemble()
	b.readStated()
	people := additive.NewPeople(b.a.At("box"), b.low, b.high, s.OneHot, b.wires["open"])
	people.Settle(b.a.At("box"), s.Architecture.Categories)
	// The least end is the query that nodes and slots are around, and every radius reaches it.
	b.query, b.radius = b.low, b.a.Constant(0)
	b.sets = sets.Columns(b.a.At("sets"), b.low, b.wires["absent"], s.InputBits, b.radius)
	leave := b.a.Part("digest")
	digest, err := b.statedOf(append(append(b.model.Numbers(), b.nodes.Numbers()...), sets.Numbers()...))
	if err != nil {
		return err
	}
	api.AssertIsEqual(c.Digest, digest)
	leave()
	b.leaves(digest, people)
	c.widths, c.record = b.a.Widths(), b.a.Record()
	return nil
}

// leaves makes slots and rows, and holds every leaf and the coverage.
func (b *boxedTrees) leaves(digest frontend.Variable, people *additive.People) {
	slots, centre, argument := b.slots(people)
	rows := b.rows(slots, argument).Leaves(b.a.At("rows"))
	bound := additive.Bound{Base: centre.Base, Radius: b.radius, Scale: b.sizes.Scale, MultiplierBits: b.sizes.MultiplierBits}
	adds := b.values(slots, people)
	b.everyLeaf(digest, slots, rows, func(k int, leaf additive.LeafWires, signs *additive.Signs, terms additive.Terms) {
		// No distance closes a leaf: all are closed by the score.
		leaf.Used, leaf.Multiplier = b.wires["leaf_live"][k], 0
		terms.Score = b.a.Add(terms.Score, adds(k, signs))
		slots.Close(b.a.At("leaves"), bound, leaf, signs, terms)
	})
}

// values takes open categories out of the levels, and returns what they add to a leaf at least, at scale 2^(q + r).
func (b *boxedTrees) values(slots *additive.Slots, people *additive.People) func(k int, signs *additive.Signs) bounded.Int {
	w, s, a := b.wires, b.shape, b.a.At("categories")
	if len(s.OneHot) == 0 {
		return func(int, *additive.Signs) bounded.Int { return a.Constant(0) }
	}
	values := people.Values(a, slots, s.Architecture.Columns(), shape.ValueBits, b.sizes.GainBits, w["slot_open"])
	return func(k int, signs *additive.Signs) bounded.Int {
		of := func(name string, length int) []frontend.Variable { return w[name][k*length : (k+1)*length] }
		least := values.Assert(a, signs, of("charged", s.Slots+b.sizes.Sensitive), additive.ValueWires{
			Gain: of("gain", s.Values()), Stayed: of("value_stayed", s.Values()), Crossed: of("value_crossed", s.Values()),
			Least: of("least", len(s.OneHot)),
		})
		return a.Scale(new(big.Int).Lsh(big.NewInt(1), uint(b.sizes.ChargeScale)), least)
	}
}

// slots compares the predicates with the box and the slices, and makes the slots.
func (b *boxedTrees) slots(people *additive.People) (*additive.Slots, additive.Centre, *member.Argument) {
	w, a := b.wires, b.a.At("predicates")
	leave := a.Part("predicates")
	argument := member.New(a)
	leave()
	inputs := b.inputs(argument)
	b.sigma = a.Sub(a.Scale(big.NewInt(2), b.label.Index(a)), a.Constant(1))
	b.sides = additive.Sides(b.a.At("slices"), b.model, inputs, w["sensitive_at"], w["side_of_slice"])
	b.around = people.Around(a, argument, b.model, inputs, b.shape.InputBits, additive.BesideWires{
		Low: w["low_at"], High: w["high_at"], SideLow: w["side_low"], SideHigh: w["side_high"],
	})
	centre := additive.NewCentre(a, b.model, b.sigma, b.around, a.Constant(0))
	gaps := make([]frontend.Variable, b.shape.Slots)
	for i := range gaps {
		gaps[i] = 0
	}
	slots := additive.NewSlots(b.a.At("slots"), argument, b.model, b.around, centre.Steps, b.shape.Architecture.Columns(),
		additive.SlotWires{
			Column: w["slot_column"], Gap2: gaps, Side: w["slot_side"], Step: w["slot_step"], Live: w["slot_live"], Same: w["same"],
		})
	slots.Append(b.a.At("slots"), additive.SensitiveSteps(a, b.model, b.sigma))
	return slots, centre, argument
}
