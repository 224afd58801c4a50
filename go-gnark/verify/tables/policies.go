package tables

import (
	"fmt"
	"io/fs"
	"slices"
	"strings"
)

// PolicyRow is what programs call a policy: its option with the sentence of its help, its argument in Python and its field in a
// policy file, each empty where it has none; the kind of its value, the fact that it is about, the reasons of its refusals,
// and the sentences about what is not checked without it. Commands are those of Python with the option; PythonHelp is the help
// of the program in Python where it says more. Digits in Groups may be typed with blanks and in any case.
type PolicyRow struct {
	Name       string   `json:"-"`
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

// Policies are the rows of policies.json in their order, each with the name of its policy.
func Policies() []PolicyRow { return slices.Clone(known.policies) }

// readPolicies reads the rows in their order, which a map of Go does not keep.
func readPolicies(from fs.FS, name string) (rows []PolicyRow, err error) {
	byName := map[string]PolicyRow{}
	if err := read(from, name, &byName); err != nil {
		return nil, err
	}
	data, err := fs.ReadFile(from, name)
	if err != nil {
		return nil, err
	}
	names, err := namesOf(data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	for _, policy := range names {
		row := byName[policy]
		row.Name = policy
		rows = append(rows, row)
	}
	return rows, nil
}

// Covered are the sentences about what is not checked without the policy.
func (r PolicyRow) Covered() (lines []string) {
	for _, id := range r.Covers {
		lines = append(lines, Named(id).Text()) // without places: checkPolicies holds that
	}
	return lines
}

// HelpText is the help of the policy's option, "" where the row has none.
func (r PolicyRow) HelpText() string { return strings.Join(known.written[r.Help].texts, "") }

// checkPolicies returns an error for a policy with a reason or a sentence that the tables lack.
func (t *tables) checkPolicies() error {
	for _, row := range t.policies {
		for _, reason := range row.Reasons {
			if found := t.reasons.Reasons[reason]; found.Class != Policy {
				return fmt.Errorf("%s: %s is no reason of a policy", row.Name, reason)
			}
		}
		for _, id := range row.Covers {
			if said, there := t.messages[Languages[0]][id]; !there || said.places() > 0 {
				return fmt.Errorf("%s: no sentence %s without places", row.Name, id)
			}
		}
		for _, id := range []string{row.Help, row.PythonHelp} {
			if said, there := t.written[id]; id != "" && (!there || said.places() > 0) {
				return fmt.Errorf("%s: no sentence %s without places", row.Name, id)
			}
		}
	}
	return nil
}
