package leaf

import (
	"math/big"

	"github.com/consensys/gnark/frontend"

	"equiproof/gadget/backward"
	"equiproof/gadget/bounded"
	"equiproof/gadget/product"
	"equiproof/gadget/relaxation"
)

// Slices is what leaves take of their slices: the sensitive columns, and the upper lines of every hidden layer. Of a few
// slices it is chosen by products, of many it is looked up.
type Slices struct {
	network   *backward.Network
	sensitive [][]bounded.Int
	upper     [][]backward.Upper // by slice and layer
	argument  *product.Argument
	table     *product.Matrix // nil where slices are few
	columns   [][]bounded.Int // of the table
}

// NewSlices makes the table of the slices, upper[s] by layer; lookedUp says that they are many.
func NewSlices(argument *product.Argument, network *backward.Network, sensitive [][]bounded.Int,
	upper [][]backward.Upper, lookedUp bool,
) *Slices {
	s := &Slices{network: network, sensitive: sensitive, upper: upper, argument: argument}
	if !lookedUp {
		return s
	}
	rows := make([][]bounded.Int, len(sensitive))
	for slice := range rows {
		rows[slice] = append(rows[slice], sensitive[slice]...)
		for _, layer := range upper[slice] {
			for _, line := range layer.Lines {
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
	s.table = argument.Matrix(rows)
	return s
}

// Length is how many numbers of its slice a leaf is given.
func (s *Slices) Length() int { return len(s.columns) }

// Choice is bits of which exactly one is set, that of a slice, and the slice's number. Only Choose makes one.
type Choice struct {
	bits   []bounded.Int
	number bounded.Int
}

// Number returns the number of the slice.
func (c Choice) Number() bounded.Int { return c.number }

// Choose makes bits the choice of one slice (R-B-LEAF).
//
// Relation: exactly one bit is set, that of the slice. Precondition: chosen holds bits, which is demanded. Outside it: the
// circuit does not compile. Cost: one constraint.
func Choose(a *bounded.Arith, chosen []bounded.Int) Choice {
	number, last := a.Constant(0), big.NewInt(int64(len(chosen)-1))
	for at, bit := range chosen {
		a.Demand(bit, new(big.Int), big.NewInt(1))
		number = a.Add(number, a.Scale(big.NewInt(int64(at)), bit))
	}
	a.AssertEqual(a.Add(chosen...), a.Constant(1))
	return Choice{chosen, a.UnsafeWithin(number.Wire(), "one bit is set: it is the place of that bit",
		a.Constant(0), a.Constant(last.Int64()))}
}

// Of returns what a leaf takes of its slice (R-B-LEAF).
//
// Relation: all is that of the slice that is chosen; with a table, found is its row. Precondition: none. Cost: per number one
// constraint less than there are slices, or one, and one more per slice.
func (s *Slices) Of(a *bounded.Arith, choice Choice, found []frontend.Variable) (
	sensitive []bounded.Int, upper []backward.Upper,
) {
	defer a.Part("leaf")()
	if s.table != nil {
		return s.lookUp(a, choice, found)
	}
	for j := range s.sensitive[0] {
		var column, differences []bounded.Int
		for _, row := range s.sensitive {
			column, differences = append(column, row[j]), append(differences, a.Sub(row[j], s.sensitive[0][j]))
		}
		// The first slice's bit needs no product: it is 1 where all others are 0.
		value := a.Add(column[0], a.Dot(choice.bits[1:], differences[1:]))
		sensitive = append(sensitive, a.UnsafeWithin(value.Wire(), "one bit is set: it is that slice's", column...))
	}
	for layer := range s.upper[0] {
		var among []backward.Upper
		for _, of := range s.upper {
			among = append(among, of[layer])
		}
		upper = append(upper, s.network.Choose(a, among, choice.bits))
	}
	return sensitive, upper
}

// lookUp is Of by the table.
func (s *Slices) lookUp(a *bounded.Arith, choice Choice, found []frontend.Variable) (
	sensitive []bounded.Int, upper []backward.Upper,
) {
	s.argument.Claim(product.Term{Rows: s.argument.Block(choice.bits), By: s.table}).Row(found)
	var values []bounded.Int
	for j, wire := range found {
		values = append(values, a.UnsafeWithin(wire, "the table's product with one bit that is set: a number of its column",
			s.columns[j]...))
	}
	sensitive, values = values[:len(s.sensitive[0])], values[len(s.sensitive[0]):]
	for layer := range s.upper[0] {
		var lines []relaxation.Line
		for range s.upper[0][layer].Lines {
			lines = append(lines, relaxation.Line{Slope: values[0], Offset: values[1]})
			values = values[2:]
		}
		upper = append(upper, s.network.Upper(a, layer+1, lines))
	}
	return sensitive, upper
}
