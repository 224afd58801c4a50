package spec

import (
	"fmt"
	"math/big"

	"equiproof/verify/canonical"
	"equiproof/verify/number"
	"equiproof/verify/tables"
)

var million = big.NewInt(1_000_000)

// RadiusOfAny is the radius that holds for real-valued queries and neighbors: each coordinate may be rounded by a step.
// Columns of the padding are 0 for everybody, so that none of them is rounded.
func (s *Spec) RadiusOfAny(squared int64) *big.Rat {
	// Rounding to the grid moves each coordinate of a point by at most half a step, so the point by sqrt(n)/2 and two points
	// apart by sqrt(n): pairs closer than sqrt(R2) - sqrt(n) stay closer than sqrt(R2). The first root is rounded down and the
	// second up (n >= 1, so that is floor(sqrt(n - 1)) + 1), so that no more is claimed than that.
	rounded := new(big.Int).Sqrt(big.NewInt(int64(s.OwnColumns() - 1)))
	steps := new(big.Int).Sqrt(big.NewInt(squared))
	steps.Sub(steps, rounded.Add(rounded, big.NewInt(1)))
	if steps.Sign() < 0 {
		return new(big.Rat)
	}
	return new(big.Rat).SetFrac(steps, s.ScaleUnit())
}

// Length is the root of a squared distance of grid points with six decimals, rounded down. The root of a floor is the floor of
// the root, so rounding the millionths before the root loses nothing.
func (s *Spec) Length(squared int64) string {
	millionths := new(big.Int).Mul(big.NewInt(squared), new(big.Int).Mul(million, million))
	unit := s.ScaleUnit()
	return SixDecimals(new(big.Int).Sqrt(millionths.Div(millionths, unit.Mul(unit, unit))))
}

// Cut is a number that is not negative with six decimals, rounded down.
func Cut(value *big.Rat) string {
	return SixDecimals(number.Floor(new(big.Rat).Mul(value, new(big.Rat).SetInt(million))))
}

// InUnits says how far one feature alone may move, in its own unit.
func (f *Feature) InUnits(radius *big.Rat) string { return f.encoding().moved(f, radius) }

// Interval says a value of a feature, and the values among which it alone may move.
func (s *Spec) Interval(f *Feature, radius *big.Rat, value canonical.Value) string {
	if value == nil {
		return tables.Written("value.missing")
	}
	return f.encoding().interval(s, f, radius, value)
}

// KeptTo says the values of a feature that neighbors are kept to where a spec restricts them to ranges.
func (s *Spec) KeptTo(f *Feature) string { return f.encoding().keptTo(s, f) }

// ShownEnds are the ends of the feature's range, or without one those that the width holds, which are then the box's, rounded
// inward; nil for a category.
func (s *Spec) ShownEnds(f *Feature) *[2]number.Decimal { return f.encoding().shownEnds(s, f) }

// SixDecimals writes so many millionths as a number with six decimals.
func SixDecimals(millionths *big.Int) string {
	sign := ""
	if millionths.Sign() < 0 {
		sign = "-"
	}
	whole, part := new(big.Int).DivMod(new(big.Int).Abs(millionths), million, new(big.Int))
	return fmt.Sprintf("%s%d.%06d", sign, whole, part)
}
