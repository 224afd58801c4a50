// Package additive proves that an additive model's decision holds on a query's ball.
//
// The score jumps where a column passes a threshold. A predicate whose threshold is nearer to the query than the radius is
// live; live predicates of the plain columns are slots. A neighbor crosses a slot or stays on the query's side. Leaves are
// boxes of cells, a cell being a choice for every slot; each leaf bounds the score on its cells by one weighted inequality
// along every column, and one identity over the circuit's randomness says that the leaves hold every cell exactly once.
package additive

import (
	"math/big"

	"github.com/consensys/gnark/frontend"

	"equiproof/gadget/bounded"
	"equiproof/gadget/member"
)

var (
	one = big.NewInt(1)
	two = big.NewInt(2)
)

// Model is an additive model: a column, a threshold and a jump for each predicate, and the bias.
type Model struct {
	Columns, Thresholds, Jumps []bounded.Int
	Bias                       bounded.Int
	Plain                      int // how many predicates are of plain columns; they stand first
}

// Sizes are the numbers of columns and of predicates, and the width of inputs.
type Sizes struct {
	PlainColumns, SensitiveColumns       int
	PlainPredicates, SensitivePredicates int
	InputBits, JumpBits, BiasBits        int
}

// NewModel types the numbers of a model (R-RANGE, R-T-ORDER).
//
// Relation: plain predicates are of plain columns, the others of sensitive ones, which are counted behind them; predicates
// ascend strictly by column and threshold; thresholds, jumps and bias have their widths. Precondition: none. Cost: up to
// six range checks per predicate.
func NewModel(a *bounded.Arith, s Sizes, columns, thresholds, jumps []frontend.Variable, bias frontend.Variable) Model {
	defer a.Part("predicates")()
	m := Model{Plain: s.PlainPredicates, Bias: a.Signed(bias, s.BiasBits)}
	for p, wire := range columns {
		m.Columns = append(m.Columns, s.Column(a, p, wire))
		m.Thresholds = append(m.Thresholds, a.Signed(thresholds[p], s.InputBits))
		m.Jumps = append(m.Jumps, a.Signed(jumps[p], s.JumpBits))
		m.Ascend(a, p, s.InputBits)
	}
	return m
}

// Column types the column of predicate p (R-T-ORDER): a plain one of a plain predicate, else a sensitive one. Precondition:
// none. Cost: one or two range checks; one constraint where there is one column of the kind, which Below makes the wire.
//
// All columns have the bounds of all, so that the model's commitment packs both kinds alike.
func (s Sizes) Column(a *bounded.Arith, p int, wire frontend.Variable) bounded.Int {
	if p < s.PlainPredicates {
		a.Below(wire, s.PlainColumns)
	} else {
		a.Below(a.API().Sub(wire, s.PlainColumns), s.SensitiveColumns)
	}
	return a.UnsafeWithin(wire, "it was checked above, in the half of these columns that is of its kind",
		a.Constant(0), a.Constant(int64(s.PlainColumns+s.SensitiveColumns-1)))
}

// Ascend puts predicate p strictly behind the one before it, by column and threshold (R-T-ORDER). Precondition: thresholds have
// so many bits. Outside it: a lower column may stand behind. Cost: a range check; none for the first one.
func (m Model) Ascend(a *bounded.Arith, p, inputBits int) {
	if p == 0 {
		return
	}
	// A difference of thresholds is below 2^input_bits, so it never outweighs one of columns.
	columns := a.Scale(new(big.Int).Lsh(one, uint(inputBits)), a.Sub(m.Columns[p], m.Columns[p-1]))
	rise := a.Sub(m.Thresholds[p], m.Thresholds[p-1])
	a.AssertNonNegative(a.Add(columns, rise, a.Constant(-1)))
}

// Numbers lists the model's numbers in the order of its commitment: column and threshold of each predicate, the jumps, the
// bias.
func (m Model) Numbers() []bounded.Int {
	var numbers []bounded.Int
	for p := range m.Columns {
		numbers = append(numbers, m.Columns[p], m.Thresholds[p])
	}
	return append(append(numbers, m.Jumps...), m.Bias)
}

// Inputs are the query and the rows of the domain table, to be read by private columns.
type Inputs struct {
	query  []bounded.Int
	table  [][]bounded.Int
	values *member.Table
	absent *absent // nil where no value can be missing
}

// NewInputs makes the table of all inputs: of the query by column, of slice s by column + s n_s. Precondition: all have the same
// bounds. Outside it: the circuit does not compile.
func NewInputs(argument *member.Argument, query []bounded.Int, table [][]bounded.Int) *Inputs {
	i := &Inputs{query: query, table: table, values: argument.Table(0, query[0])}
	for column, value := range query {
		i.values.Insert([]frontend.Variable{column}, value)
	}
	for slice, row := range table {
		for column, value := range row {
			i.values.Insert([]frontend.Variable{len(query) + slice*len(row) + column}, value)
		}
	}
	return i
}

// read types a wire as the input of a column, on a slice where the column is sensitive (R-T-SIDE).
//
// A sensitive column is at least n_x, and moves by n_s from slice to slice: so no place is one of another slice, or of the ends.
func (i *Inputs) read(a *bounded.Arith, wire frontend.Variable, column bounded.Int, slice int) bounded.Int {
	place := a.API().Add(column.Wire(), slice*len(i.table[0]))
	return i.values.Look(a, []frontend.Variable{place}, wire)[0]
}

// orient returns the gap between an input and a threshold (R-T-SIDE).
//
// Relation: side is a bit, 1 where the input is at most the threshold; the gap is t - x there, x - t >= 1 elsewhere.
// Precondition: both have the same width. Cost: two constraints and a range check.
func orient(a *bounded.Arith, threshold, input bounded.Int, wire frontend.Variable) (side, gap bounded.Int) {
	side = a.Bit(wire)
	rise := a.Sub(threshold, input)
	gap = a.Mul(a.Sub(a.Scale(two, side), a.Constant(1)), rise)
	// At the threshold only side 1 passes, whose gap is 0; side 0 wants a gap of 1. So no input has both sides.
	a.AssertNonNegative(a.Sub(gap, a.Sub(a.Constant(1), side)))
	return side, gap
}

// Oriented is a plain predicate as the query sees it.
type Oriented struct {
	side, gap2 bounded.Int
	live, away frontend.Variable // bits
}

// NewOriented makes a plain predicate from its side, its squared gap and whether it is live, a bit.
func NewOriented(side, gap2 bounded.Int, live frontend.Variable) Oriented {
	return Oriented{side: side, gap2: gap2, live: live, away: 0}
}

// Side returns the bit that is 1 where the query is at most the threshold.
func (o Oriented) Side() frontend.Variable { return o.side.Wire() }

// Live returns the bit that is 1 where the predicate is a slot.
func (o Oriented) Live() frontend.Variable { return o.live }

// Away returns the bit that is 1 where the query's value is missing.
func (o Oriented) Away() frontend.Variable { return o.away }

// Orient compares the plain predicates with the query (R-T-SIDE, R-T-DEAD).
//
// Relation: at is the query's value in each predicate's column; side as of orient; a dead predicate's gap is at least the
// radius, or nobody inside the ranges crosses its threshold, where there are ends, or its value is missing, which makes it dead.
// Precondition: none. Cost: about five constraints and two range checks per predicate.
func Orient(a *bounded.Arith, m Model, inputs *Inputs, ends *Ends, radius bounded.Int, at, sides, dead []frontend.Variable,
) []Oriented {
	defer a.Part("predicates")()
	var found []Oriented
	for p := range m.Plain {
		x := inputs.read(a, at[p], m.Columns[p], 0)
		side, gap := orient(a, m.Thresholds[p], x, sides[p])
		gap2, far := a.Square(gap), a.Bit(dead[p])
		if ends != nil {
			far = ends.far(a, m, p, side, far)
		}
		away := frontend.Variable(0)
		if inputs.absent != nil {
			far, away = inputs.absent.far(a, m, p, dead[p], far)
		}
		// The ball is open: no point of it crosses a threshold at the radius.
		a.AssertNonNegative(a.Mul(far, a.Sub(gap2, radius)))
		found = append(found, Oriented{side: side, gap2: gap2, live: a.API().Sub(1, dead[p]), away: away})
	}
	return found
}
