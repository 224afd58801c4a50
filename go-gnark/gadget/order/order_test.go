package order_test

import (
	"testing"

	"github.com/consensys/gnark/frontend"

	"equiproof/gadget/bounded"
	"equiproof/gadget/order"
	"equiproof/internal/adversary"
)

// A facet that is not crossed has an excess of at least zero; one that is crossed may have any.
func TestOrder(t *testing.T) {
	circuit := adversary.Compile(t, 2, func(a *bounded.Arith, wires []frontend.Variable) {
		order.Assert(a, a.Bit(wires[0]), a.Signed(wires[1], 40))
	})
	circuit.Accepts(t, "uncrossed, at the radius", 0, 0)
	circuit.Accepts(t, "uncrossed, far", 0, 1<<39-1)
	circuit.Accepts(t, "crossed, near", 1, -1)
	circuit.Accepts(t, "crossed, nearest", 1, -1<<39)
	circuit.Accepts(t, "crossed, far", 1, 5)
	circuit.Refuses(t, "uncrossed, near", 0, -1)
	circuit.Refuses(t, "uncrossed, nearest", 0, -1<<39)
	circuit.Refuses(t, "crossed twice", 2, -1)
	circuit.Refuses(t, "crossed, out of range", 1, 1<<39)
}
