package trees_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/consensys/gnark/frontend"

	"equiproof/gadget/bounded"
	"equiproof/gadget/trees"
	"equiproof/internal/adversary"
)

// Random forests, queries and labels have the wires that the rules say, and any other number in one of them is refused, but
// for those that nothing reads.
func TestForests(t *testing.T) {
	r := room{trees: 2, nodes: 6, predicates: 4, slots: 3, rows: 6}
	circuit, random := r.compile(t), rand.New(rand.NewPCG(1, 1))
	for number := range 12 {
		w, ok := r.fill(drawn(r, random), 1-2*int64(number%2))
		if !ok {
			t.Fatal("six rows hold six nodes")
		}
		circuit.Accepts(t, fmt.Sprint("honest ", w.forest), w.given...)
		for _, run := range []string{
			"node_number", "node_side", "before", "low_reference", "high_reference", "root_value", "root_row", "constant",
		} {
			_, lengths := r.runs()
			i := random.IntN(lengths[run])
			for _, step := range []int64{1, -1} {
				circuit.Refuses(t, fmt.Sprint(run, " ", i, " by ", step, " of ", w.forest), w.with(run, i, w.get(run, i)+step)...)
			}
		}
		i := random.IntN(r.nodes)
		circuit.Refuses(t, fmt.Sprint("life of ", i, " of ", w.forest), w.with("node_live", i, 1-w.get("node_live", i))...)
	}
}

// chain is two trees: a live root above a dead node above a live one, and one node alone; predicates 0 and 1 are slots 1 and 2,
// the last one is dead.
var chain = forest{
	roots: 2,
	nodes: []node{
		{predicate: 0, low: child{true, 2}, high: child{false, -7}},
		{predicate: 1, low: child{false, 5}, high: child{false, -6}},
		{predicate: 2, low: child{true, 3}, high: child{false, 31}},
		{predicate: 1, low: child{false, -32}, high: child{false, 9}},
	},
	facts: []fact{{1, 1, 0}, {2, 0, 0}, {0, 1, 0}},
}

// four is a room for the chain.
var four = room{trees: 2, nodes: 4, predicates: 3, slots: 2, rows: 4}

// filledChain is the chain's wires under the label 1.
func filledChain(t *testing.T, r room) *filled {
	w, ok := r.fill(chain, 1)
	if !ok {
		t.Fatal("the rows have no room")
	}
	return w
}

// A node follows its own predicate, and a dead one stands for its staying child.
func TestNodesFollowTheirPredicates(t *testing.T) {
	circuit, w := four.compile(t), filledChain(t, four)
	circuit.Accepts(t, "honest", w.given...)
	if got := w.get("low_reference", 0); got != 4*span {
		t.Fatalf("the child behind a dead node has the reference %d", got)
	}
	for name, lie := range map[string][]any{
		"the number of another predicate":       w.with("node_number", 3, 1),
		"a dead node that lives":                w.with("node_live", 2, 1),
		"a dead node's crossing child":          w.with("node_side", 2, 0, "low_reference", 0, 31, "stay", 0, 31, "stay_row", 0, 0, "stay_value", 0, 31),
		"a live node that is dead":              w.with("node_live", 3, 0, "node_number", 3, 0),
		"a node that goes the other way":        w.with("node_side", 1, 1),
		"half a side":                           w.with("node_side", 2, half),
		"a value from elsewhere":                w.with("high_reference", 2, 5),
		"a value that no leaf has":              w.with("high_reference", 0, -8, "cross", 0, -8, "cross_value", 0, -8),
		"a child from elsewhere":                w.with("low_reference", 0, 2*span, "stay", 0, 2*span, "stay_row", 0, 2),
		"a node where a leaf is":                w.with("high_reference", 0, 4*span, "cross", 0, 4*span, "cross_row", 0, 3, "cross_value", 0, 0),
		"a leaf where a node is":                w.with("low_reference", 0, 31, "stay", 0, 31, "stay_row", 0, 0, "stay_value", 0, 31),
		"the reference of the node that died":   w.with("low_reference", 0, 3*span, "stay", 0, 3*span),
		"a count of children that is too large": w.with("before", 0, 2),
		"half a count":                          w.with("before", 2, half),
		// The third node's child is one behind the last, whose place is that of the first value.
		"a count that is no sum": w.with("before", 1, 2, "low_reference", 2, -7, "high_reference", 2, -6,
			"low_reference", 0, -7, "stay", 0, -7, "stay_row", 0, 0, "stay_value", 0, -7),
	} {
		circuit.Refuses(t, name, lie...)
	}
}

// Where values can be missing, forests have the wires that the rules say: a node whose value is missing goes where it says itself.
func TestForestsWithMissingValues(t *testing.T) {
	r := room{trees: 2, nodes: 6, predicates: 4, slots: 2, rows: 6, missing: true}
	circuit, random := r.compile(t), rand.New(rand.NewPCG(2, 2))
	for number := range 12 {
		f := drawn(r, random)
		w, ok := r.fill(f, 1-2*int64(number%2))
		if !ok {
			t.Fatal("six rows hold six nodes")
		}
		circuit.Accepts(t, fmt.Sprint("honest ", f), w.given...)
		for i := range int64(r.nodes) {
			circuit.Refuses(t, fmt.Sprint("side of ", i, " of ", f), w.with("node_side", int(i), 1-w.get("node_side", int(i)))...)
			if f.facts[f.nodes[i].predicate].away == 1 {
				// A direction that is turned takes everything else with it: the wires of another model.
				circuit.Refuses(t, fmt.Sprint("direction of ", i, " of ", f), w.with("missing", int(i), 1-f.nodes[i].up)...)
			}
		}
		for p, of := range f.facts {
			asked := false
			for i, n := range f.nodes {
				asked = asked || n.predicate == p && f.of(int64(i)).side != of.side
			}
			if asked && of.away == 1 {
				circuit.Refuses(t, fmt.Sprint("stated, ", p, " of ", f), w.with("away", p, 0)...)
			}
		}
	}
	w, _ := r.fill(drawn(r, random), 1)
	for name, lie := range map[string][]any{
		"half a direction":  w.with("missing", 0, half),
		"a direction of 2":  w.with("missing", 0, 2),
		"a direction of -1": w.with("missing", 5, -1),
	} {
		circuit.Refuses(t, name, lie...)
	}
}

// With one predicate, a node has no second number by which it would find the side of missing values without saying so.
func TestOnePredicateHasTwoRows(t *testing.T) {
	r := room{trees: 1, nodes: 1, predicates: 1, slots: 1, rows: 1, missing: true}
	circuit := r.compile(t)
	w, _ := r.fill(forest{
		roots: 1, nodes: []node{{0, child{false, 3}, child{false, 4}, 1}}, facts: []fact{{0, 0, 1}},
	}, 1)
	circuit.Accepts(t, "honest", w.given...)
	circuit.Refuses(t, "the number behind the only one", w.with("missing", 0, 0, "predicate", 0, 1)...)
}

// Predicates are below their number, kinds are bits, and values have their width.
func TestNumbersOfNodes(t *testing.T) {
	circuit, w := four.compile(t), filledChain(t, four)
	for name, lie := range map[string][]any{
		"a predicate behind the last":  w.with("predicate", 1, 3),
		"a predicate before the first": w.with("predicate", 1, -1),
		"half a predicate":             w.with("predicate", 1, half),
		"half a kind":                  w.with("low", 1, half),
		"a kind of 2":                  w.with("low", 0, 2),
		"a value too large":            w.with("value", 1, 32),
		"a value too small":            w.with("value", 4, -33),
	} {
		circuit.Refuses(t, name, lie...)
	}
	// The same by themselves, where nothing else asks for them.
	alone := adversary.Compile(t, 4, func(a *bounded.Arith, wires []frontend.Variable) {
		nodes := trees.NewNodes(a, trees.Sizes{Trees: 1, Predicates: 3, ValueBits: valueBits}, wires[:1], wires[1:2], wires[2:3], nil, wires[3:])
		if numbers := nodes.Numbers(); len(numbers) != 4 {
			t.Errorf("%d numbers of one node and one value", len(numbers))
		}
	})
	alone.Accepts(t, "ends of all widths", 2, 1, 0, 31)
	alone.Accepts(t, "the other ends", 0, 0, 1, -32)
	for _, lie := range [][]any{
		{3, 1, 0, 31}, {-1, 1, 0, 31}, {half, 1, 0, 31}, {2, 2, 0, 31}, {2, 1, -1, 31}, {2, half, 0, 31}, {2, 1, half, 31},
		{2, 1, 0, 32}, {2, 1, 0, -33}, {2, 1, 0, half},
	} {
		alone.Refuses(t, fmt.Sprint(lie), lie...)
	}
}

// Every node but the roots is the child of an earlier one, and as many are named as there are.
func TestNodesAreATree(t *testing.T) {
	two := room{trees: 1, nodes: 2, predicates: 2, slots: 2, rows: 2}
	circuit := two.compile(t)
	honest, _ := two.fill(forest{
		roots: 1,
		nodes: []node{{0, child{true, 1}, child{false, 3}, 0}, {1, child{false, 4}, child{false, 5}, 0}},
		facts: []fact{{1, 1, 0}, {2, 1, 0}},
	}, 1)
	circuit.Accepts(t, "honest", honest.given...)
	// Its values are 3, 4 and 5 in order; the forests below have as many.
	itself := honest.with("low", 0, 0, "low", 1, 1, "before", 0, 0, "low_reference", 0, 3, "high_reference", 0, 4,
		"low_reference", 1, 2*span, "high_reference", 1, 5, "stay", 0, 3, "stay_value", 0, 3, "stay_row", 0, 0,
		"cross", 0, 4, "cross_value", 0, 4, "stay", 1, 2*span, "stay_value", 1, 0, "stay_row", 1, 2)
	circuit.Refuses(t, "a node below itself, of no tree", itself...)
	// The second child that is a node would be node 2, whose place is that of the first value.
	beyond := honest.with("high", 0, 1, "before", 0, 2, "low_reference", 0, 2*span, "high_reference", 0, 3, "cross", 0, 3, "cross_value", 0, 3)
	circuit.Refuses(t, "a child behind the last node", beyond...)
	circuit.Refuses(t, "that child as a node", honest.with("high", 1, 1, "high_reference", 1, 3, "cross", 1, 3, "cross_value", 1, 3)...)
}
