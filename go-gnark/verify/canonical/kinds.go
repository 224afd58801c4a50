package canonical

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"equiproof/verify/text"
)

// Kind is what a field may hold. Unknown fields, missing fields and wrong types are refused as soon as they are met, with
// the field's name.
type Kind interface {
	// read passes a value of the kind; anything else is a panic of the reader.
	read(from *reader, path string) Value
}

type kindFunc func(from *reader, path string) Value

func (k kindFunc) read(from *reader, path string) Value { return k(from, path) }

// expect ends the reading unless the next value begins as it should. Texts, numbers and words are read first: they must be
// well formed.
func expect(from *reader, path string, begins start, wanted string) {
	found := from.start()
	if found == begins {
		return
	}
	switch found {
	case isText:
		from.skipText()
	case isNumber:
		from.number(path)
	case isFlag, isNull:
		from.word()
	case isObject, isArray:
		found = "an " + found
	}
	from.wrong(path, "want %s, not %s", wanted, found)
}

// Text is any text.
func Text() Kind {
	return kindFunc(func(from *reader, path string) Value {
		expect(from, path, isText, "text")
		return from.text()
	})
}

// TextOf is text of so many characters.
func TextOf(least, most int) Kind {
	return kindFunc(func(from *reader, path string) Value {
		found := Text().read(from, path).(string)
		if length := utf8.RuneCountInString(found); length < least || length > most {
			from.wrong(path, "want %d to %d characters", least, most)
		}
		return found
	})
}

// Integer is an integer. One beyond 2^53 has no canonical form, and is refused with a canonical document.
func Integer() Kind {
	return kindFunc(func(from *reader, path string) Value {
		expect(from, path, isNumber, "an integer")
		found := from.number(path)
		if _, fraction := found.(float64); fraction {
			from.wrong(path, "want an integer")
		}
		return found
	})
}

// Flag is true or false.
func Flag() Kind {
	return kindFunc(func(from *reader, path string) Value {
		expect(from, path, isFlag, "true or false")
		return from.word()
	})
}

// Raw is a raw feature value: text, or a number as it prints.
func Raw() Kind {
	return kindFunc(func(from *reader, path string) Value {
		if from.start() == isNumber {
			return from.number(path)
		}
		expect(from, path, isText, "text or a number")
		return from.text()
	})
}

// OneOf is one of these texts.
func OneOf(texts ...string) Kind {
	return kindFunc(func(from *reader, path string) Value {
		found := Text().read(from, path).(string)
		for _, known := range texts {
			if found == known {
				return found
			}
		}
		from.wrong(path, "%s is not one of %s", text.Repr(text.Cut(found, 40)), strings.Join(texts, ", "))
		return nil
	})
}

// ListOf is a list of values of a kind.
func ListOf(kind Kind) Kind { return listOf(kind, -1) }

// Pair is a list of two values of a kind.
func Pair(kind Kind) Kind { return listOf(kind, 2) }

// listOf is a list of so many values, of any number for -1.
func listOf(kind Kind, length int) Kind {
	return kindFunc(func(from *reader, path string) Value {
		expect(from, path, isArray, "a list")
		found := []Value{}
		from.each('[', ']', func() {
			if len(found) == length {
				from.wrong(path, "want a list of %d", length)
			}
			found = append(found, kind.read(from, path+"["+strconv.Itoa(len(found))+"]"))
		})
		if length >= 0 && len(found) < length {
			from.wrong(path, "want a list of %d", length)
		}
		return found
	})
}

// Dictionary is an object of values of a kind by any names.
func Dictionary(kind Kind) Kind { return DictionaryOf(kind, Text(), -1) }

// DictionaryOf is an object of values by names of a kind, at most so many of them; -1 is no limit.
func DictionaryOf(kind, name Kind, most int) Kind {
	return kindFunc(func(from *reader, path string) Value {
		expect(from, path, isObject, "an object")
		found := NewObject()
		from.each('{', '}', func() {
			key := from.name(name, strings.TrimPrefix(path+", a name in it", ", "))
			found.Set(key, kind.read(from, joined(path, text.Cut(key, 40))))
		})
		if most >= 0 && found.Len() > most {
			from.wrong(path, "want at most %d entries", most)
		}
		return found
	})
}

// Field is one field of a document.
type Field struct {
	name     string
	kind     Kind
	optional bool
	value    func() Value // of a field that is absent
}

// Required is a field that must be there.
func Required(name string, kind Kind) Field { return Field{name: name, kind: kind} }

// Optional is a field that may be absent, and then is no part of the canonical form.
func Optional(name string, kind Kind) Field { return Field{name: name, kind: kind, optional: true} }

// Otherwise is a field that may be absent, and then has this value, which is a part of the canonical form.
func Otherwise(name string, kind Kind, value func() Value) Field {
	return Field{name: name, kind: kind, optional: true, value: value}
}

// Constant is a function that returns a value that never changes.
func Constant(value Value) func() Value { return func() Value { return value } }

// Document is an object of these fields and no others. Adding a field is a line in its table.
func Document(fields ...Field) Kind {
	known := make(map[string]Kind, len(fields))
	for _, field := range fields {
		known[field.name] = field.kind
	}
	return kindFunc(func(from *reader, path string) Value {
		expect(from, path, isObject, "an object")
		found := NewObject()
		from.each('{', '}', func() {
			name := from.name(Text(), path)
			kind, ok := known[name]
			if !ok {
				from.wrong(path, "it has an unknown field %s", text.Repr(text.Cut(name, 40)))
			}
			found.Set(name, kind.read(from, joined(path, name)))
		})
		for _, field := range fields {
			if found.Has(field.name) {
				continue
			}
			if !field.optional {
				from.wrong(path, "it lacks the field '%s'", field.name)
			}
			if field.value != nil {
				found.Set(field.name, field.value())
			}
		}
		return found
	})
}

// Nullable is a value of a kind, or null.
func Nullable(kind Kind) Kind {
	return kindFunc(func(from *reader, path string) Value {
		if from.start() == isNull {
			return from.word()
		}
		return kind.read(from, path)
	})
}

// Recursive is a kind that is a part of itself.
func Recursive(kind func(self Kind) Kind) Kind {
	var made Kind
	made = kind(kindFunc(func(from *reader, path string) Value { return made.read(from, path) }))
	return made
}

// each passes a list or an object, and calls for each entry.
func (r *reader) each(open, end byte, entry func()) {
	r.enter()
	r.pass(open)
	for more := !r.passed(end); more; {
		if end == '}' && r.start() != isText {
			r.pass('"')
		}
		entry()
		if more = !r.passed(end); more {
			r.pass(',')
		}
	}
	r.leave()
}

// name passes the name of an entry and the colon behind it.
func (r *reader) name(kind Kind, path string) string {
	name := kind.read(r, path).(string)
	r.pass(':')
	return name
}

func joined(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}

// Anything is a value of any kind.
func Anything() Kind {
	return kindFunc(func(from *reader, path string) Value {
		switch from.start() {
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
