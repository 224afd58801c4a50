package spec

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"strings"
	"testing"

	"equiproof/verify/canonical"
	"equiproof/verify/number"
	"equiproof/verify/tables"
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

// Each mistake in a spec is one line that says what to do.
func TestOffsetsThatAreRefused(t *testing.T) {
	unfit := func(offset, field, value string) string {
		return "change the offset " + offset + " or the " + field + "'s " + value + ": their sum must lie between 2^-64 and 2^64"
	}
	const unheld = "change mean, scale or input_bits: no number has a logarithm that 14 bits hold"
	for _, one := range []struct{ kind, encoding, more, want string }{
		{"numeric", "log", ``, `give an offset, the number that encoding log adds to a value first, such as "0"`},
		{"numeric", "scaled", `,"offset":"0"`, "leave offset out: encoding scaled has none"},
		{"categorical", "rank", `,"offset":"0","domain":["a"]`, "leave offset out: encoding rank has none"},
		{"numeric", "log", `,"offset":"0","range":["0","1"]`, unfit("0", "range", "0")},
		{"numeric", "log", `,"offset":"0","range":["0.00000000000000000005","1"]`, unfit("0", "range", "0.00000000000000000005")},
		{"numeric", "log", `,"offset":"-5","range":["5","6"]`, unfit("-5", "range", "5")},
		{"categorical", "log", `,"offset":"0","domain":["a"]`, "encoding 'log' does not go with kind 'categorical'"},
		{"numeric", "log", `,"offset":"0","mean":"200"`, unheld},
		// The integer 0 is a level of about 0.3 alone, which no number of six digits has.
		{"numeric", "log", `,"offset":"0","mean":"0.3","scale":"0.00000000000000001"`, unheld},
		{"numeric", "scaled", `,"offset":"x"`, "'x'"},
		{"numeric", "log", `,"offset":""`, "''"},
	} {
		feature := fmt.Sprintf(`{"name":"it","sensitive":false,"kind":%q,"encoding":%q%s}`, one.kind, one.encoding, one.more)
		want := "feature 'it': " + one.want
		if strings.HasPrefix(one.want, "'") {
			want = tables.Say("spec.not_decimal", "feature 'it': offset", one.want)
		}
		if _, err := specOf(feature, 10, 14, false); err == nil || err.Error() != want {
			t.Errorf("%s: %v, want %s", feature, err, want)
		}
	}
}

// Values that have no logarithm are refused by their name, and the ends of those that have one are taken.
func TestValuesWithoutALogarithm(t *testing.T) {
	s, err := specOf(`{"name":"it","sensitive":false,"kind":"numeric","encoding":"log","offset":"12.5"}`, 2, 20, false)
	if err != nil {
		t.Fatal(err)
	}
	row := func(value canonical.Value) *canonical.Object {
		return canonical.NewObject().Set("it", value).Set("housing", "own")
	}
	for _, value := range []canonical.Value{"-12.5", "-13", "18446744073709551604", -1e300, "-12.49999999999999999999"} {
		want := "feature 'it': " + tables.Say("value.no_logarithm", "12.5", number.Text(value))
		if value == -1e300 {
			want = "feature 'it': " + tables.Say("value.not_a_number", "'-1e+300'")
		}
		if _, err := s.Encode(row(value)); err == nil || err.Error() != want {
			t.Errorf("%v: %v, want %s", value, err, want)
		}
	}
	for value, want := range map[string]int64{
		"18446744073709551603.5": 64 << 2, "-12.4999999999999999999": -63 << 2, "-11.5": 0, "-4.5": 3 << 2,
	} {
		if query, err := s.Encode(row(value)); err != nil || query[0] != want {
			t.Errorf("%s: %v, %v, want %d", value, query, err, want)
		}
	}
}
