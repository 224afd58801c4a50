package bounded_test

import (
	"math/big"
	"testing"

	"github.com/consensys/gnark/frontend"

	"equiproof/gadget/bounded"
	"equiproof/internal/adversary"
)

// The quotient is the largest integer whose multiple is not above x, for either sign, and no fraction; the remainder is
// what is left.
func TestFloor(t *testing.T) {
	circuit := adversary.Compile(t, 3, func(a *bounded.Arith, wires []frontend.Variable) {
		quotient, remainder := a.Floor(a.Signed(wires[0], 10), 3, wires[1])
		lo, hi := quotient.Bounds()
		if lo.Int64() != -64 || hi.Int64() != 63 {
			t.Errorf("the quotient lies in [%v, %v]", lo, hi)
		}
		if lo, hi = remainder.Bounds(); lo.Int64() != 0 || hi.Int64() != 7 {
			t.Errorf("the remainder lies in [%v, %v]", lo, hi)
		}
		a.API().AssertIsEqual(remainder.Wire(), wires[2])
	})
	for x := int64(-512); x < 512; x += 73 {
		circuit.Accepts(t, "floor", big.NewInt(x), big.NewInt(x>>3), big.NewInt(x&7))
	}
	circuit.Accepts(t, "least", -512, -64, 0)
	circuit.Accepts(t, "largest", 511, 63, 7)
	circuit.Refuses(t, "rounded up", 13, 2, -3)
	circuit.Refuses(t, "one less", 13, 0, 13)
	circuit.Refuses(t, "rounded to zero", -13, -1, -5)
	circuit.Refuses(t, "another remainder", 13, 1, 4)
	circuit.Refuses(t, "a fraction", 13, new(big.Int).Mul(big.NewInt(13), fraction(8)), 0)
	circuit.Refuses(t, "a fraction with a remainder", 13, new(big.Int).Mul(big.NewInt(11), fraction(8)), 2)
}

// A value of few possibilities has a quotient of fewer: one alone is a constant.
func TestFloorOfFewValues(t *testing.T) {
	circuit := adversary.Compile(t, 2, func(a *bounded.Arith, wires []frontend.Variable) {
		quotient, _ := a.Floor(a.Unsigned(wires[0], 3), 5, wires[1])
		if lo, hi := quotient.Bounds(); lo.Sign() != 0 || hi.Sign() != 0 {
			t.Errorf("the quotient lies in [%v, %v]", lo, hi)
		}
	})
	circuit.Accepts(t, "7 / 32", 7, 0)
	circuit.Refuses(t, "one more", 7, 1)
}

// A sign is 1, -1 or 0 and nothing else, and has the bit of what it is.
func TestSign(t *testing.T) {
	circuit := adversary.Compile(t, 5, func(a *bounded.Arith, wires []frontend.Variable) {
		plus, minus, none := a.Sign(wires[0])
		for i, bit := range []bounded.Int{plus, minus, none} {
			if lo, hi := bit.Bounds(); lo.Sign() != 0 || hi.Cmp(big.NewInt(1)) != 0 {
				t.Errorf("bit %d lies in [%v, %v]", i, lo, hi)
			}
			a.API().AssertIsEqual(bit.Wire(), wires[i+1])
		}
		a.Unsigned(wires[4], 5) // so that the shared table exists
	})
	circuit.Accepts(t, "on", 1, 1, 0, 0, 1)
	circuit.Accepts(t, "off", -1, 0, 1, 0, 1)
	circuit.Accepts(t, "neither", 0, 0, 0, 1, 1)
	circuit.Refuses(t, "on called off", 1, 0, 1, 0, 1)
	for _, s := range []*big.Int{big.NewInt(2), big.NewInt(-2), fraction(2), power(200, 0), minus(fraction(2), big.NewInt(1))} {
		square := new(big.Int).Mul(s, s)
		plus, minus := new(big.Int).Add(square, s), new(big.Int).Sub(square, s)
		half := fraction(2)
		values := []any{s, plus.Mul(plus, half), minus.Mul(minus, half), square.Sub(big.NewInt(1), square), 1}
		circuit.Refuses(t, s.String(), values...)
	}
}

// Demand lets bounds inside pass and refuses others at compile time.
func TestDemand(t *testing.T) {
	adversary.Compile(t, 1, func(a *bounded.Arith, wires []frontend.Variable) {
		x := a.Unsigned(wires[0], 4)
		a.Demand(x, new(big.Int), big.NewInt(15))
		for _, ends := range [][2]int64{{1, 15}, {0, 14}, {-3, 14}, {16, 20}} {
			if panicked(func() { a.Demand(x, big.NewInt(ends[0]), big.NewInt(ends[1])) }) == nil {
				t.Errorf("[0, 15] passes for [%d, %d]", ends[0], ends[1])
			}
		}
	})
}

// Products have the bounds of their sums, also where columns share theirs; lengths that do not fit are refused.
func TestMultiplied(t *testing.T) {
	adversary.Compile(t, 8, func(a *bounded.Arith, wires []frontend.Variable) {
		take := &adversary.Wires{Rest: wires}
		x := take.Signed(a, 2, 5)
		columns := [][]bounded.Int{take.Signed(a, 2, 4), take.Signed(a, 2, 4), {a.Constant(-3), a.Unsigned(take.Take(1)[0], 3)}}
		for j, found := range a.Multiplied([]frontend.Variable{1, 2, 3}, x, columns) {
			lo, hi := found.Bounds()
			least, most := a.Dot(x, columns[j]).Bounds()
			if lo.Cmp(least) != 0 || hi.Cmp(most) != 0 {
				t.Errorf("column %d: [%v, %v], want [%v, %v]", j, lo, hi, least, most)
			}
			if found.Wire() != j+1 {
				t.Errorf("column %d: wire %v", j, found.Wire())
			}
		}
		for name, wrong := range map[string]func(){
			"a column too many": func() { a.Multiplied([]frontend.Variable{1, 2}, x, columns) },
			"a short column":    func() { a.Multiplied([]frontend.Variable{1}, x, [][]bounded.Int{columns[0][:1]}) },
		} {
			if panicked(wrong) == nil {
				t.Errorf("%s passes", name)
			}
		}
		a.API().AssertIsEqual(take.Take(1)[0], 1)
	})
}

// The parts of a number are its own: a bit that says the other sign, no bit, and numbers beyond the width are refused.
func TestParts(t *testing.T) {
	circuit := adversary.Compile(t, 4, func(a *bounded.Arith, wires []frontend.Variable) {
		x, plus, minus := a.Parts(wires[0], wires[1], 5)
		for i, limits := range [][2]int64{{-16, 15}, {0, 15}, {0, 16}} {
			lo, hi := []bounded.Int{x, plus, minus}[i].Bounds()
			if lo.Int64() != limits[0] || hi.Int64() != limits[1] {
				t.Errorf("%d: [%v, %v], want %v", i, lo, hi, limits)
			}
		}
		a.API().AssertIsEqual(plus.Wire(), wires[2])
		a.API().AssertIsEqual(minus.Wire(), wires[3])
	})
	for x := -16; x <= 15; x++ {
		negative := 0
		if x < 0 {
			negative = 1
		}
		circuit.Accepts(t, "its own sign", x, negative, max(x, 0), max(-x, 0))
		circuit.Refuses(t, "the other sign", x, 1-negative, x*negative, -x*(1-negative))
		// The part is the bit times the number, whatever the bit is.
		circuit.Refuses(t, "no bit", x, 2, -x, -2*x)
	}
	for _, x := range []int{16, -17} {
		circuit.Refuses(t, "beyond the width", x, 0, x, 0)
		circuit.Refuses(t, "beyond the width", x, 1, 0, -x)
	}
}

// What is positive is at least 1, and typed so.
func TestPositive(t *testing.T) {
	circuit := adversary.Compile(t, 1, func(a *bounded.Arith, wires []frontend.Variable) {
		if lo, hi := a.Positive(a.Signed(wires[0], 5)).Bounds(); lo.Int64() != 1 || hi.Int64() != 15 {
			t.Errorf("[%v, %v]", lo, hi)
		}
	})
	circuit.Accepts(t, "1", 1)
	circuit.Accepts(t, "15", 15)
	circuit.Refuses(t, "0", 0)
	circuit.Refuses(t, "-1", -1)
}

// A value that is made in two ways has both bounds; where they are not the same by how they are made, they are held to be.
func TestSame(t *testing.T) {
	circuit := adversary.Compile(t, 3, func(a *bounded.Arith, wires []frontend.Variable) {
		x, y := a.Signed(wires[0], 5), a.Unsigned(wires[1], 8)
		sum := a.Add(x, y)
		if lo, hi := a.Same(a.Sub(sum, x), y).Bounds(); lo.Int64() != 0 || hi.Int64() != 255 {
			t.Errorf("[%v, %v]", lo, hi)
		}
		if lo, hi := a.Same(a.Signed(wires[2], 4), a.Unsigned(wires[1], 8)).Bounds(); lo.Int64() != 0 || hi.Int64() != 7 {
			t.Errorf("[%v, %v]", lo, hi)
		}
	})
	circuit.Accepts(t, "the same", -16, 7, 7)
	circuit.Refuses(t, "not the same", -16, 7, 6)
}

// A hull holds the bounds of all, on a constant 0, and is refused where 0 is outside.
func TestHull(t *testing.T) {
	adversary.Compile(t, 2, func(a *bounded.Arith, wires []frontend.Variable) {
		hull := a.Hull(a.Signed(wires[0], 3), a.Unsigned(wires[1], 4), a.Constant(-9))
		if lo, hi := hull.Bounds(); lo.Int64() != -9 || hi.Int64() != 15 {
			t.Errorf("a hull of [%v, %v]", lo, hi)
		}
		a.API().AssertIsEqual(hull.Wire(), 0)
		for name, among := range map[string][]int64{"above 0": {1, 7}, "below 0": {-7, -1}} {
			if panicked(func() { a.Hull(a.Constant(among[0]), a.Constant(among[1])) }) == nil {
				t.Errorf("%s: a hull without 0", name)
			}
		}
	})
}

// A value with wider bounds is the same value, and its bounds hold its own whatever the others are.
func TestWiden(t *testing.T) {
	circuit := adversary.Compile(t, 3, func(a *bounded.Arith, wires []frontend.Variable) {
		x := a.Signed(wires[0], 3)
		for _, want := range []struct{ other, lo, hi int64 }{{-9, -9, 3}, {9, -4, 9}, {0, -4, 3}} {
			if lo, hi := a.Widen(x, a.Constant(want.other)).Bounds(); lo.Int64() != want.lo || hi.Int64() != want.hi {
				t.Errorf("with %d it lies in [%v, %v]", want.other, lo, hi)
			}
		}
		a.API().AssertIsEqual(a.Widen(x, a.Unsigned(wires[1], 4)).Wire(), wires[2])
	})
	circuit.Accepts(t, "the value", -4, 15, -4)
	circuit.Refuses(t, "the other", -4, 3, 3)
}

// The bit selects the first value, and its absence the second; the bounds are those of both.
func TestSelect(t *testing.T) {
	circuit := adversary.Compile(t, 4, func(a *bounded.Arith, wires []frontend.Variable) {
		chosen := a.Select(a.Bit(wires[0]), a.Signed(wires[1], 4), a.Unsigned(wires[2], 5))
		if lo, hi := chosen.Bounds(); lo.Int64() != -8 || hi.Int64() != 31 {
			t.Errorf("the chosen one lies in [%v, %v]", lo, hi)
		}
		a.API().AssertIsEqual(chosen.Wire(), wires[3])
		if panicked(func() { a.Select(a.Below(wires[0], 3), a.Constant(1), a.Constant(2)) }) == nil {
			t.Error("2 is a bit")
		}
		if panicked(func() { a.Select(a.Neg(a.Bit(wires[0])), a.Constant(1), a.Constant(2)) }) == nil {
			t.Error("-1 is a bit")
		}
	})
	circuit.Accepts(t, "the first", 1, -8, 31, -8)
	circuit.Accepts(t, "the second", 0, -8, 31, 31)
	circuit.Refuses(t, "the second with the bit", 1, -8, 31, 31)
	circuit.Refuses(t, "the first without it", 0, -8, 31, -8)
	circuit.Refuses(t, "neither", 1, -8, 31, 0)
}

// What is claimed of a value is the value, with its bounds.
func TestClaimed(t *testing.T) {
	circuit := adversary.Compile(t, 2, func(a *bounded.Arith, wires []frontend.Variable) {
		x := a.Signed(wires[0], 4)
		claimed := a.Claimed(wires[1], a.Add(x, x))
		if lo, hi := claimed.Bounds(); lo.Int64() != -16 || hi.Int64() != 14 {
			t.Errorf("what is claimed lies in [%v, %v]", lo, hi)
		}
		a.AssertNonNegative(a.Add(claimed, a.Constant(16)))
	})
	circuit.Accepts(t, "the least", -8, -16)
	circuit.Accepts(t, "the largest", 7, 14)
	circuit.Refuses(t, "another value", 7, 13)
	circuit.Refuses(t, "the value once", 7, 7)
}
