package spec

import (
	"errors"
	"fmt"
	"math/big"
	"slices"
	"sync"

	"equiproof/verify/canonical"
	"equiproof/verify/names"
	"equiproof/verify/number"
	"equiproof/verify/tables"
)

const (
	levelBits         = 40  // of the fraction of a level
	mostLevel         = 64  // numbers from 2^-mostLevel to 2^mostLevel have a level
	firstBits         = 128 // of fraction that a logarithm is computed with at first
	rootBits          = 192 // of fraction of where a search begins
	shownDigits       = 6
	firstTen, lastTen = -20, 19 // exponents: the first power is below all that have a level, the last is the greatest with one
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
	if err := f.checkNoStart(name); err != nil {
		return err
	}
	if f.Offset == nil {
		return errors.New(tables.Say("spec.offset_missing", name, f.Encoding))
	}
	field, values := "domain", f.Domain
	if f.Range != nil {
		field, values = "range", f.Range[:]
	}
	for _, value := range values {
		if !hasLevel(f.counted(number.Exact(value))) {
			return errors.New(tables.Say("spec.offset_unfit", name, beginning(*f.Offset), field, beginning(value)))
		}
	}
	if len(values) > 0 {
		return nil
	}
	if ends := s.logHeld(f); ends[0].Cmp(ends[1]) > 0 {
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
		return nil, errors.New(tables.Say("value.no_logarithm", beginning(*f.Offset), beginning(number.Text(value))))
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

func (logarithm) shownEnds(s *Spec, f *Feature) *[2]number.Decimal {
	if f.Range != nil {
		return f.rangeEnds()
	}
	return s.logHeld(f)
}

// logHeld are the ends of the numbers that the width holds, of six digits counted from minus the offset.
func (s *Spec) logHeld(f *Feature) *[2]number.Decimal {
	limit, start := int64(1)<<(s.InputBits-1), number.FromRat(f.start())
	low, high := lastSixDigits(s.firstLevel(f, -limit), 1), lastSixDigits(s.firstLevel(f, limit), 0)
	return &[2]number.Decimal{low.Plus(start).Normalized(), high.Plus(start).Normalized()}
}

// firstLevel is the least raw column number that is rounded to a column, or to a later one.
func (s *Spec) firstLevel(f *Feature, column int64) *big.Rat {
	way := new(big.Rat).Sub(number.Whole(column), half)
	way.Mul(way, quotient(number.Exact(f.Scale), new(big.Rat).SetInt(s.ScaleUnit())))
	return way.Add(way, number.Exact(f.Mean))
}

// lastSixDigits is the last number of six digits before those that have at least a level, or the one `more` beyond it.
func lastSixDigits(bound *big.Rat, more int64) number.Decimal {
	all := levelsOfTens()
	ten, _ := slices.BinarySearchFunc(all, bound, (*big.Rat).Cmp)
	place := firstTen + ten - shownDigits + 1
	last := lastBefore(new(big.Rat), number.PowerOfTen(place), bound)
	return number.NewDecimal(new(big.Int).Add(last, big.NewInt(more)), place)
}

// levelsOfTens are those of the powers of ten behind the first, which lies below all that have one.
var levelsOfTens = sync.OnceValue(func() (all []*big.Rat) {
	for ten := firstTen + 1; ten <= lastTen; ten++ {
		all = append(all, level(number.PowerOfTen(ten)))
	}
	return all
})

// reach ends at the last multiple of a step on each side with a level that is closer.
func (logarithm) reach(s *Spec, f *Feature, radius *big.Rat, value canonical.Value) *Reach {
	own, distance := number.Read(value), f.distance(radius)
	if distance.Sign() == 0 {
		return s.within(f, own, own, own)
	}
	sum, offset := f.counted(own), number.Exact(*f.Offset)
	at, step := level(sum), logStep(f, sum, distance)
	low := lastBefore(offset, step, levelAbove(new(big.Rat).Sub(at, distance)))
	high := lastBefore(offset, step, new(big.Rat).Add(at, distance))
	return s.within(f, own, multiple(new(big.Int).Add(low, big.NewInt(1)), step), multiple(high, step))
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
		return tables.Written("reading.factor_from", times, number.FromRat(start), names.AfterNumber(f.Unit))
	}
	return tables.Written("reading.factor", times)
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
	factor := multiple(lastBefore(new(big.Rat), step, levelAbove(most.Sub(most, oneLevel))), step)
	if factor.Cmp(number.Whole(1)) <= 0 {
		return nil
	}
	return factor
}

// lastBefore is the count of the last multiple of a step for which the sum with an offset lies before those that have at least a
// level. What is too small for a level lies before all of them, and what is too large does not.
func lastBefore(offset, step, bound *big.Rat) *big.Int {
	from := power(bound)
	return lastInside(number.Floor(quotient(from.Sub(from, offset), step)), func(count *big.Int) bool {
		sum := multiple(count, step)
		sum.Add(sum, offset)
		return sum.Cmp(leastCounted) < 0 || sum.Cmp(mostCounted) <= 0 && level(sum).Cmp(bound) < 0
	})
}

// power is about the least number that has at least a level, or an end of those that have one: where a search begins, and no
// more. The search ends there in a few steps, so that no certificate takes long to read.
func power(bound *big.Rat) *big.Rat {
	bound = smaller(larger(bound, number.Whole(-mostLevel)), number.Whole(mostLevel))
	units := number.Ceil(quotient(bound, oneLevel))
	value := powerOfTwo(rootBits)
	for at, root := range roots() {
		if units.Bit(levelBits-1-at) == 1 {
			value.Rsh(value.Mul(value, root), rootBits)
		}
	}
	whole := int(units.Rsh(units, levelBits).Int64()) - rootBits
	return new(big.Rat).SetFrac(shifted(value, whole), powerOfTwo(max(-whole, 0)))
}

// roots are two to the powers 1/2, 1/4, 1/8 and so on, with rootBits of fraction.
var roots = sync.OnceValue(func() (all []*big.Int) {
	root := powerOfTwo(rootBits + 1)
	for range levelBits {
		root = new(big.Int).Lsh(root, rootBits)
		all = append(all, root.Sqrt(root))
	}
	return all
})

// lastInside is the greatest integer that is inside, where all up to one are, by doubling and halving from any.
func lastInside(from *big.Int, inside func(count *big.Int) bool) *big.Int {
	one := big.NewInt(1)
	last, first := from, new(big.Int).Add(from, one)
	for width := one; inside(first); width = new(big.Int).Lsh(width, 1) {
		last, first = first, new(big.Int).Add(first, width)
	}
	for width := one; !inside(last); width = new(big.Int).Lsh(width, 1) {
		last, first = new(big.Int).Sub(last, width), last
	}
	for between := new(big.Int).Sub(first, last); between.Cmp(one) > 0; between.Sub(first, last) {
		middle := new(big.Int).Add(last, between.Rsh(between, 1))
		if inside(middle) {
			last = middle
		} else {
			first = middle
		}
	}
	return last
}

// levelAbove is the least multiple of 2^-40 above a number.
func levelAbove(value *big.Rat) *big.Rat {
	units := number.Floor(quotient(value, oneLevel))
	return multiple(units.Add(units, big.NewInt(1)), oneLevel)
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
