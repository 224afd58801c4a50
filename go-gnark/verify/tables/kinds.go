package tables

import (
	"fmt"
	"maps"
	"slices"
)

// Kind is a kind of document in words, in English and German, with a warning where it is not for everybody.
type Kind struct {
	Name          string `json:"name"`
	German        string `json:"german"`
	Warning       string `json:"warning,omitempty"`
	GermanWarning string `json:"german_warning,omitempty"`
}

// Spoken is the name and the warning in the language that is spoken.
func (k Kind) Spoken() (name, warning string) {
	if Spoken() == "de" {
		return k.German, k.GermanWarning
	}
	return k.Name, k.Warning
}

// KindOf returns the kind of a document by its format mark, and whether it is one of ours.
func KindOf(mark string) (Kind, bool) {
	kind, there := known.kinds[mark]
	return kind, there
}

// SystemTable is systems.json: the names of proof systems, of schemes, of each relation's scheme, and of how a key was made.
type SystemTable struct {
	ProofSystems []string          `json:"proof_systems"`
	Schemes      []string          `json:"schemes"`
	Relations    map[string]string `json:"relations"`
	Setups       []string          `json:"setups"`
}

// check returns an error for a list without names and for a relation of no scheme.
func (t *SystemTable) check() error {
	if len(t.ProofSystems) == 0 || len(t.Schemes) == 0 || len(t.Setups) == 0 {
		return fmt.Errorf("a list without names")
	}
	for _, relation := range slices.Sorted(maps.Keys(t.Relations)) {
		if scheme := t.Relations[relation]; !slices.Contains(t.Schemes, scheme) {
			return fmt.Errorf("%s: no scheme %s", relation, scheme)
		}
	}
	return nil
}

// Systems is the table of the names of proof systems, schemes and set-ups.
func Systems() *SystemTable { return known.systems }
