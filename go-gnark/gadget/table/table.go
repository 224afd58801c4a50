// Package table counts the decisions of a network over the rows of a table, all of them at once.
//
// The rows are no secret: whoever verifies evaluates the polynomial of their numbers itself, at the challenge that follows from the
// commitment to them, and the circuit shows the same value. So no row is hashed or range-checked here (docs/relation-table.md).
package table

import (
	"fmt"
	"math/big"

	"github.com/consensys/gnark/frontend"

	"equiproof/gadget/affine"
	"equiproof/gadget/bounded"
	"equiproof/gadget/digest"
	"equiproof/gadget/product"
)

// version is that of the digests here; it changes with any change of their contents.
const version = 1

// Columns types the numbers of rows, so many a row.
//
// Relation: none; no constraint. Precondition: Stated is of the same wires, and the verifier's table has entries of these signed bits.
// Outside it: unsound. Cost: none.
func Columns(a *bounded.Arith, wires []frontend.Variable, columns, bits int) [][]bounded.Int {
	half := new(big.Int).Lsh(big.NewInt(1), uint(bits-1))
	entry := a.Within(0, new(big.Int).Neg(half), new(big.Int).Sub(half, big.NewInt(1)))
	var rows [][]bounded.Int
	for ; len(wires) > 0; wires = wires[columns:] {
		row := make([]bounded.Int, columns)
		for j, wire := range wires[:columns] {
			row[j] = a.UnsafeWithin(wire, "an entry of the verifier's table, which has this width, as both polynomials are one (Stated)", entry)
		}
		rows = append(rows, row)
	}
	return rows
}

// Margin returns the layer of the margin of label 1: the logit where there is one, else how far the second is above the first.
//
// Relation: as said. Precondition: one logit or two. Outside it: the circuit does not compile. Cost: none.
func Margin(a *bounded.Arith, logits affine.Layer) affine.Layer {
	switch len(logits.Biases) {
	case 1:
		return logits
	case 2:
		row := make([]bounded.Int, len(logits.Weights[0]))
		for j := range row {
			row[j] = a.Sub(logits.Weights[1][j], logits.Weights[0][j])
		}
		return affine.Layer{Weights: [][]bounded.Int{row}, Biases: []bounded.Int{a.Sub(logits.Biases[1], logits.Biases[0])}}
	}
	panic(fmt.Sprintf("a margin of %d logits", len(logits.Biases)))
}

// Decisions returns for each row whether it is granted and whether it is a tie, by the sign of its margin, with the margin itself, which
// is a sign times a magnitude (R-V-DECISION).
//
// Relation: of granted, tied and refused exactly one is 1: as the margin is above, at or below 0. Precondition: the margin is held to the
// last layer (Layer), and is at most 2^bits in size on every honest row. Outside it: the decision of nothing; the row has no proof. Cost:
// per row five constraints and a range check.
func Decisions(a *bounded.Arith, signs, magnitudes []frontend.Variable, bits int) (granted, tied []bounded.Int, margins [][]bounded.Int) {
	defer a.Part("decision")()
	for i, sign := range signs {
		plus, minus, none := a.Sign(sign)
		some := a.Add(plus, minus)
		// A magnitude is at least 1 beside a sign, else 0.
		above := a.Unsigned(a.API().Sub(magnitudes[i], some.Wire()), bits)
		a.API().AssertIsEqual(a.API().Mul(none.Wire(), magnitudes[i]), 0)
		margins = append(margins, []bounded.Int{a.Mul(a.Sub(plus, minus), a.Add(above, some))})
		granted, tied = append(granted, plus), append(tied, none)
	}
	return granted, tied, margins
}

// Rectified types values of a hidden layer, so many a row, each with a bit that says whether it is negative, and returns them with
// max(0, z) of each (R-V-ACTIVATION).
//
// Relation: each output is max(0, z). Precondition: |z| is below 2^bits on every honest row. Outside it: the row has no proof. Cost: per
// value two constraints and a range check of `bits` bits.
func Rectified(a *bounded.Arith, values, negative []frontend.Variable, size, bits int) (typed, outputs [][]bounded.Int) {
	defer a.Part("activation")()
	all, positive := make([]bounded.Int, len(values)), make([]bounded.Int, len(values))
	for i, wire := range values {
		all[i], positive[i], _ = a.Parts(wire, negative[i], bits+1)
	}
	return matrix(all, size), matrix(positive, size)
}

// Layer makes values the results W h + b of a layer on all rows at once (R-V-LAYER).
//
// Relation: as said, for all but a negligible share of challenges. Precondition: that of product. Outside it: the compiler refuses wires
// that are made later. Cost: that of product: one constraint per row and input, and per row and output; twice the weights, and the inputs.
func Layer(a *bounded.Arith, g *product.Argument, layer affine.Layer, rows, values [][]bounded.Int) {
	defer a.Part("layers")()
	// Entry (k, j) of the matrix is what output j has of input k.
	by := make([][]bounded.Int, len(rows[0]))
	for k := range by {
		for _, weights := range layer.Weights {
			by[k] = append(by[k], weights[k])
		}
	}
	claim := g.Claim(product.Term{Rows: g.Block(rows...), By: g.Matrix(by)})
	for i, row := range rows {
		products := make([]frontend.Variable, len(layer.Biases))
		for j, bias := range layer.Biases {
			products[j] = a.Sub(values[i][j], bias).Wire()
		}
		// The identity is one of the field. It is one of integers, as neither side can wrap around: this refuses shapes where one could.
		a.Multiplied(products, row, layer.Weights)
		claim.Row(products)
	}
}

// Counts is how many rows of each cell are granted, and how many are ties, several counts to an element, with what hides them.
type Counts struct{ Granted, Tied []frontend.Variable }

// More returns these counts and those of further rows (R-V-COUNT): units has for each row and each element what its cell counts there,
// and 0 for a row of no cell.
//
// Relation: each element is larger by the sum of the units of the rows that are granted, or are ties. Precondition: units are those of the
// verifier's table (Stated). Outside it: counts of other cells. Cost: per row and element two constraints.
func (c Counts) More(a *bounded.Arith, granted, tied []bounded.Int, units []frontend.Variable) Counts {
	defer a.Part("counts")()
	elements := len(c.Granted)
	if len(units) != elements*len(granted) {
		panic(fmt.Sprintf("%d units of %d rows and %d elements", len(units), len(granted), elements))
	}
	add := func(to []frontend.Variable, bits []bounded.Int) []frontend.Variable {
		sums := append([]frontend.Variable{}, to...)
		for i, bit := range bits {
			for e := range sums {
				sums[e] = a.API().Add(sums[e], a.API().Mul(bit.Wire(), units[i*elements+e]))
			}
		}
		return sums
	}
	return Counts{add(c.Granted, granted), add(c.Tied, tied)}
}

// Digest returns hash("equiproof.table.counts", 1, granted.., tied.., blinding) (R-V-CHAIN).
//
// Relation: the result is the digest. Precondition: the blinding is uniform and kept where counts are to be hidden. Outside it: whoever
// guesses them can tell. Cost: 216 constraints an element.
func (c Counts) Digest(a *bounded.Arith, blinding frontend.Variable) (frontend.Variable, error) {
	defer a.Part("digest")()
	elements := []frontend.Variable{digest.Tag("equiproof.table.counts"), version}
	elements = append(append(elements, c.Granted...), c.Tied...)
	return digest.Hash(a.API(), append(elements, blinding)...)
}

// Stated makes a public input what a verifier computes of its own table (R-V-TABLE): hash("equiproof.table.shown", 1, S, T), where S is
// the statement so far, and T the value at t of the polynomial with the numbers of the rows as coefficients, the first one lowest.
//
// Relation: as said, at a power t of the challenge of the circuit's last commitment: the third one where range checks and products argue
// before. Precondition: statement and numbers are made before the challenge is; nothing else is compared with the public input. Outside
// it: numbers of no table. Cost: one constraint a number, and 432.
func Stated(a *bounded.Arith, public, statement frontend.Variable, numbers []frontend.Variable) {
	defer a.Part("table")()
	committed := func() []frontend.Variable { return append([]frontend.Variable{statement}, numbers...) }
	a.Argue(committed, func(api frontend.API, challenge frontend.Variable) error {
		value := numbers[len(numbers)-1]
		for i := len(numbers) - 2; i >= 0; i-- {
			value = api.Add(api.Mul(value, challenge), numbers[i])
		}
		shown, err := digest.Hash(api, digest.Tag("equiproof.table.shown"), version, statement, value)
		if err != nil {
			return err
		}
		api.AssertIsEqual(public, shown)
		return nil
	})
}

// matrix cuts values into rows.
func matrix(values []bounded.Int, columns int) [][]bounded.Int {
	rows := make([][]bounded.Int, 0, len(values)/columns)
	for ; len(values) > 0; values = values[columns:] {
		rows = append(rows, values[:columns:columns])
	}
	return rows
}
