package trees_test

import (
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/consensys/gnark-crypto/ecc/bn254/fr"
	"github.com/consensys/gnark/frontend"

	"equiproof/gadget/additive"
	"equiproof/gadget/bounded"
	"equiproof/gadget/member"
	"equiproof/gadget/trees"
	"equiproof/internal/adversary"
)

// Values have six bits, rows two fractional ones; what a leaf adds counts eight times.
const (
	span      = 1 << 20
	valueBits = 6
	fraction  = 2
	shift     = 3
)

// half is 1/2 modulo the field's order.
var half = new(big.Int).ModInverse(big.NewInt(2), fr.Modulus())

// room is how many trees, nodes, predicates, slots, rows and leaves there are, and whether values can be missing.
type room struct {
	trees, nodes, predicates, slots, rows, leaves int
	missing                                       bool
}

// runs lists the wires in order: the nodes, the predicates as the query sees them, the nodes as it sees them, the label's sign,
// the rows, the roots and what constant trees add; then the wires of each leaf, and what it adds.
func (r room) runs() (names []string, lengths map[string]int) {
	lengths = map[string]int{"value": r.nodes + r.trees, "before": r.nodes - 1, "sigma": 1, "constant": 1, "score": r.leaves}
	of := func(length int, run ...string) {
		for _, name := range run {
			names = append(names, name)
			if _, known := lengths[name]; !known {
				lengths[name] = length
			}
		}
	}
	of(r.nodes, "predicate", "low", "high", "value")
	of(r.predicates, "number", "side", "live")
	of(r.nodes, "node_number", "node_side", "node_live", "before", "low_reference", "high_reference")
	of(1, "sigma")
	of(r.rows, "id", "slot", "stay", "cross", "stay_value", "cross_value", "stay_row", "cross_row", "mark")
	of(r.trees, "root_value", "root_row")
	of(1, "constant")
	of(r.leaves*r.slots, "sign", "sum")
	of(r.leaves*r.rows, "free", "way", "charge", "staying", "crossing")
	if r.missing {
		of(r.nodes, "missing")
		of(r.predicates, "away")
	}
	of(r.leaves, "score")
	return names, lengths
}

// at is the place of a wire of a run.
func (r room) at(name string, i int) int {
	names, lengths := r.runs()
	for _, other := range names {
		if other == name {
			return i
		}
		i += lengths[other]
	}
	panic(name)
}

// wires is how many wires there are in all.
func (r room) wires() int { return r.at("score", r.leaves) }

// compile makes a circuit of the whole gadget: nodes, rows and leaves, whose signs are free.
func (r room) compile(t *testing.T) *adversary.Circuit {
	return adversary.Compile(t, r.wires(), func(a *bounded.Arith, wires []frontend.Variable) {
		names, lengths := r.runs()
		w := map[string][]frontend.Variable{}
		for _, name := range names {
			w[name], wires = wires[:lengths[name]], wires[lengths[name]:]
		}
		nodes := trees.NewNodes(a, trees.Sizes{Trees: r.trees, Predicates: r.predicates, ValueBits: valueBits},
			w["predicate"], w["low"], w["high"], w["missing"], w["value"])
		var predicates []trees.Predicate
		for p := range r.predicates {
			of := trees.Predicate{Number: w["number"][p], Side: w["side"][p], Live: w["live"][p]}
			if r.missing {
				of.Away = w["away"][p]
			}
			predicates = append(predicates, of)
		}
		table := trees.NewTable(a, member.New(a), nodes, predicates, trees.NodeWires{
			Number: w["node_number"], Side: w["node_side"], Live: w["node_live"], Before: w["before"],
			Low: w["low_reference"], High: w["high_reference"],
		})
		plus, minus, _ := a.Sign(w["sigma"][0])
		rows := table.Rows(a, a.Sub(plus, minus), fraction, trees.RowWires{
			ID: w["id"], Slot: w["slot"], Stay: w["stay"], Cross: w["cross"], StayValue: w["stay_value"],
			CrossValue: w["cross_value"], StayRow: w["stay_row"], CrossRow: w["cross_row"], Mark: w["mark"],
		}, trees.RootWires{Value: w["root_value"], Row: w["root_row"]})
		a.API().AssertIsEqual(rows.Constant().Wire(), w["constant"][0])
		if r.leaves > 0 {
			r.hold(t, a, rows.Leaves(a), w)
		}
	})
}

// hold asserts the leaves and makes what they add the last wires. A slot is charged no more than by all rows at most.
func (r room) hold(t *testing.T, a *bounded.Arith, leaves *trees.Leaves, w map[string][]frontend.Variable) {
	most := int64(r.rows) * (1<<(valueBits+fraction) - 1) << shift
	for k := range r.leaves {
		of := func(name string, length int) []frontend.Variable { return w[name][k*length : (k+1)*length] }
		signs := &additive.Signs{}
		for _, wire := range of("sign", r.slots) {
			crossed, stayed, free := a.Sign(wire)
			signs.Crossed, signs.Stayed = append(signs.Crossed, crossed), append(signs.Stayed, stayed)
			signs.Frees = append(signs.Frees, free)
		}
		terms := leaves.Assert(a, signs, shift, trees.LeafWires{
			Free: of("free", r.rows), Way: of("way", r.rows), Charge: of("charge", r.rows),
			Stay: of("staying", r.rows), Cross: of("crossing", r.rows), Sums: of("sum", r.slots),
		})
		a.API().AssertIsEqual(terms.Score.Wire(), w["score"][k])
		for j, charge := range terms.Charges {
			if lo, hi := charge.Bounds(); lo.Int64() != -most || hi.Int64() != most {
				t.Errorf("a charge lies in [%v, %v], want up to %d", lo, hi, most)
			}
			a.API().AssertIsEqual(charge.Wire(), a.API().Mul(w["sum"][k*r.slots+j], 1<<shift))
		}
	}
}

// child is a node, or a leaf's value.
type child struct {
	node   bool
	number int64
}

// node asks a predicate; up is 1 where it sends missing values high.
type node struct {
	predicate int
	low, high child
	up        int64
}

// fact is a predicate as the query sees it: the number of its slot, 0 where it is dead, whether staying is going low, and whether
// its value is missing.
type fact struct{ number, side, away int64 }

// forest is nodes in level order, and predicates.
type forest struct {
	roots int
	nodes []node
	facts []fact
}

// drawn draws a forest of a room; every slot has a predicate, and others are dead.
func drawn(r room, random *rand.Rand) forest {
	f := forest{roots: r.trees, nodes: make([]node, r.nodes)}
	named := r.trees
	for i := range f.nodes {
		f.nodes[i].predicate = random.IntN(r.predicates)
		for place, side := range []*child{&f.nodes[i].low, &f.nodes[i].high} {
			// The last chance to name what the next node needs is not missed.
			must := place == 1 && named == i+1 && named < r.nodes
			if named < r.nodes && (must || random.IntN(2) == 0) {
				*side = child{true, int64(named)}
				named++
			} else {
				side.number = random.Int64N(1<<valueBits) - 1<<(valueBits-1)
			}
		}
	}
	for p := range r.predicates {
		f.facts = append(f.facts, fact{side: random.Int64N(2)})
		if p < r.slots {
			f.facts[p].number = int64(p + 1)
		} else if r.missing {
			f.facts[p].away = random.Int64N(2)
		}
	}
	for i := range f.nodes {
		if r.missing {
			f.nodes[i].up = random.Int64N(2)
		}
	}
	return f
}

// of is the predicate of a node as the query sees it; where its value is missing, the side is the node's own.
func (f forest) of(i int64) fact {
	of := f.facts[f.nodes[i].predicate]
	if of.away == 1 {
		of.side = 1 - f.nodes[i].up
	}
	return of
}

// both returns the staying and the crossing child of a node.
func (f forest) both(i int64) (stay, cross child) {
	if f.of(i).side == 1 {
		return f.nodes[i].low, f.nodes[i].high
	}
	return f.nodes[i].high, f.nodes[i].low
}

// behind passes over dead nodes.
func (f forest) behind(c child) child {
	for c.node && f.of(c.number).number == 0 {
		c, _ = f.both(c.number)
	}
	return c
}

// reference is what stands for a child.
func (f forest) reference(c child) int64 {
	if c = f.behind(c); c.node {
		return span * (c.number + 1)
	}
	return c.number
}

// value is what a tree adds where the slots with these numbers are crossed.
func (f forest) value(c child, crossed func(number int64) bool) int64 {
	for c.node {
		stay, cross := f.both(c.number)
		if crossed(f.of(c.number).number) {
			stay = cross
		}
		c = stay
	}
	return c.number
}

// filled is the honest wires of a forest.
type filled struct {
	room
	forest
	given []any
	rows  []int64 // the live nodes that the roots lead to, in order
	sigma int64
}

// set writes one wire.
func (w *filled) set(name string, i int, value int64) { w.given[w.at(name, i)] = value }

// get reads one wire.
func (w *filled) get(name string, i int) int64 { return w.given[w.at(name, i)].(int64) }

// with returns the wires with some of them set: name, place and value in turn.
func (w *filled) with(changes ...any) []any {
	changed := append([]any{}, w.given...)
	for i := 0; i < len(changes); i += 3 {
		changed[w.at(changes[i].(string), changes[i+1].(int))] = changes[i+2]
	}
	return changed
}

// fill lists the honest wires of a forest without those of leaves; ok is false where the rows have no room.
func (r room) fill(f forest, sigma int64) (w *filled, ok bool) {
	w = &filled{room: r, forest: f, sigma: sigma, given: make([]any, r.wires())}
	for i := range w.given {
		w.given[i] = int64(0)
	}
	before, values := int64(0), 0
	for i, n := range f.nodes {
		of := f.of(int64(i))
		if i > 0 {
			w.set("before", i-1, before)
		}
		w.set("predicate", i, int64(n.predicate))
		w.set("node_number", i, of.number)
		w.set("node_side", i, of.side)
		w.set("node_live", i, min(1, of.number))
		w.set("low_reference", i, f.reference(n.low))
		w.set("high_reference", i, f.reference(n.high))
		for name, c := range map[string]child{"low": n.low, "high": n.high} {
			if c.node {
				w.set(name, i, 1)
				before++
			}
		}
		for _, c := range []child{n.low, n.high} {
			if !c.node {
				w.set("value", values, c.number)
				values++
			}
		}
	}
	for i, n := range f.nodes {
		if r.missing {
			w.set("missing", i, n.up)
		}
	}
	for p, of := range f.facts {
		if r.missing {
			w.set("away", p, of.away)
		}
		w.set("number", p, of.number)
		w.set("side", p, of.side)
		w.set("live", p, min(1, of.number))
	}
	w.set("sigma", 0, sigma)
	return w, w.resolve()
}

// resolve writes the rows and the roots; false where the rows have no room.
func (w *filled) resolve() bool {
	reached := map[int64]bool{}
	var visit func(c child)
	visit = func(c child) {
		if c = w.behind(c); c.node && !reached[c.number] {
			reached[c.number] = true
			visit(w.forest.nodes[c.number].low)
			visit(w.forest.nodes[c.number].high)
		}
	}
	for root := range w.roots {
		visit(child{true, int64(root)})
	}
	places := map[int64]int64{}
	for i := range int64(len(w.forest.nodes)) {
		if reached[i] {
			w.rows = append(w.rows, i)
			places[i] = int64(len(w.rows))
		}
	}
	if len(w.rows) > w.room.rows {
		return false
	}
	split := func(value, row string, i int, c child) {
		if c = w.behind(c); c.node {
			w.set(row, i, places[c.number])
		} else {
			w.set(value, i, c.number)
		}
	}
	for i := range w.room.rows {
		w.set("id", i, int64(len(w.forest.nodes)+1))
	}
	for i, number := range w.rows {
		stay, cross := w.both(number)
		w.set("id", i, number+1)
		w.set("slot", i, w.of(number).number)
		w.set("stay", i, w.reference(stay))
		w.set("cross", i, w.reference(cross))
		split("stay_value", "stay_row", i, stay)
		split("cross_value", "cross_row", i, cross)
	}
	constant := int64(0)
	for root := range w.roots {
		split("root_value", "root_row", root, child{true, int64(root)})
		constant += w.get("root_value", root)
		if row := w.get("root_row", root); row > 0 {
			w.set("mark", int(row)-1, 1)
		}
	}
	w.set("constant", 0, w.sigma*constant<<fraction)
	return true
}

// leaf writes the wires of leaf k under its signs; paid draws the charge of a free row from its largest one.
func (w *filled) leaf(k int, signs []int64, paid func(most int64) int64) {
	values := make([]int64, len(w.rows))
	score := w.get("constant", 0)
	for j, sign := range signs {
		w.set("sign", k*w.slots+j, sign)
		w.set("sum", k*w.slots+j, 0)
	}
	for i := len(w.rows) - 1; i >= 0; i-- {
		place, sign := k*w.room.rows+i, signs[w.get("slot", i)-1]
		read := func(value, row, name string) int64 {
			if of := w.get(row, i); of > 0 {
				w.set(name, place, values[of-1])
				return values[of-1]
			}
			return w.sigma * w.get(value, i) << fraction
		}
		stay, cross := read("stay_value", "stay_row", "staying"), read("cross_value", "cross_row", "crossing")
		crosses := sign == 1 || sign == 0 && cross <= stay
		charge, free := int64(0), int64(0)
		if sign == 0 {
			charge, free = paid(max(stay-cross, cross-stay)), 1
		}
		w.set("free", place, free)
		w.set("charge", place, charge)
		sum := k*w.slots + int(w.get("slot", i)) - 1
		if crosses {
			w.set("way", place, 1)
			values[i] = cross + charge
			w.set("sum", sum, w.get("sum", sum)+charge)
		} else {
			w.set("way", place, 0)
			values[i] = stay + charge
			w.set("sum", sum, w.get("sum", sum)-charge)
			score -= charge
		}
		score += w.get("mark", i) * values[i]
	}
	w.set("score", k, score<<shift)
}
