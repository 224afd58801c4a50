// Package trees proves what trees add to an additive model's margin on the cells of a leaf.
//
// Nodes stand in level order in one table, and no child's place is written down: counts of the nodes and the leaves before a
// child are its reference. A node whose predicate no neighbor crosses is dead and stands for its staying child. The other
// nodes that are reached from the roots are rows. In each leaf a row has a value: that of the child that the leaf's cells go
// to, or the smaller one of both with a charge, which whoever goes the cheaper way pays.
package trees

import (
	"math/big"

	"github.com/consensys/gnark/frontend"

	"equiproof/gadget/bounded"
	"equiproof/gadget/member"
)

// span is the distance of two nodes' references; a leaf's reference is its value, of fewer bits.
const span = 1 << 20

var (
	one = big.NewInt(1)
	two = big.NewInt(2)
)

// Nodes are a model's nodes in level order: predicates, a bit for each child that is a node, and the leaves' values. Where values
// can be missing, missing has a bit for each node: whether it sends them high. Of a kept model, the places of both children of each
// node stand for the bits.
type Nodes struct {
	predicates, low, high, missing, values []bounded.Int
	places                                 [][2]frontend.Variable
	trees, bits                            int
}

// Sizes are the numbers of trees and of predicates, and the width of values.
type Sizes struct{ Trees, Predicates, ValueBits int }

// NewNodes types the numbers of a model's nodes (R-RANGE); missing are none where no value can be missing. Precondition: none.
// Cost: two or three bits and two range checks per node, one per leaf.
func NewNodes(a *bounded.Arith, s Sizes, predicates, low, high, missing, values []frontend.Variable) Nodes {
	defer a.Part("nodes")()
	var asked, lows, highs, sent, leaves []bounded.Int
	for i, wire := range predicates {
		// With one predicate, its number has a bit in the model's commitment; that it is 0 follows where NewTable looks it up.
		asked = append(asked, a.Below(wire, max(2, s.Predicates)))
		lows, highs = append(lows, a.Bit(low[i])), append(highs, a.Bit(high[i]))
	}
	for _, wire := range missing {
		sent = append(sent, a.Bit(wire))
	}
	for _, wire := range values {
		leaves = append(leaves, a.Signed(wire, s.ValueBits))
	}
	return TypedNodes(s, asked, lows, highs, sent, leaves)
}

// TypedNodes makes nodes of numbers that have their widths already. Cost: none.
func TypedNodes(s Sizes, predicates, low, high, missing, values []bounded.Int) Nodes {
	return Nodes{
		predicates: predicates, low: low, high: high, missing: missing, values: values, trees: s.Trees, bits: s.ValueBits,
	}
}

// PlacedNodes makes nodes of numbers that have their widths already, and of the places of their children, as Places finds them: a
// kept model's, which its link has checked. Cost: none.
func PlacedNodes(s Sizes, predicates, missing, values []bounded.Int, places [][2]frontend.Variable) Nodes {
	return Nodes{predicates: predicates, missing: missing, values: values, places: places, trees: s.Trees, bits: s.ValueBits}
}

// Numbers lists the numbers in the order of the model's commitment.
func (n Nodes) Numbers() []bounded.Int {
	numbers := append([]bounded.Int{}, n.predicates...)
	for i := range n.low {
		numbers = append(numbers, n.low[i], n.high[i])
	}
	return append(append(numbers, n.missing...), n.values...)
}

// Predicate is a predicate as nodes see it: the number of its slot, from 1, or 0 where it is dead; whether staying is to be at
// most the threshold; whether it has a slot; and whether its value is missing, so that each node says where it goes.
type Predicate struct{ Number, Side, Live, Away frontend.Variable }

// NodeWires are the private wires of the nodes: number, side and life of the predicate; how many children before it are nodes,
// of each node but the first, where no places are given; and the references of both children.
type NodeWires struct{ Number, Side, Live, Before, Low, High []frontend.Variable }

// Table is the nodes as a query sees them.
type Table struct {
	argument *member.Argument
	rows     *member.Set
	roots    []frontend.Variable // references
	nodes    int
	bits     int
}

// NewTable finds the children of every node, and passes over dead nodes (R-T-NODE, R-T-RESOLVE).
//
// Relation: number, side and life are those of the node's predicate, the side of a missing value the node's own; the r-th
// child that is a node has the reference of node T + r, the r-th that is a leaf the r-th value; a live node's reference is
// span times one more than its place, a dead one's that of its staying child. Precondition: predicates are of the same
// query. Outside it: nodes that no neighbor crosses are crossed. Cost: about 22 constraints per node, and one per leaf.
func NewTable(a *bounded.Arith, argument *member.Argument, n Nodes, predicates []Predicate, w NodeWires) *Table {
	defer a.Part("nodes")()
	api, count := a.API(), len(n.predicates)
	t := &Table{argument: argument, rows: argument.Set(), nodes: count, bits: n.bits}
	asked, children := argument.Set(), argument.Set()
	for p, of := range predicates {
		if len(n.missing) == 0 {
			asked.Insert(member.NewTuple(of.Number, of.Side, of.Live, p))
			continue
		}
		// Under p for nodes that send missing values low, which is side 1; behind all numbers for those that send them high.
		stated := api.Mul(of.Side, api.Sub(1, of.Away))
		asked.Insert(member.NewTuple(of.Number, api.Add(stated, of.Away), of.Live, p))
		asked.Insert(member.NewTuple(of.Number, stated, of.Live, secondRow(len(predicates))+p))
	}
	for i, value := range n.values {
		children.Insert(member.NewTuple(value.Wire(), count+i))
	}
	places := n.places
	if places == nil {
		places = n.Places(a, w.Before)
	}
	for i, key := range places {
		asked.Query(member.Term{Factor: one, Of: member.NewTuple(w.Number[i], w.Side[i], w.Live[i], n.row(api, i, len(predicates)))})
		children.Query(member.Term{Factor: one, Of: member.NewTuple(w.Low[i], key[0])})
		children.Query(member.Term{Factor: one, Of: member.NewTuple(w.High[i], key[1])})
		stay := api.Add(w.High[i], api.Mul(w.Side[i], api.Sub(w.Low[i], w.High[i])))
		// Side is a bit, so that stay is one of both references, and cross the other one.
		cross, id := api.Sub(api.Add(w.Low[i], w.High[i]), stay), i+1
		resolved := api.Add(stay, api.Mul(w.Live[i], api.Sub(id*span, stay)))
		if i < n.trees {
			t.roots = append(t.roots, resolved)
		} else {
			children.Insert(member.NewTuple(resolved, i))
		}
		t.rows.Insert(member.NewTuple(w.Number[i], stay, cross, id))
	}
	t.rows.Insert(member.NewTuple(0, 0, 0, count+1)) // the empty row, which no reference has
	return t
}

// row is under which number a node finds its predicate, of so many.
func (n Nodes) row(api frontend.API, i, predicates int) frontend.Variable {
	if len(n.missing) == 0 {
		return n.predicates[i].Wire()
	}
	return api.Add(n.predicates[i].Wire(), api.Mul(n.missing[i].Wire(), secondRow(predicates)))
}

// secondRow is by how much the second number of a predicate is above the first: behind all that NewNodes lets a node have.
func secondRow(predicates int) int { return max(2, predicates) }

// Places returns for both children of each node its place among the nodes or, behind all nodes, among the leaves (R-T-NODE). The
// wires are how many children before each node but the first are nodes.
//
// Before a node there are always more nodes named than it has predecessors: it is named by an earlier one. In all as many are
// named as there are.
func (n Nodes) Places(a *bounded.Arith, wires []frontend.Variable) (places [][2]frontend.Variable) {
	defer a.Part("nodes")()
	api, count := a.API(), len(n.predicates)
	before := a.Constant(0)
	for i := range count {
		a.AssertNonNegative(a.Add(before, a.Constant(int64(n.trees-i-1))))
		key := func(place int, before bounded.Int, node bounded.Int) frontend.Variable {
			leaf := api.Sub(count+place, before.Wire())
			return api.Add(leaf, api.Mul(node.Wire(), api.Sub(api.Add(before.Wire(), n.trees), leaf)))
		}
		middle := a.Add(before, n.low[i])
		places = append(places, [2]frontend.Variable{key(2*i, before, n.low[i]), key(2*i+1, middle, n.high[i])})
		after := a.Add(middle, n.high[i])
		if i+1 == count {
			api.AssertIsEqual(after.Wire(), count-n.trees)
			break
		}
		before = a.Claimed(wires[i], after)
	}
	return places
}
