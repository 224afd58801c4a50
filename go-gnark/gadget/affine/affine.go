// Package affine holds the committed layers and what follows from them alone.
package affine

import (
	"math/big"

	"equiproof/gadget/bounded"
)

// Layer is z = W h + b; Weights[i][j] goes from input j to output i.
type Layer struct {
	Weights [][]bounded.Int
	Biases  []bounded.Int
}

// Apply returns W h + b.
//
// Relation: the values are those of the layer at h. Precondition: none. Cost: one constraint per weight.
func (l Layer) Apply(a *bounded.Arith, h []bounded.Int) []bounded.Int {
	values := make([]bounded.Int, len(l.Biases))
	for i, row := range l.Weights {
		values[i] = a.Add(a.Dot(row, h), l.Biases[i])
	}
	return values
}

// Split cuts the inputs of a layer in two: the columns before `at`, without the biases, and those from `at` on.
func (l Layer) Split(at int) (plain [][]bounded.Int, sensitive [][]bounded.Int) {
	for _, row := range l.Weights {
		plain = append(plain, row[:at])
		sensitive = append(sensitive, row[at:])
	}
	return plain, sensitive
}

// Label is the decision y: one bit for a single logit, else one bit per logit with exactly one set.
type Label struct{ bits []bounded.Int }

// NewLabel checks the shape of a label: bits, and with several logits exactly one of them set.
func NewLabel(a *bounded.Arith, bits []bounded.Int) Label {
	if len(bits) > 1 {
		a.AssertEqual(a.Add(bits...), a.Constant(1))
	}
	return Label{bits: bits}
}

// Index returns the label as a number.
func (y Label) Index(a *bounded.Arith) bounded.Int {
	if len(y.bits) == 1 {
		return y.bits[0]
	}
	index := a.Constant(0)
	for c, bit := range y.bits {
		index = a.Add(index, a.Scale(big.NewInt(int64(c)), bit))
	}
	return index
}

// Slack returns by how much the margin of class c may fall short of 1 at the centre: 1 for the label against itself,
// whose margin is zero by definition, else 0.
func (y Label) Slack(a *bounded.Arith, c int) bounded.Int {
	if len(y.bits) == 1 {
		return a.Constant(0)
	}
	return y.bits[c]
}

// Margins returns the layer of the margins over the last hidden layer: (2y - 1) logit for a single logit, else
// logit_y - logit_c for every class c.
func (y Label) Margins(a *bounded.Arith, logits Layer) Layer {
	defer a.Part("polytope")()
	rows := make([][]bounded.Int, len(logits.Biases))
	for c := range rows {
		rows[c] = append(append([]bounded.Int{}, logits.Weights[c]...), logits.Biases[c])
	}
	reference := y.reference(a, rows)
	margins := Layer{}
	for _, row := range rows {
		margin := make([]bounded.Int, len(row))
		for j := range row {
			margin[j] = reference[j]
			if len(rows) > 1 {
				margin[j] = a.Sub(reference[j], row[j])
			}
		}
		last := len(row) - 1
		margins.Weights = append(margins.Weights, margin[:last])
		margins.Biases = append(margins.Biases, margin[last])
	}
	return margins
}

// Rivals returns the layer of the margins of the label alone: (2y - 1) logit for a single logit, else logit_y - logit_c for
// every class c but y, in their order.
func (y Label) Rivals(a *bounded.Arith, logits Layer) Layer {
	margins := y.Margins(a, logits)
	if len(y.bits) == 1 {
		return margins
	}
	defer a.Part("margins")()
	rivals, past := Layer{}, a.Constant(0)
	for c := range len(margins.Biases) - 1 {
		// Before the label class c stands at place c, from there on class c + 1 does.
		past = a.UnsafeWithin(a.Add(past, y.bits[c]).Wire(), "of the label's bits one is set: of the first c + 1 at most one", y.bits[c])
		next := func(at func(l Layer, row int) bounded.Int) bounded.Int {
			here, there := at(margins, c), at(margins, c+1)
			chosen := a.Select(past, there, here)
			column := make([]bounded.Int, len(logits.Biases))
			for i := range column {
				column[i] = at(logits, i)
			}
			entry := a.Widen(column[0], column...)
			// Of margins nothing is known but sums over all classes; of these all but one are 0.
			return a.UnsafeWithin(chosen.Wire(), "the label's entry less that of another class", a.Sub(entry, entry))
		}
		row := make([]bounded.Int, len(margins.Weights[c]))
		for j := range row {
			row[j] = next(func(l Layer, i int) bounded.Int { return l.Weights[i][j] })
		}
		rivals.Weights = append(rivals.Weights, row)
		rivals.Biases = append(rivals.Biases, next(func(l Layer, i int) bounded.Int { return l.Biases[i] }))
	}
	return rivals
}

// reference returns the row of the label's logit, signed so that a single logit supports label 0 when negative.
func (y Label) reference(a *bounded.Arith, rows [][]bounded.Int) []bounded.Int {
	weights := y.bits
	if len(rows) == 1 {
		// The margin of label 0 is the negative of that of label 1.
		weights = []bounded.Int{a.Sub(a.Scale(big.NewInt(2), y.bits[0]), a.Constant(1))}
	}
	row := make([]bounded.Int, len(rows[0]))
	for j := range row {
		terms := make([]bounded.Int, len(rows))
		for c := range rows {
			terms[c] = a.Mul(weights[c], rows[c][j])
		}
		row[j] = a.Add(terms...)
	}
	return row
}
