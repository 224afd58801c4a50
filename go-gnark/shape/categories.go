package shape

import "errors"

// The limits on a category's values and on the sets of all.
const (
	maxValues = 64
	maxSets   = 4096
)

// Category is a plain feature with one column a value, of whose values nodes ask sets: in the column of the value that somebody has
// stands High, in the others Low.
type Category struct {
	First  int `json:"first"`
	High   int `json:"high"`
	Low    int `json:"low"`
	Sets   int `json:"sets"`
	Values int `json:"values"`
}

// Sets is how many sets nodes ask. Each makes a column behind the plain ones: 1 where the value is in the set, else 0.
func (a *Architecture) Sets() int {
	total := 0
	for _, c := range a.Categories {
		total += c.Sets
	}
	return total
}

// Columns is how many columns predicates that are not sensitive read: the plain ones, and one for each set.
func (a *Architecture) Columns() int { return a.Plain + a.Sets() }

// Members is how many bits say what is in the sets: one for each value of the category, and one for a missing value.
func (a *Architecture) Members() int {
	total := 0
	for _, c := range a.Categories {
		total += c.Sets * c.Members(a.Missing)
	}
	return total
}

// Members is how many bits a set has.
func (c Category) Members(missing bool) int {
	if missing {
		return c.Values + 1
	}
	return c.Values
}

// checkCategories refuses categories that make no circuit on inputs of so many bits.
func (a *Architecture) checkCategories(inputBits int) error {
	behind := 0
	half := 1 << (inputBits - 1)
	for _, c := range a.Categories {
		err := errors.Join(in("first column of a category", c.First, behind, a.Plain-1),
			in("values of a category", c.Values, 2, min(maxValues, a.Plain-c.First)),
			in("low of a category", c.Low, -half, half-2), in("high of a category", c.High, c.Low+1, half-1),
			in("sets of a category", c.Sets, 1, maxSets))
		if err != nil {
			return err
		}
		behind = c.First + c.Values
	}
	return in("number of sets", a.Sets(), 0, maxSets)
}
