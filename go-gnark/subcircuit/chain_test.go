package subcircuit_test

import (
	"slices"
	"testing"

	"equiproof/internal/oracle"
	"equiproof/shape"
)

// closed is a leaf over two slots of different columns, of squared gaps 4 and 9: the first is crossed, the second stayed. Steps
// and base cancel out, so that with lambda 1 the closing sum is 4 less the squared radius.
func closed() map[string][]int64 {
	return map[string][]int64{
		"radius_squared": {3}, "slot_gap2": {4, 9}, "slot_side": {1, 1}, "slot_step": {-3, 8}, "same": {0}, "leaf_live": {1},
		"signs": {1, -1}, "base": {3}, "used": {1}, "multiplier": {1}, "taken": {1, 0}, "level": {-3<<29 + 4, 0},
	}
}

// A leaf over stated slots closes where its sum is 1, and not where it is 0; each slot has its own sign.
func TestChainsCloseExactly(t *testing.T) {
	c := made(t, "chain", oracle.AdditiveShape(2, 1, [2]int{3, 1}, 2, 2), closed())
	c.accepted(t, "a sum of 1")
	c.set("radius_squared", 0, 4)
	c.refused(t, "a sum of 0")
	c.set("radius_squared", 0, 3)
	c.set("signs", 0, -1)
	c.set("signs", 1, 1)
	c.refused(t, "signs of each other's slots")
}

// charged is a leaf of an ensemble over the slots of closed and two sensitive ones: the first is crossed, the second is free and
// lowers the sum. Score, base and what rows charge cancel out, too.
func charged(t *testing.T) *alone {
	s, wires := oracle.EnsembleShape(2, 1, [2]int{3, 2}, [2]int{2, 4}, 2, 3, 2), closed()
	scale := int64(1) << s.Trees().ChargeScale
	wires["signs"] = []int64{1, -1, 1, 0}
	wires["base"], wires["sensitive_step"] = []int64{4}, []int64{1, -2}
	wires["charged"], wires["score"] = []int64{-5, 7, 3, 6}, []int64{4}
	wires["taken"] = []int64{1, 0, 1, 1}
	wires["level"] = []int64{-3<<29 + 4 + 5*scale, 0, 1<<29 - 3*scale, -2<<29 - 6*scale}
	return made(t, "chain", s, wires)
}

// Of an ensemble, the score is added to the sum, and what rows charge a slot is taken from what crossing it adds.
func TestChainsOfEnsemblesCloseExactly(t *testing.T) {
	c := charged(t)
	c.accepted(t, "a sum of 1")
	c.set("score", 0, 3)
	c.refused(t, "a lower score")
	c.set("score", 0, 4)
	c.set("radius_squared", 0, 4)
	c.refused(t, "a sum of 0")
}

// Lambda has the width of the shape, in leaves that are not live, too.
func TestLambdaOfChainsHasItsWidth(t *testing.T) {
	for label, s := range map[string]*shape.Shape{
		"additive": oracle.AdditiveShape(2, 1, [2]int{3, 1}, 2, 2),
		"ensemble": oracle.EnsembleShape(2, 1, [2]int{3, 0}, [2]int{2, 4}, 2, 3, 2),
	} {
		wires, bits := closed(), 0
		if s.Grows() {
			bits = s.Trees().MultiplierBits
			wires["charged"], wires["score"] = []int64{0, 0}, []int64{0}
		} else {
			bits = s.Additive().MultiplierBits
		}
		c := made(t, "chain", s, wires)
		c.set("leaf_live", 0, 0)
		for _, lambda := range []int64{1<<bits - 1, 1 << bits} {
			c.set("multiplier", 0, lambda)
			c.set("level", 0, -3<<29+4*lambda)
			if lambda < 1<<bits {
				c.accepted(t, label+" with the widest lambda")
			} else {
				c.refused(t, label+" with a wider lambda")
			}
		}
	}
}

// openHome is a leaf of an ensemble on a box whose only category has two values: nobody in it has the first one, of which all nine
// slots are stayed, and the second one has no slot. The first eight slots are charged the most that can be stated.
func openHome(t *testing.T, last int64) *alone {
	t.Helper()
	s := boxOf(shape.GrowingBox, oracle.EnsembleShape(3, 1, [2]int{9, 0}, [2]int{2, 16}, 9, 16, 1))
	const most, slots = 1<<25 - 1, 9
	all := func(value int64) []int64 { return slices.Repeat([]int64{value}, slots) }
	c := made(t, "chain", s, map[string][]int64{
		"slot_side": all(1), "slot_step": all(0), "same": all(0)[1:], "leaf_live": {1}, "signs": all(-1), "charged": all(most),
		"base": {1}, "score": {0}, "slot_column": all(1), "box_low": {5, 0, 0}, "box_high": {5, 1448, 1448}, "open": {1},
		"taken": all(0), "level": all(0), "slot_open": all(1), "gain": {-(slots-1)*most - last, 0}, "value_stayed": {slots, 0},
		"value_crossed": {0, 0}, "least": {0},
	})
	c.set("charged", slots-1, last)
	return c
}

// What a value adds has the width of a model's, also where nobody in the leaf has it: charges that are stated add up to more.
func TestWhatValuesAddInChainsHasItsWidth(t *testing.T) {
	const least, others = 1 << 28, 8 * (1<<25 - 1)
	openHome(t, least-others).accepted(t, "the least of the width")
	openHome(t, least-others+1).refused(t, "one less")
}
