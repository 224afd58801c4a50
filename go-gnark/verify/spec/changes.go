package spec

import (
	"errors"
	"math/big"
	"slices"

	"equiproof/verify/names"
	"equiproof/verify/number"
	"equiproof/verify/tables"
	"equiproof/verify/text"
)

// maxCells is the most values in all tables of features that change together.
const maxCells = 1 << 14

// The directions that values may take.
const (
	up   = "up"
	down = "down"
	both = "any"
)

// Changes are the rules of what somebody can change of a feature: a number goes up to To, down to To, or to any value from From to
// To; where these are absent, to the end of its range, and by By at most. A category goes up or down in an Order, or to any of its
// Values. Twin of circuits/changes.py.
type Changes struct {
	Direction string    `field:"direction"`
	Step      *string   `field:"step"` // values that people are shown are multiples
	From      *string   `field:"from"`
	To        *string   `field:"to"`
	By        *string   `field:"by"`
	Cost      *string   `field:"cost"`
	Order     *[]string `field:"order"`
	Values    *[]string `field:"values"`
}

// Together are features that change at once, and the rows of values that they may then have.
type Together struct {
	Features []string   `field:"features"`
	Rows     [][]string `field:"rows"`
}

// HasChanges says whether a value of some feature can change.
func (s *Spec) HasChanges() bool {
	return slices.ContainsFunc(s.Features, func(f *Feature) bool { return f.Changes != nil })
}

// goes says whether values may move up, or down.
func (c *Changes) goes(direction string) bool { return c.Direction == direction || c.Direction == both }

// end is the last value of a number's rules in a direction, nil for none, and the name of its field.
func (c *Changes) end(direction string) (stated *string, field string) {
	if direction == down && c.Direction == both {
		return c.From, "from"
	}
	return c.To, "to"
}

// statedField is a field of rules by its name, which is there, and its text where it is a number.
type statedField struct {
	name string
	text *string
}

// stated are the fields beside the direction that are there, in the order of the table.
func (c *Changes) stated() (there []statedField) {
	for _, one := range []statedField{{"step", c.Step}, {"from", c.From}, {"to", c.To}, {"by", c.By}, {"cost", c.Cost}} {
		if one.text != nil {
			there = append(there, one)
		}
	}
	if c.Order != nil {
		there = append(there, statedField{"order", nil})
	}
	if c.Values != nil {
		there = append(there, statedField{"values", nil})
	}
	return there
}

// fieldsOf are those beside the direction of a kind of feature.
func (c *Changes) fieldsOf(kind string) []string {
	switch {
	case kind == "numeric" && c.Direction == both:
		return []string{"step", "from", "to", "by", "cost"}
	case kind == "numeric":
		return []string{"step", "to", "by", "cost"}
	case c.Direction == both:
		return []string{"values", "cost"}
	}
	return []string{"order", "cost"}
}

// checkChanges refuses rules of change that contradict the features or each other, or whose values the features do not have.
func (s *Spec) checkChanges() error {
	for _, f := range s.Features {
		if f.Changes == nil {
			continue
		}
		if err := f.checkRules(f.named()); err != nil {
			return err
		}
		for _, end := range []*string{f.Changes.From, f.Changes.To} {
			if end == nil {
				continue
			}
			if _, err := s.columns(f, *end); err != nil {
				return err
			}
		}
	}
	if s.Together == nil {
		return nil
	}
	return s.checkTogether(*s.Together)
}

// checkRules refuses rules of a feature that contradict it or each other.
func (f *Feature) checkRules(name string) error {
	if f.Sensitive {
		return errors.New(tables.Say("spec.changes_sensitive", name))
	}
	fields := f.Changes.fieldsOf(f.Kind)
	for _, one := range f.Changes.stated() {
		if !slices.Contains(fields, one.name) {
			return errors.New(tables.Say("spec.changes_misplaced", name, one.name, f.Changes.Direction))
		}
	}
	for _, one := range f.Changes.stated() {
		if one.text == nil {
			continue
		}
		amount, err := Decimal(*one.text, name+": changes: "+one.name)
		if err != nil {
			return err
		}
		if amount.Sign() <= 0 && slices.Contains([]string{"step", "by", "cost"}, one.name) {
			return errors.New(tables.Say("spec.changes_not_positive", name, one.name))
		}
	}
	if f.Kind == "numeric" {
		return f.checkNumber(name)
	}
	return f.checkCategory(name)
}

// checkNumber refuses ends that are missing or reversed, and numbers that are no values of the feature.
func (f *Feature) checkNumber(name string) error {
	for _, one := range f.Changes.stated() {
		if one.name == "cost" {
			continue
		}
		if err := f.checkStep(one.name, *one.text); err != nil {
			return err
		}
	}
	for _, direction := range []string{up, down} {
		stated, field := f.Changes.end(direction)
		if f.Changes.goes(direction) && f.Range == nil && stated == nil {
			return errors.New(tables.Say("spec.changes_unbounded", name, field))
		}
	}
	from, to := f.Changes.From, f.Changes.To
	if from != nil && to != nil && number.Exact(*from).Cmp(number.Exact(*to)) >= 0 {
		return errors.New(tables.Say("spec.changes_reversed", name))
	}
	return nil
}

// checkStep refuses a number of a feature's rules that is not whole or no multiple of its step; field says where it stands.
func (f *Feature) checkStep(field, amount string) error {
	if f.IsWhole() && !number.Exact(amount).IsInt() {
		return errors.New(tables.Say("spec.changes_not_whole", f.named(), field))
	}
	if f.Changes.Step == nil {
		return nil
	}
	if step := *f.Changes.Step; !new(big.Rat).Quo(number.Exact(amount), number.Exact(step)).IsInt() {
		return errors.New(tables.Say("spec.changes_off_step", f.named(), step, field, amount))
	}
	return nil
}

// checkCategory refuses an order that is not one of the whole domain, and values that are not of it.
func (f *Feature) checkCategory(name string) error {
	c := f.Changes
	if c.Direction != both && c.Order == nil {
		return errors.New(tables.Say("spec.changes_order_missing", name, c.Direction))
	}
	if c.Order != nil && !slices.Equal(slices.Sorted(slices.Values(*c.Order)), slices.Sorted(slices.Values(f.Domain))) {
		return errors.New(tables.Say("spec.changes_order_unfit", name))
	}
	if c.Values != nil && (len(*c.Values) == 0 || !f.hasValues(*c.Values)) {
		return errors.New(tables.Say("spec.changes_values_unfit", name, names.Listed(f.Domain)))
	}
	return nil
}

// hasValues says whether values are of the domain, each once.
func (f *Feature) hasValues(values []string) bool {
	for at, value := range values {
		if !slices.Contains(f.Domain, value) || slices.Contains(values[:at], value) {
			return false
		}
	}
	return true
}

// checkTogether refuses tables of features that may not change, and rows of values that they do not have.
func (s *Spec) checkTogether(all []Together) error {
	if len(all) == 0 || slices.ContainsFunc(all, func(one Together) bool { return len(one.Features) < 2 }) {
		return errors.New(tables.Say("spec.together_too_few"))
	}
	known, cells := map[string]*Feature{}, 0
	for _, f := range s.Features {
		if f.Changes != nil {
			known[f.Name] = f
		}
	}
	seen := map[string]bool{}
	for _, one := range all {
		for _, name := range one.Features {
			if known[name] == nil || seen[name] {
				return errors.New(tables.Say("spec.together_feature_unfit", text.Repr(text.Cut(name, 40))))
			}
			seen[name] = true
		}
		for _, row := range one.Rows {
			cells += len(row)
		}
	}
	if cells > maxCells {
		return errors.New(tables.Say("spec.together_too_large", maxCells))
	}
	for _, one := range all {
		if err := s.checkRows(one, known); err != nil {
			return err
		}
	}
	return nil
}

// checkRows refuses rows of a table that say nothing or too much, and values that the features do not have.
func (s *Spec) checkRows(one Together, known map[string]*Feature) error {
	unfit := errors.New(tables.Say("spec.together_rows_unfit", names.Listed(one.Features)))
	rows := slices.SortedFunc(slices.Values(one.Rows), slices.Compare[[]string])
	if len(rows) == 0 || len(slices.CompactFunc(rows, slices.Equal[[]string])) != len(one.Rows) {
		return unfit
	}
	for _, row := range one.Rows {
		if len(row) != len(one.Features) {
			return unfit
		}
		for at, value := range row {
			if err := s.checkCell(known[one.Features[at]], value); err != nil {
				return err
			}
		}
	}
	return nil
}

// checkCell refuses a value of a table that its feature does not have, or that is no step.
func (s *Spec) checkCell(f *Feature, value string) error {
	if f.Kind == "numeric" {
		if _, err := Decimal(value, f.named()+": together"); err != nil {
			return err
		}
	}
	if _, err := s.columns(f, value); err != nil {
		return err
	}
	if f.Kind == "numeric" {
		return f.checkStep("together", value)
	}
	return nil
}
