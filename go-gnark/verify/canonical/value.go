package canonical

import "math/big"

// Value is what a document holds: nil, bool, *big.Int, float64 (a number with a fraction or an exponent), string, []Value or
// *Object.
type Value any

// Object is an object of a document. Of two entries of a name, the later one counts; Repeated tells.
type Object struct {
	names    []string
	values   map[string]Value
	repeated bool
}

// NewObject returns an object without entries.
func NewObject() *Object { return &Object{values: map[string]Value{}} }

// Set sets an entry.
func (o *Object) Set(name string, value Value) *Object {
	if _, ok := o.values[name]; ok {
		o.repeated = true
	} else {
		o.names = append(o.names, name)
	}
	o.values[name] = value
	return o
}

// Names returns the names of all entries in the order in which they came.
func (o *Object) Names() []string { return o.names }

// Len is the number of entries.
func (o *Object) Len() int { return len(o.names) }

// Repeated says whether two entries had one name.
func (o *Object) Repeated() bool { return o.repeated }

// Has says whether there is an entry of a name.
func (o *Object) Has(name string) bool {
	_, ok := o.values[name]
	return ok
}

// Get returns an entry's value, nil for none.
func (o *Object) Get(name string) Value { return o.values[name] }

// The following return entries of a known kind, and the zero value for an absent or null one: kinds were checked before.

// Text returns a text.
func (o *Object) Text(name string) string {
	value, _ := o.values[name].(string)
	return value
}

// Texts returns a list of texts.
func (o *Object) Texts(name string) []string {
	list, _ := o.values[name].([]Value)
	texts := make([]string, len(list))
	for at, value := range list {
		texts[at], _ = value.(string)
	}
	return texts
}

// Flag returns true or false.
func (o *Object) Flag(name string) bool {
	value, _ := o.values[name].(bool)
	return value
}

// Int returns an integer of a canonical document: no other is larger than an int.
func (o *Object) Int(name string) int {
	if value, ok := o.values[name].(*big.Int); ok {
		return int(value.Int64())
	}
	return 0
}

// Object returns an object, nil for none.
func (o *Object) Object(name string) *Object {
	value, _ := o.values[name].(*Object)
	return value
}

// Objects returns a list of objects.
func (o *Object) Objects(name string) []*Object {
	list, _ := o.values[name].([]Value)
	objects := make([]*Object, len(list))
	for at, value := range list {
		objects[at], _ = value.(*Object)
	}
	return objects
}

// IntegerValue returns an integer as a value.
func IntegerValue(number int) Value { return big.NewInt(int64(number)) }

// ListValue returns a list of values.
func ListValue[T any](items []T, value func(T) Value) []Value {
	list := make([]Value, len(items))
	for at, item := range items {
		list[at] = value(item)
	}
	return list
}

// exact says whether readers of JSON keep an integer: it is at most 2^53 - 1 in size.
func exact(number *big.Int) bool { return number.BitLen() <= 53 }
