package additive_test

import (
	"testing"

	"github.com/consensys/gnark/frontend"

	"equiproof/gadget/additive"
	"equiproof/gadget/bounded"
	"equiproof/internal/adversary"
)

// What trees add counts once, and what they charge a slot is taken off its own charge.
func TestTermsOfTrees(t *testing.T) {
	two := room{2, 2, 2}
	circuit := adversary.Compile(t, two.wires()+2+3+3+6, func(a *bounded.Arith, wires []frontend.Variable) {
		take := &adversary.Wires{Rest: wires}
		slots := two.read(a, take)
		bound := additive.Bound{Base: take.Signed(a, 1, 12)[0], Radius: a.Unsigned(take.Take(1)[0], 8), Scale: scale, MultiplierBits: 6}
		terms := additive.Terms{Score: take.Signed(a, 1, 8)[0], Charges: take.Signed(a, 2, 8)}
		own := take.Take(3)
		leaf := additive.LeafWires{
			Live: own[0], Used: own[1], Multiplier: own[2], Signs: take.Take(2), Taken: take.Take(2), Level: take.Take(2),
		}
		slots.Close(a, bound, leaf, slots.ReadSigns(a, leaf.Live, leaf.Signs), terms)
	})
	of := two.fill([]predicate{{0, 3, 1, 5, false}, {1, 2, 1, 4, false}})
	given := func(base, score, first, second, way, level int) []any {
		return adversary.Join(of, base, 0, score, first, second, 1, 1, 0, 0, 0, way, 0, level, 0)
	}
	// The steps are 20 and 16 at scale 4.
	circuit.Accepts(t, "a charge above a step", given(0, 6, 25, 15, 1, -5)...)
	circuit.Refuses(t, "and the score one less", given(0, 5, 25, 15, 1, -5)...)
	circuit.Refuses(t, "without the charge", given(0, 6, 25, 15, 0, 0)...)
	circuit.Accepts(t, "charges below both steps", given(0, 1, 15, 10, 0, 0)...)
	circuit.Refuses(t, "and no score", given(0, 0, 15, 10, 0, 0)...)
	circuit.Accepts(t, "a base for the score", given(2, -7, 15, 10, 0, 0)...)
	circuit.Refuses(t, "a charge of the other slot", given(0, 6, 15, 25, 1, -5)...)
}

// A sensitive slot counts as a plain one does, at no distance; and a plain one before it may be as far as any.
func TestLeavesOverSensitiveSlots(t *testing.T) {
	circuit := adversary.Compile(t, alone.wires()+1+2+3+6, func(a *bounded.Arith, wires []frontend.Variable) {
		take := &adversary.Wires{Rest: wires}
		slots := alone.read(a, take)
		slots.Append(a, take.Signed(a, 1, 8))
		bound := additive.Bound{Base: take.Signed(a, 1, 12)[0], Radius: a.Unsigned(take.Take(1)[0], 8), Scale: scale, MultiplierBits: 6}
		own := take.Take(3)
		slots.Assert(a, bound, additive.LeafWires{
			Live: own[0], Used: own[1], Multiplier: own[2], Signs: take.Take(2), Taken: take.Take(2), Level: take.Take(2),
		})
	})
	of := alone.fill([]predicate{{0, 15, 1, 127, false}})
	given := func(step, base, lambda, sign, way, level int) []any {
		return adversary.Join(of, step, base, 0, 1, 1, lambda, 0, sign, 0, way, 0, level)
	}
	circuit.Accepts(t, "both are free, the plain one far", given(3, 1, 63, 0, 0, 0)...)
	circuit.Accepts(t, "the sensitive one is cheaper across", given(-3, 4, 63, 0, 1, -12)...)
	circuit.Refuses(t, "and the base one less", given(-3, 3, 63, 0, 1, -12)...)
	circuit.Refuses(t, "not taken all the same", given(-3, 4, 63, 0, 0, 0)...)
	circuit.Accepts(t, "crossed", given(3, -2, 0, 1, 1, 12)...)
	circuit.Accepts(t, "stayed", given(-3, 1, 0, -1, 0, 0)...)
	circuit.Refuses(t, "stayed, and taken all the same", given(3, -2, 0, -1, 1, 12)...)
}

// One slot without sensitive ones has its delta, too.
func TestBoundsOfOneLevel(t *testing.T) {
	adversary.Compile(t, alone.wires()+2, func(a *bounded.Arith, wires []frontend.Variable) {
		take := &adversary.Wires{Rest: wires}
		slots, bound := alone.read(a, take), additive.Bound{Scale: scale, MultiplierBits: 6}
		level := slots.Levels(a, bound, a.Unsigned(take.Take(1)[0], 6), nil, take.Take(1))[0]
		a.AssertNonNegative(level)
		if lo, hi := level.Bounds(); lo.Int64() != -128<<scale || hi.Int64() != 128<<scale+63*15*15 {
			t.Errorf("the level lies in [%v, %v]", lo, hi)
		}
	})
}

// A level is at most all deltas at lambda, and all steps and charges; a sensitive one has no deltas. Neither is below them.
func TestBoundsOfLevels(t *testing.T) {
	circuit := adversary.Compile(t, six.wires()+1+7+7+1+14, func(a *bounded.Arith, wires []frontend.Variable) {
		take := &adversary.Wires{Rest: wires}
		slots := six.read(a, take)
		slots.Append(a, take.Signed(a, 1, 8))
		charges, levels := take.Signed(a, 7, 4), take.Take(7)
		bound := additive.Bound{Scale: scale, MultiplierBits: 6}
		lambda := a.Unsigned(take.Take(1)[0], bound.MultiplierBits)
		for _, c := range []struct {
			charges []bounded.Int
			sums    int64
		}{{nil, 7 * 128 << scale}, {charges, 7*128<<scale + 7*8}} {
			for j, level := range slots.Levels(a, bound, lambda, c.charges, levels) {
				most := c.sums
				if j < 6 {
					most += 63 * 15 * 15
				}
				if lo, hi := level.Bounds(); lo.Int64() != -c.sums || hi.Int64() != most {
					t.Errorf("level %d lies in [%v, %v], want [%d, %d]", j, lo, hi, -c.sums, most)
				}
				equal(a, take, level)
			}
		}
	})
	numbers := []any{1, -2, 3, -4, 5, -6, 7}
	circuit.Accepts(t, "levels of their own", adversary.Join(six.fill(crowd), 3, numbers, numbers, 2, numbers, numbers)...)
}
