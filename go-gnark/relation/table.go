package relation

import (
	"fmt"
	"slices"

	"github.com/consensys/gnark-crypto/ecc/bn254/fr"
	"github.com/consensys/gnark/frontend"

	"equiproof/gadget/bounded"
	"equiproof/gadget/commitment"
	"equiproof/gadget/product"
	"equiproof/gadget/table"
	"equiproof/shape"
)

// tablePower is the power of the last challenge at which a table's polynomial is evaluated: range checks argue at the first one, products
// at the second.
const tablePower = 3

// TableLayout names the private wires of counts over tables in order.
//
// What is counted before this part of the table stands in front of its rows. Numbers of rows stand row by row.
func TableLayout(s *shape.Table) []Segment {
	segments := append(WordLayout(s.Sizes()),
		Segment{"model_commitment", 1}, Segment{"link_blinding", 1}, Segment{"spec_digest", 1}, Segment{"context_digest", 1},
		Segment{"table_digest", 1}, Segment{"part", 1},
		Segment{"granted_before", s.Elements()}, Segment{"tied_before", s.Elements()},
		Segment{"blinding_before", 1}, Segment{"blinding_after", 1},
		Segment{"columns", s.Rows * (s.Architecture.Plain + s.Architecture.Sensitive)}, Segment{"units", s.Rows * s.Elements()},
	)
	for l, size := range s.Architecture.Hidden {
		segments = append(segments,
			Segment{fmt.Sprintf("value.%d", l+1), s.Rows * size}, Segment{fmt.Sprintf("negative.%d", l+1), s.Rows * size})
	}
	return append(segments, Segment{"sign", s.Rows}, Segment{"magnitude", s.Rows})
}

// Table is the circuit of scheme `table`: how many rows of each cell of a public table a kept network grants, and how many are ties.
type Table struct {
	Digest frontend.Variable   `gnark:",public"`
	Wires  []frontend.Variable `gnark:",secret"`

	shape  *shape.Table
	widths []bounded.Width
	record bounded.Record
}

// NewTable returns the circuit of a shape, to be compiled or assigned.
func NewTable(s *shape.Table) *Table {
	return &Table{Wires: make([]frontend.Variable, Length(TableLayout(s))), shape: s}
}

// Inputs returns the public input and the private wires.
func (c *Table) Inputs() (*frontend.Variable, []frontend.Variable) { return &c.Digest, c.Wires }

// Layout names the private wires in order.
func (c *Table) Layout() []Segment { return TableLayout(c.shape) }

// Widths lists the places of the circuit with the widest integer that each can hold; known once it is compiled.
func (c *Table) Widths() []bounded.Width { return c.widths }

// Record says which constraints are for which part; known once it is compiled.
func (c *Table) Record() bounded.Record { return c.record }

// Words is how many words the model has, which is always kept.
func (c *Table) Words() int { return Length(WordLayout(c.shape.Sizes())) }

// Value returns the value of the table's polynomial on assigned wires, where the challenge of the last commitment is this one.
func (c *Table) Value(challenge fr.Element) (value fr.Element) {
	at := challenge
	for range tablePower - 1 {
		at.Mul(&at, &challenge)
	}
	for _, wire := range slices.Backward(c.numbers(Take(c.Layout(), c.Wires))) {
		number := wire.(fr.Element)
		value.Mul(&value, &at).Add(&value, &number)
	}
	return value
}

// Define constrains the relation, gadget by gadget.
func (c *Table) Define(api frontend.API) (err error) {
	defer bounded.Catch(&err)
	s, wires := c.shape, Take(c.Layout(), c.Wires)
	t := &traversal{a: bounded.New(api), shape: s.Sizes(), wires: wires}
	if err := t.show(); err != nil {
		return err
	}
	t.readWith(func(l int) []bounded.Int {
		return t.committed(fmt.Sprintf("weights.%d", l+1), s.Architecture.WeightBits[l])
	})
	limits, last := s.Limits(), len(t.layers)-1
	granted, tied, margins := table.Decisions(t.a.At("decision"), wires["sign"], wires["magnitude"], limits[last].BitLen())
	before := table.Counts{Granted: wires["granted_before"], Tied: wires["tied_before"]}
	after := before.More(t.a.At("counts"), granted, tied, wires["units"])
	stated, err := c.statement(t, before, after)
	if err != nil {
		return err
	}
	leave := t.a.Part("layers")
	// Behind the statement, which the argument commits to.
	argument := product.New(t.a, stated)
	leave()
	rows := table.Columns(t.a.At("columns"), wires["columns"], s.Architecture.Plain+s.Architecture.Sensitive, s.InputBits)
	for l, layer := range t.layers[:last] {
		a, n := t.a.At("layer %d", l+1), fmt.Sprint(l+1)
		values, outputs := table.Rectified(a, wires["value."+n], wires["negative."+n], len(layer.Biases), limits[l].BitLen())
		table.Layer(a, argument, layer, rows, values)
		rows = outputs
	}
	table.Layer(t.a.At("layer %d", last+1), argument, table.Margin(t.a, t.layers[last]), rows, margins)
	table.Stated(t.a, c.Digest, stated, c.numbers(wires))
	c.widths, c.record = t.a.Widths(), t.a.Record()
	return nil
}

// numbers lists the coefficients of the table's polynomial, the lowest first: all columns, then all units.
func (c *Table) numbers(wires map[string][]frontend.Variable) []frontend.Variable {
	return append(append([]frontend.Variable{}, wires["columns"]...), wires["units"]...)
}

// statement returns the digest of all that is stated but the table's polynomial (R-V-STATEMENT).
func (c *Table) statement(t *traversal, before, after table.Counts) (frontend.Variable, error) {
	one := func(name string) frontend.Variable { return t.wires[name][0] }
	from, err := before.Digest(t.a, one("blinding_before"))
	if err != nil {
		return nil, err
	}
	to, err := after.Digest(t.a, one("blinding_after"))
	if err != nil {
		return nil, err
	}
	defer t.a.Part("digest")()
	return commitment.Table(t.a.API(), c.shape, one("model_commitment"), one("spec_digest"), one("context_digest"), one("table_digest"),
		one("part"), from, to, t.shown)
}
