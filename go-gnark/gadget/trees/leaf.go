package trees

import (
	"math/big"

	"github.com/consensys/gnark/frontend"

	"equiproof/gadget/additive"
	"equiproof/gadget/bounded"
	"equiproof/gadget/member"
)

// Leaves are the rows as leaves see them.
type Leaves struct {
	rows          *Rows
	signs, values *member.Set
	charges       [][]bounded.Int // by leaf and row, what a crossing pays less what staying pays
	sums          [][]frontend.Variable
}

// Leaves begins the leaves' lookups, which have an argument of their own.
func (r *Rows) Leaves(a *bounded.Arith) *Leaves {
	defer a.Part("rows")()
	argument := member.New(a)
	l := &Leaves{rows: r, signs: argument.Set(), values: argument.Set()}
	a.Argue(l.committed, l.charged)
	return l
}

// LeafWires are the private wires of a leaf. Of each row: whether its slot is free, whether the crossing child counts, the
// charge, and the values of the rows that are its children, 0 where it has none. Of each slot: what its rows charge.
type LeafWires struct{ Free, Way, Charge, Stay, Cross, Sums []frontend.Variable }

// Assert holds the rows in a leaf (R-T-LEAF, R-T-CHARGE) and returns what they add to it, both at scale 2^q times 2^shift.
//
// Relation: a row of a stayed slot has the value of its staying child, of a crossed slot that of its crossing child, of a free
// slot the smaller one and a charge, up to the larger one; the sums are those of the charges of each slot, where the crossing
// child is smaller, less those where it is larger, which count against the score, too. The score is the marked rows and the
// trees that are constant. Precondition: signs are of the slots whose numbers rows have. Outside it: a row asks for no sign.
// Cost: about 18 constraints per row, five per slot.
func (l *Leaves) Assert(a *bounded.Arith, signs *additive.Signs, shift int, w LeafWires) additive.Terms {
	defer a.Part("rows")()
	leaf, slots, count := len(l.sums), len(signs.Frees), len(l.rows.slot)
	l.ask(a, leaf, signs)
	l.values.Insert(member.NewTuple(0, leaf*(count+1)))
	var losses, score []bounded.Int
	var charges []bounded.Int
	for i := range count {
		key := member.Term{Factor: one, Of: member.NewTuple(w.Free[i], w.Way[i], leaf*(slots+1))}
		l.signs.Query(key, member.Term{Factor: one, Of: l.rows.slots[i]})
		stay := l.child(a, l.rows.stay[i], leaf, w.Stay[i])
		cross := l.child(a, l.rows.cross[i], leaf, w.Cross[i])
		value, charge, loss := l.row(a, stay, cross, w.Free[i], w.Way[i], w.Charge[i])
		// Places in rows are from 0 to count, so that no leaf finds a value of another leaf.
		l.values.Insert(member.NewTuple(value.Wire(), i+1+leaf*(count+1)))
		charges, losses = append(charges, charge), append(losses, loss)
		score = append(score, a.Mul(l.rows.mark[i], value))
	}
	l.charges, l.sums = append(l.charges, charges), append(l.sums, w.Sums)
	scale := new(big.Int).Lsh(one, uint(shift))
	terms := additive.Terms{
		Score: a.Scale(scale, a.Sub(a.Add(append(score, l.rows.constant)...), a.Add(losses...))),
	}
	_, most := a.Add(losses...).Bounds()
	for _, sum := range w.Sums {
		typed := a.UnsafeWithin(sum, "by charged it is the sum of the charges of its slot's rows, at most what all of them lose or gain",
			a.Within(0, new(big.Int).Neg(most), most))
		terms.Charges = append(terms.Charges, a.Scale(scale, typed))
	}
	return terms
}

// ask makes a leaf's table of signs: for each slot whether it is free, and whether the crossing child may count, in two rows
// that are one where the slot is not free; the slot 0, of dead nodes and empty rows, is stayed.
func (l *Leaves) ask(a *bounded.Arith, leaf int, signs *additive.Signs) {
	first := leaf * (len(signs.Frees) + 1)
	l.signs.Insert(member.NewTuple(0, 0, first))
	for j, free := range signs.Frees {
		crossed := signs.Crossed[j].Wire()
		l.signs.Insert(member.NewTuple(free.Wire(), crossed, first+j+1))
		// A sign is crossed, stayed or free: the sum is a bit.
		l.signs.Insert(member.NewTuple(free.Wire(), a.API().Add(crossed, free.Wire()), first+j+1))
	}
}

// limit is the largest magnitude of a row's value: that of a leaf, at scale 2^q.
func (l *Leaves) limit() *big.Int { return new(big.Int).Lsh(one, uint(l.rows.bits-1+l.rows.fraction)) }

// span returns the largest difference of two values of rows, at most that of two leaves.
func (l *Leaves) span() *big.Int {
	most := new(big.Int).Lsh(one, uint(l.rows.bits))
	return most.Sub(most, one).Lsh(most, uint(l.rows.fraction))
}

// child returns the value of a row's child: a constant or the value of a row in this leaf.
//
// Children have larger ids than their parents, by keys of Nodes. So values follow from the rows of the largest ids down, and by
// induction none leaves the leaves' interval: row keeps it where the children are in it.
func (l *Leaves) child(a *bounded.Arith, of child, leaf int, wire frontend.Variable) bounded.Int {
	key := member.NewTuple(wire, leaf*(len(l.rows.slot)+1))
	l.values.Query(member.Term{Factor: one, Of: key}, member.Term{Factor: one, Of: of.row})
	// At most one of both is not 0: a reference is a leaf's or a row's, and under the row 0 stands 0.
	limit := l.limit()
	return a.UnsafeWithin(a.API().Add(of.constant.Wire(), wire), "a leaf's value or a row's, and no row's leaves the leaves' interval",
		a.Within(0, new(big.Int).Neg(limit), limit))
}

// row returns a row's value, its charge, positive where crossing pays it, and what it costs where staying pays it (R-T-LEAF).
//
// No value is above the larger child's or below the smaller one's, so that none leaves the leaves' interval. Free and way are
// words of ask's table, and so bits, and way is 0 or 1 at will only where free is 1.
func (l *Leaves) row(a *bounded.Arith, stay, cross bounded.Int, free, way, charge frontend.Variable,
) (value, signed, loss bounded.Int) {
	api, most, limit := a.API(), l.span(), l.limit()
	apart := a.Within(0, new(big.Int).Neg(most), most)
	// One sign turns all leaves, so that they lie in one interval of 2^bits numbers: limit and -limit are not both values.
	fall := a.UnsafeWithin(a.Sub(stay, cross).Wire(), "both lie between the least and the largest leaf", apart)
	across := api.Mul(way, fall.Wire())
	room := a.UnsafeWithin(api.Mul(free, api.Sub(api.Mul(across, 2), fall.Wire())), "free and way are bits: fall, -fall or 0", apart)
	paid := a.Unsigned(charge, l.rows.bits+l.rows.fraction)
	a.AssertNonNegative(a.Sub(room, paid))
	crossing := a.UnsafeWithin(api.Mul(way, charge), "way is a bit: the charge or 0", paid)
	value = a.UnsafeWithin(api.Add(api.Sub(stay.Wire(), across), charge),
		"the child on the way, and a charge up to what the other one has over it", a.Within(0, new(big.Int).Neg(limit), limit))
	loss = a.UnsafeWithin(api.Sub(charge, crossing.Wire()), "crossing is the charge or 0", paid)
	return value, a.Sub(a.Scale(two, crossing), paid), loss
}

// committed lists the wires of the charges' identities.
func (l *Leaves) committed() []frontend.Variable {
	wires := append([]frontend.Variable{}, l.rows.slot...)
	for leaf, sums := range l.sums {
		wires = append(wires, sums...)
		for _, charge := range l.charges[leaf] {
			wires = append(wires, charge.Wire())
		}
	}
	return wires
}

// charged makes the sums of a leaf's slots those of the charges of their rows (R-T-CHARGE).
//
// With X the challenge, the sum of charge / (X - slot) over the rows is that of sum / (X - number) over the slots. Numbers are
// different constants, so the sums are those of the rows of each slot, for all but a negligible share of challenges.
func (l *Leaves) charged(api frontend.API, challenge frontend.Variable) error {
	rows, slots := make([]frontend.Variable, len(l.rows.slot)), make([]frontend.Variable, len(l.sums[0]))
	for i, slot := range l.rows.slot {
		rows[i] = api.Inverse(api.Sub(challenge, slot))
	}
	for j := range slots {
		slots[j] = api.Inverse(api.Sub(challenge, j+1))
	}
	for leaf, sums := range l.sums {
		asked, given := []frontend.Variable{0, 0}, []frontend.Variable{0, 0}
		for i, charge := range l.charges[leaf] {
			asked = append(asked, api.Mul(charge.Wire(), rows[i]))
		}
		for j, sum := range sums {
			given = append(given, api.Mul(sum, slots[j]))
		}
		api.AssertIsEqual(api.Add(asked[0], asked[1], asked[2:]...), api.Add(given[0], given[1], given[2:]...))
	}
	return nil
}
