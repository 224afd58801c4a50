package neighbor_test

import (
	"fmt"
	"math/big"
	"testing"

	"github.com/consensys/gnark-crypto/ecc/bn254/fr"
	"github.com/consensys/gnark/frontend"

	"equiproof/gadget/bounded"
	"equiproof/gadget/neighbor"
	"equiproof/internal/adversary"
)

const (
	neurons = 3
	slices  = 3
)

// set compiles one question to a set: rows of slice and pattern bits, then whether facet i of row `from` is crossed, and
// the index of its neighbor.
func set(t *testing.T, rows, from, i int) *adversary.Circuit {
	return adversary.Compile(t, rows*(1+neurons)+2, func(a *bounded.Arith, wires []frontend.Variable) {
		take := &adversary.Wires{Rest: wires}
		var keys []bounded.Int
		var patterns [][]bounded.Int
		for range rows {
			keys = append(keys, a.Below(take.Take(1)[0], slices))
			patterns = append(patterns, take.Bits(a, neurons))
		}
		crossed := take.Bits(a, 1)[0]
		neighbor.New(a, keys, patterns).Assert(from, i, crossed, take.Take(1)[0])
	})
}

// given lists rows of (slice, three bits, first neuron lowest), and the question.
func given(rows [][4]any, crossed, at any) []any {
	var values []any
	for _, row := range rows {
		values = append(values, row[:]...)
	}
	return append(values, crossed, at)
}

// The neighbor across facet i is a row of the same slice whose pattern differs in bit i and in no other.
func TestNeighbor(t *testing.T) {
	rows := [][4]any{
		{0, 1, 0, 1},
		{1, 1, 1, 1}, // bit 1 flipped, of another slice
		{0, 1, 1, 1}, // the neighbor across facet 1
		{0, 1, 1, 0}, // two bits flipped
		{0, 0, 0, 1}, // bit 0 flipped
		{2, 1, 0, 1}, // the row itself, of another slice
	}
	circuit := set(t, len(rows), 0, 1)
	circuit.Accepts(t, "its neighbor", given(rows, 1, 2)...)
	circuit.Accepts(t, "nothing crossed, the row itself", given(rows, 0, 0)...)
	for at := range rows {
		if at != 2 {
			circuit.Refuses(t, fmt.Sprintf("row %d as the neighbor", at), given(rows, 1, at)...)
		}
		if at != 0 {
			circuit.Refuses(t, fmt.Sprintf("nothing crossed, row %d as itself", at), given(rows, 0, at)...)
		}
	}
}

// The other way around, from a bit that is set, the neighbor has it unset.
func TestNeighborOfASetBit(t *testing.T) {
	rows := [][4]any{{2, 1, 0, 1}, {2, 1, 1, 1}, {2, 1, 0, 0}}
	circuit := set(t, len(rows), 1, 1)
	circuit.Accepts(t, "its neighbor", given(rows, 1, 0)...)
	circuit.Refuses(t, "itself", given(rows, 1, 1)...)
	circuit.Refuses(t, "another", given(rows, 1, 2)...)
}

// If a row is repeated, any copy may be named as the neighbor, since a set has no multiplicities.
func TestRowsMayRepeat(t *testing.T) {
	rows := [][4]any{{0, 1, 0, 1}, {0, 1, 1, 1}, {0, 1, 1, 1}, {0, 1, 0, 1}}
	circuit := set(t, len(rows), 0, 1)
	for crossed, allowed := range [][]int{{0, 3}, {1, 2}} {
		for _, at := range allowed {
			circuit.Accepts(t, fmt.Sprint(crossed, at), given(rows, crossed, at)...)
		}
	}
}

// A neighbor that is in no row is found nowhere, whatever index is named: inside, outside, negative or a fraction.
func TestNeighborThatIsNotInTheSet(t *testing.T) {
	rows := [][4]any{{0, 1, 0, 1}, {0, 1, 0, 0}, {1, 1, 0, 1}}
	circuit := set(t, len(rows), 0, 1)
	half := new(big.Int).ModInverse(big.NewInt(2), fr.Modulus())
	for _, at := range []any{0, 1, 2, 3, 4, 1 << 30, -1, half} {
		circuit.Refuses(t, fmt.Sprint("row ", at), given(rows, 1, at)...)
	}
}

// An index outside the table has no row, even for a region that is its own: the lookup's answer is not the prover's.
func TestIndexOutsideTheTable(t *testing.T) {
	rows := [][4]any{{0, 1, 0, 1}, {0, 1, 1, 1}}
	circuit := set(t, len(rows), 0, 1)
	for _, at := range []any{2, 3, -1, 1 << 40} {
		for crossed := range 2 {
			circuit.Refuses(t, fmt.Sprint("row ", at), given(rows, crossed, at)...)
		}
	}
}

// Crossing is a bit: two steps, or one back, do not lead to rows further away.
func TestCrossingIsABit(t *testing.T) {
	circuit := set(t, 2, 0, 0)
	circuit.Refuses(t, "2 steps of 1 reach bit 1", given([][4]any{{0, 0, 0, 0}, {0, 0, 1, 0}}, 2, 1)...)
	circuit.Refuses(t, "-1 steps of 1", given([][4]any{{0, 0, 1, 0}, {0, 1, 0, 0}}, -1, 1)...)
}

// Neither slices out of range nor patterns of other numbers than bits can make two regions share a key.
func TestKeysAreInjective(t *testing.T) {
	circuit := set(t, 2, 0, 2)
	// Flipping bit 2 of 4 in slice 0 adds 4: key 4 is pattern 001 of slice 0, and nothing else.
	circuit.Accepts(t, "its neighbor", given([][4]any{{0, 0, 0, 0}, {0, 0, 0, 1}}, 1, 1)...)
	circuit.Refuses(t, "the next slice", given([][4]any{{0, 0, 0, 0}, {1, 0, 0, 0}}, 1, 1)...)
	circuit.Refuses(t, "bits 2, 1, 0", given([][4]any{{0, 0, 0, 0}, {0, 2, 1, 0}}, 1, 1)...)
	circuit.Refuses(t, "bits 0, 2, 0", given([][4]any{{0, 0, 0, 0}, {0, 0, 2, 0}}, 1, 1)...)
	circuit.Refuses(t, "bits -4 of slice 1", given([][4]any{{0, 0, 0, 0}, {1, 0, 0, -1}}, 1, 1)...)
	circuit.Refuses(t, "bit 3 of slice -1", given([][4]any{{0, 0, 0, 0}, {-1, 0, 0, 3}}, 1, 1)...)
	// 2^-3 of a slice is 1 in the key: a fraction of a slice would make pattern 000 pass for pattern 001.
	fraction := new(big.Int).ModInverse(big.NewInt(2), fr.Modulus())
	circuit.Refuses(t, "pattern 000 of slice 1/2", given([][4]any{{0, 0, 0, 0}, {fraction, 0, 0, 0}}, 1, 1)...)
	// The set bit that flips over into the next slice: 2^3 * 1 + 0 is 0 + 2 * 4.
	circuit.Refuses(t, "slice 1 as bit 2 twice", given([][4]any{{0, 0, 0, 2}, {1, 0, 0, 1}}, 1, 1)...)
	circuit.Refuses(t, "the last slice and one more", given([][4]any{{2, 0, 0, 1}, {3, 0, 0, -2}}, 1, 1)...)
}

// Keys that could wrap around the field's order are refused at compile time: here three bits of slices and 248 of neurons.
func TestKeysMustFitTheField(t *testing.T) {
	var overflow *bounded.OverflowError
	_, err := adversary.Try(249, func(a *bounded.Arith, wires []frontend.Variable) {
		defer func() { overflow, _ = recover().(*bounded.OverflowError) }()
		pattern := (&adversary.Wires{Rest: wires[1:]}).Bits(a, 248)
		neighbor.New(a.At("keys"), []bounded.Int{a.Below(wires[0], 8)}, [][]bounded.Int{pattern})
	})
	if err == nil || overflow == nil || overflow.Where != "keys" {
		t.Errorf("%v, %v", overflow, err)
	}
}
