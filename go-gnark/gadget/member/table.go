package member

import (
	"fmt"
	"math/big"

	"github.com/consensys/gnark/frontend"

	"equiproof/gadget/bounded"
)

// Table is a set whose rows are integers under keys. What is looked up has the bounds that all rows are held to.
type Table struct {
	set    *Set
	before int // how many words of a key stand before the integers; the others stand behind
	bounds []bounded.Int
}

// Table makes a table, to be looked up at least once: each integer of a row lies within the bounds at its place.
func (g *Argument) Table(before int, bounds ...bounded.Int) *Table {
	return &Table{set: g.Set(), before: before, bounds: bounds}
}

// Insert adds a row. Precondition: the integers' bounds lie within the table's. Outside it: the circuit does not compile. Cost:
// that of a row of a Set.
func (t *Table) Insert(key []frontend.Variable, values ...bounded.Int) {
	wires := make([]frontend.Variable, len(t.bounds))
	for i, value := range values {
		lo, hi := value.Bounds()
		if least, most := t.bounds[i].Bounds(); lo.Cmp(least) < 0 || hi.Cmp(most) > 0 {
			panic(fmt.Sprintf("a row with a value of [%v, %v] in a table of [%v, %v]", lo, hi, least, most))
		}
		wires[i] = value.Wire()
	}
	t.set.Insert(t.tuple(key, wires))
}

// Look makes wires the integers of a row under a key, and types them.
//
// Relation: a row has the key and the values, word by word, for all but a negligible share of challenges. Precondition: that of
// Query. Cost: that of a query.
func (t *Table) Look(a *bounded.Arith, key []frontend.Variable, values ...frontend.Variable) []bounded.Int {
	t.set.Query(Term{Factor: big.NewInt(1), Of: t.tuple(key, values)})
	typed := make([]bounded.Int, len(values))
	for i, wire := range values {
		typed[i] = a.UnsafeWithin(wire, "the set's identity makes it a word of a row, and Insert holds those of every row to these bounds",
			t.bounds[i])
	}
	return typed
}

// tuple puts integers between the two parts of their key.
func (t *Table) tuple(key, values []frontend.Variable) *Tuple {
	words := append([]frontend.Variable{}, key[:t.before]...)
	return NewTuple(append(append(words, values...), key[t.before:]...)...)
}
