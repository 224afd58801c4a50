package words

import (
	"math/big"
	"slices"

	"equiproof/verify/canonical"
	"equiproof/verify/number"
	"equiproof/verify/spec"
)

const (
	// track is the length of a bar's line: places are in hundredths of a percent of it.
	track = 10_000
	// keptDigits is how many digits of a distance are kept; the ends of a span end at the same place.
	keptDigits = 3
)

var one = big.NewRat(1, 1)

// reach is what one feature alone may be, both ends included: numbers, or places in the domain of a category, from 0. Own is
// the value itself. Possible are the ends of what the feature can be, nil where nothing bounds it; listed says that the spec
// names them. Everything is exact; statements are about changes that are closer than the radius, so that a change by the
// radius itself does not count. Twin of circuits/reach.py, and what is said of
// it of verifier/bars.py.
type reach struct {
	own, low, high *big.Rat
	possible       *[2]*big.Rat
	listed         bool
}

// reached returns what a non-sensitive feature of a value alone may be under a certificate of a squared radius.
func reached(s *spec.Spec, f *spec.Feature, squared int64, value canonical.Value) reach {
	radius := s.RadiusOfAny(squared)
	if f.Kind == "categorical" {
		low, high := f.Reached(radius, value)
		own := slices.Index(f.Domain, number.Text(value))
		return reach{whole(own), whole(low), whole(high), &[2]*big.Rat{whole(0), whole(len(f.Domain) - 1)}, true}
	}
	own, distance := number.Read(value), new(big.Rat).Mul(radius, number.Exact(f.Scale))
	bounds := reach{own: own, possible: possible(s, f, own), listed: f.Range != nil}
	bounds.low, bounds.high = inside(own, distance, step(f, distance))
	if bounds.possible != nil {
		low, high := bounds.possible[0], bounds.possible[1]
		if f.IsWhole() {
			low, high = new(big.Rat).SetInt(number.Ceil(low)), new(big.Rat).SetInt(number.Floor(high))
		}
		bounds.low, bounds.high = larger(bounds.low, low), smaller(bounds.high, high)
	}
	// Rounding inward may pass the value itself, which was proven all the same.
	if bounds.low.Cmp(own) > 0 || own.Cmp(bounds.high) > 0 || bounds.low.Cmp(bounds.high) == 0 {
		bounds.low, bounds.high = own, own
	}
	return bounds
}

// inside are the ends just inside of what is closer than a distance, as multiples of a step. Both are strictly inside: an end
// that is a multiple itself is at the distance and not closer, hence the floor plus one and the ceiling less one.
func inside(own, distance, step *big.Rat) (low, high *big.Rat) {
	first := number.Floor(quotient(new(big.Rat).Sub(own, distance), step))
	last := number.Ceil(quotient(new(big.Rat).Add(own, distance), step))
	return steps(first.Add(first, big.NewInt(1)), step), steps(last.Sub(last, big.NewInt(1)), step)
}

// moves says whether it may be anything else than the value itself.
func (r reach) moves() bool { return r.low.Cmp(r.high) < 0 }

// track are the ends of the line that a bar is drawn on: those that the spec lists, else a quarter beyond the bar.
func (r reach) track() (start, end *big.Rat) {
	if r.listed && r.possible != nil {
		return r.possible[0], r.possible[1]
	}
	beyond := new(big.Rat).Sub(r.high, r.low)
	if beyond.Quo(beyond, whole(4)); beyond.Sign() == 0 {
		beyond = one
	}
	start, end = new(big.Rat).Sub(r.low, beyond), new(big.Rat).Add(r.high, beyond)
	if r.possible == nil {
		return start, end
	}
	return larger(start, r.possible[0]), smaller(end, r.possible[1])
}

// places adds a bar's numbers: ends rounded inward, the own place to the nearest, and where caps stand.
func (r reach) places(bar *canonical.Object) {
	start, end := r.track()
	width := new(big.Rat).Sub(end, start)
	if width.Sign() == 0 {
		width = one
	}
	at := func(value *big.Rat) *big.Rat {
		way := new(big.Rat).Sub(value, start)
		return quotient(way.Mul(way, whole(track)), width)
	}
	own := at(r.own)
	you := number.Floor(own.Add(own, big.NewRat(1, 2)))
	// The own place is not rounded inward, so it may lie beyond the ends that are; the bar then reaches to it.
	low, high := number.Ceil(at(r.low)), number.Floor(at(r.high))
	if low.Cmp(you) > 0 {
		low = you
	}
	if high.Cmp(you) < 0 {
		high = you
	}
	bar.Set("low", low).Set("high", high).Set("you", you).
		Set("caps", []canonical.Value{r.low.Cmp(start) > 0, r.high.Cmp(end) < 0})
}

// bars returns one bar for each non-sensitive feature, as an answer holds them. Where no feature may move, or without the
// values of a query, nothing is drawn: every bar is of the kind "none".
func (l *words) bars(s *spec.Spec, squared int64, query *canonical.Object) []canonical.Value {
	drawn := query != nil && l.anyMoves(s, squared, query)
	return canonical.ListValue(s.Plain, func(f *spec.Feature) canonical.Value {
		bar := canonical.NewObject().Set("name", isolated(shownName(s, f)))
		if query == nil {
			span := l.movedAlone(f, s.RadiusOfAny(squared))
			if span == "" {
				span = l.say("span.none")
			}
			return bar.Set("own", nil).Set("span", span).Set("kind", "none")
		}
		value := query.Get(f.Name)
		bounds := reached(s, f, squared, value)
		own := isolated(number.Text(value))
		if f.Kind == "numeric" {
			own = l.number(bounds.own)
		}
		bar.Set("own", own).Set("span", l.span(f, bounds)).Set("kind", "none")
		if drawn {
			l.draw(bar, f, bounds)
		}
		return bar
	})
}

// draw adds what is drawn of a bar: where it begins and ends, or each value of a category.
func (l *words) draw(bar *canonical.Object, f *spec.Feature, bounds reach) {
	if f.Kind == "categorical" {
		place := -1
		bar.Set("kind", "category").Set("values", canonical.ListValue(f.Domain, func(text string) canonical.Value {
			place++
			at := whole(place)
			return canonical.NewObject().Set("text", isolated(text)).
				Set("in", bounds.low.Cmp(at) <= 0 && at.Cmp(bounds.high) <= 0).Set("you", at.Cmp(bounds.own) == 0)
		}))
		return
	}
	bounds.places(bar.Set("kind", "number"))
	bar.Set("limits", nil)
	if bounds.listed && bounds.possible != nil {
		bar.Set("limits", canonical.ListValue(bounds.possible[:], func(end *big.Rat) canonical.Value { return l.number(end) }))
	}
}

// anyMoves says whether any feature may move: of the values of a query, or without one whatever the values are.
func (l *words) anyMoves(s *spec.Spec, squared int64, query *canonical.Object) bool {
	return slices.ContainsFunc(s.Plain, func(f *spec.Feature) bool {
		if query == nil {
			return l.movedAlone(f, s.RadiusOfAny(squared)) != ""
		}
		return reached(s, f, squared, query.Get(f.Name)).moves()
	})
}

// movedAlone says how far a feature may move whatever its value, below the radius; "" for not at all.
func (l *words) movedAlone(f *spec.Feature, radius *big.Rat) string {
	if f.Kind == "categorical" {
		return l.movedCategory(f, radius)
	}
	distance := new(big.Rat).Mul(radius, number.Exact(f.Scale))
	_, most := inside(new(big.Rat), distance, step(f, distance))
	if most.Sign() <= 0 {
		return ""
	}
	return l.say("span.distance", texts{"moved": l.number(most), "unit": l.unit(f.Unit)})
}

func (l *words) movedCategory(f *spec.Feature, radius *big.Rat) string {
	switch _, steps := f.Reached(radius, f.Domain[0]); steps {
	case 0:
		return ""
	case len(f.Domain) - 1:
		return l.say("span.any")
	default:
		return l.say("span.ranks", texts{"moved": l.count(steps), "n": l.count(len(f.Domain))})
	}
}

// span says what is certified.
func (l *words) span(f *spec.Feature, bounds reach) string {
	if !bounds.moves() {
		return l.say("span.none")
	}
	if f.Kind == "numeric" {
		return l.say("span.range", texts{"low": l.number(bounds.low), "high": l.number(bounds.high), "unit": l.unit(f.Unit)})
	}
	if bounds.low.Cmp(bounds.possible[0]) == 0 && bounds.high.Cmp(bounds.possible[1]) == 0 {
		return l.say("span.any")
	}
	value := func(place *big.Rat) string { return l.word(f.Domain[place.Num().Int64()]) }
	return l.say("span.range", texts{"low": value(bounds.low), "high": value(bounds.high), "unit": ""})
}

// possible are the ends of what a number can be; without a range, those that the width holds, if the spec keeps to them.
// Those of the width are shown rounded inward; the value itself was proven all the same.
func possible(s *spec.Spec, f *spec.Feature, own *big.Rat) *[2]*big.Rat {
	if f.Range == nil && !s.UseRanges {
		return nil
	}
	low, high := s.ShownEnds(f)
	if f.Range != nil {
		return &[2]*big.Rat{low.Rat(), high.Rat()}
	}
	return &[2]*big.Rat{smaller(low.Rat(), own), larger(high.Rat(), own)}
}

// step is what shown ends are multiples of: 1 for whole numbers, else the last digit of what is below a distance. What is below
// a power of ten has its first digit one place further right than that power.
func step(f *spec.Feature, distance *big.Rat) *big.Rat {
	if f.IsWhole() || distance.Sign() == 0 {
		return one
	}
	place := number.Exponent(distance)
	if distance.Cmp(number.PowerOfTen(place)) == 0 {
		place--
	}
	return number.PowerOfTen(place - keptDigits + 1)
}

func steps(count *big.Int, step *big.Rat) *big.Rat {
	total := new(big.Rat).SetInt(count)
	return total.Mul(total, step)
}

func quotient(value, divisor *big.Rat) *big.Rat { return new(big.Rat).Quo(value, divisor) }

func whole(value int) *big.Rat { return number.Whole(int64(value)) }

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
