package words

import (
	"math/big"
	"math/rand/v2"
	"testing"

	"equiproof/verify/canonical"
	"equiproof/verify/number"
	"equiproof/verify/spec"
)

// What is drawn lies inside what is certified, but for the own mark, and ends less than a place before it.
func TestPlacesAreInsideTheReach(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	for range 2000 {
		from := func(low *big.Rat, most int64) *big.Rat {
			return new(big.Rat).Add(low, big.NewRat(rng.Int64N(most), rng.Int64N(1_000_000)+1))
		}
		one := &spec.Reach{Low: from(number.Whole(-500), 1000)}
		one.Own = from(one.Low, 100)
		one.High = from(one.Own, 100)
		if rng.IntN(2) == 0 {
			one.Possible = &[2]*big.Rat{new(big.Rat).Neg(from(new(big.Rat).Neg(one.Low), 100)), from(one.High, 100)}
			one.Listed = rng.IntN(2) == 0
		}
		bar := canonical.NewObject()
		places(bar, one)
		start, end := one.Track()
		value := func(place *big.Int) *big.Rat {
			way := new(big.Rat).Mul(new(big.Rat).SetInt(place), new(big.Rat).Sub(end, start))
			return way.Add(way.Quo(way, number.Whole(track)), start)
		}
		low, high, you := bar.Get("low").(*big.Int), bar.Get("high").(*big.Int), bar.Get("you").(*big.Int)
		past := func(place *big.Int) *big.Int { return new(big.Int).Add(place, big.NewInt(1)) }
		before := func(place *big.Int) *big.Int { return new(big.Int).Sub(place, big.NewInt(1)) }
		right := (value(low).Cmp(one.Low) >= 0 || low.Cmp(you) == 0) && value(before(low)).Cmp(one.Low) < 0 &&
			(value(high).Cmp(one.High) <= 0 || high.Cmp(you) == 0) && value(past(high)).Cmp(one.High) > 0 &&
			low.Cmp(you) <= 0 && you.Cmp(high) <= 0 &&
			value(before(you)).Cmp(one.Own) < 0 && value(past(you)).Cmp(one.Own) > 0
		if start.Cmp(end) < 0 && !right {
			t.Fatalf("%s of %s to %s on %s to %s: %s", one.Own, one.Low, one.High, start, end, canonical.Bytes(bar))
		}
	}
}
