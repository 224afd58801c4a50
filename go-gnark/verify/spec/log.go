package spec

import (
	"errors"
	"fmt"
	"math/big"

	"equiproof/verify/canonical"
	"equiproof/verify/names"
	"equiproof/verify/number"
	"equiproof/verify/tables"
)

const (
	levelBits   = 40  // of the fraction of a level
	mostLevel   = 64  // numbers from 2^-mostLevel to 2^mostLevel have a level
	firstBits   = 128 // of fraction that a logarithm is computed with at first
	shownDigits = 6
)

var (
	mostCounted  = new(big.Rat).SetInt(powerOfTwo(mostLevel))
	leastCounted = new(big.Rat).Inv(mostCounted)
	oneLevel     = new(big.Rat).SetFrac(big.NewInt(1), powerOfTwo(levelBits))
	half         = big.NewRat(1, 2)
)

// logarithm is a number in one column: the number plus the feature's offset, and of this sum the level, which is its binary
// logarithm rounded down to a multiple of 2^-40. Distances are factors. The level is the encoding itself, and never falls, so
// that what is said of numbers is exact.
type logarithm struct{ quantity }

// check refuses a feature without an offset, ends of the range and values of the domain without a level, and where there are
// neither a grid that holds no number.
func (logarithm) check(s *Spec, f *Feature, name string) error {
	if f.Offset == nil {
		return errors.New(tables.Say("spec.offset_missing", name, f.Encoding))
	}
	field, values := "domain", f.Domain
	if f.Range != nil {
		field, values = "range", f.Range[:]
	}
	for _, value := range values {
		if !hasLevel(f.counted(number.Exact(value))) {
			return errors.New(tables.Say("spec.offset_unfit", name, *f.Offset, field, value))
		}
	}
	if ends := s.logHeld(f); len(values) == 0 && ends[0].Cmp(ends[1]) > 0 {
		return errors.New(tables.Say("spec.logarithm_unheld", name, s.InputBits))
	}
	return nil
}

func (logarithm) columns(f *Feature, value canonical.Value) ([]*big.Rat, error) {
	amount, err := f.amount(value)
	if err != nil {
		return nil, err
	}
	sum := f.counted(amount)
	if !hasLevel(sum) {
		return nil, errors.New(tables.Say("value.no_logarithm", *f.Offset, number.Text(value)))
	}
	return []*big.Rat{level(sum)}, nil
}

func (logarithm) ends(f *Feature) []*[2]*big.Rat {
	ends := f.extremes()
	if ends == nil {
		return []*[2]*big.Rat{nil}
	}
	return []*[2]*big.Rat{{level(f.counted(ends[0])), level(f.counted(ends[1]))}}
}

// shownEnds of the width have six digits, counted from minus the offset.
func (logarithm) shownEnds(s *Spec, f *Feature) *[2]number.Decimal {
	if f.Range != nil {
		return f.rangeEnds()
	}
	return s.logHeld(f)
}

// logHeld are the ends of the numbers that the width holds.
func (s *Spec) logHeld(f *Feature) *[2]number.Decimal {
	start := number.FromRat(f.start())
	low := lastSixDigits(1, func(sum *big.Rat) bool { return s.logBeside(f, sum) < 0 })
	high := lastSixDigits(0, func(sum *big.Rat) bool { return s.logBeside(f, sum) <= 0 })
	return &[2]number.Decimal{low.Plus(start).Normalized(), high.Plus(start).Normalized()}
}

// logBeside says whether a sum is below (-1) or above (1) those that a column of the width holds, or one of them (0).
func (s *Spec) logBeside(f *Feature, sum *big.Rat) int {
	if sum.Cmp(leastCounted) < 0 {
		return -1
	}
	if sum.Cmp(mostCounted) > 0 {
		return 1
	}
	column := s.onGrid(f, level(sum))
	limit := powerOfTwo(s.InputBits - 1)
	if column.Cmp(new(big.Int).Neg(limit)) < 0 {
		return -1
	}
	if column.Cmp(limit) >= 0 {
		return 1
	}
	return 0
}

// lastSixDigits is the last number of six digits that holds, and the one `more` beyond it, where all numbers hold up to one.
func lastSixDigits(more int64, holds func(sum *big.Rat) bool) number.Decimal {
	place := number.Exponent(leastCounted)
	for holds(number.PowerOfTen(place + 1)) {
		place++
	}
	place -= shownDigits - 1
	unit := number.PowerOfTen(place)
	from := number.Floor(number.PowerOfTen(shownDigits - 1))
	last := number.Floor(quotient(lastMultiple(from, unit, 1, holds), unit))
	return number.NewDecimal(last.Add(last, big.NewInt(more)), place)
}

// reach is found by the level itself and no power: the last multiple of a step on each side with a level that is closer.
func (logarithm) reach(s *Spec, f *Feature, radius *big.Rat, value canonical.Value) *Reach {
	own, distance := number.Read(value), f.distance(radius)
	if distance.Sign() == 0 {
		return s.within(f, own, own, own)
	}
	sum := f.counted(own)
	at := level(sum)
	least, most := new(big.Rat).Sub(at, distance), new(big.Rat).Add(at, distance)
	step := logStep(f, sum, distance)
	from := quotient(own, step)
	// The first multiples may lie beyond the value itself, where numbers are certainly on this side of the other end.
	low := lastMultiple(number.Ceil(from), step, -1, func(number *big.Rat) bool {
		x := f.counted(number)
		return x.Cmp(sum) >= 0 || x.Cmp(leastCounted) >= 0 && level(x).Cmp(least) > 0
	})
	high := lastMultiple(number.Floor(from), step, 1, func(number *big.Rat) bool {
		x := f.counted(number)
		return x.Cmp(sum) <= 0 || x.Cmp(mostCounted) <= 0 && level(x).Cmp(most) < 0
	})
	return s.within(f, own, low, high)
}

func (logarithm) movedAlone(f *Feature, radius *big.Rat) *Moved {
	factor := logFactor(f.distance(radius))
	if factor == nil {
		return nil
	}
	moved := &Moved{Name: "factor", Numbers: map[string]*big.Rat{"factor": factor}}
	if start := f.start(); start.Sign() != 0 {
		moved.Name, moved.Numbers["start"] = "factor_from", start
	}
	return moved
}

func (logarithm) moved(f *Feature, radius *big.Rat) string {
	factor := logFactor(f.distance(radius))
	if factor == nil {
		return ThisValue
	}
	times := number.FromRat(factor)
	if start := f.start(); start.Sign() != 0 {
		return tables.Say("reading.factor_from", times, number.FromRat(start), names.AfterNumber(f.Unit))
	}
	return tables.Say("reading.factor", times)
}

func (l logarithm) interval(s *Spec, f *Feature, radius *big.Rat, value canonical.Value) string {
	at := l.reach(s, f, radius, value)
	own := number.Parse(number.Text(value))
	if !at.Moves() {
		return own.String() + ": " + ThisValue
	}
	low, high := number.FromRat(at.Low), number.FromRat(at.High)
	return fmt.Sprintf("%s: %s to %s%s", own, low, high, names.AfterNumber(f.Unit))
}

// counted is a number of the feature counted from minus its offset: what has a level.
func (f *Feature) counted(amount *big.Rat) *big.Rat {
	return new(big.Rat).Add(amount, number.Exact(*f.Offset))
}

// start is minus the feature's offset.
func (f *Feature) start() *big.Rat { return new(big.Rat).Neg(number.Exact(*f.Offset)) }

// logStep is what the ends of a span are multiples of: 1 for whole numbers, else the last of three digits of what is below both
// distances to the true ends, x (1 - 2^-m) and x (2^m - 1).
func logStep(f *Feature, sum, distance *big.Rat) *big.Rat {
	if f.IsWhole() {
		return number.Whole(1)
	}
	below := new(big.Rat).Mul(sum, smaller(distance, number.Whole(1)))
	return number.PowerOfTen(number.Exponent(below.Mul(below, half)) - keptDigits + 1)
}

// logFactor is what a number may be multiplied or divided by whatever it is, below a distance of levels; nil where that is
// nothing above 1. Rounding moves a difference of two levels by less than one unit, and the factor's own by another.
func logFactor(distance *big.Rat) *big.Rat {
	if distance.Sign() == 0 {
		return nil
	}
	below := new(big.Rat).Mul(smaller(distance, number.Whole(1)), half)
	step := number.PowerOfTen(number.Exponent(below) - keptDigits + 1)
	most := new(big.Rat).Sub(distance, oneLevel)
	most.Sub(most, oneLevel)
	closer := func(factor *big.Rat) bool { return factor.Cmp(mostCounted) <= 0 && level(factor).Cmp(most) <= 0 }
	one := number.Whole(1)
	if !closer(one) {
		return nil
	}
	if factor := lastMultiple(number.Floor(quotient(one, step)), step, 1, closer); factor.Cmp(one) > 0 {
		return factor
	}
	return nil
}

// lastMultiple is the last multiple of a step, from one that holds upward (1) or downward (-1), before those that do not hold.
func lastMultiple(from *big.Int, step *big.Rat, way int64, holds func(number *big.Rat) bool) *big.Rat {
	at := func(steps *big.Int) *big.Rat {
		count := new(big.Int).Mul(steps, big.NewInt(way))
		return multiple(count.Add(count, from), step)
	}
	low, high := new(big.Int), big.NewInt(1)
	for holds(at(high)) {
		low, high = high, new(big.Int).Lsh(high, 1)
	}
	for between := new(big.Int).Sub(high, low); between.Cmp(big.NewInt(1)) > 0; between.Sub(high, low) {
		middle := new(big.Int).Add(low, high)
		if middle.Rsh(middle, 1); holds(at(middle)) {
			low = middle
		} else {
			high = middle
		}
	}
	return at(low)
}

// hasLevel says whether a sum is one that the encoding takes.
func hasLevel(sum *big.Rat) bool { return sum.Cmp(leastCounted) >= 0 && sum.Cmp(mostCounted) <= 0 }

// level is the binary logarithm of a number above 0, rounded down to a multiple of 2^-40. It is exact: where the bits of a
// computation do not decide, more are taken. That ends, since the logarithm of a fraction is a whole number or irrational.
func level(x *big.Rat) *big.Rat {
	above, below := x.Num(), x.Denom()
	whole := above.BitLen() - below.BitLen()
	if shifted(above, -whole).Cmp(shifted(below, whole)) < 0 {
		whole--
	}
	for bits := firstBits; ; bits *= 2 {
		if fraction, ok := levelFraction(above, below, whole, bits); ok {
			units := new(big.Int).Lsh(big.NewInt(int64(whole)), levelBits)
			return new(big.Rat).SetFrac(units.Add(units, fraction), powerOfTwo(levelBits))
		}
	}
}

// levelFraction is the fraction of a level, in its units, of a number 2^whole times what is from 1 to below 2; not ok where so
// many bits do not decide. An interval around the latter is squared: each time, the next bit says whether it passes 2.
func levelFraction(above, below *big.Int, whole, bits int) (fraction *big.Int, ok bool) {
	low, rest := new(big.Int).QuoRem(shifted(above, bits-whole), shifted(below, whole-bits), new(big.Int))
	high := new(big.Int).Add(low, big.NewInt(int64(rest.Sign())))
	two, up := powerOfTwo(bits+1), new(big.Int).Sub(powerOfTwo(bits), big.NewInt(1))
	fraction = new(big.Int)
	for range levelBits {
		low.Rsh(low.Mul(low, low), uint(bits))
		high.Rsh(high.Add(high.Mul(high, high), up), uint(bits))
		fraction.Lsh(fraction, 1)
		switch {
		case low.Cmp(two) >= 0:
			fraction.SetBit(fraction, 0, 1)
			low.Rsh(low, 1)
			high.Rsh(high.Add(high, big.NewInt(1)), 1)
		case high.Cmp(two) > 0:
			return nil, false
		}
	}
	return fraction, true
}

// shifted is a number times a power of two, and the number itself for a power below 1.
func shifted(value *big.Int, power int) *big.Int { return new(big.Int).Lsh(value, uint(max(power, 0))) }

func powerOfTwo(power int) *big.Int { return new(big.Int).Lsh(big.NewInt(1), uint(power)) }
