package additive_test

import (
	"math/big"
	"testing"

	"github.com/consensys/gnark-crypto/ecc/bn254/fr"
	"github.com/consensys/gnark/frontend"

	"equiproof/gadget/additive"
	"equiproof/gadget/bounded"
	"equiproof/internal/adversary"
	"equiproof/shape"
)

// home is a category of two values behind a number and before another one.
var home = shape.Choice{First: 1, Values: 2, Low: -1, High: 2}

// width is how many columns the boxes of these tests have, numbers how many of them are of no category.
const width, numbers = 4, 2

// falling compiles a box with a home and a form over its columns, whose fall is the last wire.
//
// Wires: least and largest ends, whether the home is free, the coefficients, their signs, and the least of the home's.
func falling(t *testing.T) *adversary.Circuit {
	return adversary.Compile(t, 3*width+numbers+3, func(a *bounded.Arith, wires []frontend.Variable) {
		take := &adversary.Wires{Rest: wires}
		low, high := take.Signed(a, width, 8), take.Signed(a, width, 8)
		falls := additive.NewPeople(a, low, high, []shape.Choice{home}, take.Take(1)).Falls(a)
		if of, categories := falls.Lengths(); of != numbers || categories != 1 {
			t.Errorf("signs of %d numbers and the least of %d categories, want %d and 1", of, categories, numbers)
		}
		form := take.Signed(a, width, 8)
		negative := falls.Negative(a, form, take.Take(numbers))
		equal(a, take, falls.Fall(a, form, negative, take.Take(1), 8))
	})
}

// fraction returns a quotient of the field.
func fraction(above, below int64) *big.Int {
	inverse := new(big.Int).ModInverse(big.NewInt(below), fr.Modulus())
	return inverse.Mod(inverse.Mul(inverse, big.NewInt(above)), fr.Modulus())
}

var (
	open    = adversary.Join(-3, -1, -1, 10, 4, 2, 2, 15, 1)
	renting = adversary.Join(-3, -1, -1, 10, 4, -1, 2, 15, 1)
	owning  = adversary.Join(-3, 2, -1, 10, 4, 2, -1, 15, 0)
)

// A form falls by its negative parts times the spans of numbers, 7 and 5, and rises by 3 times the least of the open home's coefficients.
func TestFalls(t *testing.T) {
	circuit := falling(t)
	circuit.Accepts(t, "both numbers harm", adversary.Join(open, -2, 4, -6, -9, 1, 1, -6, 2*7+9*5+3*6)...)
	circuit.Accepts(t, "one of them helps", adversary.Join(open, 2, 4, 6, -9, 0, 1, 4, 9*5-3*4)...)
	circuit.Accepts(t, "nothing counts", adversary.Join(open, 0, 0, 0, 0, 0, 0, 0, 0)...)
	circuit.Accepts(t, "less than the least of the home", adversary.Join(open, 2, 4, 6, 9, 0, 0, 3, -3*3)...)
	circuit.Accepts(t, "the coefficient of a closed value counts for nothing", adversary.Join(renting, 2, -100, 6, 9, 0, 0, 6, -3*6)...)
	circuit.Accepts(t, "those of a settled home, too", adversary.Join(owning, 2, -100, -100, 9, 0, 0, 77, 0)...)
	circuit.Accepts(t, "as wide as they are", adversary.Join(open, -128, -128, 127, 127, 1, 0, -128, 128*7+128*3)...)
	circuit.Refuses(t, "one less", adversary.Join(open, -2, 4, -6, -9, 1, 1, -6, 2*7+9*5+3*6-1)...)
}

// The sign of a coefficient is a bit, 1 where it is below 0 and only there.
func TestFallsBySigns(t *testing.T) {
	circuit := falling(t)
	circuit.Refuses(t, "a coefficient below 0 counts as above", adversary.Join(open, -2, 0, 0, -9, 0, 1, 0, 9*5)...)
	circuit.Refuses(t, "the last one, too", adversary.Join(open, -2, 0, 0, -9, 1, 0, 0, 2*7)...)
	circuit.Refuses(t, "one above 0 counts as below", adversary.Join(open, 2, 0, 0, 9, 1, 0, 0, -2*7)...)
	circuit.Refuses(t, "0 counts as below", adversary.Join(open, 0, 0, 0, 9, 1, 0, 0, 0)...)
	// The range check sees 0 where a coefficient of 3 has the bit 3/7: 3 of the span of 7 are risen by, times 3.
	circuit.Refuses(t, "a fraction of a sign", adversary.Join(open, 3, 0, 0, 9, fraction(3, 7), 0, 0, -9)...)
}

// The home rises by no more than any open value does, and by nothing where it has one.
func TestFallsByHomes(t *testing.T) {
	circuit := falling(t)
	circuit.Refuses(t, "the better of both values", adversary.Join(open, 0, 4, 6, 0, 0, 0, 6, -3*6)...)
	circuit.Refuses(t, "the better first one", adversary.Join(open, 0, 6, 4, 0, 0, 0, 6, -3*6)...)
	circuit.Refuses(t, "more than the only one", adversary.Join(renting, 0, 6, 4, 0, 0, 0, 6, -3*6)...)
	circuit.Refuses(t, "a settled home that rises", adversary.Join(owning, 0, 0, 0, 0, 0, 0, 1, -3)...)
	circuit.Refuses(t, "a least that is too wide", adversary.Join(owning, 0, 0, 0, 0, 0, 0, 128, 0)...)
	circuit.Refuses(t, "too far below, too", adversary.Join(open, 0, 0, 0, 0, 0, 0, -129, 3*129)...)
}

// Somebody is in the box, and whoever is in it has one home.
func TestFallsOfPeople(t *testing.T) {
	circuit := falling(t)
	nothing := adversary.Join(0, 0, 0, 0, 0, 0, 0, 0)
	of := func(low, high, free []any) []any { return adversary.Join(-3, low, 10, 4, high, 15, free, nothing) }
	list := func(values ...any) []any { return values }
	circuit.Accepts(t, "an open home", of(list(-1, -1), list(2, 2), list(1))...)
	circuit.Accepts(t, "a home of one value", of(list(2, -1), list(2, -1), list(0))...)
	circuit.Refuses(t, "an open home that is not free", of(list(-1, -1), list(2, 2), list(0))...)
	circuit.Refuses(t, "one open value that is not free", of(list(-1, -1), list(-1, 2), list(0))...)
	circuit.Refuses(t, "the first value that is open and not free", of(list(-1, -1), list(2, -1), list(0))...)
	circuit.Refuses(t, "an open value beside one that all have", of(list(2, -1), list(2, 2), list(1))...)
	circuit.Refuses(t, "a home without a value that is free", of(list(-1, -1), list(-1, -1), list(1))...)
	circuit.Refuses(t, "less than not free", of(list(-1, -1), list(-1, -1), list(-1))...)
	circuit.Refuses(t, "thirds of values", of(list(-1, -1), list(0, 1), list(1))...)
	circuit.Refuses(t, "a value and another one back", of(list(-1, 2), list(2, -1), list(0))...)
	circuit.Refuses(t, "twice a value", of(list(-1, -1), list(5, -1), list(1))...)
	circuit.Refuses(t, "a number's ends exchanged", adversary.Join(4, -1, -1, 10, -3, 2, 2, 15, 1, nothing)...)
	circuit.Refuses(t, "those of the last one", adversary.Join(-3, -1, -1, 15, 4, 2, 2, 10, 1, nothing)...)
}

// Negative parts, spans and falls have the bounds that follow from those of ends and coefficients.
func TestBoundsOfFalls(t *testing.T) {
	adversary.Compile(t, 3*width+numbers+2, func(a *bounded.Arith, wires []frontend.Variable) {
		take := &adversary.Wires{Rest: wires}
		low, high := take.Signed(a, width, 8), take.Signed(a, width, 8)
		falls := additive.NewPeople(a, low, high, []shape.Choice{home}, take.Take(1)).Falls(a)
		form := take.Signed(a, width, 6)
		negative := falls.Negative(a, form, take.Take(numbers))
		for column, most := range []int64{32, 0, 0, 32} {
			if lo, hi := negative[column].Bounds(); lo.Sign() != 0 || hi.Int64() != most {
				t.Errorf("the negative part of column %d lies in [%v, %v]", column, lo, hi)
			}
		}
		fall := falls.Fall(a, form, negative, take.Take(1), 6)
		if lo, hi := fall.Bounds(); lo.Int64() != -3*31 || hi.Int64() != 2*32*255+3*32 {
			t.Errorf("the fall lies in [%v, %v]", lo, hi)
		}
	})
}
