package words

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"equiproof/verify/canonical"
	"equiproof/verify/tables"
)

// english are the sentences of the first language.
var english, _ = tables.Words(Languages[0])

// lending is the first case of the vectors, in English: everything is pinned and given.
func lending(t *testing.T) *Findings {
	t.Helper()
	all := vectors(t)
	one := all.Objects("verified")[0]
	return findings(one, specs(t, all.Object("specs"))[one.Text("spec")])
}

// answered is the answer to readers.
func answered(t *testing.T, found *Findings) *canonical.Object {
	t.Helper()
	answer, err := Answer(found, "en", "reader")
	if err != nil {
		t.Fatal(err)
	}
	return answer
}

// changed gives a part other rows until the test ends.
func changed(t *testing.T, parts tables.AnswerParts, part string, change func(rows []tables.AnswerRow) []tables.AnswerRow) {
	t.Helper()
	kept := parts[part]
	t.Cleanup(func() { parts[part] = kept })
	parts[part] = change(slices.Clone(kept))
}

// row is the one that says a sentence, with another condition.
func row(t *testing.T, rows []tables.AnswerRow, say string, when map[string][]string) tables.AnswerRow {
	t.Helper()
	at := slices.IndexFunc(rows, func(one tables.AnswerRow) bool { return one.Say == say })
	if at < 0 {
		t.Fatal(say)
	}
	rows[at].When = when
	return rows[at]
}

func want(t *testing.T, what string, found []string, wanted ...string) {
	t.Helper()
	if !slices.Equal(found, wanted) {
		t.Errorf("%s: %q, want %q", what, found, wanted)
	}
}

// A row that goes is no longer said, and turned rows are said in the other order.
func TestRowsOfAnswers(t *testing.T) {
	found, answer := lending(t), tables.Answers().Answer
	before := answered(t, found)
	changed(t, answer, "checked", func(rows []tables.AnswerRow) []tables.AnswerRow {
		return slices.DeleteFunc(rows, func(one tables.AnswerRow) bool { return one.Say == "checked.query" })
	})
	wanted := slices.DeleteFunc(before.Texts("checked"), func(text string) bool { return text == english["checked.query"] })
	want(t, "without a row", answered(t, found).Texts("checked"), wanted...)
	if len(wanted) != len(before.Texts("checked"))-1 {
		t.Error("the row was not said")
	}
	changed(t, answer, "never_shown", func(rows []tables.AnswerRow) []tables.AnswerRow {
		slices.Reverse(rows)
		return rows
	})
	turned := before.Texts("never_shown")
	slices.Reverse(turned)
	want(t, "turned rows", answered(t, found).Texts("never_shown"), turned...)
}

// Another value of a fact, another fact and no fact at all change when a sentence is said.
func TestConditions(t *testing.T) {
	pinned, open := lending(t), lending(t)
	open.KeyPinned = false
	said := english["checked.key"]
	for _, one := range []struct {
		when         map[string][]string
		pinned, open []string
	}{
		{map[string][]string{"key": {"ceremony"}}, []string{said}, nil},
		{map[string][]string{"key": {"came"}}, nil, []string{said}},
		{map[string][]string{"key": {"came", "ceremony"}}, []string{said}, []string{said}},
		{map[string][]string{"key": {"came"}, "query": {"none"}}, nil, nil},
		{nil, []string{said}, []string{said}},
	} {
		changed(t, tables.Answers().Answer, "checked", func([]tables.AnswerRow) []tables.AnswerRow {
			return []tables.AnswerRow{{Say: "checked.key", When: one.when}}
		})
		want(t, fmt.Sprint(one.when), answered(t, pinned).Texts("checked"), one.pinned...)
		want(t, fmt.Sprint(one.when), answered(t, open).Texts("checked"), one.open...)
	}
}

// Outcome and warning are those of the row, and so is what is joined, filled in, or said for each entry of a list.
func TestFormsOfRows(t *testing.T) {
	found, answer := lending(t), tables.Answers().Answer
	each := func(change func(one *tables.AnswerRow)) func([]tables.AnswerRow) []tables.AnswerRow {
		return func(rows []tables.AnswerRow) []tables.AnswerRow {
			for at := range rows {
				change(&rows[at])
			}
			return rows
		}
	}
	changed(t, answer, "heading", each(func(one *tables.AnswerRow) { one.Outcome = "open" }))
	changed(t, answer, "not_checked", each(func(one *tables.AnswerRow) { one.Warning = true }))
	changed(t, answer, "sentences", each(func(one *tables.AnswerRow) { one.Joined = one.Say != "decided.lender" }))
	changed(t, answer, "about", func(rows []tables.AnswerRow) []tables.AnswerRow {
		return []tables.AnswerRow{row(t, rows, "below.about_model", nil), row(t, rows, "below.about_details", nil)}
	})
	changed(t, answer, "checked", func(rows []tables.AnswerRow) []tables.AnswerRow {
		twice := row(t, rows, "checked.key", nil)
		twice.Each = "sensitive"
		return []tables.AnswerRow{twice, twice}
	})
	made := answered(t, found)
	if outcome := made.Text("outcome"); outcome != "open" || made.Text("heading") != english["outcome.valid"] {
		t.Errorf("%s, %s", made.Text("heading"), outcome)
	}
	for _, one := range PartsOf(made).NotChecked {
		if !one.Warning {
			t.Errorf("%s: no warning", one.Text)
		}
	}
	if whole := made.Texts("sentences"); len(whole) != 1 || !strings.Contains(whole[0], end+". For these details, ") {
		t.Errorf("%q", whole)
	}
	want(t, "about", made.Texts("below"), "It is about the model that you named and your details.")
	want(t, "each", made.Texts("checked"), english["checked.key"], english["checked.key"])
}

// A refusal reads the table too.
func TestRowsOfRefusals(t *testing.T) {
	changed(t, tables.Answers().Refusal, "below", func(rows []tables.AnswerRow) []tables.AnswerRow {
		return []tables.AnswerRow{row(t, rows, "below.do", map[string][]string{"outcome": {"not-enough"}})}
	})
	for reason, wanted := range map[string][]string{"other-key": {english["below.do"]}, "model-differs": nil} {
		answer, err := Refusal(reason, "", "en", tables.Policy)
		if err != nil {
			t.Fatal(err)
		}
		want(t, reason, answer.Texts("below"), wanted...)
	}
}

// A fact that the table lacks is a mistake of the program.
func TestUnknownFacts(t *testing.T) {
	defer func() {
		if said, _ := recover().(string); said != "answers.json: no fact key with the value gone" {
			t.Errorf("%q", said)
		}
	}()
	tables.AnswerRow{When: map[string][]string{"key": {"came"}}}.Holds(map[string]string{"key": "gone"})
}
