package distance_test

import (
	"math/big"
	"testing"

	"github.com/consensys/gnark/frontend"

	"equiproof/gadget/bounded"
	"equiproof/gadget/distance"
	"equiproof/internal/adversary"
)

// The excess is (c.x + d)^2 - E |c|^2, of either sign.
func TestExcess(t *testing.T) {
	circuit := adversary.Compile(t, 4, func(a *bounded.Arith, wires []frontend.Variable) {
		form := distance.Form{Value: a.Signed(wires[0], 16), NormSquared: a.Unsigned(wires[1], 30)}
		a.API().AssertIsEqual(distance.Excess(a, form, a.Unsigned(wires[2], 29)).Wire(), wires[3])
	})
	circuit.Accepts(t, "outside", -100, 25, 300, 10000-7500)
	circuit.Accepts(t, "on the sphere", 100, 25, 400, 0)
	circuit.Accepts(t, "inside", 99, 25, 400, 9801-10000)
	circuit.Accepts(t, "a constant zero", 0, 0, 400, 0)
	circuit.Refuses(t, "one less", 100, 25, 400, -1)
	circuit.Refuses(t, "without the norm", 100, 25, 400, 9600)
}

// The excess's bounds reach from the largest radius and norm at value zero to the largest square.
func TestExcessBounds(t *testing.T) {
	adversary.Compile(t, 3, func(a *bounded.Arith, wires []frontend.Variable) {
		form := distance.Form{Value: a.Signed(wires[0], 4), NormSquared: a.Unsigned(wires[1], 3)}
		lo, hi := distance.Excess(a, form, a.Unsigned(wires[2], 5)).Bounds()
		if lo.Cmp(big.NewInt(-31*7)) != 0 || hi.Cmp(big.NewInt(64)) != 0 {
			t.Errorf("[%v, %v], want [-217, 64]", lo, hi)
		}
	})
}
