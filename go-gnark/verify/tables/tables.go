// Package tables has what every program that verifies says and accepts: sentences, reasons and names. The files beside it are
// the only copies: Python and TypeScript read the same ones. docs/adr/0031-tables-for-what-verifiers-say.md says what a table
// may hold.
package tables

import (
	"bytes"
	"embed"
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"reflect"
	"slices"
	"strings"
)

//go:embed *.json
var files embed.FS

// Languages are those of words.json and messages.json. The first is spoken until Speak chooses another.
var Languages = []string{"en", "de"}

// tables are all of them, read and checked.
type tables struct {
	messages  map[string]map[string]sentence
	places    map[string][]string // of messages in English, in their order
	written   map[string]sentence
	words     map[string]map[string]string
	names     *NameTable
	normal    *NormalTable
	reasons   *reasonTable
	kinds     map[string]Kind
	systems   *SystemTable
	policies  []PolicyRow
	documents *documentTable
	fields    map[string][]FieldRow // of documents, in their order
	answers   *AnswerTable
	reports   *ReportTable
}

// known are the tables of the program. They are a part of it, so one that is incomplete ends it before it verifies anything.
var known = func() *tables {
	read, err := load(files)
	if err != nil {
		panic(err)
	}
	return read
}()

// load reads every table. A table that lacks a field, a language or a sentence is an error that names both.
func load(from fs.FS) (*tables, error) {
	made := &tables{}
	messages, written := map[string]map[string]string{}, map[string]string{}
	for _, table := range []struct {
		name string
		into any
	}{
		{"messages.json", &messages}, {"written.json", &written}, {"words.json", &made.words}, {"names.json", &made.names},
		{"normal.json", &made.normal}, {"reasons.json", &made.reasons}, {"kinds.json", &made.kinds}, {"systems.json", &made.systems},
		{"answers.json", &made.answers}, {"reports.json", &made.reports},
	} {
		if err := read(from, table.name, table.into); err != nil {
			return nil, err
		}
	}
	var err error
	if made.policies, err = readPolicies(from, "policies.json"); err != nil {
		return nil, err
	}
	if err := made.readDocuments(from, "documents.json"); err != nil {
		return nil, err
	}
	if err := sameSentences(made.words); err != nil {
		return nil, fmt.Errorf("words.json: %w", err)
	}
	if err := made.reasons.check(made.words[Languages[0]]); err != nil {
		return nil, fmt.Errorf("reasons.json: %w", err)
	}
	if err := made.answers.check(made.words[Languages[0]]); err != nil {
		return nil, fmt.Errorf("answers.json: %w", err)
	}
	if err := made.systems.check(); err != nil {
		return nil, fmt.Errorf("systems.json: %w", err)
	}
	if made.written, err = parseAll(written); err != nil {
		return nil, fmt.Errorf("written.json: %w", err)
	}
	if made.messages, err = parseLanguages(messages); err != nil {
		return nil, fmt.Errorf("messages.json: %w", err)
	}
	made.places = map[string][]string{}
	for id, text := range messages[Languages[0]] {
		_, made.places[id] = split(text)
	}
	if err := made.checkReports(); err != nil {
		return nil, fmt.Errorf("reports.json: %w", err)
	}
	if err := made.checkPolicies(); err != nil {
		return nil, fmt.Errorf("policies.json: %w", err)
	}
	if err := made.checkValues(); err != nil {
		return nil, fmt.Errorf("documents.json: %w", err)
	}
	return made, nil
}

// read decodes a table. encoding/json leaves fields that are missing at zero, so they are looked for apart.
func read(from fs.FS, name string, into any) error {
	data, err := fs.ReadFile(from, name)
	if err != nil {
		return err
	}
	strict := json.NewDecoder(bytes.NewReader(data))
	strict.DisallowUnknownFields()
	if err := strict.Decode(into); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return complete(data, reflect.TypeOf(into).Elem(), name)
}

// namesOf returns the names of an object of JSON in their order; an error for one that stands there twice.
func namesOf(data []byte) (names []string, err error) {
	words := json.NewDecoder(bytes.NewReader(data))
	_, err = words.Token() // the brace
	for err == nil && words.More() {
		var word json.Token
		var passed json.RawMessage
		if word, err = words.Token(); err == nil {
			err = words.Decode(&passed)
		}
		name := fmt.Sprint(word)
		if slices.Contains(names, name) {
			return nil, fmt.Errorf("%s has two rows", name)
		}
		names = append(names, name)
	}
	return names, err
}

// complete returns an error for the first field of a type that its JSON lacks. The JSON is known to be of the type otherwise.
// A field whose tag says omitempty may be missing, and one whose tag says "-" is none of the table.
func complete(data json.RawMessage, want reflect.Type, where string) error {
	if want.Kind() == reflect.Pointer {
		want = want.Elem()
	}
	if kind := want.Kind(); kind != reflect.Struct && (kind != reflect.Map || want.Elem().Kind() == reflect.String) {
		return nil // texts, numbers and lists of them: nothing has a name that could be missing
	}
	var entries map[string]json.RawMessage
	if err := json.Unmarshal(data, &entries); err != nil {
		return fmt.Errorf("%s: %w", where, err)
	}
	if want.Kind() == reflect.Map {
		for _, name := range slices.Sorted(maps.Keys(entries)) {
			if err := complete(entries[name], want.Elem(), where+": "+name); err != nil {
				return err
			}
		}
		return nil
	}
	for at := range want.NumField() {
		field := want.Field(at)
		name, options, _ := strings.Cut(field.Tag.Get("json"), ",")
		entry, there := entries[name]
		if name == "-" || !there && options == "omitempty" {
			continue
		}
		if !there {
			return fmt.Errorf("%s: lacks the field %s", where, name)
		}
		if err := complete(entry, field.Type, where+": "+name); err != nil {
			return err
		}
	}
	return nil
}

// sameSentences returns an error unless every language has the same sentences.
func sameSentences(words map[string]map[string]string) error {
	for _, language := range Languages {
		if words[language] == nil {
			return fmt.Errorf("lacks the language %s", language)
		}
	}
	if len(words) != len(Languages) {
		return fmt.Errorf("%d languages, want %s", len(words), strings.Join(Languages, ", "))
	}
	for _, language := range Languages {
		for _, other := range Languages {
			for _, id := range slices.Sorted(maps.Keys(words[other])) {
				if _, there := words[language][id]; !there {
					return fmt.Errorf("%s: lacks the sentence %s", language, id)
				}
			}
		}
	}
	return nil
}

// Words returns the sentences for people in a language, by name, and whether there are any.
func Words(language string) (map[string]string, bool) {
	sentences, there := known.words[language]
	return sentences, there
}

// Names is the table of the characters of names.
func Names() *NameTable { return known.names }

// Normal is the table of the normal forms of the characters of names.
func Normal() *NormalTable { return known.normal }
