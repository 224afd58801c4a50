package trees

import (
	"math/big"

	"github.com/consensys/gnark/frontend"

	"equiproof/gadget/bounded"
	"equiproof/gadget/member"
)

// RowWires are the private wires of the rows: id, slot and references of a node; of both references the value of a leaf, 0 of
// a node, and the row of a node, from 1, 0 of a leaf; and whether a tree begins there.
type RowWires struct {
	ID, Slot, Stay, Cross                    []frontend.Variable
	StayValue, CrossValue, StayRow, CrossRow []frontend.Variable
	Mark                                     []frontend.Variable
}

// RootWires are the private wires of the trees' roots: value and row of their references, as those of a row.
type RootWires struct{ Value, Row []frontend.Variable }

// child is what a reference leads to: a constant for all leaves, or a row.
type child struct {
	constant bounded.Int // turned by the label, at scale 2^q
	row      *member.Tuple
}

// Rows are the live nodes that a proof speaks of, with room for empty ones.
type Rows struct {
	slot        []frontend.Variable
	slots       []*member.Tuple
	stay, cross []child
	mark        []bounded.Int
	constant    bounded.Int // what trees add that begin with a leaf
	fraction    int         // q
	bits        int
}

// Rows reads the rows (R-T-RESOLVE).
//
// Relation: each row is a node or the empty row, with slot and references; each reference of a row, and each root's, is a leaf's
// value or the id of a row; a row is marked once for each tree whose root leads to it by the row's place. Precondition: sigma
// is 1 or -1. Outside it: values are scaled. Cost: about 20 constraints per row, seven per tree.
func (t *Table) Rows(a *bounded.Arith, sigma bounded.Int, fraction int, w RowWires, roots RootWires) *Rows {
	defer a.Part("nodes")()
	r := &Rows{slot: w.Slot, fraction: fraction, bits: t.bits}
	places := t.argument.Set()
	places.Insert(member.NewTuple(0, 0))
	for i, id := range w.ID {
		t.rows.Query(member.Term{Factor: one, Of: member.NewTuple(w.Slot[i], w.Stay[i], w.Cross[i], id)})
		places.Insert(member.NewTuple(id, i+1))
		r.slots = append(r.slots, member.NewTuple(0, 0, w.Slot[i]))
		r.stay = append(r.stay, r.child(a, places, sigma, w.Stay[i], w.StayValue[i], w.StayRow[i]))
		r.cross = append(r.cross, r.child(a, places, sigma, w.Cross[i], w.CrossValue[i], w.CrossRow[i]))
		r.mark = append(r.mark, a.Bit(w.Mark[i]))
	}
	sum := a.Constant(0)
	for tree, reference := range t.roots {
		sum = a.Add(sum, r.split(a, places, reference, roots.Value[tree], roots.Row[tree]))
	}
	r.constant = a.Scale(new(big.Int).Lsh(one, uint(fraction)), a.Mul(sigma, sum))
	r.marked(a, w.Mark, roots.Row)
	return r
}

// split makes a reference the sum of a value and the id of a row, one of which is 0.
func (r *Rows) split(a *bounded.Arith, places *member.Set, reference, value, row frontend.Variable) bounded.Int {
	typed, api := a.Signed(value, r.bits), a.API()
	// A value has fewer bits than span, so that value and id of a reference are unique; ids are those of places, and so integers.
	part := new(big.Int).ModInverse(big.NewInt(span), api.Compiler().Field())
	places.Query(member.Term{Factor: one, Of: member.NewTuple(api.Mul(api.Sub(reference, value), part), row)})
	return typed
}

// child returns what a row's reference leads to.
func (r *Rows) child(a *bounded.Arith, places *member.Set, sigma bounded.Int, reference, value, row frontend.Variable) child {
	turned := a.Mul(sigma, r.split(a, places, reference, value, row))
	return child{a.Scale(new(big.Int).Lsh(one, uint(r.fraction)), turned), member.NewTuple(0, row)}
}

// marked makes the marks the numbers of trees that begin at each row (R-T-RESOLVE).
//
// With X the challenge, the sum of 1 / (X - row) over the trees is that of mark / (X - place) over the rows, and of the number
// of the other trees / X. Places are different constants, so the marks are those numbers, for all but a negligible share of
// challenges.
func (r *Rows) marked(a *bounded.Arith, marks, roots []frontend.Variable) {
	a.Argue(func() []frontend.Variable { return append(append([]frontend.Variable{}, marks...), roots...) },
		func(api frontend.API, challenge frontend.Variable) error {
			asked, given, rest := []frontend.Variable{0, 0}, []frontend.Variable{0, 0}, []frontend.Variable{len(roots), 0}
			for _, row := range roots {
				asked = append(asked, api.Inverse(api.Sub(challenge, row)))
			}
			for i, mark := range marks {
				given = append(given, api.DivUnchecked(mark, api.Sub(challenge, i+1)))
				rest = append(rest, api.Neg(mark))
			}
			given = append(given, api.DivUnchecked(api.Add(rest[0], rest[1], rest[2:]...), challenge))
			api.AssertIsEqual(api.Add(asked[0], asked[1], asked[2:]...), api.Add(given[0], given[1], given[2:]...))
			return nil
		})
}
