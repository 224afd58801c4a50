package command

import (
	"bytes"
	"reflect"
	"slices"
	"strings"
	"testing"

	"equiproof/verify/tables"
)

// Lines are broken at blanks, and a word that no line holds is cut; tests/static compares the rest with Python.
func TestWrap(t *testing.T) {
	for _, one := range []struct {
		text, first, others string
		width               int
		want                []string
	}{
		{"", "", "", 10, nil},
		{"one two three", "", "", 8, []string{"one two", "three"}},
		{"one two three", "- ", "  ", 9, []string{"- one two", "  three"}},
		{"abcdefghij kl", "", "", 4, []string{"abcd", "efgh", "ij", "kl"}},
		{"a\u00a0b c", "", "", 3, []string{"a\u00a0b", "c"}},
	} {
		if lines := wrap(one.text, one.width, one.first, one.others); !slices.Equal(lines, one.want) {
			t.Errorf("%q: %q, want %q", one.text, lines, one.want)
		}
	}
}

// Options stand before and behind the file, with their value behind a blank or a sign of equality; the last one counts.
func TestOptions(t *testing.T) {
	g, err := read([]string{"--json", "file", "--keys=a=b", "--keys", "c", "--ranges-within", "x=0:1", "--ranges-within=y=0:1"}, options)
	if err != nil || !slices.Equal(g.files, []string{"file"}) || !g.has("json") || g.text("keys") != "c" ||
		len(g.values["ranges-within"]) != 2 {
		t.Errorf("%v, %v", g, err)
	}
	if g, err := read([]string{"--", "--json"}, options); err != nil || g.has("json") || len(g.files) != 1 {
		t.Errorf("%v, %v", g, err)
	}
}

// A writer that fails is a misuse; a fault of the program is one, with its place, and never looks like a verdict.
func TestFaults(t *testing.T) {
	var output bytes.Buffer
	if code := Run([]string{"--version"}, broken{}, &output); code != 2 || !strings.Contains(output.String(), "standard output") {
		t.Errorf("%d: %s", code, output.String())
	}
	output.Reset()
	if code := Run([]string{"--version"}, nil, &output); code != 70 || !strings.Contains(output.String(), "a fault of the program") {
		t.Errorf("%d: %s", code, output.String())
	}
}

// broken is a writer that fails.
type broken struct{}

func (broken) Write([]byte) (int, error) { return 0, bytes.ErrTooLarge }

// What goes with one certificate only is refused in this order.
func TestForOne(t *testing.T) {
	want := []string{"model-commitment", "key-fingerprint", "link-key-fingerprint", "query", "context", "verbose", "receipt"}
	if !slices.Equal(forOne, want) {
		t.Errorf("%v, want %v", forOne, want)
	}
}

// A row of a known kind is an option with its help, and a value of it is read.
func TestRowOfNames(t *testing.T) {
	rows := append(tables.Policies(), tables.PolicyRow{Name: "NamesFeatures", Option: "--named", Help: "option.query",
		Argument: "named", Field: "named", Kind: "names", Commands: []string{"verify", "verify-many"}})
	found := verifyOptions(rows)
	own := named("--named", found)
	if own == nil || own.value != "NAME,NAME" || own.help != tables.Written("option.query") || own.repeated {
		t.Fatalf("%v", own)
	}
	for _, one := range []struct {
		words []string
		want  any
	}{{nil, nil}, {[]string{"--named", "sex,race"}, []string{"sex", "race"}}, {[]string{"--named=sex"}, []string{"sex"}}} {
		g, err := read(one.words, found)
		if err != nil {
			t.Fatal(err)
		}
		values, err := g.required(rows, new(demands))
		if err != nil || !reflect.DeepEqual(values["NamesFeatures"], one.want) {
			t.Errorf("%v: %v, %v", one.words, values["NamesFeatures"], err)
		}
	}
}

// A row that is no option, for lack of help or of its kind, ends the program when it starts.
func TestRowsThatAreNoOptions(t *testing.T) {
	for want, row := range map[string]tables.PolicyRow{
		"NamesFeatures: no help":                         {Kind: "names"},
		"NamesFeatures: no option is of the kind colors": {Kind: "colors", Help: "option.query"},
	} {
		row.Name, row.Option, row.Argument, row.Commands = "NamesFeatures", "--named", "named", []string{"verify"}
		func() {
			defer func() {
				if said, _ := recover().(string); !strings.HasSuffix(said, want) {
					t.Errorf("%q, want %q", said, want)
				}
			}()
			verifyOptions([]tables.PolicyRow{row})
		}()
	}
}

// Names are read as Python reads them.
func TestSplitNames(t *testing.T) {
	for typed, want := range map[string][]string{
		"sex, race ,":      {"sex", "race"},
		`"a, b",c`:         {"a, b", "c"},
		`"a ""b""", "c"d,`: {`a "b"`, "cd"},
		"":                 {},
	} {
		if names, err := splitNames(typed); err != nil || !slices.Equal(names, want) {
			t.Errorf("%s: %q, %v", typed, names, err)
		}
	}
	for _, typed := range []string{`"a`, "a\nb"} {
		if _, err := splitNames(typed); err == nil {
			t.Errorf("%q is a list of names", typed)
		}
	}
}
