package shape

import (
	"errors"
	"fmt"
)

// The limits on a category's values and on the sets of all.
const (
	maxValues = 64
	maxSets   = 4096
)

// Category is a plain feature with one column a value, of whose values nodes ask sets: in the column of the value that somebody has
// stands High, in the others Low.
type Category struct{ First, Width, Low, High, Sets int }

// Asked lists the categories of whose values nodes ask sets.
func (a *Architecture) Asked() []Category {
	var asked []Category
	for _, c := range a.Categories {
		asked = append(asked, Category{c[0], c[1], c[2], c[3], c[4]})
	}
	return asked
}

// Sets is how many sets nodes ask. Each makes a column behind the plain ones: 1 where the value is in the set, else 0.
func (a *Architecture) Sets() int {
	total := 0
	for _, c := range a.Categories {
		total += c[len(c)-1]
	}
	return total
}

// Columns is how many columns predicates that are not sensitive read: the plain ones, and one for each set.
func (a *Architecture) Columns() int { return a.Plain + a.Sets() }

// Members is how many bits say what is in the sets: one for each value of the category, and one for a missing value.
func (a *Architecture) Members() int {
	total := 0
	for _, c := range a.Asked() {
		total += c.Sets * c.Members(a.Missing)
	}
	return total
}

// Members is how many bits a set has.
func (c Category) Members(missing bool) int {
	if missing {
		return c.Width + 1
	}
	return c.Width
}

// checkCategories refuses categories that make no circuit.
func (s *Shape) checkCategories() error {
	behind := 0
	for i, c := range s.Architecture.Categories {
		if len(c) != 5 {
			return fmt.Errorf("shape: categories: category %d has %d numbers, want first column, values, low, high, sets", i, len(c))
		}
		half := 1 << (s.InputBits - 1)
		err := errors.Join(in("first column of a category", c[0], behind, s.Architecture.Plain-1),
			in("values of a category", c[1], 2, min(maxValues, s.Architecture.Plain-c[0])),
			in("low of a category", c[2], -half, half-2), in("high of a category", c[3], c[2]+1, half-1), in("sets", c[4], 1, maxSets))
		if err != nil {
			return err
		}
		behind = c[0] + c[1]
	}
	return in("number of sets", s.Architecture.Sets(), 0, maxSets)
}
