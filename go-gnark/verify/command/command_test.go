package command

import (
	"bytes"
	"slices"
	"strings"
	"testing"
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
