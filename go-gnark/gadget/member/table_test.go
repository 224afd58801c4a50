package member_test

import (
	"reflect"
	"testing"

	"github.com/consensys/gnark/frontend"

	"equiproof/gadget/bounded"
	"equiproof/gadget/member"
	"equiproof/internal/adversary"
)

// A row is two numbers between the parts of a key; what is looked up is a whole row, with the bounds of the table.
func TestTable(t *testing.T) {
	circuit := adversary.Compile(t, 4+4, func(a *bounded.Arith, wires []frontend.Variable) {
		table := member.New(a).Table(1, a.Hull(a.Constant(-4), a.Constant(15)), a.Hull(a.Constant(0), a.Constant(40)))
		table.Insert([]frontend.Variable{7, 1}, a.Signed(wires[0], 3), a.Unsigned(wires[1], 5))
		table.Insert([]frontend.Variable{7, 2}, a.Unsigned(wires[2], 4), a.Unsigned(wires[3], 3))
		for i, value := range table.Look(a, []frontend.Variable{wires[4], wires[7]}, wires[5], wires[6]) {
			if lo, hi := value.Bounds(); lo.Int64() != []int64{-4, 0}[i] || hi.Int64() != []int64{15, 40}[i] {
				t.Errorf("value %d lies in [%v, %v]", i, lo, hi)
			}
			if !reflect.DeepEqual(value.Wire(), wires[5+i]) {
				t.Errorf("value %d is of another wire", i)
			}
		}
	})
	circuit.Accepts(t, "the first", -4, 31, 15, 7, 7, -4, 31, 1)
	circuit.Accepts(t, "the second", -4, 31, 15, 7, 7, 15, 7, 2)
	for name, lie := range map[string][]any{
		"under another key":         {-4, 31, 15, 7, 7, 15, 7, 1},
		"under another key's start": {-4, 31, 15, 7, 1, 15, 7, 2},
		"of two rows":               {-4, 31, 15, 7, 7, 15, 31, 2},
		"in turn":                   {-4, 31, 15, 7, 7, 7, 15, 2},
		"within its bounds alone":   {-4, 31, 15, 7, 7, 14, 7, 2},
		"the key in turn":           {-4, 31, 15, 7, 2, 15, 7, 7},
	} {
		circuit.Refuses(t, name, lie...)
	}
}

// A row that may leave the bounds of the table, at either end, is refused at compile time; so is one without a number.
func TestTableHoldsRowsToItsBounds(t *testing.T) {
	refused := func(insert func(a *bounded.Arith, table *member.Table, wire frontend.Variable)) (found any) {
		adversary.Compile(t, 1, func(a *bounded.Arith, wires []frontend.Variable) {
			table := member.New(a).Table(0, a.Hull(a.Constant(-4), a.Constant(3)))
			table.Insert(nil, a.Signed(wires[0], 3))
			func() {
				defer func() { found = recover() }()
				insert(a, table, wires[0])
			}()
			table.Look(a, nil, wires[0])
		})
		return found
	}
	for name, of := range map[string]func(a *bounded.Arith, wire frontend.Variable) bounded.Int{
		"one below": func(a *bounded.Arith, wire frontend.Variable) bounded.Int {
			return a.Add(a.Signed(wire, 3), a.Neg(a.Bit(0)))
		},
		"one above": func(a *bounded.Arith, wire frontend.Variable) bounded.Int { return a.Unsigned(wire, 3) },
	} {
		if refused(func(a *bounded.Arith, table *member.Table, wire frontend.Variable) { table.Insert(nil, of(a, wire)) }) == nil {
			t.Errorf("%s: a row was inserted", name)
		}
	}
	inside := func(a *bounded.Arith, table *member.Table, wire frontend.Variable) {
		table.Insert(nil, a.Constant(-4))
		table.Insert(nil, a.Constant(3))
	}
	if fault := refused(inside); fault != nil {
		t.Errorf("a row inside the bounds: %v", fault)
	}
}
