package spec

import (
	"math/big"
	"slices"

	"equiproof/verify/canonical"
	"equiproof/verify/names"
	"equiproof/verify/number"
	"equiproof/verify/tables"
	"equiproof/verify/text"
)

// Wish is what somebody does not want to change of a feature: it is fixed, or keeps to nearer ends or fewer values. A line here is
// a field.
type Wish struct {
	Fixed  *bool     `field:"fixed"`
	From   *string   `field:"from"`
	To     *string   `field:"to"`
	By     *string   `field:"by"`
	Values *[]string `field:"values"`
}

// Wishes are those of some features, in the order of their file.
type Wishes struct {
	Names []string
	Of    map[string]*Wish
}

// WishError is a wish that does not fit the spec, or a wider one than its rules allow.
type WishError struct {
	Wider   bool
	message string
}

func (e *WishError) Error() string { return e.message }

func unfit(message string) error { return &WishError{false, message} }

func wider(message string) error { return &WishError{true, message} }

// Span is a number: today's, and the least and the greatest that it may become. Step is what shown values are multiples of; nil
// where they may be any.
type Span struct{ Own, Low, High, Step *big.Rat }

// Choice is a category: today's value, and those that it may have, in the domain's order; today's is one of them.
type Choice struct {
	Own string
	All []string
}

// Range is what one feature may be; neither of a value that is not stated, which stays so.
type Range struct {
	Span   *Span
	Choice *Choice
}

// Allowed is what somebody may change: each feature alone, and of those that change at once the rows that are left.
type Allowed struct {
	Features map[string]Range
	Together []Together
}

// Allowed is what the rules allow somebody with these features, which fit the spec, under their wishes; a WishError for wishes that
// do not. Twin of circuits/allowed.py.
func (s *Spec) Allowed(row *canonical.Object, wishes *Wishes) (*Allowed, error) {
	for _, name := range wishes.Names {
		if !slices.ContainsFunc(s.Plain, func(f *Feature) bool { return f.Name == name }) {
			return nil, unfit(tables.Say("wishes.unknown_feature", text.Repr(text.Cut(name, 40))))
		}
	}
	all := &Allowed{Features: map[string]Range{}}
	for _, f := range s.Plain {
		wish := wishes.Of[f.Name]
		if wish == nil {
			wish = &Wish{}
		}
		own, err := f.alone(row.Get(f.Name), wish)
		if err != nil {
			return nil, err
		}
		all.Features[f.Name] = own
	}
	if s.Together != nil {
		for _, table := range *s.Together {
			all.keepRows(table)
		}
	}
	return all, nil
}

// Within is what is left where each number goes only so many percent of the way to each of its ends; nothing else is narrower.
func (a *Allowed) Within(percent int) *Allowed {
	part := big.NewRat(int64(percent), 100)
	toward := func(own, end *big.Rat) *big.Rat {
		way := new(big.Rat).Sub(end, own)
		return way.Add(own, way.Mul(way, part))
	}
	nearer := &Allowed{Features: map[string]Range{}, Together: a.Together}
	for name, may := range a.Features {
		if span := may.Span; span != nil {
			may.Span = &Span{Own: span.Own, Low: toward(span.Own, span.Low), High: toward(span.Own, span.High), Step: span.Step}
		}
		nearer.Features[name] = may
	}
	return nearer
}

// alone is what one feature may be, whatever the others are; value is nil where it is not stated.
func (f *Feature) alone(value canonical.Value, wish *Wish) (Range, error) {
	others := wish.From != nil || wish.To != nil || wish.By != nil || wish.Values != nil
	if wish.Fixed != nil && (others || !*wish.Fixed) {
		return Range{}, unfit(tables.Say("wishes.fixed_alone", names.Quoted(f.Name)))
	}
	if f.Kind == "numeric" {
		return f.numbers(value, wish)
	}
	return f.choices(value, wish)
}

// ends are the last values of a number's rules or of a wish, nil where there is none, and how far it may move.
type ends struct{ up, down, by *big.Rat }

// numbers is what a number may be.
func (f *Feature) numbers(value canonical.Value, wish *Wish) (Range, error) {
	rules := f.ruledEnds()
	wanted, err := f.wantedEnds(rules, wish)
	if err != nil || value == nil {
		return Range{}, err
	}
	own := number.Read(value)
	span := &Span{Own: own, Low: own, High: own}
	switch {
	case f.Changes != nil && f.Changes.Step != nil:
		span.Step = number.Exact(*f.Changes.Step)
	case f.Changes != nil && f.IsWhole():
		span.Step = number.Whole(1)
	}
	if f.Changes == nil || wish.Fixed != nil {
		return Range{Span: span}, nil
	}
	var near *big.Rat
	for _, one := range []*ends{rules, wanted} {
		if one.by != nil && (near == nil || one.by.Cmp(near) < 0) {
			near = one.by
		}
	}
	if f.Changes.goes(up) {
		span.High = larger(own, nearest(smaller, rules.up, wanted.up, moved(own, near, 1)))
	}
	if f.Changes.goes(down) {
		span.Low = smaller(own, nearest(larger, rules.down, wanted.down, moved(own, near, -1)))
	}
	return Range{Span: span}, nil
}

// moved is a number so far up or down; nil where nothing says how far.
func moved(own, by *big.Rat, sign int64) *big.Rat {
	if by == nil {
		return nil
	}
	way := new(big.Rat).Mul(by, number.Whole(sign))
	return way.Add(own, way)
}

// nearest is the best of the ends that are there.
func nearest(better func(one, other *big.Rat) *big.Rat, all ...*big.Rat) (best *big.Rat) {
	for _, end := range all {
		if end != nil && best != nil {
			best = better(best, end)
		} else if end != nil {
			best = end
		}
	}
	return best
}

// ruledEnds are those of a number's rules: where they state none, those of its range.
func (f *Feature) ruledEnds() *ends {
	found := &ends{}
	if f.Changes == nil {
		return found
	}
	if f.Changes.By != nil {
		found.by = number.Exact(*f.Changes.By)
	}
	for at, one := range []struct {
		direction string
		place     **big.Rat
	}{{down, &found.down}, {up, &found.up}} {
		if !f.Changes.goes(one.direction) {
			continue
		}
		if stated, _ := f.Changes.end(one.direction); stated != nil {
			*one.place = number.Exact(*stated)
		} else if f.Range != nil {
			*one.place = number.Exact(f.Range[at])
		}
	}
	return found
}

// wantedEnds are those of a wish; an error for a wider one than the rules, or one that says what they do not.
func (f *Feature) wantedEnds(rules *ends, wish *Wish) (*ends, error) {
	found, name := &ends{}, names.Quoted(f.Name)
	for _, one := range []statedField{{"from", wish.From}, {"to", wish.To}, {"by", wish.By}} {
		if one.text == nil {
			continue
		}
		amount, err := Decimal(*one.text, tables.Say("word.wishes")+": "+name+": "+one.name)
		if err != nil {
			return nil, unfit(err.Error())
		}
		direction := f.directionOf(one.name)
		switch {
		case direction == "":
			return nil, wider(tables.Say("wishes.no_such_change", name, one.name))
		case one.name == "by" && amount.Sign() <= 0:
			return nil, unfit(tables.Say("wishes.field_unfit", name, one.name))
		case one.name == "by" && rules.by != nil && amount.Cmp(rules.by) > 0,
			direction == up && amount.Cmp(rules.up) > 0, direction == down && amount.Cmp(rules.down) < 0:
			return nil, wider(tables.Say("wishes.wider", name, one.name))
		}
		*map[string]**big.Rat{"by": &found.by, up: &found.up, down: &found.down}[direction] = amount
	}
	if wish.Values != nil {
		return nil, unfit(tables.Say("wishes.field_unfit", name, "values"))
	}
	return found, nil
}

// directionOf is that of which a field has the last value, "by" for the distance, and "" for what the rules do not allow.
func (f *Feature) directionOf(field string) string {
	if f.Changes == nil {
		return ""
	}
	if field == "by" {
		return "by"
	}
	for _, direction := range []string{up, down} {
		if _, name := f.Changes.end(direction); f.Changes.goes(direction) && name == field {
			return direction
		}
	}
	return ""
}

// choices are the values that a category may have.
func (f *Feature) choices(value canonical.Value, wish *Wish) (Range, error) {
	name := names.Quoted(f.Name)
	for _, one := range []statedField{{"from", wish.From}, {"to", wish.To}, {"by", wish.By}} {
		if one.text != nil {
			return Range{}, unfit(tables.Say("wishes.field_unfit", name, one.name))
		}
	}
	if wish.Values != nil && !f.hasValues(*wish.Values) {
		return Range{}, unfit(tables.Say("wishes.field_unfit", name, "values"))
	}
	if value == nil {
		return Range{}, nil
	}
	own := number.Text(value)
	rules := append([]string{own}, f.reached(own)...)
	left := rules
	switch {
	case wish.Fixed != nil:
		left = []string{own}
	case wish.Values != nil:
		for _, one := range *wish.Values {
			if !slices.Contains(rules, one) {
				return Range{}, wider(tables.Say("wishes.wider", name, "values"))
			}
		}
		left = append([]string{own}, *wish.Values...)
	}
	return Range{Choice: f.choice(own, left)}, nil
}

// choice is a category with some of its values.
func (f *Feature) choice(own string, left []string) *Choice {
	found := &Choice{Own: own}
	for _, value := range f.Domain {
		if slices.Contains(left, value) {
			found.All = append(found.All, value)
		}
	}
	return found
}

// reached are the values that the rules let a category move to.
func (f *Feature) reached(value string) []string {
	c := f.Changes
	switch {
	case c == nil:
		return nil
	case c.Order == nil && c.Values == nil:
		return f.Domain
	case c.Order == nil:
		return *c.Values
	}
	place := slices.Index(*c.Order, value)
	if c.Direction == up {
		return (*c.Order)[place:]
	}
	return (*c.Order)[:place+1]
}

// keepRows keeps those rows of a table of which each feature alone may have its value, and of each feature what these have.
func (a *Allowed) keepRows(table Together) {
	left := Together{Features: table.Features}
	for _, row := range table.Rows {
		fits := true
		for at, name := range table.Features {
			fits = fits && a.Features[name].mayBe(row[at])
		}
		if fits {
			left.Rows = append(left.Rows, row)
		}
	}
	for at, name := range table.Features {
		var values []string
		for _, row := range left.Rows {
			values = append(values, row[at])
		}
		a.Features[name] = a.Features[name].of(values)
	}
	a.Together = append(a.Together, left)
}

// mayBe says whether a feature alone may have a value: one that is not stated has none.
func (r Range) mayBe(value string) bool {
	if r.Span != nil {
		amount := number.Exact(value)
		return r.Span.Low.Cmp(amount) <= 0 && amount.Cmp(r.Span.High) <= 0
	}
	return r.Choice != nil && slices.Contains(r.Choice.All, value)
}

// of is what is left of a range by the values of the rows of a table.
func (r Range) of(values []string) Range {
	if r.Span != nil {
		span := &Span{Own: r.Span.Own, Low: r.Span.Own, High: r.Span.Own, Step: r.Span.Step}
		for _, value := range values {
			span.Low, span.High = smaller(span.Low, number.Exact(value)), larger(span.High, number.Exact(value))
		}
		return Range{Span: span}
	}
	if r.Choice == nil {
		return r
	}
	left := &Choice{Own: r.Choice.Own}
	for _, value := range r.Choice.All {
		if value == left.Own || slices.Contains(values, value) {
			left.All = append(left.All, value)
		}
	}
	return Range{Choice: left}
}
