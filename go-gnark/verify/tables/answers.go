package tables

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// AnswerTable is answers.json: the values of each fact, the names of the lists, and what answers, refusals and letters say.
type AnswerTable struct {
	Facts   map[string][]string `json:"facts"`
	Lists   []string            `json:"lists"`
	Answer  AnswerParts         `json:"answer"`
	Refusal AnswerParts         `json:"refusal"`
	Letter  AnswerParts         `json:"letter"`
}

// AnswerParts are the rows of each part of a document, in their order.
type AnswerParts map[string][]AnswerRow

// AnswerRow is one sentence of words.json, said if each fact of When has one of the values there. The row counts for each entry
// of the list Each. With names places that the sentences of another part fill in, as a list with "and"; where that part says
// nothing, they keep their texts. A Joined sentence goes on with the one before it. Warning is for what decides how much the
// rest is worth, and Outcome for headings.
type AnswerRow struct {
	Say     string              `json:"say"`
	Each    string              `json:"each,omitempty"`
	When    map[string][]string `json:"when,omitempty"`
	With    map[string]string   `json:"with,omitempty"`
	Joined  bool                `json:"joined,omitempty"`
	Warning bool                `json:"warning,omitempty"`
	Outcome string              `json:"outcome,omitempty"`
}

// Answers is the table of what answers say.
func Answers() *AnswerTable { return known.answers }

// Holds says whether each fact has one of the row's values. A fact or a value that the table lacks is a mistake of the caller: a
// panic.
func (r AnswerRow) Holds(facts map[string]string) bool {
	return holds("answers.json", known.answers.Facts, r.When, facts)
}

// check returns an error for the first row that names what no table has.
func (t *AnswerTable) check(sentences map[string]string) error {
	for _, parts := range []AnswerParts{t.Answer, t.Refusal, t.Letter} {
		for _, part := range slices.Sorted(maps.Keys(parts)) {
			for _, row := range parts[part] {
				if err := t.checkRow(row, parts, sentences); err != nil {
					return fmt.Errorf("%s: %s: %w", part, row.Say, err)
				}
			}
		}
	}
	return nil
}

func (t *AnswerTable) checkRow(row AnswerRow, parts AnswerParts, sentences map[string]string) error {
	if _, there := sentences[row.Say]; !there {
		return fmt.Errorf("no sentence %s in words.json", row.Say)
	}
	if row.Each != "" && !slices.Contains(t.Lists, row.Each) {
		return fmt.Errorf("no list %s", row.Each)
	}
	if err := checkFacts(row.When, t.Facts); err != nil {
		return err
	}
	for place, part := range row.With {
		if _, there := parts[part]; !there || !strings.Contains(sentences[row.Say], "{"+place+"}") {
			return fmt.Errorf("no place %s for a part %s", place, part)
		}
	}
	if !slices.Contains([]string{"", "valid", "open"}, row.Outcome) {
		return fmt.Errorf("no outcome %s", row.Outcome)
	}
	return nil
}
