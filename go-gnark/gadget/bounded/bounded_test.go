package bounded_test

import (
	"errors"
	"fmt"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/consensys/gnark-crypto/ecc/bn254/fr"
	"github.com/consensys/gnark/frontend"

	"equiproof/gadget/bounded"
	"equiproof/internal/adversary"
)

// power returns 2^n + offset.
func power(n int, offset int64) *big.Int {
	v := new(big.Int).Lsh(big.NewInt(1), uint(n))
	return v.Add(v, big.NewInt(offset))
}

// minus returns a - b.
func minus(a, b *big.Int) *big.Int { return new(big.Int).Sub(a, b) }

// fraction returns 1/n modulo the field's order.
func fraction(n int64) *big.Int { return new(big.Int).ModInverse(big.NewInt(n), fr.Modulus()) }

// edges tries values on a check of one wire.
func edges(t *testing.T, check func(a *bounded.Arith, wire frontend.Variable), valid, invalid []*big.Int) {
	t.Helper()
	circuit := adversary.Compile(t, 2, func(a *bounded.Arith, wires []frontend.Variable) {
		check(a, wires[0])
		a.Unsigned(wires[1], 5) // so that the shared table exists whatever the check needs
	})
	for _, v := range valid {
		circuit.Accepts(t, v.String(), v, 1)
	}
	for _, v := range invalid {
		circuit.Refuses(t, v.String(), v, 1)
	}
}

// A signed wire of b bits is an integer from -2^(b-1) to 2^(b-1) - 1 and nothing else of the field.
func TestSignedAtItsEdges(t *testing.T) {
	for _, bits := range []int{2, 8, 16, 18, 53, 64, 250} {
		t.Run(fmt.Sprint(bits), func(t *testing.T) {
			half := power(bits-1, 0)
			edges(t, func(a *bounded.Arith, wire frontend.Variable) { a.Signed(wire, bits) },
				[]*big.Int{new(big.Int), big.NewInt(-1), new(big.Int).Neg(half), minus(half, big.NewInt(1))},
				[]*big.Int{
					minus(new(big.Int).Neg(half), big.NewInt(1)), half, power(bits, 0), power(251, 0), fraction(2), fraction(3),
					minus(fraction(49), half), new(big.Int).Rsh(fr.Modulus(), 1), power(252, 0),
				})
		})
	}
}

// An unsigned wire of b bits is an integer from 0 to 2^b - 1: no negative one, and no inverse of a squared norm.
func TestUnsignedAtItsEdges(t *testing.T) {
	for _, bits := range []int{1, 2, 3, 18, 29, 64, 250} {
		t.Run(fmt.Sprint(bits), func(t *testing.T) {
			edges(t, func(a *bounded.Arith, wire frontend.Variable) { a.Unsigned(wire, bits) },
				[]*big.Int{new(big.Int), big.NewInt(1), power(bits, -1)},
				[]*big.Int{
					big.NewInt(-1), new(big.Int).Neg(power(bits-1, 0)), power(bits, 0), power(bits, 1), fraction(2), fraction(25),
					fraction(1 << 20), new(big.Int).Neg(power(250, 0)), power(252, 0),
				})
		})
	}
}

// Below accepts 0 to n - 1 for n of any kind, and neither n, nor what fits the same bits, nor fractions.
func TestBelowAtItsEdges(t *testing.T) {
	for _, n := range []int{2, 3, 4, 5, 7, 10, 53, 64, 65} {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			bits := big.NewInt(int64(n - 1)).BitLen()
			edges(t, func(a *bounded.Arith, wire frontend.Variable) { a.Below(wire, n) },
				[]*big.Int{new(big.Int), big.NewInt(1), big.NewInt(int64(n - 1))},
				[]*big.Int{
					big.NewInt(-1), big.NewInt(int64(n)), big.NewInt(int64(n + 1)), power(bits, 0), fraction(2),
					fraction(int64(n)), minus(big.NewInt(int64(n-1)), power(bits, 0)), minus(fraction(2), big.NewInt(1)),
				})
		})
	}
}

// Below 1 there is one number: the wire is 0. A check of one bit would let 1 pass, and one of nothing anything.
func TestBelowOneIsZero(t *testing.T) {
	edges(t, func(a *bounded.Arith, wire frontend.Variable) {
		if lo, hi := a.Below(wire, 1).Bounds(); lo.Sign() != 0 || hi.Sign() != 0 {
			t.Errorf("the one number below 1 lies in [%v, %v]", lo, hi)
		}
	}, []*big.Int{new(big.Int)}, []*big.Int{
		big.NewInt(1), big.NewInt(-1), power(250, 0), fraction(2), new(big.Int).Rsh(fr.Modulus(), 1),
	})
}

// Below 0 or less there is no number, which is an error of the circuit's author.
func TestBelowNothingIsRefusedAtOnce(t *testing.T) {
	adversary.Compile(t, 1, func(a *bounded.Arith, wires []frontend.Variable) {
		for _, n := range []int{0, -1, -8} {
			if panicked(func() { a.Below(wires[0], n) }) == nil {
				t.Errorf("a number below %d was accepted", n)
			}
		}
	})
}

// A bit is 0 or 1, not the 2 or the -1 of which keys were packed that belong to other patterns.
func TestBitAtItsEdges(t *testing.T) {
	edges(t, func(a *bounded.Arith, wire frontend.Variable) { a.Bit(wire) },
		[]*big.Int{new(big.Int), big.NewInt(1)}, []*big.Int{big.NewInt(2), big.NewInt(-1), fraction(2), power(128, 0)})
}

// Bits are the binary digits of their number, lowest first, and no other numbers that add up to it.
func TestBitsAreTheDigits(t *testing.T) {
	circuit := adversary.Compile(t, 4, func(a *bounded.Arith, wires []frontend.Variable) {
		for i, bit := range a.Bits(a.Unsigned(wires[0], 3), 3) {
			lo, hi := bit.Bounds()
			if lo.Sign() != 0 || hi.Cmp(big.NewInt(1)) != 0 {
				t.Errorf("bit %d lies in [%v, %v]", i, lo, hi)
			}
			a.API().AssertIsEqual(bit.Wire(), wires[i+1])
		}
	})
	circuit.Accepts(t, "6 = 110", 6, 0, 1, 1)
	circuit.Accepts(t, "1 = 001", 1, 1, 0, 0)
	circuit.Refuses(t, "6 read backwards", 6, 1, 1, 0)
	circuit.Refuses(t, "another number", 6, 1, 1, 1)
	for name, digits := range map[string][]any{"2 at once": {2, 2, 0, 0}, "a negative digit": {2, 0, -1, 1}, "8 modulo p": {0, -8, 0, 2}} {
		attempt := circuit.Prover.Solve(adversary.Elements(digits...), adversary.Force(circuit.Prover, "nBits", adversary.Elements(digits[1:]...)))
		if len(attempt.Violated) == 0 {
			t.Errorf("%s: digits %v of %v pass", name, digits[1:], digits[0])
		}
	}
}

// Bits refuses at compile time to split what may be negative or wider.
func TestBitsNeedBoundsThatFit(t *testing.T) {
	adversary.Compile(t, 1, func(a *bounded.Arith, wires []frontend.Variable) {
		if panicked(func() { a.Bits(a.Unsigned(wires[0], 4), 3) }) == nil {
			t.Error("four bits were split into three")
		}
		if panicked(func() { a.Bits(a.Signed(wires[0], 3), 3) }) == nil {
			t.Error("a signed value was split")
		}
	})
}

// AssertNonNegative accepts exactly the integers >= 0 of the proven interval, whatever its other end.
func TestNonNegativeAtItsEdges(t *testing.T) {
	for _, bits := range []int{2, 16, 180, 250} {
		edges(t, func(a *bounded.Arith, wire frontend.Variable) { a.AssertNonNegative(a.Signed(wire, bits)) },
			[]*big.Int{new(big.Int), big.NewInt(1), power(bits-1, -1)},
			[]*big.Int{big.NewInt(-1), new(big.Int).Neg(power(bits-1, 0)), fraction(2), power(bits-1, 0)})
	}
	edges(t, func(a *bounded.Arith, wire frontend.Variable) { a.AssertNonNegative(a.Neg(a.Unsigned(wire, 9))) },
		[]*big.Int{new(big.Int)}, []*big.Int{big.NewInt(1), power(9, -1), big.NewInt(-1)})
	edges(t, func(a *bounded.Arith, wire frontend.Variable) {
		a.AssertNonNegative(a.Add(a.Constant(-511), a.Scale(big.NewInt(1), a.Unsigned(wire, 9))))
	}, []*big.Int{power(9, -1)}, []*big.Int{power(9, -2), new(big.Int), power(9, 0)})
	edges(t, func(a *bounded.Arith, wire frontend.Variable) {
		a.AssertNonNegative(a.Sub(a.Unsigned(wire, 9), a.Constant(1)))
	}, []*big.Int{big.NewInt(1), power(9, -1)}, []*big.Int{new(big.Int), power(9, 0)})
	edges(t, func(a *bounded.Arith, wire frontend.Variable) { a.AssertNonNegative(a.Unsigned(wire, 9)) },
		[]*big.Int{new(big.Int), power(9, -1)}, []*big.Int{big.NewInt(-1)})
}

// Equal are integers that are the same, not such that differ by anything.
func TestEqual(t *testing.T) {
	circuit := adversary.Compile(t, 2, func(a *bounded.Arith, wires []frontend.Variable) {
		a.AssertEqual(a.Signed(wires[0], 9), a.Scale(big.NewInt(-1), a.Signed(wires[1], 9)))
	})
	circuit.Accepts(t, "5 and 5", 5, -5)
	circuit.Refuses(t, "5 and 6", 5, -6)
	circuit.Refuses(t, "5 and -5", 5, 5)
}

// What is always negative cannot be asserted not to be: the circuit has no witness, which is an error of its author.
func TestAlwaysNegativeIsRefusedAtOnce(t *testing.T) {
	adversary.Compile(t, 1, func(a *bounded.Arith, wires []frontend.Variable) {
		negative := a.Add(a.Neg(a.Unsigned(wires[0], 4)), a.Constant(-1))
		if panicked(func() { a.AssertNonNegative(negative) }) == nil {
			t.Error("a negative value was accepted")
		}
	})
}

// The wire of every operation is the integer it stands for: sums, products and squares equal those of the integers.
func TestOperationsOnWires(t *testing.T) {
	operations := []struct {
		name    string
		circuit func(a *bounded.Arith, x, y bounded.Int) bounded.Int
		plain   func(x, y *big.Int) *big.Int
	}{
		{"add", func(a *bounded.Arith, x, y bounded.Int) bounded.Int { return a.Add(x, y, x) },
			func(x, y *big.Int) *big.Int { return new(big.Int).Add(x, new(big.Int).Add(x, y)) }},
		{"sub", (*bounded.Arith).Sub, minus},
		{"neg", func(a *bounded.Arith, x, _ bounded.Int) bounded.Int { return a.Neg(x) },
			func(x, _ *big.Int) *big.Int { return new(big.Int).Neg(x) }},
		{"scale", func(a *bounded.Arith, x, _ bounded.Int) bounded.Int { return a.Scale(big.NewInt(-7), x) },
			func(x, _ *big.Int) *big.Int { return new(big.Int).Mul(x, big.NewInt(-7)) }},
		{"mul", (*bounded.Arith).Mul, func(x, y *big.Int) *big.Int { return new(big.Int).Mul(x, y) }},
		{"square", func(a *bounded.Arith, x, _ bounded.Int) bounded.Int { return a.Square(x) },
			func(x, _ *big.Int) *big.Int { return new(big.Int).Mul(x, x) }},
		{"dot", func(a *bounded.Arith, x, y bounded.Int) bounded.Int {
			return a.Dot([]bounded.Int{x, y}, []bounded.Int{y, y})
		}, func(x, y *big.Int) *big.Int { return new(big.Int).Mul(y, new(big.Int).Add(x, y)) }},
	}
	random := rand.New(rand.NewPCG(7, 7))
	for _, operation := range operations {
		circuit := adversary.Compile(t, 3, func(a *bounded.Arith, wires []frontend.Variable) {
			found := operation.circuit(a, a.Signed(wires[0], 16), a.Signed(wires[1], 18))
			a.API().AssertIsEqual(found.Wire(), wires[2])
		})
		for range 4 {
			x, y := big.NewInt(random.Int64N(1<<16)-1<<15), big.NewInt(random.Int64N(1<<18)-1<<17)
			want := operation.plain(x, y)
			circuit.Accepts(t, operation.name, x, y, want)
			circuit.Refuses(t, operation.name, x, y, new(big.Int).Add(want, big.NewInt(1)))
		}
	}
}

// tracked is an Int of unknown wires together with integers that its leaves could have made of it.
type tracked struct {
	value   bounded.Int
	samples []*big.Int
}

// The proven interval holds every value that the operands' intervals allow, and both its ends are reached by one
// operation on operands that do not depend on each other.
func TestBoundsHoldEverySample(t *testing.T) {
	adversary.Compile(t, 2, func(a *bounded.Arith, wires []frontend.Variable) {
		random := rand.New(rand.NewPCG(1, 1))
		for range 300 {
			leaves := []tracked{leaf(a, wires[0], random), leaf(a, wires[1], random), leaf(a, wires[0], random)}
			for range 6 {
				x, y := leaves[random.IntN(len(leaves))], leaves[random.IntN(len(leaves))]
				lo, hi := x.value.Bounds()
				if max(lo.BitLen(), hi.BitLen()) > 110 {
					continue
				}
				leaves = append(leaves, combined(t, a, random, x, y))
			}
		}
	})
}

// leaf makes a range-checked value; its first samples are the ends of its interval.
func leaf(a *bounded.Arith, wire frontend.Variable, random *rand.Rand) tracked {
	var value bounded.Int
	switch random.IntN(4) {
	case 0:
		value = a.Signed(wire, 2+random.IntN(20))
	case 1:
		value = a.Unsigned(wire, 1+random.IntN(20))
	case 2:
		value = a.Below(wire, 2+random.IntN(100))
	default:
		value = a.Constant(random.Int64N(200) - 100)
	}
	lo, hi := value.Bounds()
	samples := []*big.Int{lo, hi}
	for range 8 {
		offset := big.NewInt(random.Int64())
		samples = append(samples, offset.Mod(offset, new(big.Int).Add(minus(hi, lo), big.NewInt(1))).Add(offset, lo))
	}
	random.Shuffle(len(samples), func(i, j int) { samples[i], samples[j] = samples[j], samples[i] })
	return tracked{value, samples}
}

func combined(t *testing.T, a *bounded.Arith, random *rand.Rand, x, y tracked) tracked {
	factor := big.NewInt(random.Int64N(41) - 20)
	operations := map[string]func() (bounded.Int, func(u, v *big.Int) *big.Int){
		"add":    func() (bounded.Int, func(u, v *big.Int) *big.Int) { return a.Add(x.value, y.value), sum },
		"sub":    func() (bounded.Int, func(u, v *big.Int) *big.Int) { return a.Sub(x.value, y.value), minus },
		"mul":    func() (bounded.Int, func(u, v *big.Int) *big.Int) { return a.Mul(x.value, y.value), product },
		"square": func() (bounded.Int, func(u, v *big.Int) *big.Int) { return a.Square(x.value), squared },
		"scale": func() (bounded.Int, func(u, v *big.Int) *big.Int) {
			return a.Scale(factor, x.value), func(u, _ *big.Int) *big.Int { return product(u, factor) }
		},
		"neg": func() (bounded.Int, func(u, v *big.Int) *big.Int) {
			return a.Neg(x.value), func(u, _ *big.Int) *big.Int { return new(big.Int).Neg(u) }
		},
	}
	names := []string{"add", "sub", "mul", "square", "scale", "neg"}
	name := names[random.IntN(len(names))]
	value, plain := operations[name]()
	lo, hi := value.Bounds()
	check := func(v *big.Int) {
		if v.Cmp(lo) < 0 || v.Cmp(hi) > 0 {
			t.Errorf("%s: %v is not in [%v, %v]", name, v, lo, hi)
		}
	}
	found := tracked{value: value}
	for i := range x.samples {
		found.samples = append(found.samples, plain(x.samples[i], y.samples[i]))
		check(found.samples[i])
	}
	xlo, xhi := x.value.Bounds()
	ylo, yhi := y.value.Bounds()
	reached := map[string]bool{}
	for _, u := range []*big.Int{xlo, xhi, new(big.Int)} {
		for _, v := range []*big.Int{ylo, yhi} {
			if u.Cmp(xlo) < 0 || u.Cmp(xhi) > 0 {
				continue
			}
			corner := plain(u, v)
			check(corner)
			reached[corner.String()] = true
		}
	}
	if !reached[hi.String()] || !reached[lo.String()] && name != "square" {
		t.Errorf("%s: the ends of [%v, %v] are reached nowhere", name, lo, hi)
	}
	return found
}

func sum(u, v *big.Int) *big.Int     { return new(big.Int).Add(u, v) }
func product(u, v *big.Int) *big.Int { return new(big.Int).Mul(u, v) }
func squared(u, _ *big.Int) *big.Int { return product(u, u) }

// The bounds of one product of each kind, computed by hand.
func TestBoundsByHand(t *testing.T) {
	adversary.Compile(t, 2, func(a *bounded.Arith, wires []frontend.Variable) {
		x, y := a.Signed(wires[0], 3), a.Unsigned(wires[1], 3) // [-4, 3] and [0, 7]
		for _, want := range []struct {
			name   string
			value  bounded.Int
			lo, hi int64
		}{
			{"x + y", a.Add(x, y), -4, 10}, {"x - y", a.Sub(x, y), -11, 3}, {"-x", a.Neg(x), -3, 4}, {"xy", a.Mul(x, y), -28, 21},
			{"x^2", a.Square(x), 0, 16}, {"-5x", a.Scale(big.NewInt(-5), x), -15, 20}, {"nothing", a.Add(), 0, 0},
			{"xx + xy", a.Dot([]bounded.Int{x, x}, []bounded.Int{x, y}), -40, 37},
			{"cast", a.UnsafeWithin(wires[0], "only its bounds are looked at", x, y, a.Constant(9)), -4, 9}, {"constant", a.Constant(-6), -6, -6},
		} {
			if lo, hi := want.value.Bounds(); lo.Int64() != want.lo || hi.Int64() != want.hi {
				t.Errorf("%s lies in [%v, %v], want [%d, %d]", want.name, lo, hi, want.lo, want.hi)
			}
		}
	})
}

// Bounds that a caller changes are the caller's own: no proven interval can be widened or narrowed from outside.
func TestBoundsAreCopies(t *testing.T) {
	adversary.Compile(t, 1, func(a *bounded.Arith, wires []frontend.Variable) {
		x := a.Unsigned(wires[0], 4)
		lo, hi := x.Bounds()
		lo.SetInt64(-100)
		hi.SetInt64(100)
		if lo, hi := x.Bounds(); lo.Int64() != 0 || hi.Int64() != 15 {
			t.Errorf("bounds became [%v, %v]", lo, hi)
		}
	})
}

// A value that could pass 2^250 is refused at compile time by an OverflowError that names the place and the width.
func TestOverflowNamesThePlace(t *testing.T) {
	adversary.Compile(t, 1, func(a *bounded.Arith, wires []frontend.Variable) {
		here := a.At("layer %d", 3)
		wide := here.Unsigned(wires[0], 125)
		here.Mul(wide, wide) // (2^125 - 1)^2 has 250 bits
		one := here.Unsigned(wires[0], 126)
		largest := here.Unsigned(wires[0], 250)
		for name, overflow := range map[string]func(){
			"product":      func() { here.Mul(wide, one) },
			"square":       func() { here.Square(one) },
			"sum":          func() { here.Add(largest, largest) },
			"one more":     func() { here.Add(largest, here.Constant(1)) },
			"difference":   func() { here.Sub(here.Neg(largest), here.Constant(1)) },
			"scale":        func() { here.Scale(big.NewInt(-2), largest) },
			"range":        func() { here.Unsigned(wires[0], 251) },
			"signed range": func() { here.Signed(wires[0], 251) },
		} {
			var overflowed *bounded.OverflowError
			err := panicked(overflow)
			if !errors.As(err, &overflowed) || overflowed.Where != "layer 3" || overflowed.Bits <= bounded.MaxBits {
				t.Errorf("%s: %v", name, err)
			}
		}
	})
	want := "layer 3: values of up to 251 bits, the limit is 250"
	if err := (&bounded.OverflowError{Where: "layer 3", Bits: 251}); err.Error() != want {
		t.Errorf("%q, want %q", err, want)
	}
}

// Vectors of different lengths have no product.
func TestDotNeedsEqualLengths(t *testing.T) {
	adversary.Compile(t, 1, func(a *bounded.Arith, wires []frontend.Variable) {
		x := []bounded.Int{a.Unsigned(wires[0], 4)}
		if panicked(func() { a.Dot(x, append(x, x...)) }) == nil {
			t.Error("one value was multiplied by two")
		}
	})
}

// panicked runs f and returns what it panicked with, as an error.
func panicked(f func()) (err error) {
	defer func() {
		switch r := recover().(type) {
		case nil:
		case error:
			err = r
		default:
			err = fmt.Errorf("%v", r)
		}
	}()
	f()
	return nil
}

// Every place is listed once, in the order of its first value, with the widest magnitude it may hold.
func TestWidthsAreTheWidestOfEachPlace(t *testing.T) {
	var found []bounded.Width
	adversary.Compile(t, 2, func(a *bounded.Arith, wires []frontend.Variable) {
		x := a.At("inputs").Unsigned(wires[0], 5) // at most 31
		y := a.At("inputs").Unsigned(wires[1], 3) // at most 7
		a.At("products").Mul(x, y)                // at most 217
		a.At("inputs").Add(x, x)                  // at most 62
		found = a.Widths()
	})
	if want := []bounded.Width{{Where: "inputs", Bits: 6}, {Where: "products", Bits: 8}}; !slices.Equal(found, want) {
		t.Errorf("found %v, want %v", found, want)
	}
}
