package canonical

import (
	"fmt"
	"math/big"
	"reflect"
	"slices"
	"strings"

	"equiproof/verify/tables"
)

// Table is the kind of a document of documents.json, and reads its fields into the struct type T.
type Table[T any] struct{ Kind }

var (
	integerType = reflect.TypeFor[*big.Int]()
	objectType  = reflect.TypeFor[*Object]()
)

// Own is what a program knows of a field beyond its row of documents.json.
type Own struct {
	name  string
	kind  Kind
	value func() Value
}

// As says more of what a field holds than its type in words: bounds, or a table of its own. What it holds where it is null or
// absent is the row's to say.
func As(name string, kind Kind) Own { return Own{name: name, kind: kind} }

// Absent is the value of a field that is absent, which is a part of the canonical form.
func Absent(name string, value func() Value) Own { return Own{name: name, value: value} }

// TableOf is the table of a document by its format mark, or of a part of documents by its name. documents.json has its fields,
// in the order in which missing ones are named. Each has its place in T or in a struct embedded there, with the tag
// `field:"NAME"`, and T has no others.
//
// A place holds what the type in words says: text (string), true or false (bool), an integer (int and int64 in a canonical
// document, *big.Int in any), a list (slice), a pair (array of two), an object of values (*Object), a document or a part of
// one (struct, or *Object as it stands). A place for what may be absent or null is a pointer, a slice or a Value, nil then.
//
// A struct that does not fit the table is a fault of the program, found when it starts: a panic.
func TableOf[T any](name string, own ...Own) Table[T] { return tableOf[T](tables.FieldsOf(name), own) }

func tableOf[T any](rows []tables.FieldRow, own []Own) Table[T] {
	return Table[T]{Document(fieldsOf(reflect.TypeFor[T](), rows, own)...)}
}

// DocumentOf is the kind of a document, or of a part of documents, for whoever needs it as it stands.
func DocumentOf(name string) Kind { return partOf(name, nil) }

// KindOf is the kind of a type in words. Parts are those that documents.json has no fields of, by their names.
func KindOf(words string, parts map[string]Kind) Kind { return kindOf(words, nil, parts) }

// Fields returns the fields of a document that was read by the table, or made with its fields, whatever it has besides. An
// absent or null one is the zero value, and so is an empty list.
func (Table[T]) Fields(document Value) *T { return Fields[T](document) }

// Fields returns those fields of a document that a struct has places for, as a table does.
func Fields[T any](document Value) *T {
	fields := new(T)
	fillFields(reflect.ValueOf(fields).Elem(), document.(*Object))
	return fields
}

// fieldsOf returns the fields of a document, which a struct holds.
func fieldsOf(structure reflect.Type, rows []tables.FieldRow, own []Own) (fields []Field) {
	places := map[string]reflect.Type{}
	collect(structure, places)
	for _, row := range rows {
		place, there := places[row.Name]
		if !there {
			panic(fmt.Sprintf("canonical: %v has no place for the field %s", structure, row.Name))
		}
		delete(places, row.Name)
		fields = append(fields, fieldOf(row, place, own))
	}
	for name := range places {
		panic(fmt.Sprintf("canonical: documents.json has no field %s of %v", name, structure))
	}
	for _, one := range own {
		if !slices.ContainsFunc(fields, func(field Field) bool { return field.name == one.name }) {
			panic(fmt.Sprintf("canonical: documents.json has no field %s of %v", one.name, structure))
		}
	}
	return fields
}

// collect adds the places of a struct type by the names of their fields.
func collect(structure reflect.Type, places map[string]reflect.Type) {
	for at := range structure.NumField() {
		member := structure.Field(at)
		if member.Anonymous {
			collect(member.Type, places)
			continue
		}
		name := member.Tag.Get("field")
		if name == "" || !member.IsExported() {
			panic(fmt.Sprintf("canonical: %v.%s is no field of a document", structure, member.Name))
		}
		places[name] = member.Type
	}
}

// fieldOf returns the field of a row; its place is nil where the document is kept as it stands.
func fieldOf(row tables.FieldRow, place reflect.Type, own []Own) Field {
	field := Field{name: row.Name, optional: !row.Required}
	for _, one := range own {
		if one.name == row.Name && one.kind != nil {
			field.kind = one.kind
		}
		if one.name == row.Name && one.value != nil {
			field.value = one.value
		}
	}
	words, null := strings.CutSuffix(row.Type, orNull)
	absent := null || field.optional && field.value == nil
	if field.value != nil && row.Required || !suits(place, absent) {
		panic(fmt.Sprintf("canonical: %v does not suit the field %s: %s, required: %t", place, row.Name, row.Type, row.Required))
	}
	if field.kind == nil {
		field.kind = kindOf(words, place, nil)
	}
	if null {
		field.kind = Nullable(field.kind)
	}
	return field
}

// suits says whether a place tells nothing from something where it must, and else need not be asked.
func suits(place reflect.Type, absent bool) bool {
	if place == nil || place == integerType || place == objectType {
		return true
	}
	kind := place.Kind()
	return kind == reflect.Slice || kind == reflect.Interface || (kind == reflect.Pointer) == absent
}

// Types in words begin with one of these, and end with orNull where null is one of their values. Any other is the name of a
// document or of a part of one.
const (
	orNull    = " or null"
	ofText    = "text"
	ofInteger = "integer"
	ofFlag    = "true or false"
	ofRaw     = "text or integer or number"
	ofNames   = "one of "
	ofPair    = "list of 2: "
	ofList    = "list of "
	ofObject  = "object of "
)

// headOf parts a type in words into its head and what stands behind it.
func headOf(words string) (head, rest string) {
	if slices.Contains([]string{ofText, ofInteger, ofFlag, ofRaw}, words) {
		return words, ""
	}
	for _, head := range []string{ofNames, ofPair, ofList, ofObject} {
		if rest, begins := strings.CutPrefix(words, head); begins {
			return head, rest
		}
	}
	return "", words
}

// kindOf returns the kind of a type in words, for a place that holds it; nil holds it as it stands.
func kindOf(words string, place reflect.Type, parts map[string]Kind) Kind {
	if inner, null := strings.CutSuffix(words, orNull); null {
		return Nullable(kindOf(inner, place, parts))
	}
	if place != nil && place.Kind() == reflect.Pointer && place != integerType && place != objectType {
		place = place.Elem()
	}
	head, rest := headOf(words)
	if place != nil && !holds(place, head) {
		panic(fmt.Sprintf("canonical: %v does not hold %s", place, words))
	}
	switch head {
	case ofText:
		return Text()
	case ofInteger:
		return Integer()
	case ofFlag:
		return Flag()
	case ofRaw:
		return Raw()
	case ofNames:
		return OneOf(strings.Split(rest, ", ")...)
	case ofPair:
		first, second, _ := strings.Cut(rest, ", ")
		if first != second {
			panic("canonical: a pair of two types: " + words)
		}
		return Pair(kindOf(first, elementOf(place), parts))
	case ofList:
		return ListOf(kindOf(rest, elementOf(place), parts))
	case ofObject:
		return Dictionary(kindOf(rest, nil, parts))
	}
	if part, there := parts[words]; there {
		return part
	}
	return partOf(words, place)
}

// holds says whether a place holds values of a type by its head: a Value holds any.
func holds(place reflect.Type, head string) bool {
	kind := place.Kind()
	if kind == reflect.Interface {
		return true
	}
	switch head {
	case ofText, ofNames:
		return kind == reflect.String
	case ofInteger:
		return kind == reflect.Int || kind == reflect.Int64 || place == integerType
	case ofFlag:
		return kind == reflect.Bool
	case ofPair:
		return kind == reflect.Array && place.Len() == 2
	case ofList:
		return kind == reflect.Slice
	case "":
		return kind == reflect.Struct || place == objectType
	}
	return head == ofObject && place == objectType
}

// elementOf is the place of what a list holds.
func elementOf(place reflect.Type) reflect.Type {
	if place == nil || place.Kind() == reflect.Interface {
		return nil
	}
	return place.Elem()
}

// partOf is the kind of a document, or of a part of documents, by its name.
func partOf(name string, place reflect.Type) Kind {
	rows := tables.FieldsOf(name)
	switch {
	case len(rows) == 0:
		panic("canonical: documents.json has no type " + name)
	case place != nil && place.Kind() == reflect.Struct:
		return Document(fieldsOf(place, rows, nil)...)
	}
	fields := make([]Field, len(rows))
	for at, row := range rows {
		fields[at] = fieldOf(row, nil, nil)
	}
	return Document(fields...)
}

// fillFields sets the fields of a struct.
func fillFields(structure reflect.Value, object *Object) {
	for at := range structure.NumField() {
		member := structure.Type().Field(at)
		if member.Anonymous {
			fillFields(structure.Field(at), object)
			continue
		}
		if value := object.Get(member.Tag.Get("field")); value != nil {
			fill(structure.Field(at), value)
		}
	}
}

// fill sets a place to a value of its kind.
func fill(place reflect.Value, value Value) {
	if held := reflect.ValueOf(value); held.Type().AssignableTo(place.Type()) && place.Kind() != reflect.Slice {
		place.Set(held)
		return
	}
	switch place.Kind() {
	case reflect.Int, reflect.Int64:
		place.SetInt(value.(*big.Int).Int64())
	case reflect.Slice, reflect.Array:
		fillList(place, value.([]Value))
	case reflect.Pointer:
		place.Set(reflect.New(place.Type().Elem()))
		fill(place.Elem(), value)
	case reflect.Struct:
		fillFields(place, value.(*Object))
	default:
		panic(fmt.Sprintf("canonical: %T does not fit %v", value, place.Type()))
	}
}

func fillList(place reflect.Value, list []Value) {
	if place.Kind() == reflect.Slice && len(list) > 0 {
		place.Set(reflect.MakeSlice(place.Type(), len(list), len(list)))
	}
	for at, value := range list {
		if value != nil {
			fill(place.Index(at), value)
		}
	}
}
