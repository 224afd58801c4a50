package leaf

import (
	"github.com/consensys/gnark/frontend"

	"equiproof/gadget/bounded"
	"equiproof/gadget/product"
	"equiproof/gadget/relaxation"
)

// Slices is what leaves take of their slices: the sensitive columns, and the upper lines of every hidden layer.
type Slices struct {
	matrix  *product.Matrix
	columns [][]bounded.Int
	sizes   []int // of the sensitive columns, then of the hidden layers
}

// NewSlices makes the table of the slices, upper[s] by layer.
func NewSlices(argument *product.Argument, sensitive [][]bounded.Int, upper [][][]relaxation.Line) *Slices {
	s := &Slices{sizes: []int{len(sensitive[0])}}
	for _, layer := range upper[0] {
		s.sizes = append(s.sizes, len(layer))
	}
	rows := make([][]bounded.Int, len(sensitive))
	for slice := range rows {
		rows[slice] = append(rows[slice], sensitive[slice]...)
		for _, layer := range upper[slice] {
			for _, line := range layer {
				rows[slice] = append(rows[slice], line.Slope, line.Offset)
			}
		}
	}
	s.columns = make([][]bounded.Int, len(rows[0]))
	for j := range s.columns {
		for _, row := range rows {
			s.columns[j] = append(s.columns[j], row[j])
		}
	}
	s.matrix = argument.Matrix(rows)
	return s
}

// Length is how many numbers a leaf takes of its slice.
func (s *Slices) Length() int { return len(s.columns) }

// Choose returns what a leaf takes of a slice (R-B-LEAF).
//
// Relation: found is the slice's row of the table, chosen has the slice's bit and no other. Precondition: the slice is
// below their number; chosen holds bits. Outside it: a mixture of slices. Cost: two constraints, and one product by the
// table.
func (s *Slices) Choose(a *bounded.Arith, slice bounded.Int, chosen []bounded.Int, found []frontend.Variable) (
	sensitive []bounded.Int, upper [][]relaxation.Line,
) {
	defer a.Part("leaf")()
	number := a.Constant(0)
	for at, bit := range chosen {
		a.Demand(bit, unsigned(0), unsigned(1))
		number = a.Add(number, a.Scale(unsigned(at), bit))
	}
	a.AssertEqual(a.Add(chosen...), a.Constant(1))
	a.AssertEqual(number, slice)
	values := s.matrix.Multiply(a, chosen, found)
	for j := range values {
		// One bit is set: each is a number of the table.
		values[j] = a.Looked(values[j].Wire(), s.columns[j]...)
	}
	sensitive, values = values[:s.sizes[0]], values[s.sizes[0]:]
	for _, size := range s.sizes[1:] {
		var layer []relaxation.Line
		for range size {
			layer = append(layer, relaxation.Line{Slope: values[0], Offset: values[1]})
			values = values[2:]
		}
		upper = append(upper, layer)
	}
	return sensitive, upper
}
