package shape

import (
	"bytes"
	"errors"
	"fmt"
	"math/big"
)

// tabling is the scheme of counts over tables.
const tabling = "table"

// countBits is how many bits a count takes in the element that holds several, countsPerElement how many one holds.
const (
	CountBits        = 32
	CountsPerElement = 7
)

// The most rows that one proof is about, and the most cells of a partition; they bound memory, not soundness.
const (
	maxRows  = 1 << 16
	maxCells = 256
)

// Table fixes the constraint system of counts over tables (docs/relation-table.md): of so many rows in one proof, which lie in so many
// cells. The model is a kept network with one logit or two. Fields stand in the order of their JSON names, so that Marshal writes the canonical
// form.
type Table struct {
	Architecture Architecture `json:"architecture"`
	Cells        int          `json:"cells"`
	Format       string       `json:"format"`
	InputBits    int          `json:"input_bits"`
	Rows         int          `json:"rows"`
	Scheme       string       `json:"scheme"`
	Version      int          `json:"version"`
}

// TableOf returns the shape of counts over tables for models of the architecture of a shape.
func TableOf(s *Shape, rows, cells int) *Table {
	return &Table{s.Architecture, cells, "equiproof-shape", s.InputBits, rows, tabling, 2}
}

// IsTable says whether bytes are meant as the shape of counts over tables; ParseTable says whether they are one.
func IsTable(document []byte) bool { return bytes.Contains(document, []byte(`"scheme":"`+tabling+`"`)) }

// ParseTable reads such a shape in canonical JSON; anything else, and sizes that make no circuit, are refused naming the field.
func ParseTable(document []byte) (*Table, error) {
	t := new(Table)
	if err := parse(document, t); err != nil {
		return nil, err
	}
	return t, t.check()
}

// Digest hashes the whole shape to an integer below 2^248.
func (t *Table) Digest() *big.Int { return documentDigest("equiproof.shape.v2", t) }

// Sizes is a shape of nothing but the sizes of a kept model.
func (t *Table) Sizes() *Shape {
	return &Shape{Architecture: t.Architecture, InputBits: t.InputBits, Model: Kept, Scheme: tabling}
}

// Elements is how many field elements hold a count of each cell.
func (t *Table) Elements() int { return (t.Cells + CountsPerElement - 1) / CountsPerElement }

// Limits returns the largest magnitude of the pre-activations of each layer, and of the margin last: the logit, or the difference of two.
func (t *Table) Limits() []*big.Int {
	limits := t.Sizes().valueLimits()
	last := len(limits) - 1
	limits[last].Mul(limits[last], big.NewInt(int64(t.Architecture.Logits)))
	return limits
}

func (t *Table) check() error {
	if t.Format != "equiproof-shape" || t.Version != 2 || t.Scheme != tabling {
		return fmt.Errorf("shape: %s version %d, scheme %s is not known", t.Format, t.Version, t.Scheme)
	}
	a := &t.Architecture
	return errors.Join(
		in("plain", a.Plain, 1, maxColumns), in("sensitive", a.Sensitive, 1, maxColumns), in("input_bits", t.InputBits, 2, 64),
		in("rows", t.Rows, 1, maxRows), in("cells", t.Cells, 1, maxCells),
		a.checkNetwork(maxWide), in("logits", a.Logits, 1, 2),
	)
}
