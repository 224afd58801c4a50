package trees_test

import (
	"fmt"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/consensys/gnark-crypto/ecc/bn254/fr"
	"github.com/consensys/gnark/frontend"

	"equiproof/gadget/bounded"
	"equiproof/gadget/member"
	"equiproof/gadget/trees"
	"equiproof/internal/adversary"
)

// place is the distance of two nodes' references in words.
const place = 1 << valueBits

// visiting is a room whose nodes stand in words, with a place for so many nodes that are passed.
type visiting struct {
	room
	passed int
}

// packing is how words hold the nodes of a room.
func (v visiting) packing() trees.Words {
	return trees.Words{Trees: v.trees, Nodes: v.nodes, Predicates: v.predicates, ValueBits: valueBits, Missing: v.missing}
}

// runs lists the wires in order, with how many each run has.
func (v visiting) runs() (names []string, lengths map[string]int) {
	lengths = map[string]int{}
	of := func(length int, run ...string) {
		for _, name := range run {
			names, lengths[name] = append(names, name), length
		}
	}
	of(v.nodes, "word")
	of(v.predicates, "number", "predicate_side")
	if v.missing {
		of(v.predicates, "away")
	}
	of(1, "sigma")
	of(v.rows, "id", "asked", "slot", "side", "mark")
	for _, child := range []string{"stay", "cross"} {
		of(v.rows, child+"_value", child+"_id", child+"_behind", child+"_row")
	}
	of(v.passed, "passed_id", "passed_asked", "passed_side", "passed_value", "passed_child", "passed_behind", "passed_row", "passed_other")
	of(v.trees, "root_value", "root_row")
	of(1, "constant")
	of(v.leaves*v.slots, "sign", "sum")
	of(v.leaves*v.rows, "free", "way", "charge", "staying", "crossing")
	of(v.leaves, "score")
	return names, lengths
}

// compile makes a circuit of the visit, and of leaves over its rows.
func (v visiting) compile(t *testing.T) *adversary.Circuit {
	names, lengths := v.runs()
	total := 0
	for _, name := range names {
		total += lengths[name]
	}
	return adversary.Compile(t, total, func(a *bounded.Arith, wires []frontend.Variable) {
		w := map[string][]frontend.Variable{}
		for _, name := range names {
			w[name], wires = wires[:lengths[name]], wires[lengths[name]:]
		}
		var predicates []trees.Predicate
		for p := range v.predicates {
			of := trees.Predicate{Number: w["number"][p], Side: w["predicate_side"][p]}
			if v.missing {
				of.Away = w["away"][p]
			}
			predicates = append(predicates, of)
		}
		plus, minus, _ := a.Sign(w["sigma"][0])
		child := func(name string) trees.ChildWires {
			return trees.ChildWires{Value: w[name+"_value"], ID: w[name+"_id"], Behind: w[name+"_behind"], Row: w[name+"_row"]}
		}
		rows := trees.Visit(a, member.New(a), v.packing(), w["word"], predicates, a.Sub(plus, minus), fraction,
			trees.ReachedWires{
				ID: w["id"], Number: w["asked"], Slot: w["slot"], Side: w["side"], Stay: child("stay"), Cross: child("cross"), Mark: w["mark"],
			}, trees.PassedWires{
				ID: w["passed_id"], Number: w["passed_asked"], Side: w["passed_side"], Other: w["passed_other"], Stay: trees.ChildWires{
					Value: w["passed_value"], ID: w["passed_child"], Behind: w["passed_behind"], Row: w["passed_row"],
				},
			}, trees.RootWires{Value: w["root_value"], Row: w["root_row"]})
		a.API().AssertIsEqual(rows.Constant().Wire(), w["constant"][0])
		if v.leaves > 0 {
			v.hold(t, a, rows.Leaves(a), w)
		}
	})
}

// seen is the honest wires of a visit, by run.
type seen struct {
	visiting
	forest
	wires map[string][]any
	ways  []int64 // the nodes that are passed, in order
}

// visit turns the honest wires of a forest into those of a visit; ok is false where there is no room for what is passed.
func (v visiting) visit(w *filled) (s *seen, ok bool) {
	s = &seen{visiting: v, forest: w.forest, wires: map[string][]any{}}
	names, lengths := v.runs()
	_, known := v.room.runs()
	for _, name := range names {
		for i := range lengths[name] {
			value := int64(0)
			if n, has := known[name]; has && i < n {
				value = w.get(name, i)
			}
			s.wires[name] = append(s.wires[name], value)
		}
	}
	for p, of := range w.facts {
		s.wires["predicate_side"][p] = of.side
	}
	for i := range w.forest.nodes {
		low, high := reference(w.forest.nodes[i].low), reference(w.forest.nodes[i].high)
		s.wires["word"][i] = s.pack(s.asks(int64(i)), low, high)
	}
	row := map[int64]int64{}
	for i := range v.rows {
		s.empty("id", "asked", "side", i)
		if i < len(w.rows) {
			row[w.rows[i]] = int64(i + 1)
			s.node("id", "asked", "side", i, w.rows[i])
		}
	}
	reached := map[int64]bool{}
	pass := func(c child) {
		for c.node && w.of(c.number).number == 0 && !reached[c.number] {
			reached[c.number] = true
			s.ways = append(s.ways, c.number)
			c, _ = w.both(c.number)
		}
	}
	for root := range v.trees {
		pass(child{true, int64(root)})
	}
	for i, number := range w.rows {
		stay, cross := w.both(number)
		pass(stay)
		pass(cross)
		s.lead("stay_value", "stay_id", "stay_behind", "stay_row", i, stay, row)
		s.lead("cross_value", "cross_id", "cross_behind", "cross_row", i, cross, row)
	}
	if len(s.ways) > v.passed {
		return nil, false
	}
	for i := range v.passed {
		s.empty("passed_id", "passed_asked", "passed_side", i)
		if i < len(s.ways) {
			s.node("passed_id", "passed_asked", "passed_side", i, s.ways[i])
			stay, other := w.both(s.ways[i])
			s.lead("passed_value", "passed_child", "passed_behind", "passed_row", i, stay, row)
			s.wires["passed_other"][i] = reference(other)
		}
	}
	return s, true
}

// reference is that of a child in a word.
func reference(c child) int64 {
	if c.node {
		return place * (c.number + 1)
	}
	return c.number
}

// pack is the word of a number and two references.
func (s *seen) pack(number, low, high int64) *big.Int {
	n, r := s.bits()
	word := func(reference int64, bits uint) *big.Int {
		return new(big.Int).Lsh(big.NewInt(reference+place/2), bits)
	}
	return new(big.Int).Add(big.NewInt(number), new(big.Int).Add(word(low, n), word(high, n+r)))
}

// bits are those of numbers and of references.
func (s *seen) bits() (number, reference uint) {
	return uint(big.NewInt(s.nothing()).BitLen()), uint(valueBits + big.NewInt(int64(s.visiting.nodes+1)).BitLen())
}

// nothing is the number of what is empty.
func (s *seen) nothing() int64 {
	if s.missing {
		return 2 * int64(max(2, s.predicates))
	}
	return int64(max(2, s.predicates))
}

// asks is the number under which a node finds its predicate.
func (s *seen) asks(i int64) int64 {
	n := s.forest.nodes[i]
	return int64(n.predicate) + n.up*int64(max(2, s.predicates))
}

func (s *seen) empty(id, asked, side string, i int) {
	s.wires[id][i], s.wires[asked][i], s.wires[side][i] = int64(s.visiting.nodes+1), s.nothing(), int64(1)
}

func (s *seen) node(id, asked, side string, i int, number int64) {
	s.wires[id][i], s.wires[asked][i], s.wires[side][i] = number+1, s.asks(number), s.of(number).side
}

// lead writes where a child leads.
func (s *seen) lead(value, id, behind, row string, i int, c child, rows map[int64]int64) {
	s.wires[value][i], s.wires[id][i], s.wires[behind][i], s.wires[row][i] = int64(0), int64(0), int64(0), int64(0)
	if !c.node {
		s.wires[value][i] = c.number
		return
	}
	s.wires[id][i] = c.number + 1
	if c = s.behind(c); c.node {
		s.wires[row][i] = rows[c.number]
	} else {
		s.wires[behind][i] = c.number
	}
}

// with lists the wires in order with some of them set: name, place and value in turn.
func (s *seen) with(changes ...any) (all []any) {
	names, lengths := s.visiting.runs()
	changed := map[string][]any{}
	for name, values := range s.wires {
		changed[name] = append([]any{}, values...)
	}
	for i := 0; i < len(changes); i += 3 {
		changed[changes[i].(string)][changes[i+1].(int)] = changes[i+2]
	}
	for _, name := range names {
		all = append(all, changed[name][:lengths[name]]...)
	}
	return all
}

// plus is a wire and some number.
func plus(wire any, more int64) *big.Int {
	if value, ok := wire.(int64); ok {
		return big.NewInt(value + more)
	}
	return new(big.Int).Add(wire.(*big.Int), big.NewInt(more))
}

// Random forests, queries and labels have the wires that the rules say, and any other number in any wire of a visited node or a root
// is refused, as is any other word of one.
func TestVisits(t *testing.T) {
	for _, missing := range []bool{false, true} {
		v := visiting{room{trees: 3, nodes: 9, predicates: 5, slots: 2, rows: 9, missing: missing}, 9}
		circuit, random := v.compile(t), rand.New(rand.NewPCG(7, 7))
		passed := 0
		for number := range 8 {
			w, ok := v.fill(drawn(v.room, random), 1-2*int64(number%2))
			if !ok {
				t.Fatal("nine rows hold nine nodes")
			}
			s, ok := v.visit(w)
			if !ok {
				t.Fatal("nine places hold nine nodes")
			}
			passed += len(s.ways)
			circuit.Accepts(t, fmt.Sprint("honest ", w.forest), s.with()...)
			known := map[int64]bool{}
			for _, node := range append(append([]int64{}, w.rows...), s.ways...) {
				known[node] = true
			}
			for name, values := range s.wires {
				switch name {
				case "number", "predicate_side", "away", "sigma":
					continue // what is around the visit
				}
				for i, value := range values {
					step := int64(1 - 2*random.IntN(2))
					switch lie := s.with(name, i, plus(value, step)); {
					case name == "word" && !known[int64(i)]:
						circuit.Accepts(t, fmt.Sprint("the word of node ", i, ", out of reach of ", w.forest), lie...)
					default:
						circuit.Refuses(t, fmt.Sprint(name, " ", i, " by ", step, " of ", w.forest), lie...)
					}
				}
			}
		}
		if passed == 0 {
			t.Error("nothing was passed")
		}
	}
}

// way is a tree with a live root (slot 1), whose low child, node 2, is passed, and leads by node 4, passed too, to node 5, which is
// live (slot 2); and a tree, node 1, that is passed and leads to the leaf -6. Node 3 is out of reach: it is node 2's other child.
var way = forest{
	roots: 2,
	nodes: []node{
		{predicate: 0, low: child{true, 2}, high: child{false, -7}},
		{predicate: 2, low: child{false, -6}, high: child{false, 31}},
		{predicate: 2, low: child{true, 4}, high: child{true, 3}},
		{predicate: 0, low: child{false, 8}, high: child{false, 9}},
		{predicate: 3, low: child{false, 10}, high: child{true, 5}},
		{predicate: 1, low: child{false, -32}, high: child{false, 12}},
	},
	facts: []fact{{1, 1, 0}, {2, 0, 0}, {0, 1, 0}, {0, 0, 0}},
}

// toldWay is the way, in a room with one row and one place too many.
func toldWay(t *testing.T) (*adversary.Circuit, *seen) {
	v := visiting{room{trees: 2, nodes: 6, predicates: 4, slots: 2, rows: 3}, 4}
	w, _ := v.fill(way, 1)
	s, ok := v.visit(w)
	if !ok || fmt.Sprint(s.ways) != "[1 2 4]" || fmt.Sprint(w.rows) != "[0 5]" {
		t.Fatal("the way is another one")
	}
	circuit := v.compile(t)
	circuit.Accepts(t, "honest", s.with()...)
	return circuit, s
}

// Whoever visits has some freedom, which changes nothing.
func TestVisitsAreFree(t *testing.T) {
	circuit, s := toldWay(t)
	circuit.Accepts(t, "a row twice", s.with(
		"id", 2, 6, "asked", 2, 1, "slot", 2, 2, "side", 2, 0, "stay_value", 2, 12, "cross_value", 2, -32)...)
	circuit.Accepts(t, "a passed node twice", s.with("passed_id", 3, 2, "passed_asked", 3, 2, "passed_value", 3, -6, "passed_other", 3, 31)...)
	circuit.Accepts(t, "a passed node as a row, which is stayed, for a tree",
		s.with("id", 2, 2, "asked", 2, 2, "stay_value", 2, -6, "cross_value", 2, 31, "mark", 2, 1, "root_row", 1, 3,
			"root_value", 1, 0, "constant", 0, 0,
			"passed_id", 0, 7, "passed_asked", 0, 4, "passed_value", 0, 0, "passed_other", 0, 0)...)
	circuit.Accepts(t, "a node that no ball reaches", s.with(
		"id", 2, 4, "asked", 2, 0, "slot", 2, 1, "stay_value", 2, 8, "cross_value", 2, 9)...)
}

// Each lie needs one constraint to be refused: it is consistent with all others.
func TestVisitsAreHeld(t *testing.T) {
	circuit, s := toldWay(t)
	n, r := s.bits()
	// quotient is what one word's other number is where a number of weight 2^from has this much more.
	quotient := func(more int64, from, to uint) *big.Int {
		inverse := new(big.Int).ModInverse(new(big.Int).Lsh(big.NewInt(1), to), fr.Modulus())
		value := new(big.Int).Lsh(big.NewInt(-more), from)
		return value.Mul(value, inverse).Mod(value, fr.Modulus())
	}
	added := func(wire any, more *big.Int) *big.Int { return more.Add(more, plus(wire, 0)) }
	for name, lie := range map[string][]any{
		// words
		"a value of no leaf":          s.with("passed_value", 0, 31, "root_value", 1, 31, "constant", 0, 31<<fraction),
		"children that change places": s.with("stay_value", 1, -32, "cross_value", 1, 12),
		"a node under another's id": s.with("id", 2, 4, "asked", 2, 1,
			"slot", 2, 2, "side", 2, 0, "stay_value", 2, 12, "cross_value", 2, -32),
		"a row of id 0":             s.with("id", 2, 0),
		"an empty row with a value": s.with("stay_value", 2, 31),
		"a passed node of id 0, whose value every leaf has": s.with("passed_id", 3, 0, "passed_value", 3, 5),
		"an empty place with a value":                       s.with("passed_value", 3, 31),
		"a place behind the empty one":                      s.with("passed_id", 3, 8),
		// widths
		"another child, of no width, balances a value": s.with("passed_value", 0, 31, "root_value", 1, 31, "constant", 0, 31<<fraction,
			"passed_other", 0, added(s.wires["passed_other"][0], quotient(31+6, n, n+r))),
		"another child, one bit too wide, takes one off the other reference": s.with("passed_other", 2, plus(s.wires["passed_other"][2], 1<<r),
			"passed_value", 2, -1, "passed_behind", 1, -1, "stay_behind", 0, -1),
		"a value one bit too wide, beside the row of another node": s.with("stay_value", 1, 12-place, "stay_id", 1, 1, "stay_row", 1, 1),
		"a value of no width balances another": s.with(
			"cross_value", 1, added(s.wires["cross_value"][1], quotient(5, n+r, n)), "stay_value", 1, 17),
		"a value in place of a row": s.with("stay_value", 0, 3*place, "stay_id", 0, 0, "stay_row", 0, 0),
		"a value beside a row": s.with(
			"stay_value", 0, place, "stay_id", 0, 2, "stay_behind", 0, -6, "stay_row", 0, 0),
		"a number that is too wide takes one off the low child of a passed node": s.with("passed_asked", 2, 3+1<<n, "passed_other", 2, 9),
		"a number that is too wide puts a value beside a row":                    s.with("asked", 0, 1<<n, "stay_value", 0, -1),
		"a value that is too wide, and the empty row":                            s.with("stay_value", 1, 12-7*place, "stay_id", 1, 7, "stay_row", 1, 3),
		// predicates
		"the other side of a passed node": s.with("passed_side", 0, 0, "passed_value", 0, 31, "passed_other", 0, -6, "root_value", 1, 31,
			"constant", 0, 31<<fraction),
		"the other side of a row":  s.with("side", 1, 1, "stay_value", 1, -32, "cross_value", 1, 12),
		"half a side":              s.with("passed_side", 0, half),
		"the slot of another":      s.with("slot", 1, 1),
		"no slot for a live row":   s.with("slot", 1, 0),
		"an empty row with a slot": s.with("slot", 2, 1),
		"a live node that is passed": s.with(
			"passed_id", 3, 6, "passed_asked", 3, 1, "passed_side", 3, 0, "passed_value", 3, 12, "passed_other", 3, -32),
		"a live node that is passed under the number of a dead predicate": s.with(
			"passed_id", 3, 6, "passed_asked", 3, 3, "passed_side", 3, 0, "passed_value", 3, 12, "passed_other", 3, -32),
		"a live row under the number of a dead predicate": s.with("asked", 1, 3, "slot", 1, 0),
		"a live row under the number of what is empty":    s.with("asked", 1, 4, "slot", 1, 0, "side", 1, 1, "stay_value", 1, -32, "cross_value", 1, 12),
		"a passed node under the number of what is empty": s.with("passed_asked", 2, 4, "passed_side", 2, 1, "passed_value", 2, 10,
			"passed_child", 2, 0, "passed_row", 2, 0, "passed_other", 2, 6*place, "passed_row", 1, 0, "passed_behind", 1, 10,
			"stay_row", 0, 0, "stay_behind", 0, 10),
		"a number that is nobody's":    s.with("passed_asked", 0, 5),
		"a number with another's side": s.with("passed_asked", 0, 3, "passed_side", 0, 0, "passed_value", 0, 31, "passed_other", 0, -6),
		// children
		"a child without a row": s.with("passed_row", 2, 0),
		"a child without a row, with a value instead": s.with("passed_row", 2, 0, "passed_behind", 2, 31,
			"passed_row", 1, 0, "passed_behind", 1, 31, "stay_row", 0, 0, "stay_behind", 0, 31),
		"a child that leads to another row":  s.with("stay_row", 0, 1),
		"a child that leads to an empty row": s.with("stay_row", 0, 3),
		"a value behind a leaf":              s.with("cross_behind", 0, 5),
		"a row behind a leaf":                s.with("cross_row", 0, 2),
		"a value behind a row":               s.with("passed_behind", 2, 5),
		"a passed node that was not visited": s.with("passed_id", 1, 7, "passed_asked", 1, 4, "passed_child", 1, 0, "passed_other", 1, 0,
			"passed_row", 1, 0),
		"half a row": s.with("stay_row", 0, half),
		"a passed node that leads to itself, and so to any value": s.with("passed_child", 2, 5, "passed_row", 2, 0, "passed_behind", 2, 31,
			"passed_row", 1, 0, "passed_behind", 1, 31, "stay_row", 0, 0, "stay_behind", 0, 31),
		"two passed nodes that lead to each other": s.with("passed_child", 2, 3, "passed_row", 2, 0, "passed_behind", 2, 31,
			"passed_row", 1, 0, "passed_behind", 1, 31, "stay_row", 0, 0, "stay_behind", 0, 31),
		"a row that leads to itself": s.with("stay_value", 1, 0, "stay_id", 1, 6, "stay_row", 1, 2),
		"a passed node twice, with an end of its own the second time": s.with("passed_id", 3, 5, "passed_asked", 3, 3, "passed_side", 3, 0,
			"passed_other", 3, 10, "passed_child", 3, 6, "passed_behind", 3, 31,
			"passed_row", 1, 0, "passed_behind", 1, 31, "stay_row", 0, 0, "stay_behind", 0, 31),
		"an empty place with an end of its own": s.with("passed_behind", 3, 31),
		// roots
		"a tree that is left out":              s.with("mark", 0, 0, "root_row", 0, 0),
		"a tree with a value of its own":       s.with("root_value", 1, 31, "constant", 0, 31<<fraction),
		"a tree by the value of another":       s.with("root_value", 0, -6, "root_row", 0, 0, "mark", 0, 0, "constant", 0, -12<<fraction),
		"a tree by the row of another":         s.with("root_row", 0, 2, "mark", 0, 0, "mark", 1, 1),
		"a row that counts, of no root":        s.with("mark", 1, 1),
		"an empty row that counts":             s.with("mark", 2, 1),
		"a tree with a value beside its row":   s.with("root_value", 0, 5, "constant", 0, -1<<fraction),
		"what constant trees add, of no label": s.with("constant", 0, 6<<fraction),
		"a fraction of a mark":                 s.with("mark", 0, half, "mark", 1, half),
		"half of one mark, half of its twin": s.with("id", 2, 1, "asked", 2, 0, "slot", 2, 1, "stay_id", 2, 3, "stay_row", 2, 2,
			"cross_value", 2, -7, "mark", 0, half, "mark", 2, half),
	} {
		circuit.Refuses(t, name, lie...)
	}
}

// A missing value goes where its node sends it, whatever the side of a stated one would be; a stated one does not.
func TestVisitsWithMissingValuesAreHeld(t *testing.T) {
	v := visiting{room{trees: 3, nodes: 3, predicates: 3, slots: 1, rows: 1, missing: true}, 2}
	w, _ := v.fill(forest{
		roots: 3,
		nodes: []node{
			{predicate: 1, low: child{false, 5}, high: child{false, -9}},
			{predicate: 2, low: child{false, 7}, high: child{false, 11}, up: 1},
			{predicate: 0, low: child{false, -1}, high: child{false, 3}, up: 1},
		},
		facts: []fact{{1, 1, 0}, {0, 0, 1}, {0, 1, 0}},
	}, 1)
	s, ok := v.visit(w)
	if !ok || fmt.Sprint(s.ways, s.wires["root_value"]) != "[0 1] [5 7 0]" {
		t.Fatal("the nodes lead elsewhere")
	}
	circuit := v.compile(t)
	circuit.Accepts(t, "honest", s.with()...)
	for name, lie := range map[string][]any{
		"a missing value that goes high, in the word of a node that sends it low": s.with("passed_asked", 0, 3+1, "passed_side", 0, 0,
			"passed_value", 0, -9, "passed_other", 0, 5, "root_value", 0, -9, "constant", 0, -2<<fraction),
		"a missing value on the side of a stated one": s.with("passed_side", 0, 0, "passed_value", 0, -9, "passed_other", 0, 5,
			"root_value", 0, -9, "constant", 0, -2<<fraction),
		"a stated value that goes where its node sends a missing one": s.with("passed_side", 1, 0, "passed_value", 1, 11, "passed_other", 1, 7,
			"root_value", 1, 11, "constant", 0, 16<<fraction),
		"a live row under the number of a node that sends missing values low": s.with("asked", 0, 0),
		"a passed node under the number of what is empty":                     s.with("passed_asked", 0, 6),
	} {
		circuit.Refuses(t, name, lie...)
	}
}

// arranged puts the nodes of a forest in places in any order, some of them twice, those without a slot in either kind of place, and
// lets each child and each root lead to any place of its node. The charges of leaves are 0, as signs are.
func (s *seen) arranged(random *rand.Rand, sigma int64, signs []int64) {
	var rows, passed []int64
	add := func(node int64, kind int) {
		if kind > 0 && len(rows) < s.visiting.rows {
			rows = append(rows, node)
		}
		if s.of(node).number == 0 && kind != 1 && len(passed) < s.passed {
			passed = append(passed, node)
		}
	}
	for node := range int64(s.visiting.nodes) {
		if s.of(node).number > 0 {
			add(node, 1)
		} else {
			add(node, random.IntN(3))
		}
	}
	for range 4 {
		add(random.Int64N(int64(s.visiting.nodes)), 1+random.IntN(2))
	}
	spread := func(nodes []int64, places int) []int64 {
		for len(nodes) < places {
			nodes = append(nodes, -1)
		}
		random.Shuffle(places, func(i, j int) { nodes[i], nodes[j] = nodes[j], nodes[i] })
		return nodes
	}
	rows, passed = spread(rows, s.visiting.rows), spread(passed, s.passed)
	type end struct{ row, value int64 }
	ends := map[int64][]end{}
	leads := func(name, id string, i int, c child) end {
		led, number := end{value: c.number}, int64(0)
		if c.node {
			led, number = ends[c.number][random.IntN(len(ends[c.number]))], c.number+1
		}
		s.wires[name+"_value"][i], s.wires[name+"_behind"][i] = led.value, int64(0)
		if c.node {
			s.wires[name+"_value"][i], s.wires[name+"_behind"][i] = int64(0), led.value
		}
		s.wires[id][i], s.wires[name+"_row"][i] = number, led.row
		return led
	}
	values := make([]int64, s.visiting.rows)
	worth := func(led end) int64 {
		if led.row > 0 {
			return values[led.row-1]
		}
		return sigma * led.value << fraction
	}
	for i := range rows {
		s.wires["mark"][i] = int64(0)
	}
	for node := int64(s.visiting.nodes - 1); node >= -1; node-- {
		var found []end
		for i, here := range rows {
			if here != node {
				continue
			}
			stay, cross := child{}, child{}
			s.empty("id", "asked", "side", i)
			if s.wires["slot"][i] = int64(0); node >= 0 {
				s.node("id", "asked", "side", i, node)
				s.wires["slot"][i] = s.of(node).number
				stay, cross = s.both(node)
			}
			stayed, crossed := leads("stay", "stay_id", i, stay), leads("cross", "cross_id", i, cross)
			s.wires["staying"][i], s.wires["crossing"][i], s.wires["way"][i] = int64(0), int64(0), int64(0)
			if stayed.row > 0 {
				s.wires["staying"][i] = worth(stayed)
			}
			if crossed.row > 0 {
				s.wires["crossing"][i] = worth(crossed)
			}
			values[i] = worth(stayed)
			if slot := s.wires["slot"][i].(int64); slot > 0 && signs[slot-1] == 1 {
				values[i], s.wires["way"][i] = worth(crossed), int64(1)
			}
			found = append(found, end{row: int64(i + 1)})
		}
		for i, here := range passed {
			if here != node {
				continue
			}
			stay, other := child{}, child{}
			s.empty("passed_id", "passed_asked", "passed_side", i)
			if node >= 0 {
				s.node("passed_id", "passed_asked", "passed_side", i, node)
				stay, other = s.both(node)
			}
			s.wires["passed_other"][i] = reference(other)
			found = append(found, leads("passed", "passed_child", i, stay))
		}
		ends[node] = found
	}
	constant, score := int64(0), int64(0)
	for root := range s.visiting.trees {
		led := ends[int64(root)][random.IntN(len(ends[int64(root)]))]
		s.wires["root_row"][root], s.wires["root_value"][root] = led.row, led.value
		constant += led.value
		if led.row > 0 {
			s.wires["mark"][led.row-1] = int64(1)
		}
		score += worth(led)
	}
	s.wires["constant"][0], s.wires["score"][0] = sigma*constant<<fraction, score<<shift
	for j, sign := range signs {
		s.wires["sign"][j] = sign
	}
}

// Nodes may stand in any order and twice, those without a slot as rows or passed, and a child may lead to any place of its node: what
// the trees add is that of the forest all the same. Without all places of a node, whoever leads there is refused.
func TestVisitsInAnyOrder(t *testing.T) {
	for _, missing := range []bool{false, true} {
		v := visiting{room{trees: 3, nodes: 9, predicates: 5, slots: 2, rows: 12, leaves: 1, missing: missing}, 12}
		circuit, random := v.compile(t), rand.New(rand.NewPCG(10, 10))
		alone := v
		alone.leaves = 0
		visits := alone.compile(t)
		for number := range 12 {
			sigma, signs := 1-2*int64(number%2), []int64{2*random.Int64N(2) - 1, 2*random.Int64N(2) - 1}
			w, _ := v.fill(drawn(v.room, random), sigma)
			s, _ := v.visit(w)
			s.arranged(random, sigma, signs)
			truth := int64(0)
			for root := range v.trees {
				truth += w.value(child{true, int64(root)}, func(slot int64) bool { return slot > 0 && signs[slot-1] == 1 })
			}
			if found := s.wires["score"][0]; found != sigma*truth<<(fraction+shift) {
				t.Errorf("the score is %v, and the trees are %d: %v", found, truth, w.forest)
			}
			circuit.Accepts(t, fmt.Sprint("any order ", w.forest), s.with()...)
			bare := &seen{visiting: alone, forest: s.forest, wires: s.wires}
			for node := range int64(v.nodes) {
				if lie := bare.with(s.without(node)...); s.leadsTo(node) {
					visits.Refuses(t, fmt.Sprint("without node ", node), lie...)
				} else {
					visits.Accepts(t, fmt.Sprint("without node ", node, ", to which nothing leads"), lie...)
				}
			}
		}
	}
}

// leadsTo says whether a root or a child of some place is a node.
func (s *seen) leadsTo(node int64) bool {
	for _, run := range []string{"stay_id", "cross_id", "passed_child"} {
		if slices.Contains(s.wires[run], any(node+1)) {
			return true
		}
	}
	return node < int64(s.visiting.trees)
}

// without is the changes that leave all places of a node empty.
func (s *seen) without(node int64) (changes []any) {
	clear := func(i int, runs ...string) {
		for _, run := range runs {
			changes = append(changes, run, i, int64(0))
		}
	}
	for i := range s.visiting.rows {
		if s.wires["id"][i] == node+1 {
			changes = append(changes, "id", i, int64(s.visiting.nodes+1), "asked", i, s.nothing(), "side", i, int64(1))
			clear(i, "slot", "stay_value", "stay_id", "stay_behind", "stay_row", "cross_value", "cross_id", "cross_behind", "cross_row")
		}
	}
	for i := range s.passed {
		if s.wires["passed_id"][i] == node+1 {
			changes = append(changes, "passed_id", i, int64(s.visiting.nodes+1), "passed_asked", i, s.nothing(), "passed_side", i, int64(1))
			clear(i, "passed_value", "passed_child", "passed_behind", "passed_row", "passed_other")
		}
	}
	return changes
}

// Leaves over visited rows add what leaves over resolved nodes do.
func TestLeavesOfVisits(t *testing.T) {
	v := visiting{room{trees: 3, nodes: 9, predicates: 5, slots: 2, rows: 9, leaves: 2}, 9}
	circuit, random := v.compile(t), rand.New(rand.NewPCG(8, 8))
	for number := range 8 {
		w, ok := v.fill(drawn(v.room, random), 1-2*int64(number%2))
		if !ok {
			t.Fatal("nine rows hold nine nodes")
		}
		for k := range v.leaves {
			w.leaf(k, []int64{random.Int64N(3) - 1, random.Int64N(3) - 1}, func(most int64) int64 { return random.Int64N(most + 1) })
		}
		s, _ := v.visit(w)
		circuit.Accepts(t, fmt.Sprint("honest ", w.forest), s.with()...)
		for i := range w.rows {
			circuit.Refuses(t, "another value", s.with("staying", i, plus(s.wires["staying"][i], 1))...)
		}
		circuit.Refuses(t, "another score", s.with("score", 1, plus(s.wires["score"][1], 1))...)
	}
}

// Links pack the nodes that NewNodes types: with every wire of a forest the words are those of its nodes, and no other ones.
func TestWordsOfLinks(t *testing.T) {
	for _, missing := range []bool{false, true} {
		v := visiting{room{trees: 2, nodes: 6, predicates: 4, slots: 2, rows: 6, missing: missing}, 6}
		sizes := []int{6, 6, 6, 5, 8, 6, 6, 6}
		if !missing {
			sizes[7] = 0
		}
		total := 6
		for _, size := range sizes {
			total += size
		}
		circuit := adversary.Compile(t, total, func(a *bounded.Arith, wires []frontend.Variable) {
			var runs [][]frontend.Variable
			for _, size := range append([]int{6}, sizes...) {
				runs, wires = append(runs, wires[:size]), wires[size:]
			}
			nodes := trees.NewNodes(a, trees.Sizes{Trees: 2, Predicates: 4, ValueBits: valueBits}, runs[1], runs[2], runs[3], runs[8], runs[5])
			for i, word := range v.packing().Of(a, nodes, runs[4], runs[6], runs[7]) {
				a.API().AssertIsEqual(word, runs[0][i])
			}
		})
		random := rand.New(rand.NewPCG(9, 9))
		for range 6 {
			w, _ := v.fill(drawn(v.room, random), 1)
			s, _ := v.visit(w)
			given := append([]any{}, s.wires["word"]...)
			for _, name := range []string{"predicate", "low", "high", "before", "value"} {
				_, lengths := v.room.runs()
				for i := range lengths[name] {
					given = append(given, w.get(name, i))
				}
			}
			for _, side := range []func(n node) child{func(n node) child { return n.low }, func(n node) child { return n.high }} {
				for _, n := range w.forest.nodes {
					given = append(given, reference(side(n)))
				}
			}
			if missing {
				for _, n := range w.forest.nodes {
					given = append(given, n.up)
				}
			}
			circuit.Accepts(t, "honest", given...)
			for i, value := range given {
				lie := append([]any{}, given...)
				lie[i] = plus(value, 1)
				circuit.Refuses(t, fmt.Sprint("wire ", i, " by one"), lie...)
			}
			// A child's reference of one's own, and the word that has it.
			for i, n := range w.forest.nodes {
				lie := append([]any{}, given...)
				lie[i] = s.pack(s.asks(int64(i)), reference(n.low)+place, reference(n.high))
				lie[6+6+6+6+5+8+i] = reference(n.low) + place
				circuit.Refuses(t, fmt.Sprint("another child of node ", i), lie...)
			}
		}
	}
}

// Where there is one predicate, a node's number has a bit of its own: a link refuses the number 1, also of a node out of reach, which
// no certificate looks up.
func TestTheOnePredicateOfWords(t *testing.T) {
	for _, missing := range []bool{false, true} {
		v := visiting{room{trees: 1, nodes: 2, predicates: 1, slots: 1, rows: 1, missing: missing}, 1}
		w, _ := v.fill(forest{
			roots: 1,
			nodes: []node{{low: child{false, 5}, high: child{true, 1}}, {low: child{false, 3}, high: child{false, 4}}},
			facts: []fact{{0, 1, 0}},
		}, 1)
		s, _ := v.visit(w)
		v.compile(t).Accepts(t, "a certificate that does not reach it", s.with("word", 1, s.pack(1, 3, 4))...)
		circuit := adversary.Compile(t, 18, func(a *bounded.Arith, wires []frontend.Variable) {
			sent := wires[16:18]
			if !missing {
				sent = nil
			}
			nodes := trees.NewNodes(a, trees.Sizes{Trees: 1, Predicates: 1, ValueBits: valueBits}, wires[2:4], wires[4:6], wires[6:8], sent, wires[9:12])
			for i, word := range v.packing().Of(a, nodes, wires[8:9], wires[12:14], wires[14:16]) {
				a.API().AssertIsEqual(word, wires[i])
			}
		})
		link := func(first, second int64) []any {
			return []any{
				s.pack(first, 5, 2*place), s.pack(second, 3, 4), first, second, 0, 0, 1, 0, 1, 5, 3, 4, 5, 3, 2 * place, 4, 0, 0,
			}
		}
		circuit.Accepts(t, "the predicate", link(0, 0)...)
		circuit.Refuses(t, "another one out of reach", link(0, 1)...)
		circuit.Refuses(t, "another one of the root", link(1, 0)...)
	}
}
