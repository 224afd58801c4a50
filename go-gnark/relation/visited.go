package relation

import (
	"equiproof/gadget/additive"
	"equiproof/gadget/member"
	"equiproof/gadget/trees"
	"equiproof/shape"
)

// nodeWordsOf is how words hold the nodes of an ensemble of a shape.
func nodeWordsOf(s *shape.Shape) trees.Words {
	a := &s.Architecture
	return trees.Words{
		Trees: a.Nodes[0], Nodes: a.Nodes[1], Predicates: a.Predicates[0] + a.Predicates[1], ValueBits: shape.JumpBits, Missing: a.Missing,
	}
}

// visitedLayout names the wires of the nodes that the ball reaches, rows and passed ones, and of the roots.
func visitedLayout(s *shape.Shape) (segments []Segment) {
	of := func(length int, names ...string) {
		for _, name := range names {
			segments = append(segments, Segment{name, length})
		}
	}
	of(s.Rows, "row_id", "row_number", "row_slot", "row_side", "row_root")
	of(s.Rows, "stay_value", "stay_node", "stay_behind", "stay_row", "cross_value", "cross_node", "cross_behind", "cross_row")
	of(s.Passed, "passed_id", "passed_number", "passed_side")
	of(s.Passed, "passed_value", "passed_node", "passed_behind", "passed_row", "passed_other")
	of(s.Architecture.Nodes[0], "root_value", "root_row")
	return segments
}

// visit reads the nodes that the ball reaches.
func (b *growing) visit(slots *additive.Slots, argument *member.Argument) *trees.Rows {
	w, a := b.wires, b.a.At("nodes")
	child := func(name string) trees.ChildWires {
		return trees.ChildWires{Value: w[name+"_value"], ID: w[name+"_node"], Behind: w[name+"_behind"], Row: w[name+"_row"]}
	}
	return trees.Visit(a, argument, nodeWordsOf(b.shape), w["node_word"], b.asked(slots), b.sigma, shape.ValueBits,
		trees.ReachedWires{
			ID: w["row_id"], Number: w["row_number"], Slot: w["row_slot"], Side: w["row_side"], Stay: child("stay"), Cross: child("cross"),
			Mark: w["row_root"],
		},
		trees.PassedWires{
			ID: w["passed_id"], Number: w["passed_number"], Side: w["passed_side"], Stay: child("passed"), Other: w["passed_other"],
		},
		trees.RootWires{Value: w["root_value"], Row: w["root_row"]})
}
