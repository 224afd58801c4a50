package policy

import (
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"equiproof/verify/canonical"
	"equiproof/verify/tables"
)

// Requirements are plain values, as a command line or a file has them, by the name of the policy that each stands for; kinds has
// the types of values. A value that is false or nil requires nothing, and a text may be given by a pointer. Twin of
// verifier/requirements.py.
type Requirements map[string]any

// Policies returns a policy for each value, in the order of the table. A name that the table lacks, or a value of another type,
// is a fault of the program: a panic, since whatever was meant would not be checked.
func (r Requirements) Policies() (AllOf, error) { return known.make(r, known.rows) }

// Error is a value that is no requirement: the name of its argument, or of its field in a file; its option, and what is wrong.
type Error struct{ Name, Option, Reason string }

func (e *Error) Error() string { return e.Name + ": " + e.Reason }

// constructor makes a policy of a value that was read by its kind.
type constructor struct {
	takes reflect.Type
	make  func(value any) (Policy, error)
}

// constructors make the policies of the package, each registered beside its type.
var constructors = map[string]constructor{}

func constructorOf[V any](construct func(value V) (Policy, error)) constructor {
	return constructor{reflect.TypeFor[V](), func(value any) (Policy, error) { return construct(value.(V)) }}
}

// register registers the constructor of a policy by its name.
func register[V any](name string, construct func(value V) (Policy, error)) constructor {
	constructors[name] = constructorOf(construct)
	return constructors[name]
}

// itself is the constructor of a policy whose values are policies already.
func itself[P Policy](policy P) (Policy, error) { return policy, nil }

// catalogue is the policies that plain values make: the rows of their table, and the constructor of each.
type catalogue struct {
	rows         []tables.PolicyRow // in the order in which policies are checked
	constructors map[string]constructor
	document     canonical.Table[policyFile]
}

// known are the policies of the package. Variables are set before any init, so that every constructor is registered.
var known *catalogue

func init() {
	made, err := newCatalogue(tables.Policies(), constructors)
	if err != nil {
		panic("policy: " + err.Error())
	}
	known = made
}

// newCatalogue returns the catalogue of rows and constructors; one without the other is an error that names it. A row without
// argument and field is of a policy that no plain value makes.
func newCatalogue(rows []tables.PolicyRow, constructors map[string]constructor) (*catalogue, error) {
	c := &catalogue{constructors: constructors}
	for _, row := range rows {
		if row.Argument == "" && row.Field == "" {
			continue
		}
		if err := c.check(row); err != nil {
			return nil, fmt.Errorf("%s: %w", row.Name, err)
		}
		c.rows = append(c.rows, row)
	}
	for _, name := range slices.Sorted(maps.Keys(constructors)) {
		if !slices.ContainsFunc(c.rows, func(row tables.PolicyRow) bool { return row.Name == name }) {
			return nil, fmt.Errorf("%s: a constructor, and no row with an argument or a field", name)
		}
	}
	slices.SortStableFunc(c.rows, func(one, other tables.PolicyRow) int { return stage(one) - stage(other) })
	c.document = c.fileTable()
	return c, nil
}

// check returns an error for a row whose policies cannot be made.
func (c *catalogue) check(row tables.PolicyRow) error {
	made, there := c.constructors[row.Name]
	if !there {
		return errors.New("no constructor")
	}
	of, there := kinds[row.Kind]
	if !there {
		return fmt.Errorf("no values of the kind %s", row.Kind)
	}
	if made.takes != of.gives {
		return fmt.Errorf("the constructor takes %v, and %s is %v", made.takes, row.Kind, of.gives)
	}
	if _, there := spellings[row.Kind]; row.Field != "" && !there {
		return fmt.Errorf("no field of a policy file is of the kind %s", row.Kind)
	}
	return nil
}

// The stages in which the policies of a file are made, and checked.
const (
	plain        = iota
	part         // of a field, such as context.has
	alternatives // any_of
)

func stage(row tables.PolicyRow) int {
	switch {
	case row.Kind == "policies":
		return alternatives
	case strings.Contains(row.Field, "."):
		return part
	}
	return plain
}

// of returns the rows of a stage.
func (c *catalogue) of(wanted int) (rows []tables.PolicyRow) {
	for _, row := range c.rows {
		if stage(row) == wanted {
			rows = append(rows, row)
		}
	}
	return rows
}

// make returns the policies of values by the rows.
func (c *catalogue) make(values Requirements, rows []tables.PolicyRow) (all AllOf, err error) {
	for name := range values {
		if !slices.ContainsFunc(rows, func(row tables.PolicyRow) bool { return row.Name == name }) {
			panic("policy: no value makes a policy " + name)
		}
	}
	for _, row := range rows {
		value := required(values[row.Name])
		if value == nil {
			continue
		}
		value, err := kinds[row.Kind].read(value)
		var policy Policy
		if err == nil {
			policy, err = c.constructors[row.Name].make(value)
		}
		if err != nil {
			return nil, &Error{nameOf(row), row.Option, err.Error()}
		}
		all = append(all, policy)
	}
	return all, nil
}

func nameOf(row tables.PolicyRow) string {
	if row.Argument != "" {
		return row.Argument
	}
	return row.Field
}

// required is a value, nil for one that requires nothing.
func required(value any) any {
	held := reflect.ValueOf(value)
	switch held.Kind() {
	case reflect.Invalid:
		return nil
	case reflect.Bool:
		if !held.Bool() {
			return nil
		}
	case reflect.Slice:
		if held.IsNil() {
			return nil
		}
	case reflect.Pointer:
		if held.IsNil() {
			return nil
		}
		if text, is := value.(*string); is {
			return *text
		}
	}
	return value
}
