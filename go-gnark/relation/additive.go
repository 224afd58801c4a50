package relation

import (
	"math/big"

	"github.com/consensys/gnark/frontend"

	"equiproof/gadget/additive"
	"equiproof/gadget/bounded"
	"equiproof/gadget/commitment"
	"equiproof/gadget/kept"
	"equiproof/gadget/member"
	"equiproof/gadget/ranges"
	"equiproof/shape"
)

// Additive is the circuit of scheme `trees`: the live predicates of an additive model as slots, and up to K leaves that hold
// every cell of the slots once. Unused leaves are not live and stand for nothing. Of relation `additive-ranges`, predicates
// that are crossed outside the ranges only are not live either.
type Additive struct {
	Digest frontend.Variable   `gnark:",public"`
	Wires  []frontend.Variable `gnark:",secret"`

	shape  *shape.Shape
	widths []bounded.Width
	record bounded.Record
}

// NewAdditive returns the circuit of a shape, to be compiled or assigned.
func NewAdditive(s *shape.Shape) *Additive {
	return &Additive{Wires: make([]frontend.Variable, Length(AdditiveLayout(s))), shape: s}
}

// Inputs returns the statement digest and the private wires.
func (c *Additive) Inputs() (*frontend.Variable, []frontend.Variable) { return &c.Digest, c.Wires }

// Layout names the private wires in order.
func (c *Additive) Layout() []Segment { return AdditiveLayout(c.shape) }

// Widths lists the places of the circuit with the widest integer that each can hold; known once it is compiled.
func (c *Additive) Widths() []bounded.Width { return c.widths }

// Record says which constraints are for which part; known once it is compiled.
func (c *Additive) Record() bounded.Record { return c.record }

// Words is how many words the model has where it is kept.
func (c *Additive) Words() int { return words(c.shape) }

// adding is the circuit under construction.
type adding struct {
	*traversal
	numbers *shape.Additive
	model   additive.Model
	sets    []bounded.Int // the columns of sets, behind those of the query
}

// Define constrains the relation, gadget by gadget.
func (c *Additive) Define(api frontend.API) (err error) {
	defer bounded.Catch(&err)
	b := &adding{numbers: c.shape.Additive()}
	b.traversal = &traversal{a: bounded.New(api), shape: c.shape, wires: Take(c.Layout(), c.Wires)}
	if err := b.show(); err != nil {
		return err
	}
	b.readModel()
	b.readStated()
	leave := b.a.Part("digest")
	digest, err := b.statedOf(b.model.Numbers())
	if err != nil {
		return err
	}
	api.AssertIsEqual(c.Digest, digest)
	leave()
	b.leaves(digest)
	c.widths, c.record = b.a.Widths(), b.a.Record()
	return nil
}

// readModel types the model (R-RANGE, R-T-ORDER): words of a kept one, which its link has checked.
func (b *adding) readModel() {
	s, a := b.shape, &b.shape.Architecture
	sizes := additive.Sizes{
		PlainColumns: a.Columns(), SensitiveColumns: a.Sensitive,
		PlainPredicates: a.Predicates[0], SensitivePredicates: a.Predicates[1],
		InputBits: s.InputBits, JumpBits: a.WeightBits[0], BiasBits: a.BiasBits[0],
	}
	if s.Keeps() {
		b.model = kept.Model(b.a.At("model"), sizes, b.wires["predicates"], b.wires["jumps"], b.wires["bias"][0])
		return
	}
	b.model = additive.NewModel(b.a.At("model"), sizes, b.wires["columns"], b.wires["thresholds"], b.wires["jumps"], b.wires["bias"][0])
}

// statedOf recomputes the digest of the whole statement from the model's numbers and the other wires.
func (b *adding) statedOf(numbers []bounded.Int) (frontend.Variable, error) {
	if b.shape.Keeps() {
		return b.stated(b.wires["model_commitment"][0])
	}
	model, err := b.opensTo(numbers)
	if err != nil {
		return nil, err
	}
	return b.stated(model)
}

// opensTo recomputes the model commitment from the model's numbers (R-COMMITMENT).
func (b *adding) opensTo(numbers []bounded.Int) (frontend.Variable, error) {
	return commitment.Additive(b.a.At("statement"), &b.shape.Architecture, b.wires["spec_digest"][0], b.wires["model_blinding"][0], numbers)
}

// inputs makes the table of what predicates read, of which the query's may be missing (R-T-MISSING).
func (b *adding) inputs(argument *member.Argument) *additive.Inputs {
	inputs := additive.NewInputs(argument, append(append([]bounded.Int{}, b.query...), b.sets...), b.table)
	if b.shape.Architecture.Missing {
		inputs.Miss(b.a.At("missing"), argument, b.shape.InputBits, b.wires["absent"], b.wires["away"])
	}
	return inputs
}

// ends holds the query inside the ranges (R-B-RANGES) and returns their ends, where there are sets too; else nothing.
func (b *adding) ends(inputs *additive.Inputs) *additive.Ends {
	a := b.a.At("ranges")
	if b.shape.Ranges() {
		ranges.New(a, b.low, b.high, inputs.Ranged(a, b.low), b.shape.InputBits)
	}
	return inputs.Ends(a, b.low, b.high, b.sets, b.shape.InputBits, b.wires["end"], b.wires["beyond"])
}

// leaves compares the predicates with the query, makes the slots, and holds every leaf and the coverage.
func (b *adding) leaves(digest frontend.Variable) {
	w, a := b.wires, b.a.At("predicates")
	leave := a.Part("predicates")
	argument := member.New(a)
	leave()
	inputs := b.inputs(argument)
	label := b.label.Index(a)
	sigma := a.Sub(a.Scale(big.NewInt(2), label), a.Constant(1))
	least := a.Constant(0)
	if b.numbers.Sensitive > 0 {
		least = additive.Slices(b.a.At("slices"), b.model, inputs, sigma, w["sensitive_at"], w["side_of_slice"],
			w["worst"][0], b.numbers.WorstBits)
	}
	oriented := additive.Orient(a, b.model, inputs, b.ends(inputs), b.radius, w["at"], w["side"], w["dead"])
	centre := additive.NewCentre(a, b.model, sigma, oriented, least)
	slots := additive.NewSlots(b.a.At("slots"), argument, b.model, oriented, centre.Steps, b.shape.Architecture.Columns(),
		additive.SlotWires{
			Column: w["slot_column"], Gap2: w["slot_gap2"], Side: w["slot_side"], Step: w["slot_step"],
			Live: w["slot_live"], Same: w["same"],
		})
	bound := additive.Bound{
		Base: centre.Base, Radius: b.radius, Scale: b.numbers.Scale, MultiplierBits: b.numbers.MultiplierBits,
	}
	var boxes []additive.Box
	for k := range b.shape.Capacity {
		row := func(name string) []frontend.Variable { return w[name][k*b.shape.Slots : (k+1)*b.shape.Slots] }
		boxes = append(boxes, slots.Assert(b.a.At("leaves"), bound, additive.LeafWires{
			Live: w["leaf_live"][k], Used: w["used"][k], Multiplier: w["multiplier"][k],
			Signs: row("signs"), Taken: row("taken"), Level: row("level"),
		}))
	}
	slots.Cover(b.a.At("cover"), digest, boxes)
}
