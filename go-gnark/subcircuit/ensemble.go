package subcircuit

import (
	"github.com/consensys/gnark/frontend"

	"equiproof/gadget/additive"
	"equiproof/gadget/bounded"
	"equiproof/gadget/member"
	"equiproof/gadget/trees"
	"equiproof/relation"
	"equiproof/shape"
)

// The wires by which nodes become rows, as far as no instance states them.
var resolving = []string{"node_slot", "node_side", "node_live", "node_before", "low_reference", "high_reference"}

// ensembleLayout names the wires of nodes, and of all predicates as a query sees them: the slot from 1, or 0; the side; the life;
// and where values can be missing, whether this one is.
func ensembleLayout(s *shape.Shape) []relation.Segment {
	plain, sensitive := predicates(s)
	var segments []relation.Segment
	names := []string{"predicate_slot", "predicate_side", "predicate_live"}
	if s.Architecture.Missing {
		names = append(names, "predicate_away")
	}
	for _, name := range names {
		segments = append(segments, relation.Segment{Name: name, Length: plain + sensitive})
	}
	return append(segments, scoreParts(s, 1, "node_predicate", "node_low", "node_high", "node_missing", "node_value")...)
}

// readNodes reads a model's nodes, and lists their numbers in the layout's order.
func (b *builder) readNodes() (trees.Nodes, [][]bounded.Int) {
	of, s := b.shape.Trees(), b.shape
	sizes := trees.Sizes{Trees: of.Trees, Predicates: of.Plain + of.Sensitive, ValueBits: shape.JumpBits}
	asked, low, high := b.below("node_predicate", max(2, sizes.Predicates)), b.bits("node_low"), b.bits("node_high")
	var missing []bounded.Int
	if s.Architecture.Missing {
		missing = b.bits("node_missing")
	}
	values := b.signed("node_value", s.Architecture.WeightBits[0])
	return trees.TypedNodes(sizes, asked, low, high, missing, values), [][]bounded.Int{asked, low, high, missing, values}
}

// ensemble reads nodes and predicates as a part of the instance, and finds the children of every node (R-T-NODE).
func (b *builder) ensemble() *trees.Table {
	of, w := b.shape.Trees(), b.wires
	nodes, numbers := b.readNodes()
	slots, sides, lives := b.below("predicate_slot", b.shape.Slots+of.Sensitive+1), b.bits("predicate_side"), b.bits("predicate_live")
	b.bind(slots, sides, lives)
	var facts []trees.Predicate
	for p := range slots {
		facts = append(facts, trees.Predicate{Number: slots[p].Wire(), Side: sides[p].Wire(), Live: lives[p].Wire(), Away: 0})
	}
	if b.shape.Architecture.Missing {
		aways := b.bits("predicate_away")
		b.bind(aways)
		for p, away := range aways {
			facts[p].Away = away.Wire()
		}
	}
	b.bind(numbers...)
	a := b.a.At("nodes")
	return trees.NewTable(a, member.New(a), nodes, facts, trees.NodeWires{
		Number: w["node_slot"], Side: w["node_side"], Live: w["node_live"], Before: w["node_before"],
		Low: w["low_reference"], High: w["high_reference"],
	})
}

// rows resolves the table to rows (R-T-RESOLVE).
func (b *builder) rows(table *trees.Table, sigma bounded.Int) *trees.Rows {
	w := b.wires
	return table.Rows(b.a.At("nodes"), sigma, shape.ValueBits, trees.RowWires{
		ID: w["row_id"], Slot: w["row_slot"], Stay: w["stay_reference"], Cross: w["cross_reference"],
		StayValue: w["stay_value"], CrossValue: w["cross_value"], StayRow: w["stay_row"], CrossRow: w["cross_row"],
		Mark: w["row_root"],
	}, trees.RootWires{Value: w["root_value"], Row: w["root_row"]})
}

// References are no part of the instance: rows name the rows and values that they stand for.
func nodesLayout(s *shape.Shape) []relation.Segment {
	segments := append(ensembleLayout(s), scoreParts(s, 1, "root_value", "root_row", "row_id", "row_slot",
		"stay_value", "cross_value", "stay_row", "cross_row", "row_root")...)
	return append(segments, scoreParts(s, 1, append([]string{"stay_reference", "cross_reference"}, resolving...)...)...)
}

// defineNodes makes the stated rows the live nodes of the stated ensemble that its roots lead to (R-T-NODE, R-T-RESOLVE).
func defineNodes(b *builder) error {
	a, s := b.a.At("nodes"), b.shape
	table := b.ensemble()
	zero, value := a.Constant(0), wide(a, 1, s.Architecture.WeightBits[0])
	row, slot := a.Constant(int64(s.Rows)), a.Constant(int64(s.Slots+s.Trees().Sensitive))
	const signed, place = "split checks it as a signed value", "looked up among the rows' places and 0"
	b.bind(b.held("root_value", signed, value...), b.held("root_row", place, zero, row),
		b.held("row_id", "looked up among the nodes' ids and the empty row's", a.Constant(1), a.Constant(int64(s.Trees().Nodes+1))),
		b.held("row_slot", "looked up among the nodes' slots, which are predicates', and 0", zero, slot),
		b.held("stay_value", signed, value...), b.held("cross_value", signed, value...), b.held("stay_row", place, zero, row),
		b.held("cross_row", place, zero, row), b.bits("row_root"))
	b.rows(table, a.Constant(1))
	return nil
}

// What nodes resolve to is no part of the instance, nor is what rows are worth.
func rowsLayout(s *shape.Shape) []relation.Segment {
	segments := append(append(ensembleLayout(s), scoreParts(s, 1, "label")...), scoreParts(s, s.Capacity, "signs", "charged")...)
	segments = append(segments, relation.Segment{Name: "score", Length: 1})
	resolved := append([]string{"root_value", "root_row", "row_id", "row_slot", "stay_reference", "cross_reference",
		"stay_value", "cross_value", "stay_row", "cross_row", "row_root"}, resolving...)
	segments = append(segments, scoreParts(s, 1, resolved...)...)
	return append(segments, scoreParts(s, s.Capacity, "free", "way", "charge", "stay", "cross")...)
}

// defineRows makes score and charges what an ensemble's rows add to a leaf with the stated signs (R-T-LEAF, R-T-CHARGE).
func defineRows(b *builder) error {
	a, s, w, widths := b.a.At("rows"), b.shape, b.wires, scoreWidthsOf(b.shape)
	table, sigma := b.ensemble(), b.sigma()
	signs := new(additive.Signs)
	read := b.read("signs", func(a *bounded.Arith, _ int, wire frontend.Variable) bounded.Int {
		crossed, stayed, free := a.Sign(wire)
		signs.Crossed, signs.Stayed, signs.Frees = append(signs.Crossed, crossed), append(signs.Stayed, stayed), append(signs.Frees, free)
		return a.UnsafeWithin(wire, "Sign holds it to -1, 0 or 1", a.Constant(-1), a.Constant(1))
	})
	charged := b.held("charged", "the sum of the charges of its slot's rows, which scoreWidthsOf bounds", wide(a, 1, widths.charged)...)
	score := b.held("score", "equal to the terms' score, which scoreWidthsOf bounds", wide(a, 1, widths.score)...)
	b.bind(read, charged, score)
	leaves := b.rows(table, sigma).Leaves(a)
	terms := leaves.Assert(a, signs, s.Trees().ChargeScale, trees.LeafWires{
		Free: w["free"], Way: w["way"], Charge: w["charge"], Stay: w["stay"], Cross: w["cross"], Sums: w["charged"],
	})
	a.AssertEqual(terms.Score, a.Scale(chargeScale(s), score[0]))
	return nil
}
