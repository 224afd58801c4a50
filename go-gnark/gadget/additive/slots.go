package additive

import (
	"math/big"

	"github.com/consensys/gnark/frontend"

	"equiproof/gadget/bounded"
	"equiproof/gadget/member"
)

// Slots are the live plain predicates in order, and phantoms behind them.
type Slots struct {
	side  []bounded.Int
	step  []bounded.Int
	delta []bounded.Int
	same  []bounded.Int // of the column of the slot before; 0 for the first one, and behind the last one
	up    []bounded.Int // up[j]: slots j - 1 and j are of one column, both above the query
	down  []bounded.Int // down[j]: slots j and j + 1 are of one column, both below the query
	turn  []bounded.Int // turn[j]: slots j and j + 1 are of one column, j below and j + 1 above the query
	head  []bounded.Int // head[j]: no other slot of the column leads to j

	column    []bounded.Int       // of each plain slot, where they are those of predicates
	numbers   []frontend.Variable // of each plain predicate: one more than its slot, 0 where it is dead
	sensitive int                 // how many of the slots, the last ones, are sensitive predicates
}

// Numbers returns for each plain predicate one more than its slot, 0 where it is dead.
func (s *Slots) Numbers() []frontend.Variable { return s.numbers }

// Append adds the sensitive predicates behind all slots: always live, each alone in its column, on side 1 and at no distance.
// A cell passes them or not, whatever the others.
func (s *Slots) Append(a *bounded.Arith, steps []bounded.Int) {
	zero, unit := a.Constant(0), a.Constant(1)
	s.sensitive = len(steps)
	for _, step := range steps {
		s.side, s.step, s.delta = append(s.side, unit), append(s.step, step), append(s.delta, zero)
		s.same, s.up, s.down = append(s.same, zero), append(s.up, zero), append(s.down, zero)
		s.turn, s.head = append(s.turn, zero), append(s.head, unit)
	}
}

// plain returns how many slots are of plain columns.
func (s *Slots) plain() int { return len(s.side) - s.sensitive }

// SlotWires are the private wires of the slots, V each, but one less of Same.
type SlotWires struct{ Column, Gap2, Side, Step, Live, Same []frontend.Variable }

// NewSlots reads the slots (R-T-CAPACITY, R-T-SLOT).
//
// Relation: the first slots are live, as many as there are live predicates, and the i-th has column, gap, side and step of
// the i-th live one; slot j behind them is the phantom of column n_x + j, no gap and no step. Same says whether the columns
// of two slots are one. Precondition: predicates ascend by column and threshold. Outside it: the slots of one column may
// stand apart, and distances that do not add up are added. Cost: about 15 constraints and a range check per slot.
func NewSlots(a *bounded.Arith, argument *member.Argument, m Model, predicates []Oriented, steps []bounded.Int, columns int,
	w SlotWires,
) *Slots {
	defer a.Part("slots")()
	s, v := &Slots{}, len(w.Column)
	gap2 := s.join(a, argument, m, predicates, steps, columns, w)
	zero, last := a.Constant(0), a.Constant(int64(columns+v))
	for j := range v {
		s.column = append(s.column, a.UnsafeWithin(w.Column[j],
			"that of a plain predicate, which is below n_x, or of a phantom, at most n_x + V", zero, last))
	}
	s.columns(a, s.column, w.Same)
	s.link(a, func(turn bounded.Int) bounded.Int {
		// Thresholds ascend along a column, and all are compared with one value of the query: sides are 0 first and then 1.
		return a.UnsafeWithin(turn.Wire(), "sides do not fall along a column, so that it is their rise", zero, a.Constant(1))
	})
	s.measure(a, gap2, func(bounded.Int) {})
	return s
}

// StatedSlots makes slots of typed numbers of which nothing else is known, one less of same (R-T-SLOT). Columns are for Values, and
// none where no category is open.
//
// Relation: along a column sides are 0 first and then 1, and squared gaps do not fall from the query outwards. Precondition: sides
// and same are bits, no gap is negative. Outside it: levels may leave their bounds. Cost: about five constraints and a range
// check per slot.
func StatedSlots(a *bounded.Arith, column, gap2, side, step, same []bounded.Int) *Slots {
	defer a.Part("slots")()
	s := Joined(a, side, same)
	s.column, s.step = column, step
	s.link(a, func(turn bounded.Int) bounded.Int { return a.Bit(turn.Wire()) })
	s.measure(a, gap2, a.AssertNonNegative)
	return s
}

// Joined makes slots of which no more is known than sides and columns, for signs and the coverage; one less of same.
func Joined(a *bounded.Arith, side, same []bounded.Int) *Slots {
	zero := a.Constant(0)
	return &Slots{side: side, same: append(append([]bounded.Int{zero}, same...), zero)}
}

// measure computes the deltas; hold is called with each where it is not known that gaps grow.
//
// Slots are joined outwards on one side at most, as sides do not fall along a column: up wants a 1 before slot j, down a 0 behind
// it. Thresholds ascend, so gaps grow outwards: a delta is what its gap has over that of the slot before, which is not negative.
func (s *Slots) measure(a *bounded.Arith, gap2 []bounded.Int, hold func(bounded.Int)) {
	for j := range gap2 {
		terms := []bounded.Int{gap2[j]}
		if j > 0 {
			terms = append(terms, a.Neg(a.Mul(s.up[j], gap2[j-1])))
		}
		if j+1 < len(gap2) {
			terms = append(terms, a.Neg(a.Mul(s.down[j], gap2[j+1])))
		}
		delta := a.Add(terms...)
		hold(delta)
		s.delta = append(s.delta, a.UnsafeWithin(delta.Wire(),
			"its gap, less that of the slot inwards of it, if there is one, which is not larger", a.Constant(0), gap2[j]))
	}
}

// join makes every slot one of the predicates or its phantom (R-T-CAPACITY, R-T-SLOT), types sides and steps, and returns the gaps.
//
// Live slots are as many as the live predicates, so there is no slot for a predicate too many. Slot j is asked for under the
// number j where it is live, which only the j-th live predicate has; else under V + j, which only its phantom has. A live
// slot behind a phantom would be asked for under a number above that of live predicates.
func (s *Slots) join(a *bounded.Arith, argument *member.Argument, m Model, predicates []Oriented, steps []bounded.Int, columns int,
	w SlotWires,
) (gap2 []bounded.Int) {
	api, v, zero, unit := a.API(), len(w.Column), a.Constant(0), a.Constant(1)
	gaps := []bounded.Int{zero}
	for _, of := range predicates {
		gaps = append(gaps, of.gap2)
	}
	table := argument.Table(2, a.Hull(gaps...), a.Hull(zero, unit), a.Hull(append(steps, zero)...))
	alive, room := frontend.Variable(0), frontend.Variable(0)
	for p, of := range predicates {
		alive = api.Add(alive, of.live)
		number := api.Mul(alive, of.live) // 0 for a dead one
		s.numbers = append(s.numbers, number)
		table.Insert([]frontend.Variable{number, m.Columns[p].Wire()}, of.gap2, of.side, steps[p])
	}
	for j := range v {
		live := a.Bit(w.Live[j]).Wire()
		room = api.Add(room, live)
		table.Insert([]frontend.Variable{v + 1 + j, columns + 1 + j}, zero, unit, zero)
		number := api.Sub(v+1+j, api.Mul(live, v))
		typed := table.Look(a, []frontend.Variable{number, w.Column[j]}, w.Gap2[j], w.Side[j], w.Step[j])
		gap2, s.side, s.step = append(gap2, typed[0]), append(s.side, typed[1]), append(s.step, typed[2])
	}
	api.AssertIsEqual(alive, room)
	return gap2
}

// columns makes same whether the columns of two slots are one, and columns ascend (R-T-SLOT).
func (s *Slots) columns(a *bounded.Arith, column []bounded.Int, same []frontend.Variable) {
	zero, unit, v := a.Constant(0), a.Constant(1), len(column)
	s.same = append(s.same, zero)
	for j := 1; j < v; j++ {
		bit := a.Bit(same[j-1])
		step := a.Sub(column[j], column[j-1])
		// Where the bit is 1, the columns are one; where it is 0, the next one is larger.
		a.AssertEqual(a.Mul(bit, step), zero)
		a.AssertNonNegative(a.Sub(a.Add(step, bit), unit))
		s.same = append(s.same, bit)
	}
	s.same = append(s.same, zero)
}

// link joins the slots of each column (R-T-SLOT). Sides along a column are 0 first and then 1, which makes turn and head bits;
// bit types a turn.
func (s *Slots) link(a *bounded.Arith, bit func(turn bounded.Int) bounded.Int) {
	zero, unit, v := a.Constant(0), a.Constant(1), len(s.side)
	s.up, s.down = []bounded.Int{zero}, []bounded.Int{}
	for j := 1; j < v; j++ {
		s.up = append(s.up, a.Mul(s.same[j], s.side[j-1]))
		s.down = append(s.down, a.Mul(s.same[j], a.Sub(unit, s.side[j])))
	}
	s.up, s.down = append(s.up, zero), append(s.down, zero)
	for j := range v {
		before := zero
		if j > 0 {
			before = s.down[j-1]
		}
		turn := a.Sub(s.same[j+1], a.Add(s.up[j+1], s.down[j]))
		s.turn = append(s.turn, bit(turn))
		head := a.Sub(a.Add(unit, before), a.Add(s.same[j], s.down[j]))
		// down[j-1] is same[j] less same[j] side[j], so that head is 1 less same[j] side[j], less down[j], which are not both 1.
		s.head = append(s.head, a.UnsafeWithin(head.Wire(), "sides do not fall along a column: one slot at most leads to this one",
			zero, unit))
	}
}

// largest returns the largest delta.
func (s *Slots) largest() *big.Int {
	most := new(big.Int)
	for _, delta := range s.delta {
		if _, hi := delta.Bounds(); hi.Cmp(most) > 0 {
			most = hi
		}
	}
	return most
}
