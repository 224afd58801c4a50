package tables

import (
	"bytes"
	"encoding/json"
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"
)

// own are the tables of the program, to be broken.
func own(t *testing.T) fstest.MapFS {
	t.Helper()
	made := fstest.MapFS{}
	entries, err := fs.ReadDir(files, ".")
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range entries {
		data, err := files.ReadFile(entry.Name())
		if err != nil {
			t.Fatal(err)
		}
		made[entry.Name()] = &fstest.MapFile{Data: data}
	}
	return made
}

// changed are the tables with one of them changed.
func changed(t *testing.T, name string, change func(table map[string]any)) fstest.MapFS {
	t.Helper()
	made, table := own(t), map[string]any{}
	if err := json.Unmarshal(made[name].Data, &table); err != nil {
		t.Fatal(err)
	}
	change(table)
	data, err := json.Marshal(table)
	if err != nil {
		t.Fatal(err)
	}
	made[name] = &fstest.MapFile{Data: data}
	return made
}

// reason is the row of a reason.
func reason(table map[string]any, name string) map[string]any {
	return table["reasons"].(map[string]any)[name].(map[string]any)
}

// answers are the tables with one more row of what was checked.
func answers(t *testing.T, row string) fstest.MapFS {
	t.Helper()
	return changed(t, "answers.json", func(table map[string]any) {
		answer := table["answer"].(map[string]any)
		answer["checked"] = append(answer["checked"].([]any), json.RawMessage(row))
	})
}

// A table that is incomplete is an error that names the table and what it lacks.
func TestBrokenTables(t *testing.T) {
	if _, err := load(own(t)); err != nil {
		t.Fatal(err)
	}
	lacksFile := own(t)
	delete(lacksFile, "words.json")
	twoRows := own(t)
	twice := []byte(`{"MinGain": {"kind": "decimal", "fact": "gain", "reasons": [], "covers": []},`)
	twoRows["policies.json"] = &fstest.MapFile{Data: append(twice, bytes.TrimPrefix(twoRows["policies.json"].Data, []byte("{"))...)}
	noTable := own(t)
	noTable["messages.json"] = &fstest.MapFile{Data: []byte("[]")}
	for want, broken := range map[string]fs.FS{
		"words.json":                          lacksFile,
		"messages.json:":                      noTable,
		"policies.json: MinGain has two rows": twoRows,
		"words.json: lacks the language de": changed(t, "words.json", func(table map[string]any) {
			delete(table, "de")
		}),
		"words.json: 3 languages": changed(t, "words.json", func(table map[string]any) {
			table["fr"] = table["de"]
		}),
		"words.json: de: lacks the sentence below.means": changed(t, "words.json", func(table map[string]any) {
			delete(table["de"].(map[string]any), "below.means")
		}),
		"words.json: en: lacks the sentence below.means": changed(t, "words.json", func(table map[string]any) {
			delete(table["en"].(map[string]any), "below.means")
		}),
		"names.json: lacks the field signs": changed(t, "names.json", func(table map[string]any) {
			delete(table, "signs")
		}),
		"unknown field \"sign\"": changed(t, "names.json", func(table map[string]any) {
			table["sign"] = table["signs"]
		}),
		"reasons.json: lacks the field shown": changed(t, "reasons.json", func(table map[string]any) {
			delete(table, "shown")
		}),
		"reasons.json: reasons: model-differs: lacks the field class": changed(t, "reasons.json", func(table map[string]any) {
			delete(reason(table, "model-differs"), "class")
		}),
		"reasons.json: lacks the class export": changed(t, "reasons.json", func(table map[string]any) {
			delete(table["classes"].(map[string]any), "export")
		}),
		"reasons.json: classes: key: lacks the field exit_code": changed(t, "reasons.json", func(table map[string]any) {
			delete(table["classes"].(map[string]any)["key"].(map[string]any), "exit_code")
		}),
		"reasons.json: model-differs: no class model": changed(t, "reasons.json", func(table map[string]any) {
			reason(table, "model-differs")["class"] = "model"
		}),
		"reasons.json: model-differs: no sentence other": changed(t, "reasons.json", func(table map[string]any) {
			reason(table, "model-differs")["shown"] = "other"
		}),
		"reasons.json: class key: no sentence bad_key": changed(t, "reasons.json", func(table map[string]any) {
			table["classes"].(map[string]any)["key"].(map[string]any)["shown"] = "bad_key"
			delete(table["shown"].(map[string]any), "bad_key")
		}),
		"reasons.json: proof: no outcome valid": changed(t, "reasons.json", func(table map[string]any) {
			table["shown"].(map[string]any)["proof"] = "valid"
		}),
		"reasons.json: words.json lacks the sentence refused.other": changed(t, "reasons.json", func(table map[string]any) {
			table["shown"].(map[string]any)["other"] = "not-valid"
		}),
		"kinds.json: equiproof-key: lacks the field name": changed(t, "kinds.json", func(table map[string]any) {
			table["equiproof-key"] = map[string]any{"warning": "secret"}
		}),
		"systems.json: lacks the field setups": changed(t, "systems.json", func(table map[string]any) {
			delete(table, "setups")
		}),
		"systems.json: a list without names": changed(t, "systems.json", func(table map[string]any) {
			table["proof_systems"] = []string{}
		}),
		"systems.json: branch: no scheme other": changed(t, "systems.json", func(table map[string]any) {
			table["relations"].(map[string]any)["branch"] = "other"
		}),
		"policies.json: MinRadius: lacks the field reasons": changed(t, "policies.json", func(table map[string]any) {
			delete(table["MinRadius"].(map[string]any), "reasons")
		}),
		"policies.json: MinRadius: off-curve is no reason of a policy": changed(t, "policies.json", func(table map[string]any) {
			table["MinRadius"].(map[string]any)["reasons"] = []string{"off-curve"}
		}),
		"policies.json: MinRadius: no sentence unproven.other": changed(t, "policies.json", func(table map[string]any) {
			table["MinRadius"].(map[string]any)["covers"] = []string{"unproven.other"}
		}),
		"documents.json: documents: equiproof-key: lacks the field since": changed(t, "documents.json", func(table map[string]any) {
			delete(table["documents"].(map[string]any)["equiproof-key"].(map[string]any), "since")
		}),
		"documents.json: parts: Architecture: plain: lacks the field required": changed(t, "documents.json", func(table map[string]any) {
			delete(table["parts"].(map[string]any)["Architecture"].(map[string]any)["plain"].(map[string]any), "required")
		}),
		"documents.json: values: lacks the kind flag of NoRanges": changed(t, "documents.json", func(table map[string]any) {
			delete(table["values"].(map[string]any), "flag")
		}),
		"answers.json: lacks the field lists": changed(t, "answers.json", func(table map[string]any) {
			delete(table, "lists")
		}),
		"checked.other: no sentence checked.other":     answers(t, `{"say": "checked.other"}`),
		"checked: : no sentence  in words.json":        answers(t, `{"when": {}}`),
		"no fact color with the value red":             answers(t, `{"say": "checked.key", "when": {"color": ["red"]}}`),
		"no fact key with the value gone":              answers(t, `{"say": "checked.key", "when": {"key": ["came", "gone"]}}`),
		"checked.key: no list others":                  answers(t, `{"say": "checked.key", "each": "others"}`),
		"no place part for a part about":               answers(t, `{"say": "below.about", "with": {"part": "about"}}`),
		"no place parts for a part plain":              answers(t, `{"say": "below.about", "with": {"parts": "plain"}}`),
		"outcome.valid: no outcome fine":               answers(t, `{"say": "outcome.valid", "outcome": "fine"}`),
		"answers.json: json: unknown field \"unless\"": answers(t, `{"say": "checked.key", "unless": {}}`),
		"normal.json: lacks the field classes": changed(t, "normal.json", func(table map[string]any) {
			delete(table, "classes")
		}),
	} {
		if _, err := load(broken); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

// Values go into their places once, whatever they hold.
func TestSentences(t *testing.T) {
	kept := known
	defer func() { known = kept }()
	made, err := load(changed(t, "messages.json", func(table map[string]any) {
		for language, two := range map[string]string{"en": "{first} of {second}", "de": "von {second} das {first}."} {
			sentences := table[language].(map[string]any)
			sentences["test.two"], sentences["test.none"], sentences["test.joined"] = two, "no places", "{one}{two}"
		}
	}))
	if err != nil {
		t.Fatal(err)
	}
	known = made
	for want, said := range map[string]string{
		"{second} of 7": Say("test.two", "{second}", 7),
		"no places":     Say("test.none"),
		"%s[1 2]":       Say("test.joined", "%s", []int{1, 2}),
	} {
		if said != want {
			t.Errorf("%q, want %q", said, want)
		}
	}
	if err := Speak("de"); err != nil {
		t.Fatal(err)
	}
	defer Speak(Languages[0])
	if said := Say("test.two", "A", "B"); said != "von B das A." {
		t.Error(said)
	}
	if err := Speak("fr"); err == nil || !strings.Contains(err.Error(), `no language "fr"`) {
		t.Error(err)
	}
	for want, call := range map[string]func(){
		"no sentence test.other": func() { Say("test.other") },
		"2 values, not 1":        func() { Say("test.two", 1) },
		"2 values, not 3":        func() { Say("test.two", 1, 2, 3) },
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

// A sentence that Python's reader refuses is refused here too.
func TestBrokenSentences(t *testing.T) {
	for _, one := range []struct{ id, text, want string }{
		{"test", "text", "test: want an id"},
		{"test.Text", "text", "want an id"},
		{"test.text", "", "blanks"},
		{"test.text", " text", "blanks"},
		{"test.text", "{first} {First}", "a brace"},
		{"test.text", "{}", "a brace"},
		{"test.text", "{first} {first}", "two places"},
	} {
		_, err := load(changed(t, "messages.json", func(table map[string]any) {
			for _, language := range Languages {
				table[language].(map[string]any)[one.id] = one.text
			}
		}))
		if err == nil || !strings.Contains(err.Error(), one.want) {
			t.Errorf("%s, %q: %v, want %s", one.id, one.text, err, one.want)
		}
	}
	for want, change := range map[string]func(german map[string]any){
		"de: lacks the sentence note.too_long":             func(german map[string]any) { delete(german, "note.too_long") },
		"en: lacks the sentence note.other":                func(german map[string]any) { german["note.other"] = "neu" },
		"de: note.too_long: other places than in English":  func(german map[string]any) { german["note.too_long"] = "zu lang" },
		"de: note.not_utf8: want a text without blanks at": func(german map[string]any) { german["note.not_utf8"] = " " },
	} {
		broken := changed(t, "messages.json", func(table map[string]any) { change(table["de"].(map[string]any)) })
		if _, err := load(broken); err == nil || !strings.Contains(err.Error(), "messages.json: "+want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

// Rows of policies have their order of the file, and their names.
func TestPolicyRows(t *testing.T) {
	rows := Policies()
	if first, last := rows[0].Name, rows[len(rows)-1].Name; first != "ForQuery" || last != "AnyOf" {
		t.Errorf("from %s to %s", first, last)
	}
}
