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

// keptDigits is how many digits of a distance are kept; the ends of a span end at the same place.
const keptDigits = 3

// encoding is how features of one encoding become columns, what a value can become within a radius, and how columns and
// distances are read back as words. Twin of circuits/encodings: each is one file and one line of the table. Nothing else
// compares encodings, so that none is treated as another one; the base types below have no reach, so that none is inherited.
type encoding interface {
	// kind is the kind of raw values that the encoding is for.
	kind() string
	// check refuses a feature whose fields the encoding cannot use; each is right by itself. Errors begin with the name.
	check(s *Spec, f *Feature, name string) error
	// width is the number of columns of a feature.
	width(f *Feature) int
	// columns is the raw number of each column of a value, before scaling; an error for a value that the feature refuses.
	columns(f *Feature, value canonical.Value) ([]*big.Rat, error)
	// ends are the least and greatest raw number of each column; nil where only the width bounds it.
	ends(f *Feature) []*[2]*big.Rat
	// shownEnds are the ends of the range, or those that the width holds, rounded inward; nil for categories.
	shownEnds(s *Spec, f *Feature) *[2]number.Decimal
	// reach is what the feature alone may be within a radius.
	reach(s *Spec, f *Feature, radius *big.Rat, value canonical.Value) *Reach
	// movedAlone is how far the feature alone may move whatever its value, below the radius; nil for not at all.
	movedAlone(f *Feature, radius *big.Rat) *Moved
	// moved says how far the feature alone may move within a radius, never further than the radius allows.
	moved(f *Feature, radius *big.Rat) string
	// interval says a value, and the values among which the feature alone may move within a radius.
	interval(s *Spec, f *Feature, radius *big.Rat, value canonical.Value) string
	// keptTo says the values that neighbors are restricted to where a spec uses ranges.
	keptTo(s *Spec, f *Feature) string
}

var encodings = map[string]encoding{"scaled": scaled{}, "rank": rank{}, "one-hot": oneHot{}, "log": logarithm{}}

// encoding is that of the feature.
func (f *Feature) encoding() encoding { return encodings[f.Encoding] }

// quantity is what encodings of a number in one column share. Only sensitive numbers have a domain, and of these no other
// values are read.
type quantity struct{}

func (quantity) kind() string { return "numeric" }

func (quantity) width(*Feature) int { return 1 }

func (quantity) keptTo(s *Spec, f *Feature) string {
	ends := s.ShownEnds(f)
	inside := Inward([2]*big.Rat{ends[0].Rat(), ends[1].Rat()})
	if days := f.writtenDates(inside[:]...); days != nil {
		return strings.Join(days, " to ")
	}
	return fmt.Sprintf("%s to %s%s", ends[0], ends[1], names.AfterNumber(f.Unit))
}

// amount is the number of a raw value; an error for one that is no number, or out of the range.
func (f *Feature) amount(value canonical.Value) (*big.Rat, error) {
	amount := number.Read(value)
	digits := number.Text(value)
	if amount == nil {
		return nil, errors.New(tables.Say("value.not_a_number", text.Repr(beginning(digits))))
	}
	if f.Range != nil && !(number.Exact(f.Range[0]).Cmp(amount) <= 0 && amount.Cmp(number.Exact(f.Range[1])) <= 0) {
		return nil, errors.New(tables.Say("value.outside_range", beginning(digits), beginning(f.Range[0]), beginning(f.Range[1])))
	}
	return amount, nil
}

// extremes are the ends of a number's range, or the extremes of its domain; nil where it has neither.
func (f *Feature) extremes() *[2]*big.Rat {
	if f.Range != nil {
		return &[2]*big.Rat{number.Exact(f.Range[0]), number.Exact(f.Range[1])}
	}
	if len(f.Domain) == 0 {
		return nil
	}
	least, most := number.Exact(f.Domain[0]), number.Exact(f.Domain[0])
	for _, item := range f.Domain[1:] {
		least, most = smaller(least, number.Exact(item)), larger(most, number.Exact(item))
	}
	return &[2]*big.Rat{least, most}
}

// distance is how far the one column of a feature may move within a radius, as raw numbers have it.
func (f *Feature) distance(radius *big.Rat) *big.Rat {
	return new(big.Rat).Mul(radius, number.Exact(f.Scale))
}

// rangeEnds are the ends of a number's range; nil without one.
func (f *Feature) rangeEnds() *[2]number.Decimal {
	if f.Range == nil {
		return nil
	}
	return &[2]number.Decimal{number.Parse(f.Range[0]), number.Parse(f.Range[1])}
}

// within is a reach from low to high, cut at the ends of what is possible.
func (s *Spec) within(f *Feature, own, low, high *big.Rat) *Reach {
	bounds := &Reach{Own: own, Possible: s.possible(f, own), Listed: f.Range != nil}
	bounds.Low, bounds.High = low, high
	if bounds.Possible != nil {
		least, most := bounds.Possible[0], bounds.Possible[1]
		if f.IsWhole() {
			least, most = new(big.Rat).SetInt(number.Ceil(least)), new(big.Rat).SetInt(number.Floor(most))
		}
		bounds.Low, bounds.High = larger(low, least), smaller(high, most)
	}
	// Rounding inward may pass the value itself, which was proven all the same.
	if bounds.Low.Cmp(own) > 0 || own.Cmp(bounds.High) > 0 || bounds.Low.Cmp(bounds.High) == 0 {
		bounds.Low, bounds.High = own, own
	}
	return bounds
}

// possible are the ends of what a number can be; without a range, those that the width holds, if the spec keeps to them.
// Those of the width are shown rounded inward; the value itself was proven all the same.
func (s *Spec) possible(f *Feature, own *big.Rat) *[2]*big.Rat {
	if f.Range == nil && !s.UseRanges {
		return nil
	}
	ends := s.ShownEnds(f)
	low, high := ends[0].Rat(), ends[1].Rat()
	if f.Range != nil {
		return &[2]*big.Rat{low, high}
	}
	return &[2]*big.Rat{smaller(low, own), larger(high, own)}
}

// category is what encodings of a value out of a list share.
type category struct{}

func (category) kind() string { return "categorical" }

func (category) check(_ *Spec, f *Feature, name string) error {
	if err := f.checkNoOffset(name); err != nil {
		return err
	}
	return f.checkNoStart(name)
}

func (category) shownEnds(*Spec, *Feature) *[2]number.Decimal { return nil }

func (category) keptTo(_ *Spec, f *Feature) string {
	return tables.Written("reading.any_of_values", len(f.Domain))
}

// places is the reach of a category between two places in its domain.
func (f *Feature) places(value canonical.Value, first, last int) *Reach {
	at, _ := f.index(value)
	place := func(index int) *big.Rat { return number.Whole(int64(index)) }
	possible := &[2]*big.Rat{place(0), place(len(f.Domain) - 1)}
	return &Reach{Own: place(at), Low: place(first), High: place(last), Possible: possible, Listed: true, OfDomain: true}
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
	return errors.New(tables.Say("value.not_one_of", text.Repr(beginning(name)), names.Listed(f.Domain)))
}

// beginning is a value as a refusal shows it: its beginning, so that the line stays short.
func beginning(value string) string { return text.Cut(value, 40) }

// checkNoOffset refuses an offset.
func (f *Feature) checkNoOffset(name string) error {
	if f.Offset != nil {
		return errors.New(tables.Say("spec.offset_misplaced", name, f.Encoding))
	}
	return nil
}

// scales is a raw column number as it is scaled: (number - mean) / scale.
func (f *Feature) scales(value *big.Rat) *big.Rat {
	distance := new(big.Rat).Sub(value, number.Exact(f.Mean))
	return distance.Quo(distance, number.Exact(f.Scale))
}

// onGrid is the integer of a raw column number, whatever the width: the scaled number as a multiple of 2^-f_x, rounded half up.
func (s *Spec) onGrid(f *Feature, value *big.Rat) *big.Int {
	scales := f.scales(value)
	// In integers: floor(a/b 2^f + 1/2) = floor((2 a 2^f + b) / 2b).
	above := new(big.Int).Lsh(scales.Num(), uint(s.InputFractionBits+1))
	above.Add(above, scales.Denom())
	return number.FloorDivide(above, new(big.Int).Lsh(scales.Denom(), 1))
}

// limits are the least and the largest integer of a value that is stated. Where a missing one without a mark is the integer
// beyond, circuits take it for one in every non-sensitive column, also where a value is never missing.
func (s *Spec) limits(f *Feature) [2]int64 {
	limit := int64(1) << (s.InputBits - 1)
	if !f.Sensitive && s.HasAbsent() {
		return [2]int64{-limit, limit - 2}
	}
	return [2]int64{-limit, limit - 1}
}

// fixedPoint is the integer of a raw column number; one that exceeds the width is an error, which shows the value that people
// gave, raw where this is a number: its column may be a logarithm.
func (s *Spec) fixedPoint(f *Feature, value, raw *big.Rat) (int64, error) {
	integer := s.onGrid(f, value)
	if ends := s.limits(f); !integer.IsInt64() || integer.Int64() < ends[0] || integer.Int64() > ends[1] {
		if raw == nil {
			raw = value
		}
		approximation, _ := raw.Float64()
		far, _ := f.scales(value).Float64()
		return 0, errors.New(tables.Say("value.too_many_scales", text.Repr(f.Name),
			strconv.FormatFloat(approximation, 'g', 6, 64), fmt.Sprintf("%.1f", far), s.InputBits))
	}
	return integer.Int64(), nil
}

// smaller and larger return the first of two numbers that are equal.
func smaller(left, right *big.Rat) *big.Rat {
	if right.Cmp(left) < 0 {
		return right
	}
	return left
}

func larger(left, right *big.Rat) *big.Rat {
	if right.Cmp(left) > 0 {
		return right
	}
	return left
}

func multiple(count *big.Int, step *big.Rat) *big.Rat {
	total := new(big.Rat).SetInt(count)
	return total.Mul(total, step)
}

func quotient(value, divisor *big.Rat) *big.Rat { return new(big.Rat).Quo(value, divisor) }
