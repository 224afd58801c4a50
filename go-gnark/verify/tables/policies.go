package tables

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// PolicyRow is what programs call a policy: its option with the sentence of its help, its argument in Python and its field in a
// policy file, each empty where it has none; the kind of its value, the fact that it is about, the reasons of its refusals,
// and the sentences about what is not checked without it. Commands are those with the option; PythonHelp is the help of the program
// in Python where it says more. Digits in Groups may be typed with blanks and in any case.
type PolicyRow struct {
	Option     string   `json:"option,omitempty"`
	Help       string   `json:"help,omitempty"`
	PythonHelp string   `json:"python_help,omitempty"`
	Commands   []string `json:"commands,omitempty"`
	Groups     bool     `json:"groups,omitempty"`
	Argument   string   `json:"argument,omitempty"`
	Field      string   `json:"field,omitempty"`
	Kind       string   `json:"kind"`
	Fact       string   `json:"fact"`
	Reasons    []string `json:"reasons"`
	Covers     []string `json:"covers"`
}

// Policies are the rows of policies.json by the name of the policy.
func Policies() map[string]PolicyRow { return maps.Clone(known.policies) }

// Covered are the sentences about what is not checked without the policy.
func (r PolicyRow) Covered() (lines []string) {
	for _, id := range r.Covers {
		lines = append(lines, strings.Join(known.messages[id], "")) // without places: checkPolicies holds that
	}
	return lines
}

// checkPolicies returns an error for a policy with a reason or a sentence that the tables lack.
func (t *tables) checkPolicies() error {
	for _, name := range slices.Sorted(maps.Keys(t.policies)) {
		row := t.policies[name]
		for _, reason := range row.Reasons {
			if found := t.reasons.Reasons[reason]; found.Class != Policy {
				return fmt.Errorf("%s: %s is no reason of a policy", name, reason)
			}
		}
		for _, id := range append(row.Covers, row.Help, row.PythonHelp) {
			if said, there := t.messages[id]; id != "" && (!there || said.places() > 0) {
				return fmt.Errorf("%s: no sentence %s without places", name, id)
			}
		}
	}
	return nil
}
