package tables

import (
	"fmt"
	"maps"
	"slices"
)

// ReportTable is reports.json: the values of each fact, and what is said of the lot of a period and of many certificates.
type ReportTable struct {
	Facts map[string][]string `json:"facts"`
	Lot   ReportParts         `json:"lot"`
	Many  ReportParts         `json:"many"`
}

// ReportParts are the rows of each part of a report, in their order.
type ReportParts map[string][]ReportRow

// ReportRow is one sentence of messages.json, said if each fact of When has one of the values there.
type ReportRow struct {
	Say  string              `json:"say"`
	When map[string][]string `json:"when,omitempty"`
}

// Reports is the table of what reports say. Twin of verifier/reports.py.
func Reports() *ReportTable { return known.reports }

// Facts are what rows are chosen by, each one of the values that the table has for it.
type Facts map[string]string

// Values are what fills the places of sentences, by their names.
type Values map[string]any

// Said are the sentences of a part of a report whose facts hold, in the order of the rows. A part, a fact or a place without a
// value is a mistake of the caller: a panic.
func (p ReportParts) Said(part string, facts Facts, values Values) (lines []string) {
	rows, there := p[part]
	if !there {
		panic("reports.json: no part " + part)
	}
	for _, row := range rows {
		if holds("reports.json", known.reports.Facts, row.When, facts) {
			lines = append(lines, fill(row.Say, values))
		}
	}
	return lines
}

// holds says whether each fact has one of the values of a row. A fact or a value that is not among those of the table is a
// mistake of the caller: a panic.
func holds(table string, possible, when map[string][]string, facts map[string]string) bool {
	for fact, values := range when {
		if !slices.Contains(possible[fact], facts[fact]) {
			panic(table + ": no fact " + fact + " with the value " + facts[fact])
		}
		if !slices.Contains(values, facts[fact]) {
			return false
		}
	}
	return true
}

// fill returns a sentence with its places filled in by name.
func fill(id string, values Values) string {
	var inOrder []any
	for _, place := range known.places[id] {
		value, there := values[place]
		if !there {
			panic("messages.json: " + id + ": no value for " + place)
		}
		inOrder = append(inOrder, value)
	}
	return Say(id, inOrder...)
}

// Some is the value of a fact about how many there are.
func Some[N int | int64](number N) string {
	if number > 0 {
		return "some"
	}
	return "none"
}

// Yes is the value of a fact that holds or not.
func Yes(condition bool) string {
	if condition {
		return "yes"
	}
	return "no"
}

// Given is the value of a fact about what the reader gave or not.
func Given(there bool) string {
	if there {
		return "given"
	}
	return "none"
}

// checkReports returns an error for the first row that names what no table has.
func (t *tables) checkReports() error {
	for _, parts := range []ReportParts{t.reports.Lot, t.reports.Many} {
		for _, part := range slices.Sorted(maps.Keys(parts)) {
			for _, row := range parts[part] {
				if _, there := t.messages[Languages[0]][row.Say]; !there {
					return fmt.Errorf("%s: no sentence %s", part, row.Say)
				}
				if err := checkFacts(row.When, t.reports.Facts); err != nil {
					return fmt.Errorf("%s: %s: %w", part, row.Say, err)
				}
			}
		}
	}
	return nil
}

// checkFacts returns an error for the first fact or value that is not among those that a table has.
func checkFacts(when, facts map[string][]string) error {
	for _, fact := range slices.Sorted(maps.Keys(when)) {
		for _, value := range when[fact] {
			if !slices.Contains(facts[fact], value) {
				return fmt.Errorf("no fact %s with the value %s", fact, value)
			}
		}
	}
	return nil
}
