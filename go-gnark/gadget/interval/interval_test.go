package interval_test

import (
	"testing"

	"github.com/consensys/gnark/frontend"

	"equiproof/gadget/bounded"
	"equiproof/gadget/interval"
	"equiproof/internal/adversary"
)

// Bounds of layer 1 hold z - r and z + r.
func TestFirst(t *testing.T) {
	circuit := adversary.Compile(t, 4, func(a *bounded.Arith, wires []frontend.Variable) {
		interval.First(a, a.Signed(wires[0], 16), a.Unsigned(wires[1], 8), a.Signed(wires[2], 20), a.Signed(wires[3], 20))
	})
	circuit.Accepts(t, "exact", 10, 30, -20, 40)
	circuit.Accepts(t, "wider", 10, 30, -1<<19, 1<<19-1)
	circuit.Accepts(t, "a point", -7, 0, -7, -7)
	circuit.Refuses(t, "a lower bound inside", 10, 30, -19, 40)
	circuit.Refuses(t, "an upper bound inside", 10, 30, -20, 39)
	circuit.Refuses(t, "a radius below 0", 10, -1, 11, 9)
	circuit.Refuses(t, "a lower bound beyond its width", 10, 30, -1<<19-1, 40)
}

// compared compiles the comparison of a deeper bound: bound, centre, reach.
func compared(t *testing.T, shift int) *adversary.Circuit {
	return adversary.Compile(t, 3, func(a *bounded.Arith, wires []frontend.Variable) {
		interval.Assert(a, a.Signed(wires[0], 20), a.Signed(wires[1], 30), a.Unsigned(wires[2], 20), shift)
	})
}

// A bound is no more than centre - reach, at the same scale: 10 - 7 = 3 and -10 - 7 = -17.
func TestBoundAtOneScale(t *testing.T) {
	circuit := compared(t, 0)
	circuit.Accepts(t, "exact", 3, 10, 7)
	circuit.Accepts(t, "less", -9, 10, 7)
	circuit.Accepts(t, "negative", -17, -10, 7)
	circuit.Refuses(t, "one more", 4, 10, 7)
	circuit.Refuses(t, "negative, one more", -16, -10, 7)
	circuit.Refuses(t, "without the reach", 10, 10, 7)
}

// A form at a finer scale is compared at that scale: 4 l <= 3, so that l is rounded down, also below 0.
func TestBoundOfAFinerForm(t *testing.T) {
	circuit := compared(t, -2)
	circuit.Accepts(t, "rounded down", 0, 10, 7)
	circuit.Refuses(t, "rounded up", 1, 10, 7)
	circuit.Accepts(t, "negative, rounded down", -5, -10, 7)
	circuit.Refuses(t, "negative, rounded up", -4, -10, 7)
	circuit.Refuses(t, "the form's own scale", 3, 10, 7)
}

// A form at a coarser scale is worth 2^shift: l <= 4 * 3.
func TestBoundOfACoarserForm(t *testing.T) {
	circuit := compared(t, 2)
	circuit.Accepts(t, "exact", 12, 10, 7)
	circuit.Refuses(t, "one more", 13, 10, 7)
	circuit.Accepts(t, "negative", -68, -10, 7)
	circuit.Refuses(t, "negative, one more", -67, -10, 7)
	circuit.Refuses(t, "the form's own scale below 0", -17, -10, 7)
}
