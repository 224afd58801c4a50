package spec

import (
	"math/big"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"equiproof/verify/canonical"
	"equiproof/verify/number"
)

// vectors reads tests/vectors/encodings.json, which tests/vectors/README.md describes, and its specs.
func vectors(t *testing.T) (*canonical.Object, map[string]*Spec) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("..", "..", "..", "tests", "vectors", "encodings.json"))
	if err != nil {
		t.Fatal(err)
	}
	value, err := canonical.Parse(data, canonical.Anything(), "encodings.json")
	if err != nil {
		t.Fatal(err)
	}
	all, specs := value.(*canonical.Object), map[string]*Spec{}
	for _, name := range all.Object("specs").Names() {
		if specs[name], err = parsed(all.Object("specs").Get(name)); err != nil {
			t.Fatal(name, err)
		}
	}
	return all, specs
}

func parsed(value canonical.Value) (*Spec, error) {
	read, err := canonical.Parse(canonical.Bytes(value), Kind(), "spec")
	if err != nil {
		return nil, err
	}
	return New(read)
}

// integers are a list of them.
func integers(value canonical.Value) (all []int64) {
	for _, one := range value.([]canonical.Value) {
		all = append(all, one.(*big.Int).Int64())
	}
	return all
}

// cases are those of a list, which holds some.
func cases(t *testing.T, all *canonical.Object, list string) []*canonical.Object {
	t.Helper()
	if len(all.Objects(list)) < 3 {
		t.Fatalf("%s: %d cases", list, len(all.Objects(list)))
	}
	return all.Objects(list)
}

func TestVectorsOfColumns(t *testing.T) {
	all, specs := vectors(t)
	for _, one := range cases(t, all, "logarithms") {
		want, _ := new(big.Int).SetString(one.Text("steps"), 10)
		if at := level(number.Exact(one.Text("number"))); at.Cmp(multiple(want, oneLevel)) != 0 {
			t.Errorf("%s: %s, want %s steps", one.Text("number"), at, want)
		}
	}
	for _, one := range cases(t, all, "rows") {
		query, err := specs[one.Text("spec")].Encode(one.Object("row"))
		if want := integers(one.Get("columns")); err != nil || !slices.Equal(query, want) {
			t.Errorf("%s: %v, %v, want %v", canonical.Bytes(one.Get("row")), query, err, want)
		}
	}
	for _, one := range cases(t, all, "domains") {
		for at, row := range one.Get("table").([]canonical.Value) {
			if table := specs[one.Text("spec")].Table; !slices.Equal(table[at], integers(row)) {
				t.Errorf("%s: %v", one.Text("spec"), table)
			}
		}
	}
}

func TestVectorsOfWords(t *testing.T) {
	all, specs := vectors(t)
	same := func(one *canonical.Object, field string, said func(f *Feature) string) {
		t.Helper()
		for _, f := range specs[one.Text("spec")].Plain {
			if want := one.Object(field); want != nil && said(f) != want.Text(f.Name) {
				t.Errorf("%s: %s: %s, want %s", canonical.Bytes(one), f.Name, said(f), want.Text(f.Name))
			}
		}
	}
	for _, one := range cases(t, all, "readings") {
		s := specs[one.Text("spec")]
		radius := s.RadiusOfAny(int64(one.Int("radius_squared")))
		same(one, "features", func(f *Feature) string { return f.InUnits(radius) })
		same(one, "ranges", s.KeptTo)
		if (one.Object("ranges") != nil) != s.UseRanges {
			t.Errorf("%s", canonical.Bytes(one))
		}
	}
	for _, one := range cases(t, all, "intervals") {
		s := specs[one.Text("spec")]
		radius := s.RadiusOfAny(int64(one.Int("radius_squared")))
		same(one, "intervals", func(f *Feature) string { return s.Interval(f, radius, one.Object("row").Get(f.Name)) })
	}
}

func TestVectorsOfRefusals(t *testing.T) {
	all, specs := vectors(t)
	for _, one := range cases(t, all, "refused_rows") {
		if _, err := specs[one.Text("spec")].Encode(one.Object("row")); err == nil || err.Error() != one.Text("message") {
			t.Errorf("%v, want %s", err, one.Text("message"))
		}
	}
	for _, one := range cases(t, all, "refused_specs") {
		if _, err := parsed(one.Get("spec")); err == nil || err.Error() != one.Text("message") {
			t.Errorf("%s: %v, want %s", one.Text("what"), err, one.Text("message"))
		}
	}
}

// A value whose logarithm is too far from the mean is shown as it was given; Python says the same.
func TestValueBeyondTheWidth(t *testing.T) {
	_, specs := vectors(t)
	data := []byte(`{"wealth": 1, "rate": "0.02", "change": 1, "spread": "1099511627776", "income": 2410}`)
	row, err := canonical.Parse(data, canonical.Anything(), "row")
	if err != nil {
		t.Fatal(err)
	}
	want := "feature 'spread': 1.09951e+12 is 6000.0 scales from the mean, more than 22 bits hold"
	if _, err := specs["factors"].Encode(row.(*canonical.Object)); err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
}
