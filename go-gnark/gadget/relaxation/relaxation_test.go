package relaxation_test

import (
	"fmt"
	"math/big"
	"testing"

	"github.com/consensys/gnark-crypto/ecc/bn254/fr"
	"github.com/consensys/gnark/frontend"

	"equiproof/gadget/bounded"
	"equiproof/gadget/relaxation"
	"equiproof/internal/adversary"
)

const q = 8

// A slope is an integer from 0 to 2^q: no negative one, none above, no fraction.
func TestSlope(t *testing.T) {
	circuit := adversary.Compile(t, 1, func(a *bounded.Arith, wires []frontend.Variable) {
		if lo, hi := relaxation.NewSlopes(a, q).Check(a, wires[0]).Bounds(); lo.Sign() != 0 || hi.Int64() != 256 {
			t.Errorf("a slope lies in [%v, %v]", lo, hi)
		}
	})
	for _, slope := range []int{0, 1, 255, 256} {
		circuit.Accepts(t, fmt.Sprint(slope), slope)
	}
	half := new(big.Int).ModInverse(big.NewInt(2), fr.Modulus())
	for _, slope := range []any{-1, 257, 511, 512, -256, half} {
		circuit.Refuses(t, fmt.Sprint(slope), slope)
	}
}

// line compiles bounds and a line: low, high, K, T.
func line(t *testing.T) *adversary.Circuit {
	return adversary.Compile(t, 4, func(a *bounded.Arith, wires []frontend.Variable) {
		upper := relaxation.Line{Slope: relaxation.NewSlopes(a, q).Check(a, wires[2]), Offset: a.Unsigned(wires[3], 30)}
		relaxation.Assert(a, a.Signed(wires[0], 20), a.Signed(wires[1], 20), upper, q)
	})
}

// A line passes that is above 2^q relu(z) at both ends, and none that is below it at one: 171 * -10 + 1710 = 0 and
// 171 * 20 + 1710 = 5130, where 256 * 20 = 5120.
func TestUpperLine(t *testing.T) {
	circuit := line(t)
	circuit.Accepts(t, "chord, rounded up", -10, 20, 171, 1710)
	circuit.Accepts(t, "anything above", -10, 20, 200, 1<<29)
	circuit.Accepts(t, "always on", 5, 9, 256, 0)
	circuit.Accepts(t, "always off", -9, -5, 0, 0)
	circuit.Accepts(t, "a point", 0, 0, 17, 0)
	circuit.Accepts(t, "a flat line", -10, 20, 0, 5120)
	circuit.Refuses(t, "below 0 at the lower end", -10, 20, 171, 1709)
	circuit.Refuses(t, "below the neuron at the upper end", -10, 20, 170, 1719)
	circuit.Refuses(t, "below the neuron at both ends", 5, 9, 200, 0)
	circuit.Refuses(t, "a flat line that is too low", -10, 20, 0, 5119)
	circuit.Refuses(t, "a slope above 2^q", -10, 20, 257, 2570)
	circuit.Refuses(t, "a negative slope", -10, 20, -1, 5140)
	circuit.Refuses(t, "an offset beyond its width", -10, 20, 200, 1<<30)
	circuit.Refuses(t, "a negative offset", 5, 9, 256, -1)
}

// Each of the four comparisons is made: with ends that are swapped, each is broken alone.
func TestEveryComparison(t *testing.T) {
	circuit := line(t)
	circuit.Accepts(t, "swapped ends", 9, 5, 100, 1404)
	circuit.Refuses(t, "K l + T < 2^q l", 9, 5, 100, 1403)
	circuit.Refuses(t, "K u + T < 2^q u", 5, 9, 100, 1403)
	circuit.Accepts(t, "swapped ends below 0", -5, -9, 10, 90)
	circuit.Refuses(t, "K u + T < 0", -5, -9, 10, 89)
	circuit.Refuses(t, "K l + T < 0", -9, -5, 10, 89)
}

// Slopes and offsets whose bounds say nothing are refused at compile time.
func TestBoundsAreDemanded(t *testing.T) {
	for name, upper := range map[string]func(a *bounded.Arith, wire frontend.Variable) relaxation.Line{
		"slope": func(a *bounded.Arith, wire frontend.Variable) relaxation.Line {
			return relaxation.Line{Slope: a.Unsigned(wire, q+1), Offset: a.Constant(0)}
		},
		"offset": func(a *bounded.Arith, wire frontend.Variable) relaxation.Line {
			return relaxation.Line{Slope: a.Constant(256), Offset: a.Signed(wire, 5)}
		},
	} {
		_, err := adversary.Try(1, func(a *bounded.Arith, wires []frontend.Variable) {
			relaxation.Assert(a, a.Constant(0), a.Constant(1), upper(a, wires[0]), q)
		})
		if err == nil {
			t.Errorf("a wide %s compiles", name)
		}
	}
}
