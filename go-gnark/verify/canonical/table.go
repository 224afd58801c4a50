package canonical

import (
	"fmt"
	"math/big"
	"reflect"
	"slices"
	"strings"
)

// Table is the kind of a document whose fields are those of the struct type T, and reads them into one.
type Table[T any] struct{ Kind }

var (
	integerType = reflect.TypeFor[*big.Int]()
	objectType  = reflect.TypeFor[*Object]()
)

// TableOf is the table of a struct type. Each of its fields is one of the document, in their order, and has a tag
// `field:"NAME"`; with `field:"NAME,optional"` the document may lack it, with `field:"NAME,null"` it may be null, and both may
// stand there. The fields of an embedded struct stand in its place.
//
// The type of a field says what it holds: text (string), true or false (bool), an integer (int and int64 in a canonical
// document, *big.Int in any), a list (slice), a pair (array of two), a dictionary of texts (*Object), or a document (struct).
// A pointer to one of these is nil where the document lacks the field or has null. Where the type says too little, one of
// the fields that are given takes the place of the field with its name.
//
// A struct that is no table is a fault of the program, found when it starts: a panic.
func TableOf[T any](given ...Field) Table[T] {
	fields := fieldsOf(reflect.TypeFor[T](), given)
	for _, field := range given {
		if !slices.ContainsFunc(fields, func(own Field) bool { return own.name == field.name }) {
			panic(fmt.Sprintf("canonical: %v has no field %s", reflect.TypeFor[T](), field.name))
		}
	}
	return Table[T]{Document(fields...)}
}

// Fields returns the fields of a document that was read by the table, or made with its fields, whatever it has besides. An
// absent or null one is the zero value, and so is an empty list.
func (Table[T]) Fields(document Value) *T {
	fields := new(T)
	fillFields(reflect.ValueOf(fields).Elem(), document.(*Object))
	return fields
}

// fieldsOf returns the fields of a struct type in their order.
func fieldsOf(structure reflect.Type, given []Field) (fields []Field) {
	for at := range structure.NumField() {
		member := structure.Field(at)
		if member.Anonymous {
			fields = append(fields, fieldsOf(member.Type, given)...)
			continue
		}
		name, options, _ := strings.Cut(member.Tag.Get("field"), ",")
		if name == "" || !member.IsExported() {
			panic(fmt.Sprintf("canonical: %v.%s is no field of a document", structure, member.Name))
		}
		place := slices.IndexFunc(given, func(field Field) bool { return field.name == name })
		switch {
		case place < 0:
			fields = append(fields, fieldOf(name, options, kindOf(member.Type)))
		case options != "":
			panic(fmt.Sprintf("canonical: %v.%s has options, and a field is given", structure, member.Name))
		default:
			fields = append(fields, given[place])
		}
	}
	return fields
}

func fieldOf(name, options string, kind Kind) Field {
	switch options {
	case "":
		return Required(name, kind)
	case "optional":
		return Optional(name, kind)
	case "null":
		return Required(name, Nullable(kind))
	case "optional,null":
		return Optional(name, Nullable(kind))
	}
	panic("canonical: field " + name + " has unknown options: " + options)
}

// kindOf returns the kind that a type says.
func kindOf(held reflect.Type) Kind {
	if held == integerType {
		return Integer()
	}
	if held == objectType {
		return Dictionary(Text())
	}
	switch held.Kind() {
	case reflect.String:
		return Text()
	case reflect.Bool:
		return Flag()
	case reflect.Int, reflect.Int64:
		return Integer()
	case reflect.Slice:
		return ListOf(kindOf(held.Elem()))
	case reflect.Array:
		return listOf(kindOf(held.Elem()), held.Len())
	case reflect.Pointer:
		return kindOf(held.Elem())
	case reflect.Struct:
		return Document(fieldsOf(held, nil)...)
	}
	panic(fmt.Sprintf("canonical: a type without a kind: %v", held))
}

// fillFields sets the fields of a struct.
func fillFields(structure reflect.Value, object *Object) {
	for at := range structure.NumField() {
		member := structure.Type().Field(at)
		if member.Anonymous {
			fillFields(structure.Field(at), object)
			continue
		}
		name, _, _ := strings.Cut(member.Tag.Get("field"), ",")
		if value := object.Get(name); value != nil {
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
