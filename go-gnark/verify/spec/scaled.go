package spec

import (
	"fmt"
	"math/big"

	"equiproof/verify/canonical"
	"equiproof/verify/names"
	"equiproof/verify/number"
)

// scaled is a number in one column.
type scaled struct{ quantity }

func (scaled) check(_ *Spec, f *Feature, name string) error {
	if err := f.checkNoOffset(name); err != nil {
		return err
	}
	return f.checkStart(name)
}

func (scaled) columns(f *Feature, value canonical.Value) ([]*big.Rat, error) {
	amount, err := f.amount(value)
	return []*big.Rat{amount}, err
}

func (scaled) ends(f *Feature) []*[2]*big.Rat { return []*[2]*big.Rat{f.extremes()} }

// shownEnds of the width are rounded inward, to six digits of the way between them.
func (scaled) shownEnds(s *Spec, f *Feature) *[2]number.Decimal {
	if f.Range != nil {
		return f.rangeEnds()
	}
	step := new(big.Rat).Quo(number.Exact(f.Scale), new(big.Rat).SetInt(s.ScaleUnit()))
	limit := int64(1) << (s.InputBits - 1)
	end := func(steps int64) *big.Rat {
		way := new(big.Rat).Mul(step, number.Whole(steps))
		return way.Add(way, number.Exact(f.Mean))
	}
	// Inward, so that no value is shown which the width does not hold.
	least, most := end(-limit), end(limit-1)
	place := number.Exponent(new(big.Rat).Sub(most, least)) - 5
	unit := number.PowerOfTen(place)
	first, last := number.Ceil(least.Quo(least, unit)), number.Floor(most.Quo(most, unit))
	return &[2]number.Decimal{number.NewDecimal(first, place).Normalized(), number.NewDecimal(last, place).Normalized()}
}

func (scaled) reach(s *Spec, f *Feature, radius *big.Rat, value canonical.Value) *Reach {
	own := number.Read(value)
	distance := f.distance(radius)
	low, high := inside(own, distance, scaledStep(f, distance))
	return s.within(f, own, low, high)
}

func (scaled) movedAlone(f *Feature, radius *big.Rat) *Moved {
	distance := f.distance(radius)
	_, most := inside(new(big.Rat), distance, scaledStep(f, distance))
	if most.Sign() <= 0 {
		return nil
	}
	return &Moved{Name: "distance", Numbers: map[string]*big.Rat{"moved": most}}
}

func (scaled) moved(f *Feature, radius *big.Rat) string {
	return "+- " + number.RoundedDown(f.distance(radius)).String() + names.AfterNumber(f.Unit)
}

// interval is cut at the ends of the feature's range, and where the spec restricts neighbors to ranges at those of the width.
func (k scaled) interval(s *Spec, f *Feature, radius *big.Rat, value canonical.Value) string {
	at := k.reach(s, f, radius, value)
	if days := f.writtenDates(at.Own, at.Low, at.High); days != nil && at.Moves() {
		return fmt.Sprintf("%s: %s to %s", days[0], days[1], days[2])
	} else if days != nil {
		return days[0] + ": " + ThisValue
	}
	own, distance := number.Parse(number.Text(value)), number.RoundedDown(f.distance(radius))
	low, high := own.Minus(distance), own.Plus(distance)
	if f.Range != nil || s.UseRanges {
		// Ends of the width are rounded inward; the value itself was proven all the same.
		ends := s.ShownEnds(f)
		low, high = greater(low, lesser(own, ends[0])), lesser(high, greater(own, ends[1]))
	}
	return fmt.Sprintf("%s: %s to %s%s", own, low, high, names.AfterNumber(f.Unit))
}

// scaledStep is what shown ends are multiples of: 1 for whole numbers, else the last digit of what is below a distance. What is
// below a power of ten has its first digit one place further right than that power.
func scaledStep(f *Feature, distance *big.Rat) *big.Rat {
	if f.IsWhole() || distance.Sign() == 0 {
		return number.Whole(1)
	}
	place := number.Exponent(distance)
	if distance.Cmp(number.PowerOfTen(place)) == 0 {
		place--
	}
	return number.PowerOfTen(place - keptDigits + 1)
}

// inside are the ends just inside of what is closer than a distance, as multiples of a step. Both are strictly inside: an end
// that is a multiple itself is at the distance and not closer, hence the floor plus one and the ceiling less one.
func inside(own, distance, step *big.Rat) (low, high *big.Rat) {
	first := number.Floor(quotient(new(big.Rat).Sub(own, distance), step))
	last := number.Ceil(quotient(new(big.Rat).Add(own, distance), step))
	return multiple(first.Add(first, big.NewInt(1)), step), multiple(last.Sub(last, big.NewInt(1)), step)
}

// lesser and greater return the first of two numbers that are equal.
func lesser(left, right number.Decimal) number.Decimal {
	if right.Cmp(left) < 0 {
		return right
	}
	return left
}

func greater(left, right number.Decimal) number.Decimal {
	if right.Cmp(left) > 0 {
		return right
	}
	return left
}
