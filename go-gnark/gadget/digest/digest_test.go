package digest_test

import (
	"fmt"
	"math/big"
	"testing"

	"github.com/consensys/gnark/frontend"

	"equiproof/gadget/bounded"
	"equiproof/gadget/digest"
	"equiproof/internal/adversary"
	"equiproof/internal/oracle"
)

// A tag is its ASCII bytes, big-endian: "ab" is 0x6162.
func TestTag(t *testing.T) {
	if tag := digest.Tag("ab"); tag.Int64() != 0x6162 {
		t.Errorf("%x", tag)
	}
}

// The circuit's hash is gnark-crypto's Poseidon2 of the same elements in the same order, of any number of them.
func TestHashIsPoseidon2(t *testing.T) {
	for length := 1; length <= 6; length++ {
		circuit := adversary.Compile(t, length+1, func(a *bounded.Arith, wires []frontend.Variable) {
			a.Unsigned(wires[0], 250)
			hash, err := digest.Hash(a.API(), wires[:length]...)
			if err != nil {
				t.Fatal(err)
			}
			a.API().AssertIsEqual(hash, wires[length])
		})
		elements := make([]*big.Int, length)
		for i := range elements {
			elements[i] = new(big.Int).Lsh(big.NewInt(int64(3*i+1)), uint(80*i)%240)
		}
		hash := oracle.Hash(elements...)
		circuit.Accepts(t, fmt.Sprint(length), adversary.Join(elements, hash)...)
		circuit.Refuses(t, "hash + 1", adversary.Join(elements, new(big.Int).Add(hash, big.NewInt(1)))...)
		if length > 1 {
			elements[0], elements[1] = elements[1], elements[0]
			circuit.Refuses(t, "another order", adversary.Join(elements, hash)...)
		}
	}
}

// Constants and wires of the same values have the same hash.
func TestHashOfConstants(t *testing.T) {
	circuit := adversary.Compile(t, 2, func(a *bounded.Arith, wires []frontend.Variable) {
		a.Unsigned(wires[0], 8)
		hash, err := digest.Hash(a.API(), digest.Tag("tag"), 1, wires[0])
		if err != nil {
			t.Fatal(err)
		}
		a.API().AssertIsEqual(hash, wires[1])
	})
	circuit.Accepts(t, "tag, 1, 7", 7, oracle.Hash(digest.Tag("tag"), big.NewInt(1), big.NewInt(7)))
	circuit.Refuses(t, "another constant", 7, oracle.Hash(digest.Tag("tag"), big.NewInt(2), big.NewInt(7)))
}

// Packing shifts each integer by its lower bound and gives it the bits of its interval: at either end of the widths, for
// elements that are just full, and for those that are one bit too full.
func TestPackAtTheEdges(t *testing.T) {
	for _, widths := range [][]int{{16}, {2, 3, 4}, {248}, {124, 124}, {124, 124, 2}, {125, 124}, {247, 2}, {2, 247}, {18, 230, 18}, {250, 16}} {
		var none []oracle.Signed
		for _, bits := range widths {
			none = append(none, oracle.Signed{Value: new(big.Int), Bits: bits})
		}
		elements := len(oracle.Pack(none...))
		circuit := adversary.Compile(t, len(widths)+elements, func(a *bounded.Arith, wires []frontend.Variable) {
			var values []bounded.Int
			for i, bits := range widths {
				values = append(values, a.Signed(wires[i], bits))
			}
			packed := digest.Pack(a.API(), values)
			if len(packed) != elements {
				t.Fatalf("%v: %d elements, want %d", widths, len(packed), elements)
			}
			for i := range packed {
				a.API().AssertIsEqual(packed[i], wires[len(widths)+i])
			}
		})
		for ends := range 1 << len(widths) {
			var values []*big.Int
			var signed []oracle.Signed
			for i, bits := range widths {
				value := new(big.Int).Lsh(big.NewInt(-1), uint(bits-1))
				if ends>>i&1 == 1 {
					value.Not(value) // -2^(b-1) becomes 2^(b-1) - 1
				}
				values = append(values, value)
				signed = append(signed, oracle.Signed{Value: value, Bits: bits})
			}
			packed := oracle.Pack(signed...)
			circuit.Accepts(t, fmt.Sprint(widths, ends), adversary.Join(values, packed)...)
			packed[0].Add(packed[0], big.NewInt(1))
			circuit.Refuses(t, fmt.Sprint(widths, ends), adversary.Join(values, packed)...)
		}
	}
}

// Two lists of integers that fit their widths never pack to the same elements: all 2^8 lists of widths 1, 2, 3 and 2.
func TestPackIsInjective(t *testing.T) {
	seen := map[string]bool{}
	adversary.Compile(t, 1, func(a *bounded.Arith, wires []frontend.Variable) {
		a.Unsigned(wires[0], 2)
		for number := range 256 {
			// Constants in intervals: an Int of a wire that the compiler knows the value of.
			values := []bounded.Int{
				a.Unsigned(number&1, 1), a.Signed(number>>1&3-2, 2), a.Unsigned(number>>3&7, 3), a.Below(number>>6, 4),
			}
			for _, element := range digest.Pack(a.API(), values) {
				constant, ok := a.API().Compiler().ConstantValue(element)
				if !ok {
					t.Fatal("packing constants gave no constant")
				}
				seen[constant.String()] = true
			}
		}
	})
	if len(seen) != 256 {
		t.Errorf("%d packings of 256 lists", len(seen))
	}
}

// Intervals that are no signed ones are packed too: a number below 5 takes three bits, a sum the bits of its bounds.
func TestPackTakesTheBitsOfTheInterval(t *testing.T) {
	circuit := adversary.Compile(t, 3, func(a *bounded.Arith, wires []frontend.Variable) {
		x, y := a.Below(wires[0], 5), a.Signed(wires[1], 4)
		packed := digest.Pack(a.API(), []bounded.Int{x, a.Add(x, y), y}) // [0, 4], [-8, 11], [-8, 7]
		a.API().AssertIsEqual(packed[0], wires[2])
	})
	pack := func(x, y int) int { return x + (x+y+8)<<3 + (y+8)<<8 }
	for x := range 5 {
		for y := -8; y < 8; y++ {
			if y == -8 || y == 7 || x == y {
				circuit.Accepts(t, fmt.Sprint(x, y), x, y, pack(x, y))
				circuit.Refuses(t, fmt.Sprint(x, y), x, y, pack(x, y)+1)
			}
		}
	}
}
