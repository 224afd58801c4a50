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
// and the square of it; none of a leaf that is not live.
type Box struct {
	live                  frontend.Variable
	signs, turned, square []frontend.Variable
}

// Assert holds a leaf (R-T-LEAF, R-T-CHAIN, R-T-CLOSE) and returns its box (R-T-COVER).
//
// Relation: signs are -1, 0 or 1 and do not increase along a column in absolute orientation; levels are the least charged
// sums along each column; a live leaf is closed by its score where it is used, by its distance elsewhere. Precondition: the
// slots are those of NewSlots. Outside it: links of slots may form a cycle, in which levels are any numbers. Cost: about 28
// constraints per slot.
func (s *Slots) Assert(a *bounded.Arith, b Bound, w LeafWires) Box {
	defer a.Part("leaf")()
	box := Box{live: a.Bit(w.Live).Wire(), signs: w.Signs}
	multiplier := a.Unsigned(w.Multiplier, b.MultiplierBits)
	scale := new(big.Int).Lsh(one, uint(b.Scale))
	levels := s.levels(a, b, multiplier, w.Level)
	sum, distance := a.Scale(scale, b.Base), a.Constant(0)
	for j, wire := range w.Signs {
		crossed, _, free := a.Sign(wire)
		square := a.API().Sub(1, free.Wire())
		turned := a.API().Mul(a.API().Sub(a.API().Mul(s.side[j].Wire(), 2), 1), wire)
		box.square, box.turned = append(box.square, square), append(box.turned, turned)
		s.order(a, j, box.turned)
		taken := a.Bit(w.Taken[j])
		a.API().AssertIsEqual(a.API().Mul(square, a.API().Sub(w.Taken[j], crossed.Wire())), 0)
		s.least(a, j, levels, a.Add(a.Scale(scale, s.step[j]), a.Mul(multiplier, s.delta[j])), taken, free)
		sum = a.Add(sum, a.Mul(s.head[j], levels[j]))
		distance = a.Add(distance, a.Mul(crossed, s.delta[j]))
	}
	b.close(a, w, a.Sub(sum, a.Mul(multiplier, b.Radius)), distance)
	return box
}

// levels types the levels of a leaf. Each is, by least, a sum of charges along one column and side: steps at scale 2^r, and
// lambda times deltas that add up to one gap. So it has these bounds, which no range check needs to hold.
func (s *Slots) levels(a *bounded.Arith, b Bound, multiplier bounded.Int, wires []frontend.Variable) []bounded.Int {
	steps := new(big.Int)
	for _, step := range s.step {
		lo, hi := step.Bounds()
		most := lo.Neg(lo)
		if hi.Cmp(most) > 0 {
			most = hi
		}
		steps.Add(steps, most.Lsh(most, uint(b.Scale)))
	}
	_, most := multiplier.Bounds()
	most.Mul(most, s.largest()).Add(most, steps)
	lo, hi := a.Within(0, steps.Neg(steps), new(big.Int)), a.Within(0, new(big.Int), most)
	levels := make([]bounded.Int, len(wires))
	for j, wire := range wires {
		levels[j] = a.Looked(wire, lo, hi)
	}
	return levels
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
	// As a level, it is a sum of charges along one column and side.
	gain := a.Sub(a.Looked(across.Wire(), like), a.Looked(beside.Wire(), like, a.Constant(0)))
	rise := a.Sub(levels[j], beside)
	a.AssertEqual(a.Mul(taken, gain), rise)
	// gain where it is not taken, -gain - 1 where it is; at a tie only one of them holds.
	lo, hi := gain.Bounds()
	most := hi
	if lo.Neg(lo).Cmp(hi) > 0 {
		most = lo
	}
	signed := a.API().Sub(gain.Wire(), a.API().Mul(rise.Wire(), 2), taken.Wire())
	bound := a.Within(0, new(big.Int).Sub(new(big.Int).Neg(most), one), most)
	a.AssertNonNegative(a.Looked(a.API().Mul(free.Wire(), signed), bound))
}

// close closes a live leaf (R-T-CLOSE): where it is used, the score's bound is at least 1; else the distance is at least the
// radius, and at least 1.
func (b Bound) close(a *bounded.Arith, w LeafWires, score, distance bounded.Int) {
	live, used := a.Looked(w.Live, a.Constant(0), a.Constant(1)), a.Bit(w.Used)
	byScore, byDistance := a.Sub(score, a.Constant(1)), a.Sub(distance, b.Radius)
	chosen := a.Add(byDistance, a.Mul(used, a.Sub(byScore, byDistance)))
	a.AssertNonNegative(a.Mul(live, a.Looked(chosen.Wire(), byScore, byDistance)))
	unused := a.Mul(live, a.Sub(a.Constant(1), used))
	a.AssertNonNegative(a.Mul(unused, a.Sub(distance, a.Constant(1))))
}
