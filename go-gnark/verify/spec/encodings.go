package spec

import (
	"errors"
	"fmt"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"equiproof/verify/canonical"
	"equiproof/verify/names"
	"equiproof/verify/number"
	"equiproof/verify/tables"
	"equiproof/verify/text"
)

// Words about a value that does not move in steps.
var (
	AnyValue  = "any value"
	ThisValue = tables.Written("value.this_only")
)

// listedValues is how many values of a domain a refusal names.
const listedValues = 12

// encoding is how features of one encoding become columns, and how columns and distances are read back as words. Twin of
// circuits/encodings.py: each is one type and one line of the table.
type encoding interface {
	// kind is the kind of raw values that the encoding is for.
	kind() string
	// width is the number of columns of a feature.
	width(f *Feature) int
	// columns is the raw number of each column of a value, before scaling; an error for a value that the feature refuses.
	columns(f *Feature, value canonical.Value) ([]*big.Rat, error)
	// ends are the least and greatest raw number of each column; nil where only the width bounds it.
	ends(f *Feature) []*[2]*big.Rat
	// moved says how far the feature alone may move within a radius, never further than the radius allows.
	moved(f *Feature, radius *big.Rat) string
	// interval says a value, and the values among which the feature alone may move within a radius.
	interval(s *Spec, f *Feature, radius *big.Rat, value canonical.Value) string
	// keptTo says the values that neighbors are restricted to where a spec uses ranges.
	keptTo(s *Spec, f *Feature) string
}

var encodings = map[string]encoding{"scaled": scaled{}, "rank": rank{}, "one-hot": oneHot{}}

// scaled is a number in one column. Only sensitive numbers have a domain, and of these no other values are read.
type scaled struct{}

func (scaled) kind() string { return "numeric" }

func (scaled) width(*Feature) int { return 1 }

func (scaled) columns(f *Feature, value canonical.Value) ([]*big.Rat, error) {
	amount := number.Read(value)
	digits := number.Text(value)
	if amount == nil {
		return nil, errors.New(tables.Say("value.not_a_number", text.Repr(text.Cut(digits, 40))))
	}
	if f.Range != nil && !(number.Exact(f.Range[0]).Cmp(amount) <= 0 && amount.Cmp(number.Exact(f.Range[1])) <= 0) {
		return nil, errors.New(tables.Say("value.outside_range", digits, f.Range[0], f.Range[1]))
	}
	return []*big.Rat{amount}, nil
}

func (scaled) ends(f *Feature) []*[2]*big.Rat {
	if f.Range != nil {
		return []*[2]*big.Rat{{number.Exact(f.Range[0]), number.Exact(f.Range[1])}}
	}
	if len(f.Domain) == 0 {
		return []*[2]*big.Rat{nil}
	}
	least, most := number.Exact(f.Domain[0]), number.Exact(f.Domain[0])
	for _, item := range f.Domain[1:] {
		value := number.Exact(item)
		if value.Cmp(least) < 0 {
			least = value
		}
		if value.Cmp(most) > 0 {
			most = value
		}
	}
	return []*[2]*big.Rat{{least, most}}
}

func (scaled) moved(f *Feature, radius *big.Rat) string {
	return "+- " + f.reach(radius).String() + names.AfterNumber(f.Unit)
}

// interval is cut at the ends of the feature's range, and where the spec restricts neighbors to ranges at those of the width.
func (scaled) interval(s *Spec, f *Feature, radius *big.Rat, value canonical.Value) string {
	own, reach := number.Parse(number.Text(value)), f.reach(radius)
	low, high := own.Minus(reach), own.Plus(reach)
	if f.Range != nil || s.UseRanges {
		// Ends of the width are rounded inward; the value itself was proven all the same.
		least, most := s.ShownEnds(f)
		low, high = greater(low, lesser(own, least)), lesser(high, greater(own, most))
	}
	return fmt.Sprintf("%s: %s to %s%s", own, low, high, names.AfterNumber(f.Unit))
}

func (scaled) keptTo(s *Spec, f *Feature) string {
	low, high := s.ShownEnds(f)
	return fmt.Sprintf("%s to %s%s", low, high, names.AfterNumber(f.Unit))
}

// Reached are the first and the last place in the domain of a category that the feature alone may take within a radius.
func (f *Feature) Reached(radius *big.Rat, value canonical.Value) (first, last int) {
	return encodings[f.Encoding].(interface {
		reached(f *Feature, radius *big.Rat, value canonical.Value) (first, last int)
	}).reached(f, radius, value)
}

// category is a value out of a list.
type category struct{}

func (category) kind() string { return "categorical" }

func (category) keptTo(_ *Spec, f *Feature) string {
	return tables.Written("reading.any_of_values", len(f.Domain))
}

// rank is a category whose values have an order: its index in the domain, in one column.
type rank struct{ category }

func (rank) width(*Feature) int { return 1 }

func (rank) columns(f *Feature, value canonical.Value) ([]*big.Rat, error) {
	at, err := f.index(value)
	return []*big.Rat{number.Whole(int64(at))}, err
}

func (rank) ends(f *Feature) []*[2]*big.Rat {
	return []*[2]*big.Rat{{number.Whole(0), number.Whole(int64(len(f.Domain) - 1))}}
}

func (r rank) moved(f *Feature, radius *big.Rat) string {
	switch steps := r.steps(f, radius); {
	case steps >= len(f.Domain)-1:
		return AnyValue
	case steps == 0:
		return ThisValue
	default:
		return fmt.Sprintf("+- %d of %d ranks", steps, len(f.Domain))
	}
}

func (r rank) interval(_ *Spec, f *Feature, radius *big.Rat, value canonical.Value) string {
	steps, last := r.steps(f, radius), len(f.Domain)-1
	own := names.Quoted(number.Text(value))
	if steps == 0 || steps >= last {
		return own + ": " + r.moved(f, radius)
	}
	low, high := r.reached(f, radius, value)
	return fmt.Sprintf("%s: %s to %s", own, names.Quoted(f.Domain[low]), names.Quoted(f.Domain[high]))
}

func (r rank) reached(f *Feature, radius *big.Rat, value canonical.Value) (first, last int) {
	at, _ := f.index(value)
	steps := r.steps(f, radius)
	return max(0, at-steps), min(len(f.Domain)-1, at+steps)
}

// steps is how many ranks are closer than a radius: a whole radius itself is already too far, hence the ceiling less one and
// not the floor. A rank is 1 / scale in the spec's units.
func (rank) steps(f *Feature, radius *big.Rat) int {
	count := number.Ceil(new(big.Rat).Mul(radius, number.Exact(f.Scale)))
	if count.Sub(count, big.NewInt(1)).Sign() < 0 {
		return 0
	}
	if most := int64(len(f.Domain)); count.Cmp(big.NewInt(most)) > 0 {
		return int(most)
	}
	return int(count.Int64())
}

// oneHot is a category without an order: one 0/1 column per value of the domain.
type oneHot struct{ category }

func (oneHot) width(f *Feature) int { return len(f.Domain) }

func (oneHot) columns(f *Feature, value canonical.Value) ([]*big.Rat, error) {
	own, err := f.index(value)
	columns := make([]*big.Rat, len(f.Domain))
	for at := range columns {
		columns[at] = new(big.Rat)
	}
	if err == nil {
		columns[own].SetInt64(1)
	}
	return columns, err
}

func (oneHot) ends(f *Feature) []*[2]*big.Rat {
	ends := make([]*[2]*big.Rat, len(f.Domain))
	for at := range ends {
		ends[at] = &[2]*big.Rat{number.Whole(0), number.Whole(1)}
	}
	return ends
}

// moved knows that two indicators change at once, each by 1 / scale: by sqrt(2) / scale together, which is compared in squares
// so that nothing is rounded.
func (oneHot) moved(f *Feature, radius *big.Rat) string {
	reach := new(big.Rat).Mul(radius, number.Exact(f.Scale))
	if reach.Mul(reach, reach).Cmp(number.Whole(2)) > 0 {
		return AnyValue
	}
	return ThisValue
}

func (o oneHot) interval(_ *Spec, f *Feature, radius *big.Rat, value canonical.Value) string {
	return names.Quoted(number.Text(value)) + ": " + o.moved(f, radius)
}

// reached are the ends of the domain where any other value is within the radius, and else the value's own place.
func (o oneHot) reached(f *Feature, radius *big.Rat, value canonical.Value) (first, last int) {
	if o.moved(f, radius) == AnyValue {
		return 0, len(f.Domain) - 1
	}
	at, _ := f.index(value)
	return at, at
}

// ShownEnds are the ends of a number's range, or without one the ends that the width holds, which are then the box's. The
// latter are rounded inward, to six digits of the way between them.
func (s *Spec) ShownEnds(f *Feature) (low, high number.Decimal) {
	if f.Range != nil {
		return number.Parse(f.Range[0]), number.Parse(f.Range[1])
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
	return number.NewDecimal(first, place).Normalized(), number.NewDecimal(last, place).Normalized()
}

// reach is how far a number may move within a radius, in its own unit.
func (f *Feature) reach(radius *big.Rat) number.Decimal {
	return number.RoundedDown(new(big.Rat).Mul(radius, number.Exact(f.Scale)))
}

// index is that of a value in the domain. A number is no value of a category, even where it prints like one.
func (f *Feature) index(value canonical.Value) (int, error) {
	if name, ok := value.(string); ok {
		if at := slices.Index(f.Domain, name); at >= 0 {
			return at, nil
		}
	}
	return 0, unlisted(f, number.Text(value))
}

func unlisted(f *Feature, name string) error {
	var values []string
	for _, value := range f.Domain[:min(listedValues, len(f.Domain))] {
		values = append(values, names.Quoted(value))
	}
	return errors.New(tables.Say("value.not_one_of", text.Repr(text.Cut(name, 40)), strings.Join(values, ", ")))
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

// fixedPoint is the integer of a raw column number: (number - mean) / scale as a multiple of 2^-f_x, rounded half up. One
// that exceeds the width is an error.
func (s *Spec) fixedPoint(f *Feature, value *big.Rat) (int64, error) {
	scales := new(big.Rat).Sub(value, number.Exact(f.Mean))
	scales.Quo(scales, number.Exact(f.Scale))
	// In integers: floor(a/b 2^f + 1/2) = floor((2 a 2^f + b) / 2b).
	above := new(big.Int).Lsh(scales.Num(), uint(s.InputFractionBits+1))
	above.Add(above, scales.Denom())
	integer := number.FloorDivide(above, new(big.Int).Lsh(scales.Denom(), 1))
	if limit := int64(1) << (s.InputBits - 1); !integer.IsInt64() || integer.Int64() < -limit || integer.Int64() >= limit {
		approximation, _ := value.Float64()
		far, _ := scales.Float64()
		return 0, errors.New(tables.Say("value.too_many_scales", text.Repr(f.Name),
			strconv.FormatFloat(approximation, 'g', 6, 64), fmt.Sprintf("%.1f", far), s.InputBits))
	}
	return integer.Int64(), nil
}
