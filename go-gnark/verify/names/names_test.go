package names

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"equiproof/verify/text"
)

// vectors is tests/vectors/names.json, which tests/vectors/README.md describes.
type vectors struct {
	Names, Units []nameCase
	Specs        []specCase
	Shown        []struct {
		Text        string
		AsName      string `json:"as_name"`
		AfterNumber string `json:"after_number"`
	}
	Listed []struct {
		Names []string
		Text  string
	}
	Lines []struct{ Text, Line string }
}

type nameCase struct {
	Text, Verdict string
	Rule          Rule
}

type specCase struct {
	Features, Labels, Units []string
	Name, Verdict, What     string
	Rule                    Rule
	Values                  [][]string
}

func read(t *testing.T) (all vectors) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("..", "..", "..", "tests", "vectors", "names.json"))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(data, &all); err != nil {
		t.Fatal(err)
	}
	if len(all.Names) < 50 || len(all.Units) < 10 || len(all.Specs) < 10 || len(all.Shown) < 10 {
		t.Fatalf("%d names, %d units, %d specs, %d shown", len(all.Names), len(all.Units), len(all.Specs), len(all.Shown))
	}
	return all
}

func compare(t *testing.T, what string, want Rule, verdict string, complaints ...*Complaint) {
	t.Helper()
	rule := Rule("")
	for _, complaint := range complaints {
		if complaint != nil && rule == "" {
			rule = complaint.Rule
		}
	}
	if rule != want || (verdict == "accept") != (rule == "") {
		t.Errorf("%q: %q, want %q (%s)", what, rule, want, verdict)
	}
}

// Names, units and specs are accepted, or refused under the rule that the vector says.
func TestVectors(t *testing.T) {
	all := read(t)
	for _, one := range all.Names {
		compare(t, one.Text, one.Rule, one.Verdict, Judge(one.Text))
	}
	for _, one := range all.Units {
		compare(t, one.Text, one.Rule, one.Verdict, Judge(one.Text), JudgeUnit(one.Text))
	}
	for _, one := range all.Specs {
		groups := []Group{{"features", one.Features}, {"labels", one.Labels}, {"units", one.Units}, {"name", []string{one.Name}}}
		for at, values := range one.Values {
			groups = append(groups, Group{fmt.Sprint("values ", at), values})
		}
		compare(t, one.What, one.Rule, one.Verdict, JudgeTogether(groups))
	}
	for _, one := range all.Shown {
		if Quoted(one.Text) != one.AsName || AfterNumber(one.Text) != one.AfterNumber {
			t.Errorf("%q: %q and %q, want %q and %q", one.Text, Quoted(one.Text), AfterNumber(one.Text), one.AsName, one.AfterNumber)
		}
	}
}

// Names are listed, and lines of refusals are cut, as the vectors say.
func TestLists(t *testing.T) {
	all := read(t)
	if len(all.Listed) < 4 || len(all.Lines) < 5 {
		t.Fatalf("%d lists, %d lines", len(all.Listed), len(all.Lines))
	}
	for _, one := range all.Listed {
		if found := Listed(one.Names); found != one.Text {
			t.Errorf("%q, want %q", found, one.Text)
		}
	}
	for _, one := range all.Lines {
		if found := text.Brief(one.Text); found != one.Line {
			t.Errorf("%q, want %q", found, one.Line)
		}
	}
}

// No character stands in the table twice: spans are searched by halves.
func TestTable(t *testing.T) {
	last := rune(-1)
	for _, span := range characters().every {
		if span.first <= last || span.last < span.first {
			t.Errorf("U+%04X stands in the table twice", span.first)
		}
		last = span.last
	}
}

// Syllables of Hangul, marks in another order, and marks that do not reach their letter.
func TestNormalForms(t *testing.T) {
	for text, want := range map[string][2]string{
		"plain":                {"plain", "plain"},
		"\uac01":               {"\uac01", "\u1100\u1161\u11a8"},
		"\u1100\u1161":         {"\uac00", "\u1100\u1161"},
		"\uac00\u11a8":         {"\uac01", "\u1100\u1161\u11a8"},
		"\u1e69":               {"\u1e69", "s\u0323\u0307"},
		"s\u0307\u0323":        {"\u1e69", "s\u0323\u0307"},
		"a\u0323\u0301":        {"\u1ea1\u0301", "a\u0323\u0301"},
		"a\u0301\u0301":        {"\u00e1\u0301", "a\u0301\u0301"},
		"\u0301a":              {"\u0301a", "\u0301a"},
		"\u0915\u093c":         {"\u0915\u093c", "\u0915\u093c"},
		"o\u0304\u0328\u0301b": {"\u01ed\u0301b", "o\u0328\u0304\u0301b"},
	} {
		if composed(text) != want[0] || decomposed(text) != want[1] {
			t.Errorf("%+q: %+q and %+q, want %+q", text, composed(text), decomposed(text), want)
		}
	}
}
