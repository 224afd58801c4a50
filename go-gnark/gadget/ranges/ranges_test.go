package ranges_test

import (
	"math/big"
	"testing"

	"github.com/consensys/gnark-crypto/ecc/bn254/fr"
	"github.com/consensys/gnark/frontend"

	"equiproof/gadget/bounded"
	"equiproof/gadget/ranges"
	"equiproof/internal/adversary"
)

// compiled compiles the ranges of two columns: least and largest integers, the query, a form's coefficients and its value at
// the query; then what it is cut by, which of these are negative, and what the cut form is.
func compiled(t *testing.T) *adversary.Circuit {
	return adversary.Compile(t, 2+2+2+3+2+2+3, func(a *bounded.Arith, wires []frontend.Variable) {
		take := &adversary.Wires{Rest: wires}
		low, high, query := take.Signed(a, 2, 8), take.Signed(a, 2, 8), take.Signed(a, 2, 8)
		form := take.Signed(a, 3, 16)
		box := ranges.New(a, low, high, query, 8)
		cut := ranges.Cut{Values: take.Take(2), Negative: take.Take(2), Bits: 12}
		coefficients, centre := box.Cut(a, form[:2], form[2], cut)
		for i, x := range append(coefficients, centre) {
			a.API().AssertIsEqual(x.Wire(), take.Rest[i])
		}
	})
}

// of lists the numbers of a claim around the box [-10, 20] x [0, 1], the query (5, 1) and the form 7 x - 3 x' that is 40
// there: what it is cut by and whether that is negative, then the cut form.
func of(cut ...any) []any { return append([]any{-10, 0, 20, 1, 5, 1, 7, -3, 40}, cut...) }

// A form falls by g (x - low) or -g (high - x), and its coefficients by g: at (5, 1) that is 15 or 15 away from the ends of
// the first column, 1 or 0 from those of the second.
func TestCut(t *testing.T) {
	circuit := compiled(t)
	half := new(big.Int).ModInverse(big.NewInt(2), fr.Modulus())
	circuit.Accepts(t, "nothing", of(0, 0, 0, 0, 7, -3, 40)...)
	circuit.Accepts(t, "a least value", of(7, 0, 0, 0, 0, -3, 40-7*15)...)
	circuit.Accepts(t, "a largest value, at which the query is", of(0, -3, 0, 1, 7, 0, 40)...)
	circuit.Accepts(t, "both columns", of(-2, 5, 1, 0, 9, -8, 40-2*15-5)...)
	circuit.Accepts(t, "all of the width", of(-1<<11, 1<<11-1, 1, 0, 7+1<<11-7+7, -3-(1<<11-1), 40-(1<<11)*15-(1<<11-1))...)
	circuit.Refuses(t, "a coefficient taken off for nothing", of(7, 0, 0, 0, 0, -3, 40)...)
	circuit.Refuses(t, "a form that rises", of(7, 0, 0, 0, 0, -3, 40+7*15)...)
	circuit.Refuses(t, "the end on the other side, at no cost", of(0, 3, 0, 1, 7, -6, 40)...)
	circuit.Refuses(t, "a negative multiplier of the least value", of(-7, 0, 0, 0, 14, -3, 40+7*15)...)
	circuit.Refuses(t, "a negative multiplier of the largest value", of(7, 0, 1, 0, 0, -3, 40+7*15)...)
	circuit.Refuses(t, "a part of each end", of(6, 0, half, 0, 1, -3, 40)...)
	circuit.Refuses(t, "a sign that is no bit", of(7, 0, 2, 0, 0, -3, 40)...)
	circuit.Refuses(t, "beyond the width", of(1<<11, 0, 0, 0, 7-1<<11, -3, 40-15<<11)...)
	circuit.Refuses(t, "a fraction", of(half, 0, 0, 0, 0, -3, 40)...)
}

// The query lies inside: at either end, but not one beyond it.
func TestQueriesInside(t *testing.T) {
	circuit := compiled(t)
	at := func(low, high, x any) []any { return []any{low, 0, high, 1, x, 1, 7, -3, 40, 0, 0, 0, 0, 7, -3, 40} }
	circuit.Accepts(t, "the least", at(-10, 20, -10)...)
	circuit.Accepts(t, "the largest", at(-10, 20, 20)...)
	circuit.Accepts(t, "the only", at(20, 20, 20)...)
	circuit.Accepts(t, "all that there is, at its end", at(-128, 127, 127)...)
	circuit.Accepts(t, "all that there is, at its beginning", at(-128, 127, -128)...)
	circuit.Refuses(t, "below", at(-10, 20, -11)...)
	circuit.Refuses(t, "above", at(-10, 20, 21)...)
	circuit.Refuses(t, "ends that are exchanged", at(20, -10, 5)...)
	circuit.Refuses(t, "an end beyond the width", at(-129, 20, 5)...)
}

// Ends and queries of more bits are refused at compile time: large differences would look like negative ones.
func TestBoundsAreDemanded(t *testing.T) {
	if _, err := adversary.Try(3, func(a *bounded.Arith, wires []frontend.Variable) {
		take := &adversary.Wires{Rest: wires}
		ranges.New(a, take.Signed(a, 1, 8), take.Signed(a, 1, 9), take.Signed(a, 1, 8), 8)
	}); err == nil {
		t.Error("an end of more bits compiles")
	}
}
