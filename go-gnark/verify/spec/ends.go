package spec

import (
	"errors"
	"fmt"
	"math/big"
	"slices"
	"strings"

	"equiproof/verify/canonical"
	"equiproof/verify/names"
	"equiproof/verify/number"
	"equiproof/verify/tables"
	"equiproof/verify/text"
)

// Ends are the least and the largest integers of the columns of a box.
type Ends struct{ Low, High []int64 }

// listed says whether a box names the values of a feature one by one, since it has a column for each.
func (f *Feature) listed() bool { return f.Kind == "categorical" && f.encoding().width(f) > 1 }

// Ends are those of all n_x columns, of the values that a box names by feature: the least and the largest, or those that are
// possible where the feature has a column for each, or none of what is missing. An error unless all features are named, and
// their values fit the spec.
func (s *Spec) Ends(named func(f *Feature) (values []canonical.Value, there bool)) (*Ends, error) {
	all := &Ends{}
	for _, f := range s.Plain {
		given, there := named(f)
		if !there {
			return nil, errors.New(tables.Say("box.feature_missing", text.Repr(f.Name)))
		}
		own, err := s.ends(f, given)
		if err != nil {
			return nil, err
		}
		all.Low, all.High = append(all.Low, own.Low...), append(all.High, own.High...)
	}
	return &Ends{s.padded(all.Low), s.padded(all.High)}, nil
}

// ends are those of the columns of one feature.
func (s *Spec) ends(f *Feature, given []canonical.Value) (*Ends, error) {
	if len(given) == 0 {
		missing, err := s.columns(f, nil)
		return &Ends{missing, missing}, ofBox(err)
	}
	columns := make([][]int64, len(given))
	for at, value := range given {
		var err error
		if columns[at], err = s.columns(f, value); err != nil {
			return nil, ofBox(err)
		}
	}
	if f.listed() {
		return s.endsOfListed(f, given, columns)
	}
	if len(columns) != 2 {
		return nil, errors.New(tables.Say("box.ends_wanted", names.Quoted(f.Name)))
	}
	// Two numbers may be one integer.
	if slices.Compare(columns[0], columns[1]) > 0 || f.Kind == "numeric" && number.Read(given[0]).Cmp(number.Read(given[1])) > 0 {
		return nil, errors.New(tables.Say("box.ends_reversed", names.Quoted(f.Name)))
	}
	return &Ends{columns[0], columns[1]}, nil
}

// ofBox says of an error about a value that it is in a box.
func ofBox(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", tables.Say("word.box"), err)
}

// endsOfListed are those of a category of which a box names the possible values, with their columns: of several, what stands in
// the column of a value that somebody has not is the least of each column.
func (s *Spec) endsOfListed(f *Feature, given []canonical.Value, columns [][]int64) (*Ends, error) {
	seen := map[canonical.Value]bool{}
	for _, value := range given {
		if seen[value] {
			return nil, errors.New(tables.Say("box.value_twice", names.Quoted(f.Name)))
		}
		seen[value] = true
	}
	if len(columns) == 1 {
		return &Ends{columns[0], columns[0]}, nil
	}
	all := &Ends{Low: slices.Clone(columns[0]), High: slices.Clone(columns[0])}
	for _, value := range f.Domain {
		own, err := s.columns(f, value)
		if err != nil {
			return nil, err
		}
		extend(all.Low, own, func(one, other int64) int64 { return min(one, other) })
	}
	for _, own := range columns {
		extend(all.High, own, func(one, other int64) int64 { return max(one, other) })
	}
	return all, nil
}

// extend puts the better of two integers in each place.
func extend(ends, own []int64, better func(one, other int64) int64) {
	for at := range ends {
		ends[at] = better(ends[at], own[at])
	}
}

// EndsInWords says which values a box that fits the spec names of a feature, those of one value as this value.
func (f *Feature) EndsInWords(given []canonical.Value) string {
	switch {
	case len(given) == 0:
		return tables.Say("word.not_stated")
	case f.Kind == "categorical":
		return f.valuesInWords(given)
	}
	numbers, values := make([]*big.Rat, len(given)), make([]string, len(given))
	for at, value := range given {
		numbers[at], values[at] = number.Read(value), number.Text(value)
	}
	unit := names.AfterNumber(f.Unit)
	if days := f.writtenDates(numbers...); days != nil {
		values, unit = days, ""
	}
	first, last := values[0], values[len(values)-1]
	if first == last {
		return first + unit
	}
	return first + " " + tables.Say("word.to") + " " + last + unit
}

// valuesInWords lists the values of a category. Those between two of an order are not what a reader may think: a drafted order is
// alphabetical.
func (f *Feature) valuesInWords(given []canonical.Value) string {
	values := f.ValuesOf(given)
	quoted := make([]string, len(values))
	for at, value := range values {
		quoted[at] = names.Quoted(value)
	}
	return strings.Join(quoted, " / ")
}

// ValuesOf are the values of a category that a box which fits the spec has: those that it names, or all between two of an order.
func (f *Feature) ValuesOf(given []canonical.Value) []string {
	values := make([]string, len(given))
	for at, value := range given {
		values[at] = number.Text(value)
	}
	if f.listed() || len(values) == 0 {
		return values
	}
	return f.Domain[slices.Index(f.Domain, values[0]) : slices.Index(f.Domain, values[len(values)-1])+1]
}
