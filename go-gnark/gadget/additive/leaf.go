package additive

import (
	"math/big"

	"github.com/consensys/gnark/frontend"

	"equiproof/gadget/bounded"
)

// Bound is what leaves are closed by: the base, the radius, r and the width of lambda.
type Bound struct {
	Base, Radius          bounded.Int
	Scale, MultiplierBits int
}

// LeafWires are the private wires of a leaf: three of its own, and three for each slot.
type LeafWires struct {
	Live, Used, Multiplier frontend.Variable
	Signs, Taken, Level    []frontend.Variable
}

// Box is the cells of a leaf, for the coverage: by slot its sign, the sign in absolute orientation, 1 above the threshold,
// and the square of it; none of a leaf that is not live. Slices are bits, the slices that it serves; none where it serves all.
type Box struct {
	live                          bounded.Int // a bit
	signs, turned, square, slices []frontend.Variable
}

// Signs is a leaf's box with three bits for each slot, of which one is set.
type Signs struct {
	Box                    Box
	Crossed, Stayed, Frees []bounded.Int
}

// Terms is what trees add to a leaf: to the closing sum, and what their nodes charge each slot, both at scale 2^r of lambda.
// An additive model has neither.
type Terms struct {
	Score   bounded.Int
	Charges []bounded.Int
}

// Assert holds a leaf of an additive model (R-T-LEAF, R-T-CHAIN, R-T-CLOSE) and returns its box (R-T-COVER): Sign and Close.
func (s *Slots) Assert(a *bounded.Arith, b Bound, w LeafWires) Box {
	signs := s.ReadSigns(a, w.Live, w.Signs)
	s.Close(a, b, w, signs, Terms{Score: a.Constant(0)})
	return signs.Box
}

// ReadSigns reads the signs of a leaf (R-T-LEAF, R-T-COVER).
//
// Relation: live is a bit; signs are -1, 0 or 1 and do not increase along a column in absolute orientation. Precondition: the
// slots are those of NewSlots. Outside it: the signs of a column may hold no cell. Cost: about six constraints per slot.
func (s *Slots) ReadSigns(a *bounded.Arith, live frontend.Variable, signs []frontend.Variable) *Signs {
	defer a.Part("leaf")()
	found := &Signs{Box: Box{live: a.Bit(live), signs: signs[:s.plain()]}}
	box := &found.Box
	for j, wire := range signs {
		crossed, stayed, free := a.Sign(wire)
		found.Crossed, found.Stayed = append(found.Crossed, crossed), append(found.Stayed, stayed)
		found.Frees = append(found.Frees, free)
		if j < s.plain() {
			turned := a.API().Mul(a.API().Sub(a.API().Mul(s.side[j].Wire(), 2), 1), wire)
			box.square, box.turned = append(box.square, a.API().Sub(1, free.Wire())), append(box.turned, turned)
			s.order(a, j, box.turned)
		}
	}
	return found
}

// Serve makes a leaf serve slices (R-T-COVER).
//
// Relation: slices are bits, none of a leaf that is not live; where one is set, the sign of each sensitive slot is 0 or as the
// slice has it. Sides are by slice and sensitive predicate, 1 where the slice stays. Precondition: signs and sides are of
// their kinds. Outside it: what is wrong in one slice makes up for what is wrong in another. Cost: a constraint per slice, and
// one more for each sensitive predicate.
func (s *Slots) Serve(a *bounded.Arith, signs *Signs, slices []frontend.Variable, sides [][]bounded.Int) {
	defer a.Part("leaf")()
	api, served, first := a.API(), frontend.Variable(0), s.plain()
	stays := make([]frontend.Variable, s.sensitive)
	for i := range stays {
		stays[i] = 0
	}
	for slice, wire := range slices {
		a.Bit(wire)
		served = api.Add(served, wire)
		for i, side := range sides[slice] {
			stays[i] = api.Add(stays[i], api.Mul(wire, side.Wire()))
		}
	}
	api.AssertIsEqual(api.Mul(api.Sub(1, signs.Box.live.Wire()), served), 0)
	for i, stay := range stays {
		// Each slice served that crosses counts where the slot is stayed, each that stays where it is crossed.
		// Both products are numbers of slices, and one is 0, as a sign is stayed or crossed: nothing makes up for a wrong slice.
		wrong := api.Mul(signs.Stayed[first+i].Wire(), api.Sub(served, stay))
		api.AssertIsEqual(api.Add(wrong, api.Mul(signs.Crossed[first+i].Wire(), stay)), 0)
	}
	signs.Box.slices = slices
}

// Close closes a leaf (R-T-CHAIN, R-T-CLOSE).
//
// Relation: levels are the least charged sums along each column; a live leaf is closed by its score where it is used, by its
// distance elsewhere. Precondition: the slots are those of NewSlots, the signs those of ReadSigns. Outside it: links of slots may
// form a cycle, in which levels are any numbers. Cost: about 22 constraints per slot.
func (s *Slots) Close(a *bounded.Arith, b Bound, w LeafWires, signs *Signs, terms Terms) {
	defer a.Part("leaf")()
	multiplier := a.Unsigned(w.Multiplier, b.MultiplierBits)
	scale := new(big.Int).Lsh(one, uint(b.Scale))
	levels := s.levels(a, b, multiplier, terms.Charges, w.Level)
	sum, distance := a.Add(a.Scale(scale, b.Base), terms.Score), a.Constant(0)
	for j := range w.Signs {
		crossed, free := signs.Crossed[j], signs.Frees[j]
		taken := a.Bit(w.Taken[j])
		fixed := a.API().Sub(1, free.Wire())
		// Where the sign is known it says what counts; where it is free, least does.
		a.API().AssertIsEqual(a.API().Mul(fixed, a.API().Sub(w.Taken[j], crossed.Wire())), 0)
		charge := a.Add(a.Scale(scale, s.step[j]), a.Mul(multiplier, s.delta[j]))
		if terms.Charges != nil {
			charge = a.Sub(charge, terms.Charges[j])
		}
		s.least(a, j, levels, charge, taken, free)
		// The level of a column's head is that of the whole column: no other slot leads to it.
		sum = a.Add(sum, a.Mul(s.head[j], levels[j]))
		distance = a.Add(distance, a.Mul(crossed, s.delta[j]))
	}
	b.close(a, w.Used, signs.Box.live, a.Sub(sum, a.Mul(multiplier, b.Radius)), distance)
}

// levels types the levels of a leaf. Each is, by least, a sum of charges along one column and side: steps at scale 2^r, less
// what nodes charge, and lambda times deltas that add up to one gap, or to none of a sensitive slot. So it has these bounds,
// which no range check needs to hold.
//
// Links of a column form no cycle: above the query they go up, below it down, and from below to above once. So the sums follow
// from the outermost slots inwards, and each level is the one integer that the rows of least leave it.
func (s *Slots) levels(a *bounded.Arith, b Bound, multiplier bounded.Int, charges []bounded.Int, wires []frontend.Variable,
) []bounded.Int {
	steps := new(big.Int)
	for _, step := range s.step {
		most := magnitude(step)
		steps.Add(steps, most.Lsh(most, uint(b.Scale)))
	}
	for _, charge := range charges {
		steps.Add(steps, magnitude(charge))
	}
	_, most := multiplier.Bounds()
	most.Mul(most, s.largest()).Add(most, steps)
	up := a.Within(0, new(big.Int), steps)
	lo, hi := a.Neg(up), a.Within(0, new(big.Int), most)
	levels := make([]bounded.Int, len(wires))
	for j, wire := range wires {
		const reason = "by least it is a sum of charges along one column and side"
		if levels[j] = a.UnsafeWithin(wire, reason, lo, hi); j >= s.plain() {
			levels[j] = a.UnsafeWithin(wire, reason, lo, up) // a sensitive slot is at no distance
		}
	}
	return levels
}

// magnitude returns the larger end of an interval, without its sign.
func magnitude(x bounded.Int) *big.Int {
	lo, hi := x.Bounds()
	if lo.Neg(lo).Cmp(hi) > 0 {
		return lo
	}
	return hi
}

// order makes signs in absolute orientation fall along a column (R-T-COVER): the difference to the slot before is 0, 1 or 2.
func (s *Slots) order(a *bounded.Arith, j int, turned []frontend.Variable) {
	if j == 0 {
		return
	}
	api := a.API()
	fall := api.Mul(s.same[j].Wire(), api.Sub(turned[j-1], turned[j]))
	api.AssertIsEqual(api.Mul(api.Mul(fall, api.Sub(fall, 1)), api.Sub(fall, 2)), 0)
}

// least makes level j the least charged sum of its column from slot j outwards (R-T-CHAIN).
//
// A point that crosses slot j goes on to the next slot outwards; one that stays ends there or, from the nearest slot below
// the query, goes on to those above it. Taken says whether the crossing counts: it does where the slot is crossed, does not
// where it is stayed, and where it is free exactly if its sum is the smaller one.
func (s *Slots) least(a *bounded.Arith, j int, levels []bounded.Int, charge, taken, free bounded.Int) {
	like, last := levels[j], j+1 == len(levels)
	across, beside := charge, a.Constant(0)
	if !last {
		across = a.Add(across, a.Mul(s.up[j+1], levels[j+1]))
		beside = a.Mul(s.turn[j], levels[j+1])
	}
	if j > 0 {
		across = a.Add(across, a.Mul(s.down[j-1], levels[j-1]))
	}
	// A plain slot never leads to a sensitive one, of other bounds: same is 0 between them.
	gain := a.Sub(a.UnsafeWithin(across.Wire(), "its charge and the level outwards: a sum of charges along one column and side", like),
		a.UnsafeWithin(beside.Wire(), "turn is a bit: the level of a slot of its column, or 0", like, a.Constant(0)))
	rise := a.Sub(levels[j], beside)
	a.AssertEqual(a.Mul(taken, gain), rise)
	// gain where it is not taken, -gain - 1 where it is, since rise is gain or 0; at a tie only one of them holds.
	most := magnitude(gain)
	signed := a.API().Sub(gain.Wire(), a.API().Mul(rise.Wire(), 2), taken.Wire())
	bound := a.Within(0, new(big.Int).Sub(new(big.Int).Neg(most), one), most)
	a.AssertNonNegative(a.UnsafeWithin(a.API().Mul(free.Wire(), signed), "free and taken are bits: gain, -gain - 1 or 0", bound))
}

// close closes a live leaf (R-T-CLOSE): where it is used, the score's bound is at least 1; else the distance is at least the
// radius, and at least 1.
func (b Bound) close(a *bounded.Arith, wire frontend.Variable, live, score, distance bounded.Int) {
	used := a.Bit(wire)
	byScore, byDistance := a.Sub(score, a.Constant(1)), a.Sub(distance, b.Radius)
	a.AssertNonNegative(a.Mul(live, a.Select(used, byScore, byDistance)))
	// A leaf that crosses nothing holds the query, at distance 0: a radius of 0 must not close it.
	unused := a.Mul(live, a.Sub(a.Constant(1), used))
	a.AssertNonNegative(a.Mul(unused, a.Sub(distance, a.Constant(1))))
}
