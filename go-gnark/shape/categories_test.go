package shape_test

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"math/big"
	"strings"
	"testing"

	"equiproof/internal/oracle"
	"equiproof/shape"
)

// sorted returns an ensemble's shape with two categories of values behind the first column, of ten columns, and its canonical document.
func sorted(t *testing.T, change func(s *shape.Shape)) (*shape.Shape, []byte) {
	t.Helper()
	s := oracle.EnsembleShape(10, 1, [2]int{7, 1}, [2]int{3, 11}, 6, 8, 8)
	s.Architecture.Categories = []shape.Category{
		{First: 1, Values: 3, Low: 0, High: 1024, Sets: 2}, {First: 5, Values: 5, Low: -512, High: 512, Sets: 1},
	}
	change(s)
	text, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	return s, text
}

// Categories that have a circuit, at the limits of each number.
func TestCategories(t *testing.T) {
	for name, change := range map[string]func(s *shape.Shape){
		"as they are":           func(*shape.Shape) {},
		"ranges":                func(s *shape.Shape) { s.Scheme = shape.GrowingRanges },
		"missing values":        func(s *shape.Shape) { s.Architecture.Missing = true },
		"one behind the other":  func(s *shape.Shape) { s.Architecture.Categories[1].First = 4 },
		"from the first column": func(s *shape.Shape) { s.Architecture.Categories[0].First = 0 },
		"two values":            func(s *shape.Shape) { s.Architecture.Categories[1].Values = 2 },
		"most values": func(s *shape.Shape) {
			s.Architecture.Plain, s.Architecture.Categories[1].Values = 69, 64
		},
		"the ends of the width": func(s *shape.Shape) {
			s.Architecture.Categories[0].Low, s.Architecture.Categories[0].High = -(1 << 17), 1<<17-1
		},
		"the last two integers": func(s *shape.Shape) {
			s.Architecture.Categories[0].Low, s.Architecture.Categories[0].High = 1<<17-2, 1<<17-1
		},
		"most sets": func(s *shape.Shape) { s.Architecture.Categories[0].Sets = 4095 },
	} {
		made, text := sorted(t, change)
		read, err := shape.Parse(text)
		if err != nil {
			t.Errorf("%s: %v", name, err)
		} else if read.Digest().Cmp(made.Digest()) != 0 {
			t.Errorf("%s: another digest", name)
		}
	}
}

// Categories without a circuit are refused, naming the number.
func TestCategoriesAreChecked(t *testing.T) {
	of := func(place int, change func(c *shape.Category)) func(s *shape.Shape) {
		return func(s *shape.Shape) { change(&s.Architecture.Categories[place]) }
	}
	for _, c := range []struct {
		wrong  string
		change func(s *shape.Shape)
	}{
		{"first column of a category is -1, want 0 to 9", of(0, func(c *shape.Category) { c.First = -1 })},
		{"first column of a category is 10, want 4 to 9", of(1, func(c *shape.Category) { c.First = 10 })},
		{"first column of a category is 3, want 4 to 9", of(1, func(c *shape.Category) { c.First = 3 })},
		{"first column of a category is 1, want 4 to 9", of(1, func(c *shape.Category) { c.First = 1 })},
		{"first column of a category is 1, want 10 to 9", func(s *shape.Shape) {
			s.Architecture.Categories[0], s.Architecture.Categories[1] = s.Architecture.Categories[1], s.Architecture.Categories[0]
		}},
		{"values of a category is 0, want 2 to 9", of(0, func(c *shape.Category) { c.Values = 0 })},
		{"values of a category is 1, want 2 to 5", of(1, func(c *shape.Category) { c.Values = 1 })},
		{"values of a category is 6, want 2 to 5", of(1, func(c *shape.Category) { c.Values = 6 })},
		{"values of a category is 2, want 2 to 1", of(1, func(c *shape.Category) { c.First, c.Values = 9, 2 })},
		{"values of a category is 65, want 2 to 64", func(s *shape.Shape) {
			s.Architecture.Plain, s.Architecture.Categories[1].Values = 100, 65
		}},
		{"low of a category is -131073, want -131072 to 131070", of(0, func(c *shape.Category) { c.Low = -(1 << 17) - 1 })},
		{"low of a category is 131071, want -131072 to 131070", of(0, func(c *shape.Category) { c.Low, c.High = 1<<17-1, 1<<17 })},
		{"high of a category is 131072, want 1 to 131071", of(0, func(c *shape.Category) { c.High = 1 << 17 })},
		{"high of a category is 0, want 1 to 131071", of(0, func(c *shape.Category) { c.High = 0 })},
		{"high of a category is -513, want -511 to", of(1, func(c *shape.Category) { c.High = -513 })},
		{"sets of a category is 0, want 1 to 4096", of(0, func(c *shape.Category) { c.Sets = 0 })},
		{"sets of a category is -1, want 1 to 4096", of(1, func(c *shape.Category) { c.Sets = -1 })},
		{"sets of a category is 4097, want 1 to 4096", of(1, func(c *shape.Category) { c.Sets = 4097 })},
		{"number of sets is 4097, want 0 to 4096", of(0, func(c *shape.Category) { c.Sets = 4096 })},
	} {
		_, text := sorted(t, c.change)
		if _, err := shape.Parse(text); err == nil || !strings.Contains(err.Error(), c.wrong) {
			t.Errorf("%s: %v", c.wrong, err)
		}
	}
}

// Additive models and networks ask no sets.
func TestOthersHaveNoCategories(t *testing.T) {
	own := []shape.Category{{First: 0, Values: 2, High: 1, Sets: 1}}
	of := func(s *shape.Shape) []byte {
		s.Architecture.Categories = own
		text, err := json.Marshal(s)
		if err != nil {
			t.Fatal(err)
		}
		return text
	}
	for _, scheme := range []string{shape.Adding, shape.AddingRanges} {
		s := oracle.AdditiveShape(3, 1, [2]int{7, 1}, 6, 8)
		s.Scheme = scheme
		if _, err := shape.Parse(of(s)); err == nil || !strings.Contains(err.Error(), "number of categories is 1, want 0 to 0") {
			t.Errorf("%s: %v", scheme, err)
		}
	}
	for _, scheme := range []string{shape.Traversing, shape.Branching, shape.Ranging, shape.Gaining} {
		s := oracle.ShapeOf(3, 1, []int{2}, 1, 18, 2, 4)
		s.Scheme = scheme
		if _, err := shape.Parse(of(s)); err == nil || !strings.Contains(err.Error(), "categories are fields of models with predicates only") {
			t.Errorf("%s: %v", scheme, err)
		}
	}
}

// Sets are columns behind the plain ones; each has a bit for each value, and one more where values can be missing.
func TestSetsAreCounted(t *testing.T) {
	s, _ := sorted(t, func(*shape.Shape) {})
	a := &s.Architecture
	if a.Sets() != 3 || a.Columns() != 13 || a.Members() != 2*3+5 {
		t.Errorf("%d sets, %d columns, %d members", a.Sets(), a.Columns(), a.Members())
	}
	a.Missing = true
	if a.Sets() != 3 || a.Columns() != 13 || a.Members() != 2*4+6 {
		t.Errorf("with missing values %d sets, %d columns, %d members", a.Sets(), a.Columns(), a.Members())
	}
	if c := a.Categories[1]; c.Members(false) != 5 || c.Members(true) != 6 {
		t.Errorf("a set of %d members, %d with a missing one", c.Members(false), c.Members(true))
	}
	a.Categories = nil
	if a.Sets() != 0 || a.Columns() != 10 || a.Members() != 0 {
		t.Errorf("without sets %d sets, %d columns, %d members", a.Sets(), a.Columns(), a.Members())
	}
}

// A category is written with its fields in their order, and only so; each of them is part of both digests.
func TestCategoriesAreCanonical(t *testing.T) {
	const field = `"categories":[{"first":1,"high":1024,"low":0,"sets":2,"values":3},{"first":5,"high":512,"low":-512,"sets":1,"values":5}],`
	s, text := sorted(t, func(*shape.Shape) {})
	if !strings.Contains(string(text), `{"architecture":{"bias_bits":[24],`+field+`"hidden":[],`) {
		t.Fatalf("%s", text)
	}
	replaced := func(old, with string) string {
		if !strings.Contains(field, old) {
			t.Fatalf("no %s", old)
		}
		return strings.Replace(string(text), field, strings.Replace(field, old, with, 1), 1)
	}
	for name, other := range map[string]string{
		"none, as a list":       replaced(field, `"categories":[],`),
		"null":                  replaced(field, `"categories":null,`),
		"a list of numbers":     replaced(field, `"categories":[1],`),
		"another order":         replaced(`"first":1,"high":1024`, `"high":1024,"first":1`),
		"a field left out":      replaced(`"low":0,`, ``),
		"sets left out":         replaced(`"sets":2,`, ``),
		"an unknown field":      replaced(`"values":3`, `"values":3,"width":3`),
		"a repeated field":      replaced(`"low":0`, `"low":0,"low":0`),
		"a text":                replaced(`"sets":2`, `"sets":"2"`),
		"a fraction":            replaced(`"high":1024`, `"high":1024.0`),
		"null in a category":    replaced(`"low":0`, `"low":null`),
		"categories in a shape": strings.Replace(strings.Replace(string(text), field, "", 1), `"capacity":8`, `"capacity":8,`+strings.TrimSuffix(field, ","), 1),
	} {
		if _, err := shape.Parse([]byte(other)); err == nil {
			t.Errorf("%s: is read", name)
		}
	}
	sum := sha256.Sum256(append([]byte("equiproof.shape.v2\x00"), text...))
	if want := new(big.Int).SetBytes(sum[:31]); s.Digest().Cmp(want) != 0 {
		t.Errorf("%x, want %x", s.Digest(), want)
	}
	digests := map[string]bool{}
	for _, change := range []func(c *shape.Category){
		func(*shape.Category) {}, func(c *shape.Category) { c.First-- }, func(c *shape.Category) { c.Values-- },
		func(c *shape.Category) { c.Low++ }, func(c *shape.Category) { c.High++ }, func(c *shape.Category) { c.Sets++ },
	} {
		other, _ := sorted(t, func(s *shape.Shape) { change(&s.Architecture.Categories[1]) })
		digests[fmt.Sprint("shape ", other.Digest())], digests[fmt.Sprint("architecture ", other.Architecture.Digest())] = true, true
	}
	if len(digests) != 12 {
		t.Errorf("%d digests, want 12", len(digests))
	}
}
