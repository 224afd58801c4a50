package tables

import (
	"encoding/json"
	"fmt"
	"io/fs"
)

// documentTable is documents.json: the fields of each document that verifiers read, by format mark, those of the parts of
// documents, by the name that the types have for them, and the types of what policy files require, by the kinds of
// policies.json.
type documentTable struct {
	Documents map[string]documentRow         `json:"documents"`
	Parts     map[string]map[string]FieldRow `json:"parts"`
	Values    map[string]string              `json:"values"`
}

// documentRow is one kind of document: since which version it is there, and its fields.
type documentRow struct {
	Since  int                 `json:"since"`
	Fields map[string]FieldRow `json:"fields"`
}

// FieldRow is one field: its type in words, as package canonical reads them, and whether a document must have it.
type FieldRow struct {
	Name     string `json:"-"`
	Type     string `json:"type"`
	Required bool   `json:"required"`
}

// FieldsOf returns the fields of a document by its format mark, or of a part of documents by its name, in their order; none
// for an unknown name.
func FieldsOf(name string) []FieldRow { return known.fields[name] }

// ValueType is the type in words of what a policy file requires, by the kind of the policy.
func ValueType(kind string) string { return known.documents.Values[kind] }

// readDocuments reads the table, and the fields by their document or part in their order, which a map of Go does not keep.
func (t *tables) readDocuments(from fs.FS, name string) error {
	if err := read(from, name, &t.documents); err != nil {
		return err
	}
	var raw struct {
		Documents map[string]struct {
			Fields json.RawMessage `json:"fields"`
		} `json:"documents"`
		Parts map[string]json.RawMessage `json:"parts"`
	}
	data, err := fs.ReadFile(from, name)
	if err == nil {
		err = json.Unmarshal(data, &raw)
	}
	if err != nil {
		return err
	}
	t.fields = map[string][]FieldRow{}
	for mark, document := range raw.Documents {
		if t.fields[mark], err = inOrder(t.documents.Documents[mark].Fields, document.Fields); err != nil {
			return fmt.Errorf("%s: %s: %w", name, mark, err)
		}
	}
	for part, fields := range raw.Parts {
		if t.fields[part], err = inOrder(t.documents.Parts[part], fields); err != nil {
			return fmt.Errorf("%s: %s: %w", name, part, err)
		}
	}
	return nil
}

// inOrder returns rows in the order of their JSON.
func inOrder(rows map[string]FieldRow, data json.RawMessage) (ordered []FieldRow, err error) {
	names, err := namesOf(data)
	for _, name := range names {
		row := rows[name]
		row.Name = name
		ordered = append(ordered, row)
	}
	return ordered, err
}

// checkValues returns an error for a policy that a policy file may require by a value of no type.
func (t *tables) checkValues() error {
	for _, row := range t.policies {
		if _, there := t.documents.Values[row.Kind]; row.Field != "" && !there {
			return fmt.Errorf("values: lacks the kind %s of %s", row.Kind, row.Name)
		}
	}
	return nil
}
