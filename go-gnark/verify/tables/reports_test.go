package tables

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
)

// A row is said where each of its facts has one of its values, in the order of the rows, its places filled in by name.
func TestReports(t *testing.T) {
	for facts, want := range map[[2]string][]string{
		{"certificates", "none"}: {"VERIFIED 3 of 4 certificates"},
		{"certificates", "some"}: {"VERIFIED 3 of 4 certificates", "only 2 different: the others state the same as one of these"},
		{"boxes", "none"}:        {"VERIFIED 3 of 4 box certificates"},
	} {
		values := Values{"count": 2, "total": 4, "verified": 3}
		if lines := Reports().Many.Said("verified", Facts{"kind": facts[0], "same": facts[1]}, values); !slices.Equal(lines, want) {
			t.Errorf("%s: %q, want %q", facts, lines, want)
		}
	}
	if Some(0)+Some(int64(2))+Yes(false)+Yes(true)+Given(false)+Given(true) != "nonesomenoyesnonegiven" {
		t.Error("other values of facts")
	}
}

// Parts, facts and values that no table has are mistakes of the caller.
func TestCallsThatDoNotFit(t *testing.T) {
	for want, call := range map[string]func(){
		"no part outs":                    func() { Reports().Many.Said("outs", Facts{"out": "given"}, Values{"path": "x"}) },
		"no fact out with the value gone": func() { Reports().Many.Said("out", Facts{"out": "gone"}, Values{"path": "x"}) },
		"no fact out with the value ":     func() { Reports().Many.Said("out", nil, Values{"path": "x"}) },
		"no value for path":               func() { Reports().Many.Said("out", Facts{"out": "given"}, nil) },
	} {
		func() {
			defer func() {
				if said, _ := recover().(string); !strings.Contains(said, want) {
					t.Errorf("%q, want %s", said, want)
				}
			}()
			call()
		}()
	}
}

// What a row names must be there, and nothing else stands in it.
func TestBrokenReports(t *testing.T) {
	for want, row := range map[string]string{
		"reports.json: out: no sentence many.other": `{"say": "many.other"}`,
		"out: no sentence ":                         `{"when": {}}`,
		"no fact color with the value red":          `{"say": "many.verified", "when": {"color": ["red"]}}`,
		"no fact out with the value gone":           `{"say": "many.verified", "when": {"out": ["given", "gone"]}}`,
		"unknown field \"unless\"":                  `{"say": "many.verified", "unless": {}}`,
	} {
		broken := changed(t, "reports.json", func(table map[string]any) {
			table["many"].(map[string]any)["out"] = []any{json.RawMessage(row)}
		})
		if _, err := load(broken); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", row, err, want)
		}
	}
}
