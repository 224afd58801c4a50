package bounded_test

import (
	"testing"

	"github.com/consensys/gnark/frontend"

	"equiproof/gadget/bounded"
	"equiproof/internal/adversary"
)

// pairs compiles three rows of two numbers, -4 to 3 and 0 to 31, and one that is looked up: its number, and what is found.
func pairs(t *testing.T) *adversary.Circuit {
	return adversary.Compile(t, 6+3, func(a *bounded.Arith, wires []frontend.Variable) {
		var rows [][]bounded.Int
		for row := range 3 {
			rows = append(rows, []bounded.Int{a.Signed(wires[2*row], 3), a.Unsigned(wires[2*row+1], 5)})
		}
		rows[1][0] = a.Constant(-9)
		for column, entry := range a.Rows(rows).Row(a.Below(wires[6], 3)) {
			a.API().AssertIsEqual(entry.Wire(), wires[7+column])
			if lo, hi := entry.Bounds(); lo.Int64() != []int64{-9, 0}[column] || hi.Int64() != []int64{3, 31}[column] {
				t.Errorf("column %d lies in [%v, %v]", column, lo, hi)
			}
		}
	})
}

// What is looked up is the row of the number, whole, with the bounds of its columns.
func TestRows(t *testing.T) {
	circuit := pairs(t)
	circuit.Accepts(t, "the first", -4, 30, 0, 20, 3, 10, 0, -4, 30)
	circuit.Accepts(t, "the second", -4, 30, 0, 20, 3, 10, 1, -9, 20)
	circuit.Accepts(t, "the last", -4, 30, 0, 20, 3, 10, 2, 3, 10)
	circuit.Refuses(t, "another row", -4, 30, 0, 20, 3, 10, 2, -4, 30)
	circuit.Refuses(t, "a row made of two", -4, 30, 0, 20, 3, 10, 2, 3, 30)
	circuit.Refuses(t, "its columns in turn", -4, 30, 0, 20, 3, 10, 2, 10, 3)
	circuit.Refuses(t, "a row of nobody", -4, 30, 0, 20, 3, 10, 0, 2, 30)
	circuit.Refuses(t, "a number behind the last", -4, 30, 0, 20, 3, 10, 3, 3, 10)
}

// A number that may be of no row is refused at compile time.
func TestRowsNeedNumbersOfRows(t *testing.T) {
	adversary.Compile(t, 3, func(a *bounded.Arith, wires []frontend.Variable) {
		rows := a.Rows([][]bounded.Int{{a.Bit(wires[0])}, {a.Bit(wires[1])}})
		for name, number := range map[string]func() bounded.Int{
			"behind the last": func() bounded.Int { return a.Below(wires[2], 3) },
			"below the first": func() bounded.Int { return a.Sub(a.Bit(wires[2]), a.Constant(1)) },
		} {
			if panicked(func() { rows.Row(number()) }) == nil {
				t.Errorf("%s: a number was looked up", name)
			}
		}
		rows.Row(a.Bit(wires[2]))
	})
}
