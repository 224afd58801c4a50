package canonical_test

import (
	"errors"
	"math/big"
	"reflect"
	"strings"
	"testing"

	"equiproof/verify/canonical"
	"equiproof/verify/tables"
	"equiproof/verify/verdict"
)

type mark struct {
	Format string `field:"format"`
}

type part struct {
	Name  string   `field:"name"`
	Parts []part   `field:"parts"`
	Size  *big.Int `field:"size"`
}

type whole struct {
	mark
	Flag   bool              `field:"flag"`
	Number *int64            `field:"number"`
	Text   *string           `field:"text"`
	Pair   *[2]int           `field:"pair"`
	Texts  *canonical.Object `field:"texts"`
	Level  string            `field:"level"`
	Raw    canonical.Value   `field:"raw"`
	Parts  []part            `field:"parts"`
}

// rows are those of fields, each `name: type`; with a question mark behind its name, a document may lack it.
func rows(fields ...string) (all []tables.FieldRow) {
	for _, field := range fields {
		name, words, _ := strings.Cut(field, ": ")
		name, optional := strings.CutSuffix(name, "?")
		all = append(all, tables.FieldRow{Name: name, Type: words, Required: !optional})
	}
	return all
}

var wholeTable = canonical.TableOfRows[whole](
	rows("format: text", "flag: true or false", "number?: integer", "text?: text or null", "pair: list of 2: integer, integer or null",
		"texts?: object of text", "level?: one of low, high", "raw?: text or integer or number", "parts?: list of Part"),
	canonical.Absent("level", canonical.Constant("low")),
	canonical.As("parts", canonical.Recursive(func(self canonical.Kind) canonical.Kind {
		return canonical.ListOf(canonical.TableOfRows[part](
			rows("name: text", "parts: list of Part", "size?: integer"), canonical.As("parts", self)))
	})),
)

// A document's fields are read into the struct, and an absent, null or empty one leaves the zero value.
func TestFields(t *testing.T) {
	text, number := "x", int64(-7)
	texts := canonical.NewObject().Set("b", "1").Set("a", "2")
	huge, _ := new(big.Int).SetString("99999999999999999999", 10)
	for document, want := range map[string]whole{
		`{"format":"f","flag":true,"number":-7,"text":"x","pair":[1,2],"texts":{"b":"1","a":"2"},"level":"high","raw":1.5,
		  "parts":[{"name":"p","parts":[{"name":"q","parts":[],"size":99999999999999999999}]}]}`: {
			mark{"f"}, true, &number, &text, &[2]int{1, 2}, texts, "high", 1.5,
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
		`{"pair":null}`:                       "it: want a field 'format': it is missing",
		`{"format":"f","pair":null}`:          "it: want a field 'flag': it is missing",
		`{"format":null}`:                     "it: field format: want text, not null",
		`{"number":null}`:                     "it: field number: want an integer, not null",
		`{"number":"1"}`:                      "it: field number: want an integer, not text",
		`{"pair":[1]}`:                        "it: field pair: want a list of 2",
		`{"pair":[1,true]}`:                   "it: field pair[1]: want an integer, not true or false",
		`{"texts":{"a":1}}`:                   "it: field texts.a: want text, not number",
		`{"level":"middle"}`:                  "it: field level: 'middle' is not one of low, high",
		`{"parts":[{"name":"p","part":[]}]}`:  "it: field parts[0]: want no field 'part': it is unknown here",
		`{"parts":[{"name":"p","parts":[0]}]`: "it: field parts[0].parts[0]: want an object, not number",
		`{"parts":[{"parts":[]}]}`:            "it: field parts[0]: want a field 'name': it is missing",
		`{"Flag":true}`:                       "it: want no field 'Flag': it is unknown here",
	} {
		_, err := canonical.Parse([]byte(document), wholeTable, "it")
		var refusal *verdict.Error
		if !errors.As(err, &refusal) || refusal.Message != want || refusal.Reason != "wrong-fields" {
			t.Errorf("%s: %v, want %s", document, err, want)
		}
	}
}

// A struct that does not fit its table stops the program when it starts.
func TestStructsThatAreNoTables(t *testing.T) {
	text, optional := rows("a: text"), rows("a?: text")
	for name, table := range map[string]func(){
		"a field without a name": func() { canonical.TableOfRows[struct{ A string }](text) },
		"a hidden field": func() {
			canonical.TableOfRows[struct {
				a string `field:"a"`
			}](text)
		},
		"a field that the table lacks":  func() { of[string](nil) },
		"a field that the struct lacks": func() { of[string](append(text, rows("b: text")...)) },
		"a field of another name":       func() { of[string](rows("b: text")) },
		"a given field of another name": func() { of[string](text, canonical.As("b", canonical.Text())) },
		"a value of a required field":   func() { of[string](text, canonical.Absent("a", canonical.Constant(""))) },
		"no place for what is absent":   func() { of[string](optional) },
		"no place for null":             func() { of[int](rows("a: integer or null")) },
		"a place for nothing":           func() { of[*string](text) },
		"text as a number":              func() { of[int](text) },
		"a number as text":              func() { of[string](rows("a: integer")) },
		"a flag as text":                func() { of[string](rows("a: true or false")) },
		"one of names as a flag":        func() { of[bool](rows("a: one of low, high")) },
		"a list as text":                func() { of[string](rows("a: list of text")) },
		"a list of other values":        func() { of[[]int](rows("a: list of text")) },
		"a pair as a list":              func() { of[[]int](rows("a: list of 2: integer, integer")) },
		"three in place of two":         func() { of[[3]int](rows("a: list of 2: integer, integer")) },
		"a pair of two types":           func() { of[canonical.Value](rows("a: list of 2: integer, text")) },
		"an object as text":             func() { of[string](rows("a: object of text")) },
		"text as an object":             func() { of[*canonical.Object](text) },
		"raw values as text":            func() { of[string](rows("a: text or integer or number")) },
		"a part as text":                func() { of[string](rows("a: PowersReference")) },
		"a part as another struct":      func() { of[part](rows("a: PowersReference")) },
		"an unknown part":               func() { of[canonical.Value](rows("a: Unknown")) },
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

// of is the table of a struct with one field.
func of[T any](rows []tables.FieldRow, own ...canonical.Own) {
	canonical.TableOfRows[struct {
		A T `field:"a"`
	}](rows, own...)
}

// A part of documents is read by its own fields, into a struct or as it stands.
func TestParts(t *testing.T) {
	type powers struct {
		Origin string `field:"origin"`
		Source string `field:"source"`
		Digest string `field:"digest"`
	}
	table := canonical.TableOfRows[struct {
		Read *powers           `field:"read"`
		Kept *canonical.Object `field:"kept"`
	}](rows("read?: PowersReference", "kept: PowersReference"))
	own := `{"origin":"imported","source":"s","digest":"d"}`
	value, err := canonical.Parse([]byte(`{"kept":`+own+`,"read":`+own+`}`), table, "it")
	if err != nil {
		t.Fatal(err)
	}
	if fields := table.Fields(value); *fields.Read != (powers{"imported", "s", "d"}) || fields.Kept.Text("source") != "s" {
		t.Errorf("%+v", fields)
	}
	for document, want := range map[string]string{
		`{"kept":{}}`:              "it: field kept: want a field 'origin': it is missing",
		`{"kept":{"origin":"a"}}`:  "it: field kept.origin: 'a' is not one of ceremony, imported",
		`{"read":{"source":true}}`: "it: field read.source: want text, not true or false",
		`{"read":null}`:            "it: field read: want an object, not null",
	} {
		if _, err := canonical.Parse([]byte(document), table, "it"); err == nil || err.Error() != want {
			t.Errorf("%s: %v, want %s", document, err, want)
		}
	}
}
