package words

import (
	"cmp"
	"math/big"
	"slices"
	"time"

	"equiproof/verify/canonical"
	"equiproof/verify/number"
	"equiproof/verify/spec"
)

// track is the length of a bar's line: places are in hundredths of a percent of it.
const track = 10_000

// places adds a bar's numbers: ends rounded inward, the own place to the nearest, and where caps stand.
func places(bar *canonical.Object, bounds *spec.Reach) {
	start, end := bounds.Track()
	width := new(big.Rat).Sub(end, start)
	if width.Sign() == 0 {
		width = number.Whole(1)
	}
	at := func(value *big.Rat) *big.Rat {
		way := new(big.Rat).Sub(value, start)
		return way.Quo(way.Mul(way, number.Whole(track)), width)
	}
	own := at(bounds.Own)
	you := number.Floor(own.Add(own, big.NewRat(1, 2)))
	// The own place is not rounded inward, so it may lie beyond the ends that are; the bar then reaches to it.
	low, high := number.Ceil(at(bounds.Low)), number.Floor(at(bounds.High))
	if low.Cmp(you) > 0 {
		low = you
	}
	if high.Cmp(you) < 0 {
		high = you
	}
	bar.Set("low", low).Set("high", high).Set("you", you).
		Set("caps", []canonical.Value{bounds.Low.Cmp(start) > 0, bounds.High.Cmp(end) < 0})
}

// bars returns one bar for each non-sensitive feature, as an answer holds them. Where no feature may move, or without the
// values of a query, nothing is drawn: every bar is of the kind "none". Twin of verifier/bars.py.
func (l *words) bars(s *spec.Spec, squared int64, query *canonical.Object) []canonical.Value {
	drawn := query != nil && l.anyMoves(s, squared, query)
	return canonical.ListValue(s.Plain, func(f *spec.Feature) canonical.Value {
		bar := canonical.NewObject().Set("name", isolated(l.shownName(s, f)))
		if query == nil {
			span := cmp.Or(l.movedAlone(f, s.RadiusOfAny(squared)), l.say("span.none"))
			return bar.Set("own", nil).Set("span", span).Set("kind", "none")
		}
		value := query.Get(f.Name)
		if value == nil {
			return bar.Set("own", l.notStated(f)).Set("span", l.say("span.missing")).Set("kind", "none")
		}
		bounds := s.Reached(f, squared, value)
		if bounds.OfDomain {
			bar.Set("own", isolated(number.Text(value))).Set("span", l.span(f, bounds)).Set("kind", "none")
			if drawn {
				l.drawCategory(bar, f, bounds)
			}
			return bar
		}
		own, span, limits := l.ofNumber(f, bounds)
		bar.Set("own", own).Set("span", span).Set("kind", "none")
		if drawn {
			places(bar.Set("kind", "number"), bounds)
			bar.Set("limits", limits)
		}
		return bar
	})
}

// drawCategory adds each value of a category.
func (l *words) drawCategory(bar *canonical.Object, f *spec.Feature, bounds *spec.Reach) {
	place := int64(-1)
	bar.Set("kind", "category").Set("values", canonical.ListValue(f.Domain, func(text string) canonical.Value {
		place++
		at := number.Whole(place)
		return canonical.NewObject().Set("text", isolated(text)).
			Set("in", bounds.Low.Cmp(at) <= 0 && at.Cmp(bounds.High) <= 0).Set("you", at.Cmp(bounds.Own) == 0)
	}))
}

// ofNumber says a number's own value, what is certified, and the ends of what is possible where the spec lists them, else nil.
// All of them are dates or none of them is: a date beside a number would leave open what it is counted from.
func (l *words) ofNumber(f *spec.Feature, bounds *spec.Reach) (own, span string, limits canonical.Value) {
	numbers, days := []*big.Rat{bounds.Own, bounds.Low, bounds.High}, []*big.Rat{bounds.Own, bounds.Low, bounds.High}
	if bounds.Listed && bounds.Possible != nil {
		inside := spec.Inward(*bounds.Possible)
		numbers, days = append(numbers, bounds.Possible[:]...), append(days, inside[:]...)
	}
	unit := ""
	var said []canonical.Value
	if dates := f.Dates(days...); dates != nil {
		said = canonical.ListValue(dates, func(day time.Time) canonical.Value { return l.day(day) })
	} else {
		unit = l.unit(f.UnitIn(l.language))
		said = canonical.ListValue(numbers, func(value *big.Rat) canonical.Value { return l.number(value) })
	}
	if len(said) > 3 {
		limits = said[3:]
	}
	span = l.say("span.none")
	if bounds.Moves() {
		span = l.say("span.range", texts{"low": said[1].(string), "high": said[2].(string), "unit": unit})
	}
	return said[0].(string), span, limits
}

// anyMoves says whether any feature may move: of the values of a query, or without one whatever the values are.
func (l *words) anyMoves(s *spec.Spec, squared int64, query *canonical.Object) bool {
	return slices.ContainsFunc(s.Plain, func(f *spec.Feature) bool {
		if query == nil {
			return f.MovedAlone(s.RadiusOfAny(squared)) != nil
		}
		value := query.Get(f.Name)
		return value != nil && s.Reached(f, squared, value).Moves()
	})
}

// notStated is what is said of a missing value: the owner's own words, or those of the table.
func (l *words) notStated(f *spec.Feature) string {
	if f.Missing != nil {
		if own := f.Missing.Text(l.language); own != "" {
			return isolated(own)
		}
	}
	return l.say("span.not_stated")
}

// movedAlone says how far a feature may move whatever its value, below the radius; "" for not at all.
func (l *words) movedAlone(f *spec.Feature, radius *big.Rat) string {
	moved := f.MovedAlone(radius)
	if moved == nil {
		return ""
	}
	filled := texts{"unit": l.unit(f.UnitIn(l.language))}
	for name, value := range moved.Numbers {
		filled[name] = l.number(value)
	}
	return l.say("span."+moved.Name, filled)
}

// span says which values of a category are certified.
func (l *words) span(f *spec.Feature, bounds *spec.Reach) string {
	if !bounds.Moves() {
		return l.say("span.none")
	}
	if bounds.Everything() {
		return l.say("span.any")
	}
	value := func(place *big.Rat) string { return l.word(f.Domain[place.Num().Int64()]) }
	return l.say("span.range", texts{"low": value(bounds.Low), "high": value(bounds.High), "unit": ""})
}
