package relation

import (
	"math/big"

	"github.com/consensys/gnark/frontend"

	"equiproof/gadget/additive"
	"equiproof/gadget/bounded"
	"equiproof/gadget/kept"
	"equiproof/gadget/member"
	"equiproof/gadget/trees"
	"equiproof/shape"
)

// Trees is the circuit of relation `trees` of scheme `trees`: an additive model with trees over its predicates. Live nodes are
// rows; leaves serve slices, and hold every cell of each slice once. Of relation `trees-ranges`, predicates that are crossed
// outside the ranges only are not live.
type Trees struct {
	Digest frontend.Variable   `gnark:",public"`
	Wires  []frontend.Variable `gnark:",secret"`

	shape  *shape.Shape
	widths []bounded.Width
	record bounded.Record
}

// NewTrees returns the circuit of a shape, to be compiled or assigned.
func NewTrees(s *shape.Shape) *Trees {
	return &Trees{Wires: make([]frontend.Variable, Length(TreesLayout(s))), shape: s}
}

// Inputs returns the statement digest and the private wires.
func (c *Trees) Inputs() (*frontend.Variable, []frontend.Variable) { return &c.Digest, c.Wires }

// Layout names the private wires in order.
func (c *Trees) Layout() []Segment { return TreesLayout(c.shape) }

// Widths lists the places of the circuit with the widest integer that each can hold; known once it is compiled.
func (c *Trees) Widths() []bounded.Width { return c.widths }

// Record says which constraints are for which part; known once it is compiled.
func (c *Trees) Record() bounded.Record { return c.record }

// Words is how many words the model has where it is kept.
func (c *Trees) Words() int { return words(c.shape) }

// growing is the circuit under construction.
type growing struct {
	*adding
	sizes  *shape.Trees
	nodes  trees.Nodes
	sigma  bounded.Int
	sides  [][]bounded.Int
	around []additive.Oriented
}

// Define constrains the relation, gadget by gadget.
func (c *Trees) Define(api frontend.API) (err error) {
	defer bounded.Catch(&err)
	b := &growing{adding: &adding{numbers: c.shape.Additive()}, sizes: c.shape.Trees()}
	b.traversal = &traversal{a: bounded.New(api), shape: c.shape, wires: Take(c.Layout(), c.Wires)}
	if err := b.show(); err != nil {
		return err
	}
	sets := b.readEnsemble()
	b.readStated()
	b.sets = sets.Columns(b.a.At("sets"), b.query, b.wires["absent"], c.shape.InputBits, b.radius)
	leave := b.a.Part("digest")
	digest, err := b.statedOf(b.numbersOf(sets))
	if err != nil {
		return err
	}
	api.AssertIsEqual(c.Digest, digest)
	leave()
	b.leaves(digest)
	c.widths, c.record = b.a.Widths(), b.a.Record()
	return nil
}

// readEnsemble types the model: the predicates, the nodes, and what is in the sets.
func (b *growing) readEnsemble() additive.Sets {
	b.readModel()
	w, architecture := b.wires, &b.shape.Architecture
	a, of := b.a.At("nodes"), trees.Sizes{
		Trees: architecture.Nodes[0], Predicates: architecture.Predicates[0] + architecture.Predicates[1], ValueBits: shape.JumpBits,
	}
	if b.shape.Visits() {
		return kept.Sets(b.a.At("sets"), architecture, w["sets"]) // and the nodes stand in words
	}
	if b.shape.Keeps() {
		b.nodes = kept.Nodes(a, of, w["node_predicate"], w["node_missing"], w["node_value"], w["node_child"])
		return kept.Sets(b.a.At("sets"), architecture, w["sets"])
	}
	b.nodes = trees.NewNodes(a, of, w["node_predicate"], w["node_low"], w["node_high"], w["node_missing"], w["node_value"])
	return additive.NewSets(b.a.At("sets"), architecture, w["sets"])
}

// numbersOf lists the numbers of the model in the order of its commitment.
func (b *growing) numbersOf(sets additive.Sets) []bounded.Int {
	return append(append(b.model.Numbers(), b.nodes.Numbers()...), sets.Numbers()...)
}

// leaves makes slots and rows, and holds every leaf and the coverage.
func (b *growing) leaves(digest frontend.Variable) {
	slots, centre, argument := b.slots()
	rows := b.rows(slots, argument).Leaves(b.a.At("rows"))
	bound := additive.Bound{
		Base: centre.Base, Radius: b.radius, Scale: b.sizes.Scale, MultiplierBits: b.sizes.MultiplierBits,
	}
	b.everyLeaf(digest, slots, rows, func(k int, leaf additive.LeafWires, signs *additive.Signs, terms additive.Terms) {
		leaf.Used, leaf.Multiplier = b.wires["used"][k], b.wires["multiplier"][k]
		slots.Close(b.a.At("leaves"), bound, leaf, signs, terms)
	})
}

// everyLeaf holds the signs and rows of every leaf, which is then closed, and the coverage.
func (b *growing) everyLeaf(digest frontend.Variable, slots *additive.Slots, rows *trees.Leaves,
	closes func(k int, leaf additive.LeafWires, signs *additive.Signs, terms additive.Terms),
) {
	w, s := b.wires, b.shape
	var boxes []additive.Box
	for k := range s.Capacity {
		of := func(name string, length int) []frontend.Variable { return w[name][k*length : (k+1)*length] }
		row := func(name string) []frontend.Variable { return of(name, s.Slots+b.sizes.Sensitive) }
		every := func(name string) []frontend.Variable { return of(name, s.Rows) }
		signs := slots.ReadSigns(b.a.At("leaves"), w["leaf_live"][k], row("signs"))
		slots.Serve(b.a.At("leaves"), signs, of("serves", s.Slices), b.sides)
		terms := rows.Assert(b.a.At("rows"), signs, b.sizes.ChargeScale, trees.LeafWires{
			Free: every("free"), Way: every("way"), Charge: every("charge"), Stay: every("stay"), Cross: every("cross"),
			Sums: row("charged"),
		})
		closes(k, additive.LeafWires{
			Live: w["leaf_live"][k], Signs: row("signs"), Taken: row("taken"), Level: row("level"),
		}, signs, terms)
		boxes = append(boxes, signs.Box)
	}
	slots.Cover(b.a.At("cover"), digest, boxes)
}

// slots compares the predicates with the query and the slices, and makes the slots.
func (b *growing) slots() (*additive.Slots, additive.Centre, *member.Argument) {
	w, a := b.wires, b.a.At("predicates")
	leave := a.Part("predicates")
	argument := member.New(a)
	leave()
	inputs := b.inputs(argument)
	b.sigma = a.Sub(a.Scale(big.NewInt(2), b.label.Index(a)), a.Constant(1))
	b.sides = additive.Sides(b.a.At("slices"), b.model, inputs, w["sensitive_at"], w["side_of_slice"])
	b.around = additive.Orient(a, b.model, inputs, b.ends(inputs), b.radius, w["at"], w["side"], w["dead"])
	centre := additive.NewCentre(a, b.model, b.sigma, b.around, a.Constant(0))
	slots := additive.NewSlots(b.a.At("slots"), argument, b.model, b.around, centre.Steps, b.shape.Architecture.Columns(),
		additive.SlotWires{
			Column: w["slot_column"], Gap2: w["slot_gap2"], Side: w["slot_side"], Step: w["slot_step"],
			Live: w["slot_live"], Same: w["same"],
		})
	slots.Append(b.a.At("slots"), additive.SensitiveSteps(a, b.model, b.sigma))
	return slots, centre, argument
}

// rows resolves the nodes and reads the rows.
func (b *growing) rows(slots *additive.Slots, argument *member.Argument) *trees.Rows {
	if b.shape.Visits() {
		return b.visit(slots, argument)
	}
	w, a := b.wires, b.a.At("nodes")
	table := trees.NewTable(a, argument, b.nodes, b.asked(slots), trees.NodeWires{
		Number: w["node_slot"], Side: w["node_side"], Live: w["node_live"], Before: w["node_before"],
		Low: w["low_reference"], High: w["high_reference"],
	})
	return table.Rows(a, b.sigma, shape.ValueBits, trees.RowWires{
		ID: w["row_id"], Slot: w["row_slot"], Stay: w["stay_reference"], Cross: w["cross_reference"],
		StayValue: w["stay_value"], CrossValue: w["cross_value"], StayRow: w["stay_row"], CrossRow: w["cross_row"],
		Mark: w["row_root"],
	}, trees.RootWires{Value: w["root_value"], Row: w["root_row"]})
}

// asked lists the predicates as nodes see them.
func (b *growing) asked(slots *additive.Slots) (predicates []trees.Predicate) {
	for p, number := range slots.Numbers() {
		of := b.around[p]
		predicates = append(predicates, trees.Predicate{Number: number, Side: of.Side(), Live: of.Live(), Away: of.Away()})
	}
	for i := range b.sizes.Sensitive {
		// As Append has the sensitive slots: behind all others, on side 1, live on every slice.
		predicates = append(predicates, trees.Predicate{Number: b.shape.Slots + 1 + i, Side: 1, Live: 1, Away: 0})
	}
	return predicates
}
