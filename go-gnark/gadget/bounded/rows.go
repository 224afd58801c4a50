package bounded

import (
	"math/big"

	"github.com/consensys/gnark/frontend"
	"github.com/consensys/gnark/std/lookup/logderivlookup"
)

// Rows is a lookup table of rows of integers, which have numbers from 0. It is made whole, so that what was looked up cannot be of
// a row that came later.
type Rows struct {
	a       *Arith
	table   logderivlookup.Table
	columns [][]Int
	count   int
}

// Rows makes a table of its rows, all of one length, to be looked up at least once.
func (a *Arith) Rows(rows [][]Int) *Rows {
	r := &Rows{a: a, table: a.Table(), columns: make([][]Int, len(rows[0])), count: len(rows)}
	for _, row := range rows {
		for column, entry := range row {
			r.table.Insert(entry.wire)
			r.columns[column] = append(r.columns[column], entry)
		}
	}
	return r
}

// Row returns the row of a number, each integer with the bounds of its column.
//
// Relation: the integers are those of the row, for all but a negligible share of challenges. Precondition: the number is one of a
// row, which is demanded of its bounds. Outside it: the circuit does not compile. Cost: one constraint for the number, and a
// lookup for each column.
func (r *Rows) Row(number Int) []Int {
	r.a.Demand(number, new(big.Int), big.NewInt(int64(r.count-1)))
	index := make([]frontend.Variable, len(r.columns))
	for column := range index {
		index[column] = r.a.api.Add(r.a.api.Mul(number.wire, len(r.columns)), column)
	}
	entries := make([]Int, len(r.columns))
	for column, wire := range r.table.Lookup(index...) {
		// A row begins every so many entries, and the number is that of a row: column and row are those of the index.
		lo, hi := hull(r.columns[column])
		entries[column] = r.a.make(wire, lo, hi)
	}
	return entries
}
