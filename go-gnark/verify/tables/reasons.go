package tables

import (
	"fmt"
	"maps"
	"slices"
)

// Class is the kind of error that a reason comes with.
type Class string

// The classes of reasons.json.
const (
	Format  Class = "format"
	Key     Class = "key"
	Proof   Class = "proof"
	Policy  Class = "policy"
	Export  Class = "export"
	Package Class = "package"
	Stamp   Class = "stamp"
)

// The outcomes of a refusal in words for people, as words.json names them.
const (
	NotACertificate = "not-a-certificate"
	NotValid        = "not-valid"
	NotEnough       = "not-enough"
)

// reasonTable is reasons.json: what errors of a class have in common, the outcome of each sentence refused.* of words.json, and
// every reason.
type reasonTable struct {
	Classes map[Class]classRow   `json:"classes"`
	Shown   map[string]string    `json:"shown"`
	Reasons map[string]reasonRow `json:"reasons"`
}

type classRow struct {
	ExitCode int    `json:"exit_code"`
	Shown    string `json:"shown"`
}

// reasonRow is one reason. Shown is empty where it is shown as its class is. Also is a second class that it comes with.
type reasonRow struct {
	Class Class  `json:"class"`
	Shown string `json:"shown,omitempty"`
	Also  Class  `json:"also,omitempty"`
}

// check returns an error for a class, an outcome or a sentence that the table or words.json lacks.
func (t *reasonTable) check(sentences map[string]string) error {
	for _, class := range []Class{Format, Key, Proof, Policy, Export, Package, Stamp} {
		if _, there := t.Classes[class]; !there {
			return fmt.Errorf("lacks the class %s", class)
		}
	}
	for _, class := range slices.Sorted(maps.Keys(t.Classes)) {
		if _, there := t.Shown[t.Classes[class].Shown]; !there {
			return fmt.Errorf("class %s: no sentence %s", class, t.Classes[class].Shown)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(t.Reasons)) {
		row := t.Reasons[name]
		for _, class := range []Class{row.Class, row.Also} {
			if _, there := t.Classes[class]; !there && class != "" {
				return fmt.Errorf("%s: no class %s", name, class)
			}
		}
		if _, there := t.Shown[row.Shown]; !there && row.Shown != "" {
			return fmt.Errorf("%s: no sentence %s", name, row.Shown)
		}
	}
	for _, sentence := range slices.Sorted(maps.Keys(t.Shown)) {
		outcome := t.Shown[sentence]
		if !slices.Contains([]string{NotACertificate, NotValid, NotEnough}, outcome) {
			return fmt.Errorf("%s: no outcome %s", sentence, outcome)
		}
		if _, there := sentences["refused."+sentence]; !there && outcome != NotACertificate {
			return fmt.Errorf("words.json lacks the sentence refused.%s", sentence)
		}
	}
	return nil
}

// ExitCode returns what an error of a class means for whoever gave the order.
func ExitCode(class Class) int { return known.reasons.Classes[class].ExitCode }

// Shown returns the name of the sentence for a reason that an error of a class came with, and its outcome. A reason that the
// table lacks is shown as its class is: relying parties write policies of their own, so it may be that a certificate is only
// "not enough" for one, and never where the error is of another class. Without a known class it is that of a proof.
func Shown(reason string, class Class) (sentence, outcome string) {
	row, there := known.reasons.Reasons[reason]
	if there {
		class = row.Class
	}
	sentence = row.Shown
	if sentence == "" {
		of, there := known.reasons.Classes[class]
		if !there {
			of = known.reasons.Classes[Proof]
		}
		sentence = of.Shown
	}
	return sentence, known.reasons.Shown[sentence]
}
