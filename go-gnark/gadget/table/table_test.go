package table_test

import (
	"math/big"
	"slices"
	"testing"

	"github.com/consensys/gnark-crypto/ecc/bn254/fr"
	"github.com/consensys/gnark/frontend"

	"equiproof/gadget/affine"
	"equiproof/gadget/bounded"
	"equiproof/gadget/product"
	"equiproof/gadget/table"
	"equiproof/internal/adversary"
	"equiproof/internal/oracle"
)

// A logit is a sign times a magnitude of four bits above 0; exactly one of granted, tied and refused holds.
func TestDecisions(t *testing.T) {
	circuit := adversary.Compile(t, 5, func(a *bounded.Arith, wires []frontend.Variable) {
		granted, tied, logits := table.Decisions(a, wires[:1], wires[1:2], 4)
		a.API().AssertIsEqual(granted[0].Wire(), wires[2])
		a.API().AssertIsEqual(tied[0].Wire(), wires[3])
		a.API().AssertIsEqual(logits[0][0].Wire(), wires[4])
	})
	circuit.Accepts(t, "granted", 1, 7, 1, 0, 7)
	circuit.Accepts(t, "least", 1, 1, 1, 0, 1)
	circuit.Accepts(t, "largest", 1, 16, 1, 0, 16)
	circuit.Accepts(t, "refused", -1, 7, 0, 0, -7)
	circuit.Accepts(t, "tie", 0, 0, 0, 1, 0)
	circuit.Refuses(t, "a tie that is granted", 1, 0, 1, 0, 0)
	circuit.Refuses(t, "a tie that is refused", -1, 0, 0, 0, 0)
	circuit.Refuses(t, "a refusal that is granted", 1, -7, 1, 0, -7)
	circuit.Refuses(t, "a grant that is a tie", 0, 7, 0, 1, 0)
	circuit.Refuses(t, "too large", 1, 17, 1, 0, 17)
	circuit.Refuses(t, "two", 2, 7, 1, 0, 14)
	circuit.Refuses(t, "no sign", new(big.Int).ModInverse(big.NewInt(2), fr.Modulus()), 2, 1, 0, 1)
}

// An output is max(0, z).
func TestRectified(t *testing.T) {
	circuit := adversary.Compile(t, 3, func(a *bounded.Arith, wires []frontend.Variable) {
		_, outputs := table.Rectified(a, wires[:1], wires[1:2], 1, 4)
		a.API().AssertIsEqual(outputs[0][0].Wire(), wires[2])
	})
	circuit.Accepts(t, "positive", 9, 0, 9)
	circuit.Accepts(t, "negative", -9, 1, 0)
	circuit.Accepts(t, "zero", 0, 0, 0)
	circuit.Refuses(t, "zero that is negative", 0, 1, 0)
	circuit.Refuses(t, "another side", -9, 0, -9)
	circuit.Refuses(t, "a positive one that is cut", 9, 1, 0)
	circuit.Refuses(t, "half a bit", -8, new(big.Int).ModInverse(big.NewInt(2), fr.Modulus()), -4)
	circuit.Refuses(t, "too large", 16, 0, 16)
	circuit.Refuses(t, "too small", -17, 1, 0)
}

// Results of two rows are W h + b of the same layer: 2 x - 3 y + 5 and x + y - 1.
func TestLayer(t *testing.T) {
	circuit := adversary.Compile(t, 14, func(a *bounded.Arith, wires []frontend.Variable) {
		w := &adversary.Wires{Rest: wires}
		layer := affine.Layer{Weights: [][]bounded.Int{w.Signed(a, 2, 4), w.Signed(a, 2, 4)}, Biases: w.Signed(a, 2, 4)}
		rows := [][]bounded.Int{w.Signed(a, 2, 5), w.Signed(a, 2, 5)}
		values := [][]bounded.Int{w.Signed(a, 2, 8), w.Signed(a, 2, 8)}
		table.Layer(a, product.New(a, wires[0]), layer, rows, values)
	})
	layer, rows := []any{2, -3, 1, 1, 5, -1}, []any{4, 2, -5, 3}
	circuit.Accepts(t, "by hand", adversary.Join(layer, rows, []any{7, 5, -14, -3})...)
	for name, results := range map[string][]any{
		"another result": {7, 6, -14, -3}, "rows exchanged": {-14, -3, 7, 5}, "outputs exchanged": {5, 7, -14, -3}, "sum kept": {8, 4, -14, -3},
		"without biases": {2, 6, -19, -2}, "another model for the second row": {7, 5, -14, -4},
	} {
		circuit.Refuses(t, name, adversary.Join(layer, rows, results)...)
	}
}

// Counts of two rows: the second one is granted in the cell whose unit is 2^32, and the first is a tie in the other cell.
func TestCounts(t *testing.T) {
	unit := new(big.Int).Lsh(big.NewInt(1), 32)
	circuit := adversary.Compile(t, 10, func(a *bounded.Arith, wires []frontend.Variable) {
		a.Unsigned(wires[0], 3)
		w := &adversary.Wires{Rest: wires}
		granted, tied := w.Bits(a, 2), w.Bits(a, 2)
		after := table.Counts{Granted: w.Take(1), Tied: w.Take(1)}.More(a, granted, tied, w.Take(2))
		a.API().AssertIsEqual(after.Granted[0], w.Take(1)[0])
		a.API().AssertIsEqual(after.Tied[0], w.Take(1)[0])
	})
	more := new(big.Int).Add(unit, big.NewInt(3))
	circuit.Accepts(t, "both", 0, 1, 1, 0, 3, 8, 1, unit, more, 9)
	circuit.Accepts(t, "a row of no cell", 0, 1, 1, 0, 3, 8, 1, 0, 3, 9)
	circuit.Refuses(t, "a grant in the other cell", 0, 1, 1, 0, 3, 8, 1, unit, 4, 9)
	circuit.Refuses(t, "a tie that is a grant", 0, 1, 1, 0, 3, 8, 1, unit, new(big.Int).Add(more, big.NewInt(1)), 8)
	circuit.Refuses(t, "a grant that does not count", 0, 1, 1, 0, 3, 8, 1, unit, 3, 9)
	circuit.Refuses(t, "counts before left out", 0, 1, 1, 0, 3, 8, 1, unit, unit, 1)
}

// Counts are behind the hash of a tag, a version, the elements and the blinding.
func TestCountsDigest(t *testing.T) {
	circuit := adversary.Compile(t, 4, func(a *bounded.Arith, wires []frontend.Variable) {
		a.Unsigned(wires[0], 5)
		found, err := table.Counts{Granted: wires[:1], Tied: wires[1:2]}.Digest(a, wires[2])
		if err != nil {
			t.Fatal(err)
		}
		a.API().AssertIsEqual(found, wires[3])
	})
	honest := oracle.Hash(oracle.Tag("equiproof.table.counts"), big.NewInt(1), big.NewInt(3), big.NewInt(8), big.NewInt(5))
	circuit.Accepts(t, "the hash", 3, 8, 5, honest)
	circuit.Refuses(t, "another grant", 4, 8, 5, honest)
	circuit.Refuses(t, "another tie", 3, 9, 5, honest)
	circuit.Refuses(t, "exchanged", 8, 3, 5, honest)
	circuit.Refuses(t, "another blinding", 3, 8, 6, honest)
}

// The public input is the hash of what is stated and of x + y t + z t^2, at the square of the challenge, as a range check argues at the
// challenge itself.
func TestStated(t *testing.T) {
	circuit := adversary.Compile(t, 5, func(a *bounded.Arith, wires []frontend.Variable) {
		a.Unsigned(wires[1], 5)
		table.Stated(a, wires[0], wires[1], wires[2:])
	})
	r := big.NewInt(10)
	fixed := func(wire int, _ adversary.Origin, value *fr.Element) {
		if wire == circuit.Prover.System.Challenge {
			value.SetBigInt(r)
		}
	}
	shown := func(stated, value int64) *big.Int {
		return oracle.Hash(oracle.Tag("equiproof.table.shown"), big.NewInt(1), big.NewInt(stated), big.NewInt(value))
	}
	// 2 + 3 100 + 4 10000 for t = 10^2.
	for name, c := range map[string]struct {
		held   bool
		inputs []any
	}{
		"by hand":           {true, []any{shown(9, 40302), 9, 2, 3, 4}},
		"another number":    {false, []any{shown(9, 40302), 9, 2, 3, 5}},
		"exchanged":         {false, []any{shown(9, 40302), 9, 3, 2, 4}},
		"another statement": {false, []any{shown(9, 40302), 8, 2, 3, 4}},
		"at the challenge":  {false, []any{shown(9, 432), 9, 2, 3, 4}},
	} {
		if held := len(circuit.Prover.Solve(adversary.Elements(c.inputs...), fixed).Violated) == 0; held != c.held {
			t.Errorf("%s: held is %v", name, held)
		}
	}
	for wire := 2; wire <= 5; wire++ {
		if _, committed := slices.BinarySearch(circuit.Prover.System.Committed, wire); !committed {
			t.Errorf("wire %d, of the statement or a number, is not committed", wire)
		}
	}
}

// Columns have the entries' width.
func TestColumns(t *testing.T) {
	adversary.Compile(t, 5, func(a *bounded.Arith, wires []frontend.Variable) {
		a.Unsigned(wires[0], 3)
		rows := table.Columns(a, wires[1:], 2, 4)
		if len(rows) != 2 || len(rows[1]) != 2 {
			t.Fatalf("%d rows", len(rows))
		}
		for _, row := range rows {
			for _, entry := range row {
				if low, high := entry.Bounds(); low.Int64() != -8 || high.Int64() != 7 {
					t.Errorf("an entry is in [%v, %v]", low, high)
				}
			}
		}
	})
}
