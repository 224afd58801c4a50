package canonical_test

import (
	"errors"
	"math/big"
	"reflect"
	"testing"

	"equiproof/verify/canonical"
	"equiproof/verify/verdict"
)

type mark struct {
	Format string `field:"format"`
}

type part struct {
	Name  string   `field:"name"`
	Parts []part   `field:"parts"`
	Size  *big.Int `field:"size,optional"`
}

type whole struct {
	mark
	Flag   bool              `field:"flag"`
	Number int64             `field:"number,optional"`
	Text   *string           `field:"text,optional,null"`
	Pair   *[2]int           `field:"pair,null"`
	Texts  *canonical.Object `field:"texts,optional"`
	Level  string            `field:"level"`
	Raw    canonical.Value   `field:"raw"`
	Parts  []part            `field:"parts"`
}

var wholeTable = canonical.TableOf[whole](
	canonical.Otherwise("level", canonical.OneOf("low", "high"), canonical.Constant("low")),
	canonical.Optional("raw", canonical.Raw()),
	canonical.Optional("parts", canonical.Recursive(func(self canonical.Kind) canonical.Kind {
		return canonical.ListOf(canonical.TableOf[part](canonical.Required("parts", self)))
	})),
)

// A document's fields are read into the struct, and an absent, null or empty one leaves the zero value.
func TestFields(t *testing.T) {
	text := "x"
	texts := canonical.NewObject().Set("b", "1").Set("a", "2")
	huge, _ := new(big.Int).SetString("99999999999999999999", 10)
	for document, want := range map[string]whole{
		`{"format":"f","flag":true,"number":-7,"text":"x","pair":[1,2],"texts":{"b":"1","a":"2"},"level":"high","raw":1.5,
		  "parts":[{"name":"p","parts":[{"name":"q","parts":[],"size":99999999999999999999}]}]}`: {
			mark{"f"}, true, -7, &text, &[2]int{1, 2}, texts, "high", 1.5,
			[]part{{Name: "p", Parts: []part{{Name: "q", Size: huge}}}},
		},
		`{"pair":null,"flag":false,"format":"","text":null,"parts":[]}`: {Level: "low"},
	} {
		value, err := canonical.Parse([]byte(document), wholeTable, "it")
		if err != nil {
			t.Fatal(err)
		}
		if fields := wholeTable.Fields(value); !reflect.DeepEqual(*fields, want) {
			t.Errorf("%+v, want %+v", *fields, want)
		}
	}
}

// A table refuses as a document of the same fields does: by the field's path, and missing ones in the order of the struct.
func TestFieldsThatAreRefused(t *testing.T) {
	for document, want := range map[string]string{
		`{"pair":null}`:                       "it: it lacks the field 'format'",
		`{"format":"f","pair":null}`:          "it: it lacks the field 'flag'",
		`{"format":null}`:                     "it: field format: want text, not null",
		`{"number":null}`:                     "it: field number: want an integer, not null",
		`{"number":"1"}`:                      "it: field number: want an integer, not text",
		`{"pair":[1]}`:                        "it: field pair: want a list of 2",
		`{"pair":[1,true]}`:                   "it: field pair[1]: want an integer, not true or false",
		`{"texts":{"a":1}}`:                   "it: field texts.a: want text, not number",
		`{"level":"middle"}`:                  "it: field level: 'middle' is not one of low, high",
		`{"parts":[{"name":"p","part":[]}]}`:  "it: field parts[0]: it has an unknown field 'part'",
		`{"parts":[{"name":"p","parts":[0]}]`: "it: field parts[0].parts[0]: want an object, not number",
		`{"parts":[{"parts":[]}]}`:            "it: field parts[0]: it lacks the field 'name'",
		`{"Flag":true}`:                       "it: it has an unknown field 'Flag'",
	} {
		_, err := canonical.Parse([]byte(document), wholeTable, "it")
		var refusal *verdict.Error
		if !errors.As(err, &refusal) || refusal.Message != want || refusal.Reason != "wrong-fields" {
			t.Errorf("%s: %v, want %s", document, err, want)
		}
	}
}

// A struct that is no table stops the program when it starts.
func TestStructsThatAreNoTables(t *testing.T) {
	for name, table := range map[string]func(){
		"a field without a name": func() { canonical.TableOf[struct{ A string }]() },
		"a hidden field": func() {
			canonical.TableOf[struct {
				a string `field:"a"`
			}]()
		},
		"an unknown option": func() {
			canonical.TableOf[struct {
				A string `field:"a,omitempty"`
			}]()
		},
		"a type without a kind": func() {
			canonical.TableOf[struct {
				A canonical.Value `field:"a"`
			}]()
		},
		"a given field of another name": func() {
			canonical.TableOf[struct {
				A string `field:"a"`
			}](canonical.Required("b", canonical.Text()))
		},
		"options beside a given field": func() {
			canonical.TableOf[struct {
				A string `field:"a,optional"`
			}](canonical.Required("a", canonical.Text()))
		},
	} {
		t.Run(name, func(t *testing.T) {
			defer func() {
				if recover() == nil {
					t.Error("accepted")
				}
			}()
			table()
		})
	}
}
