package policy

import (
	"errors"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	"equiproof/verify/spec"
	"equiproof/verify/tables"
	"equiproof/verify/verdict"
)

// namesFeatures requires sensitive features, as a policy that the table does not have yet.
type namesFeatures struct{ names []string }

func (namesFeatures) Covers() Covered { return Covered{} }

func (c namesFeatures) Check(facts *Facts) ([]string, error) {
	for _, name := range c.names {
		if !slices.ContainsFunc(facts.Spec.Sensitive, func(own *spec.Feature) bool { return own.Name == name }) {
			return nil, refused("model-differs", "lacks "+name)
		}
	}
	return c.names, nil
}

var row = tables.PolicyRow{Name: "NamesFeatures", Option: "--named", Argument: "named", Field: "named", Kind: "names"}

// extended are the rows and the constructors with that policy, before MinRadius.
func extended() ([]tables.PolicyRow, map[string]constructor) {
	all, rows := maps.Clone(constructors), tables.Policies()
	all[row.Name] = constructorOf(func(names []string) (Policy, error) {
		if len(names) == 0 {
			return nil, errors.New("no names")
		}
		if slices.Contains(names, "") {
			return nil, errors.New("an empty name")
		}
		return namesFeatures{names}, nil
	})
	at := slices.IndexFunc(rows, func(one tables.PolicyRow) bool { return one.Name == "MinRadius" })
	return slices.Insert(rows, at, row), all
}

// A row of a known kind and a constructor are all that a policy takes: field, value and refusal come into being.
func TestRowOfNames(t *testing.T) {
	c, err := newCatalogue(extended())
	if err != nil {
		t.Fatal(err)
	}
	facts := &Facts{Spec: &spec.Spec{Sensitive: []*spec.Feature{{Name: "sex"}}}}
	for requires, want := range map[string]string{
		`{"named": ["sex"]}`:                  "",
		`{"named": ["sex", "race"]}`:          "lacks race",
		`{"any_of": [{"named": ["sex"]}]}`:    "",
		`{"named": null, "no_ranges": true}`:  "",
		`{"named": []}`:                       "no names",
		`{"named": [""]}`:                     "it: field requires.named: an empty name",
		`{"named": "sex"}`:                    "named: want a list, not text",
		`{"named": [1]}`:                      "named[0]: want text, not number",
		`{"min_radius": "-1", "named": [""]}`: "named: an empty name",
		`{"any_of": [{"named": ["sex"], "context": {"has": {}}}]}`: "any_of[0]: ",
		`{"names": ["sex"]}`: "want no field 'names': it is unknown here",
	} {
		policy, err := c.read([]byte(`{"format": "equiproof-policy", "version": 2, "requires": `+requires+`}`), "it", Own{})
		if err == nil {
			_, err = policy.Check(facts)
		}
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", requires, err, want)
		}
		var refusal *verdict.Error
		if err != nil && !errors.As(err, &refusal) {
			t.Errorf("%s: %v", requires, err)
		}
	}
	values := Requirements{"NamesFeatures": []string{"sex", ""}}
	var fault *Error
	if _, err := c.make(values, c.rows); !errors.As(err, &fault) || *fault != (Error{"named", "--named", "an empty name"}) {
		t.Errorf("%v", err)
	}
}

// A row without a constructor, a constructor without a row, and one that does not fit its kind are errors that name it.
func TestBrokenCatalogues(t *testing.T) {
	rows, made := extended()
	at := slices.IndexFunc(rows, func(one tables.PolicyRow) bool { return one.Name == row.Name })
	changed := func(change func(row *tables.PolicyRow)) []tables.PolicyRow {
		rows := slices.Clone(rows)
		change(&rows[at])
		return rows
	}
	for want, of := range map[string]struct {
		rows         []tables.PolicyRow
		constructors map[string]constructor
	}{
		"NamesFeatures: no constructor":                     {rows, constructors},
		"NamesFeatures: a constructor, and no row":          {tables.Policies(), made},
		"NamesFeatures: no values of the kind colors":       {changed(func(row *tables.PolicyRow) { row.Kind = "colors" }), made},
		"NamesFeatures: the constructor takes []string":     {changed(func(row *tables.PolicyRow) { row.Kind = "digits" }), made},
		"GainOf: no field of a policy file is of the kind ": {withField(rows, "GainOf", "gain_of"), made},
	} {
		if _, err := newCatalogue(of.rows, of.constructors); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

func withField(rows []tables.PolicyRow, name, field string) []tables.PolicyRow {
	rows = slices.Clone(rows)
	for at := range rows {
		if rows[at].Name == name {
			rows[at].Field = field
		}
	}
	return rows
}

// A value for which there is no policy, or one of another type, is not passed over.
func TestFaults(t *testing.T) {
	for want, values := range map[string]Requirements{
		"no value makes a policy ForReceipt": {"ForReceipt": "x"},
		"a value of the type int":            {"MinRadius": 1},
	} {
		func() {
			defer func() {
				if said, _ := recover().(string); !strings.Contains(said, want) {
					t.Errorf("%q, want %q", said, want)
				}
			}()
			_, _ = values.Policies()
		}()
	}
}

// Whatever requires nothing makes no policy, and the order is that of the table, with parts of the context and alternatives last.
func TestOrder(t *testing.T) {
	radius, none := "1", (*string)(nil)
	all, err := Requirements{
		"AnyOf": []Policy{Nothing{}}, "ContextHas": ContextHas{}, "MinGain": "2", "MinRadius": &radius, "SetupIs": none,
		"NoRanges": false, "RangesWithin": []Range(nil), "Logged": (*LogTerms)(nil), "SignedBy": nil,
	}.Policies()
	if err != nil || len(all) != 4 {
		t.Fatalf("%v, %v", all, err)
	}
	for at, want := range []Policy{MinRadius{"1"}, MinGain{"2"}, ContextHas{}, AnyOf{Nothing{}}} {
		if !reflect.DeepEqual(all[at], want) {
			t.Errorf("%v, want %v", all[at], want)
		}
	}
}
