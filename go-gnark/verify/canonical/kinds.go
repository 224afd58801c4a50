package canonical

import (
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"equiproof/verify/tables"
	"equiproof/verify/text"
)

// Kind is what a field may hold. Unknown fields, missing fields and wrong types are refused as soon as they are met, with
// the field's name.
type Kind interface {
	// read passes a value of the kind; anything else is an error that names the path.
	read(from *reader, path string) (Value, error)
}

type kindFunc func(from *reader, path string) (Value, error)

func (k kindFunc) read(from *reader, path string) (Value, error) { return k(from, path) }

// expect refuses a next value that begins otherwise than it should. Texts, numbers and words are read before they are
// refused: one that is malformed is no JSON, which outweighs its type.
func expect(from *reader, path string, begin, wanted start) error {
	next, err := from.start()
	if err != nil || next == begin {
		return err
	}
	switch next {
	case isText:
		err = from.skipText()
	case isNumber:
		_, err = from.number(path)
	case isFlag, isNull:
		_, err = from.word()
	}
	if err != nil {
		return err
	}
	return from.wrong(path, tables.Say("value.of_other_type", wanted.String(), next.String()))
}

// Text is any text.
func Text() Kind {
	return kindFunc(func(from *reader, path string) (Value, error) { return readText(from, path) })
}

func readText(from *reader, path string) (string, error) {
	if err := expect(from, path, isText, isText); err != nil {
		return "", err
	}
	return from.text()
}

// TextOf is text of so many characters.
func TextOf(least, most int) Kind {
	return kindFunc(func(from *reader, path string) (Value, error) {
		value, err := readText(from, path)
		if err != nil {
			return nil, err
		}
		if length := utf8.RuneCountInString(value); length < least || length > most {
			return nil, from.wrong(path, tables.Say("value.length_wrong", least, most))
		}
		return value, nil
	})
}

// Integer is an integer. One beyond 2^53 has no canonical form, and is refused with a canonical document.
func Integer() Kind {
	return kindFunc(func(from *reader, path string) (Value, error) {
		if err := expect(from, path, isNumber, isInteger); err != nil {
			return nil, err
		}
		number, err := from.number(path)
		if err != nil {
			return nil, err
		}
		if _, fraction := number.(float64); fraction {
			return nil, from.wrong(path, tables.Say("value.want_integer"))
		}
		return number, nil
	})
}

// Flag is true or false.
func Flag() Kind {
	return kindFunc(func(from *reader, path string) (Value, error) {
		if err := expect(from, path, isFlag, isFlag); err != nil {
			return nil, err
		}
		return from.word()
	})
}

// Raw is a raw feature value: text, or a number as it prints.
func Raw() Kind {
	return kindFunc(func(from *reader, path string) (Value, error) {
		next, err := from.start()
		if err != nil {
			return nil, err
		}
		if next == isNumber {
			return from.number(path)
		}
		if err := expect(from, path, isText, isTextOrNumber); err != nil {
			return nil, err
		}
		return from.text()
	})
}

// OneOf is one of these texts.
func OneOf(texts ...string) Kind {
	return kindFunc(func(from *reader, path string) (Value, error) {
		value, err := readText(from, path)
		if err != nil {
			return nil, err
		}
		if !slices.Contains(texts, value) {
			return nil, from.wrong(path,
				tables.Say("value.not_one_of", text.Repr(text.Cut(value, 40)), strings.Join(texts, ", ")))
		}
		return value, nil
	})
}

// ListOf is a list of values of a kind.
func ListOf(kind Kind) Kind { return listOf(kind, -1) }

// Pair is a list of two values of a kind.
func Pair(kind Kind) Kind { return listOf(kind, 2) }

// listOf is a list of so many values, of any number for -1.
func listOf(kind Kind, length int) Kind {
	return kindFunc(func(from *reader, path string) (Value, error) {
		if err := expect(from, path, isArray, isArray); err != nil {
			return nil, err
		}
		list := []Value{}
		err := from.each('[', ']', func() error {
			// Before the value is read: a long list of another length costs no room.
			if len(list) == length {
				return from.wrong(path, tables.Say("value.list_length_wrong", length))
			}
			value, err := kind.read(from, path+"["+strconv.Itoa(len(list))+"]")
			list = append(list, value)
			return err
		})
		if err != nil {
			return nil, err
		}
		if length >= 0 && len(list) < length {
			return nil, from.wrong(path, tables.Say("value.list_length_wrong", length))
		}
		return list, nil
	})
}

// Dictionary is an object of values of a kind by any names.
func Dictionary(kind Kind) Kind { return DictionaryOf(kind, Text(), -1) }

// DictionaryOf is an object of values by names of a kind, at most so many of them; -1 is no limit.
func DictionaryOf(kind, name Kind, most int) Kind {
	return kindFunc(func(from *reader, path string) (Value, error) {
		if err := expect(from, path, isObject, isObject); err != nil {
			return nil, err
		}
		entries := NewObject()
		err := from.each('{', '}', func() error {
			key, err := from.name(name, strings.TrimPrefix(path+", "+tables.Say("format.a_name_in_it"), ", "))
			if err != nil {
				return err
			}
			value, err := kind.read(from, joined(path, text.Cut(key, 40)))
			entries.Set(key, value)
			return err
		})
		if err != nil {
			return nil, err
		}
		if most >= 0 && entries.Len() > most {
			return nil, from.wrong(path, tables.Say("value.too_many_entries", most))
		}
		return entries, nil
	})
}

// Field is one field of a document.
type Field struct {
	name     string
	kind     Kind
	optional bool
	value    func() Value // of a field that is absent
}

// Optional is a field that may be absent, and then is no part of the canonical form.
func Optional(name string, kind Kind) Field { return Field{name: name, kind: kind, optional: true} }

// Constant is a function that returns a value that never changes.
func Constant(value Value) func() Value { return func() Value { return value } }

// Document is an object of these fields and no others.
func Document(fields ...Field) Kind {
	kinds := make(map[string]Kind, len(fields))
	for _, field := range fields {
		kinds[field.name] = field.kind
	}
	return kindFunc(func(from *reader, path string) (Value, error) {
		if err := expect(from, path, isObject, isObject); err != nil {
			return nil, err
		}
		object := NewObject()
		err := from.each('{', '}', func() error {
			name, err := from.name(Text(), path)
			if err != nil {
				return err
			}
			kind, ok := kinds[name]
			if !ok {
				return from.wrong(path, tables.Say("value.field_unknown", text.Repr(text.Cut(name, 40))))
			}
			value, err := kind.read(from, joined(path, name))
			object.Set(name, value)
			return err
		})
		if err != nil {
			return nil, err
		}
		return object, complete(object, fields, from, path)
	})
}

// complete adds the values of absent fields, and refuses an object without one that must be there.
func complete(object *Object, fields []Field, from *reader, path string) error {
	for _, field := range fields {
		switch {
		case object.Has(field.name):
		case !field.optional:
			return from.wrong(path, tables.Say("value.field_missing", "'"+field.name+"'"))
		case field.value != nil:
			object.Set(field.name, field.value())
		}
	}
	return nil
}

// Nullable is a value of a kind, or null.
func Nullable(kind Kind) Kind {
	return kindFunc(func(from *reader, path string) (Value, error) {
		next, err := from.start()
		if err != nil {
			return nil, err
		}
		if next == isNull {
			return from.word()
		}
		return kind.read(from, path)
	})
}

// Recursive is a kind that is a part of itself.
func Recursive(kind func(self Kind) Kind) Kind {
	var whole Kind
	whole = kind(kindFunc(func(from *reader, path string) (Value, error) { return whole.read(from, path) }))
	return whole
}

func joined(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}

// Anything is a value of any kind.
func Anything() Kind {
	return kindFunc(func(from *reader, path string) (Value, error) {
		next, err := from.start()
		if err != nil {
			return nil, err
		}
		switch next {
		case isObject:
			return Dictionary(Anything()).read(from, path)
		case isArray:
			return ListOf(Anything()).read(from, path)
		case isText:
			return from.text()
		case isNumber:
			return from.number(path)
		}
		return from.word()
	})
}
