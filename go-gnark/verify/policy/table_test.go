package policy

import (
	"reflect"
	"testing"

	"equiproof/verify/tables"
)

// Every policy of the table is one of the package, and covers what its row says; some cover less by their values.
func TestTable(t *testing.T) {
	instances := map[string][]Policy{}
	for _, one := range []Policy{
		ForQuery{}, ForQuery{Found: true}, ForContext{}, ForContext{Found: true}, ContextHas{}, NotOlderThan{}, MinRadius{"0"},
		MinRadius{"1"}, NoRanges{}, RangesWithin{}, SetupIs{"single-party"}, SetupIs{"ceremony"}, ProofSystemIs{}, ModelIs{},
		KeyIs{}, LinkKeyIs{}, TranscriptIs{}, LinkTranscriptIs{}, SignedBy{}, Logged{}, Logged{Pins: LogPins{Least: 1}}, ForReceipt{}, MinGain{},
		GainOf{}, AnyOf{}, CoversFeatures{},
	} {
		name := reflect.TypeOf(one).Name()
		instances[name] = append(instances[name], one)
	}
	names := map[string]bool{}
	for _, row := range tables.Policies() {
		name, covered := row.Name, map[string]bool{}
		names[name] = true
		for _, one := range instances[name] {
			for check := range one.Covers() {
				covered[check.Text()] = true
			}
		}
		for _, line := range row.Covered() {
			if !covered[line] {
				t.Errorf("%s does not cover %q", name, line)
			}
			delete(covered, line)
		}
		if len(covered) > 0 {
			t.Errorf("%s covers %v, which its row lacks", name, covered)
		}
		if len(instances[name]) == 0 {
			t.Errorf("%s is no policy of the package", name)
		}
	}
	for name := range instances {
		if !names[name] {
			t.Errorf("policies.json lacks %s", name)
		}
	}
}
