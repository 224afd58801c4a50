package trees

import (
	"math/big"

	"github.com/consensys/gnark/frontend"

	"equiproof/gadget/bounded"
	"equiproof/gadget/member"
)

// Words is how one word holds a node of an ensemble: the number under which it finds its predicate, from 0, and the references of
// both children, the low one's first. A leaf's reference is its value, signed of ValueBits, a node's 2^ValueBits times one more
// than its place.
type Words struct {
	Trees, Nodes, Predicates, ValueBits int
	Missing                             bool // whether a node's number says where it sends missing values, too
}

// numbers is how many numbers predicates have, with gaps: the first one behind them is that of empty places.
func (w Words) numbers() int {
	if w.Missing {
		return 2 * secondRow(w.Predicates)
	}
	return secondRow(w.Predicates)
}

// span is the distance of two nodes' references.
func (w Words) span() *big.Int { return new(big.Int).Lsh(one, uint(w.ValueBits)) }

// numberBits and referenceBits hold a number, and a reference once half of span is added.
func (w Words) numberBits() int    { return big.NewInt(int64(w.numbers())).BitLen() }
func (w Words) referenceBits() int { return w.ValueBits + big.NewInt(int64(w.Nodes+1)).BitLen() }

// Pack returns the word of a number and two references.
//
// Relation: the word is number + 2^n (low + h) + 2^(n + r) (high + h), with n and r the bits of numbers and references and h half of
// span. Precondition: the number has n bits, each reference with h added r bits, unsigned. Outside it: one word is of several nodes.
// Cost: none.
func (w Words) Pack(api frontend.API, number, low, high frontend.Variable) frontend.Variable {
	half := new(big.Int).Rsh(w.span(), 1)
	shifted := func(reference frontend.Variable, bits int) frontend.Variable {
		return api.Mul(api.Add(reference, half), new(big.Int).Lsh(one, uint(bits)))
	}
	return api.Add(number, shifted(low, w.numberBits()), shifted(high, w.numberBits()+w.referenceBits()))
}

// Of returns the words of nodes, for links (R-L-DERIVED). The wires are how many children before each node but the first are nodes,
// and the references of the children.
//
// Relation: the r-th child that is a node has the reference of node T + r, the r-th that is a leaf the r-th value. Precondition: the
// nodes were made by NewNodes. Outside it: numbers have no width, and a word is of several nodes. Cost: about 13 constraints per node,
// and one more where there is one predicate.
func (w Words) Of(a *bounded.Arith, n Nodes, before, low, high []frontend.Variable) (words []frontend.Variable) {
	places := n.Places(a, before)
	defer a.Part("nodes")()
	api, children := a.API(), member.New(a).Set()
	for i := w.Trees; i < w.Nodes; i++ {
		children.Insert(member.NewTuple(w.reference(i+1), i))
	}
	for i, value := range n.values {
		children.Insert(member.NewTuple(value.Wire(), w.Nodes+i))
	}
	for i, place := range places {
		if w.Predicates == 1 {
			// Its number has a bit in NewNodes, and nobody looks up that of a node out of the ball's reach (R-T-NODE).
			a.AssertEqual(n.predicates[i], a.Constant(0))
		}
		children.Query(member.Term{Factor: one, Of: member.NewTuple(low[i], place[0])})
		children.Query(member.Term{Factor: one, Of: member.NewTuple(high[i], place[1])})
		words = append(words, w.Pack(api, n.row(api, i, w.Predicates), low[i], high[i]))
	}
	return words
}

// reference is that of the node with an id, which is one more than its place.
func (w Words) reference(id int) *big.Int { return new(big.Int).Mul(w.span(), big.NewInt(int64(id))) }

// ChildWires say where children lead: the value of a leaf or the id of a node, the other one being 0; and for a node that is
// passed, the value behind it, or for any node the row to which it leads, from 1.
type ChildWires struct{ Value, ID, Behind, Row []frontend.Variable }

// ReachedWires are the private wires of the rows: id, number and slot of a node, and whether staying is to be at most the threshold;
// both children; and whether a tree begins there.
type ReachedWires struct {
	ID, Number, Slot, Side []frontend.Variable
	Stay, Cross            ChildWires
	Mark                   []frontend.Variable
}

// PassedWires are the private wires of nodes on the way that nobody in the ball crosses: id, number and side, the staying child, and
// the reference of the other one.
type PassedWires struct {
	ID, Number, Side []frontend.Variable
	Stay             ChildWires
	Other            []frontend.Variable
}

// Visit reads the nodes that a ball reaches, of words that a link has made (R-T-RESOLVE).
//
// Relation: each row, and each passed node, is a node or empty, with its predicate's side; a row has its predicate's slot, a passed
// node's predicate has none. Both children of a row, the staying one of a passed node, and all roots lead to a leaf, to a row, or to
// what a passed node's staying child leads to. A row is marked once for each tree that leads to it by the row's place.
// Precondition: words are those of Of, predicates are of one query, sigma is 1 or -1. Outside it: unsound. Cost: one constraint for
// each word, about 24 a row, 19 a passed node, nine a tree.
func Visit(a *bounded.Arith, argument *member.Argument, w Words, words []frontend.Variable, predicates []Predicate, sigma bounded.Int,
	fraction int, rows ReachedWires, passed PassedWires, roots RootWires,
) *Rows {
	defer a.Part("nodes")()
	v := &visit{
		words: w, nodes: argument.Set(), asked: w.asked(a.API(), argument, predicates), outcomes: argument.Set(),
		rows: &Rows{slot: rows.Slot, fraction: fraction, bits: w.ValueBits},
	}
	for i, word := range words {
		v.nodes.Insert(member.NewTuple(word, i+1))
	}
	// What is empty leads nowhere, and nothing leads to it: no word has its id.
	v.nodes.Insert(member.NewTuple(w.Pack(a.API(), w.numbers(), 0, 0), w.Nodes+1))
	v.outcomes.Insert(member.NewTuple(0, 0, 0))
	for i, id := range rows.ID {
		stay, cross := v.child(a, rows.Stay, i), v.child(a, rows.Cross, i)
		v.node(a.API(), id, rows.Number[i], rows.Slot[i], rows.Side[i], stay.reference, cross.reference)
		v.outcomes.Insert(member.NewTuple(i+1, 0, id))
		v.rows.slots = append(v.rows.slots, member.NewTuple(0, 0, rows.Slot[i]))
		v.rows.stay = append(v.rows.stay, v.turned(a, sigma, stay))
		v.rows.cross = append(v.rows.cross, v.turned(a, sigma, cross))
		v.rows.mark = append(v.rows.mark, a.Bit(rows.Mark[i]))
	}
	for i, id := range passed.ID {
		stay := v.child(a, passed.Stay, i)
		half := new(big.Int).Rsh(w.span(), 1)
		a.Unsigned(a.API().Add(passed.Other[i], half), w.referenceBits())
		// Slot 0: nobody in the ball crosses it.
		v.node(a.API(), id, passed.Number[i], 0, passed.Side[i], stay.reference, passed.Other[i])
		v.outcomes.Insert(member.NewTuple(stay.row, stay.value.Wire(), id))
	}
	sum := a.Constant(0)
	for tree, value := range roots.Value {
		v.outcomes.Query(member.Term{Factor: one, Of: member.NewTuple(roots.Row[tree], value, tree+1)})
		sum = a.Add(sum, v.behind(a, value))
	}
	v.rows.constant = a.Scale(new(big.Int).Lsh(one, uint(fraction)), a.Mul(sigma, sum))
	v.rows.marked(a, rows.Mark, roots.Row)
	return v.rows
}

// visit is the sets of a visit: nodes by id; slot and side by the number of a predicate; row and value by the id of a visited node.
type visit struct {
	words                  Words
	nodes, asked, outcomes *member.Set
	rows                   *Rows
}

// asked makes the set of predicates, which gives slot and side under the numbers that nodes have.
func (w Words) asked(api frontend.API, argument *member.Argument, predicates []Predicate) *member.Set {
	asked := argument.Set()
	asked.Insert(member.NewTuple(0, 1, w.numbers()))
	for p, of := range predicates {
		if !w.Missing {
			asked.Insert(member.NewTuple(of.Number, of.Side, p))
			continue
		}
		// As NewTable has them: the second number is of nodes that send missing values high.
		stated := api.Mul(of.Side, api.Sub(1, of.Away))
		asked.Insert(member.NewTuple(of.Number, api.Add(stated, of.Away), p))
		asked.Insert(member.NewTuple(of.Number, stated, secondRow(w.Predicates)+p))
	}
	return asked
}

// node makes the numbers those of one node (R-T-RESOLVE).
//
// Number and side are a row's of asked, references have their width: so the word has no other number and references, and that they
// are the node's follows from the packing.
func (v *visit) node(api frontend.API, id, number, slot, side, stay, cross frontend.Variable) {
	v.asked.Query(member.Term{Factor: one, Of: member.NewTuple(slot, side, number)})
	// Side is a bit, so that low is one of both references, and high the other one.
	low := api.Add(cross, api.Mul(side, api.Sub(stay, cross)))
	word := v.words.Pack(api, number, low, api.Sub(api.Add(stay, cross), low))
	v.nodes.Query(member.Term{Factor: one, Of: member.NewTuple(word, id)})
}

// led is where a child leads: its reference, the value that it stands for or 0, and the row, or 0.
type led struct {
	reference, row frontend.Variable
	value          bounded.Int
}

// child makes a child lead to what its reference says (R-T-RESOLVE).
//
// The value has its width, and the id is that of a visited node, or 0: integers both, so that the reference has no other parts.
func (v *visit) child(a *bounded.Arith, w ChildWires, i int) led {
	value := a.Signed(w.Value[i], v.words.ValueBits)
	v.outcomes.Query(member.Term{Factor: one, Of: member.NewTuple(w.Row[i], w.Behind[i], w.ID[i])})
	behind := v.behind(a, w.Behind[i])
	return led{
		reference: a.API().Add(value.Wire(), a.API().Mul(w.ID[i], v.words.span())), row: w.Row[i],
		value: a.UnsafeWithin(a.Add(value, behind).Wire(),
			"a word's reference is a value or an id: under id 0 stands no value, and beside an id none", value, behind),
	}
}

// behind types the value that a visited node leads to.
func (v *visit) behind(a *bounded.Arith, wire frontend.Variable) bounded.Int {
	half := new(big.Int).Lsh(one, uint(v.words.ValueBits-1))
	return a.UnsafeWithin(wire, "ids ascend along a path by the words: from the largest down, a passed node leads to a leaf's value, or to none",
		a.Within(0, new(big.Int).Neg(half), new(big.Int).Sub(half, one)))
}

// turned is what leaves see of a child.
func (v *visit) turned(a *bounded.Arith, sigma bounded.Int, of led) child {
	return child{a.Scale(new(big.Int).Lsh(one, uint(v.rows.fraction)), a.Mul(sigma, of.value)), member.NewTuple(0, of.row)}
}
