package spec

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"equiproof/verify/number"
)

// units is a level in units of 2^-40.
func units(t *testing.T, x *big.Rat) int64 {
	t.Helper()
	scaled := new(big.Rat).Quo(level(x), oneLevel)
	if !scaled.IsInt() {
		t.Fatalf("%s: the level %s is no multiple of 2^-40", x.RatString(), scaled.RatString())
	}
	return scaled.Num().Int64()
}

func TestLevelsOfPowersOfTwo(t *testing.T) {
	below := new(big.Rat).Sub(number.Whole(1), number.PowerOfTen(-40))
	for power := -mostLevel; power <= mostLevel; power++ {
		x := new(big.Rat).SetFrac(powerOfTwo(max(power, 0)), powerOfTwo(max(-power, 0)))
		if at := units(t, x); at != int64(power)<<levelBits {
			t.Errorf("2^%d: %d", power, at)
		}
		// Of what is 10^-40 of it below, 128 bits do not tell the logarithm from that of the power itself.
		if at := units(t, x.Mul(x, below)); at != int64(power)<<levelBits-1 {
			t.Errorf("just below 2^%d: %d", power, at)
		}
	}
}

// The two decimal numbers with 40 decimals around a power of 2^(1/2^depth) have the levels below it and at it.
func TestLevelsBesideRoots(t *testing.T) {
	tenTo40 := new(big.Int).Exp(big.NewInt(10), big.NewInt(40), nil)
	for depth := 1; depth <= levelBits; depth++ {
		// floor(10^40 2^(odd / 2^depth)), by as many square roots of 2^odd with bits enough to spare.
		const spare = 400
		odd := int64(1)
		if depth > 2 {
			odd = 5
		}
		root := new(big.Int).Lsh(big.NewInt(1), uint(spare+int(odd)))
		for range depth {
			root.Sqrt(root.Lsh(root, spare))
		}
		floor := root.Rsh(root.Mul(root, tenTo40), spare)
		at := odd << (levelBits - depth)
		if below := units(t, new(big.Rat).SetFrac(floor, tenTo40)); below != at-1 {
			t.Errorf("below 2^(%d/2^%d): %d, want %d", odd, depth, below, at-1)
		}
		floor.Add(floor, big.NewInt(1))
		if above := units(t, new(big.Rat).SetFrac(floor, tenTo40)); above != at {
			t.Errorf("above 2^(%d/2^%d): %d, want %d", odd, depth, above, at)
		}
	}
}

func TestLevelsNeverFallAndAreLogarithms(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 500 {
		x := math.Exp2(rng.Float64()*126 - 63)
		exact := new(big.Rat).SetFloat64(x)
		at := units(t, exact)
		if math.Abs(float64(at)-math.Log2(x)*(1<<levelBits)) > 2 {
			t.Errorf("%g: %d", x, at)
		}
		more := new(big.Rat).Mul(exact, new(big.Rat).SetFloat64(1+math.Exp2(-rng.Float64()*50)))
		if above := units(t, more); above < at {
			t.Errorf("%s has %d, less than %d of %g", more.RatString(), above, at, x)
		}
	}
}

// The search by multiples is the closed form wherever numbers are as they are.
func TestLastMultipleIsTheClosedForm(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for range 500 {
		own := big.NewRat(rng.Int64N(2_000_000)-1_000_000, int64(math.Pow10(rng.IntN(7))))
		distance := big.NewRat(rng.Int64N(1000)+1, int64(math.Pow10(rng.IntN(7))))
		step := scaledStep(&Feature{}, distance)
		closer := func(number *big.Rat) bool {
			way := new(big.Rat).Sub(number, own)
			return way.Abs(way).Cmp(distance) < 0
		}
		from := quotient(own, step)
		low := lastMultiple(number.Ceil(from), step, -1, closer)
		high := lastMultiple(number.Floor(from), step, 1, closer)
		if first, last := inside(own, distance, step); first.Cmp(low) != 0 || last.Cmp(high) != 0 {
			t.Fatalf("%s +- %s: %s to %s, want %s to %s", own, distance, low, high, first, last)
		}
	}
}
